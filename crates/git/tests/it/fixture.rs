//! Real repositories, made by git with a fixed author and clock.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use base::Call;
use git::{GitHost, Repo, RepoLayout, RepoLocation, discover};
use jiff::Timestamp;
use tempfile::TempDir;

/// A folder with repositories in it, and a home of its own.
pub(crate) struct Fixture {
    _temp: TempDir,
    /// The folder, resolved
    pub(crate) root: PathBuf,
}

impl Fixture {
    /// An empty folder.
    pub(crate) fn empty() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        fs::create_dir(root.join("home")).unwrap();
        Self { _temp: temp, root }
    }

    /// A repository `r` with one commit.
    pub(crate) fn new() -> Self {
        let fixture = Self::empty();
        fixture.git("", &["init", "-q", "-b", "main", "r"]);
        fixture.commit("r", "a.txt", b"one\n");
        fixture
    }

    /// Runs git, which must succeed, and gives what it wrote.
    pub(crate) fn git(&self, folder: &str, args: &[&str]) -> String {
        let output = self.try_git(folder, args);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {args:?}: {said}");
        String::from_utf8_lossy(&output.stdout).trim_end().into()
    }

    /// Runs git, whether it succeeds or not.
    #[expect(clippy::disallowed_methods, reason = "tests make their repositories with git")]
    pub(crate) fn try_git(&self, folder: &str, args: &[&str]) -> Output {
        let mut command = Command::new(self.host().program);
        command.current_dir(self.root.join(folder)).args(args).env_clear();
        command.envs(self.host().env).env("GIT_EDITOR", "true").env("GIT_CONFIG_NOSYSTEM", "1");
        for who in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{who}_NAME"), "A").env(format!("GIT_{who}_EMAIL"), "a@b.c");
            command.env(format!("GIT_{who}_DATE"), "2026-01-02T03:04:05Z");
        }
        command.output().unwrap()
    }

    /// Writes a file below a repository.
    pub(crate) fn write(&self, folder: &str, name: impl AsRef<OsStr>, bytes: &[u8]) {
        let path = self.root.join(folder).join(Path::new(name.as_ref()));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Writes a file and commits everything; gives the commit's name.
    pub(crate) fn commit(&self, folder: &str, name: impl AsRef<OsStr>, bytes: &[u8]) -> String {
        self.write(folder, name, bytes);
        self.git(folder, &["add", "-A"]);
        self.git(folder, &["commit", "-q", "-m", "a change"]);
        self.git(folder, &["rev-parse", "HEAD"])
    }

    /// The machine's git, with an empty home folder.
    #[expect(clippy::disallowed_methods, reason = "a test finds git where its user has it")]
    pub(crate) fn host(&self) -> GitHost {
        let path = std::env::var_os("PATH").unwrap();
        let home = self.root.join("home").into_os_string();
        GitHost::find([("PATH".into(), path), ("HOME".into(), home)]).unwrap()
    }

    /// Where a worktree's parts are.
    pub(crate) fn layout(&self, folder: &str) -> RepoLayout {
        match discover(&self.root.join(folder)).unwrap() {
            RepoLocation::Worktree(layout) => layout,
            place => panic!("{place:?}"),
        }
    }

    /// An open worktree.
    pub(crate) fn repo(&self, folder: &str) -> Repo {
        Repo::open(self.host(), self.layout(folder)).unwrap()
    }
}

/// A call that is never stopped.
pub(crate) fn call() -> Call {
    Call::new("test", Timestamp::UNIX_EPOCH)
}
