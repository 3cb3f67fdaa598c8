//! One operation call: caller, time, stop check and progress reporting.
//!
//! The door (CLI, MCP or HTTP) owns clock and cancellation; code below only checks whether to
//! stop.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::{Problem, ProblemCode, RepoPath, Result};

/// Why a call should stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallStopReason {
    /// The deadline has passed
    Deadline,
    /// The caller cancelled it
    Cancelled,
}

/// The progress of a call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// What is being done, such as `indexing files`
    pub activity: &'static str,
    /// Steps completed
    pub done: usize,
    /// Steps in total; 0 if unknown
    pub total: usize,
}

/// How long an answer waits for its optional parts unless the call says otherwise.
const OPTIONAL_WAIT: Duration = Duration::from_millis(300);

type StopCheck = dyn Fn() -> Option<CallStopReason> + Send + Sync;
type ProgressSink = dyn Fn(Progress) + Send + Sync;

/// What a call asks for, in a form that can be replayed later.
#[derive(Debug, Clone)]
pub struct CallRequest {
    /// The name of the operation
    pub operation: String,
    /// Its arguments
    pub args: Map<String, Value>,
    /// The ids of new records are derived from it, so that a replay creates the same ids
    pub seed: [u8; 32],
    /// Set if this is a replay of an earlier request
    pub replayed: Option<ReplayedRequest>,
}

/// What is known about the first run of a request that is replayed.
#[derive(Debug, Clone)]
pub struct ReplayedRequest {
    /// The id of the change that it made the first time
    pub change: String,
    /// The records that it changed then, as they were before
    pub expected: Vec<ExpectedRecord>,
}

/// A record as a request found it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedRecord {
    /// Its kind
    pub kind: String,
    /// Its id
    pub id: String,
    /// Its content before; none if it was new
    pub before: Option<String>,
    /// Its content after; none if it was removed
    pub after: Option<String>,
}

/// One call of one operation.
pub struct Call {
    /// The caller, recorded with changes
    pub actor: String,
    /// The caller's session: `undo` reverts changes of the same session
    pub session: String,
    /// The time of the call
    pub now: Timestamp,
    /// The caller's current folder; names are tried relative to it first
    pub prefix: RepoPath,
    /// How long to wait for optional parts of the answer, such as history that is being read
    pub optional_wait: Duration,
    /// What is asked for; `None` if it cannot be replayed
    pub request: Option<Arc<CallRequest>>,
    stop_check: Arc<StopCheck>,
    progress_sink: Arc<ProgressSink>,
}

impl Call {
    /// A call without a stop check and without progress reporting.
    pub fn new(actor: impl Into<String>, now: Timestamp) -> Self {
        let (stop_check, progress_sink) = (Arc::new(|| None), Arc::new(|_| {}));
        let (prefix, optional_wait) = (RepoPath::ROOT, OPTIONAL_WAIT);
        let actor = actor.into();
        Self {
            session: actor.clone(),
            actor,
            now,
            prefix,
            optional_wait,
            request: None,
            stop_check,
            progress_sink,
        }
    }

    /// Sets the session. By default, a call belongs to its actor's own session.
    #[must_use]
    pub fn in_session(mut self, session: impl Into<String>) -> Self {
        self.session = session.into();
        self
    }

    /// Sets the caller's current folder.
    #[must_use]
    pub fn from_folder(mut self, prefix: RepoPath) -> Self {
        self.prefix = prefix;
        self
    }

    /// Sets how long to wait for optional parts of the answer.
    #[must_use]
    pub const fn with_optional_wait(mut self, optional_wait: Duration) -> Self {
        self.optional_wait = optional_wait;
        self
    }

    /// Sets the function that says whether to stop.
    #[must_use]
    pub fn with_stop_check(
        mut self,
        ask: impl Fn() -> Option<CallStopReason> + Send + Sync + 'static,
    ) -> Self {
        self.stop_check = Arc::new(ask);
        self
    }

    /// Sets the function that receives progress.
    #[must_use]
    pub fn with_progress_sink(mut self, tell: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        self.progress_sink = Arc::new(tell);
        self
    }

    /// The same call on behalf of another actor, in a session of that actor.
    #[must_use]
    pub fn on_behalf_of(&self, actor: &str) -> Self {
        let call = self.child(|| None);
        Self { actor: actor.to_owned(), session: actor.to_owned(), ..call }
    }

    /// The same call with a record of what it asks for.
    #[must_use]
    pub fn with_request(&self, request: CallRequest) -> Self {
        Self { request: Some(Arc::new(request)), ..self.child(|| None) }
    }

    /// The same call with one more reason to stop.
    #[must_use]
    pub fn child(&self, ask: impl Fn() -> Option<CallStopReason> + Send + Sync + 'static) -> Self {
        let outer = self.stop_check.clone();
        Self {
            actor: self.actor.clone(),
            session: self.session.clone(),
            now: self.now,
            prefix: self.prefix.clone(),
            optional_wait: self.optional_wait,
            request: self.request.clone(),
            stop_check: Arc::new(move || outer().or_else(&ask)),
            progress_sink: self.progress_sink.clone(),
        }
    }

    /// Fails when the call should stop.
    pub fn check_stopped(&self) -> Result<()> {
        let (code, why) = match (self.stop_check)() {
            None => return Ok(()),
            Some(CallStopReason::Deadline) => (ProblemCode::Timeout, "the deadline passed"),
            Some(CallStopReason::Cancelled) => (ProblemCode::Cancelled, "the caller cancelled"),
        };
        Err(Problem::new(code, why).hint("narrow the request or allow more time"))
    }

    /// Reports progress, and fails when the call should stop. Loops call it once per iteration.
    pub fn step(&self, what: &'static str, done: usize, total: usize) -> Result<()> {
        (self.progress_sink)(Progress { activity: what, done, total });
        self.check_stopped()
    }
}

impl std::fmt::Debug for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Call")
            .field("actor", &self.actor)
            .field("now", &self.now)
            .finish_non_exhaustive()
    }
}
