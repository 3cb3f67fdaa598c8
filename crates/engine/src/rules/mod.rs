//! Rules: what must hold between specs, knowledge, links and the code.
//!
//! An area lists its rules in [`Area::rules`](crate::Area). A rule reads a view and reports
//! violations; severity, baseline and format are decided here.
//!
//! @see spec::cross/verify

pub mod baseline;
mod config;
mod format;
mod links;
mod shared;
mod staged;

use std::cmp::Ordering;

use ::config::RuleLevel;
use base::{EntityRef, Hint, Problem, RepoPath, Result};
use schemars::JsonSchema;
use serde::Serialize;

use crate::view::View;

pub(crate) use config::CONFIG_INVALID;
pub use format::{RuleSummary, github, sarif};
pub(crate) use links::LINK_DEAD;
pub(crate) use shared::SHARED_RULES;
pub use shared::{shared_fix, shared_problems};
pub use staged::changed_lines;
pub use staged::{StagedChanges, StagedFileChange};

/// One rule.
#[derive(Debug)]
pub struct VerifyRule {
    /// Its name in reports, upper case; `kb.rules` of the configuration takes it in any case
    pub code: &'static str,
    /// Default severity; the configuration may change it
    pub severity: RuleSeverity,
    /// What must hold, as a sentence without its full stop
    pub statement: &'static str,
    /// Finds the violations
    pub check: fn(&View, &RuleScope) -> Result<Vec<RuleViolation>>,
}

impl VerifyRule {
    /// How reports describe it.
    pub const fn summary(&self) -> RuleSummary {
        (self.code, self.severity, self.statement)
    }
}

/// The severity of a violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RuleSeverity {
    /// Makes the exit code 1
    Error,
    /// Should be checked
    Warning,
    /// For information
    Note,
}

impl RuleSeverity {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// What is checked.
#[derive(Debug)]
pub enum RuleScope {
    /// The working tree and the stores as they are
    Everything,
    /// What the next commit would contain
    Staged(StagedChanges),
}

/// A violation of a rule, with its fix. The message names no line: lines change, and a baseline
/// identifies a violation by its message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleViolation {
    /// The file
    pub path: Option<RepoPath>,
    /// The line in it, from 1
    pub line: Option<u32>,
    /// The node, where there is a handle
    pub node: Option<EntityRef>,
    /// What is wrong
    pub message: String,
    /// What to do about it
    pub fix: Hint,
}

/// A violation in a report
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RuleFinding {
    /// Its severity
    pub severity: RuleSeverity,
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
    pub fix: Hint,
}

impl PartialOrd for RuleFinding {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Severe findings come first, then by rule and place.
impl Ord for RuleFinding {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |one: &Self| {
            let place = (one.path.clone(), one.line, one.node.clone());
            (one.severity, one.code, place, one.message.clone(), one.fix.to_string())
        };
        key(self).cmp(&key(other))
    }
}

impl RuleFinding {
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

/// The result of a run of rules.
#[derive(Debug)]
pub struct RuleReport {
    /// Worst first, then by rule and place
    pub findings: Vec<RuleFinding>,
    /// The rules that were run
    pub rules: Vec<&'static VerifyRule>,
}

/// Every rule of every area.
pub fn all(view: &View) -> Vec<&'static VerifyRule> {
    view.areas().iter().flat_map(|area| area.rules).collect()
}

/// Runs the named rules, or all enabled ones if none is named.
pub fn run(view: &View, scope: &RuleScope, wanted: &[String]) -> Result<RuleReport> {
    run_selected(view, scope, &selected_rules(view, wanted)?, !wanted.is_empty())
}

/// Runs some rules; a disabled one only if it was named.
pub fn run_selected(
    view: &View,
    scope: &RuleScope,
    rules: &[&'static VerifyRule],
    named: bool,
) -> Result<RuleReport> {
    let mut report = RuleReport { findings: Vec::new(), rules: Vec::new() };
    for rule in rules.iter().copied() {
        let Some(severity) = severity(view, rule, named) else { continue };
        report.rules.push(rule);
        view.call().check_stopped()?;
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

fn selected_rules(view: &View, wanted: &[String]) -> Result<Vec<&'static VerifyRule>> {
    let all = all(view);
    let codes = || all.iter().map(|rule| rule.code);
    if let Some(unknown) = wanted.iter().find(|name| !codes().any(|code| matches_name(code, name)))
    {
        let problem = Problem::not_found(format!("no rule is called `{unknown}`"));
        let problem = problem.hint_near(&unknown.to_uppercase(), codes());
        return Err(problem.detail("rules", list(&all)));
    }
    let is_wanted = |rule: &&VerifyRule| {
        wanted.is_empty() || wanted.iter().any(|name| matches_name(rule.code, name))
    };
    Ok(all.iter().copied().filter(is_wanted).collect())
}

fn list(rules: &[&VerifyRule]) -> Vec<serde_json::Value> {
    let row = |rule: &&VerifyRule| serde_json::json!({"code": rule.code, "means": rule.statement});
    rules.iter().map(row).collect()
}

fn matches_name(code: &str, name: &str) -> bool {
    code.eq_ignore_ascii_case(&name.replace('-', "_"))
}

/// Rules that run only if a call or the configuration names them, because they partly repeat other
/// rules.
pub const ON_REQUEST: [&str; 1] = [crate::spec_links::GAP_RULE];

/// The effective severity of a rule; none if the configuration disabled it and it was not named.
fn severity(view: &View, rule: &VerifyRule, named: bool) -> Option<RuleSeverity> {
    let configured = view.config().kb.rules.iter().find(|(name, _)| matches_name(rule.code, name));
    match configured.map(|(_, level)| level) {
        None if !named && ON_REQUEST.contains(&rule.code) => None,
        Some(RuleLevel::Off) if !named => None,
        Some(RuleLevel::Warning) => Some(RuleSeverity::Warning),
        Some(RuleLevel::Error) => Some(RuleSeverity::Error),
        _ => Some(rule.severity),
    }
}

/// Whether a violation is reported: with a staged scope, only if it is in a file that the commit
/// touches.
fn concerns(scope: &RuleScope, violation: &RuleViolation) -> bool {
    match (scope, &violation.path) {
        (RuleScope::Staged(staged), Some(path)) => staged.contains(path),
        (RuleScope::Staged(_), None) => false,
        (RuleScope::Everything, _) => true,
    }
}

fn finding(rule: &VerifyRule, severity: RuleSeverity, violation: RuleViolation) -> RuleFinding {
    let RuleViolation { path, line, node, message, fix } = violation;
    RuleFinding { severity, code: rule.code, path, line, node, message, fix }
}
