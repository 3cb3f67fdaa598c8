//! Rules that the change violates: on its own lines, or by removing what others refer to.

use base::Result;

use super::{ReviewCheckResult, ReviewedChange};
use crate::diff::{ChangedFile, DiffRange, FileChangeKind, SymbolHow};
use engine::rules::baseline::Baseline;
use engine::rules::{self, RuleFinding, RuleScope, StagedChanges};

pub(super) fn check(change: &ReviewedChange<'_>) -> Result<ReviewCheckResult> {
    if change.files.is_empty() {
        // Without a change, every violation is an older one.
        return Ok(ReviewCheckResult { checked: vec!["rules"], ..ReviewCheckResult::default() });
    }
    let scope = match change.between {
        DiffRange::Staged => RuleScope::Staged(StagedChanges::read(change.view)?),
        _ => RuleScope::Everything,
    };
    let report = rules::run(change.view, &scope, &[])?;
    let (all, _) = Baseline::read(change.view, None)?.subtract(report.findings);
    let lost = removed_names(change);
    let mut found = ReviewCheckResult::default();
    let mut older = 0;
    for finding in all {
        match &finding.path {
            // `confirmations` reports the links that the change made suspect.
            _ if finding.code.starts_with("LINK_SUSPECT") => {}
            _ if mentions_removed(&finding, &lost) => found.findings.push(finding),
            Some(path) => match change.files.iter().find(|file| file.path == *path) {
                Some(file) if is_on_changed_line(file, &finding) => found.findings.push(finding),
                Some(_) => older += 1,
                None => {}
            },
            None => {}
        }
    }
    found.checked.push("rules");
    if older > 0 {
        let are = if older == 1 { "problem was" } else { "problems were" };
        found.notes.push(format!("{older} older {are} in these files before; `verify` lists them"));
    }
    Ok(found)
}

/// Whether a violation is on a line that the change wrote.
fn is_on_changed_line(file: &ChangedFile, finding: &RuleFinding) -> bool {
    match finding.line {
        Some(line) => file.lines.iter().any(|range| range.contains(&line)),
        None => true,
    }
}

/// Names of what the change removed: paths, symbols, keys and ids of documents.
fn removed_names(change: &ReviewedChange<'_>) -> Vec<String> {
    let mut names = Vec::new();
    for file in change
        .files
        .iter()
        .filter(|file| matches!(file.kind, FileChangeKind::Deleted | FileChangeKind::Renamed))
    {
        names.push(file.before_path().to_string());
    }
    for file in change.files {
        let keys = |bytes: Option<&Vec<u8>>| frontmatter_names(bytes.map(Vec::as_slice));
        let now = keys(file.after.as_ref());
        names.extend(keys(file.before.as_ref()).into_iter().filter(|key| !now.contains(key)));
    }
    for symbol in change.symbols {
        let old = match (&symbol.kind, &symbol.previous) {
            (SymbolHow::Removed, _) => Some((symbol.path.clone(), symbol.full_name.clone())),
            (_, Some(was)) => Some(was.clone()),
            _ => None,
        };
        names.extend(old.map(|(path, full)| format!("{path}#{full}")));
    }
    names
}

/// The key or id that a document's frontmatter gives it.
fn frontmatter_names(bytes: Option<&[u8]>) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
    if !text.starts_with("---") {
        return Vec::new();
    }
    let front = text.lines().skip(1).take_while(|line| *line != "---");
    let named = front.filter_map(|line| line.strip_prefix("key:").or(line.strip_prefix("id:")));
    named
        .map(|name| name.trim().trim_matches(['"', '\'']).to_owned())
        .filter(|n| !n.is_empty())
        .collect()
}

fn mentions_removed(finding: &RuleFinding, lost: &[String]) -> bool {
    let holds = |name: &String| {
        finding.message.match_indices(name.as_str()).any(|(at, _)| {
            let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/');
            let (before, after) = (&finding.message[..at], &finding.message[at + name.len()..]);
            !before.ends_with(is_part) && !after.starts_with(is_part)
        })
    };
    lost.iter().any(holds)
}
