//! The rules of the knowledge base, for `verify` and `kb check`.

use base::{EntityRef, Hint, NextCall, Result};
use jiff::ToSpan;
use kb::KnowledgeModel;
use kb::rules::{self as pure, KbRuleViolation, RuleContext};

use super::state::{kb_state, node_exists, test_code};
use crate::rules::{RuleScope, RuleSeverity, RuleViolation, VerifyRule};
use crate::view::View;

/// An unfinished entity that nobody touched for this many days counts as forgotten.
const STALE_AFTER_DAYS: i64 = 180;

/// Every rule of the knowledge base. The first three are those of the tool that cairn replaces.
pub static RULES: [VerifyRule; 13] = [
    VerifyRule {
        code: "KB_MUST_COVERAGE",
        severity: RuleSeverity::Error,
        statement: "a requirement with priority must has a scenario and a test that verifies it",
        check: |view, _| run(view, pure::must_coverage),
    },
    VerifyRule {
        code: "KB_CYCLE",
        severity: RuleSeverity::Error,
        statement: "requirements do not depend on each other in a circle unless that is allowed",
        check: |view, _| run(view, pure::no_cycles),
    },
    VerifyRule {
        code: "KB_REQUIREMENT_MISSING",
        severity: RuleSeverity::Error,
        statement: "a requirement that code implements exists",
        check: |view, _| run(view, pure::missing_requirements),
    },
    VerifyRule {
        code: "KB_REQUIRED_FIELDS",
        severity: RuleSeverity::Error,
        statement: "every entity has a title and a status of its type",
        check: |view, _| run(view, pure::required_fields),
    },
    VerifyRule {
        code: "KB_DANGLING_REFERENCE",
        severity: RuleSeverity::Error,
        statement: "the ends of a relation exist and have types that it accepts",
        check: |view, _| run(view, pure::dangling_references),
    },
    VerifyRule {
        code: "KB_TOLD_TWICE",
        severity: RuleSeverity::Error,
        statement: "an id is defined in one place",
        check: |view, _| run(view, pure::duplicate_ids),
    },
    VerifyRule {
        code: "KB_UNREADABLE",
        severity: RuleSeverity::Error,
        statement: "documents and manifests can be parsed",
        check: |view, _| unreadable(view),
    },
    VerifyRule {
        code: "KB_NOT_TAKEN",
        severity: RuleSeverity::Note,
        statement: "documents that look like decisions or requirements can be read as such",
        check: |view, _| not_taken(view),
    },
    VerifyRule {
        code: "KB_ADR_WITHOUT_SUCCESSOR",
        severity: RuleSeverity::Warning,
        statement: "a decision that no longer holds names its replacement",
        check: |view, _| run(view, pure::deprecated_decisions),
    },
    VerifyRule {
        code: "KB_CONTRADICTION",
        severity: RuleSeverity::Warning,
        statement: "requirements that are in force do not contradict each other",
        check: |view, _| run(view, pure::contradicting_requirements),
    },
    VerifyRule {
        code: "KB_UNTESTED_SYMBOL",
        severity: RuleSeverity::Warning,
        statement: "code that implements a requirement is covered by a test",
        check: |view, _| run(view, pure::untested_symbols),
    },
    VerifyRule {
        code: "KB_STALE",
        severity: RuleSeverity::Warning,
        statement: "unfinished entities are kept up to date, and the code that entities name exists",
        check: |view, _| stale(view),
    },
    VerifyRule {
        code: "KB_STAGED_TRACEABILITY",
        severity: RuleSeverity::Warning,
        statement: "an exported symbol that a commit touches says which requirement it implements",
        check: staged_traceability,
    },
];

fn stale(view: &View) -> Result<Vec<RuleViolation>> {
    let mut found = run(view, pure::stale_entities)?;
    let known = kb_state(view)?;
    for fact in known.model.facts().filter(|fact| fact.entity.kind == kb::KbEntityKind::Test) {
        let (Some(code), Some((path, line))) = (&fact.entity.more.code, fact.origin.file()) else {
            continue;
        };
        if test_code(view, &fact.entity)?.is_none() {
            found.push(RuleViolation {
                path: Some(path.clone()),
                line: Some(line),
                node: known.model.node_of(&fact.entity.id),
                message: format!(
                    "{} refers to the code {code}, which does not exist",
                    fact.entity.id
                ),
                fix: "set `code` to its new place".into(),
            });
        }
    }
    Ok(found)
}

fn run(
    view: &View,
    rule: fn(&KnowledgeModel, &RuleContext<'_>) -> Vec<KbRuleViolation>,
) -> Result<Vec<RuleViolation>> {
    let known = kb_state(view)?;
    let before = view.call().now - (STALE_AFTER_DAYS * 24).hours();
    let before = before.to_string();
    let has = |node: &EntityRef| node_exists(view, node);
    let world = RuleContext { stale_before: before.get(..10).unwrap_or_default(), has_code: &has };
    let breaches = rule(&known.model, &world);
    let violation = |breach: KbRuleViolation| {
        let (path, line) = breach.place.unzip();
        let node = known.model.node_of(&breach.subject);
        RuleViolation { path, line, node, message: breach.message, fix: breach.fix.into() }
    };
    Ok(breaches.into_iter().map(violation).collect())
}

fn not_taken(view: &View) -> Result<Vec<RuleViolation>> {
    let known = kb_state(view)?;
    let violation = |(path, line, message): &(base::RepoPath, u32, String)| RuleViolation {
        path: Some(path.clone()),
        line: Some(*line),
        node: None,
        message: message.clone(),
        fix: Hint::call(
            "which documents are read, and why others are not, is shown by",
            NextCall::new("kb.adopt"),
        ),
    };
    Ok(known.files.notices.iter().map(violation).collect())
}

fn unreadable(view: &View) -> Result<Vec<RuleViolation>> {
    let known = kb_state(view)?;
    let violation = |(path, line, message): &(base::RepoPath, u32, String)| RuleViolation {
        path: Some(path.clone()),
        line: Some(*line),
        node: None,
        message: message.clone(),
        fix: format!("mend {path}").into(),
    };
    Ok(known.files.faults.iter().map(violation).collect())
}

/// Checks only what a commit touches, and only if there are requirements.
fn staged_traceability(view: &View, scope: &RuleScope) -> Result<Vec<RuleViolation>> {
    let RuleScope::Staged(staged) = scope else { return Ok(Vec::new()) };
    let known = kb_state(view)?;
    if !known.model.facts().any(|fact| fact.entity.kind == kb::KbEntityKind::Req) {
        return Ok(Vec::new());
    }
    let mut violations = Vec::new();
    for (path, file) in staged.files() {
        let Some(content) = &file.content else { continue };
        let language = syntax::Language::from_path(path).filter(|language| language.is_code());
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
            let handle = crate::areas::code::handle(path, &symbol.path);
            let Ok(node) = handle.parse::<EntityRef>() else { continue };
            let tied = known.names_of(&node).iter().any(|name| {
                let mut starting = known.model.relations_from(name);
                starting.any(|known_relation| {
                    known_relation.relation.relates == kb::KbRelationKind::Implements
                })
            });
            if !says && !tied {
                violations.push(RuleViolation {
                    path: Some(path.clone()),
                    line: Some(symbol.line),
                    node: Some(node),
                    message: format!("{} names no requirement that it implements", symbol.path),
                    fix: "write `implements REQ-…` in its doc comment".into(),
                });
            }
        }
    }
    Ok(violations)
}
