//! Plans: dry run, conflict, undo, crash and recovery, for files and for stores.

use std::io;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use base::{Hash, Problem, ProblemCode, Result};
use engine::{
    Area, DurableStore, MutationAnswer, Plan, PlannedChange, SearchText, StoreChange, View,
    Workspace, WorkspaceMode,
};
use serde_json::{Value, json};
use store::{Migration, Transaction};
use testkit::{TestRepo, call, child};
use tree::{DiskWriter, FileEdit};

/// How many files the large plan touches.
const FILES: usize = 50;

fn edit(path: &str, before: Option<&str>, after: Option<&str>) -> FileEdit {
    FileEdit {
        path: path.parse().unwrap(),
        expected: before.map(|text| Hash::of(text.as_bytes())),
        content: after.map(|text| text.as_bytes().to_vec()),
    }
}

fn write(workspace: &Workspace, edits: &[FileEdit]) -> Result<MutationAnswer<()>> {
    workspace.write(&call(), |_| {
        Ok(Plan {
            summary: "test".into(),
            change: PlannedChange::Files(edits.to_vec()),
            answer: (),
            retry_on_conflict: true,
        })
    })
}

#[test]
fn a_dry_run_shows_a_change_and_undo_takes_it_back() {
    let repo = TestRepo::new("//- a.md\n# A\n//- b.md\n# B\n");
    let before = repo.snapshot();
    let workspace = repo.workspace();
    let edits = vec![
        edit("a.md", Some("# A\n"), Some("# A\nmore\n")),
        edit("new/c.md", None, Some("# C\n")),
        edit("b.md", Some("# B\n"), None),
    ];
    let plan = Plan {
        summary: "t".into(),
        change: PlannedChange::Files(edits.clone()),
        answer: (),
        retry_on_conflict: true,
    };
    let shown = workspace.preview(plan).unwrap();
    assert_eq!(
        shown.diff.unwrap(),
        "--- a/a.md\n+++ b/a.md\n@@ -1 +1,2 @@\n # A\n+more\n\
         --- /dev/null\n+++ b/new/c.md\n@@ -0,0 +1 @@\n+# C\n\
         --- a/b.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-# B\n"
    );
    assert_eq!(repo.snapshot(), before);
    assert_eq!(write(&workspace, &edits).unwrap().change.as_deref(), Some("1"));
    let after = repo.snapshot();
    assert_eq!(repo.data("status", json!({}))["files"], 2);
    let dry = repo.data("undo", json!({"dry_run": true}));
    assert!(dry["diff"].as_str().unwrap().contains("-more"), "{dry}");
    repo.data("undo", json!({}));
    assert_eq!(repo.snapshot(), before);
    assert!(!repo.root().join("new").exists(), "the folder it made is gone too");
    assert_eq!(repo.code("undo", json!({})), ProblemCode::NotFound, "nothing is left to undo");
    repo.data("redo", json!({}));
    assert_eq!(repo.snapshot(), after, "redo takes an undo back");
    repo.data("undo", json!({"change": "1"}));
    assert_eq!(repo.snapshot(), before);
    assert_eq!(
        repo.code("undo", json!({"change": "1"})),
        ProblemCode::InvalidOperation,
        "it is undone"
    );
}

#[test]
fn a_file_edited_meanwhile_is_a_conflict_with_its_hash() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    let workspace = repo.workspace();
    repo.write("a.md", "theirs");
    let problem = write(&workspace, &[edit("a.md", Some("# A\n"), Some("x"))]).unwrap_err();
    assert_eq!(problem.code, ProblemCode::Conflict);
    assert_eq!(problem.details["current"], Hash::of(b"theirs").to_string());
    assert_eq!(repo.read("a.md").unwrap(), "theirs");
    assert_eq!(repo.code("undo", json!({})), ProblemCode::NotFound);
}

#[test]
fn a_plan_that_met_another_writer_is_made_once_more() {
    let repo = TestRepo::new("//- log.md\n");
    let add = |n: usize| {
        let workspace = repo.workspace();
        let written = workspace.write(&call(), |view| {
            let path = "log.md".parse().unwrap();
            let known = view.tree().read(&path)?.expect("it is there");
            let mut content = known.bytes;
            content.extend_from_slice(format!("{n}\n").as_bytes());
            let edit = FileEdit { path, expected: Some(known.hash), content: Some(content) };
            Ok(Plan {
                summary: "add".into(),
                change: PlannedChange::Files(vec![edit]),
                answer: (),
                retry_on_conflict: true,
            })
        });
        written.unwrap();
    };
    std::thread::scope(|scope| {
        let add = &add;
        (0..12).for_each(|n| drop(scope.spawn(move || add(n))));
    });
    assert_eq!(repo.read("log.md").unwrap().lines().count(), 12);
}

