//! `work.block`: blocks a feature or task.

use base::words::counted;
use base::{Problem, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::VersionedRef;
use work::dependencies::{BlockerRef, DependencyView, block};
use work::start::held_or_named;
use work::text::{ListArg, SummaryText};
use work::words::WorkKind;
use work::{WorkItem, WorkRecordRef};

use super::start::StartAnswer;
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
    /// Id, its first digits, a name or a handle of what is blocked; the task you hold if left out
    #[serde(default)]
    pub id: Option<WorkRecordRef>,
    /// Ids of the work that blocks it, or `NO_OP` for a reason alone; `NO_OP` if left out
    #[arg(long)]
    #[serde(default)]
    pub blocked_by: Option<ListArg<BlockerRef>>,
    /// Why it is blocked
    #[arg(long)]
    #[serde(default, alias = "blocked_reason")]
    pub reason: Option<SummaryText>,
    /// Whether the id is of a feature or a task
    #[arg(long)]
    #[serde(default, alias = "container_type")]
    #[schemars(extend("x-rare" = true))]
    pub kind: Option<WorkKind>,
    /// Start the next task too, as `work start` does
    #[arg(long)]
    #[serde(default)]
    pub next: bool,
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
    /// The next task, if it was to be started and one was ready
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started: Option<Box<StartAnswer>>,
    #[serde(skip)]
    wants_next: bool,
}

impl Mutation for Block {
    const NAME: &'static str = "work.block";
    const EFFECT: Effect = Effect::ADDS;
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("block")];
    const EXAMPLES: &'static [OpExample] = &[
        OpExample {
            args: "--reason \"Which separator?\" --next",
            shows: "the task you hold put aside with a question, and the next one started",
        },
        OpExample {
            args: "task:019b7d2f-1a2b --blocked-by NO_OP --reason \"waits for the vendor\"",
            shows: "a task that waits for an outside party",
        },
    ];
    type Answer = BlockAnswer;

    fn plan(self, view: &View) -> Result<Plan<BlockAnswer>> {
        let by = self.blocked_by.clone().map_or(vec![BlockerRef::NoOp], |by| by.0);
        if by.is_empty() {
            return Err(
                Problem::invalid("`blocked_by` is empty").hint("name what blocks it, or NO_OP")
            );
        }
        let reason = self.reason.as_ref().map_or("", SummaryText::as_str).trim();
        let told = |done: &BlockAnswer| {
            format!("block \"{}\"", done.blocks.first().map_or("", |tie| tie.to.name.as_str()))
        };
        plan(view, told, |draft| {
            let id = match &self.id {
                Some(id) => id.clone(),
                None => WorkRecordRef::from(&held_or_named(draft, None)?.id),
            };
            let target = VersionedRef { id: &id, version: self.version };
            let blocks = block(draft, target, &by, reason)?;
            let started = match blocks.first().filter(|_| self.next) {
                Some(tie) => {
                    let item = WorkItem::of_id(draft, &tie.to.id)?;
                    let project = item.map(|item| item.project_id().clone());
                    let project = project.ok_or_else(|| Problem::internal("no blocked work"))?;
                    StartAnswer::after(view, draft, &project, &[])?
                }
                None => None,
            };
            Ok(BlockAnswer { blocks, started, wants_next: self.next })
        })
    }
}

impl Render for BlockAnswer {
    fn render(&self, page: &mut Page) {
        page.answer(format!("Added {}", counted(self.blocks.len(), "block")));
        self.blocks.iter().for_each(|tie| super::dependencies::render_dependency(page, tie));
        if let Some(started) = &self.started {
            page.blank();
            started.render_task(page);
        } else if self.wants_next {
            page.say("Next: no task is ready to start");
        }
    }
}
