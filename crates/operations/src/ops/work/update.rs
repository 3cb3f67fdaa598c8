//! `work.update`: changes the fields of a project, feature or task. Not its state.

use base::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::VersionedRef;
use work::WorkRecordRef;
use work::edit::{WorkItemFields, update};
use work::text::{
    ClearableArg, KnowledgeText, ListArg, RecordName, SummaryText, Tag, deserialize_given,
};
use work::words::{WorkKind, WorkPriority};

use super::record::WorkRecordAnswer;
use engine::areas::work::plan;
use engine::contract::alias::OpAlias;
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::plan::Plan;
use engine::view::View;

/// Change the fields of a project, feature or task
///
/// `work advance` changes its state.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Update {
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
    /// New name or title
    #[arg(long)]
    #[serde(default, alias = "title")]
    pub name: Option<RecordName>,
    /// Feature that a task belongs to; `none` removes it from one
    #[arg(long)]
    #[serde(
        default,
        alias = "feature_id",
        deserialize_with = "deserialize_given",
        skip_serializing_if = "Option::is_none"
    )]
    pub feature: Option<ClearableArg<WorkRecordRef>>,
    /// New summary, in one or two sentences
    #[arg(long)]
    #[serde(default)]
    pub summary: Option<SummaryText>,
    /// New full description
    #[arg(long)]
    #[serde(default)]
    pub description: Option<KnowledgeText>,
    /// New priority: HIGH, MEDIUM or LOW
    #[arg(long)]
    #[serde(default)]
    pub priority: Option<WorkPriority>,
    /// New complexity, from 1 (simple) to 10
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub complexity: Option<u32>,
    /// All labels; those that are left out are removed
    #[arg(long)]
    #[serde(default)]
    pub tags: Option<ListArg<Tag>>,
    /// More work that it is related to
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub related_to: Option<ListArg<WorkRecordRef>>,
}

impl Mutation for Update {
    const NAME: &'static str = "work.update";
    const EFFECT: Effect = Effect::OVERWRITES;
    const ALIASES: &'static [OpAlias] =
        &[OpAlias::of("manage_container").when("operation", "update")];
    const EXAMPLES: &'static [OpExample] = &[OpExample {
        args: "task:019b7d2f-1a2b --version 2 --priority LOW",
        shows: "a task that can wait",
    }];
    type Answer = WorkRecordAnswer;

    fn plan(self, view: &View) -> Result<Plan<WorkRecordAnswer>> {
        let fields = WorkItemFields {
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
                let target = VersionedRef { id: &self.id, version: Some(self.version) };
                let changed = update(draft, self.kind, target, &fields)?;
                Ok(WorkRecordAnswer::of(changed, "Changed"))
            },
        )
    }
}