#[test]
fn writing_through_a_link_or_out_of_the_repository_is_refused() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    let outside = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(outside.path(), repo.root().join("out")).unwrap();
    std::os::unix::fs::symlink("a.md", repo.root().join("link.md")).unwrap();
    let code = |edit: FileEdit| write(&repo.workspace(), &[edit]).unwrap_err().code;
    assert_eq!(code(edit("out/x", None, Some("x"))), ProblemCode::OutsideRepository);
    assert_eq!(code(edit("link.md", Some("# A\n"), Some("x"))), ProblemCode::InvalidOperation);
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
    assert_eq!(repo.read("a.md").unwrap(), "# A\n");
}

#[test]
fn a_second_writer_gets_busy_after_a_bounded_wait() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    let workspace = repo.workspace();
    write(&workspace, &[edit("b.md", None, Some("x"))]).unwrap();
    let lock = repo.root().join(".git/cairn/write.lock");
    let _held = tree::lock(&lock, std::time::Duration::from_secs(5), &call()).unwrap();
    let problem = write(&workspace, &[edit("c.md", None, Some("x"))]).unwrap_err();
    assert_eq!(problem.code, ProblemCode::Busy);
    assert!(repo.read("c.md").is_none());
}

#[test]
fn every_fault_of_the_disk_leaves_before_or_after() {
    let kinds = [io::ErrorKind::StorageFull, io::ErrorKind::PermissionDenied, io::ErrorKind::Other];
    for kind in kinds {
        for steps in (0..).step_by(3) {
            let repo = TestRepo::new("//- a.md\n# A\n//- b.md\n# B\n");
            let before = repo.snapshot();
            let left = Arc::new(AtomicUsize::new(steps));
            let disk = DiskWriter::with_faults(move |_| {
                let left = left.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1));
                left.map(drop).map_err(|_| io::Error::from(kind))
            });
            let workspace = repo.open(WorkspaceMode::Once, disk, engine::AREAS);
            let edits = vec![
                edit("a.md", Some("# A\n"), Some("# Other\n")),
                edit("b.md", Some("# B\n"), None),
            ];
            let done = write(&workspace, &edits);
            let after = vec![("a.md".to_owned(), b"# Other\n".to_vec())];
            drop(repo.workspace()); // opening finishes or forgets
            let found = repo.snapshot();
            assert!(found == before || found == after, "{kind:?} after {steps}: {found:?}");
            if done.is_ok() {
                assert_eq!(found, after);
                break;
            }
        }
    }
}

fn large_plan() -> Vec<FileEdit> {
    let names = (0..FILES).map(|n| (format!("dir{}/{n}.md", n % 7), format!("# Old {n}\n"), n));
    let change = |(path, old, n): (String, String, usize)| match n % 3 {
        0 => edit(&path, Some(&old), Some(&format!("# New {n}\n"))),
        1 => edit(&path, Some(&old), None),
        _ => edit(&format!("fresh/{path}"), None, Some(&old)),
    };
    names.map(change).collect()
}

/// Does what the test checks, and kills its own process before a step.
fn run_until_killed(root: &Path, step: &str) {
    let left = AtomicUsize::new(step.parse().unwrap());
    let disk = DiskWriter::with_faults(move |_| {
        if left.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1)).is_err() {
            let own = rustix::process::getpid();
            rustix::process::kill_process(own, rustix::process::Signal::KILL).unwrap();
        }
        Ok(())
    });
    let repo = TestRepo::existing(root);
    write(&repo.open(WorkspaceMode::Once, disk, engine::AREAS), &large_plan()).unwrap();
}

