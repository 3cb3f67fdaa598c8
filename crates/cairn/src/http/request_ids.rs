//! Ids of MCP messages over HTTP: every id that JSON-RPC allows comes back in the answer as it was
//! sent.
//!
//! The library supports strings and whole numbers, and one request per id. Therefore each incoming
//! request gets an internal id that encodes the original one, and each outgoing answer gets the
//! original id back, on whichever stream it is sent.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes, HttpBody, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hyper::body::Frame;

use super::MAX_MESSAGE_BYTES;
use crate::mcp::json_member::{find_member, is_id, lossy_text, splice};
use crate::session::MCP_SESSION_HEADER;

/// How internal ids start.
const INTERNAL_ID_PREFIX: &str = "\"cairn:";

/// Maximum number of requests that are remembered for a cancellation, so that a client that never
/// cancels uses limited memory.
const MAX_TRACKED_REQUESTS: usize = 4_096;

/// The internal ids of requests.
#[derive(Default)]
pub(super) struct RequestIdMap {
    next_number: AtomicU64,
    /// The last internal id for each id of a client, by session and id
    latest: Mutex<HashMap<(String, String), String>>,
}

impl RequestIdMap {
    /// A new internal id for the request that a session sent under an id.
    fn assign(&self, session: &str, id: &str) -> String {
        let number = self.next_number.fetch_add(1, Ordering::Relaxed);
        let name = format!("{INTERNAL_ID_PREFIX}{number}:{}\"", hex::encode(id));
        let mut given = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        if given.len() >= MAX_TRACKED_REQUESTS {
            given.clear(); // such old requests have been answered
        }
        given.insert((session.to_owned(), id.to_owned()), name.clone());
        name
    }

    /// The internal id of the last request with this id.
    fn lookup(&self, session: &str, id: &str) -> Option<String> {
        let given = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        given.get(&(session.to_owned(), id.to_owned())).cloned()
    }
}

/// The original id that is encoded in an internal one.
fn original_id(name: &str) -> Option<String> {
    let (_, hidden) = name.strip_prefix(INTERNAL_ID_PREFIX)?.strip_suffix('"')?.split_once(':')?;
    String::from_utf8(hex::decode(hidden).ok()?).ok()
}

/// A message with the original id of its client.
fn restore_id(message: &[u8]) -> Option<Vec<u8>> {
    let part = find_member(message, "id")?;
    let id = original_id(&lossy_text(&message[part.clone()]))?;
    Some(splice(message, part, &id))
}

/// Gives every request an internal id, and every answer its original id.
pub(super) async fn rewrite_ids(
    State(ids): State<Arc<RequestIdMap>>,
    request: Request,
    next: Next,
) -> Response {
    let request = match request.method() {
        &Method::POST => match ids.rewrite_request(request).await {
            Ok(request) => request,
            Err(refusal) => return refusal.into_response(),
        },
        _ => request,
    };
    let (mut head, body) = next.run(request).await.into_parts();
    let kind = head.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let is_stream = kind.is_some_and(|kind| kind.starts_with("text/event-stream"));
    head.headers.remove(CONTENT_LENGTH); // the original id may be longer or shorter
    Response::from_parts(
        head,
        Body::new(IdRestoringBody {
            inner: body,
            pending: Vec::new(),
            is_stream,
            has_ended: false,
        }),
    )
}

impl RequestIdMap {
    async fn rewrite_request(&self, request: Request) -> Result<Request, MessageRejection> {
        let (mut head, body) = request.into_parts();
        let Ok(bytes) = to_bytes(body, MAX_MESSAGE_BYTES).await else {
            return Err(MessageRejection::TooLong);
        };
        let session = head.headers.get(MCP_SESSION_HEADER).and_then(|value| value.to_str().ok());
        let session = session.unwrap_or_default().to_owned();
        let bytes = match self.rewrite_message(&session, &bytes)? {
            Some(renamed) => Bytes::from(renamed),
            None => bytes,
        };
        head.headers.remove(CONTENT_LENGTH);
        Ok(Request::from_parts(head, Body::from(bytes)))
    }

    /// The message with an internal id; `None` if it has no id.
    fn rewrite_message(
        &self,
        session: &str,
        message: &[u8],
    ) -> Result<Option<Vec<u8>>, MessageRejection> {
        let Some(method) = find_member(message, "method") else { return Ok(None) };
        if let Some(part) = find_member(message, "id") {
            let id = lossy_text(&message[part.clone()]);
            if !is_id(&id) {
                return Err(MessageRejection::InvalidId);
            }
            return Ok(Some(splice(message, part, &self.assign(session, &id))));
        }
        if lossy_text(&message[method]) != "\"notifications/cancelled\"" {
            return Ok(None);
        }
        Ok(self.rewrite_cancellation(session, message))
    }

