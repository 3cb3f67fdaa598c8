//! A real repository in a folder of its own.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use engine::{AREAS, Area, Workspace, WorkspaceMode, WorkspaceOptions};
use tempfile::TempDir;
use tree::DiskWriter;

/// The time of every commit, unless a test sets another one.
const DATE: &str = "2026-01-02T03:04:05Z";

/// A repository that is removed with the test.
pub struct TestRepo {
    root: PathBuf,
    /// Removes the folder with the test; none if it is somebody else's
    _dir: Option<TempDir>,
    /// The settings of a user who has this repository alone
    home: Option<TempDir>,
    /// A folder with links to the only programs that cairn may find; the machine's if none
    programs: Option<TempDir>,
}

impl TestRepo {
    /// A git repository on `main` whose first commit holds the fixture.
    pub fn new(fixture: &str) -> Self {
        let repo = Self::without_git(fixture);
        repo.git(&["init", "-q", "-b", "main"]);
        repo.commit("start");
        crate::postgres::join_if_told(&repo);
        repo
    }

    /// A folder with the fixture, and no git.
    pub fn without_git(fixture: &str) -> Self {
        let dir = tempdir("cairn-test-");
        let root = dir.path().canonicalize().expect("the folder is there");
        let repo =
            Self { root, _dir: Some(dir), home: Some(tempdir("cairn-home-")), programs: None };
        for (path, text) in crate::parse_fixture(fixture) {
            repo.write(&path, &text);
        }
        repo
    }

    /// Hides the user's home and all programs except these from cairn, so that answers about
    /// installed tools are the same everywhere.
    #[must_use]
    pub fn with_programs(mut self, names: &[&str]) -> Self {
        let folder = tempdir("cairn-programs-");
        for name in names {
            let found = find_program(name).unwrap_or_else(|| panic!("{name} is installed"));
            std::os::unix::fs::symlink(found, folder.path().join(name)).expect("a link");
        }
        self.programs = Some(folder);
        self
    }

    /// A repository, or a worktree of one, that is already there.
    pub fn existing(root: &Path) -> Self {
        Self {
            root: root.canonicalize().expect("the folder is there"),
            _dir: None,
            home: None,
            programs: None,
        }
    }

    /// Where it is.
    pub fn root(&self) -> PathBuf {
        self.root.clone()
    }

    /// Writes a file, with the folders above it.
    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let file = self.root.join(path);
        fs::create_dir_all(file.parent().expect("a file is in a folder")).expect("folders");
        fs::write(file, text).expect("a file");
    }

    /// What a file holds; none if it is not there.
    pub fn read(&self, path: &str) -> Option<String> {
        fs::read(self.root.join(path)).ok().map(|b| String::from_utf8_lossy(&b).into_owned())
    }

    /// Removes a file or folder, if it is there.
    pub fn remove(&self, path: &str) {
        let path = self.root.join(path);
        let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    }

    /// Moves a file or folder.
    pub fn rename(&self, from: &str, to: &str) {
        let to = self.root.join(to);
        fs::create_dir_all(to.parent().expect("a file is in a folder")).expect("folders");
        fs::rename(self.root.join(from), to).expect("a move");
    }

    /// Every file with its bytes, `.git` and the cache aside: equal for equal trees.
    pub fn snapshot(&self) -> Vec<(String, Vec<u8>)> {
        let mut found = Vec::new();
        let mut folders = vec![self.root()];
        while let Some(folder) = folders.pop() {
            for entry in
                fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"))
            {
                let path = entry.path();
                let name = path.strip_prefix(self.root()).expect("below the root");
                let name = name.to_string_lossy().into_owned();
                if name == ".git" || name == ".cairn/cache" {
                    continue;
                }
                let kind = entry.file_type().expect("a kind");
                if kind.is_dir() {
                    folders.push(path);
                } else if kind.is_file() {
                    found.push((name, fs::read(path).expect("a file")));
                }
            }
        }
        found.sort();
        found
    }

    /// Runs git with a fixed author and time, and without the machine's own settings.
    pub fn git(&self, args: &[&str]) -> String {
        git(&self.root, args)
    }

    /// Commits everything there is.
    pub fn commit(&self, message: &str) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"]).trim().to_owned()
    }

    /// Commits everything there is at a given time, such as `2025-11-03T10:00:00Z`.
    pub fn commit_at(&self, date: &str, message: &str) {
        self.git(&["add", "-A"]);
        git_at(&self.root, date, &["commit", "-q", "--allow-empty", "-m", message]);
    }

    /// Opens it for one answer.
    pub fn workspace(&self) -> Workspace {
        self.open(WorkspaceMode::Once, DiskWriter::default(), AREAS)
    }

    /// Opens it as a test likes.
    pub fn open(&self, mode: WorkspaceMode, disk: DiskWriter, areas: &'static [Area]) -> Workspace {
        let trusted = self.home.as_ref().map(|home| home.path().join("trusted"));
        let mut env = environment();
        if let Some(folder) = &self.programs {
            env.retain(|(name, _)| name != "PATH");
            env.push(("PATH".into(), folder.path().into()));
            // Programs can be found through the home folder as well.
            env.retain(|(name, _)| name != "HOME");
            env.extend(self.home.as_ref().map(|home| ("HOME".into(), home.path().into())));
        }
        open(&self.root(), trusted, env, mode, disk, areas)
    }
}

