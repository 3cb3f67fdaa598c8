//! A durable store that is damaged is told of, kept, and brought back from its backup.

use std::fs;
use std::path::{Path, PathBuf};

use base::Code;
use engine::{Mode, Outcome, Workspace};
use serde_json::{Value, json};
use testkit::{Repo, WITH_LEDGER, add_line, call, lines};
use tree::Disk;

fn open(repo: &Repo) -> Workspace {
    repo.open(Mode::Once, Disk::default(), &WITH_LEDGER)
}

fn ask(workspace: &Workspace, name: &str, args: Value) -> Outcome {
    let args = serde_json::from_value(args).unwrap();
    engine::ops::find(name)?.call(workspace, testkit::call_by("t"), args)
}

fn ledger(repo: &Repo) -> PathBuf {
    repo.root().join(".git/cairn/ledger.sqlite")
}

/// A store with two lines, both in its backup.
fn backed_up() -> (Repo, Workspace) {
    let repo = Repo::new("//- a.md\n# A\n");
    let workspace = open(&repo);
    for line in ["one", "two"] {
        add_line(&workspace, &call(), line).unwrap();
    }
    let taken = ask(&workspace, "backup", json!({})).unwrap().data.clone();
    assert_eq!(taken["taken"], json!(["ledger@20260102T030405Z"]));
    (repo, workspace)
}

type Damage = (&'static str, fn(&Path));

const DAMAGES: [Damage; 5] = [
    ("truncated", |path| {
        let file = fs::OpenOptions::new().write(true).open(path).unwrap();
        file.set_len(5000).unwrap();
    }),
    ("emptied", |path| fs::write(path, "").unwrap()),
    ("zeroed", |path| fs::write(path, vec![0; fs::read(path).unwrap().len()]).unwrap()),
    ("garbled", |path| fs::write(path, "no database").unwrap()),
    ("flipped", |path| {
        let mut bytes = fs::read(path).unwrap();
        bytes.iter_mut().skip(100).step_by(7).for_each(|byte| *byte ^= 0xff);
        fs::write(path, bytes).unwrap();
    }),
];

#[test]
fn a_damaged_store_is_refused_kept_and_brought_back() {
    for (what, damage) in DAMAGES {
        let (repo, workspace) = backed_up();
        damage(&ledger(&repo));
        let bad = fs::read(ledger(&repo)).unwrap();
        let problem = lines(&workspace, &call()).unwrap_err();
        assert_eq!(problem.code, Code::StoreDamaged, "{what}: {problem}");
        assert!(problem.hints[0].contains("cairn restore"), "{what}: {:?}", problem.hints);
        let problem = add_line(&workspace, &call(), "three").unwrap_err();
        assert_eq!(problem.code, Code::StoreDamaged, "{what}: {problem}");
        // What does not need the store is answered as ever.
        ask(&workspace, "context", json!({"targets": ["a.md"]})).unwrap();
        let restored =
            ask(&workspace, "restore", json!({"backup": "ledger"})).unwrap().data.clone();
        let kept = restored["kept"].as_str().unwrap();
        let kept = fs::read(repo.root().join(".git/cairn").join(kept)).unwrap();
        assert!(kept == bad, "{what}");
        assert_eq!(lines(&workspace, &call()).unwrap(), ["one", "two"], "{what}");
        add_line(&workspace, &call(), "three").unwrap();
        assert_eq!(lines(&workspace, &call()).unwrap().len(), 3, "{what}");
    }
}

#[test]
fn restoring_while_others_have_the_store_open_loses_nothing_of_either() {
    let (repo, workspace) = backed_up();
    add_line(&workspace, &call(), "since").unwrap();
    let view = workspace.view(call()).unwrap();
    view.store("ledger").unwrap().unwrap();
    let restored = ask(&workspace, "restore", json!({"backup": "ledger"})).unwrap().data.clone();
    drop(view);
    assert_eq!(lines(&workspace, &call()).unwrap(), ["one", "two"]);
    let kept = repo.root().join(".git/cairn").join(restored["kept"].as_str().unwrap());
    let kept = store::open_reading(&kept).unwrap();
    let count: i64 = kept.query_row("SELECT count(*) FROM entry", [], |row| row.get(0)).unwrap();
    assert_eq!(count, 3);
}

#[test]
fn backups_are_listed_limited_and_found_by_a_near_name() {
    let (repo, workspace) = backed_up();
    let later = |second: u32| {
        let now = format!("2026-01-02T04:00:{second:02}Z").parse().unwrap();
        let args = serde_json::from_value(json!({"keep": 3})).unwrap();
        let op = engine::ops::find("backup").unwrap();
        op.call(&workspace, base::Call::new("t", now), args).unwrap().data.clone()
    };
    (0..5).for_each(|second| drop(later(second)));
    let listed = ask(&workspace, "backup", json!({"list": true})).unwrap().data.clone();
    let names: Vec<&str> =
        listed["backups"].as_array().unwrap().iter().map(|b| b["name"].as_str().unwrap()).collect();
    let expected = [4, 3, 2].map(|second| format!("ledger@20260102T04000{second}Z"));
    assert_eq!(names, expected);
    let problem = ask(&workspace, "restore", json!({"backup": "leger"})).unwrap_err();
    assert_eq!(
        (problem.code, problem.hints[0].as_str()),
        (Code::NotFound, "the nearest is `ledger`")
    );
    let before = fs::read(ledger(&repo)).unwrap();
    ask(&workspace, "restore", json!({})).unwrap();
    assert!(fs::read(ledger(&repo)).unwrap() == before, "listing changes nothing");
}

#[test]
fn a_damaged_backup_is_not_put_back() {
    let (repo, workspace) = backed_up();
    let copy = repo.root().join(".git/cairn/backups/ledger@20260102T030405Z.sqlite");
    fs::write(&copy, &fs::read(&copy).unwrap()[..6000]).unwrap();
    let named = json!({"backup": "ledger@20260102T030405Z"});
    assert_eq!(ask(&workspace, "restore", named).unwrap_err().code, Code::StoreDamaged);
    assert_eq!(lines(&workspace, &call()).unwrap(), ["one", "two"]);
}

#[test]
fn a_store_that_a_newer_cairn_wrote_is_refused_untouched() {
    let (repo, workspace) = backed_up();
    let newer = store::open(&ledger(&repo), store::Durability::Durable).unwrap();
    newer.connection().execute_batch("PRAGMA user_version = 99").unwrap();
    drop(newer);
    let before = fs::read(ledger(&repo)).unwrap();
    for problem in [
        lines(&workspace, &call()).unwrap_err(),
        add_line(&workspace, &call(), "three").unwrap_err(),
    ] {
        assert_eq!(problem.code, Code::Unavailable, "{problem}");
        assert!(problem.hints[0].contains("update cairn"));
    }
    assert_eq!(fs::read(ledger(&repo)).unwrap(), before);
}
