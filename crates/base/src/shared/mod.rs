//! Records of a store as text files of the repository: how one is written and read back.
//!
//! A file has its fields as `name: JSON`, one per line, sorted, then `---`, then its long text
//! unchanged. A file has a revision, which only goes up; it is written only if it differs from the
//! record's own version. The file of a deleted record stays, as a tombstone with the next revision,
//! so that a checkout which does not have the file yet is told apart from one that lost it.
//!
//! `merge` decides what happens if a file and the store differ.

mod merge;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::Hash;

pub use merge::{
    MergeBase, MergeDecision, MergePreference, MergeReport, MergeSides, MergeVerdict, RecordState,
    SharedProblem, SharedProblemKind,
};

/// Below the repository's root.
pub const FOLDER: &str = ".cairn/shared";

/// The field of a file that counts its changes.
const REVISION_FIELD: &str = "revision";

/// The field of the file of a deleted record.
const DELETED_FIELD: &str = "deleted";

/// The field of a file whose long text quotes conflict markers on purpose.
const QUOTED_MARKERS_FIELD: &str = "quotes_conflict_markers";

/// The shared files that a store has to compare with its records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SharedFiles {
    /// Every file, by path
    pub paths: BTreeSet<String>,
    /// The texts of those that changed since the store was last in agreement with them
    pub texts: BTreeMap<String, String>,
    /// Files that cannot be read as text, with the reason
    pub unreadable: BTreeMap<String, String>,
}

impl SharedFiles {
    /// The texts in a folder, by path.
    pub fn texts_in<'a>(&'a self, folder: &str) -> impl Iterator<Item = (&'a str, &'a str)> {
        let prefix = format!("{FOLDER}/{folder}/");
        let inside = self.texts.iter().filter(move |(path, _)| path.starts_with(&prefix));
        inside.map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// The files in a folder that cannot be read, with the reason.
    pub fn unreadable_in<'a>(&'a self, folder: &str) -> impl Iterator<Item = (&'a str, &'a str)> {
        let prefix = format!("{FOLDER}/{folder}/");
        let inside = self.unreadable.iter().filter(move |(path, _)| path.starts_with(&prefix));
        inside.map(|(path, why)| (path.as_str(), why.as_str()))
    }
}

/// A parsed shared file.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedFile {
    /// Increases with every change of the file
    pub revision: u32,
    /// The record's fields; none where it was deleted
    pub record: Option<Map<String, Value>>,
}

/// A short hash of a text, to detect changes.
pub fn hash_text(text: &str) -> String {
    Hash::of(text.as_bytes()).short()
}

/// The hash that stands for a deleted record.
pub fn deleted_hash() -> String {
    hash_text(DELETED_FIELD)
}

/// A record as text, without its revision; one field is written below the others, as it is.
pub fn render_content(fields: &Map<String, Value>, body: &str) -> String {
    render(fields, body, None)
}

/// A record as the text of its file.
pub fn render_file(fields: &Map<String, Value>, body: &str, revision: u32) -> String {
    render(fields, body, (revision != version(fields)).then_some(revision))
}

/// The text of the file of a deleted record.
pub fn tombstone(revision: u32) -> String {
    format!("{DELETED_FIELD}: true\n{REVISION_FIELD}: {revision}\n---\n\n")
}

/// Whether a file that cairn wrote is the one of a deleted record.
pub fn is_tombstone(text: &str) -> bool {
    text.starts_with(DELETED_FIELD) && parse_file(text, "").is_ok_and(|file| file.record.is_none())
}

fn render(fields: &Map<String, Value>, body: &str, revision: Option<u32>) -> String {
    let said = fields.get(body).and_then(Value::as_str).unwrap_or_default();
    let own = fields.iter().filter(|(name, _)| *name != body);
    let mut head: BTreeMap<&str, String> =
        own.map(|(name, value)| (name.as_str(), value.to_string())).collect();
    head.extend(revision.map(|revision| (REVISION_FIELD, revision.to_string())));
    head.extend(has_conflict_markers(said).then(|| (QUOTED_MARKERS_FIELD, "true".to_owned())));
    let head: String = head.iter().map(|(name, value)| format!("{name}: {value}\n")).collect();
    format!("{head}---\n{said}\n")
}

