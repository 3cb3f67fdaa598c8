//! Rules: every file of the shared knowledge can be read and merged.

use base::shared::{SharedProblem, SharedProblemKind};
use base::{Hint, NextCall, Result};

use super::{RuleScope, RuleSeverity, RuleViolation, VerifyRule};
use crate::view::View;

/// The rules of shared knowledge.
pub(crate) const SHARED_RULES: [VerifyRule; 3] = [
    VerifyRule {
        code: "SHARED_UNREADABLE",
        severity: RuleSeverity::Error,
        statement: "every shared record can be read",
        check: |view, _: &RuleScope| violations_of(view, SharedProblemKind::Unreadable),
    },
    VerifyRule {
        code: "SHARED_CONFLICT",
        severity: RuleSeverity::Warning,
        statement: "no shared record has conflicting changes in the store and in its file",
        check: |view, _: &RuleScope| violations_of(view, SharedProblemKind::Conflict),
    },
    VerifyRule {
        code: "CHANGELOG_REWRITTEN",
        severity: RuleSeverity::Error,
        statement: "no file changes an entry of the changelog, which is append-only",
        check: |view, _: &RuleScope| violations_of(view, SharedProblemKind::Rewritten),
    },
];

/// Everything that is wrong with the shared files, by store and path.
pub fn shared_problems(view: &View) -> Result<Vec<SharedProblem>> {
    let mut problems = Vec::new();
    for durable in view.durables() {
        if let Some(overlay) = view.overlay(durable.name)? {
            problems.extend(overlay.pulled.merged.problems.iter().cloned());
        }
    }
    Ok(problems)
}

/// How to fix a problem with a shared file.
pub fn shared_fix(kind: SharedProblemKind) -> Hint {
    let share = || NextCall::new("share").with("prefer", "ours");
    match kind {
        SharedProblemKind::Unreadable => {
            "resolve the conflict or correct the file; git has its earlier versions".into()
        }
        SharedProblemKind::Conflict => {
            Hint::call("to keep this store's record, or with `theirs` to take the file's:", share())
        }
        SharedProblemKind::Rewritten => Hint::call("to restore the entry:", share()),
    }
}

fn violations_of(view: &View, kind: SharedProblemKind) -> Result<Vec<RuleViolation>> {
    let of_kind = shared_problems(view)?.into_iter().filter(|problem| problem.kind == kind);
    let violation = |problem: SharedProblem| RuleViolation {
        path: problem.path.parse().ok(),
        line: None,
        node: None,
        message: problem.reason,
        fix: shared_fix(kind),
    };
    Ok(of_kind.map(violation).collect())
}
