//! A commit as it is stored. It is the same on every branch and in every worktree.

use crate::codec::{ByteDecoder, ByteEncoder};

/// A commit. It does not depend on the checkout or the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryCommit {
    /// Its SHA, as bytes
    pub sha: Vec<u8>,
    /// The SHAs of its parents
    pub parents: Vec<Vec<u8>>,
    /// Who wrote it
    pub author: CommitSignature,
    /// Who committed it
    pub committer: CommitSignature,
    /// Its message
    pub message: String,
    /// The files it touched
    pub changes: Vec<CommitFileChange>,
    /// Whether its parents were missing in a shallow clone, so that every file looks added
    pub is_shallow_edge: bool,
    /// Whether renames are unknown, because file contents were missing when the commit was read
    pub renames_unknown: bool,
}

/// A person and a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitSignature {
    /// Their name
    pub name: String,
    /// Their address
    pub email: String,
    /// Seconds since 1970
    pub time: i64,
}

/// A file that a commit touched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitFileChange {
    /// What happened to it
    pub kind: CommitChangeKind,
    /// Its path
    pub path: Vec<u8>,
    /// Its old path, if it was renamed
    pub old_path: Option<Vec<u8>>,
    /// The id of its content; `None` if it was deleted
    pub oid: Option<Vec<u8>>,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CommitChangeKind {
    /// It was added
    Added,
    /// It was deleted
    Deleted,
    /// Its content or mode changed
    Modified,
    /// Its type changed, for example to a link
    TypeChanged,
    /// It was renamed
    Renamed,
}

impl CommitChangeKind {
    const ALL: [Self; 5] =
        [Self::Added, Self::Deleted, Self::Modified, Self::TypeChanged, Self::Renamed];

    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Deleted => "deleted",
            Self::Modified => "modified",
            Self::TypeChanged => "type changed",
            Self::Renamed => "renamed",
        }
    }

    /// The letter git uses, as it is stored.
    pub(crate) const fn letter(self) -> u8 {
        match self {
            Self::Added => b'A',
            Self::Deleted => b'D',
            Self::Modified => b'M',
            Self::TypeChanged => b'T',
            Self::Renamed => b'R',
        }
    }

    pub(crate) fn from_letter(letter: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|how| how.letter() == letter)
    }
}

/// A commit without the files that it changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitHeader {
    /// Its SHA
    pub sha: Vec<u8>,
    /// How many parents it has
    pub parents: usize,
    /// Who wrote it
    pub author: CommitSignature,
    /// The whole message
    pub message: String,
}

impl CommitHeader {
    /// The first line.
    pub fn subject(&self) -> &str {
        subject(&self.message)
    }

    /// Everything after the first line and the empty lines below it.
    pub fn body(&self) -> &str {
        body(&self.message)
    }
}

impl HistoryCommit {
    /// The first line.
    pub fn subject(&self) -> &str {
        subject(&self.message)
    }

    /// Everything after the first line and the empty lines below it.
    pub fn body(&self) -> &str {
        body(&self.message)
    }
}

/// The first line of a message.
pub fn subject(message: &str) -> &str {
    message.trim_start().lines().next().unwrap_or_default().trim_end()
}

/// What follows the first line of a message.
pub fn body(message: &str) -> &str {
    let message = message.trim_start();
    message.split_once('\n').map_or("", |(_, rest)| rest).trim()
}

/// The text of a message or a name. Invalid UTF-8, in a commit without a declared encoding, is read as
/// Latin-1, which accepts every byte.
pub fn decode_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| error.into_bytes().into_iter().map(char::from).collect())
}

/// Encodes changes as bytes. Paths are written as numbers, which are not 0.
pub(crate) fn encode_changes(
    changes: &[CommitFileChange],
    number_of: impl Fn(&[u8]) -> u64,
) -> Vec<u8> {
    let mut encoder = ByteEncoder::default();
    for change in changes {
        encoder.number(u64::from(change.kind.letter()));
        encoder.number(number_of(&change.path));
        encoder.number(change.old_path.as_deref().map_or(0, &number_of));
        encoder.bytes(change.oid.as_deref().unwrap_or_default());
    }
    encoder.bytes
}

/// Decodes changes; `None` if [`encode_changes`] did not write the bytes, or a number means no path.
pub(crate) fn decode_changes(
    bytes: &[u8],
    path_of: impl Fn(u64) -> Option<Vec<u8>>,
) -> Option<Vec<CommitFileChange>> {
    let some = |bytes: &[u8]| (!bytes.is_empty()).then(|| bytes.to_vec());
    let mut decoder = ByteDecoder::new(bytes);
    let mut changes = Vec::new();
    while !decoder.is_at_end() {
        let how = CommitChangeKind::from_letter(decoder.number()?.try_into().ok()?)?;
        let path = path_of(decoder.number()?)?;
        let old_path = match decoder.number()? {
            0 => None,
            number => Some(path_of(number)?),
        };
        changes.push(CommitFileChange { kind: how, path, old_path, oid: some(decoder.bytes()?) });
    }
    Some(changes)
}

/// The hex digits of a commit id.
pub fn sha_to_hex(sha: &[u8]) -> String {
    hex::encode(sha)
}

/// The bytes of the hex digits that a text starts with; an odd last digit is left out.
pub fn sha_from_hex(digits: &str) -> Vec<u8> {
    let count = digits.bytes().take_while(u8::is_ascii_hexdigit).count();
    hex::decode(&digits[..count & !1]).expect("these are pairs of hex digits")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_read_back_whatever_their_paths() {
        let long = vec![b'x'; 70_000];
        let change = |how, path: &[u8], old: Option<&[u8]>| CommitFileChange {
            kind: how,
            path: path.to_vec(),
            old_path: old.map(<[u8]>::to_vec),
            oid: (how != CommitChangeKind::Deleted).then(|| vec![7; 20]),
        };
        let changes = [
            change(CommitChangeKind::Added, b"a b\nc", None),
            change(CommitChangeKind::Renamed, &long, Some(b"\xff\x80old")),
            change(CommitChangeKind::Deleted, b"[x]", None),
        ];
        let paths = [b"a b\nc".to_vec(), long.clone(), b"\xff\x80old".to_vec(), b"[x]".to_vec()];
        let number_of = |path: &[u8]| 1 + paths.iter().position(|one| one == path).unwrap() as u64;
        let path_of =
            |number: u64| paths.get(usize::try_from(number).ok()?.checked_sub(1)?).cloned();
        let bytes = encode_changes(&changes, number_of);
        assert_eq!(decode_changes(&bytes, path_of).unwrap(), changes);
        for broken in
            [&b"A"[..], b"X\x01\x00\x00", b"A\xff\xff\xff", b"A\x05\x00\x00", b"A\x00\x00\x00"]
        {
            assert_eq!(decode_changes(broken, path_of), None);
        }
    }

    #[test]
    fn messages_have_a_subject_a_body_and_letters() {
        let message = "\nfeat: a\r\n\nwhy\nhow\n";
        assert_eq!((subject(message), body(message)), ("feat: a", "why\nhow"));
        assert_eq!((subject(""), body("one")), ("", ""));
        assert_eq!(decode_text(b"gr\xfc\xdfe".to_vec()), "grüße");
        assert_eq!(sha_to_hex(&sha_from_hex("00ffa5")), "00ffa5");
    }
}
