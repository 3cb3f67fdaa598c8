//! The wire to one server: a thread that listens, a thread that writes, callers that wait.
//!
//! The listening thread owns the process. When it ends, for whatever reason, the process and all
//! that it started are gone, and everybody who waits is told why.

use std::collections::HashMap;
use std::io::Write;
use std::process::ChildStdin;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use base::Call;
use serde_json::{Value, json};

use super::inbox::Inbox;
use super::lack::Failure;
use super::reply::{Known, reply};
use crate::dead::{Dead, shown, telling};
use crate::frame::{Frames, frame};
use crate::platform;
use crate::process::{Event, Running};

/// How often a caller is asked whether they still wait.
const PATIENCE: Duration = Duration::from_millis(20);

/// How long the listener sleeps when nothing is heard.
const IDLE: Duration = Duration::from_millis(250);

/// How often the memory of a server is looked at.
const MEASURED: Duration = Duration::from_secs(3);

/// Messages that may wait to be written; a server that lets more pile up does not read.
const UNREAD: usize = 1024;

/// Errors that mean: ask again, the texts changed meanwhile, or I am not ready.
const AGAIN: [i64; 3] = [-32801, -32802, -32002];

/// How often a request is repeated for such an error.
const TRIES: u32 = 5;

/// What a server may use and is told.
#[derive(Debug, Clone)]
pub(crate) struct Terms {
    /// The most memory of it and what it starts, in bytes
    pub memory: u64,
    /// How long it may be idle before it is sent away
    pub idle: Duration,
    /// Its settings
    pub settings: Value,
    /// The folder it serves, as the protocol writes it
    pub folder: Value,
}

/// A connection to a running server.
pub(crate) struct Link {
    shared: Arc<Shared>,
    listener: Mutex<Option<JoinHandle<()>>>,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    terms: Terms,
}

struct State {
    next: i64,
    /// Requests that wait, with their answers once those are there
    awaited: HashMap<i64, Option<Value>>,
    /// Where messages go to be written
    outbox: Option<SyncSender<Vec<u8>>>,
    inbox: Inbox,
    dead: Option<Dead>,
    /// Whether the listener should end the server
    end: bool,
    used: Instant,
}

impl Link {
    /// Takes over a process that was just started.
    pub(crate) fn new(mut running: Running, terms: Terms) -> Self {
        let (outbox, messages) = sync_channel(UNREAD);
        if let Some(stdin) = running.take_stdin() {
            thread::spawn(move || write(stdin, &messages));
        }
        let state = State {
            next: 1,
            awaited: HashMap::new(),
            outbox: Some(outbox),
            inbox: Inbox::default(),
            dead: None,
            end: false,
            used: Instant::now(),
        };
        let shared = Shared { state: Mutex::new(state), changed: Condvar::new(), terms };
        let shared = Arc::new(shared);
        let listener = {
            let shared = shared.clone();
            thread::spawn(move || shared.listen(running))
        };
        Self { shared, listener: Mutex::new(Some(listener)) }
    }

    /// Asks and waits for the answer, which is taken back when the time is over.
    pub(crate) fn request(
        &self,
        method: &str,
        params: &Value,
        (call, timeout): (&Call, Duration),
    ) -> Result<Value, Failure> {
        let since = Instant::now();
        let mut tries = 0;
        loop {
            let left = timeout.saturating_sub(since.elapsed());
            let answer = self.once(method, params, (call, left), timeout)?;
            let Some(error) = answer.get("error").filter(|error| !error.is_null()) else {
                return Ok(answer.get("result").cloned().unwrap_or(Value::Null));
            };
            tries += 1;
            let is_soon = error["code"].as_i64().is_some_and(|code| AGAIN.contains(&code));
            if !is_soon || tries >= TRIES {
                let said = error["message"].as_str().unwrap_or("without a reason");
                return Err(Failure::Refused(shown(said)));
            }
            thread::sleep(PATIENCE * tries);
        }
    }

