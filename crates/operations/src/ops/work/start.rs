//! `work.start`: claims a task and says everything that is needed to do it.

use base::{NextCall, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::claim::{ClaimRequest, ClaimScope};
use work::record::{Task, TaskClaim};
use work::start::{StartReason, start};
use work::words::WorkPriority;
use work::{WorkItem, WorkRecordRef};

use super::briefing::{TaskBriefing, progress_words};
use super::claim::ClaimMinutes;
use engine::areas::work::{pipelines, plan};
use engine::contract::op::{Effect, Mutation, OpExample, ToolVisibility};
use engine::contract::page::{Page, PageCell, Render};
use engine::plan::Plan;
use engine::view::View;

/// Start a task: claim it and get its plan, files, knowledge and checks
///
/// The named task, else the one you hold, else an abandoned one, else the next that is ready.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// Task to start; the one you hold or the next one if left out
    #[serde(default, alias = "id", alias = "task_id")]
    pub task: Option<WorkRecordRef>,
    /// Only tasks of this project
    #[arg(long)]
    #[serde(default, alias = "project_id")]
    #[schemars(extend("x-rare" = true))]
    pub project: Option<WorkRecordRef>,
    /// Only tasks of this feature
    #[arg(long)]
    #[serde(default, alias = "feature_id")]
    pub feature: Option<WorkRecordRef>,
    /// Only tasks with this priority
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub priority: Option<WorkPriority>,
    /// Duration of the claim, in minutes
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub minutes: ClaimMinutes,
    /// Take over the named task from another session; the history records it
    #[arg(long, requires = "task")]
    #[serde(default)]
    pub steal: bool,
}

/// A started task with everything that is needed to do it
#[derive(Debug, Serialize, JsonSchema)]
pub struct StartAnswer {
    /// The task
    pub task: Task,
    /// The claim on it
    pub claim: TaskClaim,
    /// Why it was chosen
    pub reason: StartReason,
    /// What is needed to do it
    #[serde(flatten)]
    pub briefing: TaskBriefing,
}

impl Mutation for Start {
    const NAME: &'static str = "work.start";
    const TOOLSET: ToolVisibility = ToolVisibility::Everyday;
    const EFFECT: Effect = Effect::ADDS;
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "", shows: "the task you hold, or the next one" },
        OpExample { args: "socks-proxies-7f3a", shows: "a task by its key" },
    ];
    type Answer = StartAnswer;

    fn plan(self, view: &View) -> Result<Plan<StartAnswer>> {
        let pipelines = pipelines(view)?;
        let told = |done: &StartAnswer| format!("start task \"{}\"", done.task.title);
        plan(view, told, |draft| {
            let scope = ClaimScope {
                project: self.project.as_ref(),
                feature: self.feature.as_ref(),
                priority: self.priority,
            };
            let request = ClaimRequest {
                task: self.task.as_ref(),
                scope,
                minutes: self.minutes.into(),
                steal: self.steal,
            };
            let started = start(draft, &pipelines, request)?;
            let briefing = TaskBriefing::of(view, draft, &started.task)?;
            let (task, claim, reason) = (started.task, started.claim, started.reason);
            Ok(StartAnswer { task, claim, reason, briefing })
        })
    }
}

impl Render for StartAnswer {
    fn render(&self, page: &mut Page) {
        let brief = WorkItem::Task(self.task.clone()).brief();
        let (handle, key) = (brief.handle(), brief.key.as_str());
        let verb = match self.reason {
            StartReason::Held => "You hold",
            StartReason::Abandoned => "Taken up again, its last claim ran out:",
            StartReason::Named | StartReason::Next => "Started",
        };
        page.answer(format!(
            "{verb} task \"{}\" until {}  {} {}{}    {handle}",
            self.task.title,
            base::moment::to_the_second(&self.claim.until),
            self.task.status,
            self.task.priority,
            progress_words(self.briefing.feature.as_ref()),
        ));
        self.briefing.render(page, &handle);
        page.blank();
        let mut done = NextCall::new("work.done").with("task", key);
        let wanted = &self.briefing.evidence_wanted;
        if !wanted.is_empty() {
            let evidence: Vec<String> = wanted.iter().map(|kind| format!("{kind}: …")).collect();
            done = done.with("evidence", evidence);
        }
        let stuck = NextCall::new("work.block")
            .with("id", key)
            .with("blocked_by", vec!["NO_OP"])
            .with("reason", "…");
        let label = PageCell::faint;
        page.table(
            0,
            vec![
                vec![label("When done"), PageCell::call(done.with("learnt", "…"))],
                vec![label("If stuck"), PageCell::call(stuck)],
                vec![label("Commits"), PageCell::text(format!("with the trailer  Task: {key}"))],
            ],
        );
    }
}
