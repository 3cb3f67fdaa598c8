//! `work.next`: the tasks or features to work on next.

use base::moment::to_the_second;
use base::{NextCall, Problem, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::claim::{
    ClaimScope, abandoned_tasks, held_tasks, next_features, next_tasks, unclaimed_tasks,
};
use work::container::WorkItemBrief;
use work::record::{Feature, Task, TaskClaim};
use work::text::Estimate;
use work::words::{WorkKind, WorkPriority};
use work::{WorkItem, WorkRecordId, WorkRecordRef};

use super::record::line;
use engine::areas::work::{read_store, tasks_about};
use engine::contract::alias::OpAlias;
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, NodeTarget, Offset, number_type};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, Render};
use engine::view::View;

number_type!(
    /// How many suggestions there are.
    SuggestionLimit, 1..=50, default 1
);

/// How many abandoned tasks are named, and how many that nobody has claimed.
const MAX_ABANDONED: usize = 10;

/// Suggest what to do next: what you hold, what was abandoned, and what is ready
///
/// Two agents may get the same suggestion; `work start` gives it to one.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Next {
    /// Suggest a task or a feature; a task if left out
    #[arg(long)]
    #[serde(default, alias = "container_type")]
    pub kind: Option<WorkKind>,
    /// Only work of this project
    #[arg(long)]
    #[serde(default, alias = "project_id")]
    pub project: Option<WorkRecordRef>,
    /// Only tasks of this feature
    #[arg(long)]
    #[serde(default, alias = "feature_id")]
    pub feature: Option<WorkRecordRef>,
    /// Only work with this priority
    #[arg(long)]
    #[serde(default)]
    pub priority: Option<WorkPriority>,
    /// Only tasks whose Context Files name this file or folder, and their features
    #[arg(long)]
    #[serde(default)]
    pub path: Option<NodeTarget>,
    /// How many suggestions to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: SuggestionLimit,
    /// Show the summary, tags, due day and estimate of each suggestion
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub include_details: bool,
    /// Suggestions to skip
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub offset: Offset,
}

/// Work that is ready to start
#[derive(Debug, Serialize, JsonSchema)]
pub struct NextAnswer {
    /// Tasks that this session holds, the last claimed first
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<ClaimedRow>,
    /// Started tasks whose claim ran out, urgent first
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub abandoned: Vec<ClaimedRow>,
    /// Started tasks that nobody ever claimed, such as imported ones, urgent first. They are not
    /// started without being named, because somebody may work on them elsewhere
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unclaimed: Vec<WorkItemBrief>,
    /// Tasks, first to last
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<Task>,
    /// Features, first to last
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<Feature>,
    /// How many are ready to start
    pub total: usize,
    /// How many are blocked
    pub blocked: usize,
    /// How many are claimed
    pub claimed: usize,
    #[serde(skip)]
    paging: Paging,
    #[serde(skip)]
    shows_details: bool,
}

/// A task with its claim
#[derive(Debug, Serialize, JsonSchema)]
pub struct ClaimedRow {
    /// The task
    #[serde(flatten)]
    pub what: WorkItemBrief,
    /// Who claimed it
    pub claimed_by: String,
    /// When the claim ends or ended
    pub until: String,
}

impl Query for Next {
    const NEEDS_ACTOR: bool = true;
    const NAME: &'static str = "work.next";
    const ALIASES: &'static [OpAlias] = &[
        OpAlias::of("get_next_task").presetting(&[("kind", "\"task\"")]),
        OpAlias::of("get_next_feature").presetting(&[("kind", "\"feature\"")]),
    ];
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "--limit 3", shows: "three tasks to choose from" }];
    type Answer = NextAnswer;

    fn run(self, view: &View) -> Result<NextAnswer> {
        let shows_details = self.include_details;
        Ok(NextAnswer { shows_details, ..self.suggest(view)? })
    }
}

impl Next {
    fn suggest(&self, view: &View) -> Result<NextAnswer> {
        let among = ClaimScope {
            project: self.project.as_ref(),
            feature: self.feature.as_ref(),
            priority: self.priority,
        };
        read_store(view, |draft| {
            let about =
                self.path.as_ref().map(|path| tasks_about(view, draft, path)).transpose()?;
            let is_about =
                |id: &WorkRecordId| about.as_ref().is_none_or(|about| about.contains(id));
            let limit = Limit::try_from(u32::from(self.limit)).map_err(Problem::internal)?;
            // Rows that are not shown are only counted, unless a path filters them.
            let read = match about {
                None => self.offset.get() + limit.get(),
                Some(_) => usize::MAX,
            };
            if self.kind == Some(WorkKind::Feature) {
                let mut ready = next_features(draft, among, read)?;
                ready.items.retain(|one| is_about(&one.id));
                let (features, mut paging) = Paging::cut(ready.items, self.offset, limit);
                if about.is_none() {
                    paging.total = ready.total as u64;
                }
                let blocked = ready.blocked;
                return Ok(NextAnswer::of(
                    Vec::new(),
                    features,
                    UnavailableCounts { blocked, claimed: 0 },
                    paging,
                ));
            }
            let mut ready = next_tasks(draft, among, read)?;
            ready.items.retain(|one| is_about(&one.id));
            let (tasks, mut paging) = Paging::cut(ready.items, self.offset, limit);
            if about.is_none() {
                paging.total = ready.total as u64;
            }
            let waiting = UnavailableCounts { blocked: ready.blocked, claimed: ready.claimed };
            let held = held_tasks(draft)?.into_iter().map(|(task, claim)| claimed(task, claim));
            let abandoned = abandoned_tasks(draft, among, MAX_ABANDONED)?.into_iter();
            let abandoned = abandoned.filter(|one| is_about(&one.task.id));
            let unclaimed = unclaimed_tasks(draft, among, MAX_ABANDONED)?.into_iter();
            let unclaimed = unclaimed.filter(|one| is_about(&one.id));
            Ok(NextAnswer {
                held: held.collect(),
                abandoned: abandoned.map(|one| claimed(one.task, one.claim)).collect(),
                unclaimed: unclaimed.map(|one| WorkItem::Task(one).brief()).collect(),
                ..NextAnswer::of(tasks, Vec::new(), waiting, paging)
            })
        })
    }
}

