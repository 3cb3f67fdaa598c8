//! Checks of the workspace itself. Each is one function and one line in [`CHECKS`].

mod agents;
mod config;
mod git;
mod hooks;
mod journal;
mod layout;
mod servers;
mod shared;
mod stores;
mod team;

use base::{Call, Hint, Problem, Result};
use schemars::JsonSchema;
use serde::Serialize;

use engine::workspace::Workspace;

pub(crate) use self::hooks::MAX_HOOK_BYTES;

/// One check.
pub(crate) struct DoctorCheck {
    /// The name of what it checks
    pub name: &'static str,
    /// Runs the check
    pub run: fn(&Workspace, &Call) -> Result<Vec<DoctorFinding>>,
}

/// Every check, in the order of the report.
pub(crate) const CHECKS: &[DoctorCheck] = &[
    DoctorCheck { name: "git", run: git::check },
    DoctorCheck { name: "hooks", run: hooks::check },
    DoctorCheck { name: "agents", run: agents::check },
    DoctorCheck { name: "config", run: config::check },
    DoctorCheck { name: "layout", run: layout::check },
    DoctorCheck { name: "stores", run: stores::check },
    DoctorCheck { name: "shared", run: shared::check },
    DoctorCheck { name: "team", run: team::check },
    DoctorCheck { name: "journal", run: journal::check },
    DoctorCheck { name: "servers", run: servers::check },
];

/// A finding of a check
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DoctorFinding {
    /// The check
    pub check: &'static str,
    /// How bad it is
    pub level: DoctorLevel,
    /// What it found
    pub message: String,
    /// What to do about it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<Hint>,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DoctorLevel {
    /// Something does not work
    Error,
    /// Something works less well than it could
    Warning,
    /// As it should be
    Fine,
}

impl DoctorFinding {
    fn fine(check: &'static str, message: impl Into<String>) -> Self {
        Self { check, level: DoctorLevel::Fine, message: message.into(), fix: None }
    }

    fn warning(check: &'static str, message: impl Into<String>, fix: impl Into<Hint>) -> Self {
        let fix = Some(fix.into());
        Self { check, level: DoctorLevel::Warning, message: message.into(), fix }
    }

    /// The finding of a check that failed. Other checks still run.
    pub(crate) fn failed(check: &'static str, problem: &Problem) -> Self {
        let fix = problem.hints.first().cloned().unwrap_or_else(|| "correct that first".into());
        Self::error(check, format!("could not be checked: {problem}"), fix)
    }

    fn error(check: &'static str, message: impl Into<String>, fix: impl Into<Hint>) -> Self {
        Self { level: DoctorLevel::Error, ..Self::warning(check, message, fix) }
    }
}
