//! `work.show`: one project, feature or task, with its sections and knowledge on request.

use base::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::claim::active_claim;
use work::dependencies::{DependencyView, dependencies_of};
use work::edit::kinds;
use work::knowledge::context::{KnowledgePage, PathKnowledge};
use work::knowledge::files;
use work::record::{Feature, Project, Section, Task, TaskClaim};
use work::words::WorkKind;
use work::{WorkItem, WorkRecordRef};

use super::record::{line, quote_sections};
use crate::ops::graph::details::render_known;
use engine::areas::work::{context_files, expand_paths, knowledge_about, read_store};
use engine::contract::alias::OpAlias;
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, Render};
use engine::view::View;

/// How many changelog entries are shown with the knowledge.
const MAX_CHANGES: usize = 5;

/// Show a project, feature or task
///
/// With its sections, and for a task the knowledge about the files that it names.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Show {
    /// Id, its first digits, a name or a handle
    pub id: WorkRecordRef,
    /// Whether the id is of a project, feature or task
    #[arg(long)]
    #[serde(default, alias = "container_type")]
    #[schemars(extend("x-rare" = true))]
    pub kind: Option<WorkKind>,
    /// Show all sections too
    #[arg(long)]
    #[serde(default)]
    pub include_sections: bool,
    /// Show the knowledge about the task's Context Files too
    #[arg(long)]
    #[serde(default)]
    pub include_graph_context: bool,
}

/// A record with its context
#[derive(Debug, Serialize, JsonSchema)]
pub struct WorkShowAnswer {
    /// The project, if it is one
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<Project>,
    /// The feature, if it is one
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature: Option<Feature>,
    /// The task, if it is one
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<Task>,
    /// Its claim
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<TaskClaim>,
    /// Its dependencies
    pub dependencies: Vec<DependencyView>,
    /// Its sections, if they were asked for
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sections: Option<Vec<Section>>,
    /// Knowledge about its files, if that was asked for
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph_context: Option<PathKnowledge>,
    /// Lines of its Context Files that name no file, if that was asked for
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread_context_lines: Vec<String>,
    #[serde(skip)]
    line: String,
    #[serde(skip)]
    texts: (String, String),
}

impl Query for Show {
    const NAME: &'static str = "work.show";
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("query_container").when("operation", "get")];
    const EXAMPLES: &'static [OpExample] = &[OpExample {
        args: "task:019b7d2f-1a2b --include-sections --include-graph-context",
        shows: "a task with its sections and knowledge",
    }];
    type Answer = WorkShowAnswer;

    fn run(self, view: &View) -> Result<WorkShowAnswer> {
        read_store(view, |draft| {
            let one = WorkItem::find(draft, &kinds(self.kind), &self.id)?;
            let sections =
                self.include_sections.then(|| work::sections::of(draft, &one)).transpose()?;
            let mut graph_context = None;
            let mut unread = Vec::new();
            if self.include_graph_context && one.kind() == WorkKind::Task {
                let named = context_files(view, &files::context_files_of(draft, &one)?);
                let paths = expand_paths(view, &named.names)?;
                let part = KnowledgePage::all(MAX_CHANGES);
                graph_context =
                    Some(knowledge_about(view, draft, Some(one.project_id()), &paths, part)?);
                unread = named.unread;
            }
            let dependencies = dependencies_of(draft, one.id())?;
            let line = line(&one);
            let mut shown = WorkShowAnswer {
                project: None,
                feature: None,
                task: None,
                claim: None,
                dependencies,
                sections,
                graph_context,
                unread_context_lines: unread,
                line,
                texts: (String::new(), one.brief().handle()),
            };
            shown.texts.0 = work::query::text(&one).lines().skip(1).collect::<Vec<_>>().join("\n");
            match one {
                WorkItem::Project(project) => shown.project = Some(project),
                WorkItem::Feature(feature) => shown.feature = Some(feature),
                WorkItem::Task(task) => {
                    shown.claim = active_claim(draft, &task)?;
                    shown.task = Some(task);
                }
            }
            Ok(shown)
        })
    }
}

impl Render for WorkShowAnswer {
    fn render(&self, page: &mut Page) {
        page.answer(&self.line);
        let reason = self.task.as_ref().and_then(|task| task.end_reason.as_ref());
        let reason = reason.or(self.feature.as_ref().and_then(|one| one.end_reason.as_ref()));
        if let Some(reason) = reason {
            page.item("reason for termination", reason);
        }
        if let Some(claim) = &self.claim {
            page.item("claimed by", format!("{} until {}", claim.actor, claim.until));
        }
        if !self.texts.0.trim().is_empty() {
            page.quoted(self.texts.0.trim(), &self.texts.1);
        }
        if !self.dependencies.is_empty() {
            page.heading("Dependencies");
            for tie in &self.dependencies {
                super::dependencies::render_dependency(page, tie);
            }
        }
        quote_sections(page, self.sections.as_deref().unwrap_or_default());
        if let Some(known) = &self.graph_context {
            page.heading("Knowledge about its files");
            render_known(page, known);
        }
        if !self.unread_context_lines.is_empty() {
            page.heading("Lines of its Context Files that name no file");
            self.unread_context_lines.iter().for_each(|line| page.say(format!("  {line}")));
        }
    }
}
