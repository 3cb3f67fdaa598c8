//! Which commits belong to a task: those that name it, and those made during its claim.

use std::collections::BTreeSet;

use base::{RepoPath, Result};
use schemars::JsonSchema;
use serde::Serialize;
use work::record::{Task, TaskClaim};
use work::{WorkDraft, WorkItem, WorkRecordId};

use super::files_of;
use crate::repository::Repository;
use crate::view::View;

/// The digits of a task's id that a commit's trailer needs.
const MIN_TRAILER_DIGITS: usize = 8;

/// The digits of a commit's short id.
const SHORT_ID_DIGITS: usize = 12;

/// The folder of cairn's own files, which no atom has to cover.
const OWN_FOLDER: &str = ".cairn";

/// The files that a task's commits touched.
#[derive(Debug, Clone, Default)]
pub struct TouchedFiles {
    /// The touched files, without cairn's own
    pub paths: Vec<String>,
    /// The commits, newest first
    pub commits: Vec<TaskCommit>,
}

/// A commit of a task
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TaskCommit {
    /// Its short id
    pub id: String,
    /// The first line of its message
    pub subject: String,
}

/// What the commits of a task touched. A commit that names no task belongs to one claim at most,
/// whether that claim still holds or has ended.
pub fn files_touched(view: &View, draft: &WorkDraft<'_>, task: &Task) -> Result<TouchedFiles> {
    let Some(git) = view.git() else { return Ok(TouchedFiles::default()) };
    let since = task.created_at.parse().unwrap_or(view.call().now);
    let claims: Vec<TaskClaim> = draft.all()?;
    let mut touched = TouchedFiles::default();
    let mut paths = BTreeSet::new();
    for commit in git.commits_since(since, view.call())? {
        let is_own = match commit.tasks.is_empty() {
            true => claimed_by(view, draft, git, &commit, &claims)?.as_ref() == Some(&task.id),
            false => trailer_names_task(&commit, task),
        };
        if is_own {
            let id = commit.id.to_string().chars().take(SHORT_ID_DIGITS).collect();
            touched.commits.push(TaskCommit { id, subject: commit.subject.clone() });
            let files = git.files_touched_by(&commit, view.call())?;
            paths.extend(files.iter().map(ToString::to_string).filter(|path| !is_own_file(path)));
        }
    }
    touched.paths = paths.into_iter().collect();
    Ok(touched)
}

fn is_own_file(path: &str) -> bool {
    path.split('/').next() == Some(OWN_FOLDER)
}

/// Whether a trailer of a commit names a task: by its key, with or without its digits, its title or its id.
fn trailer_names_task(commit: &git::RecentCommit, task: &Task) -> bool {
    let plain = task.id.as_str().replace('-', "");
    let key = WorkItem::Task(task.clone()).key();
    let title = task.title.to_lowercase();
    commit.tasks.iter().any(|named| {
        let named = named.trim_start_matches("task:").trim().to_lowercase();
        if named == key.as_str() || named == title || task.slug.as_ref() == Some(&named) {
            return true;
        }
        let named = named.replace('-', "");
        named.len() >= MIN_TRAILER_DIGITS && plain.starts_with(&named)
    })
}

/// The task during whose claim a commit was made. Of several, the one whose Context Files name a
/// file of the commit; of several such, the one that was claimed last.
fn claimed_by(
    view: &View,
    draft: &WorkDraft<'_>,
    git: &Repository,
    commit: &git::RecentCommit,
    claims: &[TaskClaim],
) -> Result<Option<WorkRecordId>> {
    let by_them = |claim: &&TaskClaim| !claim.actor.contains('@') || commit.author == claim.actor;
    let mut fitting: Vec<&TaskClaim> =
        claims.iter().filter(|claim| claim.held_at(commit.at)).filter(by_them).collect();
    if fitting.len() > 1 {
        let files = git.files_touched_by(commit, view.call())?;
        let mut naming = Vec::new();
        for claim in &fitting {
            if names_one_of(view, draft, &claim.id, &files)? {
                naming.push(*claim);
            }
        }
        if !naming.is_empty() {
            fitting = naming;
        }
    }
    let last = fitting.into_iter().max_by(|a, b| (&a.since, &a.id).cmp(&(&b.since, &b.id)));
    Ok(last.map(|claim| claim.id.clone()))
}

/// Whether the Context Files of a task name one of some files.
fn names_one_of(
    view: &View,
    draft: &WorkDraft<'_>,
    id: &WorkRecordId,
    paths: &[RepoPath],
) -> Result<bool> {
    let Some(task) = draft.get::<Task>(id)? else { return Ok(false) };
    let named = files_of(view, draft, &WorkItem::Task(task))?;
    let named: BTreeSet<String> = named.into_iter().collect();
    Ok(paths.iter().any(|path| named.contains(&path.to_string())))
}
