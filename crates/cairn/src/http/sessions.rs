//! MCP sessions over HTTP, and their limit.
//!
//! An older client opens a session and may never close it. If there are too many, the least
//! recently used one is closed; its client then opens a new one, as MCP requires.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::{SessionId, SessionManager};

use crate::session::MCP_SESSION_HEADER;

/// Maximum number of sessions that are open at the same time.
const MAX_SESSIONS: usize = 128;

/// The sessions of a server, and when each was last used.
pub(super) struct SessionLimiter {
    manager: Arc<LocalSessionManager>,
    last_used: Mutex<HashMap<SessionId, Instant>>,
}

impl SessionLimiter {
    /// The limiter for the sessions of a manager.
    pub(super) fn new(manager: Arc<LocalSessionManager>) -> Self {
        Self { manager, last_used: Mutex::default() }
    }

    /// Makes room for one more session.
    async fn evict_oldest(&self) {
        let open: Vec<SessionId> = self.manager.sessions.read().await.keys().cloned().collect();
        for id in self.least_recently_used(open) {
            let _ = self.manager.close_session(&id).await; // it may have ended already
        }
    }

    /// The least recently used of the open sessions, as many as are too many.
    fn least_recently_used(&self, mut open: Vec<SessionId>) -> Vec<SessionId> {
        let mut used = self.last_used.lock().unwrap_or_else(PoisonError::into_inner);
        used.retain(|id, _| open.contains(id));
        open.sort_by_key(|id| used.get(id).copied());
        let beyond = (open.len() + 1).saturating_sub(MAX_SESSIONS);
        open.truncate(beyond);
        open
    }

    fn touch(&self, id: &str) {
        let mut used = self.last_used.lock().unwrap_or_else(PoisonError::into_inner);
        used.insert(id.into(), Instant::now());
    }
}

/// Records which session a request uses. A request without a session may open one.
pub(super) async fn track_sessions(
    State(sessions): State<Arc<SessionLimiter>>,
    request: Request,
    next: Next,
) -> Response {
    let named = request.headers().get(MCP_SESSION_HEADER).and_then(|value| value.to_str().ok());
    match named {
        Some(id) => sessions.touch(id),
        None if request.method() == Method::POST => sessions.evict_oldest().await,
        None => {}
    }
    let response = next.run(request).await;
    if let Some(id) =
        response.headers().get(MCP_SESSION_HEADER).and_then(|value| value.to_str().ok())
    {
        sessions.touch(id);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sessions_that_were_not_used_for_the_longest_time_end_first() {
        let sessions = SessionLimiter::new(Arc::default());
        let open: Vec<SessionId> = (0..MAX_SESSIONS + 2).map(|n| n.to_string().into()).collect();
        assert_eq!(sessions.least_recently_used(open[..MAX_SESSIONS - 1].to_vec()), []);
        for id in &open {
            sessions.touch(id);
        }
        sessions.touch("0");
        assert_eq!(sessions.least_recently_used(open.clone()), open[1..=3]);
    }
}