fn claimed(task: Task, claim: TaskClaim) -> ClaimedRow {
    let what = WorkItem::Task(task).brief();
    ClaimedRow { what, claimed_by: claim.actor, until: claim.until }
}

/// How many tasks or features are not ready.
#[derive(Clone, Copy)]
struct UnavailableCounts {
    blocked: usize,
    claimed: usize,
}

impl NextAnswer {
    fn of(
        tasks: Vec<Task>,
        features: Vec<Feature>,
        waiting: UnavailableCounts,
        paging: Paging,
    ) -> Self {
        let UnavailableCounts { blocked, claimed } = waiting;
        let total = usize::try_from(paging.total).unwrap_or(usize::MAX);
        Self {
            held: Vec::new(),
            abandoned: Vec::new(),
            unclaimed: Vec::new(),
            tasks,
            features,
            total,
            blocked,
            claimed,
            paging,
            shows_details: false,
        }
    }
}

impl NextAnswer {
    /// Renders the tasks that the session holds, and the abandoned ones.
    fn render_claimed(&self, page: &mut Page) {
        for row in &self.held {
            let until = to_the_second(&row.until);
            let line = format!("You hold \"{}\" until {until}", row.what.name);
            page.say_handle(line, row.what.handle());
        }
        for row in &self.abandoned {
            let until = to_the_second(&row.until);
            let line = format!(
                "Abandoned: \"{}\", the claim of {} ended at {until}",
                row.what.name, row.claimed_by
            );
            page.say_handle(line, row.what.handle());
        }
        if !self.held.is_empty() || !self.abandoned.is_empty() {
            page.say_call("To resume the first:", NextCall::new("work.start"));
        }
    }
}

impl NextAnswer {
    /// Renders the started tasks that nobody has claimed.
    fn render_unclaimed(&self, page: &mut Page) {
        let Some(first) = self.unclaimed.first() else { return };
        for what in &self.unclaimed {
            let line = format!("Started, but claimed by nobody: \"{}\"", what.name);
            page.say_handle(line, what.handle());
        }
        let start = NextCall::new("work.start").with("task", first.handle());
        page.say_call("To take the first:", start);
    }

    /// Renders the details of a suggestion, if they were requested.
    fn render_details(&self, page: &mut Page, one: &WorkItem) {
        if !self.shows_details {
            return;
        }
        let text = work::query::text(one).lines().skip(1).collect::<Vec<_>>().join("\n");
        if !text.trim().is_empty() {
            page.quoted(text.trim(), one.brief().handle());
        }
        let (tags, due, estimate) = match one {
            WorkItem::Task(task) => (&task.tags, &task.due, task.estimate),
            WorkItem::Feature(feature) => (&feature.tags, &feature.due, feature.estimate),
            WorkItem::Project(_) => return,
        };
        let fields = [
            ("tags", Some(tags.join(", ")).filter(|tags| !tags.is_empty())),
            ("due", due.clone()),
            ("estimate", estimate.map(|minutes| Estimate::of_minutes(minutes).to_string())),
        ];
        for (name, value) in fields {
            if let Some(value) = value {
                page.item(name, value);
            }
        }
    }
}

impl Render for NextAnswer {
    fn render(&self, page: &mut Page) {
        let tasks = self.tasks.iter().cloned().map(WorkItem::Task);
        let features = self.features.iter().cloned().map(WorkItem::Feature);
        let all: Vec<WorkItem> = tasks.chain(features).collect();
        let rest =
            format!("{} ready, {} blocked, {} claimed", self.total, self.blocked, self.claimed);
        self.render_claimed(page);
        let Some(first) = all.first() else {
            page.answer(format!(
                "Nothing new is ready to start: {} blocked, {} claimed",
                self.blocked, self.claimed
            ));
            page.say_call("To see what blocks them:", NextCall::new("work.blocked"));
            self.render_unclaimed(page);
            return;
        };
        page.answer(line(first));
        if let WorkItem::Task(task) = first {
            let why = format!(
                "{} priority, complexity {}, oldest of its kind",
                task.priority, task.complexity
            );
            page.item("why", why);
            let start = NextCall::new("work.start").with("task", first.brief().handle());
            page.say_call("To start it:", start);
        }
        self.render_details(page, first);
        for one in all.iter().skip(1) {
            page.say(line(one));
            self.render_details(page, one);
        }
        page.say(rest);
        self.render_unclaimed(page);
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
