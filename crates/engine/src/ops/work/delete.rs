//! `work.delete`: removes a project, feature or task.

use base::Result;
use base::words::counted;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::Ref;
use work::edit::{Deleted, delete};
use work::words::Kind;

use super::moved::say_freed;
use crate::contract::alias::Alias;
use crate::contract::op::{Effect, Example, Mutation};
use crate::contract::page::{Page, Render};
use crate::layers::work::plan;
use crate::plan::Plan;
use crate::view::View;

/// Delete a project, feature or task
///
/// With its sections and dependencies; what it blocked is free then.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Delete {
    /// Id, its first digits, a name or a handle
    pub id: Ref,
    /// Version you last read; refused if it has changed since
    #[arg(long)]
    pub version: u32,
    /// Whether the id is of a project, feature or task
    #[arg(long)]
    #[serde(default, alias = "container_type")]
    #[schemars(extend("x-rare" = true))]
    pub kind: Option<Kind>,
    /// Also delete everything that it holds
    #[arg(long)]
    #[serde(default, alias = "force")]
    pub cascade: bool,
}

impl Mutation for Delete {
    const NAME: &'static str = "work.delete";
    const EFFECT: Effect = Effect::OVERWRITES;
    const ALIASES: &'static [Alias] = &[Alias::of("manage_container").when("operation", "delete")];
    const EXAMPLES: &'static [Example] = &[Example {
        args: "feature:019b7d2f-1a2b --version 3 --cascade --dry-run",
        shows: "what would go with a feature",
    }];
    type Answer = Deleted;

    fn plan(self, view: &View) -> Result<Plan<Deleted>> {
        plan(
            view,
            |_| format!("delete {}", self.id),
            |draft| delete(draft, (self.kind, &self.id), self.version, self.cascade),
        )
    }
}

impl Render for Deleted {
    fn render(&self, page: &mut Page) {
        page.answer(format!(
            "Deleted {} \"{}\", with {}, {}, {}, {} of knowledge",
            self.what.kind,
            self.what.name,
            counted(self.features, "feature"),
            counted(self.tasks, "task"),
            counted(self.sections, "section"),
            counted(self.knowledge, "piece")
        ));
        say_freed(page, &self.unblocked);
    }
}