    fn once(
        &self,
        method: &str,
        params: &Value,
        (call, left): (&Call, Duration),
        timeout: Duration,
    ) -> Result<Value, Failure> {
        let since = Instant::now();
        let mut state = self.shared.lock();
        let id = state.next;
        state.next += 1;
        state.awaited.insert(id, None);
        state.used = Instant::now();
        state.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            if let Some(Some(answer)) = state.awaited.get_mut(&id).map(Option::take) {
                state.awaited.remove(&id);
                state.used = Instant::now();
                return Ok(answer);
            }
            if let Some(dead) = &state.dead {
                return Err(Failure::Dead(dead.clone()));
            }
            let stopped = call.go_on().err();
            if stopped.is_some() || since.elapsed() >= left {
                state.awaited.remove(&id);
                let cancel =
                    json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": id}});
                state.send(&cancel);
                return Err(stopped.map_or(Failure::Late(timeout), Failure::Stopped));
            }
            state = self.shared.wait(state, PATIENCE);
        }
    }

    /// Tells without waiting.
    pub(crate) fn notify(&self, method: &str, params: &Value) {
        self.shared.lock().send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Looks at what was heard.
    pub(crate) fn heard<T>(&self, look: impl FnOnce(&Inbox) -> T) -> T {
        look(&self.shared.lock().inbox)
    }

    /// Waits for a moment, or until something is heard.
    pub(crate) fn pause(&self) {
        drop(self.shared.wait(self.shared.lock(), PATIENCE));
    }

    /// Why it is gone, if it is.
    pub(crate) fn dead(&self) -> Option<Dead> {
        self.shared.lock().dead.clone()
    }

    /// How long nobody has asked anything.
    pub(crate) fn idle(&self) -> Duration {
        self.shared.lock().used.elapsed()
    }

    /// Ends it, and waits until nothing of it is left.
    pub(crate) fn end(&self) {
        let mut state = self.shared.lock();
        state.end = true;
        state.outbox = None;
        drop(state);
        let listener = self.listener.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(listener) = listener {
            let _ = listener.join(); // it has told why it ended, if it could
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.end();
    }
}

impl State {
    fn send(&mut self, message: &Value) {
        if let Some(outbox) = &self.outbox
            && outbox.try_send(frame(message)).is_err()
        {
            self.end = true; // it has ended, or does not read what it is sent
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>, most: Duration) -> MutexGuard<'a, State> {
        self.changed.wait_timeout(state, most).unwrap_or_else(PoisonError::into_inner).0
    }

    fn listen(&self, mut running: Running) {
        let dead = self.hear_out(&mut running);
        // First nothing of it is left, then callers get to know.
        drop(running);
        let mut state = self.lock();
        state.dead = Some(dead);
        state.outbox = None;
        drop(state);
        self.changed.notify_all();
    }

    /// Takes in messages until the server is gone, or has to go.
    fn hear_out(&self, running: &mut Running) -> Dead {
        let mut frames = Frames::default();
        let mut measured = Instant::now();
        loop {
            match running.next_within(IDLE) {
                Event::Output(bytes) => {
                    frames.push(&bytes);
                    if let Err(dead) = self.take_all(&mut frames) {
                        return dead;
                    }
                }
                Event::Quiet => {}
                Event::Ended => return exited(running, &frames),
            }
            let (end, idle) = {
                let state = self.lock();
                (state.end, state.used.elapsed() >= self.terms.idle && state.awaited.is_empty())
            };
            if end || idle {
                return Dead::Released;
            }
            if measured.elapsed() >= MEASURED {
                measured = Instant::now();
                let used = platform::memory_of_group(running.id());
                if used > self.terms.memory {
                    return Dead::TooLarge { used, most: self.terms.memory };
                }
            }
        }
    }

    fn take_all(&self, frames: &mut Frames) -> Result<(), Dead> {
        loop {
            match frames.next() {
                Ok(Some(message)) => self.take(message),
                Ok(None) => return Ok(()),
                Err(_) => return Err(Dead::Garbage { said: telling(frames.rest()) }),
            }
        }
    }

    fn take(&self, mut message: Value) {
        let method = message["method"].as_str().map(ToOwned::to_owned);
        let mut state = self.lock();
        match (method, message.get("id").cloned()) {
            (Some(method), None | Some(Value::Null)) => {
                state.inbox.hear(&method, &message["params"]);
            }
            (Some(method), Some(id)) => {
                let known = Known { settings: &self.terms.settings, folder: &self.terms.folder };
                let answer = match reply(&method, &message["params"], &known) {
                    Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
                    Err(error) => json!({"jsonrpc": "2.0", "id": id, "error": error}),
                };
                state.send(&answer);
            }
            (None, Some(id)) => {
                // Nobody waits any more for what was taken back.
                let waiting = id.as_i64().and_then(|id| state.awaited.get_mut(&id));
                if let Some(place) = waiting {
                    *place = Some(message.take());
                }
            }
            (None, None) => {}
        }
        drop(state);
        self.changed.notify_all();
    }
}

/// It ended by itself. Its complaint tells why.
fn exited(running: &mut Running, frames: &Frames) -> Dead {
    let said = telling(running.complaint()).or_else(|| telling(frames.rest()));
    match running.reap() {
        Ok(status) => Dead::Exited { status, said },
        Err(error) => Dead::NotStarted { why: error.to_string() },
    }
}

/// Writes what is to be said, until there is nobody to say it to.
fn write(mut stdin: ChildStdin, messages: &Receiver<Vec<u8>>) {
    while let Ok(message) = messages.recv() {
        if stdin.write_all(&message).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}
