//! The state of the team for people: its server, who is active, and which changes wait.

use std::time::{Duration, Instant};

use base::{Call, NextCall, Problem, ProblemCode, Result};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use team::{ChangeEntry, SCHEMA_VERSION, TeamFailure};

use super::home::TeamLink;
use super::membership::TeamMembership;
use super::outbox::{OutboxEntry, OutboxNumber, OutboxState};
use super::replica::problem;
use super::status::TeamState;

/// How long an answer about the team waits for the server.
const WAIT: Duration = Duration::from_secs(5);

/// How long an answer waits if the team is only a part of it.
const SHORT_WAIT: Duration = Duration::from_secs(1);

/// A person who wrote within this many seconds counts as active.
const ACTIVE_SECONDS: f64 = 86_400.0;

/// The team of a clone.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TeamOverview {
    /// The address of the database, without a password
    pub address: String,
    /// The project's id
    pub project: String,
    /// How this clone relates to the server
    pub state: TeamState,
    /// Why the server could not be used
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// When the server was last reached, in RFC 3339
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_contact: Option<String>,
    /// What only the server knows
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerOverview>,
    /// Changes that wait for the server, oldest first
    pub pending: Vec<WaitingChange>,
    /// Changes that conflict with others and wait for a decision, oldest first
    pub conflicts: Vec<WaitingChange>,
}

/// What the server says.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ServerOverview {
    /// The project's name
    pub name: String,
    /// The number of the last change
    pub last_change: i64,
    /// The role that is logged in
    pub role: String,
    /// Whether that role may write
    pub can_write: bool,
    /// The role whose members may write
    pub writers: String,
    /// The role whose members may read
    pub readers: String,
    /// Who wrote within a day, the latest first
    pub active: Vec<ActiveWriter>,
}

/// A person who wrote recently.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ActiveWriter {
    /// Their own name
    pub actor: String,
    /// The role that was logged in
    pub role: String,
    /// The number of their last change
    pub last_change: i64,
    /// When, in RFC 3339
    pub at: String,
}

/// A change that waits.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct WaitingChange {
    /// Its number on this machine
    pub entry: OutboxNumber,
    /// What it does
    pub summary: String,
    /// The operation that was asked for
    pub operation: String,
    /// When, in RFC 3339
    pub at: String,
    /// Who asked
    pub actor: String,
    /// The branch that was checked out, if that matters
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Why it is in conflict
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Both sides of each record in conflict
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<Value>,
}

/// How well the server answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamHealth {
    /// The time of one round trip
    pub round_trip: Duration,
    /// The server's schema
    pub schema: i32,
    /// How far the server's clock is ahead of the call's, in milliseconds
    pub clock_ahead_ms: i64,
}

impl TeamLink {
    /// The overview; `None` if this clone has joined no team.
    pub fn overview(&self, call: &Call) -> Result<Option<TeamOverview>> {
        self.overview_within(WAIT, call)
    }

    /// Like [`Self::overview`], for an answer of which the team is only a part.
    pub fn short_overview(&self, call: &Call) -> Result<Option<TeamOverview>> {
        self.overview_within(SHORT_WAIT.max(call.optional_wait), call)
    }

    fn overview_within(&self, wait: Duration, call: &Call) -> Result<Option<TeamOverview>> {
        let Some(membership) = self.membership()? else { return Ok(None) };
        let server = self.server_overview(&membership, wait);
        if server.is_ok() {
            self.note_contact(call.now);
        }
        let (state, reason) = match &server {
            Ok(_) if membership.is_pushed => (TeamState::Current, None),
            Ok(_) => (TeamState::NotPushed, None),
            Err(TeamFailure::Unreachable(why)) => (TeamState::Offline, Some(why.clone())),
            Err(TeamFailure::Refused(problem)) => (TeamState::Refused, Some(problem.to_string())),
        };
        let entries = self.outbox().entries()?;
        let waiting = |state: OutboxState| {
            entries.iter().filter(|entry| entry.state == state).map(waiting_change).collect()
        };
        Ok(Some(TeamOverview {
            address: membership.address.clone(),
            project: membership.project.to_string(),
            state,
            reason,
            last_contact: self.last_contact().map(|at| at.to_string()),
            server: server.ok(),
            pending: waiting(OutboxState::Pending),
            conflicts: waiting(OutboxState::Conflict),
        }))
    }

