//! Folder names for branches. No two branches have the same folder name on any file system.

/// The owner of a store.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum StoreOwner {
    /// A branch
    Branch(String),
    /// A commit that is checked out without a branch
    Commit(String),
}

/// Maximum length of a folder name, in bytes. A longer name is shortened and gets a hash.
const MAX_FOLDER_NAME: usize = 120;

/// Names that Windows reserves for devices, with any extension.
const WINDOWS_DEVICE_NAMES: [&str; 4] = ["con", "prn", "aux", "nul"];

impl StoreOwner {
    /// The name that is shown to people.
    pub(crate) fn display_name(&self) -> &str {
        match self {
            Self::Branch(name) | Self::Commit(name) => name,
        }
    }

    /// The owner of a folder of this name; `None` if the name was shortened.
    pub(crate) fn from_folder_name(folder: &str) -> Option<Self> {
        let mut pieces = folder.split('%');
        let mut bytes = pieces.next()?.as_bytes().to_vec();
        for piece in pieces {
            let (digits, rest) = piece.split_at_checked(2)?;
            bytes.extend(hex::decode(digits).ok()?);
            bytes.extend_from_slice(rest.as_bytes());
        }
        let owner = Self::Branch(String::from_utf8(bytes).ok()?);
        (owner.folder_name() == folder).then_some(owner)
    }

    /// Its folder: small letters, digits, `-`, `_` and inner dots stay; every other byte is written
    /// as `%` and two lowercase digits, as earlier versions did, so that names that differ only in
    /// case have different folders on disks that ignore case. A commit starts with `@`, which no
    /// branch's folder does.
    pub(crate) fn folder_name(&self) -> String {
        let name = match self {
            Self::Commit(commit) => return format!("@{commit}"),
            Self::Branch(name) => name,
        };
        let bytes = name.as_bytes();
        let is_device = |stem: &str| {
            let numbered = ["com", "lpt"].iter().any(|port| {
                stem.strip_prefix(port).is_some_and(|rest| rest.len() == 1 && rest != "0")
            });
            WINDOWS_DEVICE_NAMES.contains(&stem) || numbered
        };
        let reserved = is_device(name.split('.').next().unwrap_or(name));
        let plain = |at: usize, byte: u8| match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => at > 0 || !reserved,
            b'.' => at > 0 && at + 1 < bytes.len(),
            _ => false,
        };
        let written = |(at, byte): (usize, &u8)| match plain(at, *byte) {
            true => char::from(*byte).to_string(),
            false => format!("%{}", hex::encode([*byte])),
        };
        let whole: String = bytes.iter().enumerate().map(written).collect();
        match whole.get(..MAX_FOLDER_NAME) {
            // `%~` encodes no byte, so a shortened name never equals the full name of another
            // branch.
            Some(start) if whole.len() > MAX_FOLDER_NAME => {
                format!("{start}%~{}", base::Hash::of(bytes).prefix(32))
            }
            _ => whole,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn folder(name: &str) -> String {
        StoreOwner::Branch(name.into()).folder_name()
    }

    #[test]
    fn names_are_safe_and_readable() {
        for (name, expected) in [
            ("main", "main"),
            ("feature/a-b_c.1", "feature%2fa-b_c.1"),
            ("Main", "%4dain"),
            ("con", "%63on"),
            ("nul.x", "%6eul.x"),
            ("com1", "%63om1"),
            ("@abc", "%40abc"),
            ("é", "%c3%a9"),
            ("a.", "a%2e"),
            ("%2f", "%252f"),
        ] {
            assert_eq!(folder(name), expected);
            assert_eq!(
                StoreOwner::from_folder_name(expected),
                Some(StoreOwner::Branch(name.into()))
            );
        }
        for other in ["Main", "a%2", "%zz", "a%61", &folder(&"x".repeat(300))] {
            assert_eq!(StoreOwner::from_folder_name(other), None, "{other}");
        }
        assert!(folder(&"x".repeat(4000)).len() < 200);
        assert_ne!(folder(&"x".repeat(300)), folder(&"x".repeat(301)));
    }

    proptest! {
        #[test]
        fn no_two_names_share_a_folder(a in "[aAéÉ/.%~@-]{1,12}", b in "[aAéÉ/.%~@-]{1,12}") {
            let same = folder(&a).to_lowercase() == folder(&b).to_lowercase();
            prop_assert_eq!(same, a == b);
        }
    }
}
