//! Rules: what must hold between what was written down and what is there.
//!
//! An area lists its rules in [`Area::rules`](crate::Area); nothing else has to know of one. A
//! rule looks at a view and reports violations; severity, baseline and format are decided here.
//!
//! @see spec::cross/verify

pub(crate) mod baseline;
mod config;
mod format;
mod links;
mod shared;
mod staged;

use ::config::Level;
use base::{EntityRef, Problem, RepoPath, Result};
use schemars::JsonSchema;
use serde::Serialize;

use crate::view::View;

pub(crate) use config::CONFIG_INVALID;
pub(crate) use format::{Means, github, sarif};
pub(crate) use links::LINK_DEAD;
pub(crate) use shared::{SHARED_RULES, shared_fix, shared_problems};
pub(crate) use staged::changed_lines;
pub use staged::{Staged, StagedFile};

/// One rule.
#[derive(Debug)]
pub struct Rule {
    /// Its name in reports, upper case; `kb.rules` of the configuration takes it in any case
    pub code: &'static str,
    /// How bad a violation is, unless the configuration says otherwise
    pub severity: Severity,
    /// What must hold, as a sentence without its full stop
    pub means: &'static str,
    /// Finds the violations
    pub check: fn(&View, &Scope) -> Result<Vec<Violation>>,
}

impl Rule {
    /// What a report says of it.
    pub(crate) const fn means(&self) -> Means {
        (self.code, self.severity, self.means)
    }
}

/// How bad a violation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// A gate stops at it
    Error,
    /// Worth a look
    Warning,
    /// Worth knowing
    Note,
}

impl Severity {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// How much is looked at.
#[derive(Debug)]
pub enum Scope {
    /// The working tree and the stores as they are
    Everything,
    /// What the next commit would hold
    Staged(Staged),
}

/// Where a rule is broken, and what mends it. The message names no line: lines move, and a
/// baseline knows a violation by its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The file
    pub path: Option<RepoPath>,
    /// The line in it, from 1
    pub line: Option<u32>,
    /// The node, where there is a handle
    pub node: Option<EntityRef>,
    /// What is wrong
    pub message: String,
    /// What to do about it
    pub fix: String,
}

/// A violation in a report
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Finding {
    /// How bad it is
    pub severity: Severity,
    /// The rule
    pub code: &'static str,
    /// The file
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<RepoPath>,
    /// The line in it, from 1
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The node, where there is a handle
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<EntityRef>,
    /// What is wrong
    pub message: String,
    /// What to do about it
    pub fix: String,
}

impl Finding {
    /// `path:line`, or the node.
    pub fn place(&self) -> String {
        match (&self.path, self.line, &self.node) {
            (Some(path), Some(line), _) => format!("{path}:{line}"),
            (Some(path), None, _) => path.to_string(),
            (None, _, Some(node)) => node.to_string(),
            (None, _, None) => String::new(),
        }
    }
}

/// What a run of rules found.
#[derive(Debug)]
pub(crate) struct Report {
    /// Worst first, then by rule and place
    pub findings: Vec<Finding>,
    /// The rules that were run
    pub rules: Vec<&'static Rule>,
}

/// Every rule of every area.
pub(crate) fn all(view: &View) -> Vec<&'static Rule> {
    view.areas().iter().flat_map(|area| area.rules).collect()
}

/// Runs the rules that are asked for; all that are on if none is named.
pub(crate) fn run(view: &View, scope: &Scope, wanted: &[String]) -> Result<Report> {
    run_these(view, scope, (&chosen(view, wanted)?, !wanted.is_empty()))
}

/// Runs some rules, those that are off only if they were named.
pub(crate) fn run_these(
    view: &View,
    scope: &Scope,
    (rules, named): (&[&'static Rule], bool),
) -> Result<Report> {
    let mut report = Report { findings: Vec::new(), rules: Vec::new() };
    for rule in rules.iter().copied() {
        let Some(severity) = severity(view, rule, named) else { continue };
        report.rules.push(rule);
        view.call().go_on()?;
        for violation in (rule.check)(view, scope)? {
            if concerns(scope, &violation) {
                report.findings.push(finding(rule, severity, violation));
            }
        }
    }
    report.findings.sort();
    report.findings.dedup();
    Ok(report)
}

fn chosen(view: &View, wanted: &[String]) -> Result<Vec<&'static Rule>> {
    let all = all(view);
    let codes = || all.iter().map(|rule| rule.code);
    if let Some(unknown) = wanted.iter().find(|name| !codes().any(|code| is_called(code, name))) {
        let near = base::near::nearest(&unknown.to_uppercase(), codes(), 1);
        let problem = Problem::not_found(format!("no rule is called `{unknown}`"));
        let hint = near.first().map(|near| format!("the nearest is `{near}`"));
        return Err(hint.into_iter().fold(problem, Problem::hint).detail("rules", list(&all)));
    }
    let is_wanted =
        |rule: &&Rule| wanted.is_empty() || wanted.iter().any(|name| is_called(rule.code, name));
    Ok(all.iter().copied().filter(is_wanted).collect())
}

fn list(rules: &[&Rule]) -> Vec<serde_json::Value> {
    let row = |rule: &&Rule| serde_json::json!({"code": rule.code, "means": rule.means});
    rules.iter().map(row).collect()
}

fn is_called(code: &str, name: &str) -> bool {
    code.eq_ignore_ascii_case(&name.replace('-', "_"))
}

/// How loudly a rule speaks here; not at all if the configuration turned it off and nobody
/// asked for it by name.
fn severity(view: &View, rule: &Rule, named: bool) -> Option<Severity> {
    let configured = view.config().kb.rules.iter().find(|(name, _)| is_called(rule.code, name));
    match configured.map(|(_, level)| level) {
        Some(Level::Off) if !named => None,
        Some(Level::Warning) => Some(Severity::Warning),
        Some(Level::Error) => Some(Severity::Error),
        _ => Some(rule.severity),
    }
}

/// What lies in a file that the commit does not touch is not the commit's business.
fn concerns(scope: &Scope, violation: &Violation) -> bool {
    match (scope, &violation.path) {
        (Scope::Staged(staged), Some(path)) => staged.holds(path),
        (Scope::Staged(_), None) => false,
        (Scope::Everything, _) => true,
    }
}

fn finding(rule: &Rule, severity: Severity, violation: Violation) -> Finding {
    let Violation { path, line, node, message, fix } = violation;
    Finding { severity, code: rule.code, path, line, node, message, fix }
}
