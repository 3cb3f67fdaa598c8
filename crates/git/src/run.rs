//! A git process at work: its output is pulled while the caller waits, and it never outlives us.

use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use base::{Call, Problem, ProblemCode, Result};

use crate::command::GitCallInfo;
use crate::{failure, files};

/// How long we wait for output before asking whether the caller still does.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A git that writes nothing for so long is taken to be stuck, also where the caller has no
/// deadline. Git sorts the commits of the largest repositories in a fraction of this.
const MAX_SILENCE: Duration = Duration::from_mins(3);

/// A git that writes nothing for so long may be waiting for a pipe where a file should be: its files
/// are looked at.
const BLOCKED_CHECK_DELAY: Duration = Duration::from_secs(2);

/// Output is read in pieces of this size; at most `MAX_QUEUED_CHUNKS` wait to be pulled.
const CHUNK_BYTES: usize = 64 << 10;
const MAX_QUEUED_CHUNKS: usize = 64;

/// More output than this in one answer is refused: no repository we can serve has so much.
const MAX_OUTPUT_BYTES: usize = 1 << 30;

/// Of what git complains about, this much is kept.
const MAX_STDERR_BYTES: usize = 16 << 10;

enum GitOutputChunk {
    Stdout(Vec<u8>),
    Stderr(Vec<u8>),
    ReadError(io::Error),
}

/// A running git. Dropping it kills and reaps it.
pub(crate) struct GitProcess {
    child: Child,
    stdin: Option<ChildStdin>,
    chunks: Receiver<GitOutputChunk>,
    stderr: Vec<u8>,
    info: GitCallInfo,
    /// How long it may write nothing
    max_silence: Duration,
}

/// What a git that ended left behind.
pub(crate) struct GitOutput {
    status: ExitStatus,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    info: GitCallInfo,
}

impl GitProcess {
    pub(crate) fn new(mut child: Child, info: GitCallInfo) -> Self {
        let (sender, chunks) = sync_channel(MAX_QUEUED_CHUNKS);
        pump(child.stdout.take(), sender.clone(), GitOutputChunk::Stdout);
        pump(child.stderr.take(), sender, GitOutputChunk::Stderr);
        let stdin = child.stdin.take();
        Self { child, stdin, chunks, stderr: Vec::new(), info, max_silence: MAX_SILENCE }
    }

    /// Writes to its input. Callers feed little at a time, so that it never waits for us in turn.
    pub(crate) fn write_input(&mut self, bytes: &[u8]) -> io::Result<()> {
        let stdin = self.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        stdin.write_all(bytes).and_then(|()| stdin.flush())
    }

    /// Writes all of its input from a thread of its own, which ends with the process, and closes it.
    pub(crate) fn with_input(mut self, bytes: Vec<u8>) -> Self {
        if let Some(mut stdin) = self.stdin.take() {
            // What cannot be written any more was not needed: the process has ended.
            thread::spawn(move || stdin.write_all(&bytes));
        }
        self
    }

