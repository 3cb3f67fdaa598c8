//! `work.update`: changes the fields of a project, feature or task. Not its state.

use base::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::VersionedRef;
use work::WorkRecordRef;
use work::edit::{WorkItemFields, update};
use work::text::{
    ClearableArg, DueDate, Estimate, KnowledgeText, ListArg, PersonName, RecordName, SummaryText,
    Tag, deserialize_given,
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
    #[arg(long, allow_hyphen_values = true)]
    #[serde(default)]
    pub summary: Option<SummaryText>,
    /// New full description
    #[arg(long, allow_hyphen_values = true)]
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
    #[serde(default, alias = "labels")]
    pub tags: Option<ListArg<Tag>>,
    /// Task that a task is a part of; `none` clears it
    #[arg(long)]
    #[serde(default, alias = "parent_id")]
    #[schemars(extend("x-rare" = true))]
    pub parent: Option<ClearableArg<WorkRecordRef>>,
    /// Work during which it was found
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub discovered_from: Option<WorkRecordRef>,
    /// Person or agent that it is assigned to; `none` clears it
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub assignee: Option<ClearableArg<PersonName>>,
    /// Day by which it is due, such as 2026-03-31; `none` clears it
    #[arg(long)]
    #[serde(default, alias = "due_date")]
    #[schemars(extend("x-rare" = true))]
    pub due: Option<ClearableArg<DueDate>>,
    /// Milestone that it belongs to; `none` clears it
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub milestone: Option<ClearableArg<RecordName>>,
    /// Time that it should take, such as 30m, 2h or 3d; `none` clears it
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub estimate: Option<ClearableArg<Estimate>>,
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
            parent: self.parent,
            discovered_from: self.discovered_from,
            assignee: self.assignee,
            due: self.due,
            milestone: self.milestone,
            estimate: self.estimate,
            source: None,
            key: None,
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
