//! Anything but a regular file, at every path that cairn or its git opens: opening a pipe waits for
//! its other end, and reading `/dev/zero` never ends.
//!
//! The paths are every file of a repository where cairn keeps everything that it can keep, its
//! user's settings included, and files that are only there sometimes.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};

use super::client::{self, TimedMcpClient};
use super::{LimitCase, LimitTrial};
use crate::TestRepo;
use crate::sandbox::{Sandbox, files_below};
use crate::soak::SeededRng;

/// What is put in the place of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// A named pipe
    Pipe,
    /// A link to a named pipe
    PipeLink,
    /// A socket
    Socket,
    /// A link to a device that can be read forever
    DeviceLink,
    /// A device that can be read without end; only root can create one
    Device,
}

impl Obstacle {
    /// All kinds of obstacles.
    pub const ALL: [Self; 5] =
        [Self::Pipe, Self::PipeLink, Self::Socket, Self::DeviceLink, Self::Device];

    /// Puts the obstacle at a path. Returns false if that is not possible.
    fn place(self, path: &Path, aside: &Path) -> bool {
        let make = |path: &Path, kind: FileType, device: u64| {
            mknodat(CWD, path, kind, Mode::from_raw_mode(0o600), device).is_ok()
        };
        match self {
            Self::Pipe => make(path, FileType::Fifo, 0),
            Self::PipeLink => make(aside, FileType::Fifo, 0) && symlink(aside, path).is_ok(),
            Self::Socket => UnixListener::bind(path).is_ok(),
            Self::DeviceLink => symlink("/dev/zero", path).is_ok(),
            Self::Device => make(path, FileType::CharacterDevice, makedev(1, 5)),
        }
    }
}

/// The name of the repository that each path starts from.
const SEED: &str = "seed";

/// Files that do not exist in every repository but are opened if they do.
const OPTIONAL_FILES: [&str; 24] = [
    "repo/.git/commondir",
    "repo/.git/config.worktree",
    "repo/.git/shallow",
    "repo/.git/packed-refs",
    "repo/.git/reftable",
    "repo/.git/MERGE_HEAD",
    "repo/.git/info/attributes",
    "repo/.git/info/grafts",
    "repo/.git/info/sparse-checkout",
    "repo/.git/objects/info/alternates",
    "repo/.git/objects/info/commit-graph",
    "repo/.git/refs/remotes/origin/HEAD",
    "repo/.git/refs/heads/another",
    "repo/.git/refs/tags/v1",
    "repo/.git/cairn/work.sqlite-wal",
    "repo/.git/cairn/work.sqlite-shm",
    "repo/.git/cairn/work.sqlite-journal",
    "repo/.git/cairn/http-token",
    "repo/.git/cairn/journal/pending-99/entry.json",
    "repo/.gitmodules",
    "repo/.gitattributes",
    "repo/.cairn/baseline.json",
    "repo/vendor/.git",
    "home/git/config",
];

