//! The traffic between a client and the server: waiting requests, running calls, and answers that
//! are not read yet. All of it is bounded: if a client does not read its answers, nothing more is
//! read from the client.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::{ClientJsonRpcMessage, RequestId};
use tokio::sync::Notify;

/// Maximum number of calls that run at the same time.
const MAX_RUNNING: usize = 64;

/// Maximum size of the requests that wait for a running call to end, in bytes as they were sent.
const MAX_WAITING_BYTES: usize = 4 * 1024 * 1024;

/// Maximum number of waiting messages that are not requests.
const MAX_URGENT: usize = 1000;

/// Size of unread answers, in bytes, above which no further call is started.
const MAX_UNWRITTEN_BYTES: usize = 16 * 1024 * 1024;

/// How long a client that has closed its input may leave its answers unread.
const STALL_TIMEOUT: Duration = Duration::from_secs(5);

/// The traffic of one client.
#[derive(Default)]
pub(super) struct ClientBacklog {
    state: Mutex<BacklogState>,
    changed: Notify,
}

#[derive(Default)]
struct BacklogState {
    /// Messages that do not wait for those before them, such as a cancellation
    urgent: VecDeque<ClientJsonRpcMessage>,
    waiting: VecDeque<QueuedMessage>,
    waiting_bytes: usize,
    /// The ids of waiting requests
    waiting_ids: HashSet<RequestId>,
    /// Running calls by their internal id, with the id as the client wrote it
    running: HashMap<RequestId, Box<str>>,
    /// Number of internal ids that were generated
    own_ids_issued: u64,
    unwritten_bytes: usize,
    last_written: Option<Instant>,
    input: InputPhase,
    is_closed: bool,
}

/// Whether the client can still send more.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum InputPhase {
    #[default]
    Open,
    /// It closed its input, and what it sent before is not read yet
    HungUp(Instant),
    /// Everything was read
    Ended(Instant),
}

/// A message that waits for its turn.
struct QueuedMessage {
    /// The id of a request: the internal one, and as the client wrote it
    id: Option<(RequestId, Box<str>)>,
    message: ClientJsonRpcMessage,
    bytes: usize,
}

impl ClientBacklog {
    fn state(&self) -> MutexGuard<'_, BacklogState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state, and wakes the tasks that wait for a change.
    fn update<T>(&self, change: impl FnOnce(&mut BacklogState) -> T) -> T {
        let changed = change(&mut self.state());
        self.changed.notify_waiters();
        changed
    }

