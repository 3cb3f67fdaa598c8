//! Rules of knowledge: patterns match files, files have not drifted too far, related records exist.

use base::{Hint, NextCall, Result};
use work::knowledge::globs::GlobList;
use work::record::Atom;
use work::words::KnowledgeKind;

use super::node;
use crate::areas::work::{AtomAge, aged_atoms, is_empty, matched_files, read_store};
use crate::rules::{RuleScope, RuleSeverity, RuleViolation, VerifyRule};
use crate::view::View;

/// The drift of an atom's files from which it is reported, in percent.
const DRIFT_WARNING_PERCENT: u32 = 25;

/// The rules of knowledge.
pub const RULES: &[VerifyRule] = &[
    VerifyRule {
        code: "KNOWLEDGE_DRIFTED",
        severity: RuleSeverity::Warning,
        statement: "the files of an atom have not changed much since it was written",
        check: check_drift,
    },
    VerifyRule {
        code: "ATOM_PATTERN_DEAD",
        severity: RuleSeverity::Warning,
        statement: "every path pattern of an atom matches a file",
        check: check_patterns,
    },
    VerifyRule {
        code: "RELATED_MISSING",
        severity: RuleSeverity::Warning,
        statement: "every atom or molecule that is named as related exists",
        check: check_related,
    },
];

fn violation(atom: &Atom, message: String, fix: impl Into<Hint>) -> Result<RuleViolation> {
    let node = Some(node(KnowledgeKind::Atom, &atom.id)?);
    Ok(RuleViolation { path: None, line: None, node, message, fix: fix.into() })
}

/// The call that writes the knowledge of an atom again.
pub fn rewrite_call(atom: &Atom) -> NextCall {
    NextCall::new("knowledge.update")
        .with("id", format!("atom:{}", atom.id.short()))
        .with("version", atom.version)
        .with("knowledge", "…")
}

/// What a rule finds in all atoms with their ages.
fn check_atoms(
    view: &View,
    mut check: impl FnMut(&Atom, &AtomAge) -> Result<Vec<RuleViolation>>,
) -> Result<Vec<RuleViolation>> {
    if is_empty(view)? {
        return Ok(Vec::new());
    }
    let atoms = read_store(view, |draft| aged_atoms(view, draft))?;
    let mut found = Vec::new();
    for (measured, age) in atoms.iter() {
        view.call().check_stopped()?;
        found.extend(check(&measured.atom, age)?);
    }
    Ok(found)
}

fn check_drift(view: &View, _: &RuleScope) -> Result<Vec<RuleViolation>> {
    check_atoms(view, |atom, age| {
        let moved = age.drift.as_ref().filter(|moved| moved.percent >= DRIFT_WARNING_PERCENT);
        let Some(moved) = moved else { return Ok(Vec::new()) };
        let message = format!("\"{}\": {}", atom.name, moved.describe());
        let fix = Hint::call("read it again, then", rewrite_call(atom));
        Ok(vec![violation(atom, message, fix)?])
    })
}

fn check_patterns(view: &View, _: &RuleScope) -> Result<Vec<RuleViolation>> {
    check_atoms(view, |atom, age| {
        // If there is only one pattern, it matches the files that the atom covers.
        if !age.covers_nothing && atom.paths.len() == 1 {
            return Ok(Vec::new());
        }
        let files = matched_files(view, &atom.paths)?;
        let mut found = Vec::new();
        for pattern in &atom.paths {
            let one = std::slice::from_ref(pattern);
            let alone = GlobList::of(one);
            if !files.iter().any(|file| alone.matches(&file.path)) {
                let message = format!("\"{}\": `{pattern}` matches no file", atom.name);
                let fix = "`fix` corrects it if its files were moved; `knowledge.drift` names the \
                           likely pattern";
                let fix = fix.to_owned();
                found.push(violation(atom, message, fix)?);
            }
        }
        Ok(found)
    })
}

fn check_related(view: &View, _: &RuleScope) -> Result<Vec<RuleViolation>> {
    if is_empty(view)? {
        return Ok(Vec::new());
    }
    read_store(view, |draft| {
        let gone = work::check::dangling_relations(draft)?.into_iter();
        let told = |(handle, name, id): (String, String, work::WorkRecordId)| RuleViolation {
            path: None,
            line: None,
            node: handle.parse().ok(),
            message: format!("\"{name}\": related {id} is gone"),
            fix: "set `related` again without it".into(),
        };
        Ok(gone.map(told).collect())
    })
}
