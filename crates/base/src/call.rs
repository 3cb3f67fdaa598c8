//! The call in progress: who asks, when, how long they will wait, and whom to tell.
//!
//! The door owns the clock and the cancellation; what runs below only asks whether to go on.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use crate::{Problem, ProblemCode, RepoPath, Result};

/// Why a call should give up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallStopReason {
    /// The caller waits no longer
    Deadline,
    /// The caller said so
    Cancelled,
}

/// How far a call has come, and with what.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// What is being done, such as `indexing files`
    pub activity: &'static str,
    /// Steps behind us
    pub done: usize,
    /// Steps in all; 0 while nobody knows
    pub total: usize,
}

/// How long an answer waits for what it can do without, unless the caller says otherwise.
const OPTIONAL_WAIT: Duration = Duration::from_millis(300);

type StopCheck = dyn Fn() -> Option<CallStopReason> + Send + Sync;
type ProgressSink = dyn Fn(Progress) + Send + Sync;

/// One call of one operation.
pub struct Call {
    /// Who asks, for the record
    pub actor: String,
    /// Which of the actor's sessions asks: `undo` takes back what was done in the same one
    pub session: String,
    /// When they asked
    pub now: Timestamp,
    /// The folder they stand in; names are tried relative to it first
    pub prefix: RepoPath,
    /// How long to wait for what the answer can do without, such as history that is being read
    pub optional_wait: Duration,
    stop_check: Arc<StopCheck>,
    progress_sink: Arc<ProgressSink>,
}

impl Call {
    /// A call that is never stopped and tells nobody.
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
            stop_check,
            progress_sink,
        }
    }

    /// The session that the caller is in; a call that names none is in the actor's own.
    #[must_use]
    pub fn in_session(mut self, session: impl Into<String>) -> Self {
        self.session = session.into();
        self
    }

    /// The folder that the caller stands in.
    #[must_use]
    pub fn from_folder(mut self, prefix: RepoPath) -> Self {
        self.prefix = prefix;
        self
    }

    /// Waits so long for what the answer can do without.
    #[must_use]
    pub const fn with_optional_wait(mut self, optional_wait: Duration) -> Self {
        self.optional_wait = optional_wait;
        self
    }

    /// Asks `stop_check` whether to give up.
    #[must_use]
    pub fn with_stop_check(
        mut self,
        ask: impl Fn() -> Option<CallStopReason> + Send + Sync + 'static,
    ) -> Self {
        self.stop_check = Arc::new(ask);
        self
    }

    /// Tells `progress_sink` of progress.
    #[must_use]
    pub fn with_progress_sink(mut self, tell: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        self.progress_sink = Arc::new(tell);
        self
    }

    /// The same call on behalf of somebody else, in a session of theirs.
    #[must_use]
    pub fn on_behalf_of(&self, actor: &str) -> Self {
        let call = self.child(|| None);
        Self { actor: actor.to_owned(), session: actor.to_owned(), ..call }
    }

    /// The same call with one more reason to give up.
    #[must_use]
    pub fn child(&self, ask: impl Fn() -> Option<CallStopReason> + Send + Sync + 'static) -> Self {
        let outer = self.stop_check.clone();
        Self {
            actor: self.actor.clone(),
            session: self.session.clone(),
            now: self.now,
            prefix: self.prefix.clone(),
            optional_wait: self.optional_wait,
            stop_check: Arc::new(move || outer().or_else(&ask)),
            progress_sink: self.progress_sink.clone(),
        }
    }

    /// Fails when the caller no longer waits.
    pub fn check_stopped(&self) -> Result<()> {
        let (code, why) = match (self.stop_check)() {
            None => return Ok(()),
            Some(CallStopReason::Deadline) => (ProblemCode::Timeout, "the deadline passed"),
            Some(CallStopReason::Cancelled) => (ProblemCode::Cancelled, "the caller cancelled"),
        };
        Err(Problem::new(code, why).hint("narrow the request or allow more time"))
    }

    /// Reports progress and fails when the caller no longer waits. Loops call it once a round.
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