#[test]
#[expect(clippy::disallowed_methods, reason = "`cargo xtask soak` asks for every step")]
fn a_plan_killed_at_any_step_is_before_or_after_and_says_which() {
    const TEST: &str = "plans::a_plan_killed_at_any_step_is_before_or_after_and_says_which";
    if let Some(arguments) = child::arguments() {
        return run_until_killed(arguments[0].as_ref(), &arguments[1]);
    }
    // A crash at every step takes minutes, so only `cargo xtask soak` does that.
    let every = std::env::var("CAIRN_SOAK").map_or(11, |_| 1);
    let fixture: String =
        (0..FILES).map(|n| format!("//- dir{}/{n}.md\n# Old {n}\n", n % 7)).collect();
    let mut seen = [0, 0];
    for step in (0..).step_by(every) {
        let repo = TestRepo::new(&fixture);
        let before = repo.snapshot();
        let killed = !child::command(TEST, &[repo.root().to_str().unwrap(), &step.to_string()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap()
            .success();
        let half = repo.snapshot();
        let answer = repo.call_op("status", json!({})).unwrap();
        let found = repo.snapshot();
        let is_before = found == before;
        assert!(is_before || is_after(&found), "step {step}: neither before nor after");
        seen[usize::from(!is_before)] += 1;
        let said = answer.basis.reasons.join("; ");
        match (killed, is_before) {
            (false, _) => assert!(!is_before && said.is_empty()),
            (true, false) if half == found => {}
            (true, false) => assert!(said.contains("is now complete"), "step {step}: {said}"),
            (true, true) => assert!(said.is_empty() || said.contains("nothing of it was written")),
        }
        assert!(repo.call_op("status", json!({})).unwrap().basis.reasons.is_empty(), "said once");
        if !killed {
            break;
        }
    }
    assert!(seen[0] > 5 && seen[1] > 5, "both sides of the decision were hit: {seen:?}");
}

fn is_after(found: &[(String, Vec<u8>)]) -> bool {
    let text = |path: &str| {
        let file = found.iter().find(|(name, _)| name == path);
        file.map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned())
    };
    let count =
        (0..FILES).filter(|n| n % 3 != 1).count() + (0..FILES).filter(|n| n % 3 == 2).count();
    found.len() == count
        && (0..FILES).all(|n| {
            let path = format!("dir{}/{n}.md", n % 7);
            match n % 3 {
                0 => text(&path) == Some(format!("# New {n}\n")),
                1 => text(&path).is_none(),
                _ => text(&format!("fresh/{path}")) == Some(format!("# Old {n}\n")),
            }
        })
}

/// A store as an area would keep it, with one table of notes.
const NOTES: Area = Area {
    name: "notes",
    durable: Some(DurableStore {
        name: "notes",
        file: "notes.sqlite",
        steps: &[
            Migration {
                name: "notes",
                sql: "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL)",
            },
            engine::search::TEXT_MIGRATION,
            engine::search::NAMES_MIGRATION,
            engine::UNDO_MIGRATION,
        ],
        inverse: |json| {
            let note = Note { id: json["id"].as_i64().unwrap(), text: read_text(json) };
            Ok(Arc::new(note))
        },
        shared: None,
        index_record: |_, _| Ok(()),
        needs_server: |_| None,
        added_record: |_, image| Ok(image),
        broken_rule: |_| Ok(None),
    }),
    ..Area::EMPTY
};
static WITH_NOTES: &[Area] = &[engine::AREAS[0], NOTES];

/// Sets a note, or removes it.
#[derive(Debug)]
struct Note {
    id: i64,
    text: Option<String>,
}

fn read_text(json: &Value) -> Option<String> {
    json["text"].as_str().map(ToOwned::to_owned)
}

impl StoreChange for Note {
    fn store(&self) -> &'static str {
        "notes"
    }

    fn preview(&self) -> String {
        format!("note {} becomes {:?}\n", self.id, self.text)
    }

    fn apply(&self, transaction: &Transaction<'_>) -> Result<Value> {
        let failed = || store::sqlite_problem("set a note");
        let old = "SELECT text FROM note WHERE id = ?1";
        let old: Option<String> = transaction.query_row(old, [self.id], |row| row.get(0)).ok();
        let node = format!("kb:NOTE-{}", self.id);
        engine::search::remove(transaction, &node)?;
        if let Some(name) = self.text.clone() {
            let text = SearchText { node, kind: "note", path: None, name, body: String::new() };
            engine::search::put(transaction, &text)?;
        }
        match &self.text {
            Some(text) if text == "bad" => return Err(Problem::invalid("a bad note")),
            Some(text) => transaction
                .execute("INSERT OR REPLACE INTO note VALUES (?1, ?2)", (self.id, text))
                .map_err(failed())?,
            None => {
                transaction.execute("DELETE FROM note WHERE id = ?1", [self.id]).map_err(failed())?
            }
        };
        Ok(json!({"id": self.id, "text": old}))
    }
}

