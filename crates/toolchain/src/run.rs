//! A program that runs to its end: given a text, its output taken, within limits.

use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use base::{Call, Result};

use crate::dead::{Dead, telling};
use crate::find::Found;
use crate::host::Host;
use crate::probe::not_started;
use crate::process::{Event, Running};

/// Output beyond this is no answer to anything we ask, in bytes.
const MOST_OUTPUT: usize = 32 << 20;

/// What a program did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// Its exit code; none if a signal ended it
    pub code: Option<i32>,
    /// What it wrote
    pub output: Vec<u8>,
    /// The line of its complaints that tells most
    pub complaint: Option<String>,
}

/// Runs a program in a folder, with a text as its input. Nothing of it is left running. The outer
/// result fails when the caller no longer waits.
pub fn run<A: AsRef<OsStr>>(
    (found, args): (&Found, &[A]),
    (host, folder): (&Host, &Path),
    input: &[u8],
    (call, timeout): (&Call, Duration),
) -> Result<Result<Ran, Dead>> {
    call.go_on()?;
    let mut running = match Running::start(found, args, host, folder) {
        Ok(running) => running,
        Err(error) => return Ok(Err(not_started(found, folder, &error))),
    };
    if let Some(mut stdin) = running.take_stdin() {
        let input = input.to_vec();
        // A program need not read its input; the thread ends with the pipe at the latest.
        thread::spawn(move || stdin.write_all(&input));
    }
    let since = Instant::now();
    let mut output = Vec::new();
    loop {
        match running.next() {
            Event::Output(bytes) => output.extend(bytes),
            Event::Quiet => {}
            Event::Ended => break,
        }
        call.go_on()?;
        if since.elapsed() >= timeout || output.len() > MOST_OUTPUT {
            let said = telling(running.complaint());
            return Ok(Err(Dead::Silent { waited: since.elapsed(), said }));
        }
    }
    let complaint = telling(running.complaint());
    Ok(match running.reap() {
        Ok(status) => Ok(Ran { code: status.code(), output, complaint }),
        Err(error) => Err(Dead::NotStarted { why: error.to_string() }),
    })
}
