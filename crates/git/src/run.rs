//! A running git process: limits on its silence and its output, and the meaning of its exit status.

use std::io;
use std::path::Path;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use base::{Call, Problem, ProblemCode, Result};
use process::{Process, ProcessOutput};

use crate::command::GitCallInfo;
use crate::{failure, files};

/// How long to wait for output before checking whether the call was stopped.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A git that writes nothing for this long is considered stuck, even if the call has no deadline.
/// Git sorts the commits of the largest repositories in a fraction of this.
const MAX_SILENCE: Duration = Duration::from_mins(3);

/// A git that writes nothing for this long may be blocked on a pipe in place of a file, so its
/// files are checked.
const BLOCKED_CHECK_DELAY: Duration = Duration::from_secs(2);

/// Maximum output of one call, in bytes. No repository that cairn supports needs as much.
const MAX_OUTPUT_BYTES: usize = 1 << 30;

/// A running git. Dropping it kills and reaps it.
pub(crate) struct GitProcess {
    process: Process,
    info: GitCallInfo,
    /// How long it may write nothing
    max_silence: Duration,
}

/// The output and exit status of a git that has ended.
pub(crate) struct GitOutput {
    status: ExitStatus,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    info: GitCallInfo,
}

impl GitProcess {
    pub(crate) const fn new(process: Process, info: GitCallInfo) -> Self {
        Self { process, info, max_silence: MAX_SILENCE }
    }

    /// Writes to its input. Callers write little at a time, so that neither process waits for the
    /// other.
    pub(crate) fn write_input(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.process.write_input(bytes)
    }

    /// Writes the whole input from a separate thread and closes it.
    pub(crate) fn with_input(mut self, bytes: Vec<u8>) -> Self {
        self.process.write_all_input(bytes);
        self
    }

    /// The next part of the output; `None` at its end.
    pub(crate) fn read_chunk(&mut self, call: &Call) -> Result<Option<Vec<u8>>> {
        let start = Instant::now();
        let mut has_checked_files = false;
        loop {
            call.check_stopped()?;
            if start.elapsed() > self.max_silence {
                return Err(silent_too_long(&self.info, self.max_silence));
            }
            if !has_checked_files && start.elapsed() > BLOCKED_CHECK_DELAY {
                has_checked_files = true;
                let dirs = &self.info.git_dirs;
                if let Some(file) = dirs.iter().find_map(|dir| files::find_blocking_file(dir)) {
                    return Err(blocked_on_file(&self.info, &file));
                }
            }
            match self.process.next_output(POLL_INTERVAL) {
                ProcessOutput::Chunk(bytes) => return Ok(Some(bytes)),
                ProcessOutput::Waiting => {}
                ProcessOutput::ReadError(error) => {
                    return Err(failure::read_failed(&self.info, error));
                }
                ProcessOutput::Closed => return Ok(None),
            }
        }
    }

    /// Reads the rest of its output and waits for its end.
    pub(crate) fn finish(mut self, call: &Call) -> Result<GitOutput> {
        self.wait_for_exit(call)
    }

    /// Closes the input, reads the rest of the output, and waits for the process to end.
    pub(crate) fn wait_for_exit(&mut self, call: &Call) -> Result<GitOutput> {
        self.process.close_input();
        let mut output = Vec::new();
        while let Some(bytes) = self.read_chunk(call)? {
            output.extend(bytes);
            if output.len() > MAX_OUTPUT_BYTES {
                return Err(output_too_large(&self.info));
            }
        }
        let failed = |error| failure::read_failed(&self.info, error);
        let status = self.process.wait().map_err(failed)?;
        let (stderr, info) = (self.process.stderr().to_vec(), self.info.clone());
        Ok(GitOutput { status, stdout: output, stderr, info })
    }
}

impl GitOutput {
    /// The output of a call that must succeed.
    pub(crate) fn output(self) -> Result<Vec<u8>> {
        if self.status.success() { Ok(self.stdout) } else { Err(self.problem()) }
    }

    /// The output; `None` if git answers no, that is, with status 1 and an empty stderr.
    pub(crate) fn optional_output(self) -> Result<Option<Vec<u8>>> {
        if self.status.code() == Some(1) && self.stderr.is_empty() {
            return Ok(None);
        }
        self.output().map(Some)
    }

    /// The problem that the process ended with.
    pub(crate) fn problem(&self) -> Problem {
        failure::call_failed(&self.info, self.status, &self.stderr)
    }
}

fn output_too_large(about: &GitCallInfo) -> Problem {
    let most = MAX_OUTPUT_BYTES >> 20;
    Problem::new(ProblemCode::Unavailable, format!("git {} wrote more than {most} MiB", about.verb))
        .hint("the output of git exceeds the limit of cairn")
        .detail("limit_bytes", MAX_OUTPUT_BYTES)
}

fn blocked_on_file(about: &GitCallInfo, file: &Path) -> Problem {
    let name = file.display();
    let message = format!("git {} was ended: {name} is not a regular file", about.verb);
    Problem::new(ProblemCode::Io, message).hint("remove or replace it: git waited for it")
}

fn silent_too_long(about: &GitCallInfo, silence: Duration) -> Problem {
    let seconds = silence.as_secs();
    let message = format!("git {} wrote nothing for {seconds} seconds and was ended", about.verb);
    Problem::new(ProblemCode::Timeout, message)
        .hint("the disk of .git may not answer; `git fsck` looks at all of it")
}

#[cfg(test)]
#[cfg(unix)]
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
