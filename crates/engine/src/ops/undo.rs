//! `undo`: the inverse of a change, planned like any other change.

use base::{Code, Hash, Problem, RepoPath, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tree::{Entry, FileEdit, Logged};

use crate::changes::{self, RecordedChange, Sought};
use crate::contract::op::{Effect, Example, Mutation};
use crate::contract::page::{Page, Render};
use crate::plan::{Change, Plan};
use crate::view::View;

/// Undo your last change that is not undone yet, or another change by its number
///
/// Each further undo goes one change further back; `redo` takes the last undo back. Changes of others,
/// and of your other sessions, are undone only by their number. Refused where a file was edited since.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Undo {
    /// Number of the change, as its answer said; your own last one if left out
    #[arg(long)]
    #[serde(default)]
    pub change: Option<String>,
    /// Undo even where files were edited since; `redo` brings those edits back
    #[arg(long)]
    #[serde(default)]
    pub force: bool,
}

/// The change that was undone
#[derive(Debug, Serialize, JsonSchema)]
pub struct Undone {
    /// Its number
    pub change: String,
    /// What it had done
    pub summary: String,
    /// Who had made it
    pub actor: String,
    /// Whether the caller had made it, in this session
    pub own: bool,
    #[serde(skip)]
    pub(super) redone: bool,
}

impl Mutation for Undo {
    const NAME: &'static str = "undo";
    const EFFECT: Effect = Effect::OVERWRITES;
    const EXAMPLES: &'static [Example] = &[
        Example { args: "--dry-run", shows: "what undoing your last change would do" },
        Example { args: "--change 12", shows: "change 12 undone, whoever made it" },
    ];
    type Answer = Undone;

    fn plan(self, view: &View) -> Result<Plan<Undone>> {
        let change = match &self.change {
            Some(name) => changes::named(view, name)?,
            None => changes::last_own(view, Sought::Change)?,
        };
        take_back(view, change, self.force, "undo")
    }
}

/// Plans to take a change back.
pub(super) fn take_back(
    view: &View,
    recorded: RecordedChange,
    force: bool,
    verb: &str,
) -> Result<Plan<Undone>> {
    let (name, summary) = (recorded.name(), recorded.summary().to_owned());
    let answer = Undone {
        summary: summary.clone(),
        actor: recorded.actor().to_owned(),
        own: recorded.is_of(view.call()),
        redone: verb == "redo",
        change: name.clone(),
    };
    let change = match recorded {
        RecordedChange::Files(entry) => files_before(view, &entry, force)?,
        RecordedChange::Store(durable, made) => Change::Store(durable.undoing(&made, view.call())?),
    };
    // Made again, the last change would be another one.
    Ok(Plan { summary: format!("{verb} of {name}: {summary}"), change, answer, again: false })
}

/// The files of a change as they were before it.
fn files_before(view: &View, entry: &Entry, force: bool) -> Result<Change> {
    let mut edits = Vec::new();
    for (index, logged) in entry.edits.iter().enumerate() {
        let current = view.tree().read(&logged.path)?.map(|blob| blob.hash);
        if current != logged.after && !force {
            return Err(edited_since(view, entry, logged, current));
        }
        let content = view.journal().before(entry, index)?;
        edits.push(FileEdit { path: logged.path.clone(), expected: current, content });
    }
    Ok(Change::TakeBack { edits, undoes: entry.id })
}

/// A file is not as the change left it: what happened to it, and what can be done.
fn edited_since(view: &View, entry: &Entry, logged: &Logged, current: Option<Hash>) -> Problem {
    let (id, path) = (entry.id, &logged.path);
    let what = match (logged.after, current) {
        (Some(_), None) => "was deleted",
        (None, Some(_)) => "was created again",
        _ => "was edited",
    };
    let message =
        format!("`{path}` {what} since change {id} ({}, by {})", entry.summary, entry.actor);
    let problem = Problem::new(Code::Conflict, message).detail("path", path.to_string());
    let problem = match newer_change(view, entry, path, current) {
        Some(newer) => {
            let (newer_id, summary, actor) = (newer.id, &newer.summary, &newer.actor);
            let first = format!(
                "change {newer_id} ({summary}, by {actor}) came after it; undo that first:"
            );
            problem
                .detail("newer_change", newer_id)
                .hint_call(&first, changes::undo(&newer_id.to_string()))
        }
        None => problem.hint(format!("{path} was changed by something else than cairn")),
    };
    let force = changes::undo(&id.to_string()).with("force", true);
    problem
        .hint_call("to see what undoing it would change now:", force.clone().with("dry_run", true))
        .hint_call("to undo it together with the edits since, which `redo` brings back:", force)
}

/// The newer change of cairn that left the file as it is now.
fn newer_change(
    view: &View,
    entry: &Entry,
    path: &RepoPath,
    current: Option<Hash>,
) -> Option<Entry> {
    let left_it =
        |newer: &Entry| newer.edits.iter().any(|edit| edit.path == *path && edit.after == current);
    let newer = view.journal().entries().into_iter().take_while(|newer| newer.id > entry.id);
    newer.into_iter().find(left_it)
}

impl Render for Undone {
    fn render(&self, page: &mut Page) {
        let Self { change, summary, actor, .. } = self;
        let what = if self.redone { "Redone, by taking back" } else { "Undone:" };
        page.answer(match self.own {
            true => format!("{what} change {change} ({summary})"),
            false => format!("{what} change {change} ({summary}), made by {actor}"),
        });
    }
}
