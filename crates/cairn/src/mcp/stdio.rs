//! stdin and stdout, for one client.
//!
//! rmcp has this transport too. Ours differs in three things: a line that cannot be read is
//! answered or noted on stderr instead of dropped in silence, a notification before the handshake
//! does not end the server, and the end of stdin cancels every call at once. rmcp gives calls five
//! seconds to finish for a client that is no longer there.

use std::io;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Mutex, mpsc};
use tokio_util::sync::CancellationToken;

use crate::http::LONGEST;

/// How much of each end is kept of a line that is too long, in bytes.
const END: usize = 4096;

/// One client on a pair of pipes.
pub(super) struct Stdio<W> {
    messages: mpsc::Receiver<ClientJsonRpcMessage>,
    out: Out<W>,
}

impl<W: AsyncWrite + Send + Unpin + 'static> Stdio<W> {
    /// Reads `input` until it ends, then cancels `gone`. `note` hears of every line not understood.
    pub(super) fn new(
        input: impl AsyncRead + Send + Sync + Unpin + 'static,
        output: W,
        gone: CancellationToken,
        note: impl Fn(&str) + Send + Sync + 'static,
    ) -> Self {
        // A task of its own, because rmcp drops the future of `receive` whenever it has to write.
        let (sender, messages) = mpsc::channel(16);
        let out = Out(Arc::new(Mutex::new(Some(output))));
        let reader = Reader { input: BufReader::new(input), out: out.clone(), sender, note };
        tokio::spawn(async move {
            reader.run().await;
            gone.cancel();
        });
        Self { messages, out }
    }
}

impl<W: AsyncWrite + Send + Unpin + 'static> Transport<RoleServer> for Stdio<W> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let out = self.out.clone();
        async move { out.write(&message).await }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.messages.recv().await
    }

    async fn close(&mut self) -> io::Result<()> {
        self.out.0.lock().await.take();
        Ok(())
    }
}

/// How many messages there are in what a client might send, for whoever tries to break this.
pub(super) async fn messages_in(bytes: &[u8]) -> usize {
    let (sender, mut messages) = mpsc::channel(16);
    let out = Out(Arc::new(Mutex::new(Some(tokio::io::sink()))));
    let reader = Reader { input: BufReader::new(bytes), out, sender, note: |_: &str| {} };
    let counted = async {
        let mut count = 0;
        while messages.recv().await.is_some() {
            count += 1;
        }
        count
    };
    tokio::join!(reader.run(), counted).1
}

/// stdout, which the reader shares to answer what never becomes a message.
struct Out<W>(Arc<Mutex<Option<W>>>);

impl<W> Clone for Out<W> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<W: AsyncWrite + Unpin> Out<W> {
    async fn write(&self, message: &ServerJsonRpcMessage) -> io::Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        let mut out = self.0.lock().await;
        let out = out.as_mut().ok_or(io::ErrorKind::NotConnected)?;
        out.write_all(&line).await?;
        out.flush().await
    }
}

struct Reader<R, W, N> {
    input: BufReader<R>,
    out: Out<W>,
    sender: mpsc::Sender<ClientJsonRpcMessage>,
    note: N,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin, N: Fn(&str)> Reader<R, W, N> {
    async fn run(mut self) {
        let mut line = Vec::new();
        let mut greeted = false;
        while let Some(length) = self.next_line(&mut line).await {
            if length > LONGEST {
                let problem = format!("a message of {length} bytes is longer than {LONGEST}");
                self.refuse(ErrorData::invalid_request(problem, None), find_id(&line)).await;
                continue;
            }
            match serde_json::from_slice(&line) {
                // rmcp takes anything but a request for a broken handshake, and ends.
                Ok(JsonRpcMessage::Request(request)) => {
                    greeted = true;
                    let message = JsonRpcMessage::Request(request);
                    if self.sender.send(message).await.is_err() {
                        return;
                    }
                }
                Ok(message) if greeted => {
                    if self.sender.send(message).await.is_err() {
                        return;
                    }
                }
                Ok(_) => (self.note)("ignored a message before the handshake"),
                Err(error) => self.explain(&line, &error).await,
            }
        }
    }

    /// Reads a line; its length, or none at the end. Of a line that is too long only both ends
    /// are kept, which is where its id is.
    async fn next_line(&mut self, line: &mut Vec<u8>) -> Option<usize> {
        line.clear();
        let mut length = 0;
        loop {
            let bytes = self.input.fill_buf().await.ok().filter(|bytes| !bytes.is_empty())?;
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let taken = &bytes[..end.unwrap_or(bytes.len())];
            length += taken.len();
            line.extend_from_slice(taken);
            if length > LONGEST && line.len() > 4 * END {
                line.drain(END..line.len() - END);
            }
            let used = taken.len() + usize::from(end.is_some());
            self.input.consume(used);
            match end {
                Some(_) if length <= LONGEST && line.trim_ascii().is_empty() => {
                    line.clear();
                    length = 0;
                }
                Some(_) => return Some(length),
                None => {}
            }
        }
    }

    /// Says what is wrong with a line that is no message.
    async fn explain(&self, line: &[u8], error: &serde_json::Error) {
        let Ok(value) = serde_json::from_slice::<Value>(line) else {
            self.refuse(ErrorData::parse_error(format!("not JSON: {error}"), None), None).await;
            return;
        };
        let id = value.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
        if id.is_none() && value.get("method").is_some() {
            (self.note)("ignored a notification that MCP does not know");
            return;
        }
        self.refuse(ErrorData::invalid_request(format!("not a message: {error}"), None), id).await;
    }

    async fn refuse(&self, error: ErrorData, id: Option<RequestId>) {
        (self.note)(&error.message);
        // A client that is gone ends the reading, not the writing.
        let _ = self.out.write(&ServerJsonRpcMessage::error(error, id)).await;
    }
}

/// The id in what is left of a line that was too long to be read.
fn find_id(ends: &[u8]) -> Option<RequestId> {
    let text = String::from_utf8_lossy(ends);
    text.match_indices("\"id\"").find_map(|(at, key)| {
        let value = text[at + key.len()..].trim_start().strip_prefix(':')?.trim_start();
        let mut values = serde_json::Deserializer::from_str(value).into_iter::<Value>();
        serde_json::from_value(values.next()?.ok()?).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_found_at_either_end() {
        let id = |text: &str| find_id(text.as_bytes()).map(|id| id.to_string());
        assert_eq!(id("{\"jsonrpc\":\"2.0\",\"id\": 7,\"method\":\"x"), Some("7".into()));
        assert_eq!(id("aaaa\"}},\"id\":\"a-1\"}"), Some("a-1".into()));
        assert_eq!(id("aaaa"), None);
    }
}
