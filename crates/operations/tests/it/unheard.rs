//! Changes without events for the watcher: repositories that appear and disappear inside this one,
//! writes through hard links, and writes through mapped memory.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use engine::{AREAS, Workspace, WorkspaceMode};
use serde_json::{Value, json};
use testkit::{TestRepo, assert_incremental_equals_full, call_by};
use tree::DiskWriter;

fn serving(repo: &TestRepo) -> Workspace {
    let workspace = repo.open(WorkspaceMode::Serving, DiskWriter::default(), AREAS);
    // The first answer builds the index, the second starts the watcher, and the third compares all
    // files once more.
    (0..3).for_each(|_| drop(data(&workspace, "status", json!({}))));
    workspace
}

fn data(workspace: &Workspace, name: &str, args: Value) -> Value {
    let args = serde_json::from_value(args).unwrap();
    let answer = operations::ops::find(name).unwrap().call(workspace, call_by("tester"), args);
    answer.unwrap().data.clone()
}

fn about(workspace: &Workspace, path: &str) -> String {
    let told = data(workspace, "context", json!({"targets": [path]}));
    told["targets"][0]["about"].as_str().unwrap().to_owned()
}

fn files(workspace: &Workspace) -> Value {
    data(workspace, "status", json!({}))["files"].clone()
}

#[test]
fn a_repository_that_is_made_or_removed_inside_is_noticed() {
    let repo = TestRepo::new("//- a.md\n# A\n//- pkg/sub/b.md\n# B\n//- pkg/sub/deep/c.md\n# C\n");
    let server = serving(&repo);
    assert_eq!(files(&server), 3);
    repo.git(&["init", "-q", "pkg/sub"]);
    assert_eq!(files(&server), 1, "they belong to another repository now");
    repo.write("pkg/sub/deep/d.md", "# D\n");
    assert_eq!(files(&server), 1);
    repo.remove("pkg/sub/.git");
    assert_eq!(files(&server), 4);
    repo.write("pkg/sub/deep/c.md", "# Other\n");
    assert!(about(&server, "pkg/sub/deep/c.md").starts_with("Other "));
    // A server that was started while there was a nested repository also notices that it
    // disappears, also if its `.git` is a file.
    repo.write("pkg/sub/.git", "gitdir: elsewhere\n");
    let late = serving(&repo);
    assert_eq!((files(&late), files(&server)), (json!(1), json!(1)));
    repo.remove("pkg/sub/.git");
    assert_eq!((files(&late), files(&server)), (json!(4), json!(4)));
    repo.write("pkg/sub/deep/c.md", "# Again\n");
    assert!(about(&late, "pkg/sub/deep/c.md").starts_with("Again "));
    assert_incremental_equals_full(&late, "after repositories came and went");
}

#[test]
fn what_is_written_through_another_name_of_a_file_is_noticed() {
    let repo = TestRepo::new("//- a.md\n# A\n//- b.md\n# B\n");
    let outside = tempfile::tempdir().unwrap();
    let other = outside.path().join("other");
    fs::hard_link(repo.root().join("a.md"), &other).unwrap();
    let server = serving(&repo);
    for round in 0..20 {
        fs::write(&other, format!("# Round {round}\n")).unwrap();
        assert!(about(&server, "a.md").starts_with(&format!("Round {round} ")), "{round}");
    }
    // A file that gets a hard link while the server runs.
    let other = outside.path().join("late");
    fs::hard_link(repo.root().join("b.md"), &other).unwrap();
    assert!(about(&server, "b.md").starts_with("B "));
    fs::write(&other, "# Late\n").unwrap();
    assert!(about(&server, "b.md").starts_with("Late "));
    assert_incremental_equals_full(&server, "after writes through other names");
}

/// A process that maps a file, closes it, and writes into the memory for every line it reads.
const MAPPER: &str = "
import mmap, sys
with open(sys.argv[1], 'r+b') as file:
    memory = mmap.mmap(file.fileno(), 0)
print('mapped', flush=True)
for line in sys.stdin:
    memory[2:2 + len(line) - 1] = line[:-1].encode()
    memory.flush()
    print('written', flush=True)
";

struct Mapper(Child);

impl Mapper {
    #[expect(clippy::disallowed_methods, reason = "no safe code maps a file for writing")]
    fn of(file: &Path) -> Self {
        let mut command = Command::new("python3");
        command.arg("-c").arg(MAPPER).arg(file).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut mapper = Self(command.spawn().expect("tests need python3"));
        mapper.heard();
        mapper
    }

    fn write(&mut self, text: &str) {
        use std::io::Write;
        writeln!(self.0.stdin.as_mut().unwrap(), "{text}").unwrap();
        self.heard();
    }

    fn heard(&mut self) {
        use std::io::Read;
        let mut byte = [0];
        while byte != *b"\n" {
            self.0.stdout.as_mut().unwrap().read_exact(&mut byte).unwrap();
        }
    }
}

impl Drop for Mapper {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn what_is_written_through_memory_is_noticed_once_the_file_shows_it() {
    let repo = TestRepo::new("//- a.md\n# Long enough\n");
    let file = repo.root().join("a.md");
    let mut mapper = Mapper::of(&file);
    let server = serving(&repo);
    let times = || fs::metadata(&file).unwrap().modified().unwrap();
    for text in ["Once", "More"] {
        let before = times();
        mapper.write(text);
        if times() == before {
            // Such as tmpfs.
            return testskip::not_run("mapped writes leave no trace on this file system");
        }
        // The server compares a part of the files each time, so repeat until it reaches this one.
        while !about(&server, "a.md").starts_with(text) {
            std::thread::yield_now();
        }
    }
}
