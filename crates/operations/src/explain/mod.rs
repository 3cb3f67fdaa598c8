//! Why something exists: requirements, specs, decisions, knowledge, commits and tasks.
//!
//! Reasons of the node itself come first; without any, those of what depends on it are listed, with
//! the node that they belong to.
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
use engine::spec_links::{LinkState, spec_links};
use engine::view::View;

/// The kind of a reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReasonKind {
    /// A requirement or scenario
    Requirement,
    /// A card that specifies it
    Spec,
    /// A decision about it
    Decision,
    /// Knowledge about it
    Knowledge,
    /// A commit that changed it
    Commit,
    /// A task that it belongs to
    Task,
}

/// One reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Reason {
    /// Its kind
    pub sort: ReasonKind,
    /// The reason as a sentence without its full stop
    pub says: String,
    /// A quotation of its text
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// Its handle
    pub node: EntityRef,
    /// The node that leads to it, if it is not a reason of the node itself
    #[serde(skip_serializing_if = "Option::is_none")]
    pub through: Option<EntityRef>,
}

/// A node with its reasons.
pub(crate) struct Explanation {
    /// The node
    pub target: NodeDescription,
    /// The reasons, from requirements to commits and tasks
    pub reasons: Vec<Reason>,
    /// Kinds of reason that are not documented
    pub gaps: Vec<&'static str>,
}

/// The reasons for a node.
pub(crate) fn explain(view: &View, node: &EntityRef) -> Result<Explanation> {
    let target = graph::describe(view, node)?;
    let mut reasons = written_reasons::reasons_at(view, node)?;
    mark_suspects(view, node, &mut reasons)?;
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

/// Marks each reason whose link to the node is suspect.
fn mark_suspects(view: &View, node: &EntityRef, reasons: &mut [Reason]) -> Result<()> {
    let known = spec_links(view)?;
    if known.has_no_confirmations() {
        return Ok(());
    }
    for status in known.statuses_at(view, node)? {
        if status.state != LinkState::Suspect {
            continue;
        }
        let changed: Vec<String> = status.changed.iter().map(ToString::to_string).collect();
        let is_end =
            |reason: &&mut Reason| reason.node == status.link.from || reason.node == status.link.to;
        for reason in reasons.iter_mut().filter(is_end) {
            let (says, changed) = (&reason.says, changed.join(" and "));
            reason.says = format!("{says}; suspect: {changed} changed since it was confirmed");
        }
    }
    Ok(())
}

/// The reasons for some lines of a file: the commits that changed them, newest first, and what is
/// written about the innermost symbol around them.
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
                "written in {}; {edited} edited since then and not committed",
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
