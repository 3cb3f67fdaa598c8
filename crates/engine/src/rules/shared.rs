//! Every file of the shared knowledge can be taken over.

use base::Result;
use base::shared::{SharedProblem, SharedProblemKind};

use super::{Rule, Scope, Severity, Violation};
use crate::view::View;

/// The rules of shared knowledge.
pub(crate) const SHARED_RULES: [Rule; 3] = [
    Rule {
        code: "SHARED_UNREADABLE",
        severity: Severity::Error,
        means: "every file of the shared knowledge is a record that can be read",
        check: |view, _: &Scope| found(view, SharedProblemKind::Unreadable),
    },
    Rule {
        code: "SHARED_CONFLICT",
        severity: Severity::Warning,
        means: "no shared record was changed both here and in its file",
        check: |view, _: &Scope| found(view, SharedProblemKind::Conflict),
    },
    Rule {
        code: "CHANGELOG_REWRITTEN",
        severity: Severity::Error,
        means: "no file changes an entry of the changelog, which is append-only",
        check: |view, _: &Scope| found(view, SharedProblemKind::Rewritten),
    },
];

/// Everything that is wrong with the shared files, by store and path.
pub(crate) fn shared_problems(view: &View) -> Result<Vec<SharedProblem>> {
    let mut problems = Vec::new();
    for durable in view.durables() {
        if let Some(overlay) = view.overlay(durable.name)? {
            problems.extend(overlay.pulled.merged.problems.iter().cloned());
        }
    }
    Ok(problems)
}

/// What mends a problem with a shared file.
pub(crate) const fn shared_fix(kind: SharedProblemKind) -> &'static str {
    match kind {
        SharedProblemKind::Unreadable => {
            "resolve the conflict or correct the file; git has its earlier versions"
        }
        SharedProblemKind::Conflict => {
            "`share` keeps what is here with `prefer` ours, and takes the file with `prefer` theirs"
        }
        SharedProblemKind::Rewritten => "`share` with `prefer` ours puts the entry back",
    }
}

fn found(view: &View, kind: SharedProblemKind) -> Result<Vec<Violation>> {
    let of_kind = shared_problems(view)?.into_iter().filter(|problem| problem.kind == kind);
    let violation = |problem: SharedProblem| Violation {
        path: problem.path.parse().ok(),
        line: None,
        node: None,
        message: problem.why,
        fix: shared_fix(kind).into(),
    };
    Ok(of_kind.map(violation).collect())
}
