//! What must hold of work.

use base::{Code, Result};
use serde_json::Value;

use super::{is_empty, look, pipelines};
use crate::rules::{Rule, Scope, Severity, Violation};
use crate::view::View;

/// The rules of work.
pub(crate) const RULES: &[Rule] = &[Rule {
    code: "WORK_STATE_UNKNOWN",
    severity: Severity::Error,
    means: "nothing stands in a state that `work.pipelines` leaves out",
    check: lost,
}];

fn lost(view: &View, _: &Scope) -> Result<Vec<Violation>> {
    if is_empty(view)? {
        return Ok(Vec::new());
    }
    let pipelines = pipelines(view)?;
    let found = look(view, |draft| Ok(pipelines.check(draft)))?;
    let Err(problem) = found else { return Ok(Vec::new()) };
    if problem.code != Code::InvalidOperation {
        return Err(problem);
    }
    let rows = problem.details.get("records").and_then(Value::as_array).cloned();
    let told = |row: &Value| Violation {
        path: None,
        line: None,
        node: row["node"].as_str().and_then(|node| node.parse().ok()),
        message: format!("stands in {}", row["status"].as_str().unwrap_or_default()),
        fix: "put the state back into `work.pipelines`, move it on, then take the state out".into(),
    };
    Ok(rows.unwrap_or_default().iter().map(told).collect())
}
