//! Information that hooks give to agents unasked: about the repository when a session starts, about
//! a file before an edit, and about what an edit broke.
//!
//! A hook never fails and never stops anything: if something goes wrong it says nothing. It says
//! each thing once per session ([`memory`]).

mod event;
mod memory;

use std::sync::Arc;

use base::{Call, EntityRef, RepoPath, Result};
use setup::AgentHook;

use crate::CallFormat;
use crate::call_format::as_typed;
use crate::diff::DiffRange;
use crate::overview::RepositoryOverview;
use crate::review::{self, ReviewDepth};
use engine::areas::files::file_node;
use engine::contract::page::{ColorMode, Page, Render};
use engine::graph::{ContextItem, ContextSection};
use engine::rules::{RuleFinding, RuleSeverity};
use engine::view::View;
use engine::workspace::Workspace;

pub(crate) use event::AgentEvent;
use memory::SessionMemory;

/// The longest overview at the start of a session, in characters, without its basis.
const MAX_OVERVIEW_CHARS: usize = 3000;

/// The size of git's index, in bytes, from which the start of a session does not wait for the first
/// index of cairn: about 1,400 files, which take some seconds.
const MAX_AWAITED_AT_START: u64 = 128 * 1024;

/// The same limit for hooks of edits: about 90 files.
const MAX_AWAITED_AT_EDIT: u64 = 8 * 1024;

/// The text if a session does not wait.
const READING: &str = "cairn reads this repository for the first time. In a few seconds `context` with the task in \
                       a sentence shows the places that the task is about.\n";

/// The finding of `review` that is not reported after an edit. Most edits change a file that some
/// knowledge is about, and nobody rewrites that before the work is done. In a trial, agents
/// complained about this report.
const NOT_REPORTED_AFTER_EDIT: &str = "KNOWLEDGE_STALE";

/// Maximum number of lines about one edit.
const MAX_LINES: usize = 8;

/// The reply to the agent's program; `None` if there is nothing to say.
pub(crate) fn tell(workspace: &Workspace, call: &Arc<Call>, event: &AgentEvent) -> Option<String> {
    let mut memory = SessionMemory::open(workspace, event.session());
    let text = match event.hook() {
        AgentHook::SessionStart if workspace.lacks_index_of(MAX_AWAITED_AT_START) => {
            memory.forget();
            Ok(Some(READING.to_owned()))
        }
        AgentHook::BeforeEdit | AgentHook::AfterEdit
            if workspace.lacks_index_of(MAX_AWAITED_AT_EDIT) =>
        {
            Ok(None)
        }
        AgentHook::SessionStart => {
            memory.forget();
            start_session(workspace, call, &mut memory)
        }
        AgentHook::BeforeEdit => before_edit(workspace, call, event, &mut memory),
        AgentHook::AfterEdit => after_edit(workspace, call, &mut memory),
    };
    memory.save();
    text.ok().flatten().map(|text| event.wrap(&text))
}

/// Prints the overview. Existing problems are recorded as printed, so that later hooks report only
/// new ones.
fn start_session(
    workspace: &Workspace,
    call: &Arc<Call>,
    memory: &mut SessionMemory<'_>,
) -> Result<Option<String>> {
    let (mut overview, basis) = workspace.read(call, RepositoryOverview::collect)?;
    // If this hook runs, cairn is set up enough; suggesting more would be noise for an agent.
    overview.initialised = true;
    if let Ok((findings, _)) = workspace.read(call, damage) {
        for finding in &findings {
            memory.remember(&finding.key);
        }
    }
    let mut page = Page::default();
    overview.render(&mut page);
    let text = page.to_text(ColorMode::Plain, &|call| CallFormat::CommandLine.call(call));
    let text = cut(&text, MAX_OVERVIEW_CHARS);
    Ok(Some(format!("cairn knows this repository:\n\n{text}basis: {basis}\n")))
}

