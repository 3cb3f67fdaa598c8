//! Records of a store as text files of the repository: how one is written and read back, and
//! what is to be done where the file and the store differ.
//!
//! A file has its fields as `name: JSON`, one a line, sorted, then `---`, then its long text as
//! it is. What both sides last agreed on is remembered as a hash of that text.

use std::borrow::Cow;
use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::Hash;

/// Below the repository's root.
pub const FOLDER: &str = ".cairn/shared";

/// Whose record stays where both sides changed it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Prefer {
    /// Neither: that is a conflict
    #[default]
    Neither,
    /// What is here
    Ours,
    /// What others wrote
    Theirs,
}

/// What merging the shared files did
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Merged {
    /// Records that were not here
    pub added: Vec<String>,
    /// Records that were older here
    pub updated: Vec<String>,
    /// Records that changed on both sides; neither was touched
    pub conflicts: Vec<String>,
    /// Records that were shared, are still here, and whose files are gone
    pub missing: Vec<String>,
    /// Files that could not be read as records
    pub unreadable: Vec<String>,
    /// The files that are records
    #[serde(skip)]
    pub records: BTreeSet<String>,
    /// The files of all that is to be settled first
    #[serde(skip)]
    pub unsettled: BTreeSet<String>,
}

impl Merged {
    /// Whether nothing had to be done or told.
    pub const fn is_nothing(&self) -> bool {
        self.added.is_empty()
            && self.updated.is_empty()
            && self.conflicts.is_empty()
            && self.missing.is_empty()
            && self.unreadable.is_empty()
    }

    /// What two stores did, as one.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.added.extend(other.added);
        self.updated.extend(other.updated);
        self.conflicts.extend(other.conflicts);
        self.missing.extend(other.missing);
        self.unreadable.extend(other.unreadable);
        self.records.extend(other.records);
        self.unsettled.extend(other.unsettled);
        self
    }

    /// Notes that a file is not a record of the store.
    pub fn refuse(&mut self, path: &str) {
        self.unreadable.push(path.to_owned());
        self.unsettled.insert(path.to_owned());
    }

    /// Notes that a record of the store was shared as a file that is gone. What others removed
    /// is not removed here by itself, and comes back only where that is wanted.
    pub fn miss(&mut self, path: String, handle: String, prefer: Prefer) {
        if prefer != Prefer::Ours {
            self.missing.push(handle);
            self.unsettled.insert(path);
        }
    }

    /// Decides about a record in a file, and notes it.
    pub fn settle(
        &mut self,
        (path, handle): (&str, String),
        sides: &Sides<'_>,
        prefer: Prefer,
    ) -> Verdict {
        let verdict = sides.verdict(prefer);
        self.records.insert(path.to_owned());
        match verdict {
            Verdict::Take if sides.ours.is_none() => self.added.push(handle),
            Verdict::Take => self.updated.push(handle),
            Verdict::Differ => {
                self.conflicts.push(handle);
                self.unsettled.insert(path.to_owned());
            }
            Verdict::Agree | Verdict::Keep => {}
        }
        verdict
    }
}

/// A record as text, and how often it was changed.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// All that it says
    pub text: &'a str,
    /// Its version
    pub version: u32,
}

/// A record in the store and in a file.
#[derive(Debug, Clone, Copy)]
pub struct Sides<'a> {
    /// In the store, if it is there
    pub ours: Option<Side<'a>>,
    /// In the file
    pub theirs: Side<'a>,
    /// The hash of what both last said, if they ever said the same
    pub agreed: Option<&'a str>,
}

/// What is to be done about a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Both say the same, or are to count as if they did: the file's hash is what was agreed on
    Agree,
    /// Only ours changed, or was removed: nothing
    Keep,
    /// The file's goes into the store
    Take,
    /// Both changed: nothing, and it is told
    Differ,
}

