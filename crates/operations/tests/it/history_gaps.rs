//! History that is being read, was lost in part, or lacks contents: an answer that says so, and
//! never an error.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use base::call::CallStopReason;
use base::{Call, ProblemCode};
use engine::{AREAS, JsonObject, Workspace, WorkspaceMode};
use operations::ops;
use serde_json::{Value, json};
use store::{Connection, Durability};
use testkit::{TestRepo, assert_incremental_equals_full, call, call_by};
use tree::DiskWriter;

/// The file that commits are stored in.
fn commit_store(repo: &TestRepo) -> PathBuf {
    let folder = fs::read_dir(repo.root().join(".git/cairn/cache")).unwrap();
    let mut paths = folder.map(|entry| entry.unwrap().path());
    let is_store = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        name.starts_with("commits-") && name.ends_with(".sqlite")
    };
    paths.find(is_store).expect("commits are kept")
}

fn write_to(repo: &TestRepo, write: impl FnOnce(&Connection)) {
    let mut store = store::open(&commit_store(repo), Durability::Derived).unwrap();
    let written = store.write(|tx| {
        write(tx);
        Ok(())
    });
    written.unwrap();
}

fn three_commits() -> TestRepo {
    let repo = TestRepo::new("//- a.md\none\n");
    for text in ["two", "three"] {
        repo.write("a.md", format!("{text}\n"));
        repo.commit(text);
    }
    repo
}

fn messages(answer: &Value) -> Vec<&str> {
    let commits = answer["data"]["commits"].as_array().unwrap_or_else(|| panic!("{answer:#}"));
    commits.iter().map(|commit| commit["message"].as_str().unwrap().trim_end()).collect()
}

fn ask(workspace: &Workspace, call: Call, name: &str, args: Value) -> Value {
    let args: JsonObject = serde_json::from_value(args).unwrap();
    let (op, args) = ops::resolve(name, args).unwrap();
    operations::CallFormat::CommandLine.json(&op.call(workspace, call, args))
}

fn provenance(workspace: &Workspace) -> Value {
    ask(workspace, call_by("tester"), "history.provenance", json!({"path": "a.md"}))
}

/// Removes the store of commits, and cancels as soon as they are being read again.
fn half_read(repo: &TestRepo) {
    let store = commit_store(repo);
    for ending in ["", "-wal", "-shm"] {
        let mut path = store.clone().into_os_string();
        path.push(ending);
        let _ = fs::remove_file(path);
    }
    let stopped = Arc::new(AtomicBool::new(false));
    let (stop, is_stopped) = (stopped.clone(), stopped);
    let call = call_by("tester")
        .with_progress_sink(move |progress| {
            stop.fetch_or(progress.activity == "reading the history", Ordering::Relaxed);
        })
        .with_stop_check(move || {
            is_stopped.load(Ordering::Relaxed).then_some(CallStopReason::Cancelled)
        });
    assert_eq!(repo.workspace().sync(false, &call).unwrap_err().code, ProblemCode::Cancelled);
}

#[test]
fn commits_that_are_still_being_read_make_an_answer_partial() {
    let repo = three_commits();
    assert_eq!(messages(&provenance(&repo.workspace())).len(), 3);
    half_read(&repo);
    // The checkout's record names commits that are not stored again yet. These calls do not wait
    // for them.
    let hurried = || call_by("tester").with_optional_wait(Duration::ZERO);
    for (name, args) in [
        ("search", json!({"query": "three"})),
        ("context", json!({"targets": ["a.md"]})),
        ("explain", json!({"target": "a.md"})),
    ] {
        let answer = ask(&repo.workspace(), hurried(), name, args);
        assert_eq!(answer["basis"]["state"], "partial", "{name}: {answer:#}");
        let reasons = answer["basis"]["reasons"].to_string();
        assert!(reasons.contains("history is not indexed yet"), "{name}: {reasons}");
    }
    assert_eq!(messages(&provenance(&repo.workspace())), ["start", "two", "three"]);
}

#[test]
fn commits_that_were_lost_are_read_again() {
    let repo = three_commits();
    let serving = repo.open(WorkspaceMode::Serving, DiskWriter::default(), AREAS);
    let all = ["start", "two", "three"];
    assert_eq!(messages(&provenance(&serving)), all);
    // The newest commit is lost, as when a file was truncated; then one other; then all.
    for lost in ["id = (SELECT max(id) FROM fact)", "id = 2", "TRUE"] {
        let sql = format!("DELETE FROM fact WHERE {lost}; DELETE FROM said WHERE rowid > 0");
        write_to(&repo, |conn| conn.execute_batch(&sql).unwrap());
        assert_eq!(messages(&provenance(&serving)), all, "{lost}");
        write_to(&repo, |conn| conn.execute_batch(&sql).unwrap());
        assert_eq!(messages(&provenance(&repo.workspace())), all, "{lost}");
    }
    assert_incremental_equals_full(&serving, "after commits were lost");
}