fn before_edit(
    workspace: &Workspace,
    call: &Arc<Call>,
    event: &AgentEvent,
    memory: &mut SessionMemory<'_>,
) -> Result<Option<String>> {
    let root = workspace.tree.root();
    let mut parts = Vec::new();
    for path in event.paths(root) {
        let (lines, _) = workspace.read(call, |view| what_must_hold(view, &path))?;
        let new: Vec<String> = lines.into_iter().filter(|line| memory.is_new(line)).collect();
        if !new.is_empty() {
            parts.push(format!("What must hold for {path} (from cairn):\n{}", listed(&new)));
        }
    }
    Ok((!parts.is_empty()).then(|| parts.join("\n")))
}

/// Cards, requirements, decisions and knowledge about a file.
fn what_must_hold(view: &View, path: &RepoPath) -> Result<Vec<String>> {
    let node = file_node(path);
    let mut lines = Vec::new();
    for area in view.graph_areas() {
        let items = area.context(view, &node)?.into_iter();
        let binding = [ContextSection::Specs, ContextSection::Knowledge];
        lines.extend(items.filter(|item| binding.contains(&item.section)).map(line));
    }
    Ok(lines)
}

fn line(item: ContextItem) -> String {
    match item.handle {
        Some(handle) => format!("{}  {handle}", item.text),
        None => item.text,
    }
}

fn after_edit(
    workspace: &Workspace,
    call: &Arc<Call>,
    memory: &mut SessionMemory<'_>,
) -> Result<Option<String>> {
    let (findings, _) = workspace.read(call, damage)?;
    let new = findings.into_iter().filter(|finding| memory.is_new(&finding.key));
    let new: Vec<String> = new.map(|finding| finding.text).collect();
    Ok((!new.is_empty()).then(|| format!("After this edit (from cairn):\n{}", listed(&new))))
}

/// A problem that an edit caused.
struct EditDamage {
    /// Identifies it. The same damage with fewer callers left counts as the same.
    key: String,
    /// What the agent is told
    text: String,
}

impl EditDamage {
    fn of(found: &RuleFinding) -> Self {
        let node = found.node.as_ref().map(EntityRef::short_handle);
        let key = match &node {
            Some(node) => format!("{} {node}", found.code),
            None => format!("{} {}", found.code, found.message),
        };
        let place = node.unwrap_or_else(|| found.place());
        let severity = found.severity.as_str();
        let fix = found.fix.render(as_typed);
        let text = format!("{severity} {}: {}; {fix}  {place}", found.code, found.message);
        Self { key, text }
    }
}

/// Errors and warnings that the edits since the last commit introduced.
fn damage(view: &View) -> Result<Vec<EditDamage>> {
    let report = review::review(view, &DiffRange::WorkingTree, ReviewDepth::BreakageOnly)?;
    let is_told = |found: &&RuleFinding| {
        found.severity != RuleSeverity::Note && found.code != NOT_REPORTED_AFTER_EDIT
    };
    Ok(report.findings.iter().filter(is_told).map(EditDamage::of).collect())
}

fn listed(lines: &[String]) -> String {
    let text: String = lines.iter().take(MAX_LINES).map(|line| format!("- {line}\n")).collect();
    match lines.len().saturating_sub(MAX_LINES) {
        0 => text,
        more => format!("{text}- {more} more, which `review` lists\n"),
    }
}

/// The text up to the last whole line within a limit.
fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let shown: String = text.chars().take(most).collect();
    let end = shown.rfind('\n').unwrap_or(shown.len());
    format!("{}\n…  the rest: `cairn`\n", &shown[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_a_line() {
        assert_eq!(cut("ab\ncd\n", 100), "ab\ncd\n");
        assert_eq!(cut("ab\ncd\nef\n", 7), "ab\ncd\n…  the rest: `cairn`\n");
    }

    #[test]
    fn a_long_list_says_how_many_are_left_out() {
        let lines: Vec<String> = (0..10).map(|n| format!("line {n}")).collect();
        assert!(listed(&lines).ends_with("- line 7\n- 2 more, which `review` lists\n"));
    }
}
