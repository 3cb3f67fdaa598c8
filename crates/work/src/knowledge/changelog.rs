//! The changelog of atoms and molecules. Entries are appended and never changed.

use std::collections::BTreeMap;

use base::Result;
use schemars::JsonSchema;
use serde::Serialize;

use super::edit::find;
use crate::draft::WorkDraft;
use crate::id::{WorkRecordId, WorkRecordRef};
use crate::record::{ChangelogEntry, Task};
use crate::text::ChangelogSummary;
use crate::words::KnowledgeKind;

/// An entry as it appears in answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChangelogView {
    /// Its id
    pub id: WorkRecordId,
    /// The kind of the record
    pub parent_type: KnowledgeKind,
    /// The record that changed
    pub parent_id: WorkRecordId,
    /// The task that made the change
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<WorkRecordId>,
    /// What changed and why
    pub summary: String,
    /// When
    pub created_at: String,
}

impl ChangelogView {
    /// The handle of the task; empty if there is none.
    pub fn task(&self) -> String {
        self.task_id.as_ref().map(|task| format!("task:{}", task.short())).unwrap_or_default()
    }
}

/// Adds an entry.
pub fn append(
    draft: &mut WorkDraft<'_>,
    grain: Option<KnowledgeKind>,
    parent: &WorkRecordRef,
    task: Option<&WorkRecordRef>,
    summary: &ChangelogSummary,
) -> Result<ChangelogEntry> {
    let parent = find(draft, grain, parent)?;
    let task = task.map(|task| draft.find::<Task>(task)).transpose()?;
    let entry = ChangelogEntry {
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
pub fn of(draft: &WorkDraft<'_>, parent: &WorkRecordId) -> Result<Vec<ChangelogView>> {
    Ok(newest_first(draft.list::<ChangelogEntry>("parent_id", parent)?))
}

/// The entries of several records, each list newest first.
pub(super) fn of_all(
    draft: &WorkDraft<'_>,
    parents: &[&WorkRecordId],
) -> Result<BTreeMap<WorkRecordId, Vec<ChangelogView>>> {
    let mut entries: BTreeMap<WorkRecordId, Vec<ChangelogEntry>> = BTreeMap::new();
    for entry in draft.stored::<ChangelogEntry>("parent_id", parents)? {
        entries.entry(entry.parent_id.clone()).or_default().push(entry);
    }
    Ok(entries.into_iter().map(|(parent, entries)| (parent, newest_first(entries))).collect())
}

fn newest_first(mut entries: Vec<ChangelogEntry>) -> Vec<ChangelogView> {
    entries.sort_by(|a, b| (&b.created_at, &b.id).cmp(&(&a.created_at, &a.id)));
    let shown = |entry: ChangelogEntry| {
        let ChangelogEntry { id, parent_type, parent_id, task_id, summary, created_at } = entry;
        ChangelogView { id, parent_type, parent_id, task_id, summary, created_at }
    };
    entries.into_iter().map(shown).collect()
}
