//! `work.overview`: what there is, and how far it is.

use base::{NextCall, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::edit::kinds;
use work::query::{Child, Overview as Part, overview};
use work::words::Kind;
use work::{Container, Ref};

use super::shown::row;
use crate::contract::alias::Alias;
use crate::contract::op::{Example, Query};
use crate::contract::page::{Cell, Page, Render};
use crate::layers::work::look;
use crate::view::View;

/// How many children of each a reader is shown.
const SHOWN: usize = 60;

/// Show how far all projects, one project or one feature is
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Overview {
    /// Project or feature to show; all projects if left out
    #[serde(default, alias = "project_id", alias = "feature_id")]
    pub id: Option<Ref>,
    /// Whether the id is of a project or a feature
    #[arg(long)]
    #[serde(default, alias = "container_type")]
    #[schemars(extend("x-rare" = true))]
    pub kind: Option<Kind>,
}

/// Projects or a feature, with what they hold
#[derive(Debug, Serialize, JsonSchema)]
pub struct Overviews {
    /// One part for each
    pub items: Vec<Part>,
}

impl Query for Overview {
    const NAME: &'static str = "work.overview";
    const ALIASES: &'static [Alias] = &[Alias::of("query_container").when("operation", "overview")];
    const EXAMPLES: &'static [Example] = &[Example { args: "", shows: "every project" }];
    type Answer = Overviews;

    fn run(self, view: &View) -> Result<Overviews> {
        look(view, |draft| {
            let kinds = kinds(self.kind.filter(|_| self.id.is_some()));
            let of = self.id.as_ref().map(|id| Container::find(draft, &kinds, id)).transpose()?;
            Ok(Overviews { items: overview(draft, of.as_ref())? })
        })
    }
}

impl Render for Overviews {
    fn render(&self, page: &mut Page) {
        if self.items.is_empty() {
            page.answer("There is no project yet");
            let create =
                NextCall::to("work.create").with("kind", "project").with("name", "its name");
            page.say_call("Make one with", create);
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
            page.table(2, part.children.iter().take(SHOWN).map(cells).collect());
            if part.children.len() > SHOWN {
                let more = part.children.len() - SHOWN;
                page.say_call(format!("…  {more} more"), NextCall::to("work.search"));
            }
        }
    }
}

fn cells(child: &Child) -> Vec<Cell> {
    let mut cells = row(&child.what);
    let counts: Vec<String> = child.tasks.iter().map(|(s, count)| format!("{count} {s}")).collect();
    let blocked = (child.blocked_by > 0).then(|| format!("blocked by {}", child.blocked_by));
    let more: Vec<String> = counts.into_iter().chain(blocked).collect();
    cells.insert(1, Cell::text(child.priority));
    cells.insert(3, Cell::faint(more.join(", ")));
    cells
}
