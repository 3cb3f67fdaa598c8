//! Entries of the audit log, and the ids by which they are known.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::edit::KbRowChange;
use crate::plan::ChangeStamp;

/// The number of an entry in the log of one store.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(transparent)]
pub struct LogSeq(pub i64);

impl fmt::Display for LogSeq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The id of an entry, the same in every branch's store that has the entry.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LogUid(pub String);

/// One entry of the audit log.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditEntry {
    /// Its number; 0 until it is in the log
    pub seq: LogSeq,
    /// Its id; empty until it is in a log
    pub uid: LogUid,
    /// The id that the caller gave the changeset
    pub changeset: Option<String>,
    /// Digest of the changeset; empty if the entry was not made by one
    pub digest: String,
    /// When it was applied, in RFC 3339
    pub at: String,
    /// Who applied it
    pub actor: String,
    /// Where its facts come from
    pub source: String,
    /// What was done: upsert, delete, rollback, merge, import, promote or share
    pub action: String,
    /// Each row before and after
    pub edits: Vec<KbRowChange>,
}

impl AuditEntry {
    /// An entry that is not in the log yet.
    pub(crate) fn new(
        action: &str,
        source: impl Into<String>,
        stamp: &ChangeStamp,
        edits: Vec<KbRowChange>,
    ) -> Self {
        Self {
            seq: LogSeq::default(),
            uid: LogUid::default(),
            changeset: None,
            digest: String::new(),
            at: stamp.at.clone(),
            actor: stamp.actor.clone(),
            source: source.into(),
            action: action.to_owned(),
            edits,
        }
    }
}
