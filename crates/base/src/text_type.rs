//! String types with a check that holds for the CLI (`FromStr`), JSON (`TryFrom`) and code alike.

/// Declares a string type that only holds texts that `check` accepts.
#[macro_export]
macro_rules! text_type {
    ($(#[$doc:meta])* $name:ident, $check:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(try_from = "String", into = "String")]
        #[schemars(with = "String")]
        pub struct $name(String);

        impl $name {
            /// The text itself.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
        impl std::str::FromStr for $name {
            type Err = String;
            fn from_str(text: &str) -> std::result::Result<Self, String> {
                let check: fn(&str) -> std::result::Result<(), String> = $check;
                check(text).map(|()| Self(text.into()))
            }
        }
        impl TryFrom<String> for $name {
            type Error = String;
            fn try_from(text: String) -> std::result::Result<Self, String> {
                text.parse()
            }
        }
        impl From<$name> for String {
            fn from(name: $name) -> String {
                name.0
            }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}
