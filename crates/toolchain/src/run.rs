//! A program that runs to its end: given a text, its output taken, within limits.

use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use base::{Call, Result};

use crate::find::ProgramFile;
use crate::host::ToolHost;
use crate::probe::start_failure;
use crate::process::{ProcessEvent, ToolProcess};
use crate::program_failure::{ProgramFailure, most_relevant_line};

/// Output beyond this is no answer to anything we ask, in bytes.
const MAX_OUTPUT_BYTES: usize = 32 << 20;

/// What a program did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramOutput {
    /// Its exit code; none if a signal ended it
    pub code: Option<i32>,
    /// What it wrote
    pub stdout: Vec<u8>,
    /// The line of its complaints that tells most
    pub stderr_line: Option<String>,
}

/// Runs a program in a folder, with a text as its input. Nothing of it is left running. The outer
/// result fails when the caller no longer waits.
pub fn run_program<A: AsRef<OsStr>>(
    (found, args): (&ProgramFile, &[A]),
    (host, folder): (&ToolHost, &Path),
    input: &[u8],
    (call, timeout): (&Call, Duration),
) -> Result<Result<ProgramOutput, ProgramFailure>> {
    call.check_stopped()?;
    let mut running = match ToolProcess::start(found, args, host, folder) {
        Ok(running) => running,
        Err(error) => return Ok(Err(start_failure(found, folder, &error))),
    };
    if let Some(mut stdin) = running.take_stdin() {
        let input = input.to_vec();
        // A program need not read its input; the thread ends with the pipe at the latest.
        thread::spawn(move || stdin.write_all(&input));
    }
    let since = Instant::now();
    let mut output = Vec::new();
    loop {
        match running.next_event() {
            ProcessEvent::Output(bytes) => output.extend(bytes),
            ProcessEvent::Idle => {}
            ProcessEvent::Ended => break,
        }
        call.check_stopped()?;
        if since.elapsed() >= timeout || output.len() > MAX_OUTPUT_BYTES {
            let said = most_relevant_line(running.stderr());
            return Ok(Err(ProgramFailure::TimedOut { waited: since.elapsed(), message: said }));
        }
    }
    let complaint = most_relevant_line(running.stderr());
    Ok(match running.reap() {
        Ok(status) => {
            Ok(ProgramOutput { code: status.code(), stdout: output, stderr_line: complaint })
        }
        Err(error) => Err(ProgramFailure::NotStarted { reason: error.to_string() }),
    })
}
