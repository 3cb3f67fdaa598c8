//! `team.status`: where the team's records are, who is active, and what waits.

use base::moment::to_the_second;
use base::words::counted;
use base::{NextCall, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::durable::team::{ActiveWriter, TeamOverview, TeamState, WaitingChange};
use engine::view::View;

/// Show the team of this clone: its server, who is active, what waits
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TeamStatus {}

/// The team of this clone
#[derive(Debug, Serialize, JsonSchema)]
pub struct TeamStatusAnswer {
    /// None if this clone has joined no team
    pub team: Option<TeamOverview>,
}

impl Query for TeamStatus {
    const NAME: &'static str = "team.status";
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "", shows: "the server, who is active, and what waits" }];
    type Answer = TeamStatusAnswer;

    fn run(self, view: &View) -> Result<TeamStatusAnswer> {
        Ok(TeamStatusAnswer { team: view.team().overview(view.call())? })
    }
}

/// Maximum number of members that one line names.
const MAX_NAMED: usize = 3;

/// The state of a team in one line.
pub(in crate::ops) fn summary_line(team: &TeamOverview) -> String {
    let mut parts = vec![match (team.state, &team.server) {
        (TeamState::Current, Some(server)) => format!("online at change {}", server.last_change),
        (TeamState::NotPushed, _) => "joined; local records are not pushed yet".into(),
        (TeamState::Refused, _) => "the server refuses this client".into(),
        _ => "offline".into(),
    }];
    parts.extend(team.server.as_ref().and_then(|server| active_names(&server.active)));
    if !team.pending.is_empty() {
        parts.push(format!("{} pending", counted(team.pending.len(), "change")));
    }
    if !team.conflicts.is_empty() {
        parts.push(format!("{} to settle", counted(team.conflicts.len(), "conflict")));
    }
    parts.join(", ")
}

/// Who was active, the latest first; none if nobody was.
fn active_names(active: &[ActiveWriter]) -> Option<String> {
    let shares_name = |one: &ActiveWriter| {
        active.iter().any(|other| other.actor == one.actor && other.role != one.role)
    };
    let mut names: Vec<String> = Vec::new();
    for one in active {
        let name = match shares_name(one) {
            true => format!("{} as {}", one.actor, one.role),
            false => one.actor.clone(),
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let more = names.len().saturating_sub(MAX_NAMED);
    names.truncate(MAX_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!names.is_empty()).then(|| format!("active today: {}{more}", names.join(", ")))
}

impl Render for TeamStatusAnswer {
    fn render(&self, page: &mut Page) {
        let Some(team) = &self.team else {
            page.answer("This clone has not joined a team: its records stay on this machine");
            let join = NextCall::new("team.join").with("address", "postgres://USER@HOST/DATABASE");
            page.say_call("to share them", join);
            return;
        };
        page.answer(format!("Team: {}", summary_line(team)));
        page.item("server", &team.address);
        page.item("project", &team.project);
        if let Some(reason) = &team.reason {
            page.item("reason", reason);
        }
        if let (Some(at), None) = (&team.last_contact, &team.server) {
            page.item("last contact", to_the_second(at));
        }
        if let Some(server) = &team.server {
            let may = if server.can_write { "may write" } else { "may only read" };
            page.item("role", format!("{}, which {may}", server.role));
            page.item("to add a member", format!("GRANT {} TO member", server.writers));
            page.item("to add a reader", format!("GRANT {} TO member", server.readers));
            if !server.active.is_empty() {
                page.heading("Active within a day");
                let rows = server.active.iter().map(|one| {
                    vec![
                        PageCell::text(&one.actor),
                        PageCell::faint(format!("as {}", one.role)),
                        PageCell::text(format!("change {}", one.last_change)),
                        PageCell::faint(to_the_second(&one.at)),
                    ]
                });
                page.table(2, rows.collect());
            }
        }
        match team.server.is_some() && !team.pending.is_empty() {
            true => {
                render_waiting(page, "Pending: written before the next change", &team.pending);
                page.say_call("to write them now", NextCall::new("team.push"));
            }
            false => {
                render_waiting(page, "Pending: written when the server answers", &team.pending);
            }
        }
        render_conflicts(page, &team.conflicts);
    }
}

fn render_waiting(page: &mut Page, heading: &str, changes: &[WaitingChange]) {
    if changes.is_empty() {
        return;
    }
    page.heading(heading);
    let rows = changes.iter().map(|change| {
        let branch = change.branch.as_ref().map(|branch| format!("on {branch}"));
        vec![
            PageCell::text(change.entry),
            PageCell::text(&change.summary),
            PageCell::faint(format!("{} {}", change.actor, to_the_second(&change.at))),
            PageCell::faint(branch.unwrap_or_default()),
        ]
    });
    page.table(2, rows.collect());
}

fn render_conflicts(page: &mut Page, conflicts: &[WaitingChange]) {
    if conflicts.is_empty() {
        return;
    }
    render_waiting(page, "Conflicts: both sides changed", conflicts);
    for change in conflicts {
        page.item(format!("{}", change.entry), change.problem.as_deref().unwrap_or("refused"));
        change.records.iter().for_each(|record| render_sides(page, record));
    }
    let push = |side: &str| NextCall::new("team.push").with("prefer", side);
    page.say_call("to apply your changes on top of theirs", push("mine"));
    page.say_call("to keep theirs", push("theirs"));
}

/// Both sides of a record in conflict, as the fields in which they differ.
pub(super) fn render_sides(page: &mut Page, record: &Value) {
    let text = |key: &str| record[key].as_str();
    let name = text("name").map(|name| format!("  {name}")).unwrap_or_default();
    page.say(format!("  {}{name}", text("record").unwrap_or_default()));
    page.say(format!("    mine    {}", side(&record["mine"])));
    page.say(format!("    theirs  {}", side(&record["theirs"])));
}

/// One side of a conflict in one line. Author, time and version always differ and come last.
fn side(side: &Value) -> String {
    let Some(fields) = side.as_object() else { return "removed".into() };
    let is_stamp = |key: &str| {
        ["version", "author", "source"].contains(&key)
            || key.ends_with("_at")
            || key.ends_with("_by")
    };
    let (stamps, said): (Vec<_>, Vec<_>) = fields.iter().partition(|(key, _)| is_stamp(key));
    let field = |(key, value): (&String, &Value)| format!("{key}: {value}");
    said.into_iter().chain(stamps).map(field).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_whose_programs_share_a_name_are_told_apart_by_role() {
        let writer = |actor: &str, role: &str| ActiveWriter {
            actor: actor.into(),
            role: role.into(),
            last_change: 1,
            at: "2026-01-02T03:04:05Z".into(),
        };
        let active = [writer("cli", "ada"), writer("cli", "ben"), writer("cyd@x", "cyd")];
        let named = active_names(&active).unwrap();
        assert_eq!(named, "active today: cli as ada, cli as ben, cyd@x");
    }
}
