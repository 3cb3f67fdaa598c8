//! Reasons from history: the commits that made something, and the tasks that they name.

use base::words::counted;
use base::{EntityRef, RepoPath, Result};
use history::CommitHeader;
use history::checkout::CheckoutCommit;

use super::{Reason, ReasonKind, first_paragraph};
use crate::answers::source::LineRange;
use engine::areas::history::{
    HistoryReader, SymbolHistory, commit_node, elapsed_text, trace_lines, trace_symbol,
};
use engine::graph;
use engine::view::View;

/// Maximum length of a quotation of a message, in characters.
const MAX_QUOTE_CHARS: usize = 240;

/// How many of the newest commits are listed, besides the first.
const MAX_NEWEST_COMMITS: usize = 3;

/// How many of the newest commits of some lines are listed.
const MAX_LINE_COMMITS: usize = 5;

/// The commits of a node, oldest first, and the tasks that they name.
pub(super) fn commits_and_tasks(
    view: &View,
    node: &EntityRef,
) -> Result<(Vec<Reason>, Vec<Reason>)> {
    let Some(history) = HistoryReader::open_if_ready(view)? else {
        return Ok((Vec::new(), Vec::new()));
    };
    let stops = commits_of(view, &history, node)?;
    let tasks = task_reasons(view, &history, &stops)?;
    let mut commits = Vec::new();
    let last = stops.len().saturating_sub(MAX_NEWEST_COMMITS);
    for (at, stop) in stops.iter().enumerate() {
        if at > 0 && at < last {
            continue;
        }
        let commit = history.header(stop)?;
        let when = elapsed_text(view.call().now, stop.time);
        let did = match at {
            0 if matches!(node, EntityRef::Commit(_)) => "made",
            0 => "began",
            _ => "changed",
        };
        let between = match at {
            0 if last > 1 => format!("; {} in between not shown", counted(last - 1, "commit")),
            _ => String::new(),
        };
        let says = format!("{did} {when} by {}: {}{between}", commit.author.name, commit.subject());
        commits.push(commit_reason(stop, &commit, says));
    }
    Ok((commits, tasks))
}

/// The commits that changed some lines, newest first, and the tasks that they name.
pub(super) fn commits_and_tasks_of_lines(
    view: &View,
    path: &RepoPath,
    lines: LineRange,
) -> Result<LineReasons> {
    let history = HistoryReader::open(view)?;
    let found = trace_lines(view, &history, path, lines.first, lines.last)?;
    let tasks = task_reasons(view, &history, &found.commits)?;
    let mut commits = Vec::new();
    for (at, stop) in found.commits.iter().enumerate().take(MAX_LINE_COMMITS) {
        let commit = history.header(stop)?;
        let did = if at + 1 == found.commits.len() { "began" } else { "changed" };
        let when = elapsed_text(view.call().now, stop.time);
        let says = format!("{did} {when} by {}: {}", commit.author.name, commit.subject());
        commits.push(commit_reason(stop, &commit, says));
    }
    Ok(LineReasons { commits, tasks, total: found.commits.len(), uncommitted: found.uncommitted })
}

/// The commits and tasks that changed some lines.
pub(super) struct LineReasons {
    /// The newest commits that changed them
    pub commits: Vec<Reason>,
    /// The tasks that those commits name
    pub tasks: Vec<Reason>,
    /// How many commits changed them
    pub total: usize,
    /// How many of the lines are not committed yet
    pub uncommitted: u32,
}

fn commit_reason(stop: &CheckoutCommit, commit: &CommitHeader, says: String) -> Reason {
    let quote = first_paragraph(commit.body(), MAX_QUOTE_CHARS).filter(|text| !is_trailer(text));
    Reason { sort: ReasonKind::Commit, says, quote, node: commit_node(stop), through: None }
}

/// The tasks that some commits name.
fn task_reasons(
    view: &View,
    history: &HistoryReader<'_>,
    commits: &[CheckoutCommit],
) -> Result<Vec<Reason>> {
    let mut tasks = Vec::new();
    for stop in commits {
        for task in tasks_of(history.header(stop)?.body()) {
            tasks.extend(task_reason(view, &task, stop)?);
        }
    }
    Ok(tasks)
}

/// The commits that touched a node, oldest first.
fn commits_of(
    view: &View,
    history: &HistoryReader<'_>,
    node: &EntityRef,
) -> Result<Vec<CheckoutCommit>> {
    let (path, name) = match node {
        EntityRef::Symbol(path, name) => (path.clone(), Some(name.as_str())),
        EntityRef::Module(path) | EntityRef::File(path) => (path.clone(), None),
        EntityRef::Card(key) => match cards::card_by_key(view.index()?.conn(), key.as_str())? {
            Some(card) => (card.path, None),
            None => return Ok(Vec::new()),
        },
        EntityRef::Kb(id) => {
            let known = engine::areas::kb::kb_state(view)?;
            let origin = known.model.get(id.as_str()).and_then(|fact| fact.origin.file());
            match origin {
                Some((path, _)) => (path.clone(), None),
                None => return Ok(Vec::new()),
            }
        }
        EntityRef::Commit(id) => return history.commits_with_prefix(id.as_str()),
        _ => return Ok(Vec::new()),
    };
    let Some(artifact) = history.artifact_at(&path)? else { return Ok(Vec::new()) };
    let touches = match name {
        Some(name) => {
            let SymbolHistory { touches, is_cut } = trace_symbol(view, history, &artifact, name)?;
            if is_cut {
                view.mark_partial("only the newest commits of the file were searched");
            }
            touches.into_iter().map(|touch| touch.touch).collect()
        }
        None => history.touches(artifact.id)?,
    };
    touches.iter().map(|touch| history.commit_position(touch.pos)).collect()
}

fn is_trailer(text: &str) -> bool {
    text.starts_with("Task:") || text.starts_with("tags:")
}

/// The tasks that a message names in its trailers.
fn tasks_of(body: &str) -> Vec<String> {
    let lines = body.lines().filter_map(|line| line.trim().strip_prefix("Task:"));
    lines.map(|id| id.trim().trim_start_matches("task:").to_owned()).collect()
}

fn task_reason(view: &View, id: &str, stop: &CheckoutCommit) -> Result<Option<Reason>> {
    let Ok(target) = format!("task:{id}").parse() else { return Ok(None) };
    let Ok(node) = graph::resolve(view, &target) else { return Ok(None) };
    let task = graph::describe(view, &node)?;
    let says = format!("\"{}\" is named in a commit ({})", task.name, task.about);
    let through = Some(commit_node(stop));
    Ok(Some(Reason { sort: ReasonKind::Task, says, quote: None, node, through }))
}
