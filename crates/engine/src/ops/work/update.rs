//! `work.update`: changes what is written on a project, feature or task. Not its state.

use base::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::Ref;
use work::edit::{Fields, update};
use work::text::{Knowledge, Many, Name, OrNone, Summary, Tag, given};
use work::words::{Kind, Priority};

use super::shown::Whole;
use crate::contract::alias::Alias;
use crate::contract::op::{Effect, Example, Mutation};
use crate::layers::work::plan;
use crate::plan::Plan;
use crate::view::View;

/// Change what is written on a project, feature or task
///
/// Not its state.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Update {
    /// Which one
    pub id: Ref,
    /// The version you saw
    #[arg(long)]
    pub version: u32,
    /// Its kind
    #[arg(long)]
    #[serde(default, alias = "container_type")]
    pub kind: Option<Kind>,
    /// What it is called
    #[arg(long)]
    #[serde(default, alias = "title")]
    pub name: Option<Name>,
    /// A task's feature; `none` takes it out
    #[arg(long)]
    #[serde(
        default,
        alias = "feature_id",
        deserialize_with = "given",
        skip_serializing_if = "Option::is_none"
    )]
    pub feature: Option<OrNone<Ref>>,
    /// In short
    #[arg(long)]
    #[serde(default)]
    pub summary: Option<Summary>,
    /// At length
    #[arg(long)]
    #[serde(default)]
    pub description: Option<Knowledge>,
    /// HIGH, MEDIUM or LOW
    #[arg(long)]
    #[serde(default)]
    pub priority: Option<Priority>,
    /// From 1 to 10
    #[arg(long)]
    #[serde(default)]
    pub complexity: Option<u32>,
    /// All labels
    #[arg(long)]
    #[serde(default)]
    pub tags: Option<Many<Tag>>,
    /// More work it has to do with
    #[arg(long)]
    #[serde(default)]
    pub related_to: Option<Many<Ref>>,
}

impl Mutation for Update {
    const NAME: &'static str = "work.update";
    const EFFECT: Effect = Effect::OVERWRITES;
    const ALIASES: &'static [Alias] = &[Alias::of("manage_container").when("operation", "update")];
    const EXAMPLES: &'static [Example] = &[Example {
        args: "task:019b7d2f-1a2b --version 2 --priority LOW",
        shows: "a task that can wait",
    }];
    type Answer = Whole;

    fn plan(self, view: &View) -> Result<Plan<Whole>> {
        let fields = Fields {
            name: self.name,
            summary: self.summary,
            description: self.description,
            priority: self.priority,
            complexity: self.complexity,
            tags: self.tags,
            feature: self.feature,
            related_to: self.related_to,
        };
        plan(
            view,
            |_| format!("update {}", self.id),
            |draft| {
                let changed = update(draft, (self.kind, &self.id), self.version, &fields)?;
                Ok(Whole::of(changed, "Changed"))
            },
        )
    }
}
