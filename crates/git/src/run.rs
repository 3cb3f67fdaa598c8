//! A git process at work: its output is pulled while the caller waits, and it never outlives us.

use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use base::{Call, Code, Problem, Result};

use crate::command::About;
use crate::{failure, files};

/// How long we wait for output before asking whether the caller still does.
const PATIENCE: Duration = Duration::from_millis(20);

/// A git that writes nothing for so long is taken to be stuck, also where the caller has no
/// deadline. Git sorts the commits of the largest repositories in a fraction of this.
const SILENCE: Duration = Duration::from_mins(3);

/// A git that writes nothing for so long may be waiting for a pipe where a file should be: its files
/// are looked at.
const SUSPICION: Duration = Duration::from_secs(2);

/// Output is read in pieces of this size; at most `PIECES` wait to be pulled.
const PIECE: usize = 64 << 10;
const PIECES: usize = 64;

/// More output than this in one answer is refused: no repository we can serve has so much.
const MOST_OUTPUT: usize = 1 << 30;

/// Of what git complains about, this much is kept.
const MOST_COMPLAINT: usize = 16 << 10;

enum Piece {
    Output(Vec<u8>),
    Complaint(Vec<u8>),
    Broken(io::Error),
}

/// A running git. Dropping it kills and reaps it.
pub(crate) struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
    pieces: Receiver<Piece>,
    complaint: Vec<u8>,
    about: About,
    /// How long it may write nothing
    silence: Duration,
}

/// What a git that ended left behind.
pub(crate) struct Done {
    status: ExitStatus,
    output: Vec<u8>,
    complaint: Vec<u8>,
    about: About,
}

impl Running {
    pub(crate) fn new(mut child: Child, about: About) -> Self {
        let (sender, pieces) = sync_channel(PIECES);
        pump(child.stdout.take(), sender.clone(), Piece::Output);
        pump(child.stderr.take(), sender, Piece::Complaint);
        let stdin = child.stdin.take();
        Self { child, stdin, pieces, complaint: Vec::new(), about, silence: SILENCE }
    }

