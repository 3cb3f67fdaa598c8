//! The connection to one server: one thread reads, one thread writes, and callers wait.
//!
//! The reading thread owns the process. When the thread ends, for whatever reason, the process and
//! everything that it started have been killed, and every waiting caller gets the reason.

use std::collections::HashMap;
use std::io::Write;
use std::process::ChildStdin;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use base::Call;
use process::ProcessEvent;
use serde_json::{Value, json};

use super::notifications::NotificationState;
use super::reply::{ReplyContext, reply};
use super::unavailable::RequestFailure;
use crate::frame::{FrameDecoder, RequestId, encode_frame};
use crate::program_failure::{ProgramFailure, escape_for_display, most_relevant_line};
use crate::tool_process::ToolProcess;

/// How often a waiting request checks whether its call was stopped.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// How long the reading thread waits for output before it checks idle time and memory.
const LISTEN_TIMEOUT: Duration = Duration::from_millis(250);

/// How often the memory of a server is measured.
const MEMORY_CHECK_INTERVAL: Duration = Duration::from_secs(3);

/// Maximum number of queued messages. A server that lets more of them pile up does not read its
/// input.
const MAX_QUEUED_MESSAGES: usize = 1024;

/// Error codes after which a request is repeated: the texts changed meanwhile, or the server is
/// not ready.
const RETRYABLE_ERRORS: [i64; 3] = [-32801, -32802, -32002];

/// How often a request is sent at most when it fails with such a code.
const MAX_TRIES: u32 = 5;

/// Limits and settings of a server.
#[derive(Debug, Clone)]
pub(crate) struct LspConnectionOptions {
    /// The most memory that it and the processes it starts may use, in bytes
    pub memory: u64,
    /// How long it may be idle before it is stopped
    pub idle: Duration,
    /// Its settings
    pub settings: Value,
    /// The folder it serves, as the protocol writes it
    pub folder: Value,
}

/// A connection to a running server.
pub(crate) struct LspConnection {
    shared: Arc<LspConnectionShared>,
    listener: Mutex<Option<JoinHandle<()>>>,
}

struct LspConnectionShared {
    state: Mutex<LspConnectionState>,
    changed: Condvar,
    options: LspConnectionOptions,
}

struct LspConnectionState {
    next_id: RequestId,
    /// Requests that wait for an answer, with the answer once it has arrived
    pending: HashMap<RequestId, Option<Value>>,
    /// Where messages go to be written
    outbox: Option<SyncSender<Vec<u8>>>,
    inbox: NotificationState,
    failure: Option<ProgramFailure>,
    /// Whether the reading thread should stop the server
    should_stop: bool,
    last_used: Instant,
}

impl LspConnection {
    /// Takes over a process that was just started. Dropping the connection stops it.
    pub(crate) fn new(mut running: ToolProcess, terms: LspConnectionOptions) -> Self {
        let (outbox, messages) = sync_channel(MAX_QUEUED_MESSAGES);
        if let Some(stdin) = running.take_stdin() {
            thread::spawn(move || write_messages(stdin, &messages));
        }
        let state = LspConnectionState {
            next_id: RequestId(1),
            pending: HashMap::new(),
            outbox: Some(outbox),
            inbox: NotificationState::default(),
            failure: None,
            should_stop: false,
            last_used: Instant::now(),
        };
        let shared = LspConnectionShared {
            state: Mutex::new(state),
            changed: Condvar::new(),
            options: terms,
        };
        let shared = Arc::new(shared);
        let listener = {
            let shared = shared.clone();
            thread::spawn(move || shared.listen(running))
        };
        Self { shared, listener: Mutex::new(Some(listener)) }
    }

    /// Sends a request and waits for the answer. The request is cancelled after `timeout`.
    pub(crate) fn request(
        &self,
        method: &str,
        params: &Value,
        call: &Call,
        timeout: Duration,
    ) -> Result<Value, RequestFailure> {
        let since = Instant::now();
        let mut tries = 0;
        loop {
            let left = timeout.saturating_sub(since.elapsed());
            let answer =
                self.request_once(method, params, call, left).map_err(|failure| match failure {
                    RequestFailure::TimedOut(_) => RequestFailure::TimedOut(timeout),
                    failure => failure,
                })?;
            let Some(error) = answer.get("error").filter(|error| !error.is_null()) else {
                return Ok(answer.get("result").cloned().unwrap_or(Value::Null));
            };
            tries += 1;
            let is_soon =
                error["code"].as_i64().is_some_and(|code| RETRYABLE_ERRORS.contains(&code));
            if !is_soon || tries >= MAX_TRIES {
                let said = error["message"].as_str().unwrap_or("without a reason");
                return Err(RequestFailure::Refused(escape_for_display(said)));
            }
            thread::sleep(POLL_INTERVAL * tries);
        }
    }

    fn request_once(
        &self,
        method: &str,
        params: &Value,
        call: &Call,
        timeout: Duration,
    ) -> Result<Value, RequestFailure> {
        let since = Instant::now();
        let mut state = self.shared.lock();
        let id = state.next_id;
        state.next_id = RequestId(id.0 + 1);
        state.pending.insert(id, None);
        state.last_used = Instant::now();
        state.send(&json!({"jsonrpc": "2.0", "id": id.0, "method": method, "params": params}));
        loop {
            if let Some(Some(answer)) = state.pending.get_mut(&id).map(Option::take) {
                state.pending.remove(&id);
                state.last_used = Instant::now();
                return Ok(answer);
            }
            if let Some(dead) = &state.failure {
                return Err(RequestFailure::ServerEnded(dead.clone()));
            }
            let stopped = call.check_stopped().err();
            if stopped.is_some() || since.elapsed() >= timeout {
                state.pending.remove(&id);
                let cancel =
                    json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": id.0}});
                state.send(&cancel);
                return Err(
                    stopped.map_or(RequestFailure::TimedOut(timeout), RequestFailure::Interrupted)
                );
            }
            state = self.shared.wait(state, POLL_INTERVAL);
        }
    }

