//! `work.state`: the state of a feature or task, and its possible transitions.

use base::Result;
use base::moment::to_the_second;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::claim::active_claim;
use work::container::{WorkItemBrief, blockers};
use work::pipeline::PipelinePosition;
use work::record::TaskClaim;
use work::words::{WorkKind, WorkStatus};
use work::{WorkItem, WorkRecordRef};

use engine::areas::work::{pipelines, read_store};
use engine::contract::alias::OpAlias;
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, Render};
use engine::view::View;

/// Show the state of a feature or task, and what blocks it
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// Id, its first digits, a name or a handle
    pub id: WorkRecordRef,
    /// Whether the id is of a feature or a task
    #[arg(long)]
    #[serde(default, alias = "container_type")]
    #[schemars(extend("x-rare" = true))]
    pub kind: Option<WorkKind>,
}

/// The state of a feature or task
#[derive(Debug, Serialize, JsonSchema)]
pub struct StateAnswer {
    /// The feature or task
    #[serde(flatten)]
    pub what: WorkItemBrief,
    /// Its version
    pub version: u32,
    /// Position of the state among all states
    pub position: PipelinePosition,
    /// Whether the state is final
    pub is_terminal: bool,
    /// Whether it is blocked
    pub is_blocked: bool,
    /// What blocks it
    pub blocked_by: Vec<WorkBlocker>,
    /// Its claim
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<TaskClaim>,
    /// Operations that are possible now
    pub allowed: Vec<&'static str>,
}

/// Something that blocks work
#[derive(Debug, Serialize, JsonSchema)]
pub struct WorkBlocker {
    /// The blocking work; absent if it is blocked only by a reason
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<WorkItemBrief>,
    /// Why
    pub reason: String,
}

impl Query for State {
    const NAME: &'static str = "work.state";
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("query_workflow_state")];
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "task:019b7d2f-1a2b", shows: "its state, its blocks, its next step" }];
    type Answer = StateAnswer;

    fn run(self, view: &View) -> Result<StateAnswer> {
        let pipelines = pipelines(view)?;
        read_store(view, |draft| {
            let both = [WorkKind::Feature, WorkKind::Task];
            let kinds = self.kind.map_or(both.to_vec(), |kind| vec![kind]);
            let one = WorkItem::find(draft, &kinds, &self.id)?;
            let status = one.status().unwrap_or(WorkStatus::New);
            let blocked_by: Vec<WorkBlocker> = blockers(draft, one.id())?
                .into_iter()
                .map(|(block, by)| WorkBlocker { by, reason: block.reason })
                .collect();
            let claim = match &one {
                WorkItem::Task(task) => active_claim(draft, task)?,
                _ => None,
            };
            let can = |word, is: bool| is.then_some(word);
            let open = !status.is_terminal();
            let position = pipelines.position(one.kind(), status);
            // A status that is no longer in the pipeline has no next one; only `revert` leads out
            // of it.
            let has_next = position.next.is_some();
            let allowed = [
                can("advance", open && has_next && blocked_by.is_empty()),
                can("revert", status != WorkStatus::New && status != WorkStatus::WillNotImplement),
                can("terminate", open),
                can("unblock", !blocked_by.is_empty()),
            ];
            Ok(StateAnswer {
                version: one.version(),
                position,
                is_terminal: !open,
                is_blocked: !blocked_by.is_empty(),
                blocked_by,
                claim,
                allowed: allowed.into_iter().flatten().collect(),
                what: one.brief(),
            })
        })
    }
}

impl Render for StateAnswer {
    fn render(&self, page: &mut Page) {
        let status = self.what.status.map_or("", WorkStatus::word);
        let place = match self.position.step {
            0 => String::new(),
            step => format!(", step {step} of {}", self.position.of),
        };
        let line = format!("{} \"{}\" is {status}{place}", self.what.kind, self.what.name);
        page.answer(format!("{line}  version {}    {}", self.version, self.what.handle()));
        for block in &self.blocked_by {
            match &block.by {
                Some(by) => page.say_handle(
                    format!(
                        "blocked by \"{}\" {}  {}",
                        by.name,
                        by.status.map_or("", WorkStatus::word),
                        block.reason
                    ),
                    by.handle(),
                ),
                None => page.item("blocked", &block.reason),
            }
        }
        if let Some(claim) = &self.claim {
            let until = to_the_second(&claim.until);
            page.item("claimed by", format!("{} until {until}", claim.actor));
        }
        page.item("possible now", self.allowed.join(", "));
    }
}
