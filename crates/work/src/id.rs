//! Ids of records, which are UUIDs of version 7, and references by which callers name records.

use std::fmt;
use std::str::FromStr;

use base::Hash;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The positions of the dashes of a UUID.
const DASHES: [usize; 4] = [8, 13, 18, 23];

/// The shortest prefix of an id that is accepted, in digits. Shorter prefixes match too many ids.
const MIN_PREFIX_DIGITS: usize = 4;

/// How many digits of the id a key ends with.
pub(crate) const KEY_DIGITS: usize = 4;

/// The id of a record: a UUID with dashes, in lower case.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct WorkRecordId(String);

impl WorkRecordId {
    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The short form: the time, and enough digits to distinguish records of the same time.
    pub fn short(&self) -> &str {
        &self.0[..18]
    }

    /// The last digits, with which the key of the record ends.
    pub fn key_digits(&self) -> &str {
        &self.0[36 - KEY_DIGITS..]
    }

    /// The same id with other last digits.
    #[must_use]
    pub(crate) fn with_key_digits(&self, digits: &str) -> Self {
        Self(format!("{}{digits}", &self.0[..36 - KEY_DIGITS]))
    }

    /// A new id for this time. The same seed and number give the same id.
    pub(crate) fn new(now: Timestamp, seed: &[u8; 32], number: u32) -> Self {
        let hash = Hash::of(&[&seed[..], &number.to_be_bytes()].concat());
        let mut bytes = [0; 16];
        let millis = now.as_millisecond().max(0).to_be_bytes();
        bytes[..6].copy_from_slice(&millis[2..]);
        bytes[6..].copy_from_slice(&hash.as_bytes()[..10]);
        // Records of one change get consecutive numbers from a random start, so that their short
        // forms differ.
        let start = u32::from(u16::from_be_bytes([seed[0], seed[1]]));
        let [.., high, low] = ((start + number) & 0xfff).to_be_bytes();
        (bytes[6], bytes[7]) = (0x70 | high, low);
        bytes[8] = 0x80 | (bytes[8] & 0x3f);
        Self(dashed(&hex::encode(bytes)))
    }
}

impl std::borrow::Borrow<str> for WorkRecordId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for WorkRecordId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for WorkRecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for WorkRecordId {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        if is_whole(&text) {
            return Ok(Self(text));
        }
        let asked: WorkRecordRef = text.parse()?;
        match asked.prefix.len() {
            36 => Ok(Self(asked.prefix)),
            _ => Err(format!("`{text}` is not a whole id")),
        }
    }
}

/// Whether a text is an id in its stored form.
fn is_whole(text: &str) -> bool {
    let fits = |(at, byte): (usize, u8)| match DASHES.contains(&at) {
        true => byte == b'-',
        false => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
    };
    text.len() == 36 && text.bytes().enumerate().all(fits)
}

impl From<WorkRecordId> for String {
    fn from(id: WorkRecordId) -> String {
        id.0
    }
}

/// The kinds of record that a caller may write before an id or a name.
const KINDS: [&str; 9] = [
    "project",
    "feature",
    "task",
    "section",
    "template",
    "dependency",
    "molecule",
    "atom",
    "changelog",
];

/// A reference to a record: its id with or without dashes, a prefix of the id, or its name. The kind of
/// record may come first, as in `task:019b7d2f`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct WorkRecordRef {
    /// The kind, if it was given
    pub kind: Option<String>,
    /// The digits with dashes; empty if the text cannot be an id
    pub prefix: String,
    /// The text after the kind, which may also be a name
    pub name: String,
}

/// The longest name, in characters.
const MAX_NAME_CHARS: usize = 255;

impl FromStr for WorkRecordRef {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let written = text.trim().split_once(':').map(|(kind, rest)| (kind.to_lowercase(), rest));
        let (kind, rest) = match written {
            Some((kind, rest)) if KINDS.contains(&kind.as_str()) => (Some(kind), rest.trim()),
            _ => (None, text.trim()),
        };
        let refused = |why: &str| Err(format!("`{}` is {why}", text.escape_debug()));
        match rest.chars().count() {
            0 => return refused("neither an id nor a name"),
            long if long > MAX_NAME_CHARS => return refused("too long for a name"),
            _ if rest.contains(char::is_control) => return refused("not one line"),
            _ => {}
        }
        let digits = rest.replace('-', "").to_ascii_lowercase();
        let is_id = (MIN_PREFIX_DIGITS..=32).contains(&digits.len())
            && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let prefix = if is_id { dashed(&digits) } else { String::new() };
        Ok(Self { kind, prefix, name: rest.to_owned() })
    }
}

/// A record to change, and the version that the caller last read.
#[derive(Debug, Clone, Copy)]
pub struct VersionedRef<'a> {
    /// The record
    pub id: &'a WorkRecordRef,
    /// The version; `None` skips the comparison
    pub version: Option<u32>,
}

impl TryFrom<String> for WorkRecordRef {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<WorkRecordRef> for String {
    fn from(id: WorkRecordRef) -> String {
        id.to_string()
    }
}

impl From<&WorkRecordId> for WorkRecordRef {
    fn from(id: &WorkRecordId) -> Self {
        Self { kind: None, prefix: id.0.clone(), name: id.0.clone() }
    }
}

impl fmt::Display for WorkRecordRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.iter().try_for_each(|kind| write!(f, "{kind}:"))?;
        f.write_str(if self.prefix.is_empty() { &self.name } else { &self.prefix })
    }
}

/// Inserts the dashes of a UUID into some or all of its digits.
fn dashed(digits: &str) -> String {
    let mut out = String::with_capacity(36);
    for digit in digits.chars() {
        if DASHES.contains(&out.len()) {
            out.push('-');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_taken_in_every_spelling() {
        let now: Timestamp = "2026-01-02T03:04:05Z".parse().unwrap();
        let id = WorkRecordId::new(now, &[7; 32], 0);
        assert_eq!(id.as_str().len(), 36);
        assert_eq!(&id.as_str()[14..15], "7");
        let plain = id.as_str().replace('-', "");
        for written in [id.as_str(), &plain, &plain.to_uppercase(), &format!("task:{id}")] {
            assert_eq!(written.parse::<WorkRecordRef>().unwrap().prefix, id.as_str(), "{written}");
        }
        assert_eq!(plain[..10].parse::<WorkRecordRef>().unwrap().prefix, id.as_str()[..11]);
        for name in ["abc", "not-an-id", "Fix: the login", &format!("{plain}0")] {
            let asked = name.parse::<WorkRecordRef>().unwrap();
            assert_eq!((asked.prefix.as_str(), asked.name.as_str()), ("", name));
        }
        for bad in ["", "task:", "a\nb", &"x".repeat(256)] {
            assert!(bad.parse::<WorkRecordRef>().is_err(), "{bad}");
        }
        assert_ne!(id.short(), WorkRecordId::new(now, &[7; 32], 1).short());
    }
}
