//! The running language servers: each is started at its first use, shared, and replaced if it
//! fails.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use base::{Call, Result};
use serde_json::Value;

use super::session::{LspSession, LspSessionOptions};
use super::unavailable::ServerUnavailable;
use crate::find::{ProgramFile, find_program};
use crate::host::ToolHost;
use crate::program_failure::ProgramFailure;

/// A server that was idle for this long gets a health check before the next request.
const HEALTH_CHECK_AFTER: Duration = Duration::from_mins(1);

/// A server that was not used for this long is stopped to free its memory.
const IDLE_TIMEOUT: Duration = Duration::from_mins(20);

/// Maximum memory of one server, in bytes, unless half of the machine's memory is less.
const MAX_MEMORY: u64 = 6 << 30;

/// How long a server that failed twice is not started. Each further failure doubles the time.
const INITIAL_BACKOFF: Duration = Duration::from_secs(2);

/// The longest such delay.
const MAX_BACKOFF: Duration = Duration::from_mins(1);

/// Interval at which a caller checks whether another one has started the server.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A server program that can serve a language.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerCandidate {
    /// The name of its program
    pub program: String,
    /// The arguments with which it speaks the protocol
    pub args: Vec<String>,
    /// Its settings
    pub options: Value,
    /// The command that installs it
    pub install: String,
}

/// A server that was ended on request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoppedServer {
    /// Its name and version
    pub title: String,
}

/// The servers of one project.
pub struct ServerPool {
    host: ToolHost,
    memory: u64,
    slots: Mutex<BTreeMap<String, ServerSlot>>,
    changed: Condvar,
}

/// The state of one server, whichever candidate it is.
enum ServerSlot {
    /// A caller is starting it
    Starting,
    /// It runs
    Running(Arc<LspSession>, FailureHistory),
    /// It failed and is not started for some time
    BackingOff(ServerUnavailable, FailureHistory),
}

/// How often it failed in succession, and until when it is not started.
#[derive(Debug, Clone, Copy)]
struct FailureHistory {
    failures: u32,
    retry_at: Option<Instant>,
}

impl ServerPool {
    /// A pool for the servers of a project. None of them runs yet.
    pub fn new(host: ToolHost) -> Self {
        let memory = platform::total_memory().map_or(MAX_MEMORY, |all| MAX_MEMORY.min(all / 2));
        Self { host, memory, slots: Mutex::default(), changed: Condvar::new() }
    }

    /// The same pool with another memory limit for each server, in bytes.
    #[must_use]
    pub fn with_memory(mut self, memory: u64) -> Self {
        self.memory = memory;
        self
    }

    /// A working server: the running one, or the first candidate that starts. The outer result
    /// fails if the call was stopped.
    pub fn session(
        &self,
        candidates: &[ServerCandidate],
        call: &Call,
    ) -> Result<Result<Arc<LspSession>, ServerUnavailable>> {
        let Some(first) = candidates.first() else {
            return Ok(Err(ServerUnavailable::NoKnownServer));
        };
        let key = format!("{} {}", first.program, first.args.join(" "));
        let history = match self.claim(&key, call)? {
            SlotClaim::Ready(session) => return Ok(Ok(session)),
            SlotClaim::BackingOff(lack) => return Ok(Err(lack)),
            SlotClaim::Start(history) => history,
        };
        // Whatever happens, nobody may be left waiting for us.
        let started = self.start(candidates, call);
        let (slot, answer) = match started {
            Ok(Ok(session)) => {
                let session = Arc::new(session);
                (Some(ServerSlot::Running(session.clone(), history)), Ok(Ok(session)))
            }
            Ok(Err(lack @ ServerUnavailable::Failing { .. })) => {
                let history = history.after_failure();
                let lack = lack.with_retry_at(history.retry_at);
                (Some(ServerSlot::BackingOff(lack.clone(), history)), Ok(Err(lack)))
            }
            Ok(Err(lack)) => (None, Ok(Err(lack))),
            Err(problem) => (None, Err(problem)),
        };
        let mut slots = self.lock();
        match slot {
            Some(slot) => drop(slots.insert(key, slot)),
            None => drop(slots.remove(&key)),
        }
        drop(slots);
        self.changed.notify_all();
        answer
    }

    /// Stops all servers and forgets their failures.
    pub fn stop_all(&self) -> Vec<StoppedServer> {
        let slots = std::mem::take(&mut *self.lock());
        let running = slots.into_values().filter_map(|slot| match slot {
            ServerSlot::Running(session, _) if session.failure().is_none() => Some(session),
            _ => None,
        });
        let stop = |session: Arc<LspSession>| {
            session.shut_down();
            StoppedServer { title: session.title() }
        };
        running.map(stop).collect()
    }