fn tempdir(prefix: &str) -> TempDir {
    tempfile::Builder::new().prefix(prefix).tempdir().expect("a folder")
}

/// Opens the repository around a folder.
fn open(
    start: &Path,
    trusted: Option<PathBuf>,
    env: Vec<(OsString, OsString)>,
    mode: WorkspaceMode,
    disk: DiskWriter,
    areas: &'static [Area],
) -> Workspace {
    let host = git::GitHost::find(env.iter().cloned()).ok();
    let scratch = std::env::temp_dir();
    Workspace::open(WorkspaceOptions {
        start,
        host,
        env,
        scratch,
        trust_folder: trusted,
        mode,
        disk,
        areas,
        find_operation: |name| operations::ops::find(name).ok(),
    })
    .expect("a workspace")
}

/// Where the machine has a program. Version managers put scripts in the place of Python, which need
/// other programs, so Python itself says where it is.
#[expect(clippy::disallowed_methods, reason = "a test asks the machine for its programs")]
fn find_program(name: &str) -> Option<PathBuf> {
    if name == "python3" {
        let print = ["-c", "import sys; print(sys.executable, end='')"];
        let output = Command::new(name).args(print).output().ok()?;
        return Some(String::from_utf8(output.stdout).ok()?.into());
    }
    let path = environment().into_iter().find(|(key, _)| key == "PATH")?.1;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

#[expect(clippy::disallowed_methods, reason = "a test stands where a door would")]
fn environment() -> Vec<(OsString, OsString)> {
    std::env::vars_os().collect()
}

fn git(folder: &Path, args: &[&str]) -> String {
    git_at(folder, DATE, args)
}

#[expect(clippy::disallowed_methods, reason = "a test makes its own repositories")]
fn git_at(folder: &Path, date: &str, args: &[&str]) -> String {
    let output = Command::new("git")
        .current_dir(folder)
        .args(["-c", "protocol.file.allow=always", "-c", "commit.gpgSign=false"])
        .args(args)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .envs([("GIT_AUTHOR_NAME", "Ada"), ("GIT_AUTHOR_EMAIL", "ada@example.org")])
        .envs([("GIT_COMMITTER_NAME", "Ada"), ("GIT_COMMITTER_EMAIL", "ada@example.org")])
        .envs([("GIT_AUTHOR_DATE", date), ("GIT_COMMITTER_DATE", date)])
        .output()
        .expect("git runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {args:?} failed: {error}");
    text
}
