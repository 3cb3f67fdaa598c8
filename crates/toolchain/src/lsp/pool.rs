//! Which servers run: started on first use, used by all, replaced when they fail.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use base::{Call, Result};
use serde_json::Value;

use super::lack::Lack;
use super::session::{Session, Start};
use crate::dead::Dead;
use crate::find::{Found, find};
use crate::host::Host;

/// A server that nobody asked for this long is asked for its pulse first.
const DOUBTFUL: Duration = Duration::from_mins(1);

/// A server that nobody asked for this long is sent away; its memory is worth more.
const IDLE: Duration = Duration::from_mins(20);

/// The most memory of one server, in bytes, unless half of the machine is less.
const MEMORY: u64 = 6 << 30;

/// How long a server that failed twice rests; each failure more doubles it.
const REST: Duration = Duration::from_secs(2);

/// No server rests longer.
const LONGEST_REST: Duration = Duration::from_mins(1);

/// How long a caller sleeps while another starts what they both need.
const PATIENCE: Duration = Duration::from_millis(20);

/// A server that would do.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Its program's name
    pub program: String,
    /// What makes it speak the protocol
    pub args: Vec<String>,
    /// Its settings
    pub options: Value,
    /// What installs it
    pub install: String,
}

/// A server that was ended on request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stopped {
    /// Its name and version
    pub title: String,
}

/// The servers of one project.
pub struct Servers {
    host: Host,
    memory: u64,
    slots: Mutex<BTreeMap<String, Slot>>,
    changed: Condvar,
}

/// The place of one server, whichever of the candidates fills it.
enum Slot {
    /// Somebody is starting it
    Starting,
    /// It runs
    Running(Arc<Session>, History),
    /// It failed, and is left alone for a while
    Resting(Lack, History),
}

/// How often it failed in a row, and until when it rests.
#[derive(Debug, Clone, Copy)]
struct History {
    failures: u32,
    until: Option<Instant>,
}

impl Servers {
    /// The servers of a project, none of which runs yet.
    pub fn new(host: Host) -> Self {
        let memory = crate::platform::memory().map_or(MEMORY, |all| MEMORY.min(all / 2));
        Self { host, memory, slots: Mutex::default(), changed: Condvar::new() }
    }

    /// The same with another limit on the memory of each, in bytes.
    #[must_use]
    pub fn with_memory(mut self, memory: u64) -> Self {
        self.memory = memory;
        self
    }

