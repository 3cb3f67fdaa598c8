//! A folder into which copies of repositories are put one after the other, always at the same path:
//! trust is recorded by path, and a copy must behave like the original.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

/// One repository with the home folder of its user.
pub(crate) struct Sandbox {
    folder: TempDir,
}

impl Sandbox {
    /// An empty place, and beside it a copy of a repository as the first state to go back to.
    pub(crate) fn with_seed(root: &Path, first: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let sandbox = Self { folder };
        let kept = sandbox.saved_path(first);
        fs::create_dir_all(kept.join("home")).expect("a folder");
        copy(root, &kept.join("repo"));
        sandbox
    }

    /// Keeps what is here now under a name.
    pub(crate) fn save(&self, name: &str) {
        copy(&self.folder.path().join("work"), &self.saved_path(name));
    }

    /// Forgets what was kept under a name.
    pub(crate) fn discard(&self, name: &str) {
        let _ = fs::remove_dir_all(self.saved_path(name));
    }

    /// The folder of everything; what is worked on is in `work` below it.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Puts back what was kept under a name.
    pub(crate) fn restore(&self, name: &str) {
        let work = self.folder.path().join("work");
        let _ = fs::remove_dir_all(&work);
        copy(&self.saved_path(name), &work);
    }

    fn saved_path(&self, name: &str) -> PathBuf {
        self.folder.path().join("kept").join(name)
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("work/repo")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("work/home")
    }

    /// A command line of the binary, as one user with a home of their own.
    #[expect(clippy::disallowed_methods, reason = "the binary under proof")]
    pub(crate) fn command(&self, binary: &Path, words: &[String]) -> Command {
        let mut command = Command::new(binary);
        command.arg("-C").arg(self.root()).args(words).args(["--actor", "tester", "--json"]);
        command.env("HOME", self.home()).env("XDG_CONFIG_HOME", self.home());
        command.env_remove("XDG_DATA_HOME").env_remove("XDG_STATE_HOME");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, binary: &Path, words: &[String]) -> Output {
        self.command(binary, words).output().expect("the binary starts")
    }

    /// The time that files written now are given.
    pub(crate) fn current_file_time(&self) -> SystemTime {
        let file = self.folder.path().join("now");
        let written = fs::write(&file, "now").and_then(|()| fs::metadata(&file)?.modified());
        written.expect("a file has a time")
    }

    /// How long after `begin` the first and the last file was written; nothing if none was.
    pub(crate) fn write_window(&self, begin: SystemTime) -> Option<(Duration, Duration)> {
        let files = files_below(&self.folder.path().join("work")).into_iter();
        let time = |file: PathBuf| fs::metadata(file).and_then(|known| known.modified()).ok();
        let times = files.filter_map(time).filter_map(|time| time.duration_since(begin).ok());
        let times: Vec<Duration> = times.filter(|since| !since.is_zero()).collect();
        Some((*times.iter().min()?, *times.iter().max()?))
    }
}

/// Copies a folder with its times, links and modes.
#[expect(clippy::disallowed_methods, reason = "cp keeps times, links and modes")]
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to.parent().unwrap_or(to)).expect("a folder");
    let copied = Command::new("cp").arg("-a").arg(from).arg(to).status();
    assert!(copied.is_ok_and(|status| status.success()), "{} can be copied", from.display());
}

/// Every regular file below a folder.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => found.extend(files_below(&entry.path())),
            Ok(kind) if kind.is_file() => found.push(entry.path()),
            _ => {}
        }
    }
    found
}
