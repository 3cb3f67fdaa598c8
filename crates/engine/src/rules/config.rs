//! Rule: `cairn.jsonc` is valid.

use base::Result;

use super::{RuleScope, RuleSeverity, RuleViolation, VerifyRule};
use crate::view::View;

pub(crate) const CONFIG_INVALID: VerifyRule = VerifyRule {
    code: "CONFIG_INVALID",
    severity: RuleSeverity::Error,
    statement: "cairn.jsonc parses, and every key and value in it is known",
    check,
};

fn check(view: &View, _: &RuleScope) -> Result<Vec<RuleViolation>> {
    let violation = |found: &config::ConfigFinding| RuleViolation {
        path: "cairn.jsonc".parse().ok(),
        line: Some(found.line),
        node: None,
        message: found.message.clone(),
        fix: found.hint.as_deref().unwrap_or("correct it").into(),
    };
    Ok(view.config_findings().iter().map(violation).collect())
}
