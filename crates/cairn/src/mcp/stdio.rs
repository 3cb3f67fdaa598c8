//! The transport on stdin and stdout, for one client.
//!
//! rmcp has such a transport too. This one guarantees more: a line that cannot be parsed is answered
//! or logged, every id that JSON-RPC allows is answered as it was sent, a notification before the
//! handshake does not end the server, and running calls are finished after the end of stdin. All
//! queues are bounded (`backlog.rs`).

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ErrorData, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::backlog::ClientBacklog;
use super::json_member::{find_member, is_id, lossy_text, splice};
use crate::http::MAX_MESSAGE_BYTES;

/// How many bytes of each end of a too long line are kept.
const KEPT_END_BYTES: usize = 4096;

/// How often to check whether a client that disconnected has read everything.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// One client on a pair of pipes.
pub(super) struct StdioTransport {
    traffic: Arc<ClientBacklog>,
    out: ClientOutput,
}

/// Signals and timeouts that end a connection.
pub(super) struct ShutdownSignals {
    /// Cancelled when the client is gone
    pub(super) shutdown: CancellationToken,
    /// How long calls may take once the client has sent everything
    pub(super) drain_timeout: Duration,
    /// Ready when the other end of stdin was closed, read or not
    pub(super) stdin_closed: ClosedSignal,
    /// Ready when the other end of stdout was closed
    pub(super) stdout_closed: ClosedSignal,
}

/// A future that is ready when a pipe is closed, or never.
pub(super) type ClosedSignal = std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;

impl StdioTransport {
    /// Reads `input` until it ends. `note` gets a message for every line that is not understood.
    pub(super) fn new(
        input: impl AsyncRead + Send + Sync + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
        parting: ShutdownSignals,
        note: impl Fn(&str) + Send + Sync + 'static,
    ) -> Self {
        let traffic = Arc::new(ClientBacklog::default());
        let (lines, written) = mpsc::unbounded_channel();
        let out = ClientOutput { traffic: traffic.clone(), lines };
        tokio::spawn(write_lines(output, written, traffic.clone()));
        let reader = LineReader { input: BufReader::new(input), out: out.clone(), log: note };
        // A separate task, because rmcp drops the future of `receive` whenever it has to write.
        let reading = traffic.clone();
        tokio::spawn(async move {
            reader.run().await;
            reading.end_input();
        });
        tokio::spawn(shut_down(traffic.clone(), parting));
        Self { traffic, out }
    }
}

/// Waits until the client has disconnected and got its answers, then shuts down.
async fn shut_down(traffic: Arc<ClientBacklog>, parting: ShutdownSignals) {
    let ShutdownSignals {
        shutdown: gone,
        drain_timeout: patience,
        stdin_closed: hung_up,
        stdout_closed: left,
    } = parting;
    tokio::select! {
        () = hung_up => traffic.mark_hung_up(),
        () = traffic.wait_for_hangup() => {}
    }
    let settled = async {
        while !traffic.close_if_done(patience) {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    };
    tokio::select! {
        () = settled => {}
        // A client that has closed both pipes is gone.
        () = left => {}
    }
    gone.cancel();
    traffic.close();
}

impl Transport<RoleServer> for StdioTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let sent = self.out.send(&message);
        async move { sent }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.traffic.next().await
    }

    async fn close(&mut self) -> io::Result<()> {
        self.traffic.close();
        Ok(())
    }
}

/// Counts the messages that the reader finds in some bytes, for fuzzing.
#[cfg(feature = "fuzzing")]
pub(super) async fn count_messages(bytes: &[u8]) -> usize {
    let traffic = Arc::new(ClientBacklog::default());
    let (lines, mut written) = mpsc::unbounded_channel();
    let out = ClientOutput { traffic: traffic.clone(), lines };
    let reader = LineReader { input: BufReader::new(bytes), out, log: |_: &str| {} };
    let counted = async {
        let mut count = 0;
        while let Some(message) = traffic.next().await {
            if let JsonRpcMessage::Request(request) = message {
                traffic.finish_call(&request.id);
            }
            count += 1;
        }
        count
    };
    let read = async {
        reader.run().await;
        traffic.end_input();
        while !traffic.close_if_done(Duration::ZERO) {
            tokio::task::yield_now().await;
        }
    };
    let drained = async {
        while let Some(line) = written.recv().await {
            traffic.mark_written(line.len());
        }
    };
    tokio::join!(read, counted, drained).1
}

/// Output to the client. The reader uses it too, to answer lines that are not messages.
#[derive(Clone)]
struct ClientOutput {
    traffic: Arc<ClientBacklog>,
    lines: mpsc::UnboundedSender<Vec<u8>>,
}

