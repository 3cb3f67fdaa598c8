//! What must hold of what was written down: it is about something, it is still true, it leads
//! somewhere.

use base::Result;
use work::graph::globs::{Patterns, anchors};
use work::record::Atom;
use work::words::Grain;

use super::node;
use crate::layers::work::{drift, is_empty, look, seen};
use crate::rules::{Rule, Scope, Severity, Violation};
use crate::view::View;

/// Knowledge of which this share of the covered lines has moved is worth a look, in percent.
const DRIFTED: u32 = 25;

/// The rules of knowledge.
pub(crate) const RULES: &[Rule] = &[
    Rule {
        code: "KNOWLEDGE_DRIFTED",
        severity: Severity::Warning,
        means: "an atom's files are much as they were when it was written",
        check: drifted,
    },
    Rule {
        code: "ATOM_PATTERN_DEAD",
        severity: Severity::Warning,
        means: "every path pattern of an atom matches a file",
        check: dead_patterns,
    },
    Rule {
        code: "RELATED_MISSING",
        severity: Severity::Warning,
        means: "what an atom or molecule names as related is there",
        check: dangling,
    },
];

fn violation(atom: &Atom, message: String, fix: String) -> Result<Violation> {
    let node = Some(node(Grain::Atom, &atom.id)?);
    Ok(Violation { path: None, line: None, node, message, fix })
}

fn atoms(view: &View) -> Result<Vec<Atom>> {
    if is_empty(view)? {
        return Ok(Vec::new());
    }
    look(view, |draft| {
        let atoms: Vec<Atom> = draft.all()?;
        Ok(atoms)
    })
}

fn drifted(view: &View, _: &Scope) -> Result<Vec<Violation>> {
    let mut found = Vec::new();
    for atom in atoms(view)? {
        view.call().go_on()?;
        let Some(moved) = look(view, |draft| drift(view, draft, &atom))? else { continue };
        if moved.percent >= DRIFTED {
            let message = format!("\"{}\": {}", atom.name, moved.words());
            let fix = format!(
                "read it again, then  graph update atom:{} --version {} --knowledge …",
                atom.id.short(),
                atom.version
            );
            found.push(violation(&atom, message, fix)?);
        }
    }
    Ok(found)
}

fn dead_patterns(view: &View, _: &Scope) -> Result<Vec<Violation>> {
    let mut found = Vec::new();
    for atom in atoms(view)? {
        view.call().go_on()?;
        let files = seen(view, &atom.paths)?;
        for pattern in &atom.paths {
            let one = std::slice::from_ref(pattern);
            let alone = Patterns::of(one);
            if !files.iter().any(|file| alone.cover(&file.path)) {
                let message = format!("\"{}\": `{pattern}` matches no file", atom.name);
                let near = anchors(one).into_iter().next().unwrap_or_default();
                let fix = format!("correct the pattern; look for what moved from {near}/");
                found.push(violation(&atom, message, fix)?);
            }
        }
    }
    Ok(found)
}

fn dangling(view: &View, _: &Scope) -> Result<Vec<Violation>> {
    if is_empty(view)? {
        return Ok(Vec::new());
    }
    look(view, |draft| {
        let gone = work::check::dangling(draft)?.into_iter();
        let told = |(handle, name, id): (String, String, work::Id)| Violation {
            path: None,
            line: None,
            node: handle.parse().ok(),
            message: format!("\"{name}\": related {id} is gone"),
            fix: "write its `related` anew".into(),
        };
        Ok(gone.map(told).collect())
    })
}