fn set(workspace: &Workspace, id: i64, text: &str) -> Result<MutationAnswer<()>> {
    workspace.write(&call(), |_| {
        let note = Arc::new(Note { id, text: Some(text.into()) });
        Ok(Plan {
            summary: format!("note {id}"),
            change: PlannedChange::Store(note),
            answer: (),
            retry_on_conflict: true,
        })
    })
}

fn notes(repo: &TestRepo) -> Vec<String> {
    let store = store::open_read_only(&repo.root().join(".git/cairn/notes.sqlite")).unwrap();
    let mut statement = store.prepare("SELECT text FROM note ORDER BY id").unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.map(std::result::Result::unwrap).collect()
}

#[test]
fn store_changes_are_whole_recorded_and_undone() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    let workspace = repo.open(WorkspaceMode::Once, DiskWriter::default(), WITH_NOTES);
    assert_eq!(set(&workspace, 1, "one").unwrap().change.as_deref(), Some("1"));
    set(&workspace, 1, "two").unwrap();
    assert_eq!(set(&workspace, 1, "bad").unwrap_err().code, ProblemCode::ValidationError);
    assert_eq!(notes(&repo), ["two"]);
    let undo = |args: Value| {
        let op = operations::ops::find("undo").unwrap();
        let args = serde_json::from_value(args).unwrap();
        op.call(&workspace, testkit::call_by("tester"), args).unwrap().data.clone()
    };
    assert_eq!(undo(json!({"dry_run": true}))["diff"], "note 1 becomes Some(\"one\")\n");
    assert_eq!(undo(json!({}))["result"]["change"], "2");
    assert_eq!(notes(&repo), ["one"]);
    undo(json!({"change": "1"}));
    assert!(notes(&repo).is_empty());
}

#[test]
fn a_view_sees_a_store_as_of_one_moment_and_search_finds_its_texts() {
    let repo = TestRepo::new("//- a.md\n# A zebra\n");
    let workspace = repo.open(WorkspaceMode::Once, DiskWriter::default(), WITH_NOTES);
    let found = || {
        let op = operations::ops::find("search").unwrap();
        let args = serde_json::from_value(json!({"query": "zebra"})).unwrap();
        let answer = op.call(&workspace, testkit::call_by("tester"), args).unwrap();
        let hits = answer.data["hits"].as_array().unwrap();
        let nodes: Vec<String> =
            hits.iter().map(|hit| hit["node"].as_str().unwrap().to_owned()).collect();
        (nodes, answer.basis.revisions.get("notes").copied())
    };
    assert_eq!(found(), (vec!["file:a.md".to_owned()], None));
    set(&workspace, 1, "zebra").unwrap();
    let view = workspace.view(call()).unwrap();
    let revision = |view: &View| view.store("notes").unwrap().unwrap().revision;
    assert_eq!(revision(&view), 1);
    set(&workspace, 2, "another zebra").unwrap();
    assert_eq!(revision(&view), 1);
    let (nodes, seen) = found();
    assert_eq!(nodes, ["kb:NOTE-1", "kb:NOTE-2", "file:a.md"]);
    assert_eq!(seen, Some(2));
}

#[test]
fn a_plan_for_a_store_that_met_another_writer_is_made_once_more() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    let workspace = repo.open(WorkspaceMode::Once, DiskWriter::default(), WITH_NOTES);
    set(&workspace, 1, "first").unwrap();
    let rounds = std::cell::Cell::new(0);
    let written = workspace.write(&call(), |view| {
        let seen = view.store("notes")?.unwrap().revision;
        if rounds.replace(rounds.get() + 1) == 0 {
            set(&workspace, 2, "between")?;
        }
        let note = Note { id: 3, text: Some(format!("planned from {seen}")) };
        let change = PlannedChange::Store(Arc::new(note));
        Ok(Plan { summary: "note".into(), change, answer: seen, retry_on_conflict: true })
    });
    assert_eq!(written.unwrap().result, 2);
    assert_eq!(notes(&repo), ["first", "between", "planned from 2"]);
}
