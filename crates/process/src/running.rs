//! A running process: its output is read while the caller waits, and it never outlives us.

use std::io::{self, Read, Write};
use std::process::{Child, ChildStdin, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long the pipes of a group that was killed may stay open. A daemon that left the group can
/// hold them for longer.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(500);

/// How often a process that closed its pipes is asked whether it has ended.
const EXIT_POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Output is read in chunks of this size; at most `MAX_QUEUED_CHUNKS` wait to be taken.
const CHUNK_BYTES: usize = 64 << 10;
const MAX_QUEUED_CHUNKS: usize = 64;

/// How much of stderr is kept, from its start.
const MAX_STDERR_BYTES: usize = 16 << 10;

enum OutputChunk {
    Stdout(Vec<u8>),
    Stderr(Vec<u8>),
    ReadError(io::Error),
}

/// What a process wrote while the caller waited.
#[derive(Debug)]
pub enum ProcessOutput {
    /// A chunk of stdout
    Chunk(Vec<u8>),
    /// Nothing on stdout yet
    Waiting,
    /// A pipe could not be read; the rest of its output is lost
    ReadError(io::Error),
    /// Both pipes are closed: the process has ended or is about to
    Closed,
}

/// An event of a process.
#[derive(Debug)]
pub enum ProcessEvent {
    /// It wrote this to stdout
    Output(Vec<u8>),
    /// Nothing yet: the caller decides whether to keep waiting
    Idle,
    /// It ended, and all of its output was taken
    Ended,
}

/// A running process. Dropping it kills it, with its group if it has one, and reaps it.
#[derive(Debug)]
pub struct Process {
    child: Child,
    has_own_group: bool,
    stdin: Option<ChildStdin>,
    chunks: Receiver<OutputChunk>,
    stderr: Vec<u8>,
    /// When the end was noticed and the rest of the group was killed
    ended_at: Option<Instant>,
    status: Option<ExitStatus>,
}

impl Process {
    pub(crate) fn new(mut child: Child, has_own_group: bool) -> Self {
        let (sender, chunks) = sync_channel(MAX_QUEUED_CHUNKS);
        read_pipe(child.stdout.take(), sender.clone(), OutputChunk::Stdout);
        read_pipe(child.stderr.take(), sender, OutputChunk::Stderr);
        let stdin = child.stdin.take();
        let (stderr, ended_at, status) = (Vec::new(), None, None);
        Self { child, has_own_group, stdin, chunks, stderr, ended_at, status }
    }

    /// The process id, which is also the id of its own group.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Writes to its input and flushes it. This blocks while the pipe is full.
    pub fn write_input(&mut self, bytes: &[u8]) -> io::Result<()> {
        let stdin = self.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        stdin.write_all(bytes).and_then(|()| stdin.flush())
    }

    /// Writes all of its input from a thread of its own and closes it. The thread ends with the
    /// process at the latest.
    pub fn write_all_input(&mut self, bytes: Vec<u8>) {
        if let Some(mut stdin) = self.stdin.take() {
            // A process need not read its input, so a failure here means nothing.
            thread::spawn(move || stdin.write_all(&bytes));
        }
    }

    /// Its input, for a caller that writes from a thread of its own.
    pub fn take_stdin(&mut self) -> Option<ChildStdin> {
        self.stdin.take()
    }

    /// Closes its input.
    pub fn close_input(&mut self) {
        self.stdin = None;
    }

    /// What it wrote to stdout within `timeout`. What it wrote to stderr is kept.
    pub fn next_output(&mut self, timeout: Duration) -> ProcessOutput {
        match self.chunks.recv_timeout(timeout) {
            Ok(OutputChunk::Stdout(bytes)) => return ProcessOutput::Chunk(bytes),
            Ok(OutputChunk::ReadError(error)) => return ProcessOutput::ReadError(error),
            Ok(OutputChunk::Stderr(bytes)) => self.keep_stderr(&bytes),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return ProcessOutput::Closed,
        }
        ProcessOutput::Waiting
    }

    /// The next event within `timeout`: output, or the end of the process. The end is noticed even
    /// if a child process still holds its pipes. A pipe that cannot be read counts as closed.
    pub fn next_event(&mut self, timeout: Duration) -> ProcessEvent {
        match self.next_output(timeout) {
            ProcessOutput::Chunk(bytes) => return ProcessEvent::Output(bytes),
            ProcessOutput::Waiting if self.is_drained() => return ProcessEvent::Ended,
            ProcessOutput::Waiting => self.check_ended(),
            ProcessOutput::ReadError(_) => {}
            ProcessOutput::Closed if self.ended_at.is_some() => return ProcessEvent::Ended,
            ProcessOutput::Closed => {
                self.check_ended();
                if self.ended_at.is_none() {
                    // Its pipes are closed, so nothing else can wake us.
                    thread::sleep(timeout.min(EXIT_POLL_INTERVAL));
                }
            }
        }
        ProcessEvent::Idle
    }

    /// What it wrote to stderr so far, up to a limit.
    pub fn stderr(&self) -> &[u8] {
        &self.stderr
    }

    /// Waits for its end. Its pipes have to be closed: a process that waits for a full pipe never
    /// ends.
    pub fn wait(&mut self) -> io::Result<ExitStatus> {
        if let Some(status) = self.status {
            return Ok(status);
        }
        let status = self.child.wait()?;
        self.status = Some(status);
        Ok(status)
    }

    /// Kills it if it still runs, and returns how it ended.
    pub fn reap(&mut self) -> io::Result<ExitStatus> {
        if self.status.is_none() {
            self.kill();
        }
        self.wait()
    }

    fn kill(&mut self) {
        if self.has_own_group {
            platform::kill_group(&mut self.child);
        } else {
            // This fails only for a process that has ended.
            let _ = self.child.kill();
        }
    }

    /// Checks whether the process has ended. If so, the rest of its group is killed, so that the
    /// pipes close.
    fn check_ended(&mut self) {
        if self.ended_at.is_none() && platform::has_ended(&mut self.child) {
            self.kill();
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

impl Drop for Process {
    fn drop(&mut self) {
        // This fails only for a process that something else has reaped.
        let _ = self.reap();
    }
}

/// Reads a pipe into the channel, from a thread that ends with the pipe or the channel.
fn read_pipe(
    pipe: Option<impl Read + Send + 'static>,
    sender: SyncSender<OutputChunk>,
    wrap: fn(Vec<u8>) -> OutputChunk,
) {
    let Some(mut pipe) = pipe else { return };
    thread::spawn(move || {
        let mut buffer = vec![0; CHUNK_BYTES];
        loop {
            let chunk = match pipe.read(&mut buffer) {
                Ok(0) => return,
                Ok(length) => wrap(buffer[..length].to_vec()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => OutputChunk::ReadError(error),
            };
            let is_last = matches!(chunk, OutputChunk::ReadError(_));
            if sender.send(chunk).is_err() || is_last {
                return;
            }
        }
    });
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::ProcessCommand;

    /// Longer than any of these programs needs.
    const LONG: Duration = Duration::from_mins(1);

    fn shell(script: &str) -> ProcessCommand {
        let mut command = ProcessCommand::new(Path::new("/bin/sh")).expect("a shell");
        command.args(["-c", script]);
        command
    }

    /// All of stdout.
    fn output(process: &mut Process) -> String {
        let mut text = Vec::new();
        loop {
            match process.next_output(LONG) {
                ProcessOutput::Chunk(bytes) => text.extend(bytes),
                ProcessOutput::Waiting => {}
                ProcessOutput::ReadError(error) => panic!("{error}"),
                ProcessOutput::Closed => return String::from_utf8(text).expect("text"),
            }
        }
    }

    #[test]
    fn a_program_gets_only_the_variables_that_were_set() {
        let mut process = shell("echo $HOME$A; echo no >&2; exit 3").env("A", "1").spawn().unwrap();
        assert_eq!(output(&mut process), "1\n");
        assert_eq!(process.wait().unwrap().code(), Some(3));
        assert_eq!(process.stderr(), b"no\n");
    }

    #[test]
    fn input_is_empty_unless_a_pipe_was_opened() {
        assert_eq!(output(&mut shell("cat").spawn().unwrap()), "");
        let mut process = shell("cat").with_stdin().spawn().unwrap();
        process.write_all_input(vec![b'x'; 1 << 20]);
        assert_eq!(output(&mut process).len(), 1 << 20);
    }

    #[test]
    fn a_relative_program_is_refused() {
        let refused = ProcessCommand::new(Path::new("sh")).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::InvalidInput);
    }

    #[test]
    fn the_end_is_noticed_while_a_child_of_the_group_holds_the_pipes() {
        let mut process = shell("echo a; sleep 600 &").with_own_group().spawn().unwrap();
        let mut text = Vec::new();
        loop {
            match process.next_event(Duration::from_millis(5)) {
                ProcessEvent::Output(bytes) => text.extend(bytes),
                ProcessEvent::Idle => {}
                ProcessEvent::Ended => break,
            }
        }
        assert_eq!(text, b"a\n");
        assert_eq!(process.reap().unwrap().code(), Some(0));
    }

    #[test]
    fn a_process_that_is_reaped_while_it_runs_is_killed() {
        let mut process = shell("sleep 600").spawn().unwrap();
        assert_eq!(process.reap().unwrap().code(), None);
    }
}