    /// Sends a notification, which has no answer.
    pub(crate) fn notify(&self, method: &str, params: &Value) {
        self.shared.lock().send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Reads the state that the server's notifications led to.
    pub(crate) fn with_notifications<T>(&self, look: impl FnOnce(&NotificationState) -> T) -> T {
        look(&self.shared.lock().inbox)
    }

    /// Waits until a message arrives, but not for long.
    pub(crate) fn wait_briefly(&self) {
        drop(self.shared.wait(self.shared.lock(), POLL_INTERVAL));
    }

    /// Why the server ended, if it has.
    pub(crate) fn failure(&self) -> Option<ProgramFailure> {
        self.shared.lock().failure.clone()
    }

    /// How long the server has been idle.
    pub(crate) fn idle(&self) -> Duration {
        self.shared.lock().last_used.elapsed()
    }

    /// Stops the server, and waits until its processes are gone.
    pub(crate) fn stop(&self) {
        let mut state = self.shared.lock();
        state.should_stop = true;
        state.outbox = None;
        drop(state);
        let listener = self.listener.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(listener) = listener {
            let _ = listener.join(); // a panic there has nothing to add to `failure`
        }
    }
}

impl Drop for LspConnection {
    fn drop(&mut self) {
        self.stop();
    }
}

impl LspConnectionState {
    fn send(&mut self, message: &Value) {
        if let Some(outbox) = &self.outbox
            && outbox.try_send(encode_frame(message)).is_err()
        {
            self.should_stop = true; // it has ended, or does not read its input
        }
    }
}

impl LspConnectionShared {
    fn lock(&self) -> MutexGuard<'_, LspConnectionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(
        &self,
        state: MutexGuard<'a, LspConnectionState>,
        most: Duration,
    ) -> MutexGuard<'a, LspConnectionState> {
        self.changed.wait_timeout(state, most).unwrap_or_else(PoisonError::into_inner).0
    }

    fn listen(&self, mut running: ToolProcess) {
        let dead = self.read_messages(&mut running);
        // The processes are gone before callers learn of it.
        drop(running);
        let mut state = self.lock();
        state.failure = Some(dead);
        state.outbox = None;
        drop(state);
        self.changed.notify_all();
    }

    /// Reads messages until the server ends or has to be stopped.
    fn read_messages(&self, running: &mut ToolProcess) -> ProgramFailure {
        let mut frames = FrameDecoder::default();
        let mut measured = Instant::now();
        loop {
            match running.next_event_within(LISTEN_TIMEOUT) {
                ProcessEvent::Output(bytes) => {
                    frames.push(&bytes);
                    if let Err(dead) = self.handle_frames(&mut frames) {
                        return dead;
                    }
                }
                ProcessEvent::Idle => {}
                ProcessEvent::Ended => return exit_failure(running, &frames),
            }
            let (end, idle) = {
                let state = self.lock();
                (
                    state.should_stop,
                    state.last_used.elapsed() >= self.options.idle && state.pending.is_empty(),
                )
            };
            if end || idle {
                return ProgramFailure::Stopped;
            }
            if measured.elapsed() >= MEMORY_CHECK_INTERVAL {
                measured = Instant::now();
                let used = platform::memory_of_group(running.id());
                if used > self.options.memory {
                    return ProgramFailure::MemoryExceeded { used, limit: self.options.memory };
                }
            }
        }
    }

    fn handle_frames(&self, frames: &mut FrameDecoder) -> Result<(), ProgramFailure> {
        loop {
            match frames.next() {
                Ok(Some(message)) => self.handle_message(message),
                Ok(None) => return Ok(()),
                Err(_) => {
                    return Err(ProgramFailure::InvalidOutput {
                        message: most_relevant_line(frames.remaining()),
                    });
                }
            }
        }
    }

    fn handle_message(&self, mut message: Value) {
        let method = message["method"].as_str().map(ToOwned::to_owned);
        let mut state = self.lock();
        match (method, message.get("id").cloned()) {
            (Some(method), None | Some(Value::Null)) => {
                state.inbox.handle(&method, &message["params"]);
            }
            (Some(method), Some(id)) => {
                let known =
                    ReplyContext { settings: &self.options.settings, folder: &self.options.folder };
                let answer = match reply(&method, &message["params"], &known) {
                    Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
                    Err(error) => json!({"jsonrpc": "2.0", "id": id, "error": error}),
                };
                state.send(&answer);
            }
            (None, Some(id)) => {
                // A request that was cancelled is no longer pending.
                let waiting = id.as_i64().and_then(|id| state.pending.get_mut(&RequestId(id)));
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

/// The failure of a server that ended by itself; stderr usually says why.
fn exit_failure(running: &mut ToolProcess, frames: &FrameDecoder) -> ProgramFailure {
    let said =
        most_relevant_line(running.stderr()).or_else(|| most_relevant_line(frames.remaining()));
    match running.reap() {
        Ok(status) => ProgramFailure::Exited { status, message: said },
        Err(error) => ProgramFailure::NotStarted { reason: error.to_string() },
    }
}

/// Writes messages until the channel or the pipe is closed.
fn write_messages(mut stdin: ChildStdin, messages: &Receiver<Vec<u8>>) {
    while let Ok(message) = messages.recv() {
        if stdin.write_all(&message).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}
