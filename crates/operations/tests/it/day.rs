//! A day of a working developer, replayed: after each step the index equals one built from scratch.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use engine::{AREAS, WorkspaceMode};
use testkit::soak::SeededRng;
use testkit::{TestRepo, call};
use tree::DiskWriter;

const PATHS: [&str; 8] = [
    "src/a.ts",
    "src/b.ts",
    "src/deep/c.rs",
    "lib/d.py",
    "docs/e.md",
    ".cairn/cards/f.card.md",
    "docs/requirements/g.md",
    "Cargo.toml",
];

const TEXTS: [&str; 8] = [
    "/** @see spec::f */\nimport { b } from './b';\nexport function a() { return b(); }\n",
    "export * from './a';\nexport const b = () => 1;\n",
    "pub mod c;\n/// Doc\npub fn c() {}\n",
    "from a import b\n\ndef d():\n    return b()\n",
    "# E\n[a](../src/a.ts)\n",
    "---\nkey: spec::f\ntype: spec\ntitle: F\nstatus: draft\n---\nText\n",
    "---\nid: REQ-1\ntitle: G\nstatus: open\npriority: must\n---\n",
    "[package]\nname = \"a-b\"\n",
];

/// Runs git as a developer would. The command may fail.
#[expect(clippy::disallowed_methods, reason = "a test plays the developer")]
fn git(root: &Path, args: &[&str]) -> bool {
    let who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "core.editor=true"];
    let mut command = Command::new("git");
    command.current_dir(root).args(who).args(args).env("GIT_CONFIG_GLOBAL", "/dev/null");
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success()
}

fn step(repo: &TestRepo, dice: &mut SeededRng) -> String {
    let root = repo.root();
    let path = PATHS[dice.below(PATHS.len())];
    let branch = ["main", "side", "topic"][dice.below(3)];
    match dice.below(14) {
        0..=4 => {
            let text = format!("{}{}", TEXTS[dice.below(TEXTS.len())], "\n".repeat(dice.below(3)));
            repo.write(path, text);
            format!("edit {path}")
        }
        5 => {
            repo.remove(path);
            format!("remove {path}")
        }
        6 | 7 => {
            git(&root, &["add", "-A"]);
            git(&root, &["commit", "-q", "-m", "work"]);
            "commit".into()
        }
        8 | 9 => {
            let _ = git(&root, &["switch", "-q", branch]) || git(&root, &["switch", "-qc", branch]);
            format!("switch {branch}")
        }
        10 => {
            if !git(&root, &["rebase", "-q", branch]) {
                git(&root, &["rebase", "--abort"]);
            }
            format!("rebase on {branch}")
        }
        11 => {
            if !git(&root, &["merge", "-q", "--no-edit", branch]) {
                git(&root, &["merge", "--abort"]);
            }
            format!("merge {branch}")
        }
        12 => {
            let _ = git(&root, &["stash", "pop", "-q"]) || git(&root, &["stash", "-uq"]);
            "stash".into()
        }
        _ => {
            git(&root, &["reset", "-q", "--hard", "HEAD~1"]);
            "reset".into()
        }
    }
}

/// The dump of an index that is rebuilt in another place, so that the index under test does not
/// change.
fn from_nothing(repo: &TestRepo) -> String {
    let dir = tempfile::tempdir().unwrap();
    let copy = dir.path().join("copy");
    copy_all(&repo.root(), &copy);
    let _ = fs::remove_dir_all(copy.join(".cairn/cache"));
    let _ = fs::remove_dir_all(copy.join(".git/cairn"));
    TestRepo::existing(&copy).workspace().dump(&call()).unwrap()
}

fn copy_all(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(std::result::Result::unwrap) {
        let (kind, target) = (entry.file_type().unwrap(), to.join(entry.file_name()));
        match kind.is_dir() {
            true => copy_all(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}

fn replay(mode: WorkspaceMode, steps: usize, seed: u64) {
    let repo = TestRepo::new("//- src/a.ts\nexport const a = 1;\n//- docs/e.md\n# E\n");
    let workspace = repo.open(mode, DiskWriter::default(), AREAS);
    let mut dice = SeededRng::new(seed);
    let mut done = Vec::new();
    for _ in 0..steps {
        done.push(step(&repo, &mut dice));
        let found = workspace.dump(&call()).unwrap();
        let expected = from_nothing(&repo);
        let only = |a: &str, b: &str| {
            let lines = a.lines().filter(|line| !b.lines().any(|other| other == *line));
            lines.map(ToOwned::to_owned).collect::<Vec<_>>().join("\n  ")
        };
        assert!(
            found == expected,
            "{done:?}\nonly in the index:\n  {}\nonly in one built from nothing:\n  {}",
            only(&found, &expected),
            only(&expected, &found)
        );
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "`cargo xtask soak tests` asks for the whole day")]
fn after_each_step_of_a_day_the_index_equals_one_built_from_nothing() {
    let steps = std::env::var("CAIRN_SOAK").map_or(30, |_| 1000);
    replay(WorkspaceMode::Once, steps, 7);
    replay(WorkspaceMode::Serving, steps, 11);
}