    /// Waits until `look` returns a value for the state.
    async fn wait_for<T>(&self, mut look: impl FnMut(&mut BacklogState) -> Option<T>) -> T {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if let Some(found) = look(&mut self.state()) {
                return found;
            }
            changed.await;
        }
    }

    /// An id for a request: the client's own if rmcp supports it and no other call has it,
    /// otherwise a generated one.
    pub(super) fn assign_id(&self, text: &str) -> RequestId {
        self.update(|state| {
            let own = serde_json::from_str::<RequestId>(text).ok();
            // A number that rmcp would write differently is not kept, because it would come back
            // changed.
            let own = own.filter(|id| text.starts_with('"') || id.to_string() == text);
            if let Some(own) = own.filter(|id| !state.is_in_use(id)) {
                return own;
            }
            loop {
                state.own_ids_issued += 1;
                let given = RequestId::String(format!("cairn-{}", state.own_ids_issued).into());
                if !state.is_in_use(&given) {
                    return given;
                }
            }
        })
    }

    /// Adds a request.
    pub(super) fn push_request(
        &self,
        id: RequestId,
        text: &str,
        message: ClientJsonRpcMessage,
        bytes: usize,
    ) {
        self.update(|state| {
            state.waiting_bytes += bytes;
            state.waiting_ids.insert(id.clone());
            let id = Some((id, text.into()));
            state.waiting.push_back(QueuedMessage { id, message, bytes });
        });
    }

    /// Adds a message that is not a request. It waits for the messages before it.
    pub(super) fn push_notification(&self, message: ClientJsonRpcMessage, bytes: usize) {
        self.update(|state| {
            state.waiting_bytes += bytes;
            state.waiting.push_back(QueuedMessage { id: None, message, bytes });
        });
    }

    /// Adds a message that does not wait for those before it.
    pub(super) fn push_urgent(&self, message: ClientJsonRpcMessage) {
        self.update(|state| state.urgent.push_back(message));
    }

    /// The running calls that a client means by an id. Waiting requests with the id are dropped.
    pub(super) fn cancel(&self, text: &str) -> Vec<RequestId> {
        self.update(|state| {
            let is_meant = |waiting: &QueuedMessage| {
                waiting.id.as_ref().is_some_and(|(_, known)| &**known == text)
            };
            let (dropped, kept): (Vec<_>, Vec<_>) = state.waiting.drain(..).partition(is_meant);
            state.waiting = kept.into();
            for waiting in dropped {
                state.waiting_bytes -= waiting.bytes;
                if let Some((id, _)) = &waiting.id {
                    state.waiting_ids.remove(id);
                }
            }
            let meant = state.running.iter().filter(|(_, known)| &***known == text);
            let meant: Vec<RequestId> = meant.map(|(id, _)| id.clone()).collect();
            // A cancelled call gets no answer.
            for id in &meant {
                state.running.remove(id);
            }
            meant
        })
    }

    /// The next message for the server; none when the client is done.
    pub(super) async fn next(&self) -> Option<ClientJsonRpcMessage> {
        self.wait_for(|state| {
            if state.is_closed {
                return Some(None);
            }
            let next = state.urgent.pop_front().or_else(|| state.start_next());
            next.map(Some)
        })
        .await
    }

    /// Removes an answered call and returns its id as the client wrote it; `None` if there is no
    /// such call.
    pub(super) fn finish_call(&self, id: &RequestId) -> Option<Box<str>> {
        self.update(|state| state.running.remove(id))
    }

    /// Waits until there is room for more from the client.
    pub(super) async fn wait_for_room(&self) {
        self.wait_for(|state| (state.is_closed || state.has_room()).then_some(())).await;
    }

    /// Whether there is room for messages that may be dropped.
    pub(super) fn has_room(&self) -> bool {
        self.state().has_room()
    }

    /// Adds bytes that the client has to read.
    pub(super) fn add_unwritten(&self, bytes: usize) {
        self.update(|state| {
            if state.unwritten_bytes == 0 {
                state.last_written = Some(Instant::now());
            }
            state.unwritten_bytes += bytes;
        });
    }

    /// Subtracts bytes that were written to the client's pipe.
    pub(super) fn mark_written(&self, bytes: usize) {
        self.update(|state| {
            state.unwritten_bytes -= bytes;
            state.last_written = Some(Instant::now());
        });
    }

    /// The client closed its input; it may still read.
    pub(super) fn mark_hung_up(&self) {
        self.update(|state| {
            if state.input == InputPhase::Open {
                state.input = InputPhase::HungUp(Instant::now());
            }
        });
    }

    /// Everything that the client sent was read.
    pub(super) fn end_input(&self) {
        self.update(|state| {
            if !matches!(state.input, InputPhase::Ended(_)) {
                state.input = InputPhase::Ended(Instant::now());
            }
        });
    }

    /// The client can no longer be answered.
    pub(super) fn close(&self) {
        self.update(|state| state.is_closed = true);
    }

    /// Closes it when everything is answered and read, or when the time is over: calls get
    /// `patience` after the end of the input, and answers [`STALL_TIMEOUT`] to be read. Returns
    /// whether it is closed.
    pub(super) fn close_if_done(&self, patience: Duration) -> bool {
        self.update(|state| {
            state.is_closed |= state.is_done(patience);
            state.is_closed
        })
    }

    /// Waits until the client has closed its input.
    pub(super) async fn wait_for_hangup(&self) {
        self.wait_for(|state| (state.is_closed || state.input != InputPhase::Open).then_some(()))
            .await;
    }
}

impl BacklogState {
    fn is_in_use(&self, id: &RequestId) -> bool {
        self.running.contains_key(id) || self.waiting_ids.contains(id)
    }