    /// Claims a server, either to use it or to start it.
    fn claim(&self, key: &str, call: &Call) -> Result<SlotClaim> {
        let mut slots = self.lock();
        loop {
            let (session, history) = match slots.get(key) {
                None => (None, FailureHistory { failures: 0, retry_at: None }),
                Some(ServerSlot::Starting) => {
                    slots = self.wait(slots);
                    call.check_stopped()?;
                    continue;
                }
                Some(ServerSlot::BackingOff(lack, history)) if history.is_backing_off() => {
                    return Ok(SlotClaim::BackingOff(lack.clone().with_retry_at(history.retry_at)));
                }
                Some(ServerSlot::BackingOff(_, history)) => (None, *history),
                Some(ServerSlot::Running(session, history)) => (Some(session.clone()), *history),
            };
            slots.insert(key.to_owned(), ServerSlot::Starting);
            drop(slots);
            let found = session.map(|session| check_health(session, history, call)).transpose();
            slots = self.lock();
            match found {
                Err(problem) => {
                    slots.remove(key);
                    self.changed.notify_all();
                    return Err(problem);
                }
                Ok(None) => return Ok(SlotClaim::Start(history)),
                Ok(Some(SessionHealth::Healthy(session))) => {
                    let well = FailureHistory { failures: 0, retry_at: None };
                    slots.insert(key.to_owned(), ServerSlot::Running(session.clone(), well));
                    self.changed.notify_all();
                    return Ok(SlotClaim::Ready(session));
                }
                Ok(Some(SessionHealth::Gone(history, lack))) if history.is_backing_off() => {
                    let lack = lack.with_retry_at(history.retry_at);
                    slots.insert(key.to_owned(), ServerSlot::BackingOff(lack.clone(), history));
                    self.changed.notify_all();
                    return Ok(SlotClaim::BackingOff(lack));
                }
                Ok(Some(SessionHealth::Gone(history, _))) => return Ok(SlotClaim::Start(history)),
            }
        }
    }

    /// Starts the first candidate that works. The choice can depend on the project: only TypeScript
    /// 7 is its own server.
    fn start(
        &self,
        candidates: &[ServerCandidate],
        call: &Call,
    ) -> Result<Result<LspSession, ServerUnavailable>> {
        let mut failed = None;
        for candidate in candidates {
            let Some(found) = find_program(&candidate.program, &self.host) else { continue };
            match LspSession::start(&self.session_options(candidate, &found), call)? {
                Ok(session) => return Ok(Ok(session)),
                Err(dead) => {
                    let program = candidate.program.clone();
                    failed = failed.or(Some(ServerUnavailable::Failing {
                        program,
                        failure: dead,
                        retry_after: None,
                    }));
                }
            }
        }
        Ok(Err(failed.unwrap_or_else(|| not_installed(candidates))))
    }

    fn session_options<'a>(
        &'a self,
        candidate: &'a ServerCandidate,
        found: &'a ProgramFile,
    ) -> LspSessionOptions<'a> {
        LspSessionOptions {
            program: &candidate.program,
            program_file: found,
            args: &candidate.args,
            host: &self.host,
            folder: self.host.project(),
            options: &candidate.options,
            memory: self.memory,
            idle: IDLE_TIMEOUT,
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, ServerSlot>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(
        &self,
        slots: MutexGuard<'a, BTreeMap<String, ServerSlot>>,
    ) -> MutexGuard<'a, BTreeMap<String, ServerSlot>> {
        self.changed.wait_timeout(slots, POLL_INTERVAL).unwrap_or_else(PoisonError::into_inner).0
    }
}

impl Drop for ServerPool {
    fn drop(&mut self) {
        self.stop_all();
    }
}

/// What a caller that needs a server has to do.
enum SlotClaim {
    Ready(Arc<LspSession>),
    Start(FailureHistory),
    BackingOff(ServerUnavailable),
}

/// The state of a server that was started before.
enum SessionHealth {
    Healthy(Arc<LspSession>),
    Gone(FailureHistory, ServerUnavailable),
}

impl FailureHistory {
    /// The history with one more failure. After the first failure the server is started again at
    /// once, after later ones with a delay.
    fn after_failure(self) -> Self {
        let failures = self.failures.saturating_add(1);
        let rest = match failures {
            0 | 1 => None,
            more => Some(INITIAL_BACKOFF.saturating_mul(1 << (more - 2).min(8)).min(MAX_BACKOFF)),
        };
        Self { failures, retry_at: rest.and_then(|rest| Instant::now().checked_add(rest)) }
    }

    fn is_backing_off(&self) -> bool {
        self.retry_at.is_some_and(|until| Instant::now() < until)
    }
}

impl ServerUnavailable {
    /// The same failure, with the time after which it is tried again.
    fn with_retry_at(self, until: Option<Instant>) -> Self {
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        match self {
            Self::Failing { program, failure: dead, .. } => Self::Failing {
                program,
                failure: dead,
                retry_after: left.filter(|left| !left.is_zero()),
            },
            other => other,
        }
    }
}

/// Whether a session can still be used. One that hangs is ended.
fn check_health(
    session: Arc<LspSession>,
    history: FailureHistory,
    call: &Call,
) -> Result<SessionHealth> {
    if session.failure().is_none()
        && session.needs_health_check(HEALTH_CHECK_AFTER)
        && !session.is_responding(call)?
    {
        session.shut_down();
    }
    let program = session.program.clone();
    let failing = |dead| ServerUnavailable::Failing { program, failure: dead, retry_after: None };
    Ok(match session.failure() {
        None => SessionHealth::Healthy(session),
        Some(dead @ ProgramFailure::Stopped) if !session.needs_health_check(Duration::MAX) => {
            SessionHealth::Gone(history, failing(dead))
        }
        Some(dead) => SessionHealth::Gone(history.after_failure(), failing(dead)),
    })
}

fn not_installed(candidates: &[ServerCandidate]) -> ServerUnavailable {
    ServerUnavailable::NotInstalled {
        programs: candidates.iter().map(|candidate| candidate.program.clone()).collect(),
        install: candidates[0].install.clone(),
    }
}
