//! `work.advance`: moves a feature or task to its next state.

use base::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::pipeline::{TransitionTarget, advance};
use work::text::ListArg;
use work::words::{WorkKind, WorkStatus};
use work::{WorkItem, WorkRecordRef};

use super::evidence;
use super::hints::{GraphHints, hints};
use super::transition::TransitionAnswer;
use engine::areas::work::{pipelines, plan};
use engine::contract::alias::OpAlias;
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::contract::page::{Page, Render};
use engine::plan::Plan;
use engine::view::View;

/// Move a feature or task to its next state
///
/// Refused when blocked or finished. Closing unblocks what it blocked.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Advance {
    /// Id, its first digits, a name or a handle
    pub id: WorkRecordRef,
    /// Whether the id is of a feature or a task
    #[arg(long)]
    #[serde(default, alias = "container_type")]
    #[schemars(extend("x-rare" = true))]
    pub kind: Option<WorkKind>,
    /// Version you last read; refused if it has changed since
    #[arg(long)]
    #[serde(default)]
    pub version: Option<u32>,
    /// Evidence that a task is done, such as `tests: login.test.ts`
    #[arg(long)]
    #[serde(default)]
    pub evidence: Option<ListArg<String>>,
}

/// The transition, and what to record now
#[derive(Debug, Serialize, JsonSchema)]
pub struct AdvanceAnswer {
    /// The transition
    #[serde(flatten)]
    pub moved: TransitionAnswer,
    /// Atoms to update after this task
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph_hints: Option<GraphHints>,
}

impl Mutation for Advance {
    const NAME: &'static str = "work.advance";
    const EFFECT: Effect = Effect::OVERWRITES;
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("advance")];
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "task:019b7d2f-1a2b --version 3", shows: "a task in its next state" },
        OpExample {
            args: "task:019b7d2f-1a2b --evidence \"tests: login.test.ts\"",
            shows: "a task closed where the configuration asks for tests",
        },
    ];
    type Answer = AdvanceAnswer;

    fn plan(self, view: &View) -> Result<Plan<AdvanceAnswer>> {
        let pipelines = pipelines(view)?;
        let step = TransitionTarget { kind: self.kind, id: &self.id, version: self.version };
        let given = self.evidence.clone().unwrap_or_default();
        let told = |done: &AdvanceAnswer| {
            format!(
                "advance {} \"{}\" to {}",
                done.moved.0.what.kind, done.moved.0.what.name, done.moved.0.to
            )
        };
        plan(view, told, |draft| {
            let both = [WorkKind::Feature, WorkKind::Task];
            let task = match WorkItem::find(draft, &both, &self.id) {
                Ok(WorkItem::Task(task)) => Some(task),
                _ => None, // the steps below report what is wrong with it
            };
            let shown = match &task {
                Some(task) => evidence::read_evidence(view, draft, task, &given.0)?,
                None => evidence::no_evidence(&given.0)?,
            };
            let moved = advance(draft, &pipelines, &step, &shown.given)?;
            if moved.to == WorkStatus::Closed
                && let Some(task) = &task
            {
                evidence::check(view, &pipelines, task, &shown)?;
            }
            let is_finished = moved.to == WorkStatus::Closed;
            let graph_hints = match task.filter(|_| is_finished) {
                Some(task) => Some(hints(view, draft, &task)?),
                None => None,
            };
            Ok(AdvanceAnswer { moved: TransitionAnswer(moved), graph_hints })
        })
    }
}

impl Render for AdvanceAnswer {
    fn render(&self, page: &mut Page) {
        self.moved.render(page);
        if let Some(hints) = &self.graph_hints {
            hints.render(page);
        }
    }
}
