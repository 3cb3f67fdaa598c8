//! Keys: short names of records that people can read and type, such as `socks-proxies-7f3a`.
//!
//! A key is a slug and the last digits of the record's id. The slug of a feature or task is stored
//! when it is created, so that a new title does not change the key. The digits are random, so that
//! two machines that create work with the same title give it different keys.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use crate::id::{KEY_DIGITS, WorkRecordId};

/// The longest slug, in characters.
const MAX_SLUG_CHARS: usize = 32;

/// How many words a slug has at most.
const MAX_SLUG_WORDS: usize = 4;

/// Words that a slug leaves out.
const FILLERS: [&str; 16] = [
    "a", "an", "the", "of", "to", "in", "on", "for", "and", "or", "with", "is", "are", "be", "by",
    "that",
];

/// The key of a record.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct WorkKey(String);

impl WorkKey {
    /// The key of a record with this slug.
    pub fn new(slug: &str, id: &WorkRecordId) -> Self {
        Self(format!("{slug}-{}", id.key_digits()))
    }

    /// The key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for WorkKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The parts of a key that a caller wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WrittenKey {
    /// The slug, or its first words; empty if only the digits were written
    pub slug: String,
    /// The last digits of the id
    pub digits: String,
}

impl WrittenKey {
    /// Reads a key; `None` if the text does not end with the digits of one.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (slug, digits) = text.rsplit_once('-').unwrap_or(("", text));
        let is_digits = digits.len() == KEY_DIGITS
            && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let is_slug = slug.chars().all(|c| c == '-' || c.is_alphanumeric());
        (is_digits && is_slug).then(|| Self { slug: slug.to_lowercase(), digits: digits.into() })
    }

    /// Whether it means a record with this slug.
    pub(crate) fn fits(&self, slug: &str) -> bool {
        let rest = slug.strip_prefix(&self.slug);
        rest.is_some_and(|rest| rest.is_empty() || self.slug.is_empty() || rest.starts_with('-'))
    }
}

/// The slug of a name: its first words in lower case, with dashes between them.
pub fn slug(name: &str) -> String {
    let lower = name.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let telling: Vec<&str> = words.iter().copied().filter(|word| !FILLERS.contains(word)).collect();
    let words = if telling.is_empty() { words } else { telling };
    let mut slug = String::new();
    for word in words.into_iter().take(MAX_SLUG_WORDS) {
        let room = MAX_SLUG_CHARS.saturating_sub(slug.chars().count() + 1);
        if !slug.is_empty() && word.chars().count() > room {
            break;
        }
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.extend(word.chars().take(MAX_SLUG_CHARS));
    }
    if slug.is_empty() { "work".into() } else { slug }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_has_the_first_telling_words() {
        for (name, expected) in [
            ("Accept SOCKS proxies", "accept-socks-proxies"),
            ("The end of the line", "end-line"),
            ("Lock an account after five failures", "lock-account-after-five"),
            ("Fix: `cairn init` (again)", "fix-cairn-init-again"),
            ("Größe ändern", "größe-ändern"),
            ("to be or", "to-be-or"),
            ("!!!", "work"),
            ("a_very_long_identifier_that_is_one_word_of_the_code", "very-long-identifier-one"),
        ] {
            assert_eq!(slug(name), expected);
        }
        assert!(slug(&"x".repeat(200)).len() <= MAX_SLUG_CHARS);
    }

    #[test]
    fn a_written_key_fits_its_slug_and_the_start_of_it() {
        let key = WrittenKey::parse("socks-proxies-7f3a").unwrap();
        assert!(key.fits("socks-proxies") && key.fits("socks-proxies-again"));
        assert!(!key.fits("socks") && !key.fits("socks-proxiesx"));
        assert!(WrittenKey::parse("7f3a").unwrap().fits("anything"));
        for no in ["socks", "7f3", "socks-7F3A", "so cks-7f3a", ""] {
            assert_eq!(WrittenKey::parse(no), None, "{no}");
        }
    }
}
