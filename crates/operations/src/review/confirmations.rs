//! Links that the change makes suspect: they were confirmed, and one of their ends changed in
//! substance.

use base::{EntityRef, Hint, NextCall, Result};
use serde_json::json;

use super::{ReviewCheckResult, ReviewedChange};
use crate::diff::ChangedFile;
use engine::rules::{RuleFinding, RuleSeverity};
use engine::spec_links::{EndReader, LinkState, LinkStatus, spec_links};
use tree::FileEdit;

pub(super) fn check(change: &ReviewedChange<'_>) -> Result<ReviewCheckResult> {
    let mut found = ReviewCheckResult::default();
    let known = spec_links(change.view)?;
    if known.has_no_confirmations() {
        return Ok(found);
    }
    let now = EndReader::new(change.view);
    let before = EndReader::with_edits(change.view, &undone(change.files));
    let paths = change.paths();
    for link in &known.links {
        let touched = |node: &EntityRef| {
            Ok::<_, base::Problem>(now.path_of(node)?.is_ok_and(|path| paths.contains(&path)))
        };
        if !touched(&link.from)? && !touched(&link.to)? {
            continue;
        }
        let status = known.status(change.view, link)?;
        if status.state == LinkState::Suspect && is_made_here(&status, &before)? {
            found.findings.push(finding(change, &now, &status)?);
        }
    }
    found.checked.push("confirmed links");
    Ok(found)
}

/// Edits that restore the files to their state before the change.
fn undone(files: &[ChangedFile]) -> Vec<FileEdit> {
    let edit = |file: &ChangedFile| FileEdit {
        path: file.path.clone(),
        expected: None,
        content: file.before.clone(),
    };
    files.iter().map(edit).collect()
}

/// Whether the ends were still as confirmed before the change, so that the change made the link
/// suspect.
fn is_made_here(status: &LinkStatus, before: &EndReader<'_>) -> Result<bool> {
    for (end, confirmed) in status.changed.iter().zip(&status.confirmed_digests) {
        // An end that the change moved cannot be read in the state before; the change then counts
        // as the cause.
        let is_same = match before.read(end)? {
            Ok(content) => content.side.digest == *confirmed,
            Err(_) => true,
        };
        if is_same {
            return Ok(true);
        }
    }
    Ok(false)
}

fn finding(
    change: &ReviewedChange<'_>,
    now: &EndReader<'_>,
    status: &LinkStatus,
) -> Result<RuleFinding> {
    let link = &status.link;
    let changed = status.changed.first().unwrap_or(&link.from);
    let other = if *changed == link.from { &link.to } else { &link.from };
    let path = now.path_of(changed)?.ok();
    let own = |symbol: &&crate::diff::ChangedSymbol| symbol.node() == *changed;
    let line = change.symbols.iter().find(own).map(|symbol| symbol.lines.0);
    Ok(RuleFinding {
        severity: RuleSeverity::Warning,
        code: "MAKES_SUSPECT",
        path,
        line: line.or(Some(1)),
        node: Some(changed.clone()),
        message: format!("the link of {changed} to {other} was confirmed and is suspect now"),
        fix: Hint::call(
            "change the other end too, or check that both still agree and run",
            NextCall::new("confirm")
                .with("targets", json!([changed.short_handle()]))
                .with("with", other.short_handle())
                .with("why", "…"),
        ),
    })
}
