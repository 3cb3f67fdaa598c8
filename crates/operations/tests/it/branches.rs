//! What happens to the knowledge bases of branches: renames, unborn branches, worktrees, detached
//! heads, garbage collection and restoring after it.
//!
//! @see spec::kb/branches

use std::fs;

use serde_json::{Value, json};
use testkit::TestRepo;

fn repo() -> TestRepo {
    TestRepo::new("//- a.md\n# A\n")
}

fn upsert(repo: &TestRepo, id: &str) {
    let entity = json!({"id": id, "type": "fact", "title": id});
    repo.data("kb.upsert", json!({"entities": [entity]}));
}

fn facts(repo: &TestRepo) -> Vec<String> {
    let found = repo.data("kb.query", json!({"type": "fact"}));
    let rows = found["entities"].as_array().unwrap().iter();
    rows.map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}

/// Each branch that has a store, with its marks.
fn branches(repo: &TestRepo) -> Vec<String> {
    let found = repo.data("kb.branches", json!({}));
    assert_eq!(found.get("read"), None, "{found}");
    let mark = |row: &Value| {
        let marks = ["current", "default", "exists"].into_iter().filter(|mark| row[mark] == true);
        let name = row["branch"].as_str().unwrap().to_owned();
        marks.fold(name, |text, mark| format!("{text} {mark}"))
    };
    found["branches"].as_array().unwrap().iter().map(mark).collect()
}

fn folders(repo: &TestRepo) -> Vec<String> {
    let all = fs::read_dir(repo.root().join(".git/cairn/branches")).into_iter().flatten();
    let names = all.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name != ".lock").collect();
    names.sort();
    names
}

#[test]
fn a_renamed_branch_keeps_its_store_whatever_is_asked_next() {
    for question in ["kb gc --force", "kb branches", "status", "search x", "context a.md"] {
        let repo = repo();
        repo.git(&["checkout", "-q", "-b", "old"]);
        upsert(&repo, "FACT-1");
        repo.git(&["branch", "-m", "between"]);
        repo.git(&["branch", "-m", "new"]);
        repo.text(question);
        assert_eq!(folders(&repo), ["new"], "{question}");
        assert_eq!(branches(&repo), ["new current exists"], "{question}");
        assert_eq!(facts(&repo), ["FACT-1"], "{question}");
        assert_eq!(repo.data("kb.gc", json!({"force": true}))["stores"], json!([]));
    }
}

#[test]
fn a_branch_that_is_not_checked_out_is_followed_too() {
    let repo = repo();
    repo.git(&["checkout", "-q", "-b", "old"]);
    upsert(&repo, "FACT-1");
    repo.git(&["checkout", "-q", "main"]);
    repo.git(&["branch", "-m", "old", "new"]);
    repo.text("status");
    // A branch that is later created under the old name starts like any other branch.
    repo.git(&["checkout", "-q", "-b", "old"]);
    assert!(facts(&repo).is_empty());
    repo.git(&["checkout", "-q", "new"]);
    assert_eq!(facts(&repo), ["FACT-1"]);
}

#[test]
fn a_branch_renamed_onto_one_with_a_store_replaces_nothing() {
    let repo = repo();
    for branch in ["old", "new"] {
        repo.git(&["checkout", "-q", "-b", branch, "main"]);
        upsert(&repo, &format!("FACT-{branch}"));
    }
    repo.git(&["checkout", "-q", "main"]);
    repo.git(&["branch", "-M", "old", "new"]);
    let found = repo.data("kb.branches", json!({}))["branches"].clone();
    let rows = found.as_array().unwrap().iter();
    let rows: Vec<(&Value, &Value)> =
        rows.map(|row| (&row["branch"], &row["renamed_to"])).collect();
    assert_eq!(rows, [(&json!("new"), &Value::Null), (&json!("old"), &json!("new"))]);
    repo.data("kb.merge", json!({"branch": "old"}));
    assert_eq!(facts(&repo), ["FACT-old"], "its facts are still to be had");
}

