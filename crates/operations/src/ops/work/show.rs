//! `work.show`: one project, feature or task, with its sections and knowledge on request.

use base::moment::{elapsed, to_the_second};
use base::words::counted;
use base::{NextCall, Result};
use clap::Args;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::claim::active_claim;
use work::dependencies::{DependencyView, dependencies_of};
use work::edit::kinds;
use work::events::events_of;
use work::knowledge::context::{KnowledgePage, PathKnowledge};
use work::knowledge::files;
use work::record::{EvidenceRecord, Feature, Project, Section, Task, TaskClaim, WorkEvent};
use work::text::Estimate;
use work::words::{WorkEventKind, WorkKind, WorkStatus};
use work::{WorkItem, WorkKey, WorkRecordRef};

use super::briefing::{FeatureProgress, feature_progress, progress_of};
use super::dependencies::render_relation;
use super::record::{line, progress_bar, quote_sections};
use crate::ops::knowledge::details::render_known;
use engine::areas::work::{
    TaskCommit, context_files, expand_paths, files_touched, knowledge_about, read_store,
};
use engine::contract::alias::OpAlias;
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::view::View;

/// How many events are shown.
const MAX_EVENTS: usize = 8;

/// How many events are shown with `full`.
const MAX_EVENTS_IN_FULL: usize = 1000;

/// How many changelog entries are shown with the knowledge.
const MAX_CHANGES: usize = 5;

/// Show a project, feature or task: fields, people, relations and history
///
/// `full` adds its sections, its commits, and the knowledge about the files that a task names.
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
    /// Show everything: sections, knowledge, commits and the whole history
    #[arg(long)]
    #[serde(default)]
    pub full: bool,
    /// Show all sections too
    #[arg(long)]
    #[serde(default)]
    pub include_sections: bool,
    /// Also show the knowledge about the task's Context Files
    #[arg(long, alias = "include-graph-context")]
    #[serde(default, alias = "include_graph_context")]
    pub include_knowledge: bool,
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
    /// Its last claim, if it was started and that claim ended before the task
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expired_claim: Option<TaskClaim>,
    /// Its key, which other operations accept as well as its id
    pub key: WorkKey,
    /// The progress of the feature, or of the feature of the task
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<FeatureProgress>,
    /// Its dependencies
    pub dependencies: Vec<DependencyView>,
    /// Its changes and comments, oldest first
    pub history: Vec<WorkEvent>,
    /// How many older events there are
    pub older_events: usize,
    /// The commits of a task, newest first, with `full`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commits: Option<Vec<TaskCommit>>,
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
    #[serde(skip)]
    now: Timestamp,
}

impl Query for Show {
    const NAME: &'static str = "work.show";
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("query_container").when("operation", "get")];
    const EXAMPLES: &'static [OpExample] = &[OpExample {
        args: "task:019b7d2f-1a2b --include-sections --include-knowledge",
        shows: "a task with its sections and knowledge",
    }];
    type Answer = WorkShowAnswer;

    fn run(self, view: &View) -> Result<WorkShowAnswer> {
        read_store(view, |draft| {
            let one = WorkItem::find(draft, &kinds(self.kind), &self.id)?;
            let with_sections = self.include_sections || self.full;
            let sections = with_sections.then(|| work::sections::of(draft, &one)).transpose()?;
            let mut history = events_of(draft, one.id())?;
            let most = if self.full { MAX_EVENTS_IN_FULL } else { MAX_EVENTS };
            let older_events = history.len().saturating_sub(most);
            let history = history.split_off(older_events);
            let mut graph_context = None;
            let mut unread = Vec::new();
            if (self.include_knowledge || self.full) && one.kind() == WorkKind::Task {
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
                expired_claim: None,
                key: one.key(),
                progress: None,
                history,
                older_events,
                commits: None,
                now: view.call().now,
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
                WorkItem::Feature(feature) => {
                    shown.progress = Some(progress_of(draft, &feature)?);
                    shown.feature = Some(feature);
                }
                WorkItem::Task(task) => {
                    shown.progress = feature_progress(draft, &task)?;
                    if self.full {
                        shown.commits = Some(files_touched(view, draft, &task)?.commits);
                    }
                    shown.claim = active_claim(draft, &task)?;
                    if shown.claim.is_none() && is_started(task.status) {
                        shown.expired_claim = draft.get(&task.id)?;
                    }
                    shown.task = Some(task);
                }
            }
            Ok(shown)
        })
    }
}

/// Whether somebody should be at work on a task of this status.
fn is_started(status: WorkStatus) -> bool {
    status != WorkStatus::New && !status.is_terminal()
}

