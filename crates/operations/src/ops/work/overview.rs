//! `work.overview`: the progress of projects and features.

use base::{NextCall, Result};
use clap::Args;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::edit::kinds;
use work::query::{OverviewChild, WorkOverview as Part, overview};
use work::words::{WorkKind, WorkStatus};
use work::{WorkItem, WorkRecordRef};

use super::record::{people_words, progress_bar, row};
use engine::areas::work::read_store;
use engine::contract::alias::OpAlias;
use engine::contract::args::number_type;
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::view::View;

number_type!(
    /// How many features and tasks an overview shows for each project or feature.
    OverviewLimit, 1..=500, default 60
);

/// Show the progress of all projects, one project or one feature
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Overview {
    /// Project or feature to show; all projects if left out
    #[serde(default, alias = "project_id", alias = "feature_id")]
    pub id: Option<WorkRecordRef>,
    /// Whether the id is of a project or a feature
    #[arg(long)]
    #[serde(default, alias = "container_type")]
    #[schemars(extend("x-rare" = true))]
    pub kind: Option<WorkKind>,
    /// Features and tasks to show for each
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub most: OverviewLimit,
}

/// Projects or a feature, with their features or tasks
#[derive(Debug, Serialize, JsonSchema)]
pub struct OverviewAnswer {
    /// One part for each
    pub items: Vec<Part>,
    #[serde(skip)]
    now: Timestamp,
}

impl Query for Overview {
    const NAME: &'static str = "work.overview";
    const ALIASES: &'static [OpAlias] =
        &[OpAlias::of("query_container").when("operation", "overview")];
    const EXAMPLES: &'static [OpExample] = &[OpExample { args: "", shows: "every project" }];
    const NEEDS_ACTOR: bool = true;
    type Answer = OverviewAnswer;

    fn run(self, view: &View) -> Result<OverviewAnswer> {
        read_store(view, |draft| {
            let kinds = kinds(self.kind.filter(|_| self.id.is_some()));
            let of = self.id.as_ref().map(|id| WorkItem::find(draft, &kinds, id)).transpose()?;
            let items = overview(draft, of.as_ref(), self.most.get())?;
            Ok(OverviewAnswer { items, now: view.call().now })
        })
    }
}

impl Render for OverviewAnswer {
    fn render(&self, page: &mut Page) {
        if self.items.is_empty() {
            page.answer("No projects yet");
            let create =
                NextCall::new("work.create").with("kind", "project").with("name", "its name");
            page.say_call("To create one", create);
        }
        for part in &self.items {
            let counts: Vec<String> =
                part.tasks.iter().map(|(status, count)| format!("{count} {status}")).collect();
            let counts = if counts.is_empty() { "no tasks".into() } else { counts.join(", ") };
            let line = format!(
                "{} \"{}\": {counts}    {}",
                part.what.kind,
                part.what.name,
                part.what.handle()
            );
            page.heading(line);
            page.table(2, part.children.iter().map(|child| cells(child, self.now)).collect());
            if part.more_children > 0 {
                let more = format!("…  {} more", part.more_children);
                page.say_call(more, NextCall::new("work.search"));
            }
        }
    }
}

fn cells(child: &OverviewChild, now: Timestamp) -> Vec<PageCell> {
    let mut cells = row(&child.what);
    let all: usize = child.tasks.values().sum();
    let done = WorkStatus::ALL.iter().filter(|status| status.is_terminal());
    let done = done.filter_map(|status| child.tasks.get(status.word())).sum();
    let bar = (all > 0).then(|| progress_bar(done, all));
    let blocked = (child.blocked_by > 0).then(|| format!("blocked by {}", child.blocked_by));
    let people = people_words(&child.people, now);
    let more: Vec<String> = bar.into_iter().chain(blocked).chain([people]).collect();
    cells.insert(1, PageCell::text(child.priority));
    cells.insert(3, PageCell::faint(more.join(", ")));
    cells
}
