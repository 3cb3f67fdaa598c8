//! The rules of the knowledge base, for `verify` and `kb check`.

use base::{EntityRef, Result};
use jiff::ToSpan;
use kb::Model;
use kb::rules::{self as pure, Breach, World};

use super::known::{is_there, known};
use crate::rules::{Rule, Scope, Severity, Violation};
use crate::view::View;

/// What is unfinished and untouched for this many days counts as forgotten.
const FORGOTTEN: i64 = 180;

/// Every rule, the three of old first.
pub(crate) static RULES: [Rule; 12] = [
    Rule {
        code: "KB_MUST_COVERAGE",
        severity: Severity::Error,
        means: "a requirement with priority must has a scenario and a test that verifies it",
        check: |view, _| run(view, pure::must_coverage),
    },
    Rule {
        code: "KB_CYCLE",
        severity: Severity::Error,
        means: "requirements do not depend on each other in a circle unless that is allowed",
        check: |view, _| run(view, pure::no_cycles),
    },
    Rule {
        code: "KB_REQUIREMENT_MISSING",
        severity: Severity::Error,
        means: "a requirement that code implements exists",
        check: |view, _| run(view, pure::missing_requirements),
    },
    Rule {
        code: "KB_REQUIRED_FIELDS",
        severity: Severity::Error,
        means: "every entity has a title and a status of its type",
        check: |view, _| run(view, pure::required_fields),
    },
    Rule {
        code: "KB_DANGLING_REFERENCE",
        severity: Severity::Error,
        means: "what a relation names is there and of a type that it takes",
        check: |view, _| run(view, pure::dangling_references),
    },
    Rule {
        code: "KB_TOLD_TWICE",
        severity: Severity::Error,
        means: "an id is told in one place",
        check: |view, _| run(view, pure::told_twice),
    },
    Rule {
        code: "KB_UNREADABLE",
        severity: Severity::Error,
        means: "documents and manifests can be understood",
        check: |view, _| unreadable(view),
    },
    Rule {
        code: "KB_ADR_WITHOUT_SUCCESSOR",
        severity: Severity::Warning,
        means: "a decision that no longer holds names what took its place",
        check: |view, _| run(view, pure::deprecated_decisions),
    },
    Rule {
        code: "KB_CONTRADICTION",
        severity: Severity::Warning,
        means: "requirements that are in force can hold together",
        check: |view, _| run(view, pure::contradicting_requirements),
    },
    Rule {
        code: "KB_UNTESTED_SYMBOL",
        severity: Severity::Warning,
        means: "code that implements a requirement is covered by a test",
        check: |view, _| run(view, pure::untested_symbols),
    },
    Rule {
        code: "KB_STALE",
        severity: Severity::Warning,
        means: "what is unfinished is touched now and then, and what an entity names is there",
        check: |view, _| run(view, pure::stale_entities),
    },
    Rule {
        code: "KB_STAGED_TRACEABILITY",
        severity: Severity::Warning,
        means: "an exported symbol that a commit touches says which requirement it implements",
        check: staged_traceability,
    },
];

fn run(view: &View, rule: fn(&Model, &World<'_>) -> Vec<Breach>) -> Result<Vec<Violation>> {
    let known = known(view)?;
    let before = view.call().now - (FORGOTTEN * 24).hours();
    let before = before.to_string();
    let has = |node: &EntityRef| is_there(view, node);
    let world = World { stale_before: before.get(..10).unwrap_or_default(), has: &has };
    let breaches = rule(&known.model, &world);
    let violation = |breach: Breach| {
        let (path, line) = breach.place.unzip();
        let node = known.model.node_of(&breach.subject);
        Violation { path, line, node, message: breach.message, fix: breach.fix }
    };
    Ok(breaches.into_iter().map(violation).collect())
}

fn unreadable(view: &View) -> Result<Vec<Violation>> {
    let known = known(view)?;
    let violation = |(path, line, message): &(base::RepoPath, u32, String)| Violation {
        path: Some(path.clone()),
        line: Some(*line),
        node: None,
        message: message.clone(),
        fix: format!("mend {path}"),
    };
    Ok(known.files.faults.iter().map(violation).collect())
}

/// Only for what a commit touches, and only where there are requirements to name.
fn staged_traceability(view: &View, scope: &Scope) -> Result<Vec<Violation>> {
    let Scope::Staged(staged) = scope else { return Ok(Vec::new()) };
    let known = known(view)?;
    if !known.model.facts().any(|fact| fact.entity.kind == kb::Kind::Req) {
        return Ok(Vec::new());
    }
    let mut violations = Vec::new();
    for (path, file) in staged.files() {
        let Some(content) = &file.content else { continue };
        let language = syntax::Language::of(path).filter(|language| language.is_code());
        let Some(language) = language else { continue };
        let facts = syntax::extract(Some(language), content);
        for symbol in &facts.symbols {
            let touched = file
                .lines
                .iter()
                .any(|range| range.start <= symbol.end_line && range.end > symbol.line);
            if symbol.is_overload()
                || !touched
                || !symbol.exported
                || symbol.is_test
                || symbol.parent.is_some()
            {
                continue;
            }
            let says = facts.doc_links.iter().any(|link| {
                let owner = link.owner.and_then(|at| facts.symbols.get(at as usize));
                link.tag == syntax::DocTag::Implements
                    && owner.is_some_and(|owner| owner.path == symbol.path)
            });
            let handle = crate::layers::code::handle(path, &symbol.path);
            let Ok(node) = handle.parse::<EntityRef>() else { continue };
            let tied = known.names_of(&node).iter().any(|name| {
                let mut starting = known.model.starting(name);
                starting.any(|bond| bond.relation.relates == kb::Relates::Implements)
            });
            if !says && !tied {
                violations.push(Violation {
                    path: Some(path.clone()),
                    line: Some(symbol.line),
                    node: Some(node),
                    message: format!("{} names no requirement that it implements", symbol.path),
                    fix: "say `implements REQ-…` in its doc comment".into(),
                });
            }
        }
    }
    Ok(violations)
}
