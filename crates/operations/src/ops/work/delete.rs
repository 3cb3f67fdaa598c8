//! `work.delete`: removes a project, feature or task.

use base::Result;
use base::words::counted;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::VersionedRef;
use work::WorkRecordRef;
use work::edit::{DeletedWorkItem, delete};
use work::words::WorkKind;

use super::transition::render_freed;
use engine::areas::work::plan;
use engine::contract::alias::OpAlias;
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::contract::page::{Page, Render};
use engine::plan::Plan;
use engine::view::View;

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
    type Answer = WorkDeleteAnswer;

    fn plan(self, view: &View) -> Result<Plan<WorkDeleteAnswer>> {
        let summary = |_: &DeletedWorkItem| format!("delete {}", self.id);
        let planned = plan(view, summary, |draft| {
            let target = VersionedRef { id: &self.id, version: Some(self.version) };
            delete(draft, self.kind, target, self.cascade)
        })?;
        Ok(planned.map_answer(WorkDeleteAnswer))
    }
}

/// The result of a deletion.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct WorkDeleteAnswer(pub DeletedWorkItem);

impl Render for WorkDeleteAnswer {
    fn render(&self, page: &mut Page) {
        let deleted = &self.0;
        page.answer(format!(
            "Deleted {} \"{}\", with {}, {}, {}, {} of knowledge",
            deleted.what.kind,
            deleted.what.name,
            counted(deleted.features, "feature"),
            counted(deleted.tasks, "task"),
            counted(deleted.sections, "section"),
            counted(deleted.knowledge, "piece")
        ));
        render_freed(page, &deleted.unblocked);
    }
}
