//! Plans a changeset: checks it against the knowledge base and says what it would change.

use std::sync::Arc;

use base::Result;
use kb::{Changeset, ChangesetContext, ChangesetFault, KbRowChange, PlannedChangeset};

use super::answer_rows::KbChangeAnswer;
use super::{KbChange, KbChangeKind, STORE, current_stamp, external_names};
use crate::plan::{Plan, PlannedChange};
use crate::view::View;

/// A changeset as a caller sent it, with its parts that could not be read.
#[derive(Debug, Default)]
pub struct ParsedChangeset {
    /// What could be read
    pub set: Changeset,
    /// What could not; any fault refuses the whole changeset
    pub faults: Vec<ChangesetFault>,
}

impl From<Changeset> for ParsedChangeset {
    /// A changeset that was not read from text has no faults.
    fn from(set: Changeset) -> Self {
        Self { set, faults: Vec::new() }
    }
}

/// How an operation names its change.
#[derive(Debug, Clone, Copy)]
pub struct ChangeLabel {
    /// The name in the audit log, such as `upsert`
    pub action: &'static str,
    /// The verb in the answer, such as `wrote`
    pub verb: &'static str,
}

/// Plans to apply a changeset.
pub fn plan_changeset(
    view: &View,
    changeset: ParsedChangeset,
    label: ChangeLabel,
) -> Result<Plan<KbChangeAnswer>> {
    let ParsedChangeset { set, faults } = changeset;
    let ChangeLabel { action, verb } = label;
    let (external, stamp) = (external_names(view, &set)?, current_stamp(view));
    let conn = view.store(STORE)?.map(|reading| &*reading.conn);
    let context = ChangesetContext { conn, external: &external };
    let plan = match kb::plan_changeset(context, &set, faults, action, &stamp)? {
        PlannedChangeset::AlreadyApplied(entry) => {
            return Ok(Plan::nothing(KbChangeAnswer::of_logged(&entry)));
        }
        PlannedChangeset::Plan(plan) => plan,
    };
    let edits: Vec<KbRowChange> = plan.row_changes().cloned().collect();
    let answer = KbChangeAnswer::of(verb, &edits);
    if plan.is_empty() {
        return Ok(Plan::nothing(answer));
    }
    let summary = match edits.as_slice() {
        [] => format!("{action}: nothing"),
        [only] => format!("{action}: {}", only.describe()),
        [first, rest @ ..] => format!("{action}: {} and {} more", first.describe(), rest.len()),
    };
    let preview = answer.preview();
    let kind = KbChangeKind::Apply(plan);
    let change = KbChange { kind, author: Some(stamp), preview };
    Ok(Plan {
        summary,
        change: PlannedChange::Store(Arc::new(change)),
        answer,
        retry_on_conflict: true,
    })
}
