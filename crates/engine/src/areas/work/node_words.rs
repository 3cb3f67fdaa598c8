//! Projects, features and tasks in a list of nodes of every kind.

use base::entity::RecordKind;
use base::{EntityRef, Problem, Result};
use work::claim::active_claim;
use work::words::{WorkKind, WorkStatus};
use work::{WorkItem, WorkRecordId};

use super::read_store;
use crate::view::View;

/// What a list says about a project, feature or task besides its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkNodeWords {
    /// Its handle with its key, which is shorter than the one with its id
    pub handle: String,
    /// Its status, and who holds it or is to do it; empty for a project
    pub state: String,
}

/// The words about a node; `None` if it is no work.
pub fn work_node_words(view: &View, node: &EntityRef) -> Result<Option<WorkNodeWords>> {
    let EntityRef::Record(record, id) = node else { return Ok(None) };
    let kind = match record {
        RecordKind::Project => WorkKind::Project,
        RecordKind::Feature => WorkKind::Feature,
        RecordKind::Task => WorkKind::Task,
        RecordKind::Molecule | RecordKind::Atom => return Ok(None),
    };
    let id = WorkRecordId::try_from(id.to_string()).map_err(Problem::internal)?;
    read_store(view, |draft| {
        let Some(one) = WorkItem::get(draft, kind, &id)? else { return Ok(None) };
        let (assignee, holder) = match &one {
            WorkItem::Task(task) => {
                (task.assignee.clone(), active_claim(draft, task)?.map(|claim| claim.actor))
            }
            WorkItem::Feature(feature) => (feature.assignee.clone(), None),
            WorkItem::Project(_) => (None, None),
        };
        let status = one.status().map(WorkStatus::word).map(ToOwned::to_owned);
        let words = status
            .into_iter()
            .chain(holder.map(|actor| format!("held by {actor}")))
            .chain(assignee.map(|name| format!("for {name}")));
        let state = words.collect::<Vec<_>>().join(", ");
        Ok(Some(WorkNodeWords { handle: one.brief().handle(), state }))
    })
}
