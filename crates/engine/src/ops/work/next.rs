//! `work.next`: what to do next.

use base::{NextCall, Problem, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::claim::{Among, next_features, next_tasks};
use work::record::{Feature, Task};
use work::words::{Kind, Priority};
use work::{Container, Id, Ref};

use super::shown::line;
use crate::contract::alias::Alias;
use crate::contract::answer::Paging;
use crate::contract::args::{Limit, Offset, Target, number_type};
use crate::contract::op::{Example, Query};
use crate::contract::page::{Page, Render};
use crate::layers::work::{look, work_about};
use crate::view::View;

number_type!(
    /// How many suggestions there are.
    Suggestions, 1..=50, default 1
);

/// Say what to do next: unblocked, unclaimed, urgent and easy first
///
/// Two agents may hear the same; `work claim` gives it to one.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Next {
    /// Suggest a task or a feature; a task if left out
    #[arg(long)]
    #[serde(default, alias = "container_type")]
    pub kind: Option<Kind>,
    /// Only work of this project
    #[arg(long)]
    #[serde(default, alias = "project_id")]
    pub project: Option<Ref>,
    /// Only tasks of this feature
    #[arg(long)]
    #[serde(default, alias = "feature_id")]
    pub feature: Option<Ref>,
    /// Only work with this priority
    #[arg(long)]
    #[serde(default)]
    pub priority: Option<Priority>,
    /// Only tasks whose Context Files name this file or folder, and their features
    #[arg(long)]
    #[serde(default)]
    pub path: Option<Target>,
    /// How many suggestions to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: Suggestions,
    /// Suggestions to skip
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub offset: Offset,
}

/// What could be begun now
#[derive(Debug, Serialize, JsonSchema)]
pub struct Suggested {
    /// Tasks, first to last
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<Task>,
    /// Features, first to last
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<Feature>,
    /// How many could be begun
    pub total: usize,
    /// How many are blocked
    pub blocked: usize,
    /// How many are claimed
    pub claimed: usize,
    #[serde(skip)]
    paging: Paging,
}

impl Query for Next {
    const NAME: &'static str = "work.next";
    const ALIASES: &'static [Alias] = &[
        Alias::of("get_next_task").presetting(&[("kind", "\"task\"")]),
        Alias::of("get_next_feature").presetting(&[("kind", "\"feature\"")]),
    ];
    const EXAMPLES: &'static [Example] =
        &[Example { args: "--limit 3", shows: "three tasks to choose from" }];
    type Answer = Suggested;

    fn run(self, view: &View) -> Result<Suggested> {
        let among = Among {
            project: self.project.as_ref(),
            feature: self.feature.as_ref(),
            priority: self.priority,
        };
        look(view, |draft| {
            let about = self.path.as_ref().map(|path| work_about(view, draft, path)).transpose()?;
            let is_about = |id: &Id| about.as_ref().is_none_or(|about| about.contains(id));
            let limit = Limit::try_from(u32::from(self.limit)).map_err(Problem::internal)?;
            if self.kind == Some(Kind::Feature) {
                let mut ready = next_features(draft, among, usize::MAX)?;
                ready.items.retain(|one| is_about(&one.id));
                let (features, paging) = Paging::cut(ready.items, self.offset, limit);
                let blocked = ready.blocked;
                return Ok(Suggested::of(
                    Vec::new(),
                    features,
                    Waiting { blocked, claimed: 0 },
                    paging,
                ));
            }
            let mut ready = next_tasks(draft, among, usize::MAX)?;
            ready.items.retain(|one| is_about(&one.id));
            let (tasks, paging) = Paging::cut(ready.items, self.offset, limit);
            let waiting = Waiting { blocked: ready.blocked, claimed: ready.claimed };
            Ok(Suggested::of(tasks, Vec::new(), waiting, paging))
        })
    }
}

/// How much cannot be begun.
#[derive(Clone, Copy)]
struct Waiting {
    blocked: usize,
    claimed: usize,
}

impl Suggested {
    fn of(tasks: Vec<Task>, features: Vec<Feature>, waiting: Waiting, paging: Paging) -> Self {
        let Waiting { blocked, claimed } = waiting;
        let total = usize::try_from(paging.total).unwrap_or(usize::MAX);
        Self { tasks, features, total, blocked, claimed, paging }
    }
}

impl Render for Suggested {
    fn render(&self, page: &mut Page) {
        let tasks = self.tasks.iter().cloned().map(Container::Task);
        let features = self.features.iter().cloned().map(Container::Feature);
        let all: Vec<Container> = tasks.chain(features).collect();
        let rest = format!(
            "{} could be begun, {} blocked, {} claimed",
            self.total, self.blocked, self.claimed
        );
        let Some(first) = all.first() else {
            page.answer(format!(
                "Nothing can be begun: {} blocked, {} claimed",
                self.blocked, self.claimed
            ));
            page.say_call("What they wait for:", NextCall::to("work.blocked"));
            return;
        };
        page.answer(line(first));
        if let Container::Task(task) = first {
            let why = format!(
                "{} priority, complexity {}, oldest of its kind",
                task.priority, task.complexity
            );
            page.item("why", why);
            let claim = NextCall::to("work.claim").with("task", first.brief().handle());
            page.say_call("Take it:", claim);
        }
        all.iter().skip(1).for_each(|one| page.say(line(one)));
        page.say(rest);
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
