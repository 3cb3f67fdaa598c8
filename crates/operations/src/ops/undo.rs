//! `undo`: the inverse of a change, planned like any other change.

use base::{Hash, Problem, ProblemCode, RepoPath, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tree::{FileEdit, JournalEdit, JournalEntry};

use engine::changes::{self, RecordedChange, UndoTarget};
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::contract::page::{Page, Render};
use engine::plan::{Plan, PlannedChange};
use engine::view::View;

/// Undo your last change, or another change by its number
///
/// Each further undo goes one change further back; `redo` reverses the last undo. Changes of
/// others, and of your other sessions, are undone only by their number. Refused where a file was
/// edited since.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Undo {
    /// Number of the change, as its answer showed it; your own last one if left out
    #[arg(long)]
    #[serde(default)]
    pub change: Option<String>,
    /// Undo even where files were edited since; `redo` restores those edits
    #[arg(long)]
    #[serde(default)]
    pub force: bool,
}

/// The change that was undone
#[derive(Debug, Serialize, JsonSchema)]
pub struct UndoAnswer {
    /// Its number
    pub change: String,
    /// What it did
    pub summary: String,
    /// Who made it
    pub actor: String,
    /// Whether the caller made it, in this session
    pub own: bool,
    #[serde(skip)]
    pub(super) is_redo: bool,
}

impl Mutation for Undo {
    const NAME: &'static str = "undo";
    const EFFECT: Effect = Effect::OVERWRITES;
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "--dry-run", shows: "what undoing your last change would do" },
        OpExample { args: "--change 12", shows: "change 12 undone, whoever made it" },
    ];
    type Answer = UndoAnswer;

    fn plan(self, view: &View) -> Result<Plan<UndoAnswer>> {
        let change = match &self.change {
            Some(name) => changes::find_by_name(view, name)?,
            None => changes::last_by_caller(view, UndoTarget::Change)?,
        };
        plan_undo(view, change, self.force, "undo")
    }
}

/// Plans the inverse of a change.
pub(super) fn plan_undo(
    view: &View,
    recorded: RecordedChange,
    force: bool,
    verb: &str,
) -> Result<Plan<UndoAnswer>> {
    let (name, summary) = (recorded.name(), recorded.summary().to_owned());
    let answer = UndoAnswer {
        summary: summary.clone(),
        actor: recorded.actor().to_owned(),
        own: recorded.is_made_by(view.call()),
        is_redo: verb == "redo",
        change: name.clone(),
    };
    let change = match recorded {
        RecordedChange::Files(entry) => files_before(view, &entry, force)?,
        RecordedChange::Store(durable, made) => {
            PlannedChange::Store(durable.undo_change(&made, view.call())?)
        }
    };
    // When planned again, the last change could be another one.
    Ok(Plan {
        summary: format!("{verb} of {name}: {summary}"),
        change,
        answer,
        retry_on_conflict: false,
    })
}

/// The files of a change as they were before it.
fn files_before(view: &View, entry: &JournalEntry, force: bool) -> Result<PlannedChange> {
    let mut edits = Vec::new();
    for (index, logged) in entry.edits.iter().enumerate() {
        let current = view.tree().read(&logged.path)?.map(|blob| blob.hash);
        if current != logged.after && !force {
            return Err(edited_since(view, entry, logged, current));
        }
        let content = view.journal().content_before(entry, index)?;
        edits.push(FileEdit { path: logged.path.clone(), expected: current, content });
    }
    Ok(PlannedChange::Undo { edits, undoes: entry.id })
}

/// The problem that a file changed since, with hints.
fn edited_since(
    view: &View,
    entry: &JournalEntry,
    logged: &JournalEdit,
    current: Option<Hash>,
) -> Problem {
    let (id, path) = (entry.id, &logged.path);
    let what = match (logged.after, current) {
        (Some(_), None) => "was deleted",
        (None, Some(_)) => "was created again",
        _ => "was edited",
    };
    let message =
        format!("`{path}` {what} since change {id} ({}, by {})", entry.summary, entry.actor);
    let problem = Problem::new(ProblemCode::Conflict, message).detail("path", path.to_string());
    let problem = match newer_change(view, entry, path, current) {
        Some(newer) => {
            let (newer_id, summary, actor) = (newer.id, &newer.summary, &newer.actor);
            let first = format!(
                "change {newer_id} ({summary}, by {actor}) came after it; undo that first:"
            );
            problem
                .detail("newer_change", newer_id.0)
                .hint_call(&first, changes::undo_call(&newer_id.to_string()))
        }
        None => problem.hint(format!("{path} was changed outside cairn")),
    };
    let force = changes::undo_call(&id.to_string()).with("force", true);
    problem
        .hint_call("to see what undoing it would change now:", force.clone().with("dry_run", true))
        .hint_call("to undo it together with the later edits, which `redo` restores:", force)
}

/// The newer change of cairn that left the file as it is now.
fn newer_change(
    view: &View,
    entry: &JournalEntry,
    path: &RepoPath,
    current: Option<Hash>,
) -> Option<JournalEntry> {
    let left_it = |newer: &JournalEntry| {
        newer.edits.iter().any(|edit| edit.path == *path && edit.after == current)
    };
    let newer = view.journal().entries().into_iter().take_while(|newer| newer.id > entry.id);
    newer.into_iter().find(left_it)
}

impl Render for UndoAnswer {
    fn render(&self, page: &mut Page) {
        let Self { change, summary, actor, .. } = self;
        let what = if self.is_redo { "Redone: reversed" } else { "Undone:" };
        page.answer(match self.own {
            true => format!("{what} change {change} ({summary})"),
            false => format!("{what} change {change} ({summary}), made by {actor}"),
        });
    }
}
