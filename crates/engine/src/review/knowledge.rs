//! What was learnt about the changed files, and how far they have moved on since.

use std::collections::BTreeMap;

use base::Result;
use work::Id;
use work::record::Atom;

use super::{Change, Found};
use crate::layers::work::{derived, drift, is_empty, look as look_at};
use crate::rules::{Finding, Severity};

/// Knowledge of which this share of the covered lines has moved is worth a warning, in percent.
const DRIFTED: u32 = 25;

pub(super) fn look(change: &Change<'_>) -> Result<Found> {
    let mut found = Found::default();
    let view = change.view;
    if is_empty(view)? {
        return Ok(found);
    }
    let derived = derived(view)?;
    let mut covering: BTreeMap<Id, Vec<String>> = BTreeMap::new();
    for file in change.files {
        let path = file.path.to_string();
        for atom in derived.matcher.matching(&path, None) {
            covering.entry(atom.clone()).or_default().push(path.clone());
        }
    }
    for (id, paths) in covering {
        let Some(finding) = look_at(view, |draft| {
            let Some(atom) = draft.get::<Atom>(&id)? else { return Ok(None) };
            let Some(moved) = drift(view, draft, &atom)?.filter(|moved| !moved.is_none()) else {
                return Ok(None);
            };
            let severity =
                if moved.percent >= DRIFTED { Severity::Warning } else { Severity::Note };
            Ok(Some(Finding {
                severity,
                code: "KNOWLEDGE_STALE",
                path: paths.first().and_then(|path| path.parse().ok()),
                line: None,
                node: format!("atom:{}", atom.id).parse().ok(),
                message: format!(
                    "\"{}\" was written about these files: {}",
                    atom.name,
                    moved.words()
                ),
                fix: format!(
                    "read it again, then  graph update atom:{} --version {} --knowledge …",
                    atom.id.short(),
                    atom.version
                ),
            }))
        })?
        else {
            continue;
        };
        found.findings.push(finding);
    }
    if found.findings.is_empty() {
        found.fine = Some("knowledge about these files is as fresh as they are");
    }
    Ok(found)
}
