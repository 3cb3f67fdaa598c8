//! `work.delete`: removes a project, feature or task.

use base::Result;
use base::words::counted;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::WorkRecordRef;
use work::edit::{DeletedWorkItem, delete};
use work::words::WorkKind;

use super::transition::render_freed;
use crate::areas::work::plan;
use crate::contract::alias::OpAlias;
use crate::contract::op::{Effect, Mutation, OpExample};
use crate::contract::page::{Page, Render};
use crate::plan::Plan;
use crate::view::View;

/// Delete a project, feature or task
///
/// With its sections and dependencies; what it blocked is unblocked.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Delete {
    /// Id, its first digits, a name or a handle
    pub id: WorkRecordRef,
    /// Version you last read; refused if it has changed since
    #[arg(long)]
    pub version: u32,
    /// Whether the id is of a project, feature or task
    #[arg(long)]
    #[serde(default, alias = "container_type")]
    #[schemars(extend("x-rare" = true))]
    pub kind: Option<WorkKind>,
    /// Also delete everything in it
    #[arg(long)]
    #[serde(default, alias = "force")]
    pub cascade: bool,
}

impl Mutation for Delete {
    const NAME: &'static str = "work.delete";
    const EFFECT: Effect = Effect::OVERWRITES;
    const ALIASES: &'static [OpAlias] =
        &[OpAlias::of("manage_container").when("operation", "delete")];
    const EXAMPLES: &'static [OpExample] = &[OpExample {
        args: "feature:019b7d2f-1a2b --version 3 --cascade --dry-run",
        shows: "what would be deleted with a feature",
    }];
    type Answer = DeletedWorkItem;

    fn plan(self, view: &View) -> Result<Plan<DeletedWorkItem>> {
        plan(
            view,
            |_| format!("delete {}", self.id),
            |draft| delete(draft, (self.kind, &self.id), self.version, self.cascade),
        )
    }
}

impl Render for DeletedWorkItem {
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
        render_freed(page, &self.unblocked);
    }
}