#[test]
fn a_worktree_whose_commits_made_room_for_anothers_reads_them_again() {
    let repo = three_commits();
    assert_eq!(messages(&provenance(&repo.workspace())).len(), 3);
    write_to(&repo, |conn| {
        assert!(
            history::commit_store::evict_unneeded(
                conn,
                &BTreeSet::from([history::commit_store::CommitRowId(1)])
            )
            .unwrap()
        );
    });
    assert_eq!(messages(&provenance(&repo.workspace())), ["start", "two", "three"]);
}

/// A repository whose files were renamed and changed so many times, and the blobs from before.
fn renamed(times: usize) -> (TestRepo, Vec<PathBuf>) {
    let lines = (0..40).map(|line| format!("line {line}\n")).collect::<String>();
    let repo = TestRepo::new("//- other.md\nx\n");
    let mut blobs = Vec::new();
    for time in 0..times {
        let (from, to) = (format!("{time}-a.md"), format!("{time}-b.md"));
        repo.write(&from, format!("{lines}{time}\n"));
        repo.commit("write");
        let blob = repo.git(&["rev-parse", &format!("HEAD:{from}")]);
        let (folder, name) = blob.trim().split_at(2);
        blobs.push(repo.root().join(".git/objects").join(folder).join(name));
        repo.rename(&from, &to);
        repo.write(&to, format!("{lines}{time} and more\n"));
        repo.commit("rename");
    }
    (repo, blobs)
}

fn earlier(repo: &TestRepo, path: &str) -> (Value, String) {
    let answer = operations::CallFormat::CommandLine
        .json(&repo.call_op("history.provenance", json!({"path": path})));
    assert!(answer.get("error").is_none(), "{answer:#}");
    (answer["data"]["earlier"].clone(), answer["basis"]["reasons"].to_string())
}

#[test]
fn a_missing_content_costs_the_renames_of_its_commit_and_nothing_else() {
    // A single missing blob, and so many that they are not read one by one.
    for (times, gone) in [(3, 1..2), (12, 0..12)] {
        let (repo, blobs) = renamed(times);
        let bytes: Vec<Vec<u8>> = blobs.iter().map(|blob| fs::read(blob).unwrap()).collect();
        blobs[gone.clone()].iter().for_each(|blob| fs::remove_file(blob).unwrap());
        let (before, reasons) = earlier(&repo, &format!("{}-b.md", gone.start));
        assert_eq!(before, json!([]));
        let told = format!("renames are unknown in {} of {} commits", gone.len(), 1 + 2 * times);
        assert!(reasons.contains(&told), "{reasons}");
        if gone.len() == 1 {
            for time in [0, 2] {
                let (before, _) = earlier(&repo, &format!("{time}-b.md"));
                assert_eq!(before, json!([format!("{time}-a.md")]), "others are as they were");
            }
        }
        let workspace = repo.workspace();
        assert_incremental_equals_full(&workspace, "with missing contents");
        for (blob, bytes) in blobs.iter().zip(bytes) {
            fs::write(blob, bytes).unwrap();
        }
        workspace.sync(true, &call()).unwrap();
        let (before, reasons) = earlier(&repo, &format!("{}-b.md", gone.start));
        assert_eq!(before, json!([format!("{}-a.md", gone.start)]));
        assert!(!reasons.contains("renames"), "{reasons}");
    }
}

#[test]
fn a_partial_clone_has_a_history() {
    let (repo, _) = renamed(11);
    repo.git(&["config", "uploadpack.allowFilter", "true"]);
    let (url, to) = (format!("file://{}", repo.root().display()), repo.root().join(".git/part"));
    repo.git(&["clone", "-q", "--filter=blob:none", &url, to.to_str().unwrap()]);
    let clone = TestRepo::existing(&to);
    let listed =
        operations::CallFormat::CommandLine.json(&clone.call_op("history.list", json!({})));
    assert_eq!(listed["data"]["artifacts"].as_array().unwrap().len(), 12, "{listed:#}");
    assert_eq!(listed["basis"]["state"], "partial");
    let (before, reasons) = earlier(&clone, "3-b.md");
    assert_eq!(before, json!([]));
    assert!(reasons.contains("renames are unknown in 11 of 23 commits"), "{reasons}");
    // A question about a missing content is answered with an error that says so.
    let written = json!({"path": "3-a.md", "ref": "HEAD~15"});
    assert_eq!(clone.code("history.show", written), ProblemCode::Unavailable);
}