impl WorkShowAnswer {
    /// The fields that are set, on one line each.
    fn render_fields(&self, page: &mut Page) {
        let (task, feature) = (self.task.as_ref(), self.feature.as_ref());
        if let Some(FeatureProgress { what, finished, tasks }) = &self.progress {
            let bar = progress_bar(*finished, *tasks);
            if task.is_some() {
                page.say_handle(format!("feature: \"{}\" {bar}", what.name), what.handle());
            } else {
                page.item("progress", bar);
                let tasks = NextCall::new("work.overview").with("id", what.handle());
                page.say_call("To list its tasks:", tasks);
            }
        }
        let pick = |of_task: fn(&Task) -> Option<&String>,
                    of_feature: fn(&Feature) -> Option<&String>| {
            task.and_then(of_task).or_else(|| feature.and_then(of_feature)).cloned()
        };
        let estimate = task.and_then(|one| one.estimate).or(feature.and_then(|one| one.estimate));
        let tags = task.map(|one| &one.tags).or(feature.map(|one| &one.tags));
        let tags = tags.map(|tags| tags.join(", ")).filter(|tags| !tags.is_empty());
        let created = task.map(|one| &one.created_at).or(feature.map(|one| &one.created_at));
        let created: Option<Timestamp> = created.and_then(|at| at.parse().ok());
        let fields = [
            ("complexity", task.map(|one| one.complexity.to_string())),
            ("assignee", pick(|one| one.assignee.as_ref(), |one| one.assignee.as_ref())),
            ("due", pick(|one| one.due.as_ref(), |one| one.due.as_ref())),
            ("milestone", pick(|one| one.milestone.as_ref(), |one| one.milestone.as_ref())),
            ("estimate", estimate.map(|minutes| Estimate::of_minutes(minutes).to_string())),
            ("tags", tags),
            ("imported from", pick(|one| one.source.as_ref(), |one| one.source.as_ref())),
            ("created", created.map(|at| elapsed(self.now, at))),
        ];
        for (name, value) in fields {
            if let Some(value) = value {
                page.item(name, value);
            }
        }
        for evidence in task.iter().flat_map(|task| &task.evidence) {
            let EvidenceRecord { kind, what, by, at, .. } = evidence;
            page.item("evidence", format!("{kind}: {what}  ({by}, {})", to_the_second(at)));
        }
    }

    fn render_history(&self, page: &mut Page) {
        if let Some(commits) = self.commits.as_ref().filter(|commits| !commits.is_empty()) {
            page.heading("Commits");
            let cells =
                |one: &TaskCommit| vec![PageCell::handle(&one.id), PageCell::text(&one.subject)];
            page.table(2, commits.iter().map(cells).collect());
        }
        if self.history.is_empty() {
            return;
        }
        page.heading("History");
        if self.older_events > 0 {
            let all = page.answered_call().with("full", true);
            page.say_call(format!("  {} older", counted(self.older_events, "event")), all);
        }
        let cells = |event: &WorkEvent| {
            let text = match event.kind {
                WorkEventKind::Comment => PageCell::text(format!("\"{}\"", event.text)),
                _ => PageCell::text(&event.text),
            };
            vec![PageCell::faint(to_the_second(&event.at)), PageCell::text(&event.actor), text]
        };
        page.table(2, self.history.iter().map(cells).collect());
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
            let until = to_the_second(&claim.until);
            page.item("claimed by", format!("{} until {until}", claim.actor));
        }
        if let Some(claim) = &self.expired_claim {
            let until = to_the_second(&claim.until);
            page.item(
                "claimed by",
                format!("nobody; the claim of {} ended at {until}", claim.actor),
            );
        }
        self.render_fields(page);
        if !self.texts.0.trim().is_empty() {
            page.quoted(self.texts.0.trim(), &self.texts.1);
        }
        if !self.dependencies.is_empty() {
            page.heading("Dependencies");
            let own = self.task.as_ref().map(|one| &one.id);
            let own = own.or(self.feature.as_ref().map(|one| &one.id));
            for tie in &self.dependencies {
                if let Some(own) = own {
                    render_relation(page, own, tie);
                }
            }
        }
        self.render_history(page);
        quote_sections(page, self.sections.as_deref().unwrap_or_default());
        let is_told =
            |known: &&PathKnowledge| known.total_atoms > 0 || !known.unmatched_paths.is_empty();
        if let Some(known) = self.graph_context.as_ref().filter(is_told) {
            page.heading("Knowledge about its files");
            render_known(page, known);
        }
        if !self.unread_context_lines.is_empty() {
            page.heading("Context Files lines that match no file");
            self.unread_context_lines.iter().for_each(|line| page.say(format!("  {line}")));
        }
    }
}