/// Reads a shared file, or says why it is not a record.
pub fn parse_file(text: &str, body: &str) -> Result<SharedFile, String> {
    let mut fields = parse_fields(text, body).ok_or_else(|| match has_conflict_markers(text) {
        true => "it has conflict markers".to_owned(),
        false => "it is not a record".to_owned(),
    })?;
    let quotes = fields.remove(QUOTED_MARKERS_FIELD).is_some();
    let said = fields.get(body).and_then(Value::as_str).unwrap_or_default();
    if !quotes && has_conflict_markers(said) {
        return Err("it has conflict markers".into());
    }
    let revision = match fields.remove(REVISION_FIELD) {
        Some(value) => {
            let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
            number.ok_or("its revision is not a number")?
        }
        None => version(&fields),
    };
    let is_deleted = fields.remove(DELETED_FIELD) == Some(Value::Bool(true));
    Ok(SharedFile { revision, record: (!is_deleted).then_some(fields) })
}

/// The record's own version; 1 if it has none.
fn version(fields: &Map<String, Value>) -> u32 {
    let version = fields.get("version").and_then(Value::as_u64);
    version.and_then(|version| u32::try_from(version).ok()).unwrap_or(1)
}

/// Whether a text has conflict markers of git.
fn has_conflict_markers(text: &str) -> bool {
    let mut lines = text.lines();
    let mut follows = |marker: &str| {
        lines.any(|line| {
            let rest = line.strip_prefix(marker);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        })
    };
    follows("<<<<<<<") && follows("=======") && follows(">>>>>>>")
}

/// The fields of a file.
fn parse_fields(text: &str, body: &str) -> Option<Map<String, Value>> {
    // cairn writes no carriage returns. If the first line ends with one, git has added one to every
    // line.
    let first = text.find('\n')?;
    let text = match text[..first].ends_with('\r') {
        true => Cow::Owned(text.replace("\r\n", "\n")),
        false => Cow::Borrowed(text),
    };
    let (head, said) = text.split_once("\n---\n")?;
    let mut fields = Map::new();
    for line in head.lines() {
        let (name, value) = line.split_once(": ")?;
        fields.insert(name.to_owned(), serde_json::from_str(value).ok()?);
    }
    fields.insert(body.to_owned(), said.strip_suffix('\n').unwrap_or(said).into());
    Some(fields)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn record(text: &str) -> Option<Map<String, Value>> {
        parse_file(text, "body text").ok()?.record
    }

    #[test]
    fn the_file_of_a_deleted_record_says_only_that() {
        let text = tombstone(7);
        assert_eq!(text, "deleted: true\nrevision: 7\n---\n\n");
        assert_eq!(parse_file(&text, "x"), Ok(SharedFile { revision: 7, record: None }));
    }

    #[test]
    fn a_revision_is_written_where_it_is_not_the_version() {
        let Value::Object(fields) = json!({"version": 3, "text": "a"}) else { unreachable!() };
        assert_eq!(render_file(&fields, "text", 3), "version: 3\n---\na\n");
        let text = render_file(&fields, "text", 5);
        assert_eq!(text, "revision: 5\nversion: 3\n---\na\n");
        assert_eq!(parse_file(&text, "text"), Ok(SharedFile { revision: 5, record: Some(fields) }));
    }

    #[test]
    fn conflict_markers_are_told_wherever_they_are() {
        let (start, middle, end) = ("<<<<<<< HEAD\n", "=======\n", ">>>>>>> main\n");
        let head = format!("{start}version: 2\n{middle}version: 3\n{end}---\na\n");
        let body = format!("version: 2\n---\n{start}a\n{middle}b\n{end}");
        for text in [head, body] {
            assert_eq!(parse_file(&text, "text"), Err("it has conflict markers".into()), "{text}");
        }
        assert_eq!(parse_file("odd", "text"), Err("it is not a record".into()));
        // Knowledge about conflict markers is still knowledge.
        let quoted = format!("{start}a\n{middle}b\n{end}");
        let Value::Object(fields) = json!({"version": 1, "text": quoted}) else { unreachable!() };
        assert_eq!(
            parse_file(&render_file(&fields, "text", 1), "text").unwrap().record,
            Some(fields)
        );
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            names in proptest::collection::btree_map("[a-z_]{1,6}", ".*", 1..6),
            body in "([^\r]|\n)*",
            odd in "(\r|\n|x)*",
            revision in 0_u32..9,
        ) {
            let mut fields: Map<String, Value> =
                names.into_iter().map(|(name, value)| (name, json!(value))).collect();
            fields.insert("body text".into(), json!(body));
            let written = render_file(&fields, "body text", revision);
            prop_assert_eq!(record(&written), Some(fields.clone()));
            prop_assert_eq!(parse_file(&written, "body text").unwrap().revision, revision);
            let with_returns = written.replace('\n', "\r\n");
            prop_assert_eq!(record(&with_returns), Some(fields.clone()));
            fields.insert("body text".into(), json!(odd));
            prop_assert_eq!(record(&render_file(&fields, "body text", revision)), Some(fields));
        }
    }
}
