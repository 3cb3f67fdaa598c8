//! Whether a program is a language server that works: it is started, greeted and sent away.
//!
//! That a program is there proves nothing: what `rustup` puts on `PATH` may be an empty proxy.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process;
use std::time::{Duration, Instant};

use base::{Call, Code, Problem, Result};
use serde_json::{Value, json};

use crate::dead::{Dead, shown, telling};
use crate::find::Found;
use crate::frame::{Frames, frame};
use crate::host::Host;
use crate::process::{Event, Running};

/// How long a server that answered may take to leave before it is killed.
const GOODBYE: Duration = Duration::from_secs(1);

/// The error code of JSON-RPC for what we do not do.
const METHOD_NOT_FOUND: i32 = -32601;

/// A server that works, as it calls itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alive {
    /// Its name, if it tells
    pub name: Option<String>,
    /// Its version, if it tells
    pub version: Option<String>,
}

/// Why there is no answer.
enum End {
    /// The server's doing
    Dead(Dead),
    /// The caller's, or ours
    Problem(Problem),
}

/// Starts a server in a folder, which is to be empty and outside every project, and waits for its
/// answer to `initialize`. Nothing of it is left running.
///
/// What the project brought along may only be probed where the user trusts the repository. The
/// outer result fails when the caller no longer waits, which says nothing about the server.
pub fn probe<A: AsRef<OsStr>>(
    found: &Found,
    args: &[A],
    host: &Host,
    folder: &Path,
    call: &Call,
    timeout: Duration,
) -> Result<std::result::Result<Alive, Dead>> {
    call.go_on()?; // nothing starts for somebody who has left
    let running = match Running::start(found, args, host, folder) {
        Ok(running) => running,
        Err(error) => return Ok(Err(not_started(found, folder, &error))),
    };
    let mut session = Session { running, frames: Frames::default() };
    match session.greet(call, timeout) {
        Ok(alive) => {
            session.send_away(call, host.grace(GOODBYE));
            Ok(Ok(alive))
        }
        Err(End::Dead(dead)) => Ok(Err(dead)),
        Err(End::Problem(problem)) => Err(problem),
    }
}

/// A conversation with a server.
struct Session {
    running: Running,
    frames: Frames,
}

impl Session {
    fn greet(&mut self, call: &Call, timeout: Duration) -> Result<Alive, End> {
        // With our process id the server can notice that we are gone, should we be killed.
        let params = json!({
            "processId": process::id(),
            "clientInfo": {"name": "cairn", "version": env!("CARGO_PKG_VERSION")},
            "rootUri": null,
            "workspaceFolders": null,
            "capabilities": {},
        });
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
        self.running.feed(&frame(&message));
        let answer = self.answer(1, call, timeout)?;
        alive(&answer).map_err(End::Dead)
    }

    /// Ends the conversation as the protocol wants it. Whether the server plays along no longer
    /// matters: it is killed with the session.
    fn send_away(mut self, call: &Call, grace: Duration) {
        let since = Instant::now();
        let initialized = json!({"jsonrpc": "2.0", "method": "initialized", "params": {}});
        self.running.feed(&frame(&initialized));
        self.running.feed(&frame(&json!({"jsonrpc": "2.0", "id": 2, "method": "shutdown"})));
        if self.answer(2, call, grace).is_err() {
            return;
        }
        self.running.feed(&frame(&json!({"jsonrpc": "2.0", "method": "exit"})));
        self.running.close();
        while since.elapsed() < grace && call.go_on().is_ok() {
            if matches!(self.running.next(), Event::Ended) {
                return;
            }
        }
    }

    /// Waits for the answer to a request; what else the server says is passed over, and what it
    /// asks is turned down, since it may wait for our answer before it gives its own.
    fn answer(&mut self, id: u32, call: &Call, timeout: Duration) -> Result<Value, End> {
        let since = Instant::now();
        loop {
            while let Some(message) = self.frames.next().map_err(|_| self.garbage())? {
                if answers(&message, id) {
                    return Ok(message);
                }
                self.turn_down(&message);
            }
            call.go_on().map_err(End::Problem)?;
            if since.elapsed() >= timeout {
                return Err(self.late(timeout));
            }
            match self.running.next() {
                Event::Output(bytes) => self.frames.push(&bytes),
                Event::Quiet => {}
                Event::Ended => return Err(self.exited()),
            }
        }
    }

    fn turn_down(&mut self, message: &Value) {
        if let (Some(id), Some(_)) = (message.get("id"), message.get("method")) {
            let error = json!({"code": METHOD_NOT_FOUND, "message": "this is only a probe"});
            self.running.feed(&frame(&json!({"jsonrpc": "2.0", "id": id, "error": error})));
        }
    }

    fn garbage(&self) -> End {
        End::Dead(Dead::Garbage { said: telling(self.frames.rest()) })
    }

    /// The time is over. A greeting that is meant for people is not silence.
    fn late(&self, waited: Duration) -> End {
        if !self.frames.is_plausible() {
            return self.garbage();
        }
        End::Dead(Dead::Silent { waited, said: telling(self.running.complaint()) })
    }

    /// It ended. Its complaint tells why; some, as `tsc`, write that to their output.
    fn exited(&mut self) -> End {
        let said = telling(self.running.complaint()).or_else(|| telling(self.frames.rest()));
        match self.running.reap() {
            Ok(status) => End::Dead(Dead::Exited { status, said }),
            Err(error) => End::Problem(
                Problem::new(Code::Unavailable, "cannot tell how a language server ended")
                    .hint("repeat the request")
                    .because(error),
            ),
        }
    }
}

/// Whether a message answers a request. A server that could not read it answers without an id.
fn answers(message: &Value, id: u32) -> bool {
    message.get("method").is_none()
        && (message["id"] == id || message["id"].is_null() && message.get("error").is_some())
}

/// Reads the answer to `initialize`.
pub(crate) fn alive(answer: &Value) -> Result<Alive, Dead> {
    if let Some(error) = answer.get("error").filter(|error| !error.is_null()) {
        return Err(Dead::Refused { said: error["message"].as_str().map(shown) });
    }
    let result = &answer["result"];
    if !result["capabilities"].is_object() {
        return Err(Dead::Garbage { said: Some(shown(&answer.to_string())) });
    }
    let info = &result["serverInfo"];
    let version = info["version"].as_str().map(version);
    Ok(Alive { name: info["name"].as_str().map(shown), version })
}

/// A version as people know it. That of `gopls` is JSON about its whole build.
fn version(text: &str) -> String {
    let build: Option<Value> = serde_json::from_str(text).ok();
    shown(build.as_ref().and_then(|build| build["Version"].as_str()).unwrap_or(text))
}

/// A program that is there and yet "not found" has lost its interpreter, or we the folder.
pub(crate) fn not_started(found: &Found, folder: &Path, error: &io::Error) -> Dead {
    let why = if error.kind() != io::ErrorKind::NotFound || !found.path.exists() {
        error.to_string()
    } else if folder.is_dir() {
        "the interpreter that its first line names is not there".into()
    } else {
        format!("the folder {} is not there", shown(&folder.display().to_string()))
    };
    Dead::NotStarted { why }
}
