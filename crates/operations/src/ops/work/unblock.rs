//! `work.unblock`: removes blocks from a feature or task.

use base::Result;
use base::words::counted;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::container::WorkItemBrief;
use work::dependencies::{BlockerRef, DependencyView, RemovedBlocks, unblock};
use work::events::comment;
use work::text::{ChangelogSummary, ListArg};
use work::words::WorkKind;
use work::{VersionedRef, WorkItem, WorkRecordRef};

use engine::areas::work::plan;
use engine::contract::alias::OpAlias;
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::contract::page::{Page, Render};
use engine::plan::Plan;
use engine::view::View;

/// Remove blocks from a feature or task: some, or all
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Unblock {
    /// Id, its first digits, a name or a handle of what is blocked
    pub id: WorkRecordRef,
    /// Ids of the work that no longer blocks it, or `NO_OP`; all if left out
    #[arg(long)]
    #[serde(default)]
    pub blocked_by: Option<ListArg<BlockerRef>>,
    /// Whether the id is of a feature or a task
    #[arg(long)]
    #[serde(default, alias = "container_type")]
    #[schemars(extend("x-rare" = true))]
    pub kind: Option<WorkKind>,
    /// Comment to add, such as the answer that was waited for
    #[arg(long, allow_hyphen_values = true)]
    #[serde(default)]
    pub comment: Option<ChangelogSummary>,
    /// Version you last read; refused if it has changed since
    #[arg(long)]
    #[serde(default)]
    pub version: Option<u32>,
}

/// The blocks that were removed
#[derive(Debug, Serialize, JsonSchema)]
pub struct UnblockAnswer {
    /// The feature or task
    #[serde(flatten)]
    pub what: WorkItemBrief,
    /// The blocks that were removed
    pub removed: Vec<DependencyView>,
    /// How many are left
    pub still_blocked_by: usize,
}

impl Mutation for Unblock {
    const NAME: &'static str = "work.unblock";
    const EFFECT: Effect = Effect::OVERWRITES;
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("unblock")];
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "task:019b7d2f-1a2b", shows: "a task without any blocks" }];
    type Answer = UnblockAnswer;

    fn plan(self, view: &View) -> Result<Plan<UnblockAnswer>> {
        let by = self.blocked_by.as_ref().map_or(&[][..], |many| &many.0);
        plan(
            view,
            |_| format!("unblock {}", self.id),
            |draft| {
                let target = VersionedRef { id: &self.id, version: self.version };
                let RemovedBlocks { item, removed, remaining } = unblock(draft, target, by)?;
                if let (Some(text), Some(item)) = (&self.comment, WorkItem::of_id(draft, &item.id)?)
                {
                    comment(draft, &item, text)?;
                }
                Ok(UnblockAnswer { what: item, removed, still_blocked_by: remaining })
            },
        )
    }
}

impl Render for UnblockAnswer {
    fn render(&self, page: &mut Page) {
        page.answer(format!(
            "Removed {} from {} \"{}\", {} left    {}",
            counted(self.removed.len(), "block"),
            self.what.kind,
            self.what.name,
            self.still_blocked_by,
            self.what.handle()
        ));
    }
}
