//! `work.overview`: the progress of projects and features.

use base::{NextCall, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::edit::kinds;
use work::query::{OverviewChild, WorkOverview as Part, overview};
use work::words::WorkKind;
use work::{WorkItem, WorkRecordRef};

use super::record::row;
use engine::areas::work::read_store;
use engine::contract::alias::OpAlias;
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::view::View;

/// How many children of each a page shows.
const MAX_SHOWN_CHILDREN: usize = 60;

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
}

/// Projects or a feature, with their features or tasks
#[derive(Debug, Serialize, JsonSchema)]
pub struct OverviewAnswer {
    /// One part for each
    pub items: Vec<Part>,
}

impl Query for Overview {
    const NAME: &'static str = "work.overview";
    const ALIASES: &'static [OpAlias] =
        &[OpAlias::of("query_container").when("operation", "overview")];
    const EXAMPLES: &'static [OpExample] = &[OpExample { args: "", shows: "every project" }];
    type Answer = OverviewAnswer;

    fn run(self, view: &View) -> Result<OverviewAnswer> {
        read_store(view, |draft| {
            let kinds = kinds(self.kind.filter(|_| self.id.is_some()));
            let of = self.id.as_ref().map(|id| WorkItem::find(draft, &kinds, id)).transpose()?;
            Ok(OverviewAnswer { items: overview(draft, of.as_ref())? })
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
            page.table(2, part.children.iter().take(MAX_SHOWN_CHILDREN).map(cells).collect());
            if part.children.len() > MAX_SHOWN_CHILDREN {
                let more = part.children.len() - MAX_SHOWN_CHILDREN;
                page.say_call(format!("…  {more} more"), NextCall::new("work.search"));
            }
        }
    }
}

fn cells(child: &OverviewChild) -> Vec<PageCell> {
    let mut cells = row(&child.what);
    let counts: Vec<String> = child.tasks.iter().map(|(s, count)| format!("{count} {s}")).collect();
    let blocked = (child.blocked_by > 0).then(|| format!("blocked by {}", child.blocked_by));
    let more: Vec<String> = counts.into_iter().chain(blocked).collect();
    cells.insert(1, PageCell::text(child.priority));
    cells.insert(3, PageCell::faint(more.join(", ")));
    cells
}