impl ClientOutput {
    /// Sends a message with the id that the client used.
    fn send(&self, message: &ServerJsonRpcMessage) -> io::Result<()> {
        let id = match message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            // Progress is dropped if the client does not read.
            JsonRpcMessage::Notification(_) if !self.traffic.has_room() => return Ok(()),
            _ => None,
        };
        let line = serde_json::to_vec(message)?;
        let text = id.and_then(|id| self.traffic.finish_call(id));
        match text.zip(find_member(&line, "id")) {
            Some((text, part)) => self.send_line(splice(&line, part, &text)),
            None => self.send_line(line),
        }
    }

    fn send_line(&self, mut line: Vec<u8>) -> io::Result<()> {
        line.push(b'\n');
        self.traffic.add_unwritten(line.len());
        self.lines.send(line).map_err(|_| io::ErrorKind::NotConnected.into())
    }
}

/// Writes lines until the channel or the output is closed.
async fn write_lines(
    mut output: impl AsyncWrite + Unpin,
    mut lines: mpsc::UnboundedReceiver<Vec<u8>>,
    traffic: Arc<ClientBacklog>,
) {
    while let Some(line) = lines.recv().await {
        let mut rest = line.as_slice();
        while !rest.is_empty() {
            match output.write(rest).await {
                Ok(0) | Err(_) => return traffic.close(),
                Ok(length) => {
                    rest = &rest[length..];
                    if rest.is_empty() && output.flush().await.is_err() {
                        return traffic.close();
                    }
                    traffic.mark_written(length);
                }
            }
        }
    }
}

struct LineReader<R, N> {
    input: BufReader<R>,
    out: ClientOutput,
    log: N,
}

impl<R: AsyncRead + Unpin, N: Fn(&str)> LineReader<R, N> {
    async fn run(mut self) {
        let mut line = Vec::new();
        let mut greeted = false;
        while let Some(length) = self.next_line(&mut line).await {
            if length > MAX_MESSAGE_BYTES {
                let problem =
                    format!("a message of {length} bytes is longer than {MAX_MESSAGE_BYTES}");
                self.send_error(
                    &ErrorData::invalid_request(problem, None),
                    find_id_in_fragments(&line),
                );
            } else {
                self.handle_line(&line, &mut greeted);
            }
            // If the client does not read its answers, nothing more is read from it.
            self.out.traffic.wait_for_room().await;
        }
    }

    /// Handles one line.
    fn handle_line(&self, line: &[u8], greeted: &mut bool) {
        let id = find_member(line, "id").map(|part| (part.clone(), lossy_text(&line[part])));
        let is_request = find_member(line, "method").is_some();
        match id {
            Some((part, text)) if is_request => {
                if !is_id(&text) {
                    let problem = "an id must be a string, a number or null";
                    return self.send_error(&ErrorData::invalid_request(problem, None), None);
                }
                let id = self.out.traffic.assign_id(&text);
                let named = serde_json::to_string(&id).unwrap_or_default();
                let renamed = splice(line, part, &named);
                match serde_json::from_slice(&renamed) {
                    Ok(message) => {
                        *greeted = true;
                        self.out.traffic.push_request(id, &text, message, line.len());
                    }
                    Err(error) => self.report_unreadable(&renamed, &error, Some(text)),
                }
            }
            _ => match serde_json::from_slice(line) {
                // rmcp treats anything but a request as a broken handshake and ends.
                Ok(_) if !*greeted => (self.log)("ignored a message before the handshake"),
                Ok(message) => self.handle_notification(line, message),
                Err(error) => self.report_unreadable(line, &error, id.map(|(_, text)| text)),
            },
        }
    }

    /// Handles a message that is not a request. A cancellation names a call by the id of the client.
    fn handle_notification(&self, line: &[u8], message: ClientJsonRpcMessage) {
        let method = find_member(line, "method").map(|part| lossy_text(&line[part]));
        match method.as_deref() {
            Some("\"notifications/cancelled\"") => {}
            Some(_) => return self.out.traffic.push_notification(message, line.len()),
            None => return self.out.traffic.push_urgent(message), // an answer to this server
        }
        let params = find_member(line, "params").unwrap_or_default();
        let Some(inner) = find_member(&line[params.clone()], "requestId") else { return };
        let part = params.start + inner.start..params.start + inner.end;
        for id in self.out.traffic.cancel(&lossy_text(&line[part.clone()])) {
            let named = serde_json::to_string(&id).unwrap_or_default();
            if let Ok(message) = serde_json::from_slice(&splice(line, part.clone(), &named)) {
                self.out.traffic.push_urgent(message);
            }
        }
    }

