//! Checks that the team's server answers and has the right schema, and that no change waits too
//! long.

use std::time::Duration;

use base::words::counted;
use base::{Call, Hint, NextCall, Result};

use super::DoctorFinding;
use engine::durable::team::TEAM_SCHEMA_VERSION;
use engine::durable::team::outbox::OutboxState;
use engine::workspace::Workspace;

/// A round trip that takes longer makes every write slow.
const SLOW_ROUND_TRIP: Duration = Duration::from_millis(200);

/// A clock that differs by more makes times misleading, in milliseconds.
const MAX_CLOCK_DIFFERENCE_MS: i64 = 60_000;

pub(super) fn check(workspace: &Workspace, call: &Call) -> Result<Vec<DoctorFinding>> {
    let link = workspace.stores().team();
    if link.membership()?.is_none() {
        return Ok(vec![DoctorFinding::fine("team", "this clone has not joined a team")]);
    }
    let mut findings = match link.health(call) {
        Err(problem) => {
            let fix = problem.hints.first().cloned().unwrap_or_else(|| "check the network".into());
            vec![DoctorFinding::error("team", problem.to_string(), fix)]
        }
        Ok(health) => {
            let what = format!(
                "the server answers in {:.1} ms, schema {} of {TEAM_SCHEMA_VERSION}",
                health.round_trip.as_secs_f64() * 1000.0,
                health.schema
            );
            vec![
                match health.round_trip > SLOW_ROUND_TRIP {
                    false => DoctorFinding::fine("team", what),
                    true => DoctorFinding::warning(
                        "team",
                        what,
                        "a write takes four round trips; use a server that is nearer",
                    ),
                },
                clock_finding(health.clock_ahead_ms),
            ]
        }
    };
    findings.extend(outbox_findings(workspace)?);
    Ok(findings)
}

fn clock_finding(ahead_ms: i64) -> DoctorFinding {
    match ahead_ms.abs() > MAX_CLOCK_DIFFERENCE_MS {
        false => DoctorFinding::fine("team", "the clocks agree"),
        true => DoctorFinding::warning(
            "team",
            format!("the server's clock differs by {} s", ahead_ms.abs() / 1000),
            "set this machine's clock; it decides when claims expire",
        ),
    }
}

fn outbox_findings(workspace: &Workspace) -> Result<Vec<DoctorFinding>> {
    let entries = workspace.stores().team().outbox().entries()?;
    let count = |state| entries.iter().filter(|entry| entry.state == state).count();
    let status = || NextCall::new("team.status");
    let mut findings = Vec::new();
    let pending = count(OutboxState::Pending);
    if pending > 0 {
        let fix =
            Hint::call("they are written when the server answers; they are listed by", status());
        let what = format!("{} not on the server yet", counted(pending, "change"));
        findings.push(DoctorFinding::warning("team", what, fix));
    }
    let conflicts = count(OutboxState::Conflict);
    if conflicts > 0 {
        let fix = Hint::call("settle them with `team push --prefer`; they are listed by", status());
        let what = format!("{} to settle", counted(conflicts, "conflict"));
        findings.push(DoctorFinding::error("team", what, fix));
    }
    if findings.is_empty() {
        findings.push(DoctorFinding::fine("team", "nothing waits for the server"));
    }
    Ok(findings)
}
