//! Why something is there: who asked for it, what was decided, how it came about, who works on it.
//!
//! Reasons that are written at the thing itself come first; where there are none, those of what
//! relies on it are told, with the way there.
//!
//! @see spec::cross/explain

mod history_reasons;
mod written_reasons;

use base::words::counted;
use base::{EntityRef, RepoPath, Result};
use schemars::JsonSchema;
use serde::Serialize;

use crate::answers::source::LineRange;
use engine::areas::code::symbol_node;
use engine::areas::files;
use engine::areas::work::{is_empty, work_patterns};
use engine::graph::{self, NodeDescription};
use engine::view::View;

/// What sort of reason something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReasonKind {
    /// What it must do
    Requirement,
    /// How it is specified
    Spec,
    /// What was decided about it
    Decision,
    /// What was learnt about it
    Knowledge,
    /// A change that made it what it is
    Commit,
    /// Work that asked for it
    Task,
}

/// One reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Reason {
    /// What sort it is
    pub sort: ReasonKind,
    /// It as a sentence without its full stop
    pub says: String,
    /// What is written there, in its own words
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// What the next call takes
    pub node: EntityRef,
    /// What leads there, if it is not said of the thing itself
    #[serde(skip_serializing_if = "Option::is_none")]
    pub through: Option<EntityRef>,
}

/// A thing with its reasons.
pub(crate) struct Explanation {
    /// The thing
    pub target: NodeDescription,
    /// The reasons, from what was asked to what was done
    pub reasons: Vec<Reason>,
    /// What nobody wrote down
    pub gaps: Vec<&'static str>,
}

/// The chain of reasons for something.
pub(crate) fn explain(view: &View, node: &EntityRef) -> Result<Explanation> {
    let target = graph::describe(view, node)?;
    let mut reasons = written_reasons::reasons_at(view, node)?;
    let is_asked = |reasons: &[Reason]| {
        reasons
            .iter()
            .any(|reason| matches!(reason.sort, ReasonKind::Requirement | ReasonKind::Spec))
    };
    if !is_asked(&reasons) {
        reasons.extend(written_reasons::reasons_of_dependents(view, node)?);
    }
    let (commits, tasks) = history_reasons::commits_and_tasks(view, node)?;
    reasons.extend(commits);
    reasons.extend(tasks);
    reasons.extend(open_tasks(view, node)?);
    let mut seen = std::collections::BTreeSet::new();
    reasons.retain(|reason| seen.insert(reason.node.clone()));
    reasons.sort_by_key(|reason| (reason.sort, reason.through.is_some()));
    let has = |sort: ReasonKind| reasons.iter().any(|reason| reason.sort == sort);
    let gaps = [
        (ReasonKind::Requirement, "requirement"),
        (ReasonKind::Spec, "spec"),
        (ReasonKind::Decision, "decision"),
        (ReasonKind::Task, "task"),
    ];
    let gaps = gaps.into_iter().filter(|(sort, _)| !has(*sort)).map(|(_, word)| word).collect();
    Ok(Explanation { target, reasons, gaps })
}

/// The chain of reasons for some lines of a file: the commits that made them what they are, newest
/// first, and what is written about the innermost symbol around them.
pub(crate) fn explain_lines(view: &View, path: &RepoPath, lines: LineRange) -> Result<Explanation> {
    let symbols = code::symbols_in_file(view.index()?.conn(), path)?;
    let around = symbols.iter().filter(|row| row.line <= lines.first && lines.last <= row.end_line);
    let inner = around.min_by_key(|row| row.end_line - row.line);
    let node = match inner {
        Some(row) => symbol_node(row),
        None => files::file_node(path),
    };
    let mut reasons = written_reasons::reasons_at(view, &node)?;
    let found = history_reasons::commits_and_tasks_of_lines(view, path, lines)?;
    let about = match (found.total, found.uncommitted) {
        (0, _) => "not committed yet".to_owned(),
        (commits, 0) => format!("{} made them", counted(commits, "commit")),
        (commits, edited) => {
            let edited = counted(edited, "line");
            format!(
                "{} made them; {edited} edited since and not committed",
                counted(commits, "commit")
            )
        }
    };
    let within = inner.map(|row| format!(", in {}", row.full)).unwrap_or_default();
    let name = format!("{path}:{}-{}{within}", lines.first, lines.last);
    let target = NodeDescription { name, about, ..graph::describe(view, &node)? };
    reasons.sort_by_key(|reason| (reason.sort, reason.through.is_some()));
    let reasons = found.commits.into_iter().chain(found.tasks).chain(reasons).collect();
    Ok(Explanation { target, reasons, gaps: Vec::new() })
}

/// Tasks that name the file among those they are about.
fn open_tasks(view: &View, node: &EntityRef) -> Result<Vec<Reason>> {
    let Some(path) = node.path().filter(|_| !matches!(node, EntityRef::Dir(_))) else {
        return Ok(Vec::new());
    };
    if is_empty(view)? {
        return Ok(Vec::new());
    }
    let derived = work_patterns(view)?;
    let mut reasons = Vec::new();
    for id in derived.tasks_naming(&path.to_string()) {
        let Ok(node) = format!("task:{id}").parse::<EntityRef>() else { continue };
        let task = graph::describe(view, &node)?;
        let says = format!("\"{}\" is open and names the file ({})", task.name, task.about);
        reasons.push(Reason { sort: ReasonKind::Task, says, quote: None, node, through: None });
    }
    Ok(reasons)
}

/// The first paragraph of a text on one line, cut.
fn first_paragraph(text: &str, most: usize) -> Option<String> {
    let lines = text.lines().map(str::trim);
    let said = lines.skip_while(|line| line.is_empty() || line.starts_with('#'));
    let paragraph: Vec<&str> = said.take_while(|line| !line.is_empty()).collect();
    let line = paragraph.join(" ");
    let cut: String = line.chars().take(most).collect();
    let more = if cut.len() < line.len() { "…" } else { "" };
    (!cut.is_empty()).then(|| format!("{cut}{more}"))
}
