//! Snapshots of the history: they are written, stored, and used only if they are complete and of
//! this repository.

use std::fs;
use std::path::PathBuf;

use base::ProblemCode;
use history::HistoryCommit;
use history::snapshot::{self, SnapshotWriter};
use serde_json::{Value, json};
use testkit::{TestRepo, call};

use crate::history::shallow;

fn three_commits() -> TestRepo {
    let repo = TestRepo::new("//- a.md\none\n//- b.md\none\n");
    for text in ["two", "three"] {
        repo.write("a.md", format!("{text}\n"));
        repo.write("b.md", format!("{text}\n"));
        repo.commit(text);
    }
    repo
}

fn kept(repo: &TestRepo) -> PathBuf {
    repo.root().join(".git/cairn/cache/snapshots")
}

fn commits(repo: &TestRepo) -> usize {
    let told = repo.data("history.provenance", json!({"path": "a.md"}));
    told["commits"].as_array().unwrap().len()
}

/// A job in a clone of one commit stores a snapshot too, and in a folder that was copied no file is
/// the newest.
#[test]
fn a_snapshot_of_one_commit_does_not_replace_one_of_all() {
    let repo = three_commits();
    let write_to = |from: &TestRepo, to: &TestRepo| {
        let name = from.data("history.snapshot", json!({}))["snapshot"]["name"].clone();
        let file = format!("{}.snapshot", name.as_str().unwrap());
        fs::create_dir_all(kept(to)).unwrap();
        fs::copy(kept(from).join(&file), kept(to).join(&file)).unwrap();
    };
    let clone = shallow(&repo, 1);
    write_to(&repo, &clone);
    write_to(&shallow(&repo, 1), &clone);
    assert_eq!(commits(&clone), 3);
    repo.write("a.md", "four\n");
    repo.commit("four");
    let later = shallow(&repo, 2);
    write_to(&shallow(&repo, 1), &later);
    for kept_file in fs::read_dir(kept(&clone)).unwrap().map(Result::unwrap) {
        fs::copy(kept_file.path(), kept(&later).join(kept_file.file_name())).unwrap();
    }
    assert_eq!(commits(&later), 4);
}

#[test]
fn a_shallow_clone_answers_from_a_file_where_git_log_ends() {
    let repo = three_commits();
    repo.data("history.snapshot", json!({"to": "history.snapshot"}));
    let bytes = fs::read(repo.root().join("history.snapshot")).unwrap();
    fs::remove_file(repo.root().join("history.snapshot")).unwrap();
    let clone = shallow(&repo, 1);
    assert_eq!(commits(&clone), 1);
    clone.write("history.snapshot", &bytes);
    let brought = clone.data("history.restore", json!({"snapshot": "history.snapshot"}));
    assert_eq!((&brought["commits"], &brought["in_git"]), (&json!(3), &json!(1)));
    clone.remove("history.snapshot");
    assert_eq!(commits(&clone), 3);
    let told = clone.data("history.cochange", json!({"paths": ["a.md"]}));
    assert_eq!(told["partners"][0]["count"], 3);
    // New commits are added to it. After the clone has fetched the whole history, git is used
    // instead.
    clone.write("a.md", "four\n");
    clone.commit("four");
    assert_eq!(commits(&clone), 4);
    let before = clone.workspace().dump(&call()).unwrap();
    clone.git(&["fetch", "-q", "--unshallow"]);
    assert_eq!(clone.workspace().dump(&call()).unwrap(), before);
    fs::remove_dir_all(clone.root().join(".git/cairn/cache")).unwrap();
    fs::remove_dir_all(clone.root().join(".cairn/cache")).unwrap();
    assert_eq!(clone.workspace().dump(&call()).unwrap(), before);
}

#[test]
fn a_clone_goes_on_from_an_older_snapshot_once_they_meet() {
    let repo = three_commits();
    repo.data("history.snapshot", json!({"to": "x/history.snapshot"}));
    let bytes = fs::read(repo.root().join("x/history.snapshot")).unwrap();
    repo.remove("x/history.snapshot");
    for text in ["four", "five"] {
        repo.write("a.md", format!("{text}\n"));
        repo.commit(text);
    }
    let clone = shallow(&repo, 1);
    clone.write("x/history.snapshot", bytes);
    let restore = || clone.call_op("history.restore", json!({"snapshot": "x/history.snapshot"}));
    assert_eq!(
        restore().unwrap_err().code,
        ProblemCode::InvalidOperation,
        "two commits lie between"
    );
    clone.git(&["fetch", "-q", "--deepen=2"]);
    assert!(restore().is_ok());
    assert_eq!(commits(&clone), 5);
}