    /// A server that answers: the one that runs, or the first candidate that starts. The outer
    /// result fails when the caller no longer waits.
    pub fn session(
        &self,
        candidates: &[Candidate],
        call: &Call,
    ) -> Result<Result<Arc<Session>, Lack>> {
        let Some(first) = candidates.first() else { return Ok(Err(Lack::Unknown)) };
        let key = format!("{} {}", first.program, first.args.join(" "));
        let history = match self.claim(&key, call)? {
            Claim::Have(session) => return Ok(Ok(session)),
            Claim::Rests(lack) => return Ok(Err(lack)),
            Claim::Start(history) => history,
        };
        // Whatever happens, nobody may be left waiting for us.
        let started = self.start(candidates, call);
        let (slot, answer) = match started {
            Ok(Ok(session)) => {
                let session = Arc::new(session);
                (Some(Slot::Running(session.clone(), history)), Ok(Ok(session)))
            }
            Ok(Err(lack @ Lack::Failing { .. })) => {
                let history = history.failed();
                let lack = lack.resting(history.until);
                (Some(Slot::Resting(lack.clone(), history)), Ok(Err(lack)))
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

    /// Ends all servers, and forgets which ones failed.
    pub fn stop(&self) -> Vec<Stopped> {
        let slots = std::mem::take(&mut *self.lock());
        let running = slots.into_values().filter_map(|slot| match slot {
            Slot::Running(session, _) if session.dead().is_none() => Some(session),
            _ => None,
        });
        let stop = |session: Arc<Session>| {
            session.send_away();
            Stopped { title: session.title() }
        };
        running.map(stop).collect()
    }

    /// Takes the place of a server: to have it, or to start it.
    fn claim(&self, key: &str, call: &Call) -> Result<Claim> {
        let mut slots = self.lock();
        loop {
            let (session, history) = match slots.get(key) {
                None => (None, History { failures: 0, until: None }),
                Some(Slot::Starting) => {
                    slots = self.wait(slots);
                    call.go_on()?;
                    continue;
                }
                Some(Slot::Resting(lack, history)) if history.rests() => {
                    return Ok(Claim::Rests(lack.clone().resting(history.until)));
                }
                Some(Slot::Resting(_, history)) => (None, *history),
                Some(Slot::Running(session, history)) => (Some(session.clone()), *history),
            };
            slots.insert(key.to_owned(), Slot::Starting);
            drop(slots);
            let found = session.map(|session| examine(session, history, call)).transpose();
            slots = self.lock();
            match found {
                Err(problem) => {
                    slots.remove(key);
                    self.changed.notify_all();
                    return Err(problem);
                }
                Ok(None) => return Ok(Claim::Start(history)),
                Ok(Some(Examined::Well(session))) => {
                    let well = History { failures: 0, until: None };
                    slots.insert(key.to_owned(), Slot::Running(session.clone(), well));
                    self.changed.notify_all();
                    return Ok(Claim::Have(session));
                }
                Ok(Some(Examined::Gone(history, lack))) if history.rests() => {
                    let lack = lack.resting(history.until);
                    slots.insert(key.to_owned(), Slot::Resting(lack.clone(), history));
                    self.changed.notify_all();
                    return Ok(Claim::Rests(lack));
                }
                Ok(Some(Examined::Gone(history, _))) => return Ok(Claim::Start(history)),
            }
        }
    }

    /// Starts the first candidate that works. Which one that is may depend on the project: only
    /// TypeScript 7 is its own server.
    fn start(&self, candidates: &[Candidate], call: &Call) -> Result<Result<Session, Lack>> {
        let mut failed = None;
        for candidate in candidates {
            let Some(found) = find(&candidate.program, &self.host) else { continue };
            match Session::start(&self.terms(candidate, &found), call)? {
                Ok(session) => return Ok(Ok(session)),
                Err(dead) => {
                    let program = candidate.program.clone();
                    failed = failed.or(Some(Lack::Failing { program, dead, again: None }));
                }
            }
        }
        Ok(Err(failed.unwrap_or_else(|| missing(candidates))))
    }

    fn terms<'a>(&'a self, candidate: &'a Candidate, found: &'a Found) -> Start<'a> {
        Start {
            program: &candidate.program,
            found,
            args: &candidate.args,
            host: &self.host,
            folder: self.host.project(),
            options: &candidate.options,
            memory: self.memory,
            idle: IDLE,
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Slot>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(
        &self,
        slots: MutexGuard<'a, BTreeMap<String, Slot>>,
    ) -> MutexGuard<'a, BTreeMap<String, Slot>> {
        self.changed.wait_timeout(slots, PATIENCE).unwrap_or_else(PoisonError::into_inner).0
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        self.stop();
    }
}

/// What somebody who needs a server has to do.
enum Claim {
    Have(Arc<Session>),
    Start(History),
    Rests(Lack),
}

/// What became of a server that ran.
enum Examined {
    Well(Arc<Session>),
    Gone(History, Lack),
}

impl History {
    /// One failure more. The first is made good at once, the next ones after a rest.
    fn failed(self) -> Self {
        let failures = self.failures.saturating_add(1);
        let rest = match failures {
            0 | 1 => None,
            more => Some(REST.saturating_mul(1 << (more - 2).min(8)).min(LONGEST_REST)),
        };
        Self { failures, until: rest.and_then(|rest| Instant::now().checked_add(rest)) }
    }

    fn rests(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() < until)
    }
}

impl Lack {
    /// The same, with the time until it is tried again.
    fn resting(self, until: Option<Instant>) -> Self {
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        match self {
            Self::Failing { program, dead, .. } => {
                Self::Failing { program, dead, again: left.filter(|left| !left.is_zero()) }
            }
            other => other,
        }
    }
}

/// Whether a session can still be used. One that hangs is ended.
fn examine(session: Arc<Session>, history: History, call: &Call) -> Result<Examined> {
    if session.dead().is_none() && session.is_doubtful(DOUBTFUL) && !session.has_pulse(call)? {
        session.send_away();
    }
    let program = session.program.clone();
    let failing = |dead| Lack::Failing { program, dead, again: None };
    Ok(match session.dead() {
        None => Examined::Well(session),
        Some(dead @ Dead::Released) if !session.is_doubtful(Duration::MAX) => {
            Examined::Gone(history, failing(dead))
        }
        Some(dead) => Examined::Gone(history.failed(), failing(dead)),
    })
}

fn missing(candidates: &[Candidate]) -> Lack {
    Lack::Missing {
        programs: candidates.iter().map(|candidate| candidate.program.clone()).collect(),
        install: candidates[0].install.clone(),
    }
}
