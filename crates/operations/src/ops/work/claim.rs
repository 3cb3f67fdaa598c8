//! `work.claim`: claims a task, so that nobody else takes it.

use base::Result;
use base::moment::to_the_second;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::claim::{ClaimRequest, ClaimScope, claim, release};
use work::record::{Task, TaskClaim as Lease};
use work::words::WorkPriority;
use work::{WorkItem, WorkRecordRef};

use super::record::line;
use engine::areas::work::plan;
use engine::contract::args::number_type;
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::contract::page::{Page, Render};
use engine::plan::Plan;
use engine::view::View;

number_type!(
    /// How long a claim holds unless it is renewed, in minutes.
    ClaimMinutes, 1..=10_080, default 60
);

/// Claim a task, or the next one that is free, so that nobody else takes it
///
/// The claim expires; claiming again renews it.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Task to claim; the next one that is ready if left out
    #[serde(default, alias = "id", alias = "task_id")]
    pub task: Option<WorkRecordRef>,
    /// Only tasks of this project
    #[arg(long)]
    #[serde(default, alias = "project_id")]
    pub project: Option<WorkRecordRef>,
    /// Only tasks of this feature
    #[arg(long)]
    #[serde(default, alias = "feature_id")]
    pub feature: Option<WorkRecordRef>,
    /// Only tasks with this priority
    #[arg(long)]
    #[serde(default)]
    pub priority: Option<WorkPriority>,
    /// Duration of the claim, in minutes
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub minutes: ClaimMinutes,
    /// Release the claim on the task
    #[arg(long, requires = "task")]
    #[serde(default)]
    pub release: bool,
    /// Take over the named task from another session; the history records it
    #[arg(long, requires = "task", conflicts_with = "release")]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub steal: bool,
}

/// A task and its claim
#[derive(Debug, Serialize, JsonSchema)]
pub struct ClaimAnswer {
    /// The task
    pub task: Task,
    /// The claim, or the one that was released
    pub claim: Lease,
    /// Whether it was released
    pub released: bool,
}

impl Mutation for Claim {
    const NAME: &'static str = "work.claim";
    const EFFECT: Effect = Effect::ADDS;
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "", shows: "the next free task, claimed" },
        OpExample { args: "task:019b7d2f-1a2b --release", shows: "a task released" },
    ];
    type Answer = ClaimAnswer;

    fn plan(self, view: &View) -> Result<Plan<ClaimAnswer>> {
        let told = |done: &ClaimAnswer| format!("claim task \"{}\"", done.task.title);
        plan(view, told, |draft| {
            let (task, claim) = match (&self.task, self.release) {
                (Some(task), true) => release(draft, task)?,
                (task, _) => {
                    let scope = ClaimScope {
                        project: self.project.as_ref(),
                        feature: self.feature.as_ref(),
                        priority: self.priority,
                    };
                    let (task, minutes) = (task.as_ref(), self.minutes.into());
                    claim(draft, ClaimRequest { task, scope, minutes, steal: self.steal })?
                }
            };
            Ok(ClaimAnswer { task, claim, released: self.release })
        })
    }
}

impl Render for ClaimAnswer {
    fn render(&self, page: &mut Page) {
        let line = line(&WorkItem::Task(self.task.clone()));
        if self.released {
            page.answer(format!("Released: {line}"));
            return;
        }
        page.answer(format!("Claimed until {}: {line}", to_the_second(&self.claim.until)));
        let key = WorkItem::Task(self.task.clone()).key();
        page.say(format!("Add the trailer  Task: {key}  to its commits"));
    }
}