    fn server_overview(
        &self,
        membership: &TeamMembership,
        wait: Duration,
    ) -> Result<ServerOverview, TeamFailure> {
        let client = self.client(membership, wait)?;
        client.schema(wait)?.require_current()?;
        let project = client.project(&membership.project, wait)?.ok_or_else(|| {
            Problem::new(
                ProblemCode::Untrusted,
                "the server does not show the project to this role",
            )
        })?;
        let active = client.active(&membership.project, ACTIVE_SECONDS, wait)?;
        let active = active.into_iter().map(|one| ActiveWriter {
            actor: one.actor,
            role: one.role,
            last_change: one.last_change,
            at: one.at,
        });
        Ok(ServerOverview {
            name: project.name,
            last_change: project.seq,
            role: project.user,
            can_write: project.can_write,
            writers: project.roles.writers,
            readers: project.roles.readers,
            active: active.collect(),
        })
    }

    /// Entries of the team's log, newest first, and how many there are.
    pub fn log(
        &self,
        store: Option<&str>,
        limit: usize,
        offset: usize,
    ) -> Result<(Vec<ChangeEntry>, u64)> {
        let membership = self.require_membership()?;
        let client = self.client(&membership, WAIT).map_err(problem)?;
        client.schema(WAIT).map_err(problem)?.require_current()?;
        let (limit, offset) =
            (i64::try_from(limit).unwrap_or(i64::MAX), i64::try_from(offset).unwrap_or(0));
        let page = client.changes(&membership.project, store, limit, offset, WAIT);
        let (entries, total) = page.map_err(problem)?;
        Ok((entries, u64::try_from(total).unwrap_or_default()))
    }

    /// Measures how well the server answers.
    pub fn health(&self, call: &Call) -> Result<TeamHealth> {
        let membership = self.require_membership()?;
        self.retry_now();
        let client = self.client(&membership, WAIT).map_err(problem)?;
        let schema = client.schema(WAIT).map_err(problem)?;
        schema.require_current()?;
        let begin = Instant::now();
        let clock = client.clock_ms(WAIT).map_err(problem)?;
        Ok(TeamHealth {
            round_trip: begin.elapsed(),
            schema: schema.version,
            clock_ahead_ms: clock - call.now.as_millisecond(),
        })
    }

    /// What this clone has joined; a problem if nothing.
    pub fn require_membership(&self) -> Result<TeamMembership> {
        self.membership()?.ok_or_else(|| {
            let join = NextCall::new("team.join").with("address", "postgres://USER@HOST/DATABASE");
            Problem::new(ProblemCode::Unavailable, "this repository has joined no team")
                .hint_call("join one with", join)
        })
    }
}

/// The schema that this program reads and writes.
pub const TEAM_SCHEMA_VERSION: i32 = SCHEMA_VERSION;

fn waiting_change(entry: &OutboxEntry) -> WaitingChange {
    let problem: Option<Value> =
        entry.problem.as_deref().and_then(|text| serde_json::from_str(text).ok());
    let records = problem.as_ref().and_then(|problem| problem["details"]["records"].as_array());
    WaitingChange {
        entry: entry.entry,
        summary: entry.summary.clone(),
        operation: entry.request.operation.clone(),
        at: entry.at.clone(),
        actor: entry.actor.clone(),
        branch: entry.branch.clone(),
        records: records.cloned().unwrap_or_default(),
        problem: problem.as_ref().and_then(|one| one["message"].as_str()).map(ToOwned::to_owned),
    }
}
