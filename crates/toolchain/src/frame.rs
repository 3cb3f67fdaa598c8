//! Messages of the language server protocol on a stream: a header with the length, then JSON.
//!
//! Lengths count bytes. What a server writes is not trusted: headers and messages have limits.

use serde_json::Value;

/// The id of a request that we sent, unique within a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct RequestId(pub(crate) i64);

/// The headers of known servers are not a tenth as long.
const MAX_HEADER_BYTES: usize = 4 << 10;

/// All references to a name in a large project are some megabytes.
const MAX_BODY_BYTES: usize = 64 << 20;

const CONTENT_LENGTH: &str = "Content-Length";
const END_OF_HEADER: &[u8] = b"\r\n\r\n";

/// A message as it goes on the stream.
pub(crate) fn encode_frame(message: &Value) -> Vec<u8> {
    let body = message.to_string();
    format!("{CONTENT_LENGTH}: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// A stream that is not of this protocol.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct MalformedFrame;

/// Cuts a stream into messages.
#[derive(Default)]
pub(crate) struct FrameDecoder {
    buffer: Vec<u8>,
}

impl FrameDecoder {
    /// Adds what was read.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend(bytes);
    }

    /// The next message that is complete. If it is malformed, the offending part stays, so that
    /// [`Self::remaining`] can show it.
    pub(crate) fn next(&mut self) -> Result<Option<Value>, MalformedFrame> {
        let header = &self.buffer[..self.buffer.len().min(MAX_HEADER_BYTES)];
        let Some(end) = position(header, END_OF_HEADER) else {
            return if header.len() < MAX_HEADER_BYTES { Ok(None) } else { Err(MalformedFrame) };
        };
        let length = content_length(&header[..end])?;
        let start = end + END_OF_HEADER.len();
        let Some(body) = self.buffer.get(start..start + length) else { return Ok(None) };
        let message = serde_json::from_slice(body).ok().filter(Value::is_object);
        let end = if message.is_some() { start + length } else { start };
        self.buffer.drain(..end);
        message.map(Some).ok_or(MalformedFrame)
    }

    /// Whether what is left may be the beginning of a message.
    pub(crate) fn is_plausible(&self) -> bool {
        let length = self.buffer.len().min(CONTENT_LENGTH.len());
        self.buffer[..length].eq_ignore_ascii_case(&CONTENT_LENGTH.as_bytes()[..length])
    }

    /// The bytes that are not a complete message, or not a message at all.
    pub(crate) fn remaining(&self) -> &[u8] {
        &self.buffer
    }
}

fn position(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).position(|window| window == needle)
}

/// The length in a header. Other fields are not used, but must be well-formed.
fn content_length(header: &[u8]) -> Result<usize, MalformedFrame> {
    let header = str::from_utf8(header).map_err(|_| MalformedFrame)?;
    let mut length = None;
    for line in header.split("\r\n") {
        let (name, value) = line.split_once(':').ok_or(MalformedFrame)?;
        if name.eq_ignore_ascii_case(CONTENT_LENGTH) {
            length = value.trim().parse().ok();
        }
    }
    length.filter(|length| *length <= MAX_BODY_BYTES).ok_or(MalformedFrame)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(text: &str) -> Result<Option<Value>, MalformedFrame> {
        let mut frames = FrameDecoder::default();
        frames.push(text.as_bytes());
        frames.next()
    }

    #[test]
    fn lengths_are_bytes_and_pieces_may_be_cut_anywhere() {
        let messages = [json!({"name": "çairn – 🪨"}), json!({"id": 1})];
        assert_eq!(encode_frame(&messages[1]), b"Content-Length: 8\r\n\r\n{\"id\":1}");
        let stream: Vec<u8> = messages.iter().flat_map(encode_frame).collect();
        let mut frames = FrameDecoder::default();
        let mut read = Vec::new();
        for byte in stream {
            frames.push(&[byte]);
            read.extend(frames.next().unwrap());
        }
        assert_eq!(read, messages);
        assert_eq!(frames.remaining(), b"");
    }

    #[test]
    fn other_fields_and_spellings_are_taken() {
        let text = "content-length:2\r\nContent-Type: application/vscode-jsonrpc\r\n\r\n{}";
        assert_eq!(read(text), Ok(Some(json!({}))));
    }

    #[test]
    fn what_is_no_message_is_malformed() {
        let huge = "x".repeat(MAX_HEADER_BYTES);
        let streams = [
            "hello\r\n\r\n",
            "hello\nContent-Length: 2\r\n\r\n{}",
            "Content-Type: a\r\n\r\n{}",
            "Content-Length: -2\r\n\r\n{}",
            "Content-Length: 99999999999\r\n\r\n{}",
            "Content-Length: 2\r\n\r\n[]",
            "Content-Length: 2\r\n\r\n{x",
            &huge,
        ];
        for stream in streams {
            assert_eq!(read(stream), Err(MalformedFrame), "{stream}");
        }
        let mut frames = FrameDecoder::default();
        frames.push(b"Content-Length: 5\r\n\r\nhello");
        assert_eq!((frames.next(), frames.remaining()), (Err(MalformedFrame), &b"hello"[..]));
    }

    #[test]
    fn what_may_become_a_message_is_waited_for() {
        for text in ["", "hello", "Content-Length: 2\r\n", "Content-Length: 2\r\n\r\n{"] {
            assert_eq!(read(text), Ok(None), "{text}");
        }
    }
}