    fn start_next(&mut self) -> Option<ClientJsonRpcMessage> {
        let is_full =
            self.running.len() >= MAX_RUNNING || self.unwritten_bytes > MAX_UNWRITTEN_BYTES;
        if is_full && self.waiting.front()?.id.is_some() {
            return None;
        }
        let QueuedMessage { id, message, bytes } = self.waiting.pop_front()?;
        self.waiting_bytes -= bytes;
        if let Some((id, text)) = id {
            self.waiting_ids.remove(&id);
            self.running.insert(id, text);
        }
        Some(message)
    }

    fn has_room(&self) -> bool {
        self.waiting_bytes <= MAX_WAITING_BYTES
            && self.urgent.len() <= MAX_URGENT
            && self.unwritten_bytes <= MAX_UNWRITTEN_BYTES
    }

    fn is_done(&self, patience: Duration) -> bool {
        let is_stalled = self.unwritten_bytes > 0
            && self.last_written.is_none_or(|written| written.elapsed() > STALL_TIMEOUT);
        match self.input {
            InputPhase::Open => false,
            InputPhase::HungUp(_) => is_stalled,
            InputPhase::Ended(at) => {
                let is_answered = self.running.is_empty() && self.waiting.is_empty();
                is_stalled
                    || (is_answered && self.unwritten_bytes == 0)
                    || (!is_answered && at.elapsed() > patience + STALL_TIMEOUT)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(id: &RequestId) -> ClientJsonRpcMessage {
        let ping = serde_json::json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
        serde_json::from_value(ping).unwrap()
    }

    fn ask(traffic: &ClientBacklog, text: &str) -> RequestId {
        let id = traffic.assign_id(text);
        traffic.push_request(id.clone(), text, request(&id), 100);
        id
    }

    fn start_all(traffic: &ClientBacklog) -> usize {
        std::iter::from_fn(|| traffic.state().start_next()).count()
    }

    #[test]
    fn an_id_is_the_clients_own_unless_it_cannot_be() {
        let traffic = ClientBacklog::default();
        assert_eq!(ask(&traffic, "7"), RequestId::Number(7));
        assert_eq!(ask(&traffic, r#""a""#), RequestId::String("a".into()));
        for odd in ["7", "1.0", "null", "1.5", "98765432109876543210"] {
            let RequestId::String(id) = ask(&traffic, odd) else { panic!("{odd}") };
            assert!(id.starts_with("cairn-"), "{odd}: {id}");
        }
        assert_eq!(start_all(&traffic), 7);
        assert_eq!(traffic.cancel("7").len(), 2, "the client cannot tell them apart");
        assert_eq!(traffic.finish_call(&RequestId::Number(7)), None);
        assert_eq!(traffic.finish_call(&RequestId::String("a".into())).as_deref(), Some(r#""a""#));
    }

    #[test]
    fn calls_wait_for_each_other_and_for_a_client_that_does_not_read() {
        let traffic = ClientBacklog::default();
        (0..1000).for_each(|n| drop(ask(&traffic, &n.to_string())));
        assert_eq!(start_all(&traffic), MAX_RUNNING);
        assert_eq!(traffic.cancel("999"), [], "it was only waiting");
        assert!(traffic.has_room());
        traffic.finish_call(&RequestId::Number(0));
        traffic.add_unwritten(MAX_UNWRITTEN_BYTES + 1);
        assert_eq!(start_all(&traffic), 0);
        assert!(!traffic.has_room());
        traffic.mark_written(1);
        assert_eq!(start_all(&traffic), 1);
    }

    #[test]
    fn it_is_over_when_all_is_answered_and_read() {
        let traffic = ClientBacklog::default();
        let id = ask(&traffic, "1");
        start_all(&traffic);
        let is_over = || traffic.close_if_done(Duration::from_mins(1));
        assert!(!is_over());
        traffic.mark_hung_up();
        traffic.end_input();
        assert!(!is_over(), "a call is under way");
        traffic.add_unwritten(10);
        traffic.finish_call(&id);
        assert!(!is_over(), "its answer is not read");
        traffic.mark_written(10);
        assert!(is_over());
    }
}
