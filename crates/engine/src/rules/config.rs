//! `cairn.jsonc` says what it means to say.

use base::Result;

use super::{Rule, Scope, Severity, Violation};
use crate::view::View;

pub(crate) const CONFIG_INVALID: Rule = Rule {
    code: "CONFIG_INVALID",
    severity: Severity::Error,
    means: "cairn.jsonc parses, and every key and value of it is known",
    check,
};

fn check(view: &View, _: &Scope) -> Result<Vec<Violation>> {
    let violation = |found: &config::Finding| Violation {
        path: "cairn.jsonc".parse().ok(),
        line: u32::try_from(found.line).ok(),
        node: None,
        message: found.message.clone(),
        fix: found.hint.clone().unwrap_or_else(|| "correct it".into()),
    };
    Ok(view.findings().iter().map(violation).collect())
}