#[test]
fn snapshots_are_listed_and_checked() {
    let repo = three_commits();
    assert!(repo.text("history snapshots").starts_with("No snapshots"));
    let name = repo.data("history.snapshot", json!({}))["snapshot"]["name"].clone();
    let listed = repo.data("history.snapshots", json!({"verify": true}));
    let row = &listed["snapshots"][0];
    assert_eq!((&row["name"], &row["commits"]), (&name, &json!(3)));
    assert_eq!((&row["same_in_git"], &row["not_in_git"]), (&json!(3), &json!(0)));
    // A complete snapshot that differs from git.
    let file = kept(&repo).join(format!("{}.snapshot", name.as_str().unwrap()));
    let bytes = fs::read(&file).unwrap();
    let found = snapshot::read(&bytes).unwrap();
    let mut forged = SnapshotWriter::default();
    for commit in found.commits().map(Result::unwrap) {
        forged.add(&HistoryCommit { message: commit.message.replace("two", "2"), ..commit });
    }
    let forged = forged.finish(&found.header);
    fs::write(kept(&repo).join("forged.snapshot"), forged).unwrap();
    fs::write(kept(&repo).join("cut.snapshot"), &bytes[..bytes.len() / 2]).unwrap();
    let listed = repo.data("history.snapshots", json!({"verify": true}));
    let problem = |name: &str| {
        let mut rows = listed["snapshots"].as_array().unwrap().iter();
        let row = rows.find(|row| row["name"] == name).unwrap();
        row["problem"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(problem(name.as_str().unwrap()), "");
    assert!(problem("forged").contains("differs from the one in git"), "{listed:#}");
    assert!(problem("cut").contains("truncated or modified"), "{listed:#}");
}

#[test]
fn what_is_no_snapshot_of_this_repository_is_refused() {
    let (repo, other) = (three_commits(), TestRepo::new("//- z.md\nz\n"));
    let code = |args: Value| repo.code("history.restore", args);
    assert_eq!(code(json!({})), ProblemCode::NotFound);
    assert_eq!(code(json!({"snapshot": "no.snapshot"})), ProblemCode::NotFound);
    assert_eq!(code(json!({"snapshot": "../no.snapshot"})), ProblemCode::OutsideRepository);
    assert_eq!(code(json!({"snapshot": "a.md"})), ProblemCode::ValidationError);
    repo.write("newer.snapshot", "cairn history 3\nwhatever comes then");
    assert_eq!(code(json!({"snapshot": "newer.snapshot"})), ProblemCode::InvalidOperation);
    other.data("history.snapshot", json!({"to": "other.snapshot"}));
    let bytes = fs::read(other.root().join("other.snapshot")).unwrap();
    repo.write("other.snapshot", &bytes);
    assert_eq!(code(json!({"snapshot": "other.snapshot"})), ProblemCode::InvalidOperation);
    repo.write("other.snapshot", &bytes[..bytes.len() - 7]);
    assert_eq!(code(json!({"snapshot": "other.snapshot"})), ProblemCode::StoreDamaged);
    let onto = |to: &str| repo.code("history.snapshot", json!({"to": to}));
    assert_eq!(onto("a.md"), ProblemCode::Conflict);
    assert_eq!(onto("../x"), ProblemCode::OutsideRepository);
    let empty = TestRepo::without_git("");
    empty.git(&["init", "-q"]);
    assert_eq!(empty.code("history.snapshot", json!({})), ProblemCode::InvalidOperation);
}

#[test]
fn a_snapshot_is_taken_every_so_many_commits() {
    for (frequency, names) in [(2, vec!["auto-4", "auto-6"]), (0, vec![])] {
        let repo = TestRepo::new("//- a.md\none\n");
        repo.write(
            "cairn.jsonc",
            format!("{{\"history\": {{\"snapshot_frequency\": {frequency}}}}}"),
        );
        for number in 2..=7 {
            repo.commit(&number.to_string());
            repo.data("history.list", json!({}));
        }
        let entries = fs::read_dir(kept(&repo)).into_iter().flatten().map(Result::unwrap);
        let mut found: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy()[..6].to_owned()).collect();
        found.sort();
        assert_eq!(found, names, "every {frequency}");
    }
}
