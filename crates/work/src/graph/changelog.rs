//! The history of atoms and molecules: appended to, never changed.

use std::collections::BTreeMap;

use base::Result;
use schemars::JsonSchema;
use serde::Serialize;

use super::edit::find;
use crate::draft::Draft;
use crate::id::{Id, Ref};
use crate::record::{Entry, Task};
use crate::text::Said;
use crate::words::Grain;

/// An entry as answers show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Change {
    /// Its id
    pub id: Id,
    /// What kind of record it is about
    pub parent_type: Grain,
    /// The record it is about
    pub parent_id: Id,
    /// The task in which it happened
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<Id>,
    /// What changed and why
    pub summary: String,
    /// When
    pub created_at: String,
}

impl Change {
    /// The task in which it happened, as the next call takes it; empty if none was given.
    pub fn task(&self) -> String {
        self.task_id.as_ref().map(|task| format!("task:{}", task.short())).unwrap_or_default()
    }
}

/// Adds an entry.
pub fn append(
    draft: &mut Draft<'_>,
    (grain, parent): (Option<Grain>, &Ref),
    task: Option<&Ref>,
    summary: &Said,
) -> Result<Entry> {
    let parent = find(draft, grain, parent)?;
    let task = task.map(|task| draft.find::<Task>(task)).transpose()?;
    let entry = Entry {
        id: draft.new_id(),
        parent_type: parent.grain(),
        parent_id: parent.id().clone(),
        task_id: task.map(|task| task.id),
        summary: summary.as_str().trim().into(),
        created_at: draft.stamp(),
    };
    draft.put(&entry)?;
    Ok(entry)
}

/// The entries of an atom or molecule, newest first.
pub fn of(draft: &Draft<'_>, parent: &Id) -> Result<Vec<Change>> {
    Ok(newest_first(draft.list::<Entry>("parent_id", parent)?))
}

/// The entries of many, each newest first.
pub(super) fn of_all(draft: &Draft<'_>, parents: &[&Id]) -> Result<BTreeMap<Id, Vec<Change>>> {
    let mut entries: BTreeMap<Id, Vec<Entry>> = BTreeMap::new();
    for entry in draft.stored::<Entry>("parent_id", parents)? {
        entries.entry(entry.parent_id.clone()).or_default().push(entry);
    }
    Ok(entries.into_iter().map(|(parent, entries)| (parent, newest_first(entries))).collect())
}

fn newest_first(mut entries: Vec<Entry>) -> Vec<Change> {
    entries.sort_by(|a, b| (&b.created_at, &b.id).cmp(&(&a.created_at, &a.id)));
    let shown = |entry: Entry| {
        let Entry { id, parent_type, parent_id, task_id, summary, created_at } = entry;
        Change { id, parent_type, parent_id, task_id, summary, created_at }
    };
    entries.into_iter().map(shown).collect()
}
