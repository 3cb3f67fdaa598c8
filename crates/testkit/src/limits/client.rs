//! Calls of the real binary with a time limit and measurements.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::DEADLINE;

/// Interval at which a running process is measured.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// Time after which a call is killed. It counts as failed long before.
const KILL_TIMEOUT: Duration = DEADLINE.saturating_mul(2);

/// The result of one call.
pub(super) struct CallOutcome {
    /// Its output; `None` if it was killed
    pub(super) printed: Option<String>,
    pub(super) code: Option<i32>,
    /// Its peak memory as measured, in kB
    pub(super) memory: u64,
    pub(super) took: Duration,
}

impl CallOutcome {
    /// Why the call failed: it hung, crashed, or reported an internal error. `None` if it did not.
    pub(super) fn failure_reason(&self) -> Option<String> {
        let Some(printed) = &self.printed else { return Some("it had to be ended".into()) };
        let answer: Value = serde_json::from_str(printed).unwrap_or_default();
        match self.code {
            Some(0..=3) if answer["error"]["code"] == "INTERNAL" => Some(printed.clone()),
            Some(0..=3) if answer.is_object() => None,
            code => Some(format!("exit code {code:?}: {printed}")),
        }
    }
}

/// Runs one command line with a home folder of its own.
pub(super) fn run(binary: &Path, root: &Path, home: &Path, words: &[&str]) -> CallOutcome {
    let mut command = command_in(binary, root, home);
    command.args(words).arg("--json").stdin(Stdio::null()).stderr(Stdio::null());
    let begin = Instant::now();
    let mut child = command.stdout(Stdio::piped()).spawn().expect("the binary starts");
    let mut output = child.stdout.take().expect("stdout is piped");
    let printed = std::thread::spawn(move || {
        let mut text = String::new();
        output.read_to_string(&mut text).map(|_| text).ok()
    });
    let mut memory = 0;
    let code = loop {
        memory = memory.max(peak_memory(child.id()));
        match child.try_wait().expect("a child") {
            Some(status) => break status.code(),
            None if begin.elapsed() > KILL_TIMEOUT => {
                kill(&mut child);
                return CallOutcome { printed: None, code: None, memory, took: begin.elapsed() };
            }
            None => std::thread::sleep(POLL_INTERVAL),
        }
    };
    let took = begin.elapsed();
    let printed = printed.join().ok().flatten();
    CallOutcome { printed: Some(printed.unwrap_or_default()), code, memory, took }
}

#[expect(clippy::disallowed_methods, reason = "the binary under proof")]
pub(super) fn command_in(binary: &Path, root: &Path, home: &Path) -> Command {
    let mut command = Command::new(binary);
    command.arg("-C").arg(root).env("HOME", home).env("XDG_CONFIG_HOME", home);
    command
}

/// The peak memory of a process so far, in kB; 0 after it has ended.
pub(super) fn peak_memory(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or_default()
}

/// A server on stdin and stdout that may never answer.
pub(super) struct TimedMcpClient {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    next_id: u64,
}

impl TimedMcpClient {
    pub(super) fn start(binary: &Path, root: &Path, home: &Path) -> Self {
        let mut command = command_in(binary, root, home);
        command.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the server starts");
        let input = child.stdin.take().expect("stdin is piped");
        let output = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let heard = output.lines().map_while(Result::ok);
            heard.take_while(|line| sender.send(line.clone()).is_ok()).for_each(drop);
        });
        Self { child, input, lines, next_id: 0 }
    }

    /// The answer to a request; `None` if it did not come in time.
    pub(super) fn request(&mut self, method: &str, params: &Value) -> Option<Value> {
        self.next_id += 1;
        let id = self.next_id;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(self.input, "{request}").and_then(|()| self.input.flush()).ok()?;
        let end = Instant::now() + KILL_TIMEOUT;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left).ok()?;
            let answer: Value = serde_json::from_str(&line).ok()?;
            if answer["id"] == id {
                return Some(answer);
            }
        }
    }

    /// Initializes the server and calls an operation. Returns whether both were answered.
    pub(super) fn ask(&mut self, operation: &str) -> bool {
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "limits", "version": "1"}});
        let call = json!({"name": "ask", "arguments": {"operation": operation, "arguments": {}}});
        self.request("initialize", &hello).is_some() && self.request("tools/call", &call).is_some()
    }

    /// Whether the server ended by itself, because it refused to serve.
    pub(super) fn has_ended(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(_)))
    }

    pub(super) fn peak_memory(&self) -> u64 {
        peak_memory(self.child.id())
    }
}

impl Drop for TimedMcpClient {
    fn drop(&mut self) {
        kill(&mut self.child);
    }
}

pub(super) fn kill(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}