    /// A cancellation with the internal id of the request.
    fn rewrite_cancellation(&self, session: &str, message: &[u8]) -> Option<Vec<u8>> {
        let params = find_member(message, "params")?;
        let inner = find_member(&message[params.clone()], "requestId")?;
        let part = params.start + inner.start..params.start + inner.end;
        let name = self.lookup(session, &lossy_text(&message[part.clone()]))?;
        Some(splice(message, part, &name))
    }
}

/// Why a message is not passed on.
#[derive(Debug)]
enum MessageRejection {
    /// It has more bytes than are read
    TooLong,
    /// Its id is neither a string nor a number nor null
    InvalidId,
}

impl IntoResponse for MessageRejection {
    fn into_response(self) -> Response {
        const NOT_AN_ID: &str = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"an id must be a string, a number or null"}}"#;
        match self {
            Self::TooLong => StatusCode::PAYLOAD_TOO_LARGE.into_response(),
            Self::InvalidId => {
                let kind = [(CONTENT_TYPE, "application/json")];
                (StatusCode::BAD_REQUEST, kind, NOT_AN_ID).into_response()
            }
        }
    }
}

/// A body whose messages get their original ids back: line by line in a stream of events, otherwise
/// at its end.
struct IdRestoringBody {
    inner: Body,
    /// The start of a line that is not complete yet
    pending: Vec<u8>,
    is_stream: bool,
    has_ended: bool,
}

impl IdRestoringBody {
    /// The part of the received bytes that can be sent on.
    fn drain_ready(&mut self, is_end: bool) -> Vec<u8> {
        let end = match (is_end, self.is_stream) {
            (true, _) => self.pending.len(),
            (false, true) => {
                self.pending.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1)
            }
            (false, false) => 0,
        };
        let whole: Vec<u8> = self.pending.drain(..end).collect();
        match self.is_stream {
            true => {
                whole.split_inclusive(|byte| *byte == b'\n').flat_map(restore_event_line).collect()
            }
            false => restore_id(&whole).unwrap_or(whole),
        }
    }
}

/// A line of a stream of events, with the original id in its message.
fn restore_event_line(line: &[u8]) -> Vec<u8> {
    let message = line.strip_prefix(b"data:").and_then(restore_id);
    message.map_or_else(|| line.to_vec(), |message| [b"data:", message.as_slice()].concat())
}

impl HttpBody for IdRestoringBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        while !self.has_ended {
            let frame = ready!(Pin::new(&mut self.inner).poll_frame(context));
            self.has_ended = match frame {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => {
                        self.pending.extend_from_slice(&data);
                        false
                    }
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => true,
            };
            let is_end = self.has_ended;
            let sent = self.drain_ready(is_end);
            if !sent.is_empty() {
                return Poll::Ready(Some(Ok(Frame::data(sent.into()))));
            }
        }
        Poll::Ready(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_which_id_it_stands_for() {
        let ids = RequestIdMap::default();
        for id in ["null", "1.50", "1e400", r#""a\"b""#] {
            let (first, second) = (ids.assign("s", id), ids.assign("s", id));
            assert_ne!(first, second);
            assert_eq!(
                (original_id(&first).as_deref(), original_id(&second).as_deref()),
                (Some(id), Some(id))
            );
            assert_eq!(ids.lookup("s", id), Some(second));
            assert_eq!(ids.lookup("t", id), None);
        }
        assert_eq!(original_id("\"cairn:1:zz\""), None);
        assert_eq!(original_id("7"), None);
    }

    #[test]
    fn answers_in_a_stream_get_their_ids_back_however_they_are_cut() {
        let ids = RequestIdMap::default();
        let name = ids.assign("", "1.5");
        let text = format!("id: 0/1\ndata: {{\"id\":{name},\"result\":{{}}}}\n\ndata: \n\n");
        for cut in 0..text.len() {
            let (inner, rest) = (Body::empty(), Vec::new());
            let mut body =
                IdRestoringBody { inner, pending: rest, is_stream: true, has_ended: false };
            let mut sent = Vec::new();
            for part in [&text[..cut], &text[cut..]] {
                body.pending.extend_from_slice(part.as_bytes());
                sent.extend(body.drain_ready(false));
            }
            sent.extend(body.drain_ready(true));
            let sent = String::from_utf8(sent).unwrap();
            assert_eq!(sent, "id: 0/1\ndata: {\"id\":1.5,\"result\":{}}\n\ndata: \n\n");
        }
    }

    #[test]
    fn a_cancellation_names_the_request_as_the_server_knows_it() {
        let ids = RequestIdMap::default();
        let name = ids.assign("s", "null");
        let text =
            br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":null}}"#;
        let sent = ids.rewrite_message("s", text).unwrap().unwrap();
        assert!(String::from_utf8(sent).unwrap().contains(&format!("\"requestId\":{name}")));
        assert!(ids.rewrite_message("t", text).unwrap().is_none());
    }
}
