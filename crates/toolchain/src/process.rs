//! The one place that starts a process: a tool in a clean environment and a group of its own.
//!
//! Its output is pulled while the caller waits, and neither it nor what it started outlives us.
//! Only a process that leaves the group by itself, as a daemon does, is out of our reach.

use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::find::ProgramFile;
use crate::host::ToolHost;
use crate::platform;

/// How long we wait for output before the caller is asked whether they still do.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// How long the pipes of a group that was killed may stay open; longer, and a daemon holds them.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(500);

/// Output is read in pieces of this size; at most `MAX_QUEUED_CHUNKS` wait to be pulled.
const CHUNK_BYTES: usize = 64 << 10;
const MAX_QUEUED_CHUNKS: usize = 16;

/// As much as every pipe holds, so that feeding a process that does not read never blocks.
const MAX_INPUT_BYTES: usize = 4 << 10;

/// Of what a program complains about, this much is kept.
const MAX_STDERR_BYTES: usize = 16 << 10;

enum ToolOutputChunk {
    Stdout(Vec<u8>),
    Stderr(Vec<u8>),
}

/// What a process did while we waited.
pub(crate) enum ProcessEvent {
    /// It wrote this
    Output(Vec<u8>),
    /// Nothing to tell; ask whether the caller still waits
    Idle,
    /// It ended, and all it wrote was pulled
    Ended,
}

/// A running process. Dropping it kills its group and reaps it.
pub(crate) struct ToolProcess {
    child: Child,
    stdin: Option<ChildStdin>,
    bytes_written: usize,
    chunks: Receiver<ToolOutputChunk>,
    stderr: Vec<u8>,
    /// Since when it has ended and the rest of its group was killed
    ended_at: Option<Instant>,
    status: Option<ExitStatus>,
}

impl ToolProcess {
    /// Starts a program in a folder.
    pub(crate) fn start<A: AsRef<OsStr>>(
        found: &ProgramFile,
        args: &[A],
        host: &ToolHost,
        folder: &Path,
    ) -> io::Result<Self> {
        if !found.path.is_absolute() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path is not absolute"));
        }
        #[expect(clippy::disallowed_methods, reason = "this is where tools are started, cleaned")]
        let mut command = Command::new(&found.path);
        command.args(args).current_dir(folder).env_clear().envs(host.variables(found.origin));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        platform::set_process_group(&mut command);
        command.spawn().map(Self::new)
    }

    fn new(mut child: Child) -> Self {
        let (sender, chunks) = sync_channel(MAX_QUEUED_CHUNKS);
        pump(child.stdout.take(), sender.clone(), ToolOutputChunk::Stdout);
        pump(child.stderr.take(), sender, ToolOutputChunk::Stderr);
        let stdin = child.stdin.take();
        Self {
            child,
            stdin,
            bytes_written: 0,
            chunks,
            stderr: Vec::new(),
            ended_at: None,
            status: None,
        }
    }

    /// Writes to its input; what is too much in all is left out. A process that does not read, or
    /// misses something, is found out by what it answers.
    pub(crate) fn write_input(&mut self, bytes: &[u8]) {
        self.bytes_written += bytes.len();
        let fits = self.bytes_written <= MAX_INPUT_BYTES;
        if let Some(stdin) = self.stdin.as_mut().filter(|_| fits) {
            let _ = stdin.write_all(bytes);
        }
    }

    /// Closes its input.
    pub(crate) fn close_input(&mut self) {
        self.stdin = None;
    }

    /// Its input, for a writer that may block.
    pub(crate) fn take_stdin(&mut self) -> Option<ChildStdin> {
        self.stdin.take()
    }

    /// The process's number, which is its group's too.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// What it did next, after a short wait at most.
    pub(crate) fn next_event(&mut self) -> ProcessEvent {
        self.next_event_within(POLL_INTERVAL)
    }

    /// The same after a wait of some length.
    pub(crate) fn next_event_within(&mut self, patience: Duration) -> ProcessEvent {
        match self.chunks.recv_timeout(patience) {
            Ok(ToolOutputChunk::Stdout(bytes)) => return ProcessEvent::Output(bytes),
            Ok(ToolOutputChunk::Stderr(bytes)) => self.keep_stderr(&bytes),
            Err(RecvTimeoutError::Timeout) if self.is_drained() => return ProcessEvent::Ended,
            Err(RecvTimeoutError::Timeout) => self.check_ended(),
            Err(RecvTimeoutError::Disconnected) if self.ended_at.is_some() => {
                return ProcessEvent::Ended;
            }
            Err(RecvTimeoutError::Disconnected) => {
                self.check_ended();
                if self.ended_at.is_none() {
                    thread::sleep(POLL_INTERVAL); // it closed its pipes, so nothing else can wake us
                }
            }
        }
        ProcessEvent::Idle
    }

    /// How it ended; what has not is killed.
    pub(crate) fn reap(&mut self) -> io::Result<ExitStatus> {
        if let Some(status) = self.status {
            return Ok(status);
        }
        platform::kill_group(&mut self.child);
        let status = self.child.wait()?;
        self.status = Some(status);
        Ok(status)
    }

    /// What it complained about so far.
    pub(crate) fn stderr(&self) -> &[u8] {
        &self.stderr
    }

    /// Notices its end. What it left behind is killed, so that the pipes close.
    fn check_ended(&mut self) {
        if self.ended_at.is_none() && platform::has_ended(&mut self.child) {
            platform::kill_group(&mut self.child);
            self.ended_at = Some(Instant::now());
        }
    }

    fn is_drained(&self) -> bool {
        self.ended_at.is_some_and(|ended| ended.elapsed() >= DRAIN_TIMEOUT)
    }

    fn keep_stderr(&mut self, bytes: &[u8]) {
        let room = MAX_STDERR_BYTES.saturating_sub(self.stderr.len());
        self.stderr.extend(&bytes[..bytes.len().min(room)]);
    }
}

impl Drop for ToolProcess {
    fn drop(&mut self) {
        // This fails only for a process that somebody else has reaped.
        let _ = self.reap();
    }
}

/// Moves what a pipe holds into the channel, from a thread that ends with the pipe or the channel.
fn pump(
    pipe: Option<impl Read + Send + 'static>,
    sender: SyncSender<ToolOutputChunk>,
    wrap: fn(Vec<u8>) -> ToolOutputChunk,
) {
    let Some(mut pipe) = pipe else { return };
    thread::spawn(move || {
        let mut buffer = vec![0; CHUNK_BYTES];
        loop {
            match pipe.read(&mut buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(0) | Err(_) => return,
                Ok(length) => {
                    if sender.send(wrap(buffer[..length].to_vec())).is_err() {
                        return;
                    }
                }
            }
        }
    });
}
