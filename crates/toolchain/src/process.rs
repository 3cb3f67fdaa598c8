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

use crate::find::Found;
use crate::host::Host;
use crate::platform;

/// How long we wait for output before the caller is asked whether they still do.
const PATIENCE: Duration = Duration::from_millis(20);

/// How long the pipes of a group that was killed may stay open; longer, and a daemon holds them.
const DRAIN: Duration = Duration::from_millis(500);

/// Output is read in pieces of this size; at most `PIECES` wait to be pulled.
const PIECE: usize = 64 << 10;
const PIECES: usize = 16;

/// As much as every pipe holds, so that feeding a process that does not read never blocks.
const MOST_FED: usize = 4 << 10;

/// Of what a program complains about, this much is kept.
const MOST_COMPLAINT: usize = 16 << 10;

enum Piece {
    Output(Vec<u8>),
    Complaint(Vec<u8>),
}

/// What a process did while we waited.
pub(crate) enum Event {
    /// It wrote this
    Output(Vec<u8>),
    /// Nothing to tell; ask whether the caller still waits
    Quiet,
    /// It ended, and all it wrote was pulled
    Ended,
}

/// A running process. Dropping it kills its group and reaps it.
pub(crate) struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
    fed: usize,
    pieces: Receiver<Piece>,
    complaint: Vec<u8>,
    /// Since when it has ended and the rest of its group was killed
    ended: Option<Instant>,
    status: Option<ExitStatus>,
}

impl Running {
    /// Starts a program in a folder.
    pub(crate) fn start<A: AsRef<OsStr>>(
        found: &Found,
        args: &[A],
        host: &Host,
        folder: &Path,
    ) -> io::Result<Self> {
        if !found.path.is_absolute() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path is not absolute"));
        }
        #[expect(clippy::disallowed_methods, reason = "this is where tools are started, cleaned")]
        let mut command = Command::new(&found.path);
        command.args(args).current_dir(folder).env_clear().envs(host.variables(found.origin));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        platform::set_apart(&mut command);
        command.spawn().map(Self::new)
    }

    fn new(mut child: Child) -> Self {
        let (sender, pieces) = sync_channel(PIECES);
        pump(child.stdout.take(), sender.clone(), Piece::Output);
        pump(child.stderr.take(), sender, Piece::Complaint);
        let stdin = child.stdin.take();
        Self { child, stdin, fed: 0, pieces, complaint: Vec::new(), ended: None, status: None }
    }

    /// Writes to its input; what is too much in all is left out. A process that does not read, or
    /// misses something, is found out by what it answers.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.fed += bytes.len();
        let fits = self.fed <= MOST_FED;
        if let Some(stdin) = self.stdin.as_mut().filter(|_| fits) {
            let _ = stdin.write_all(bytes);
        }
    }

    /// Closes its input.
    pub(crate) fn close(&mut self) {
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
    pub(crate) fn next(&mut self) -> Event {
        self.next_within(PATIENCE)
    }

    /// The same after a wait of some length.
    pub(crate) fn next_within(&mut self, patience: Duration) -> Event {
        match self.pieces.recv_timeout(patience) {
            Ok(Piece::Output(bytes)) => return Event::Output(bytes),
            Ok(Piece::Complaint(bytes)) => self.keep(&bytes),
            Err(RecvTimeoutError::Timeout) if self.is_drained() => return Event::Ended,
            Err(RecvTimeoutError::Timeout) => self.look(),
            Err(RecvTimeoutError::Disconnected) if self.ended.is_some() => return Event::Ended,
            Err(RecvTimeoutError::Disconnected) => {
                self.look();
                if self.ended.is_none() {
                    thread::sleep(PATIENCE); // it closed its pipes, so nothing else can wake us
                }
            }
        }
        Event::Quiet
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
    pub(crate) fn complaint(&self) -> &[u8] {
        &self.complaint
    }

    /// Notices its end. What it left behind is killed, so that the pipes close.
    fn look(&mut self) {
        if self.ended.is_none() && platform::has_ended(&mut self.child) {
            platform::kill_group(&mut self.child);
            self.ended = Some(Instant::now());
        }
    }

    fn is_drained(&self) -> bool {
        self.ended.is_some_and(|ended| ended.elapsed() >= DRAIN)
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = MOST_COMPLAINT.saturating_sub(self.complaint.len());
        self.complaint.extend(&bytes[..bytes.len().min(room)]);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // This fails only for a process that somebody else has reaped.
        let _ = self.reap();
    }
}

/// Moves what a pipe holds into the channel, from a thread that ends with the pipe or the channel.
fn pump(
    pipe: Option<impl Read + Send + 'static>,
    sender: SyncSender<Piece>,
    wrap: fn(Vec<u8>) -> Piece,
) {
    let Some(mut pipe) = pipe else { return };
    thread::spawn(move || {
        let mut buffer = vec![0; PIECE];
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
