//! A client that talks to the real binary over stdio, line by line.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use serde_json::{Value, json};

/// The revision that most clients speak.
const PROTOCOL_VERSION: &str = "2025-11-25";

/// A client of one server process.
pub struct McpClient {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next_id: u64,
}

impl McpClient {
    /// Starts `cairn mcp` in a repository and initializes the session.
    pub fn start(binary: &Path, repository: &Path, flags: &[&str]) -> Self {
        let mut client = Self::start_without_handshake(binary, repository, flags);
        let hello = json!({"protocolVersion": PROTOCOL_VERSION, "capabilities": {},
            "clientInfo": {"name": "testkit", "version": "1"}});
        client.request("initialize", hello);
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    /// Starts the server without sending a message.
    #[expect(clippy::disallowed_methods, reason = "a test starts the program under test")]
    pub fn start_without_handshake(binary: &Path, repository: &Path, flags: &[&str]) -> Self {
        let mut child = Command::new(binary)
            .args(["-C".as_ref(), repository.as_os_str(), "mcp".as_ref()])
            .args(flags)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("stdout is piped"));
        Self { child, input, output, next_id: 0 }
    }

    /// Sends one message as it is.
    pub fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("the server still listens");
        writeln!(input, "{message}").and_then(|()| input.flush()).expect("a message");
    }

    /// Sends a request and waits for its response. Notifications are skipped.
    #[expect(clippy::needless_pass_by_value, reason = "callers write `json!({…})` in place")]
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Calls a tool. Returns its text and whether it is an error.
    #[expect(clippy::needless_pass_by_value, reason = "callers write `json!({…})` in place")]
    pub fn call(&mut self, tool: &str, arguments: Value) -> (String, bool) {
        let response = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        let result = &response["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        (text, result["isError"].as_bool().unwrap_or(false))
    }

    /// The next message.
    pub fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("a line");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("not JSON: {error}: {line}"))
    }

    /// The server's process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Closes stdin and waits for the server. Returns its exit status.
    pub fn close(mut self) -> ExitStatus {
        drop(self.input.take());
        self.child.wait().expect("the server ends")
    }
}

impl Drop for McpClient {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