#[test]
fn branches_of_other_worktrees_are_not_gone() {
    let repo = repo();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("w");
    repo.git(&["worktree", "add", "-q", "--detach", path.to_str().unwrap()]);
    let worktree = TestRepo::existing(&path);
    upsert(&worktree, "FACT-1"); // of the commit that is checked out there
    assert_eq!(repo.data("kb.gc", json!({}))["stores"], json!([]));
    worktree.git(&["checkout", "-q", "--orphan", "unborn"]);
    upsert(&worktree, "FACT-2");
    let commit = repo.git(&["rev-parse", "HEAD"]).trim().to_owned();
    let gone = repo.data("kb.gc", json!({}))["stores"].clone();
    assert_eq!((gone.as_array().unwrap().len(), &gone[0]["branch"]), (1, &json!(commit)));
    // The store of a worktree is not collected even while its folder cannot be found.
    fs::rename(&path, folder.path().join("away")).unwrap();
    assert_eq!(repo.data("kb.gc", json!({"force": true}))["stores"].as_array().unwrap().len(), 1);
    fs::rename(folder.path().join("away"), &path).unwrap();
    assert_eq!(facts(&TestRepo::existing(&path)), ["FACT-2"]);
}

#[test]
fn an_unborn_branch_and_one_under_bisect_are_current() {
    let repo = repo();
    let good = repo.git(&["rev-parse", "HEAD"]);
    repo.git(&["checkout", "-q", "-b", "side"]);
    upsert(&repo, "FACT-1");
    repo.commit("two");
    repo.commit("three");
    repo.git(&["bisect", "start", "HEAD", good.trim()]);
    assert_eq!(facts(&repo), ["FACT-1"]);
    upsert(&repo, "FACT-2");
    assert_eq!(branches(&repo), ["side current exists"]);
    repo.git(&["bisect", "reset"]);
    assert_eq!(facts(&repo), ["FACT-1", "FACT-2"]);
    repo.git(&["checkout", "-q", "--orphan", "unborn"]);
    upsert(&repo, "FACT-3");
    assert_eq!(repo.data("kb.gc", json!({"force": true}))["stores"], json!([]));
    assert_eq!(branches(&repo), ["side exists", "unborn current exists"]);
}

#[test]
fn a_detached_checkout_reads_without_a_store_of_its_own() {
    let repo = repo();
    upsert(&repo, "FACT-1");
    repo.commit("two");
    repo.git(&["checkout", "-q", "--detach", "HEAD~1"]);
    repo.call_op("hook", json!({"name": "post-checkout", "args": ["a", "b", "1"]})).unwrap();
    assert_eq!(facts(&repo), ["FACT-1"]);
    assert_eq!(folders(&repo), ["main"], "nothing was copied");
    upsert(&repo, "FACT-2");
    assert_eq!(folders(&repo).len(), 2, "the first write makes it");
    assert_eq!(facts(&repo), ["FACT-1", "FACT-2"]);
}

#[test]
fn a_branch_without_a_store_does_not_use_one_that_is_not_there() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    let said = |repo: &TestRepo| repo.text("kb branches").lines().nth(2).unwrap().to_owned();
    repo.git(&["checkout", "-q", "-b", "other"]);
    let fact = json!({"entities": [{"id": "FACT-1", "type": "fact", "title": "x"}]});
    repo.data("kb.upsert", fact.clone());
    repo.git(&["checkout", "-q", "main"]);
    assert_eq!(said(&repo), "the current branch has none yet");
    repo.data("kb.upsert", fact);
    repo.git(&["checkout", "-q", "-b", "third"]);
    let text = repo.text("kb branches");
    assert!(text.contains("has none yet and uses the one of main"), "{text}");
}

#[test]
fn gc_leaves_what_a_newer_cairn_wrote() {
    let repo = repo();
    upsert(&repo, "FACT-1");
    repo.git(&["checkout", "-q", "-b", "gone", "main"]);
    upsert(&repo, "FACT-2");
    repo.git(&["checkout", "-q", "main"]);
    repo.git(&["branch", "-q", "-D", "gone"]);
    let file = repo.root().join(".git/cairn/branches/gone/kb.sqlite");
    let store = store::open(&file, store::Durability::Durable).unwrap();
    store.connection().execute_batch("PRAGMA user_version = 99").unwrap();
    store.finish().unwrap();
    let done = repo.data("kb.gc", json!({"force": true}));
    assert_eq!((&done["stores"], &done["backups"]), (&json!([]), &json!([])), "{done}");
    let reason = done["failed"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("written by a newer cairn (step 99"), "{reason}");
    assert!(file.exists());
    repo.write(".cairn/schema/version", "99\n");
    assert_eq!(repo.code("kb.gc", json!({"force": true})), base::ProblemCode::InvalidOperation);
}

