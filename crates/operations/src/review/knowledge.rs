//! Knowledge about the changed files, and how much they changed since it was written.

use std::collections::BTreeMap;

use base::{Hint, Result};
use work::WorkRecordId;
use work::record::Atom;

use super::{ReviewCheckResult, ReviewedChange};
use crate::diff::FileChangeKind;
use engine::areas::knowledge::rewrite_call;
use engine::areas::work::{drift, is_empty, read_store as look_at, work_patterns};
use engine::rules::{RuleFinding, RuleSeverity};

/// Share of changed lines among the covered ones from which knowledge gets a warning, in percent.
const MIN_DRIFT_PERCENT: u32 = 25;

pub(super) fn check(change: &ReviewedChange<'_>) -> Result<ReviewCheckResult> {
    let mut found = ReviewCheckResult::default();
    let view = change.view;
    if is_empty(view)? {
        return Ok(found);
    }
    let derived = work_patterns(view)?;
    let mut covering: BTreeMap<WorkRecordId, Vec<String>> = BTreeMap::new();
    for file in change.files {
        // Knowledge about a path that was renamed or removed counts too.
        for path in [Some(&file.path), file.old.as_ref()].into_iter().flatten() {
            let path = path.to_string();
            for atom in derived.matcher.matching(&path, None) {
                covering.entry(atom.clone()).or_default().push(path.clone());
            }
        }
    }
    for (id, paths) in covering {
        let Some(finding) = look_at(view, |draft| {
            let Some(atom) = draft.get::<Atom>(&id)? else { return Ok(None) };
            let moved = drift(view, draft, &atom)?.filter(|moved| !moved.is_none());
            let gone = paths.iter().find(|path| is_gone(change, path));
            let (severity, what) = match (&moved, gone) {
                (Some(moved), _) if moved.percent >= MIN_DRIFT_PERCENT => {
                    (RuleSeverity::Warning, moved.describe())
                }
                (_, Some(gone)) => (RuleSeverity::Warning, format!("{gone} no longer exists")),
                (Some(moved), None) => (RuleSeverity::Note, moved.describe()),
                (None, None) => return Ok(None),
            };
            Ok(Some(RuleFinding {
                severity,
                code: "KNOWLEDGE_STALE",
                path: paths.first().and_then(|path| path.parse().ok()),
                line: None,
                node: format!("atom:{}", atom.id).parse().ok(),
                message: format!("\"{}\" was written about these files: {what}", atom.name),
                fix: Hint::call("read it again, then", rewrite_call(&atom)),
            }))
        })?
        else {
            continue;
        };
        found.findings.push(finding);
    }
    found.checked.push("knowledge");
    Ok(found)
}

/// Whether a change removed or renamed what was at a path.
fn is_gone(change: &ReviewedChange<'_>, path: &str) -> bool {
    change.files.iter().any(|file| {
        let is_old = file.old.as_ref().is_some_and(|old| old.to_string() == path);
        is_old || (file.kind == FileChangeKind::Deleted && file.path.to_string() == path)
    })
}
