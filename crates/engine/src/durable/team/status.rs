//! How an answer relates to the team: up to date, or as of when.

use std::fmt;

use base::words::counted;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

/// How the replica that an answer was read from relates to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TeamState {
    /// It has everything that the server had
    Current,
    /// The server could not be asked
    Offline,
    /// The server refuses this client
    Refused,
    /// Local records have not been pushed to the server yet
    NotPushed,
}

/// What an answer says about the team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TeamBasis {
    /// How the replica relates to the server
    pub state: TeamState,
    /// The last change that the replica has
    pub change: i64,
    /// When the server was last reached, in RFC 3339
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_of: Option<String>,
    /// How long that is ago, in seconds
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age_seconds: Option<i64>,
    /// Changes that wait for the server
    pub pending: usize,
    /// Changes that conflict with others on the server and wait for a decision
    pub conflicts: usize,
    /// Why the server could not be used
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl TeamBasis {
    /// The age of the last contact, as of `now`.
    pub(super) fn with_contact(mut self, contact: Option<Timestamp>, now: Timestamp) -> Self {
        self.as_of = contact.map(|at| at.to_string());
        self.age_seconds = contact.map(|at| (now.as_second() - at.as_second()).max(0));
        self
    }
}

impl fmt::Display for TeamBasis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        match self.state {
            TeamState::Current => {}
            TeamState::Offline => {
                parts.push("offline".to_owned());
                // Nothing is known of a store that was never read here.
                if self.change > 0 {
                    parts.push(format!("as of change {}", self.change));
                }
                parts.extend(self.age_seconds.map(|age| format!("{} ago", duration_text(age))));
            }
            TeamState::Refused => {
                let why = self.reason.as_deref().unwrap_or("the server refuses");
                parts.push(format!("{why}; as of change {}", self.change));
            }
            TeamState::NotPushed => parts.push("local records are not pushed yet".to_owned()),
        }
        if self.pending > 0 {
            parts.push(format!("{} pending", counted(self.pending, "change")));
        }
        if self.conflicts > 0 {
            parts.push(format!("{} to settle", counted(self.conflicts, "conflict")));
        }
        match parts.is_empty() {
            true => Ok(()),
            false => write!(f, "team: {}", parts.join(", ")),
        }
    }
}

/// A duration in its largest unit.
fn duration_text(seconds: i64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..172_800 => format!("{} h", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_basis_says_nothing_while_everything_is_well() {
        let mut basis = TeamBasis {
            state: TeamState::Current,
            change: 41,
            as_of: None,
            age_seconds: Some(250),
            pending: 0,
            conflicts: 0,
            reason: None,
        };
        assert_eq!(basis.to_string(), "");
        basis.state = TeamState::Offline;
        assert_eq!(basis.to_string(), "team: offline, as of change 41, 4 min ago");
        basis.change = 0;
        assert_eq!(basis.to_string(), "team: offline, 4 min ago");
        (basis.change, basis.pending, basis.conflicts) = (41, 2, 1);
        let text =
            "team: offline, as of change 41, 4 min ago, 2 changes pending, 1 conflict to settle";
        assert_eq!(basis.to_string(), text);
    }
}
