//! Runs a program to its end: it reads a text and its output is collected, within limits.

use std::ffi::OsStr;
use std::path::Path;
use std::time::{Duration, Instant};

use base::{Call, Result};
use process::ProcessEvent;

use crate::find::ProgramFile;
use crate::host::ToolHost;
use crate::probe::start_failure;
use crate::program_failure::{ProgramFailure, most_relevant_line};
use crate::tool_process::ToolProcess;

/// Maximum output of one program, in bytes.
const MAX_OUTPUT_BYTES: usize = 32 << 20;

/// A program with its arguments and input.
#[derive(Debug, Clone, Copy)]
pub struct ProgramCall<'a, A> {
    /// The program
    pub program: &'a ProgramFile,
    /// Its arguments
    pub args: &'a [A],
    /// The project and the environment
    pub host: &'a ToolHost,
    /// The folder it runs in
    pub folder: &'a Path,
    /// The text it reads from standard input
    pub input: &'a [u8],
}

/// The result of a program that ended by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramOutput {
    /// Its exit code; `None` if a signal ended it
    pub code: Option<i32>,
    /// What it wrote to stdout
    pub stdout: Vec<u8>,
    /// The most relevant line of stderr
    pub stderr_line: Option<String>,
}

impl<A: AsRef<OsStr>> ProgramCall<'_, A> {
    /// Runs the program. It is killed, with everything that it started, when it takes longer than
    /// `timeout` or writes too much. The outer result fails when the call was stopped.
    pub fn run(
        &self,
        call: &Call,
        timeout: Duration,
    ) -> Result<Result<ProgramOutput, ProgramFailure>> {
        call.check_stopped()?;
        let mut process = match ToolProcess::start(self.program, self.args, self.host, self.folder)
        {
            Ok(process) => process,
            Err(error) => return Ok(Err(start_failure(self.program, self.folder, &error))),
        };
        process.write_all_input(self.input.to_vec());
        let start = Instant::now();
        let mut stdout = Vec::new();
        loop {
            match process.next_event() {
                ProcessEvent::Output(bytes) => stdout.extend(bytes),
                ProcessEvent::Idle => {}
                ProcessEvent::Ended => break,
            }
            call.check_stopped()?;
            if stdout.len() > MAX_OUTPUT_BYTES {
                return Ok(Err(ProgramFailure::OutputTooLarge { limit: MAX_OUTPUT_BYTES }));
            }
            if start.elapsed() >= timeout {
                let message = most_relevant_line(process.stderr());
                return Ok(Err(ProgramFailure::TimedOut { waited: start.elapsed(), message }));
            }
        }
        let stderr_line = most_relevant_line(process.stderr());
        Ok(match process.reap() {
            Ok(status) => Ok(ProgramOutput { code: status.code(), stdout, stderr_line }),
            Err(error) => Err(ProgramFailure::NotStarted { reason: error.to_string() }),
        })
    }
}
