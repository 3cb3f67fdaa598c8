//! Checks whether a program is a working language server: it is started, initialized and stopped.
//!
//! A program file alone proves nothing: what `rustup` puts on `PATH` may be an empty proxy.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use base::{Call, Problem, ProblemCode, Result};
use process::ProcessEvent;
use serde_json::{Value, json};

use crate::find::ProgramFile;
use crate::frame::{FrameDecoder, RequestId, encode_frame};
use crate::host::ToolHost;
use crate::program_failure::{ProgramFailure, escape_for_display, most_relevant_line};
use crate::tool_process::ToolProcess;

/// How long a server that answered may take to exit before it is killed.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(1);

/// The ids of the two requests of a probe.
const INITIALIZE: RequestId = RequestId(1);
const SHUTDOWN: RequestId = RequestId(2);

/// The error code of JSON-RPC for an unsupported method.
const METHOD_NOT_FOUND: i32 = -32601;

/// Name and version of a working server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerInfo {
    /// Its name, if it gives one
    pub name: Option<String>,
    /// Its version, if it gives one
    pub version: Option<String>,
}

/// Why a request has no answer.
enum ProbeError {
    /// The server failed
    Program(ProgramFailure),
    /// The call was stopped, or cairn failed
    Problem(Problem),
}

/// Starts a server in a folder, which should be empty and outside of every project, and waits for
/// its answer to `initialize`. The server and its children are killed afterwards.
///
/// A program of the project may only be probed if the user trusts the repository. The outer result
/// fails when the call was stopped, which says nothing about the server.
pub fn probe<A: AsRef<OsStr>>(
    found: &ProgramFile,
    args: &[A],
    host: &ToolHost,
    folder: &Path,
    call: &Call,
    timeout: Duration,
) -> Result<std::result::Result<ServerInfo, ProgramFailure>> {
    call.check_stopped()?; // nothing starts for a call that was stopped
    let running = match ToolProcess::start(found, args, host, folder) {
        Ok(running) => running,
        Err(error) => return Ok(Err(start_failure(found, folder, &error))),
    };
    let mut session = ProbeSession { running, frames: FrameDecoder::default() };
    match session.initialize(call, timeout) {
        Ok(alive) => {
            session.shut_down(call, host.exit_timeout(SHUTDOWN_GRACE));
            Ok(Ok(alive))
        }
        Err(ProbeError::Program(dead)) => Ok(Err(dead)),
        Err(ProbeError::Problem(problem)) => Err(problem),
    }
}

/// A connection to a server that is probed.
struct ProbeSession {
    running: ToolProcess,
    frames: FrameDecoder,
}

impl ProbeSession {
    fn initialize(&mut self, call: &Call, timeout: Duration) -> Result<ServerInfo, ProbeError> {
        // The server uses the process id to notice that cairn was killed.
        let params = json!({
            "processId": std::process::id(),
            "clientInfo": {"name": "cairn", "version": env!("CARGO_PKG_VERSION")},
            "rootUri": null,
            "workspaceFolders": null,
            "capabilities": {},
        });
        let message =
            json!({"jsonrpc": "2.0", "id": INITIALIZE.0, "method": "initialize", "params": params});
        self.running.write_input(&encode_frame(&message));
        let answer = self.wait_for_answer(INITIALIZE, call, timeout)?;
        parse_server_info(&answer).map_err(ProbeError::Program)
    }

    /// Shuts the server down as the protocol says. A server that does not exit is killed with the
    /// session.
    fn shut_down(mut self, call: &Call, exit_timeout: Duration) {
        let since = Instant::now();
        let initialized = json!({"jsonrpc": "2.0", "method": "initialized", "params": {}});
        self.running.write_input(&encode_frame(&initialized));
        self.running.write_input(&encode_frame(
            &json!({"jsonrpc": "2.0", "id": SHUTDOWN.0, "method": "shutdown"}),
        ));
        if self.wait_for_answer(SHUTDOWN, call, exit_timeout).is_err() {
            return;
        }
        self.running.write_input(&encode_frame(&json!({"jsonrpc": "2.0", "method": "exit"})));
        self.running.close_input();
        while since.elapsed() < exit_timeout && call.check_stopped().is_ok() {
            if matches!(self.running.next_event(), ProcessEvent::Ended) {
                return;
            }
        }
    }

