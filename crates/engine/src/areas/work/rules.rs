//! Rules of work.

use base::{Hint, NextCall, Result};
use work::container::WorkItemBrief;
use work::words::WorkStatus;

use super::graph_area::node;
use super::{is_empty, pipelines, read_store};
use crate::rules::{RuleScope, RuleSeverity, RuleViolation, VerifyRule};
use crate::view::View;

/// The rules of work.
pub const RULES: &[VerifyRule] = &[VerifyRule {
    code: "WORK_STATE_UNKNOWN",
    severity: RuleSeverity::Error,
    statement: "every feature and task has a status that `work.pipelines` contains",
    check: check_states,
}];

fn check_states(view: &View, _: &RuleScope) -> Result<Vec<RuleViolation>> {
    if is_empty(view)? {
        return Ok(Vec::new());
    }
    let pipelines = pipelines(view)?;
    let outside = read_store(view, |draft| pipelines.items_outside_pipeline(draft))?;
    let told = |one: &WorkItemBrief| RuleViolation {
        path: None,
        line: None,
        node: node(one.kind, &one.id).ok(),
        message: format!(
            "{} \"{}\" stands in {}",
            one.kind,
            one.name,
            one.status.map_or("", WorkStatus::word)
        ),
        fix: Hint::call(
            "add the status to `work.pipelines` again, or move it back with",
            NextCall::new("work.revert").with("id", one.handle()),
        ),
    };
    Ok(outside.iter().map(told).collect())
}
