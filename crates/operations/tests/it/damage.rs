//! A damaged durable store is reported, kept, and restored from its backup.

use std::fs;
use std::path::{Path, PathBuf};

use base::ProblemCode;
use engine::{Outcome, Workspace, WorkspaceMode};
use serde_json::{Value, json};
use testkit::{TestRepo, WITH_LEDGER, add_line, call, lines};
use tree::DiskWriter;

fn open(repo: &TestRepo) -> Workspace {
    repo.open(WorkspaceMode::Once, DiskWriter::default(), &WITH_LEDGER)
}

fn ask(workspace: &Workspace, name: &str, args: Value) -> Outcome {
    let args = serde_json::from_value(args).unwrap();
    operations::ops::find(name)?.call(workspace, testkit::call_by("t"), args)
}

fn ledger(repo: &TestRepo) -> PathBuf {
    repo.root().join(".git/cairn/ledger.sqlite")
}

/// A store with two lines, both in its backup.
fn backed_up() -> (TestRepo, Workspace) {
    let repo = TestRepo::new("//- a.md\n# A\n");
    let workspace = open(&repo);
    for line in ["one", "two"] {
        add_line(&workspace, &call(), line).unwrap();
    }
    let taken = ask(&workspace, "backup", json!({})).unwrap().data.clone();
    assert_eq!(taken["taken"], json!(["ledger@000001-20260102T030405Z"]));
    (repo, workspace)
}

/// Calls an operation at a given time.
fn ask_at(workspace: &Workspace, now: &str, name: &str, args: Value) -> Value {
    let args = serde_json::from_value(args).unwrap();
    let call = base::Call::new("t", now.parse().unwrap());
    operations::ops::find(name).unwrap().call(workspace, call, args).unwrap().data.clone()
}

fn names(listed: &Value) -> Vec<String> {
    let all = listed["backups"].as_array().unwrap().iter();
    all.map(|backup| backup["name"].as_str().unwrap().to_owned()).collect()
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
        assert_eq!(problem.code, ProblemCode::StoreDamaged, "{what}: {problem}");
        let next = problem.hints[0].call.as_ref().unwrap();
        assert_eq!(next.operation, "restore", "{what}: {:?}", problem.hints);
        let problem = add_line(&workspace, &call(), "three").unwrap_err();
        assert_eq!(problem.code, ProblemCode::StoreDamaged, "{what}: {problem}");
        // Questions that do not need the store are answered as before.
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
    let kept = store::open_read_only(&kept).unwrap();
    let count: i64 = kept.query_row("SELECT count(*) FROM entry", [], |row| row.get(0)).unwrap();
    assert_eq!(count, 3);
}

#[test]
fn backups_are_listed_limited_and_found_by_a_near_name() {
    let (repo, workspace) = backed_up();
    for second in 0..5 {
        ask_at(&workspace, &format!("2026-01-02T04:00:{second:02}Z"), "backup", json!({"keep": 3}));
    }
    let listed = ask(&workspace, "backup", json!({"list": true})).unwrap().data.clone();
    let expected = [4, 3, 2].map(|n| format!("ledger@00000{}-20260102T04000{n}Z", n + 2));
    assert_eq!(names(&listed), expected);
    let problem = ask(&workspace, "restore", json!({"backup": "leger"})).unwrap_err();
    assert_eq!(
        (problem.code, problem.hints[0].text.as_str()),
        (ProblemCode::NotFound, "did you mean `ledger`?")
    );
    let before = fs::read(ledger(&repo)).unwrap();
    ask(&workspace, "restore", json!({})).unwrap();
    assert!(fs::read(ledger(&repo)).unwrap() == before, "listing changes nothing");
}

#[test]
fn a_damaged_backup_is_not_put_back() {
    let (repo, workspace) = backed_up();
    let copy = repo.root().join(".git/cairn/backups/ledger@000001-20260102T030405Z.sqlite");
    fs::write(&copy, &fs::read(&copy).unwrap()[..6000]).unwrap();
    let named = json!({"backup": "ledger@000001-20260102T030405Z"});
    assert_eq!(ask(&workspace, "restore", named).unwrap_err().code, ProblemCode::StoreDamaged);
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
        assert_eq!(problem.code, ProblemCode::Unavailable, "{problem}");
        assert!(problem.hints[0].contains("update cairn"));
    }
    assert_eq!(fs::read(ledger(&repo)).unwrap(), before);
}