    /// The next piece of output; `None` when there will be no more.
    pub(crate) fn read_chunk(&mut self, call: &Call) -> Result<Option<Vec<u8>>> {
        let start = Instant::now();
        let mut is_suspected = false;
        loop {
            call.check_stopped()?;
            if start.elapsed() > self.max_silence {
                return Err(silent_too_long(&self.info, self.max_silence));
            }
            if !is_suspected && start.elapsed() > BLOCKED_CHECK_DELAY {
                is_suspected = true;
                let dirs = &self.info.git_dirs;
                if let Some(file) = dirs.iter().find_map(|dir| files::find_blocking_file(dir)) {
                    return Err(blocked_on_file(&self.info, &file));
                }
            }
            match self.chunks.recv_timeout(POLL_INTERVAL) {
                Ok(GitOutputChunk::Stdout(bytes)) => return Ok(Some(bytes)),
                Ok(GitOutputChunk::Stderr(bytes)) => self.keep_stderr(&bytes),
                Ok(GitOutputChunk::ReadError(error)) => {
                    return Err(failure::read_failed(&self.info, error));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
            }
        }
    }

    /// Takes what is left, up to its end.
    pub(crate) fn finish(mut self, call: &Call) -> Result<GitOutput> {
        self.wait_for_exit(call)
    }

    /// Closes its input, takes what is left, and waits for its end.
    pub(crate) fn wait_for_exit(&mut self, call: &Call) -> Result<GitOutput> {
        self.stdin = None;
        let mut output = Vec::new();
        while let Some(bytes) = self.read_chunk(call)? {
            output.extend(bytes);
            if output.len() > MAX_OUTPUT_BYTES {
                return Err(output_too_large(&self.info));
            }
        }
        // Both pipes are closed, so git has ended or is about to.
        let status = self.child.wait().map_err(|error| failure::read_failed(&self.info, error))?;
        let (complaint, about) = (std::mem::take(&mut self.stderr), self.info.clone());
        Ok(GitOutput { status, stdout: output, stderr: complaint, info: about })
    }

    fn keep_stderr(&mut self, bytes: &[u8]) {
        let room = MAX_STDERR_BYTES.saturating_sub(self.stderr.len());
        self.stderr.extend(&bytes[..bytes.len().min(room)]);
    }
}

impl Drop for GitProcess {
    fn drop(&mut self) {
        // Both fail only for a process that was reaped already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl GitOutput {
    /// The output of a call that must succeed.
    pub(crate) fn output(self) -> Result<Vec<u8>> {
        if self.status.success() { Ok(self.stdout) } else { Err(self.problem()) }
    }

    /// The output of a question; `None` when git answers no: status 1, and nothing on stderr.
    pub(crate) fn optional_output(self) -> Result<Option<Vec<u8>>> {
        if self.status.code() == Some(1) && self.stderr.is_empty() {
            return Ok(None);
        }
        self.output().map(Some)
    }

    /// What went wrong.
    pub(crate) fn problem(&self) -> Problem {
        failure::call_failed(&self.info, self.status, &self.stderr)
    }
}

/// Moves what a pipe holds into the channel, from a thread that ends with the pipe or the channel.
fn pump(
    pipe: Option<impl Read + Send + 'static>,
    sender: SyncSender<GitOutputChunk>,
    wrap: fn(Vec<u8>) -> GitOutputChunk,
) {
    let Some(mut pipe) = pipe else { return };
    thread::spawn(move || {
        let mut buffer = vec![0; CHUNK_BYTES];
        loop {
            let piece = match pipe.read(&mut buffer) {
                Ok(0) => return,
                Ok(length) => wrap(buffer[..length].to_vec()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => GitOutputChunk::ReadError(error),
            };
            let broken = matches!(piece, GitOutputChunk::ReadError(_));
            if sender.send(piece).is_err() || broken {
                return;
            }
        }
    });
}

fn output_too_large(about: &GitCallInfo) -> Problem {
    let most = MAX_OUTPUT_BYTES >> 20;
    Problem::new(ProblemCode::Unavailable, format!("git {} wrote more than {most} MiB", about.verb))
        .hint("the repository is too large to be served")
        .detail("limit_bytes", MAX_OUTPUT_BYTES)
}

fn blocked_on_file(about: &GitCallInfo, file: &Path) -> Problem {
    let name = file.display();
    let message = format!("git {} was ended: {name} is not a regular file", about.verb);
    Problem::new(ProblemCode::Io, message).hint("look at what it is; git waited for it")
}

fn silent_too_long(about: &GitCallInfo, silence: Duration) -> Problem {
    let seconds = silence.as_secs();
    let message = format!("git {} wrote nothing for {seconds} seconds and was ended", about.verb);
    Problem::new(ProblemCode::Timeout, message)
        .hint("the disk of .git may not answer; `git fsck` looks at all of it")
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::command::GitCommand;
    use crate::host::GitHost;

    #[test]
    fn a_git_that_says_nothing_is_ended() {
        let temp = tempfile::tempdir().unwrap();
        // It waits for an input that nobody closes.
        std::os::unix::fs::symlink("/bin/cat", temp.path().join("git")).unwrap();
        let path = temp.path().as_os_str().to_owned();
        let host = GitHost::find([("PATH".into(), path)]).unwrap();
        let mut running = GitCommand::without_repository(&host, temp.path())
            .unwrap()
            .with_stdin()
            .start()
            .unwrap();
        running.max_silence = Duration::ZERO;
        let call = Call::new("test", jiff::Timestamp::UNIX_EPOCH);
        assert_eq!(running.read_chunk(&call).unwrap_err().code, ProblemCode::Timeout);
    }

    #[test]
    fn no_git_is_started_that_would_wait_for_the_settings_of_the_user() {
        let temp = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/bin/cat", temp.path().join("git")).unwrap();
        let at = |name: &str| (name.into(), temp.path().as_os_str().to_owned());
        let host = GitHost::find([at("PATH"), at("HOME")]).unwrap();
        let settings = temp.path().join(".gitconfig");
        std::os::unix::fs::symlink("/dev/null", &settings).unwrap();
        assert!(GitCommand::without_repository(&host, temp.path()).is_ok());
        std::fs::remove_file(&settings).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(&settings).unwrap();
        assert_eq!(
            GitCommand::without_repository(&host, temp.path()).err().map(|e| e.code),
            Some(ProblemCode::Io)
        );
    }

    #[test]
    fn a_git_that_waits_for_a_pipe_is_ended_and_the_pipe_is_named() {
        let temp = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/bin/cat", temp.path().join("git")).unwrap();
        let host = GitHost::find([("PATH".into(), temp.path().as_os_str().to_owned())]).unwrap();
        let mut running = GitCommand::without_repository(&host, temp.path())
            .unwrap()
            .with_stdin()
            .start()
            .unwrap();
        let folder = temp.path().join("refs/heads");
        std::fs::create_dir_all(&folder).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(folder.join("other")).unwrap();
        running.info.git_dirs = vec![temp.path().to_path_buf()];
        let call = Call::new("test", jiff::Timestamp::UNIX_EPOCH);
        let problem = running.read_chunk(&call).unwrap_err();
        assert_eq!(problem.code, ProblemCode::Io);
        assert!(problem.message.ends_with("refs/heads/other is not a regular file"), "{problem}");
    }
}
