//! `work.create`: a new project, feature or task.

use base::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::WorkRecordRef;
use work::edit::{WorkItemFields, create};
use work::text::{
    ClearableArg, DueDate, Estimate, KnowledgeText, ListArg, PersonName, RecordName, SummaryText,
    Tag,
};
use work::words::{WorkKind, WorkPriority};

use super::record::WorkRecordAnswer;
use engine::areas::work::plan;
use engine::contract::alias::OpAlias;
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::plan::Plan;
use engine::view::View;

/// Create a project, feature or task
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Create {
    /// What to create: project, feature or task
    #[serde(alias = "container_type")]
    pub kind: WorkKind,
    /// Name of the project or feature, title of the task
    #[serde(alias = "title")]
    pub name: RecordName,
    /// Project that it belongs to
    #[arg(long)]
    #[serde(default, alias = "project_id")]
    pub project: Option<WorkRecordRef>,
    /// Feature that a task belongs to
    #[arg(long)]
    #[serde(default, alias = "feature_id", skip_serializing_if = "Option::is_none")]
    pub feature: Option<WorkRecordRef>,
    /// Summary, in one or two sentences
    #[arg(long, allow_hyphen_values = true)]
    #[serde(default)]
    pub summary: Option<SummaryText>,
    /// Full description, in any number of lines
    #[arg(long, allow_hyphen_values = true)]
    #[serde(default)]
    pub description: Option<KnowledgeText>,
    /// Priority: HIGH, MEDIUM or LOW
    #[arg(long)]
    #[serde(default)]
    pub priority: Option<WorkPriority>,
    /// Complexity of a task, from 1 (simple) to 10
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub complexity: Option<u32>,
    /// Labels, such as `backend`
    #[arg(long)]
    #[serde(default, alias = "labels")]
    pub tags: Option<ListArg<Tag>>,
    /// Other work that it is related to
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub related_to: Option<ListArg<WorkRecordRef>>,
    /// Task that a task is a part of
    #[arg(long)]
    #[serde(default, alias = "parent_id")]
    #[schemars(extend("x-rare" = true))]
    pub parent: Option<WorkRecordRef>,
    /// Work during which it was found
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub discovered_from: Option<WorkRecordRef>,
    /// Person or agent that it is assigned to
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub assignee: Option<ClearableArg<PersonName>>,
    /// Day by which it is due, such as 2026-03-31
    #[arg(long)]
    #[serde(default, alias = "due_date")]
    #[schemars(extend("x-rare" = true))]
    pub due: Option<ClearableArg<DueDate>>,
    /// Milestone that it belongs to
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub milestone: Option<ClearableArg<RecordName>>,
    /// Time that it should take, such as 30m, 2h or 3d
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub estimate: Option<ClearableArg<Estimate>>,
    /// Templates whose sections it gets
    #[arg(long)]
    #[serde(default, alias = "template_ids")]
    #[schemars(extend("x-rare" = true))]
    pub templates: Option<ListArg<String>>,
}

impl Mutation for Create {
    const NAME: &'static str = "work.create";
    const EFFECT: Effect = Effect::ADDS;
    const ALIASES: &'static [OpAlias] =
        &[OpAlias::of("manage_container").when("operation", "create")];
    const EXAMPLES: &'static [OpExample] = &[OpExample {
        args: "task \"Handle disputed charges\" --priority HIGH --templates Task",
        shows: "a task with the sections to fill",
    }];
    type Answer = WorkRecordAnswer;

    fn plan(self, view: &View) -> Result<Plan<WorkRecordAnswer>> {
        let summary = format!("create {} \"{}\"", self.kind, self.name.as_str().trim());
        let fields = WorkItemFields {
            name: Some(self.name),
            summary: self.summary,
            description: self.description,
            priority: self.priority,
            complexity: self.complexity,
            tags: self.tags,
            feature: self.feature.map(|feature| ClearableArg(Some(feature))),
            related_to: self.related_to,
            parent: self.parent.map(|parent| ClearableArg(Some(parent))),
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
            |_| summary,
            |draft| {
                let made = create(draft, self.kind, self.project.as_ref(), &fields)?;
                for name in self.templates.iter().flat_map(|many| &many.0) {
                    let template = work::templates::find(draft, name)?;
                    work::templates::apply(draft, &made, &template)?;
                }
                Ok(WorkRecordAnswer::of(made, "Created"))
            },
        )
    }
}