/// Makes a store, or a copy of one, look as if a newer cairn had written it.
fn make_newer(path: &Path) {
    let store = store::open(path, store::Durability::Durable).unwrap();
    store.connection().execute_batch("PRAGMA user_version = 99").unwrap();
    store.finish().unwrap();
}

#[test]
fn a_backup_of_a_newer_cairn_is_refused_and_nothing_changes() {
    let (repo, workspace) = backed_up();
    let before = fs::read(ledger(&repo)).unwrap();
    make_newer(&repo.root().join(".git/cairn/backups/ledger@000001-20260102T030405Z.sqlite"));
    let problem = ask(&workspace, "restore", json!({"backup": "ledger"})).unwrap_err();
    assert_eq!(problem.code, ProblemCode::Unavailable, "{problem}");
    assert!(problem.message.contains("written by a newer cairn (step 99"), "{problem}");
    assert_eq!(fs::read(ledger(&repo)).unwrap(), before);
    assert_eq!(names(&ask(&workspace, "backup", json!({"list": true})).unwrap().data).len(), 1);
}

#[test]
fn nothing_is_put_back_where_a_newer_cairn_has_written() {
    let (repo, workspace) = backed_up();
    let before = fs::read(ledger(&repo)).unwrap();
    repo.write(".cairn/schema/version", "99\n");
    let problem = ask(&workspace, "restore", json!({"backup": "ledger"})).unwrap_err();
    assert_eq!(problem.code, ProblemCode::InvalidOperation, "{problem}");
    assert!(problem.message.contains("has layout 99"), "{problem}");
    assert_eq!(fs::read(ledger(&repo)).unwrap(), before);
}

#[test]
fn restores_within_one_second_lose_nothing() {
    let (_repo, workspace) = backed_up();
    add_line(&workspace, &call(), "since").unwrap();
    let mut kept = Vec::new();
    for _ in 0..3 {
        let done = ask(&workspace, "restore", json!({"backup": "ledger"})).unwrap().data.clone();
        kept.push(done["kept"].as_str().unwrap().trim_end_matches(".sqlite").to_owned());
    }
    kept.dedup();
    assert_eq!(kept.len(), 3, "each has a name of its own: {kept:?}");
    assert_eq!(lines(&workspace, &call()).unwrap(), ["one", "two"]);
    // The copy that the first restore kept can be restored by its name, unchanged.
    ask(&workspace, "restore", json!({"backup": kept[0]})).unwrap();
    assert_eq!(lines(&workspace, &call()).unwrap(), ["one", "two", "since"]);
}

#[test]
fn two_backups_within_one_second_are_two() {
    let (_repo, workspace) = backed_up();
    add_line(&workspace, &call(), "three").unwrap();
    let second = ask(&workspace, "backup", json!({})).unwrap().data.clone();
    let expected =
        ["ledger@000002-20260102T030405Z", "ledger@000001-20260102T030405Z"].map(str::to_owned);
    assert_eq!(names(&second), expected);
    ask(&workspace, "restore", json!({"backup": "ledger@000001-20260102T030405Z"})).unwrap();
    assert_eq!(lines(&workspace, &call()).unwrap(), ["one", "two"]);
}

#[test]
fn backups_from_a_clock_that_ran_ahead_are_neither_newer_nor_kept_longer() {
    let (repo, workspace) = backed_up();
    // Ten backups with times in the future, and ten with the names that older versions gave.
    for second in 0..10 {
        ask_at(&workspace, &format!("2099-01-01T00:00:{second:02}Z"), "backup", json!({}));
    }
    let folder = repo.root().join(".git/cairn/backups");
    for second in 0..10 {
        let old = folder.join(format!("ledger@20990101T00000{second}Z.sqlite"));
        fs::copy(folder.join("ledger@000011-20990101T000009Z.sqlite"), old).unwrap();
    }
    add_line(&workspace, &call(), "three").unwrap();
    let done = ask(&workspace, "backup", json!({})).unwrap().data.clone();
    assert_eq!(done["taken"], json!(["ledger@000012-20260102T030405Z"]));
    assert_eq!(names(&done)[0], "ledger@000012-20260102T030405Z");
    assert_eq!(names(&done).len(), 10);
    add_line(&workspace, &call(), "four").unwrap();
    ask(&workspace, "restore", json!({"backup": "ledger"})).unwrap();
    assert_eq!(lines(&workspace, &call()).unwrap(), ["one", "two", "three"]);
}

