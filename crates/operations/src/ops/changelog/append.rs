//! `changelog.append`: adds an entry to the changelog of an atom or molecule.

use base::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::WorkRecordRef;
use work::knowledge::changelog::append;
use work::record::ChangelogEntry;
use work::text::ChangelogSummary;
use work::words::KnowledgeKind;

use engine::areas::work::plan;
use engine::contract::alias::OpAlias;
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::contract::page::{Page, Render};
use engine::plan::Plan;
use engine::view::View;

/// Add an entry to the changelog of an atom or molecule
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Append {
    /// Atom or molecule that changed
    #[serde(alias = "parent_id", alias = "id")]
    pub parent: WorkRecordRef,
    /// What changed and why
    pub summary: ChangelogSummary,
    /// Whether the parent is an atom or a molecule
    #[arg(long)]
    #[serde(default, alias = "parent_type", alias = "entity_type")]
    #[schemars(extend("x-rare" = true))]
    pub kind: Option<KnowledgeKind>,
    /// Task in which it changed
    #[arg(long)]
    #[serde(default, alias = "task_id")]
    pub task: Option<WorkRecordRef>,
}

/// The entry that was added
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChangelogAppendAnswer {
    /// The entry
    pub entry: ChangelogEntry,
}

impl Mutation for Append {
    const NAME: &'static str = "changelog.append";
    const EFFECT: Effect = Effect::ADDS;
    const ALIASES: &'static [OpAlias] =
        &[OpAlias::of("manage_changelog").when("operation", "append")];
    const EXAMPLES: &'static [OpExample] = &[OpExample {
        args: "atom:019b7d2f-1a2b \"Retries moved into the gateway\"",
        shows: "one more entry",
    }];
    type Answer = ChangelogAppendAnswer;

    fn plan(self, view: &View) -> Result<Plan<ChangelogAppendAnswer>> {
        plan(
            view,
            |_| format!("add to the history of {}", self.parent),
            |draft| {
                let task = self.task.as_ref();
                let entry = append(draft, self.kind, &self.parent, task, &self.summary)?;
                Ok(ChangelogAppendAnswer { entry })
            },
        )
    }
}

impl Render for ChangelogAppendAnswer {
    fn render(&self, page: &mut Page) {
        let ChangelogEntry { parent_type, parent_id, .. } = &self.entry;
        page.answer(format!("Added a changelog entry    {parent_type}:{}", parent_id.short()));
    }
}
