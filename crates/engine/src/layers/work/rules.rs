//! What must hold of work.

use base::Result;
use work::container::Brief;
use work::words::Status;

use super::layer::node;
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
    let outside = look(view, |draft| pipelines.outside(draft))?;
    let told = |one: &Brief| Violation {
        path: None,
        line: None,
        node: node(one.kind, &one.id).ok(),
        message: format!(
            "{} \"{}\" stands in {}",
            one.kind,
            one.name,
            one.status.map_or("", Status::word)
        ),
        fix: format!(
            "move {} back with `work.revert`, or put the state back into `work.pipelines`",
            one.handle()
        ),
    };
    Ok(outside.iter().map(told).collect())
}