const FIXTURE: &str = "
//- cairn.jsonc
{}
//- .gitignore
target/
//- src/.gitignore
*.log
//- src/a.ts
export function greet() {}
//- package.json
{\"name\": \"p\"}
//- tsconfig.json
{}
//- docs/adr/1.md
---
id: ADR-1
title: T
status: accepted
---
";

/// The command lines that are run with each obstacle.
const QUESTIONS: [&[&str]; 10] = [
    &["status"],
    &["search", "greet"],
    &["verify"],
    &["doctor"],
    &["kb", "branches"],
    &["card", "create", "spec::made", "--summary", "Made"],
    &["kb", "upsert", r#"{"entities": [{"id": "FACT-9", "type": "fact", "title": "y"}]}"#],
    &["work", "create", "task", "made"],
    &["share"],
    &["trust"],
];

pub(super) fn try_paths(trial: &mut LimitTrial<'_>) {
    let sandbox = seed_sandbox(trial.binary);
    let mut paths = paths(&sandbox);
    let mut dice = SeededRng::new(trial.amounts.seed);
    while paths.len() > trial.amounts.paths {
        paths.swap_remove(dice.below(paths.len()));
    }
    sandbox.restore(SEED);
    let usual_memory =
        ObstructedRepo { trial, sandbox: &sandbox, what: "nothing in the way" }.ask();
    let usual_memory = usual_memory.memory;
    for obstacle in trial.amounts.obstacles.clone() {
        let mut all = LimitCase { usual_memory, ..LimitCase::new(String::new()) };
        let mut tried = 0;
        for path in &paths {
            sandbox.restore(SEED);
            let aside = sandbox.folder().join("work/aside");
            if !replace(obstacle, &sandbox.folder().join("work").join(path), &aside) {
                continue;
            }
            tried += 1;
            let what = format!("{obstacle:?} at {}", path.display());
            (trial.tell)(&what);
            all.add(&ObstructedRepo { trial, sandbox: &sandbox, what: &what }.ask());
        }
        all.name = format!("{obstacle:?} at each of {tried} paths");
        trial.record_case(all);
    }
}

/// Replaces a file with an obstacle.
fn replace(obstacle: Obstacle, path: &Path, aside: &Path) -> bool {
    let _ = fs::remove_file(path);
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).is_ok() && obstacle.place(path, aside)
}

/// A repository with everything that cairn stores: cards, shared records, stores, hooks and trust.
fn seed_sandbox(binary: &Path) -> Sandbox {
    let repo = TestRepo::new(FIXTURE);
    repo.git(&["branch", "other"]);
    repo.git(&["worktree", "add", "-q", "--detach", "linked"]);
    let sandbox = Sandbox::with_seed(&repo.root(), SEED);
    sandbox.restore(SEED);
    let lines: [&[&str]; 9] = [
        &["init", "--agents", "all"],
        &["card", "create", "spec::first", "--summary", "First"],
        &["kb", "upsert", r#"{"entities": [{"id": "FACT-1", "type": "fact", "title": "x"}]}"#],
        &["work", "create", "project", "P"],
        &["share"],
        &["backup"],
        &["trust"],
        &["history", "snapshot"],
        &["sync"],
    ];
    for words in lines {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let output = sandbox.run(binary, &words);
        assert!(output.status.success(), "{words:?}: {output:?}");
    }
    sandbox.discard(SEED);
    sandbox.save(SEED);
    sandbox
}

/// All paths below the sandbox, sorted.
fn paths(sandbox: &Sandbox) -> Vec<PathBuf> {
    let work = sandbox.folder().join("work");
    let files = files_below(&work).into_iter();
    let there = files.filter_map(|file| file.strip_prefix(&work).map(Path::to_path_buf).ok());
    let mut paths: Vec<PathBuf> = there.chain(OPTIONAL_FILES.map(PathBuf::from)).collect();
    paths.sort();
    paths.dedup();
    paths
}

/// A repository with something in the way.
struct ObstructedRepo<'o, 't> {
    trial: &'o mut LimitTrial<'t>,
    sandbox: &'o Sandbox,
    what: &'o str,
}

impl ObstructedRepo<'_, '_> {
    /// Runs all questions once, as commands and on a server.
    fn ask(self) -> LimitCase {
        let mut case = LimitCase::new(self.what.to_owned());
        let (root, home) = (self.sandbox.root(), self.sandbox.home());
        for words in QUESTIONS {
            let outcome = client::run(self.trial.binary, &root, &home, words);
            if let Some(told) = outcome.failure_reason() {
                self.trial.record_failure(format!("{}: {words:?}: {told}", self.what));
            }
            case.count(outcome.memory, outcome.took);
            if outcome.printed.is_none() {
                return case; // the others would hang as long
            }
        }
        let begin = Instant::now();
        let mut server = TimedMcpClient::start(self.trial.binary, &root, &home);
        if !server.ask("status") && !server.has_ended() {
            self.trial.record_failure(format!("{}: the server does not answer", self.what));
        }
        case.count(server.peak_memory(), begin.elapsed());
        case
    }
}

impl LimitCase {
    /// A case without figures yet.
    pub(super) fn new(name: String) -> Self {
        Self { name, calls: 0, usual_memory: 0, memory: 0, longest: Duration::ZERO }
    }

    /// Adds one call to the measurements.
    pub(super) fn count(&mut self, memory: u64, took: Duration) {
        self.calls += 1;
        self.memory = self.memory.max(memory);
        self.longest = self.longest.max(took);
    }

    /// Adds the calls of another case.
    fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.memory = self.memory.max(other.memory);
        self.longest = self.longest.max(other.longest);
    }
}
