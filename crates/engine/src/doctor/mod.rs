//! Checks of the workspace itself. Each is one function and one line in [`CHECKS`].

mod config;
mod git;
mod hooks;
mod journal;
mod layout;
mod servers;
mod shared;
mod stores;

use base::{Call, Hint, Problem, Result};
use schemars::JsonSchema;
use serde::Serialize;

use crate::workspace::Workspace;

/// One check.
pub(crate) struct Check {
    /// What it looks at
    pub name: &'static str,
    /// Looks, and says what it saw
    pub run: fn(&Workspace, &Call) -> Result<Vec<Finding>>,
}

/// Every check, in the order of the report.
pub(crate) const CHECKS: &[Check] = &[
    Check { name: "git", run: git::check },
    Check { name: "hooks", run: hooks::check },
    Check { name: "config", run: config::check },
    Check { name: "layout", run: layout::check },
    Check { name: "stores", run: stores::check },
    Check { name: "shared", run: shared::check },
    Check { name: "journal", run: journal::check },
    Check { name: "servers", run: servers::check },
];

/// What a check saw
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Finding {
    /// The check
    pub check: &'static str,
    /// How bad it is
    pub level: Level,
    /// What it saw
    pub message: String,
    /// What to do about it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<Hint>,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Something does not work
    Error,
    /// Something works less well than it could
    Warning,
    /// As it should be
    Fine,
}

impl Finding {
    fn fine(check: &'static str, message: impl Into<String>) -> Self {
        Self { check, level: Level::Fine, message: message.into(), fix: None }
    }

    fn warning(check: &'static str, message: impl Into<String>, fix: impl Into<Hint>) -> Self {
        let fix = Some(fix.into());
        Self { check, level: Level::Warning, message: message.into(), fix }
    }

    /// A check that could not be made says so, and the others are still made.
    pub(crate) fn failed(check: &'static str, problem: &Problem) -> Self {
        let fix = problem.hints.first().cloned().unwrap_or_else(|| "correct that first".into());
        Self::error(check, format!("could not be checked: {problem}"), fix)
    }

    fn error(check: &'static str, message: impl Into<String>, fix: impl Into<Hint>) -> Self {
        Self { level: Level::Error, ..Self::warning(check, message, fix) }
    }
}
