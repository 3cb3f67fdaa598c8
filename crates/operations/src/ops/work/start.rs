//! `work.start`: claims a task and shows everything that is needed to do it.

use base::{NextCall, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::blocks::UnblockedWork;
use work::claim::{ClaimRequest, ClaimScope};
use work::record::{Task, TaskClaim};
use work::start::{StartReason, StartedTask, start, start_if_ready};
use work::words::WorkPriority;
use work::{WorkDraft, WorkItem, WorkRecordId, WorkRecordRef};

use super::briefing::{FeatureProgress, TaskBriefing, progress_words};
use super::claim::ClaimMinutes;
use engine::areas::work::{pipelines, plan};
use engine::contract::op::{Effect, Mutation, OpExample, ToolVisibility};
use engine::contract::page::{Page, Render};
use engine::plan::Plan;
use engine::view::View;

/// Start a task: claim it and get its plan, files, knowledge and checks
///
/// Without a name: the task you hold unless it is blocked, else an abandoned one, else the next.
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
    /// Who held it until now, if it was taken over
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taken_from: Option<String>,
    /// What is needed to do it
    #[serde(flatten)]
    pub briefing: TaskBriefing,
}

impl Mutation for Start {
    const NAME: &'static str = "work.start";
    const VISIBILITY: ToolVisibility = ToolVisibility::Everyday;
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
            StartAnswer::of(view, draft, started)
        })
    }
}

impl StartAnswer {
    fn of(view: &View, draft: &WorkDraft<'_>, started: StartedTask) -> Result<Self> {
        let briefing = TaskBriefing::of(view, draft, &started.task)?;
        let StartedTask { task, claim, reason, taken_from, .. } = started;
        Ok(Self { task, claim, reason, taken_from, briefing })
    }

    /// Starts the next task of a project after another one was finished or put aside, if one is ready.
    pub(super) fn after(
        view: &View,
        draft: &mut WorkDraft<'_>,
        project: &WorkRecordId,
        freed: &[UnblockedWork],
    ) -> Result<Option<Box<Self>>> {
        let project = WorkRecordRef::from(project);
        let scope = ClaimScope { project: Some(&project), ..ClaimScope::default() };
        let minutes = ClaimMinutes::default().into();
        let request = ClaimRequest { task: None, scope, minutes, steal: false };
        let started = start_if_ready(draft, &pipelines(view)?, request, freed)?;
        started.map(|started| Self::of(view, draft, started).map(Box::new)).transpose()
    }

    /// Whether its task belongs to a feature.
    pub(super) fn is_in(&self, progress: Option<&FeatureProgress>) -> bool {
        progress.is_some_and(|one| self.task.feature_id.as_ref() == Some(&one.what.id))
    }

    /// The task without the calls that end it, for a session that has just used one of them.
    pub(super) fn render_task(&self, page: &mut Page) {
        let brief = WorkItem::Task(self.task.clone()).brief();
        let verb = match (&self.taken_from, self.reason) {
            (Some(actor), _) => format!("Taken over from {actor}:"),
            (None, StartReason::Held) => "You hold".into(),
            (None, StartReason::Abandoned) => "Resumed after its claim expired:".into(),
            (None, StartReason::Named | StartReason::Next) => "Started".into(),
        };
        page.answer(format!(
            "{verb} task \"{}\" until {}  {} {}{}    {}",
            self.task.title,
            base::moment::to_the_second(&self.claim.until),
            self.task.status,
            self.task.priority,
            progress_words(self.briefing.feature.as_ref()),
            brief.handle()
        ));
        self.briefing.render(page, &brief.handle());
    }
}

impl Render for StartAnswer {
    fn render(&self, page: &mut Page) {
        self.render_task(page);
        let brief = WorkItem::Task(self.task.clone()).brief();
        page.say(format!("Commit trailer: Task: {}", brief.key));
        // The calls name the task, because the session may hold other tasks that were put aside and
        // can continue.
        let mut done = NextCall::new("work.done").with("task", brief.key.as_str());
        let wanted = &self.briefing.evidence_wanted;
        if !wanted.is_empty() {
            let evidence: Vec<String> = wanted.iter().map(|kind| format!("{kind}: …")).collect();
            done = done.with("evidence", evidence);
        }
        let stuck = NextCall::new("work.block").with("id", brief.key.as_str());
        let stuck = stuck.with("reason", "…").with("next", true);
        page.say_call("When done:", done.with("learnt", "…").with("next", true));
        page.say_call("If stuck:", stuck);
    }
}
