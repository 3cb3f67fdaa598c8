//! Names of objects, and what git would name a blob.

use std::fmt;
use std::str::FromStr;

use base::entity::CommitId;
use sha1::Digest;

/// How a repository names its objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ObjectFormat {
    /// Forty digits
    Sha1,
    /// Sixty-four digits
    Sha256,
}

/// The whole name of an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Oid {
    /// In a SHA-1 repository
    Sha1([u8; 20]),
    /// In a SHA-256 repository
    Sha256([u8; 32]),
}

impl ObjectFormat {
    /// The name of a blob with these bytes.
    pub fn blob_id(self, bytes: &[u8]) -> Oid {
        self.hash("blob", bytes)
    }

    /// The name of the tree without entries, which every repository knows.
    pub fn empty_tree(self) -> Oid {
        self.hash("tree", b"")
    }

    /// Whether a file with these bytes is the blob `oid`, as it is or with LF for CRLF.
    pub fn same_content(self, bytes: &[u8], oid: Oid) -> bool {
        self.blob_id(bytes) == oid
            || crlf_to_lf(bytes).is_some_and(|bytes| self.blob_id(&bytes) == oid)
    }

    fn hash(self, kind: &str, bytes: &[u8]) -> Oid {
        let header = format!("{kind} {}\0", bytes.len());
        match self {
            Self::Sha1 => Oid::Sha1(digest::<sha1::Sha1>(&header, bytes).into()),
            Self::Sha256 => Oid::Sha256(digest::<sha2::Sha256>(&header, bytes).into()),
        }
    }
}

fn digest<D: Digest>(header: &str, bytes: &[u8]) -> sha1::digest::Output<D> {
    D::new().chain_update(header).chain_update(bytes).finalize()
}

/// The bytes with LF for every CRLF; `None` when there is no CRLF.
fn crlf_to_lf(bytes: &[u8]) -> Option<Vec<u8>> {
    let crlf = |at: usize| bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n');
    let kept: Vec<u8> = (0..bytes.len()).filter(|at| !crlf(*at)).map(|at| bytes[at]).collect();
    (kept.len() < bytes.len()).then_some(kept)
}

impl Oid {
    /// The raw bytes, for storing.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Sha1(bytes) => bytes,
            Self::Sha256(bytes) => bytes,
        }
    }

    /// A name read back from where it was stored as bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let sha1 = bytes.try_into().map(Self::Sha1);
        sha1.or_else(|_| bytes.try_into().map(Self::Sha256)).ok()
    }

    /// The same name, for an object that is known to be a commit.
    pub fn to_commit_id(self) -> CommitId {
        self.to_string().parse().expect("a whole name is a commit's name in form")
    }

    /// Whether it is the null name, which git writes where there is no object.
    pub(crate) fn is_null(&self) -> bool {
        self.as_bytes().iter().all(|byte| *byte == 0)
    }

    /// A name from the digits that git wrote.
    pub(crate) fn from_hex(digits: &[u8]) -> Option<Self> {
        std::str::from_utf8(digits).ok()?.parse().ok()
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.as_bytes()))
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Oid({self})")
    }
}

impl FromStr for Oid {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let pair = |pair: &[u8]| u8::try_from(digit(pair[0])? << 4 | digit(*pair.get(1)?)?).ok();
        let bytes: Option<Vec<u8>> = text.as_bytes().chunks(2).map(pair).collect();
        let oid = bytes.and_then(|bytes| Self::from_bytes(&bytes));
        oid.ok_or_else(|| format!("`{}` is not an object's name", text.escape_debug()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_git_gives() {
        let name = |format: ObjectFormat| format.blob_id(b"hello\n").to_string();
        assert_eq!(name(ObjectFormat::Sha1), "ce013625030ba8dba906f756967f9e9ca394464a");
        assert_eq!(
            name(ObjectFormat::Sha256),
            "2cf8d83d9ee29543b34a87727421fdecb7e3f3a183d337639025de576db9ebb4"
        );
        assert_eq!(
            ObjectFormat::Sha1.empty_tree().to_string(),
            "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
        );
    }

    #[test]
    fn names_read_back_and_nonsense_is_refused() {
        for format in [ObjectFormat::Sha1, ObjectFormat::Sha256] {
            let oid = format.blob_id(b"x");
            assert_eq!(oid.to_string().parse(), Ok(oid));
            assert_eq!(Oid::from_bytes(oid.as_bytes()), Some(oid));
            assert_eq!(oid.to_commit_id().as_str(), oid.to_string());
        }
        for text in ["", "abc", "+1", &"g".repeat(40), &"é".repeat(20)] {
            assert!(text.parse::<Oid>().is_err(), "{text}");
        }
    }

    #[test]
    fn line_endings_do_not_make_a_change() {
        let oid = ObjectFormat::Sha1.blob_id(b"a\nb\rc\n");
        assert!(ObjectFormat::Sha1.same_content(b"a\r\nb\rc\r\n", oid));
        assert!(ObjectFormat::Sha1.same_content(b"a\nb\rc\n", oid));
        assert!(!ObjectFormat::Sha1.same_content(b"a\nb\nc\n", oid));
        let crlf = ObjectFormat::Sha1.blob_id(b"a\r\n");
        assert!(!ObjectFormat::Sha1.same_content(b"a\n", crlf));
    }
}
