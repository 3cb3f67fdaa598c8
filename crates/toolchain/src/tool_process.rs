//! Starts a tool in its cleaned environment and a process group of its own.
//!
//! Neither the tool nor what it started outlives the [`ToolProcess`]. Only a process that leaves
//! the group by itself, as a daemon does, is out of reach.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::{ChildStdin, ExitStatus};
use std::time::Duration;

use process::{Process, ProcessCommand, ProcessEvent};

use crate::find::ProgramFile;
use crate::host::ToolHost;

/// How long to wait for output before checking whether the call was stopped.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The capacity of the smallest pipe, in bytes: writing less than this never blocks, even if the
/// process does not read.
const MAX_INPUT_BYTES: usize = 4 << 10;

/// A running tool. Dropping it kills its group and reaps it.
pub(crate) struct ToolProcess {
    process: Process,
    bytes_written: usize,
}

impl ToolProcess {
    /// Starts a program in a folder.
    pub(crate) fn start<A: AsRef<OsStr>>(
        program: &ProgramFile,
        args: &[A],
        host: &ToolHost,
        folder: &Path,
    ) -> io::Result<Self> {
        let mut command = ProcessCommand::new(&program.path)?;
        command.args(args).current_dir(folder).envs(host.variables(program.origin));
        let process = command.with_stdin().with_own_group().spawn()?;
        Ok(Self { process, bytes_written: 0 })
    }

    /// Writes to its input unless that would exceed [`MAX_INPUT_BYTES`] in all. A process that
    /// does not read, or misses something, is noticed by what it answers.
    pub(crate) fn write_input(&mut self, bytes: &[u8]) {
        self.bytes_written += bytes.len();
        if self.bytes_written <= MAX_INPUT_BYTES {
            let _ = self.process.write_input(bytes);
        }
    }

    /// Writes the whole input from a separate thread and closes it.
    pub(crate) fn write_all_input(&mut self, bytes: Vec<u8>) {
        self.process.write_all_input(bytes);
    }

    /// Closes its input.
    pub(crate) fn close_input(&mut self) {
        self.process.close_input();
    }

    /// Its input, for a caller that writes from a thread of its own.
    pub(crate) fn take_stdin(&mut self) -> Option<ChildStdin> {
        self.process.take_stdin()
    }

    /// The process id, which is also the id of its group.
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// The next event of the process, after a short wait at most.
    pub(crate) fn next_event(&mut self) -> ProcessEvent {
        self.process.next_event(POLL_INTERVAL)
    }

    /// The next event of the process, after a wait of at most `timeout`.
    pub(crate) fn next_event_within(&mut self, timeout: Duration) -> ProcessEvent {
        self.process.next_event(timeout)
    }

    /// Kills it if it still runs, and returns how it ended.
    pub(crate) fn reap(&mut self) -> io::Result<ExitStatus> {
        self.process.reap()
    }

    /// Its stderr output so far.
    pub(crate) fn stderr(&self) -> &[u8] {
        self.process.stderr()
    }
}