    /// Reads a line and returns its length, or `None` at the end of the input. The last line
    /// needs no newline. Of a line that is too long only both ends are kept, since its id is in
    /// one of them.
    async fn next_line(&mut self, line: &mut Vec<u8>) -> Option<usize> {
        line.clear();
        let mut length = 0;
        loop {
            let bytes = self.input.fill_buf().await.unwrap_or_default();
            if bytes.is_empty() {
                return (!line.trim_ascii().is_empty()).then_some(length);
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let taken = &bytes[..end.unwrap_or(bytes.len())];
            length += taken.len();
            line.extend_from_slice(taken);
            if length > MAX_MESSAGE_BYTES && line.len() > 4 * KEPT_END_BYTES {
                line.drain(KEPT_END_BYTES..line.len() - KEPT_END_BYTES);
            }
            let used = taken.len() + usize::from(end.is_some());
            self.input.consume(used);
            match end {
                Some(_) if length <= MAX_MESSAGE_BYTES && line.trim_ascii().is_empty() => {
                    line.clear();
                    length = 0;
                }
                Some(_) => return Some(length),
                None => {}
            }
        }
    }

    /// Answers or logs a line that is not a message.
    fn report_unreadable(&self, line: &[u8], error: &serde_json::Error, id: Option<String>) {
        if serde_json::from_slice::<Value>(line).is_err() {
            return self
                .send_error(&ErrorData::parse_error(format!("not JSON: {error}"), None), id);
        }
        if id.is_none() && find_member(line, "method").is_some() {
            return (self.log)("ignored a notification that MCP does not know");
        }
        self.send_error(&ErrorData::invalid_request(format!("not a message: {error}"), None), id);
    }

    fn send_error(&self, error: &ErrorData, id: Option<String>) {
        (self.log)(&error.message);
        let Ok(error) = serde_json::to_string(error) else { return };
        let id = id.filter(|id| is_id(id)).unwrap_or_else(|| "null".into());
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#);
        // If the client is gone, the reader notices it.
        let _ = self.out.send_line(line.into_bytes());
    }
}

/// The id in the kept ends of a line that was too long.
fn find_id_in_fragments(ends: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(ends);
    text.match_indices("\"id\"").find_map(|(at, _)| {
        // As if the id were the first member of an object.
        let object = format!("{{{}", &text[at..]);
        let id = find_member(object.as_bytes(), "id").map(|part| object[part].to_owned());
        id.filter(|id| is_id(id))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls_of_one_client(left: ClosedSignal) -> (StdioTransport, CancellationToken) {
        client_that_sends(b"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}\n", left)
    }

    fn client_that_sends(
        input: &'static [u8],
        left: ClosedSignal,
    ) -> (StdioTransport, CancellationToken) {
        let gone = CancellationToken::new();
        let hung_up: ClosedSignal = Box::pin(std::future::pending());
        let parting = ShutdownSignals {
            shutdown: gone.clone(),
            drain_timeout: Duration::from_mins(10),
            stdin_closed: hung_up,
            stdout_closed: left,
        };
        (StdioTransport::new(input, tokio::io::sink(), parting, |_: &str| {}), gone)
    }

    #[tokio::test]
    async fn a_call_is_finished_after_the_input_ended() {
        let (mut client, gone) = calls_of_one_client(Box::pin(std::future::pending()));
        let Some(JsonRpcMessage::Request(request)) = client.receive().await else { panic!() };
        tokio::task::yield_now().await;
        assert!(!gone.is_cancelled(), "its client waits for the answer");
        let answer = ErrorData::internal_error("done", None);
        client.send(JsonRpcMessage::error(answer, Some(request.id))).await.unwrap();
        assert!(client.receive().await.is_none());
        assert!(gone.is_cancelled());
    }

    #[tokio::test]
    async fn the_last_line_needs_no_newline() {
        let input = b"\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
        let (mut client, _) = client_that_sends(input, Box::pin(std::future::pending()));
        let received = client.receive().await;
        assert!(matches!(received, Some(JsonRpcMessage::Request(_))), "{received:?}");
    }

    #[tokio::test]
    async fn blanks_after_the_last_line_are_no_message() {
        let (mut client, _) = client_that_sends(b" \n  ", Box::pin(std::future::pending()));
        assert!(client.receive().await.is_none());
    }

    #[tokio::test]
    async fn a_call_whose_client_has_left_is_cancelled() {
        let (mut client, gone) = calls_of_one_client(Box::pin(std::future::ready(())));
        gone.cancelled().await;
        while client.receive().await.is_some() {}
    }

    #[test]
    fn the_id_is_found_at_either_end() {
        let id = |text: &str| find_id_in_fragments(text.as_bytes());
        assert_eq!(id("{\"jsonrpc\":\"2.0\",\"id\": 7,\"method\":\"x"), Some("7".into()));
        assert_eq!(id("aaaa\"}},\"id\":\"a-1\"}"), Some("\"a-1\"".into()));
        assert_eq!(id("aaaa\"}},\"id\":1.5}"), Some("1.5".into()));
        assert_eq!(id("aaaa"), None);
    }
}