#[test]
fn what_gc_removes_is_brought_back_by_what_it_says() {
    let repo = repo();
    upsert(&repo, "FACT-1");
    let long = format!("Feature/{}", "x".repeat(200));
    for branch in ["Feature/x.replaced-1", &long] {
        repo.git(&["checkout", "-q", "-b", branch, "main"]);
        upsert(&repo, "FACT-2");
        repo.git(&["checkout", "-q", "main"]);
        repo.git(&["branch", "-q", "-D", branch]);
    }
    let listed = repo.data("kb.gc", json!({}));
    assert_eq!(listed["stores"].as_array().unwrap().len(), 2);
    assert_eq!(repo.data("kb.branches", json!({}))["branches"].as_array().unwrap().len(), 3);
    let page = repo.text("kb gc --force");
    assert_eq!(branches(&repo), ["main current default exists"]);
    assert_eq!(folders(&repo), ["main"]);
    let ways: Vec<&str> =
        page.lines().filter_map(|line| Some(line.split_once("    cairn restore ")?.1)).collect();
    assert_eq!(ways.len(), 2, "{page}");
    for way in ways {
        repo.data("restore", json!({"backup": way.trim().trim_matches('\'')}));
    }
    let found = repo.data("kb.branches", json!({}))["branches"].clone();
    let names: Vec<&Value> = found.as_array().unwrap().iter().map(|row| &row["branch"]).collect();
    assert_eq!(names, ["Feature/x.replaced-1", &long, "main"]);
    repo.data("kb.merge", json!({"branch": "Feature/x.replaced-1"}));
    assert_eq!(facts(&repo), ["FACT-1", "FACT-2"]);
}

#[test]
fn gc_keeps_what_it_cannot_copy() {
    let repo = repo();
    repo.git(&["checkout", "-q", "-b", "x"]);
    upsert(&repo, "FACT-1");
    repo.git(&["checkout", "-q", "main"]);
    repo.git(&["branch", "-q", "-D", "x"]);
    let store = repo.root().join(".git/cairn/branches/x/kb.sqlite");
    fs::write(&store, "no database").unwrap();
    let done = repo.data("kb.gc", json!({"force": true}));
    assert_eq!((&done["stores"], &done["failed"][0]["branch"]), (&json!([]), &json!("x")));
    assert_eq!(fs::read(&store).unwrap(), b"no database");
}

#[test]
fn a_default_branch_that_does_not_exist_is_told() {
    let repo = repo();
    let told = |repo: &TestRepo| {
        let status = repo.data("status", json!({}))["default_branch_problem"].clone();
        let doctor = repo.data("doctor", json!({}))["findings"].clone();
        let found = doctor.as_array().unwrap().iter();
        let warned = found.filter(|row| row["message"].as_str() == status.as_str()).count();
        (status.as_str().map(ToOwned::to_owned), warned)
    };
    assert_eq!(told(&repo), (None, 0));
    repo.git(&["branch", "-m", "trunk"]);
    let unknown = "unknown default branch: neither `origin/HEAD` nor `main` exists; a new branch \
                   starts with an empty knowledge base";
    assert_eq!(told(&repo), (Some(unknown.into()), 1));
    repo.write("cairn.jsonc", r#"{"kb": {"default_branch": "trunk"}}"#);
    assert_eq!(told(&repo), (None, 0));
    repo.write("cairn.jsonc", r#"{"kb": {"default_branch": "gone"}}"#);
    let named = "`cairn.jsonc` names `gone` as the default branch, which does not exist; a new branch \
                 starts with an empty knowledge base";
    assert_eq!(told(&repo), (Some(named.into()), 1));
}