    /// Waits for the answer to a request. Other messages are skipped, and requests of the server
    /// are refused, since it may wait for our answer before it sends its own.
    fn wait_for_answer(
        &mut self,
        id: RequestId,
        call: &Call,
        timeout: Duration,
    ) -> Result<Value, ProbeError> {
        let since = Instant::now();
        loop {
            while let Some(message) = self.frames.next().map_err(|_| self.invalid_output())? {
                if is_answer_to(&message, id) {
                    return Ok(message);
                }
                self.reject_request(&message);
            }
            call.check_stopped().map_err(ProbeError::Problem)?;
            if since.elapsed() >= timeout {
                return Err(self.timed_out(timeout));
            }
            match self.running.next_event() {
                ProcessEvent::Output(bytes) => self.frames.push(&bytes),
                ProcessEvent::Idle => {}
                ProcessEvent::Ended => return Err(self.exit_error()),
            }
        }
    }

    fn reject_request(&mut self, message: &Value) {
        if let (Some(id), Some(_)) = (message.get("id"), message.get("method")) {
            let error = json!({"code": METHOD_NOT_FOUND, "message": "this is only a probe"});
            self.running
                .write_input(&encode_frame(&json!({"jsonrpc": "2.0", "id": id, "error": error})));
        }
    }

    fn invalid_output(&self) -> ProbeError {
        ProbeError::Program(ProgramFailure::InvalidOutput {
            message: most_relevant_line(self.frames.remaining()),
        })
    }

    /// The failure after the timeout. Output that is not the protocol is reported as that.
    fn timed_out(&self, waited: Duration) -> ProbeError {
        if !self.frames.is_plausible() {
            return self.invalid_output();
        }
        ProbeError::Program(ProgramFailure::TimedOut {
            waited,
            message: most_relevant_line(self.running.stderr()),
        })
    }

    /// The failure of a server that ended. Some, such as `tsc`, write the reason to stdout.
    fn exit_error(&mut self) -> ProbeError {
        let said = most_relevant_line(self.running.stderr())
            .or_else(|| most_relevant_line(self.frames.remaining()));
        match self.running.reap() {
            Ok(status) => ProbeError::Program(ProgramFailure::Exited { status, message: said }),
            Err(error) => ProbeError::Problem(
                Problem::new(
                    ProblemCode::Unavailable,
                    "cannot read the exit status of a language server",
                )
                .hint("repeat the request")
                .with_source(error),
            ),
        }
    }
}

/// Whether a message answers a request. A server that could not parse it answers without an id.
fn is_answer_to(message: &Value, id: RequestId) -> bool {
    message.get("method").is_none()
        && (message["id"] == id.0 || message["id"].is_null() && message.get("error").is_some())
}

/// Reads the answer to `initialize`.
pub(crate) fn parse_server_info(answer: &Value) -> Result<ServerInfo, ProgramFailure> {
    if let Some(error) = answer.get("error").filter(|error| !error.is_null()) {
        return Err(ProgramFailure::Refused {
            message: error["message"].as_str().map(escape_for_display),
        });
    }
    let result = &answer["result"];
    if !result["capabilities"].is_object() {
        return Err(ProgramFailure::InvalidOutput {
            message: Some(escape_for_display(&answer.to_string())),
        });
    }
    let info = &result["serverInfo"];
    let version = info["version"].as_str().map(display_version);
    Ok(ServerInfo { name: info["name"].as_str().map(escape_for_display), version })
}

/// A version for people. `gopls` sends JSON about its whole build.
fn display_version(text: &str) -> String {
    let build: Option<Value> = serde_json::from_str(text).ok();
    escape_for_display(build.as_ref().and_then(|build| build["Version"].as_str()).unwrap_or(text))
}

/// Why a program did not start. "Not found" for a file that exists means that its interpreter or
/// the folder is missing.
pub(crate) fn start_failure(
    found: &ProgramFile,
    folder: &Path,
    error: &io::Error,
) -> ProgramFailure {
    let why = if error.kind() != io::ErrorKind::NotFound || !found.path.exists() {
        error.to_string()
    } else if folder.is_dir() {
        "the interpreter in its first line does not exist".into()
    } else {
        format!("the folder {} does not exist", escape_for_display(&folder.display().to_string()))
    };
    ProgramFailure::NotStarted { reason: why }
}
