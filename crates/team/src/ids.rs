//! Ids that the whole team shares.

use std::fmt;
use std::str::FromStr;

use base::{Problem, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The id of a project, which `cairn.jsonc` holds: a UUID in lower case with dashes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct ProjectId(String);

/// The id of one change, made by the client before it writes: a lost reply is looked up by it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct ChangeUid(String);

macro_rules! uuid_type {
    ($name:ident, $what:literal) => {
        impl $name {
            /// A new random one.
            pub fn random() -> Result<Self> {
                random_uuid().map(Self)
            }

            /// Its text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = String;
            fn from_str(text: &str) -> std::result::Result<Self, String> {
                match is_uuid(text) {
                    true => Ok(Self(text.to_ascii_lowercase())),
                    false => Err(format!(
                        "`{text}` is not the id of {}: expected a UUID with dashes",
                        $what
                    )),
                }
            }
        }

        impl TryFrom<String> for $name {
            type Error = String;
            fn try_from(text: String) -> std::result::Result<Self, String> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

uuid_type!(ProjectId, "a project");
uuid_type!(ChangeUid, "a change");

impl ProjectId {
    /// The digits without dashes, for names in the database.
    pub(crate) fn digits(&self) -> String {
        self.0.replace('-', "")
    }
}

fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    lengths == [8, 4, 4, 4, 12]
        && groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// A random UUID, version 4.
fn random_uuid() -> Result<String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        Problem::internal("no source of randomness").with_source(error.to_string())
    })?;
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let hex = hex::encode(bytes);
    Ok([&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_uuids() {
        let id = ProjectId::random().unwrap();
        assert_eq!(id.to_string().parse::<ProjectId>().unwrap(), id);
        assert!("'; DROP TABLE x; --".parse::<ProjectId>().is_err());
        assert!("0123456789abcdef0123456789abcdef".parse::<ChangeUid>().is_err());
    }
}
