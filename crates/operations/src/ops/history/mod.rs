//! The history of files, and what changes with them.

pub mod cochange;
pub mod hotspots;
pub mod list;
pub mod notes;
pub mod owners;
pub mod provenance;
pub mod restore;
pub mod show;
pub mod snapshot;
pub mod snapshots;
pub mod tags;

use std::collections::BTreeSet;

use base::Result;
use history::checkout::CheckoutCommit;
use schemars::JsonSchema;
use serde::Serialize;

use engine::areas::history::{HistoryReader, short_commit_id, time_text};

/// A commit as answers show it
#[derive(Debug, Serialize, JsonSchema)]
pub struct CommitRow {
    /// Its id
    pub commit: String,
    /// Its message, subject and body
    pub message: String,
    /// Who wrote it
    pub author: String,
    /// When it was committed
    pub timestamp: String,
    /// Its conventional-commit type, such as `feat` or `fix`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conv_type: Option<String>,
    /// The scope that its subject names
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conv_scope: Option<String>,
    /// Whether its message announces a breaking change
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub breaking: bool,
    /// What it did to the file; `first known` where a shallow clone ends
    pub change: String,
    /// Where the file was then
    pub path: String,
    /// The tags of the file after it
    pub tags_at_commit: BTreeSet<String>,
}

/// The change of a file in the commit at the edge of a shallow clone, where it is unknown whether
/// the file was added.
const FIRST_KNOWN: &str = "first known";

impl CommitRow {
    /// A commit with what it did to a file, if that is known.
    fn of(history: &HistoryReader<'_>, stop: &CheckoutCommit, change: &str) -> Result<Self> {
        let commit = history.commit(stop)?;
        let conventional = history::parse_conventional_subject(&commit.message);
        Ok(Self {
            commit: history::sha_to_hex(&stop.sha),
            author: format!("{} <{}>", commit.author.name, commit.author.email),
            timestamp: time_text(stop.time),
            conv_type: conventional.as_ref().map(|c| c.kind.to_owned()),
            conv_scope: conventional.as_ref().and_then(|c| c.scope).map(str::to_owned),
            breaking: conventional.is_some_and(|c| c.breaking),
            change: if commit.is_shallow_edge { FIRST_KNOWN } else { change }.to_owned(),
            path: String::new(),
            tags_at_commit: BTreeSet::new(),
            message: commit.message,
        })
    }

    fn subject(&self) -> &str {
        history::commit::subject(&self.message)
    }

    /// The handle of the commit.
    fn handle(&self) -> String {
        format!("commit:{}", self.commit.get(..12).unwrap_or(&self.commit))
    }

    fn day(&self) -> &str {
        self.timestamp.get(..10).unwrap_or(&self.timestamp)
    }
}

fn handle(stop: &CheckoutCommit) -> String {
    format!("commit:{}", short_commit_id(&stop.sha))
}

/// Tags separated by commas.
fn tags_text(tags: &BTreeSet<String>) -> String {
    tags.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}