impl Sides<'_> {
    fn verdict(&self, prefer: Prefer) -> Verdict {
        let theirs = hash(self.theirs.text);
        let they_changed = self.agreed != Some(theirs.as_str());
        match (self.ours, self.agreed) {
            (Some(ours), _) if ours.text == self.theirs.text => Verdict::Agree,
            _ if !they_changed => Verdict::Keep,
            (None, None) => Verdict::Take,
            (Some(ours), Some(agreed)) if agreed == hash(ours.text) => Verdict::Take,
            // Without a time of agreement the versions decide, and only when they differ.
            (Some(ours), None) if self.theirs.version > ours.version => Verdict::Take,
            (Some(ours), None) if self.theirs.version < ours.version => Verdict::Keep,
            _ => match prefer {
                Prefer::Neither => Verdict::Differ,
                Prefer::Ours => Verdict::Agree,
                Prefer::Theirs => Verdict::Take,
            },
        }
    }
}

/// A text in a word, to know it again.
pub fn hash(text: &str) -> String {
    Hash::of(text.as_bytes()).short()
}

/// A record as text; one field is written below the others, as it is.
pub fn text(fields: &Map<String, Value>, body: &str) -> String {
    let mut names: Vec<&String> = fields.keys().filter(|key| *key != body).collect();
    names.sort();
    let head: String = names.iter().map(|name| format!("{name}: {}\n", fields[*name])).collect();
    let said = fields.get(body).and_then(Value::as_str).unwrap_or_default();
    format!("{head}---\n{said}\n")
}

/// A record from its text.
pub fn parse(text: &str, body: &str) -> Option<Map<String, Value>> {
    // Only git puts a return at the end of the first line: then it put one at every end.
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

    const fn side(text: &str, version: u32) -> Side<'_> {
        Side { text, version }
    }

    #[test]
    fn the_side_that_changed_alone_wins_and_two_changes_are_a_conflict() {
        let agreed = hash("old");
        let agreed = Some(agreed.as_str());
        for (ours, theirs, agreed, verdict) in [
            (None, side("new", 1), None, Verdict::Take),
            (Some(side("same", 1)), side("same", 1), None, Verdict::Agree),
            (Some(side("old", 1)), side("new", 2), agreed, Verdict::Take),
            (Some(side("new", 2)), side("old", 1), agreed, Verdict::Keep),
            (None, side("old", 1), agreed, Verdict::Keep),
            (None, side("new", 2), agreed, Verdict::Differ),
            (Some(side("mine", 2)), side("new", 2), agreed, Verdict::Differ),
            (Some(side("mine", 2)), side("new", 3), None, Verdict::Take),
            (Some(side("mine", 4)), side("new", 3), None, Verdict::Keep),
            (Some(side("mine", 3)), side("new", 3), None, Verdict::Differ),
        ] {
            let sides = Sides { ours, theirs, agreed };
            assert_eq!(sides.verdict(Prefer::Neither), verdict, "{sides:?}");
            let settled = sides.verdict(Prefer::Theirs);
            assert_eq!(
                settled == Verdict::Take,
                matches!(verdict, Verdict::Take | Verdict::Differ)
            );
            assert_ne!(sides.verdict(Prefer::Ours), Verdict::Differ);
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            names in proptest::collection::btree_map("[a-z_]{1,8}", ".*", 1..6),
            body in "([^\r]|\n)*",
            odd in "(\r|\n|x)*",
        ) {
            let mut fields: Map<String, Value> =
                names.into_iter().map(|(name, value)| (name, json!(value))).collect();
            fields.insert("body text".into(), json!(body));
            let written = text(&fields, "body text");
            prop_assert_eq!(parse(&written, "body text"), Some(fields.clone()));
            let with_returns = written.replace('\n', "\r\n");
            prop_assert_eq!(parse(&with_returns, "body text"), Some(fields.clone()));
            fields.insert("body text".into(), json!(odd));
            prop_assert_eq!(parse(&text(&fields, "body text"), "body text"), Some(fields));
        }
    }
}
