//! Repairs references to moved or renamed things, where the new place is certain.
//!
//! `move_tracker` finds new places, and each other file finds and repairs one kind of stale
//! reference. A reference without a certain new place is listed with its candidates and not
//! changed.
//!
//! @see spec::cross/fix

mod atoms;
mod cards;
mod documents;
mod facts;
mod links;
mod move_tracker;
mod renamed;

use std::collections::BTreeMap;

use base::words::counted;
use base::{Hash, RepoPath, Result};
use schemars::JsonSchema;
use serde::Serialize;
use tree::FileEdit;

use engine::plan::{Plan, PlannedChange};
use engine::view::View;

use self::move_tracker::{MoveTracker, Relocation};

pub(crate) use self::renamed::renamed_references;

/// A reference to an old place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct StaleReference {
    /// Where it is written: a file with its line, or a handle
    pub place: String,
    /// What it names
    pub old: String,
    /// The new place; none if it is not certain
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<String>,
    /// How the new place is known, or why it is not
    pub because: String,
    /// Candidates for the new place
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
}

impl StaleReference {
    fn new(place: String, old: String, went: &Relocation) -> Self {
        let because = went.reason();
        match went {
            Relocation::Certain { .. } => {
                Self { place, old, new: Some(went.reference()), because, candidates: Vec::new() }
            }
            Relocation::Uncertain { candidates, .. } => {
                Self { place, old, new: None, because, candidates: candidates.clone() }
            }
        }
    }
}

/// The planned repairs of one store: files, facts or atoms.
pub(crate) type RepairPlan = Plan<Vec<StaleReference>>;

/// Repairs in files: cards, doc comments, documents, manifests.
pub(crate) fn repair_files(view: &View) -> Result<RepairPlan> {
    let trail = MoveTracker::new(view)?;
    let mut texts = PendingFileEdits { view, files: BTreeMap::new() };
    let mut stale = cards::repair(view, &trail, &mut texts)?;
    stale.extend(documents::repair(view, &trail, &mut texts)?);
    stale.extend(links::repair(view, &trail, &mut texts)?);
    stale.sort();
    stale.dedup();
    let edits = texts.edits();
    let summary = format!("repair references in {}", counted(edits.len(), "file"));
    let change =
        if edits.is_empty() { PlannedChange::Nothing } else { PlannedChange::Files(edits) };
    Ok(Plan { summary, change, answer: stale, retry_on_conflict: true })
}

/// Repairs of facts in the branch's knowledge base.
pub(crate) fn repair_facts(view: &View) -> Result<RepairPlan> {
    facts::repair(view, &MoveTracker::new(view)?)
}

/// Repairs of the paths of atoms.
pub(crate) fn repair_atoms(view: &View) -> Result<RepairPlan> {
    atoms::repair(view, &MoveTracker::new(view)?)
}

/// The files to change, each read once.
struct PendingFileEdits<'v> {
    view: &'v View<'v>,
    files: BTreeMap<RepoPath, (Hash, Vec<u8>, Vec<u8>)>,
}

impl PendingFileEdits<'_> {
    /// Changes the text of a file to what the closure returns.
    fn change(
        &mut self,
        path: &RepoPath,
        change: impl FnOnce(&[u8]) -> Option<Vec<u8>>,
    ) -> Result<bool> {
        if !self.files.contains_key(path) {
            let Some(blob) = self.view.tree().read(path)? else { return Ok(false) };
            self.files.insert(path.clone(), (blob.hash, blob.bytes.clone(), blob.bytes));
        }
        let Some((_, _, now)) = self.files.get_mut(path) else { return Ok(false) };
        let Some(new) = change(now) else { return Ok(false) };
        let differs = new != *now;
        *now = new;
        Ok(differs)
    }

    fn edits(self) -> Vec<FileEdit> {
        let changed = self.files.into_iter().filter(|(_, (_, before, now))| before != now);
        let edit = |(path, (hash, _, now)): (RepoPath, (Hash, Vec<u8>, Vec<u8>))| FileEdit {
            path,
            expected: Some(hash),
            content: Some(now),
        };
        changed.map(edit).collect()
    }
}

/// Replaces every occurrence of a name that is not part of a longer name; none if there is none.
fn replace_whole_name(text: &str, old: &str, new: &str) -> Option<String> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '/' | '#' | '.' | '-' | '~');
    let (mut out, mut rest, mut found) = (String::with_capacity(text.len()), text, false);
    while let Some(at) = rest.find(old) {
        let (before, after) = (&rest[..at], &rest[at + old.len()..]);
        let ends = after.trim_start_matches('.').is_empty() || !after.starts_with(is_part);
        out.push_str(before);
        if !before.ends_with(is_part) && ends {
            out.push_str(new);
            found = true;
        } else {
            out.push_str(old);
        }
        rest = after;
    }
    out.push_str(rest);
    found.then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_names_are_replaced() {
        let new = |text: &str| replace_whole_name(text, "src/a.ts#f", "src/b.ts#g");
        assert_eq!(new("code: src/a.ts#f\n").as_deref(), Some("code: src/b.ts#g\n"));
        assert_eq!(new("[\"symbol:src/a.ts#f\"]").as_deref(), Some("[\"symbol:src/b.ts#g\"]"));
        assert_eq!(new("src/a.ts#ff lib/src/a.ts#f src/a.ts#f.x"), None);
    }
}