    /// Writes to its input. Callers feed little at a time, so that it never waits for us in turn.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> io::Result<()> {
        let stdin = self.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        stdin.write_all(bytes).and_then(|()| stdin.flush())
    }

    /// Writes all of its input from a thread of its own, which ends with the process, and closes it.
    pub(crate) fn fed_with(mut self, bytes: Vec<u8>) -> Self {
        if let Some(mut stdin) = self.stdin.take() {
            // What cannot be written any more was not needed: the process has ended.
            thread::spawn(move || stdin.write_all(&bytes));
        }
        self
    }

    /// The next piece of output; `None` when there will be no more.
    pub(crate) fn pull(&mut self, call: &Call) -> Result<Option<Vec<u8>>> {
        let start = Instant::now();
        let mut is_suspected = false;
        loop {
            call.go_on()?;
            if start.elapsed() > self.silence {
                return Err(stuck(&self.about, self.silence));
            }
            if !is_suspected && start.elapsed() > SUSPICION {
                is_suspected = true;
                let dirs = &self.about.git_dirs;
                if let Some(file) = dirs.iter().find_map(|dir| files::awaited_by_git(dir)) {
                    return Err(waiting(&self.about, &file));
                }
            }
            match self.pieces.recv_timeout(PATIENCE) {
                Ok(Piece::Output(bytes)) => return Ok(Some(bytes)),
                Ok(Piece::Complaint(bytes)) => self.keep(&bytes),
                Ok(Piece::Broken(error)) => return Err(failure::not_read(&self.about, error)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
            }
        }
    }

    /// Takes what is left, up to its end.
    pub(crate) fn finish(mut self, call: &Call) -> Result<Done> {
        self.reap(call)
    }

    /// Closes its input, takes what is left, and waits for its end.
    pub(crate) fn reap(&mut self, call: &Call) -> Result<Done> {
        self.stdin = None;
        let mut output = Vec::new();
        while let Some(bytes) = self.pull(call)? {
            output.extend(bytes);
            if output.len() > MOST_OUTPUT {
                return Err(too_much(&self.about));
            }
        }
        // Both pipes are closed, so git has ended or is about to.
        let status = self.child.wait().map_err(|error| failure::not_read(&self.about, error))?;
        let (complaint, about) = (std::mem::take(&mut self.complaint), self.about.clone());
        Ok(Done { status, output, complaint, about })
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = MOST_COMPLAINT.saturating_sub(self.complaint.len());
        self.complaint.extend(&bytes[..bytes.len().min(room)]);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail only for a process that was reaped already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Done {
    /// The output of a call that must succeed.
    pub(crate) fn output(self) -> Result<Vec<u8>> {
        if self.status.success() { Ok(self.output) } else { Err(self.problem()) }
    }

    /// The output of a question; `None` when git answers no: status 1, and nothing on stderr.
    pub(crate) fn answer(self) -> Result<Option<Vec<u8>>> {
        if self.status.code() == Some(1) && self.complaint.is_empty() {
            return Ok(None);
        }
        self.output().map(Some)
    }

    /// What went wrong.
    pub(crate) fn problem(&self) -> Problem {
        failure::ended(&self.about, self.status, &self.complaint)
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
            let piece = match pipe.read(&mut buffer) {
                Ok(0) => return,
                Ok(length) => wrap(buffer[..length].to_vec()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => Piece::Broken(error),
            };
            let broken = matches!(piece, Piece::Broken(_));
            if sender.send(piece).is_err() || broken {
                return;
            }
        }
    });
}

fn too_much(about: &About) -> Problem {
    let most = MOST_OUTPUT >> 20;
    Problem::new(Code::Unavailable, format!("git {} wrote more than {most} MiB", about.verb))
        .hint("the repository is too large to be served")
        .detail("limit_bytes", MOST_OUTPUT)
}

fn waiting(about: &About, file: &Path) -> Problem {
    let name = file.display();
    let message = format!("git {} was ended: {name} is not a regular file", about.verb);
    Problem::new(Code::Io, message).hint("look at what it is; git waited for it")
}

fn stuck(about: &About, silence: Duration) -> Problem {
    let seconds = silence.as_secs();
    let message = format!("git {} wrote nothing for {seconds} seconds and was ended", about.verb);
    Problem::new(Code::Timeout, message)
        .hint("the disk of .git may not answer; `git fsck` looks at all of it")
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::command::Git;
    use crate::host::Host;

    #[test]
    fn a_git_that_says_nothing_is_ended() {
        let temp = tempfile::tempdir().unwrap();
        // It waits for an input that nobody closes.
        std::os::unix::fs::symlink("/bin/cat", temp.path().join("git")).unwrap();
        let path = temp.path().as_os_str().to_owned();
        let host = Host::find([("PATH".into(), path)]).unwrap();
        let mut running = Git::outside(&host, temp.path()).unwrap().fed().start().unwrap();
        running.silence = Duration::ZERO;
        let call = Call::new("test", jiff::Timestamp::UNIX_EPOCH);
        assert_eq!(running.pull(&call).unwrap_err().code, Code::Timeout);
    }

    #[test]
    fn no_git_is_started_that_would_wait_for_the_settings_of_the_user() {
        let temp = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/bin/cat", temp.path().join("git")).unwrap();
        let at = |name: &str| (name.into(), temp.path().as_os_str().to_owned());
        let host = Host::find([at("PATH"), at("HOME")]).unwrap();
        let settings = temp.path().join(".gitconfig");
        std::os::unix::fs::symlink("/dev/null", &settings).unwrap();
        assert!(Git::outside(&host, temp.path()).is_ok());
        std::fs::remove_file(&settings).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(&settings).unwrap();
        assert_eq!(Git::outside(&host, temp.path()).err().map(|e| e.code), Some(Code::Io));
    }

    #[test]
    fn a_git_that_waits_for_a_pipe_is_ended_and_the_pipe_is_named() {
        let temp = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/bin/cat", temp.path().join("git")).unwrap();
        let host = Host::find([("PATH".into(), temp.path().as_os_str().to_owned())]).unwrap();
        let mut running = Git::outside(&host, temp.path()).unwrap().fed().start().unwrap();
        let folder = temp.path().join("refs/heads");
        std::fs::create_dir_all(&folder).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(folder.join("other")).unwrap();
        running.about.git_dirs = vec![temp.path().to_path_buf()];
        let call = Call::new("test", jiff::Timestamp::UNIX_EPOCH);
        let problem = running.pull(&call).unwrap_err();
        assert_eq!(problem.code, Code::Io);
        assert!(problem.message.ends_with("refs/heads/other is not a regular file"), "{problem}");
    }
}
