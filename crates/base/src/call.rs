//! The call in progress: who asks, when, how long they will wait, and whom to tell.
//!
//! The door owns the clock and the cancellation; what runs below only asks whether to go on.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use crate::{Code, Problem, RepoPath, Result};

/// Why a call should give up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The caller waits no longer
    Deadline,
    /// The caller said so
    Cancelled,
}

/// How far a call has come, and with what.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// What is being done, such as `indexing files`
    pub what: &'static str,
    /// Steps behind us
    pub done: usize,
    /// Steps in all; 0 while nobody knows
    pub total: usize,
}

/// How long an answer waits for what it can do without, unless the caller says otherwise.
const OPTIONAL_WAIT: Duration = Duration::from_millis(300);

type Ask = dyn Fn() -> Option<Stop> + Send + Sync;
type Tell = dyn Fn(Progress) + Send + Sync;

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
    ask: Arc<Ask>,
    tell: Arc<Tell>,
}

impl Call {
    /// A call that is never stopped and tells nobody.
    pub fn new(actor: impl Into<String>, now: Timestamp) -> Self {
        let (ask, tell) = (Arc::new(|| None), Arc::new(|_| {}));
        let (prefix, optional_wait) = (RepoPath::ROOT, OPTIONAL_WAIT);
        let actor = actor.into();
        Self { session: actor.clone(), actor, now, prefix, optional_wait, ask, tell }
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
    pub const fn waiting_for_all(mut self, optional_wait: Duration) -> Self {
        self.optional_wait = optional_wait;
        self
    }

    /// Asks `ask` whether to give up.
    #[must_use]
    pub fn stopping(mut self, ask: impl Fn() -> Option<Stop> + Send + Sync + 'static) -> Self {
        self.ask = Arc::new(ask);
        self
    }

    /// Tells `tell` of progress.
    #[must_use]
    pub fn telling(mut self, tell: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        self.tell = Arc::new(tell);
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
    pub fn child(&self, ask: impl Fn() -> Option<Stop> + Send + Sync + 'static) -> Self {
        let outer = self.ask.clone();
        Self {
            actor: self.actor.clone(),
            session: self.session.clone(),
            now: self.now,
            prefix: self.prefix.clone(),
            optional_wait: self.optional_wait,
            ask: Arc::new(move || outer().or_else(&ask)),
            tell: self.tell.clone(),
        }
    }

    /// Fails when the caller no longer waits.
    pub fn go_on(&self) -> Result<()> {
        let (code, why) = match (self.ask)() {
            None => return Ok(()),
            Some(Stop::Deadline) => (Code::Timeout, "the deadline passed"),
            Some(Stop::Cancelled) => (Code::Cancelled, "the caller cancelled"),
        };
        Err(Problem::new(code, why).hint("narrow the request or allow more time"))
    }

    /// Reports progress and fails when the caller no longer waits. Loops call it once a round.
    pub fn step(&self, what: &'static str, done: usize, total: usize) -> Result<()> {
        (self.tell)(Progress { what, done, total });
        self.go_on()
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