#[test]
fn a_backup_of_another_repository_is_refused_unless_forced() {
    let (repo, workspace) = backed_up();
    let other = TestRepo::new("//- other.md\n# Other\n");
    let elsewhere = open(&other);
    add_line(&elsewhere, &call(), "theirs").unwrap();
    ask(&elsewhere, "backup", json!({})).unwrap();
    let theirs = ".git/cairn/backups/ledger@000001-20260102T030405Z.sqlite";
    let copied = ".git/cairn/backups/ledger@000077-20260102T030405Z.sqlite";
    fs::copy(other.root().join(theirs), repo.root().join(copied)).unwrap();
    let listed = ask(&workspace, "backup", json!({"list": true})).unwrap().data.clone();
    let origins: Vec<&Value> =
        listed["backups"].as_array().unwrap().iter().map(|b| &b["repository"]).collect();
    assert_eq!(origins, ["other", "this"]);
    let named = "ledger@000077-20260102T030405Z";
    let problem = ask(&workspace, "restore", json!({"backup": named})).unwrap_err();
    assert_eq!(problem.code, ProblemCode::InvalidOperation);
    assert_eq!(problem.message, format!("{named} is a backup of another repository"));
    let root = |repo: &TestRepo| repo.git(&["rev-parse", "HEAD"]).trim().to_owned();
    assert_eq!(problem.details["root_commit_of_the_backup"], root(&other));
    assert_eq!(problem.details["root_commit_here"], root(&repo));
    // Restoring by the name of the store skips this backup. It is restored only with
    // `allow_other_repository`.
    ask(&workspace, "restore", json!({"backup": "ledger"})).unwrap();
    assert_eq!(lines(&workspace, &call()).unwrap(), ["one", "two"]);
    let forced = json!({"backup": named, "allow_other_repository": true});
    ask(&workspace, "restore", forced).unwrap();
    assert_eq!(lines(&workspace, &call()).unwrap(), ["theirs"]);
}

#[test]
fn a_store_of_which_only_others_have_a_backup_is_told() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    let other = TestRepo::new("//- b.md\n# B\n");
    other.data("work.create", json!({"kind": "project", "name": "P"}));
    other.data("backup", json!({}));
    let (from, to) =
        (other.root().join(".git/cairn/backups"), repo.root().join(".git/cairn/backups"));
    fs::create_dir_all(&to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(|entry| entry.unwrap().path()) {
        fs::copy(&entry, to.join(entry.file_name().unwrap())).unwrap();
    }
    let refused = repo.call_op("restore", json!({"backup": "work"})).unwrap_err();
    assert_eq!(refused.message, "every backup of work was made by another repository");
    let call = refused.hints[0].call.clone().unwrap();
    assert_eq!(call.args["allow_other_repository"], true);
}

#[test]
fn a_backup_is_put_back_in_another_clone_of_the_same_repository() {
    let (repo, _workspace) = backed_up();
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("clone");
    repo.git(&["clone", "-q", ".", to.to_str().unwrap()]);
    let clone = TestRepo::existing(&to);
    let name = ".git/cairn/backups/ledger@000001-20260102T030405Z.sqlite";
    fs::create_dir_all(to.join(".git/cairn/backups")).unwrap();
    fs::copy(repo.root().join(name), to.join(name)).unwrap();
    let workspace = open(&clone);
    ask(&workspace, "restore", json!({"backup": "ledger"})).unwrap();
    assert_eq!(lines(&workspace, &call()).unwrap(), ["one", "two"]);
}

#[test]
fn without_git_a_backup_of_another_folder_is_refused_too() {
    let (here, there) =
        (TestRepo::without_git("//- a.md\n# A\n"), TestRepo::without_git("//- a.md\n# A\n"));
    for repo in [&here, &there] {
        let workspace = open(repo);
        add_line(&workspace, &call(), "one").unwrap();
        ask(&workspace, "backup", json!({})).unwrap();
    }
    let name = "ledger@000001-20260102T030405Z";
    let file = |repo: &TestRepo, name: &str| {
        repo.root().join(format!(".cairn/local/backups/{name}.sqlite"))
    };
    fs::copy(file(&there, name), file(&here, "ledger@000002-20260102T030405Z")).unwrap();
    let foreign = json!({"backup": "ledger@000002-20260102T030405Z"});
    let problem = ask(&open(&here), "restore", foreign).unwrap_err();
    assert_eq!(problem.code, ProblemCode::InvalidOperation);
    ask(&open(&here), "restore", json!({"backup": name})).unwrap();
}
