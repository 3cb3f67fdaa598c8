//! Blocks between features and tasks, as work is closed and reopened.
//!
//! A block stays in the store when its blocker is closed. It counts only while the blocker is not
//! closed and the blocked work is not finished, so reopening the blocker blocks again.

use base::Result;
use schemars::JsonSchema;
use serde::Serialize;

use crate::container::{WorkItem, WorkItemBrief, blockers};
use crate::dependencies::waits_for;
use crate::draft::WorkDraft;
use crate::id::WorkRecordId;
use crate::record::Dependency;
use crate::words::{DependencyKind, WorkStatus};

/// A feature or task from which a block was removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnblockedWork {
    /// The feature or task
    #[serde(flatten)]
    pub what: WorkItemBrief,
    /// How many blocks are left
    pub still_blocked_by: usize,
}

/// The effect of reopening work on its blocks.
#[derive(Debug, Default)]
pub(crate) struct RestoredBlocks {
    /// The work that it blocks again
    pub blocked: Vec<WorkItemBrief>,
    /// The work that it no longer blocks, because the block would now be part of a cycle
    pub dropped: Vec<WorkItemBrief>,
}

/// The open work that closed work no longer blocks.
pub(crate) fn unblocked_by_closing(
    draft: &WorkDraft<'_>,
    id: &WorkRecordId,
) -> Result<Vec<UnblockedWork>> {
    let mut freed = Vec::new();
    for (_, blocked) in blocked_by(draft, id)? {
        let still_blocked_by = blockers(draft, blocked.id())?.len();
        freed.push(UnblockedWork { what: blocked.brief(), still_blocked_by });
    }
    Ok(freed)
}

/// The open work that waits for a feature or task.
pub(crate) fn waiting_work(draft: &WorkDraft<'_>, id: &WorkRecordId) -> Result<Vec<WorkItemBrief>> {
    Ok(blocked_by(draft, id)?.iter().map(|(_, blocked)| blocked.brief()).collect())
}

/// Deletes the blocks by a feature or task. Returns the work that they blocked.
pub(crate) fn delete(draft: &mut WorkDraft<'_>, id: &WorkRecordId) -> Result<Vec<UnblockedWork>> {
    let was_closed = WorkItem::of_id(draft, id)?.and_then(|work| work.status());
    let blocked = blocked_by(draft, id)?;
    for (block, _) in &blocked {
        draft.delete::<Dependency>(&block.id)?;
    }
    if was_closed == Some(WorkStatus::Closed) {
        return Ok(Vec::new());
    }
    let mut freed = Vec::new();
    for (_, blocked) in blocked {
        let still_blocked_by = blockers(draft, blocked.id())?.len();
        freed.push(UnblockedWork { what: blocked.brief(), still_blocked_by });
    }
    Ok(freed)
}

/// Activates the blocks by reopened work again. A block that would now close a cycle is deleted
/// instead.
pub(crate) fn restore(draft: &mut WorkDraft<'_>, id: &WorkRecordId) -> Result<RestoredBlocks> {
    let mut restored = RestoredBlocks::default();
    let own = draft.list::<Dependency>("to_id", id)?;
    for block in own.into_iter().filter(|block| block.relation == DependencyKind::Blocks) {
        let Some(from) = &block.from_id else { continue };
        if waits_for(draft, from, id)? {
            draft.delete::<Dependency>(&block.id)?;
        }
    }
    for (block, blocked) in blocked_by(draft, id)? {
        if waits_for(draft, id, blocked.id())? {
            draft.delete::<Dependency>(&block.id)?;
            restored.dropped.push(blocked.brief());
        } else {
            restored.blocked.push(blocked.brief());
        }
    }
    Ok(restored)
}

/// The blocks of open work by a feature or task, whether they are active or not.
fn blocked_by(draft: &WorkDraft<'_>, id: &WorkRecordId) -> Result<Vec<(Dependency, WorkItem)>> {
    let mut found = Vec::new();
    for block in draft.list::<Dependency>("from_id", id)? {
        let blocked = WorkItem::of_id(draft, &block.to_id)?;
        let open = blocked.filter(|work| work.status().is_some_and(|one| !one.is_terminal()));
        found.extend(
            open.filter(|_| block.relation == DependencyKind::Blocks).map(|one| (block, one)),
        );
    }
    Ok(found)
}
