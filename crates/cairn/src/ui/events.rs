//! Server-sent events: the state of the repository, whenever it changes.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use base::Call;
use base::call::CallStopReason;
use engine::Workspace;
use hyper::body::Frame;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::UiServer;
use crate::perform::now;

/// How often the repository is checked while a page is open.
const LOOK_INTERVAL: Duration = Duration::from_millis(700);

/// How often something is sent on an idle connection, so that a closed browser is noticed.
const KEEP_ALIVE: Duration = Duration::from_secs(20);

/// Checks the repository while pages are open, and publishes its state when it changes.
pub(super) async fn follow_repository(
    workspace: Arc<Workspace>,
    state: watch::Sender<String>,
    shutdown: CancellationToken,
) {
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(LOOK_INTERVAL) => {}
        }
        if state.receiver_count() == 0 {
            continue;
        }
        let (workspace, stop) = (workspace.clone(), shutdown.clone());
        let look = tokio::task::spawn_blocking(move || {
            let is_gone = move || stop.is_cancelled().then_some(CallStopReason::Cancelled);
            let call = Arc::new(Call::new("ui", now()).with_stop_check(is_gone));
            page::repository_state(&workspace, &call)
        });
        // A state that cannot be read now is read at the next check.
        if let Ok(Ok(seen)) = look.await {
            state.send_if_modified(|known| {
                let is_new = *known != seen;
                *known = seen;
                is_new
            });
        }
    }
}

/// The state of the repository now, and again after every change.
pub(super) async fn events(State(server): State<Arc<UiServer>>) -> Response {
    let body = Body::new(EventBody::new(server.state.subscribe(), server.shutdown.clone()));
    ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
}

type NextEvent = Pin<Box<dyn Future<Output = Option<(watch::Receiver<String>, Bytes)>> + Send>>;

/// A body that never ends by itself.
struct EventBody {
    next: NextEvent,
    shutdown: CancellationToken,
}

impl EventBody {
    fn new(mut state: watch::Receiver<String>, shutdown: CancellationToken) -> Self {
        // The first event is the state that is already known.
        if !state.borrow().is_empty() {
            state.mark_changed();
        }
        Self { next: Box::pin(next_event(state, shutdown.clone())), shutdown }
    }
}

async fn next_event(
    mut state: watch::Receiver<String>,
    shutdown: CancellationToken,
) -> Option<(watch::Receiver<String>, Bytes)> {
    tokio::select! {
        () = shutdown.cancelled() => None,
        changed = state.changed() => {
            changed.ok()?;
            let text = format!("event: state\ndata: {}\n\n", *state.borrow_and_update());
            Some((state, Bytes::from(text)))
        }
        () = tokio::time::sleep(KEEP_ALIVE) => Some((state, Bytes::from_static(b": alive\n\n"))),
    }
}

impl HttpBody for EventBody {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        match ready!(self.next.as_mut().poll(context)) {
            None => Poll::Ready(None),
            Some((state, bytes)) => {
                self.next = Box::pin(next_event(state, self.shutdown.clone()));
                Poll::Ready(Some(Ok(Frame::data(bytes))))
            }
        }
    }
}
