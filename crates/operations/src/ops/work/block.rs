//! `work.block`: blocks a feature or task.

use base::words::counted;
use base::{Problem, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::VersionedRef;
use work::WorkRecordRef;
use work::dependencies::{BlockerRef, DependencyView, block};
use work::text::{ListArg, SummaryText};
use work::words::WorkKind;

use engine::areas::work::plan;
use engine::contract::alias::OpAlias;
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::contract::page::{Page, Render};
use engine::plan::Plan;
use engine::view::View;

/// Block a feature or task, by other work or, with `NO_OP`, by a reason alone
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// Id, its first digits, a name or a handle of what is blocked
    pub id: WorkRecordRef,
    /// Ids of the work that blocks it, or `NO_OP`
    #[arg(long)]
    pub blocked_by: ListArg<BlockerRef>,
    /// Why it is blocked
    #[arg(long)]
    #[serde(default, alias = "blocked_reason")]
    pub reason: Option<SummaryText>,
    /// Whether the id is of a feature or a task
    #[arg(long)]
    #[serde(default, alias = "container_type")]
    #[schemars(extend("x-rare" = true))]
    pub kind: Option<WorkKind>,
    /// Version you last read; refused if it has changed since
    #[arg(long)]
    #[serde(default)]
    pub version: Option<u32>,
}

/// The blocks that were added
#[derive(Debug, Serialize, JsonSchema)]
pub struct BlockAnswer {
    /// The blocks
    pub blocks: Vec<DependencyView>,
}

impl Mutation for Block {
    const NAME: &'static str = "work.block";
    const EFFECT: Effect = Effect::ADDS;
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("block")];
    const EXAMPLES: &'static [OpExample] = &[OpExample {
        args: "task:019b7d2f-1a2b --blocked-by NO_OP --reason \"waits for the vendor\"",
        shows: "a task that waits for an outside party",
    }];
    type Answer = BlockAnswer;

    fn plan(self, view: &View) -> Result<Plan<BlockAnswer>> {
        if self.blocked_by.0.is_empty() {
            return Err(
                Problem::invalid("`blocked_by` is empty").hint("name what blocks it, or NO_OP")
            );
        }
        let reason = self.reason.as_ref().map_or("", SummaryText::as_str).trim();
        plan(
            view,
            |_| format!("block {}", self.id),
            |draft| {
                let target = VersionedRef { id: &self.id, version: self.version };
                Ok(BlockAnswer { blocks: block(draft, target, &self.blocked_by.0, reason)? })
            },
        )
    }
}

impl Render for BlockAnswer {
    fn render(&self, page: &mut Page) {
        page.answer(format!("Added {}", counted(self.blocks.len(), "block")));
        self.blocks.iter().for_each(|tie| super::dependencies::render_dependency(page, tie));
    }
}
