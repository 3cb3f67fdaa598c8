//! A durable store on a disk that is full, takes no writes, or fails in the middle of one: a clear
//! error, nothing lost, and work goes on once the disk does.

#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use serde_json::{Value, json};
use testkit::TestRepo;

const CAIRN: &str = env!("CARGO_BIN_EXE_cairn");

/// Runs in a namespace of its own with `.git/cairn` on a small disk; `cairn`, `upsert` and `facts`
/// are at hand. The test checks each line that the script prints.
const SMALL_DISK: &str = r#"
cairn=$1; root=$2; body=$3; stores="$root/.git/cairn"
mkdir -p "$stores" && mount -t tmpfs -o size=512k none "$stores" || exit 99
cairn() { "$cairn" -C "$root" "$@"; }
upsert() {
    cairn kb upsert "{\"entities\": [{\"id\": \"$1\", \"type\": \"fact\", \"title\": \"$1\"}]}"
}
facts() { cairn kb query --type fact --json | grep -o '"FACT-[0-9]*"' | sort -u | tr '\n' ' '; echo; }
eval "$body"
"#;

/// What a script prints on a small disk; none where the system does not let us mount.
#[expect(clippy::disallowed_methods, reason = "the binary under test, and its surroundings")]
fn on_a_small_disk(repo: &TestRepo, body: &str) -> Option<String> {
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", SMALL_DISK, "sh", CAIRN]).arg(repo.root()).arg(body);
    let output = command.output().ok()?;
    let refused = String::from_utf8_lossy(&output.stderr).starts_with("unshare:");
    let done = output.status.code() != Some(99) && !refused;
    done.then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Why a test of a small disk is not run.
const NO_MOUNT: &str = "`unshare` is missing, or may not mount";

#[test]
fn a_full_disk_is_told_and_loses_nothing() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    let Some(said) = on_a_small_disk(
        &repo,
        r#"
        upsert FACT-1 > /dev/null && upsert FACT-2 > /dev/null || echo "not even one"
        dd if=/dev/zero of="$stores/filler" bs=4k 2> /dev/null
        upsert FACT-3 > /dev/null 2> "$root/told"; echo "exit $?"
        cat "$root/told"
        facts
        rm "$stores/filler"
        upsert FACT-4 > /dev/null; echo "exit $?"
        facts
        cairn kb log --json | grep -o '"entry": [0-9]*' | tr '\n' ' '
        "#,
    ) else {
        testskip::not_run(NO_MOUNT);
        return;
    };
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], "exit 3", "{said}");
    assert!(lines[1].starts_with("IO "), "{said}");
    assert!(lines[2].contains("the disk is full; nothing was lost; free some space"), "{said}");
    let both = r#""FACT-1" "FACT-2" "#;
    assert!(lines.contains(&both), "what was written can be read while the disk is full: {said}");
    assert_eq!(lines[lines.len() - 3], "exit 0", "{said}");
    assert_eq!(lines[lines.len() - 2], format!("{both}\"FACT-4\" "), "{said}");
    assert_eq!(lines[lines.len() - 1], r#""entry": 3 "entry": 2 "entry": 1 "#, "{said}");
}

#[test]
fn a_read_only_disk_is_told_and_read() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    let Some(said) = on_a_small_disk(
        &repo,
        r#"
        upsert FACT-1 > /dev/null || echo "not even one"
        mount -o remount,ro "$stores"
        upsert FACT-2 > /dev/null 2> "$root/told"; echo "exit $?"
        head -1 "$root/told"
        facts
        mount -o remount,rw "$stores"
        upsert FACT-2 > /dev/null; echo "exit $?"
        facts
        "#,
    ) else {
        testskip::not_run(NO_MOUNT);
        return;
    };
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], "exit 3", "{said}");
    assert!(lines[1].starts_with("IO "), "{said}");
    assert_eq!(lines[2], r#""FACT-1" "#, "{said}");
    assert_eq!(lines[3..], ["exit 0", r#""FACT-1" "FACT-2" "#], "{said}");
}

/// Replaces calls of the system's library (`LD_PRELOAD`) and makes them fail. Compiled once, by the
/// compiler that SQLite was built with.
static FAULT_LIBRARY: LazyLock<(tempfile::TempDir, PathBuf)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    let library = folder.path().join("disk.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults/disk.c");
    #[expect(clippy::disallowed_methods, reason = "a compiler")]
    let mut command = Command::new("cc");
    command.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(source).arg("-ldl");
    let output = command.output().expect("a C compiler, which SQLite needed too");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (folder, library)
});

/// The binary with a disk that can be made to fail.
#[expect(clippy::disallowed_methods, reason = "the binary under test")]
fn cairn(repo: &TestRepo, words: &[&str]) -> Command {
    let mut command = Command::new(CAIRN);
    command.env("LD_PRELOAD", &FAULT_LIBRARY.1).arg("-C").arg(repo.root()).args(words);
    command
}

/// What a command prints that has to succeed.
fn run_ok(command: &mut Command) -> String {
    let output = command.output().expect("the binary starts");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What fails: which calls on which files, with which error, and from which on.
struct Fault {
    call: &'static str,
    file: &'static str,
    errors: &'static [i32],
}

/// Input and output error; no space left on the device.
const EIO: i32 = 5;
const ENOSPC: i32 = 28;

/// Files of durable stores, and of all that is only derived.
const STORES: &str = "/.git/cairn/branches/";
const WORK: &str = "/.git/cairn/work";
const CACHES: &str = "/cache/";

/// Runs the binary so that calls fail from the `at`-th on; none once there are fewer.
fn run_with_fault(repo: &TestRepo, fault: &Fault, at: usize, words: &[&str]) -> Option<Output> {
    let mark = repo.root().join(".git/failed");
    let _ = std::fs::remove_file(&mark);
    let mut command = cairn(repo, words);
    command.env("FAULT_CALL", fault.call).env("FAULT_FILE", fault.file);
    command.env("FAULT_FROM", at.to_string()).env("FAULT_MARK", &mark);
    command.env("FAULT_ERROR", fault.errors[at % fault.errors.len()].to_string());
    let output = command.output().expect("the binary starts");
    mark.is_file().then_some(output)
}

/// The most calls that one change is expected to take.
const MAX_CALLS: usize = 200;

/// Repeats a change, and lets all calls fail from the first on, then from the second on, and so on.
/// Acknowledged changes must be stored; refused ones must be stored completely or not at all.
/// `change` returns the command line that stores a name; `names` returns the stored names and
/// asserts that none is incomplete.
fn fail_each_call_in_turn(
    fault: &Fault,
    change: impl Fn(&str) -> Vec<String>,
    names: impl Fn(&TestRepo) -> BTreeSet<String>,
) {
    let repo = TestRepo::new("//- a.md\n# A\n");
    let mut acknowledged = BTreeSet::new();
    let mut refused = 0;
    let mut at = 0;
    loop {
        let id = format!("FACT-{at}");
        let words = change(&id);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        if at == 0 {
            // The store must exist and be complete before its calls fail.
            run_ok(&mut cairn(&repo, &words));
            acknowledged.insert(id);
        } else {
            let Some(output) = run_with_fault(&repo, fault, at, &words) else { break };
            let told = String::from_utf8_lossy(&output.stderr);
            match output.status.code() {
                Some(0) => _ = acknowledged.insert(id),
                Some(3) => {
                    assert!(told.starts_with("IO "), "{told}");
                    refused += 1;
                }
                other => panic!("{} {at}: {other:?}: {told}", fault.call),
            }
            let there = names(&repo);
            let lost: Vec<&String> = acknowledged.difference(&there).collect();
            assert!(lost.is_empty(), "{} {at}: {lost:?} lost", fault.call);
        }
        at += 1;
        assert!(at < MAX_CALLS, "{} of {} never end", fault.call, fault.file);
    }
    assert!(at > 1 && refused > 0, "{} of {} never failed", fault.call, fault.file);
    let words = change("FACT-last");
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    run_ok(&mut cairn(&repo, &words));
    assert!(names(&repo).contains("FACT-last"), "work goes on");
}

/// A changeset of two facts and a relation between them.
fn changeset(id: &str) -> Value {
    json!({"id": id, "entities": [
            {"id": id, "type": "fact", "title": "one of two"},
            {"id": format!("{id}-b"), "type": "fact", "title": "the other"}],
        "relations": [{"type": "relates_to", "from": id, "to": format!("{id}-b"), "kind": "pair"}]})
}

fn upsert(id: &str) -> Vec<String> {
    vec!["kb".into(), "upsert".into(), changeset(id).to_string()]
}

/// The stored changesets. The log must list exactly those whose facts can be found.
fn facts(repo: &TestRepo) -> BTreeSet<String> {
    let found = repo.data("kb.query", json!({"type": "fact", "limit": 1000}));
    let rows = found["entities"].as_array().unwrap();
    let ids: BTreeSet<&str> = rows.iter().map(|row| row["id"].as_str().unwrap()).collect();
    let log = repo.data("kb.log", json!({"limit": 1000}));
    let logged = log["entries"].as_array().unwrap();
    assert_eq!(ids.len(), 2 * logged.len(), "torn");
    let names = logged.iter().map(|entry| entry["changeset"].as_str().unwrap());
    let names: BTreeSet<String> = names.map(str::to_owned).collect();
    for id in &names {
        assert!(ids.contains(id.as_str()) && ids.contains(format!("{id}-b").as_str()), "{id} torn");
    }
    names
}

#[test]
fn a_knowledge_base_whose_writes_fail_in_turn_is_before_or_after() {
    fail_each_call_in_turn(
        &Fault { call: "write", file: STORES, errors: &[EIO, ENOSPC] },
        upsert,
        facts,
    );
}

#[test]
fn a_knowledge_base_whose_flushes_fail_in_turn_is_before_or_after() {
    fail_each_call_in_turn(&Fault { call: "sync", file: STORES, errors: &[EIO] }, upsert, facts);
}

/// A project, because it belongs to no other record.
fn project(name: &str) -> Vec<String> {
    let words = ["work", "create", "project", name, "--summary", "all of it", "--tags", "a,b"];
    words.map(str::to_owned).to_vec()
}

/// The projects that are there.
fn projects(repo: &TestRepo) -> BTreeSet<String> {
    let found = repo.data("work.search", json!({"kind": "project", "limit": 1000}));
    let rows = found["items"].as_array().unwrap().iter();
    rows.map(|row| row["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn work_whose_writes_fail_in_turn_is_before_or_after() {
    fail_each_call_in_turn(
        &Fault { call: "write", file: WORK, errors: &[EIO, ENOSPC] },
        project,
        projects,
    );
}

#[test]
fn work_whose_flushes_fail_in_turn_is_before_or_after() {
    fail_each_call_in_turn(&Fault { call: "sync", file: WORK, errors: &[EIO] }, project, projects);
}

/// If every write of derived data fails, this answer and later ones are still correct.
#[test]
fn an_index_whose_writes_fail_in_turn_still_answers_rightly() {
    let repo = TestRepo::new("//- a.rs\npub fn start() {}\n");
    for call in ["write", "sync", "truncate"] {
        let fault = Fault { call, file: CACHES, errors: &[EIO, ENOSPC] };
        let mut failed = 0;
        for at in 1..MAX_CALLS {
            let name = format!("{call}_{at}");
            repo.write("a.rs", format!("pub fn {name}() {{}}\n"));
            let words = ["code", "find", &name, "--json"];
            let Some(output) = run_with_fault(&repo, &fault, at, &words) else { break };
            failed += 1;
            let said = String::from_utf8_lossy(&output.stdout);
            let told = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() && said.contains(&name), "{call} {at}: {said}{told}");
            let after = cairn(&repo, &words).output().expect("the binary starts");
            assert!(String::from_utf8_lossy(&after.stdout).contains(&name), "{call} {at}, after");
        }
        assert!(failed > 0 || call != "write", "nothing was written");
    }
}

/// The clock goes back an hour at every read. The order of changes must stay the same.
#[test]
fn a_clock_that_goes_backwards_mixes_nothing_up() {
    let repo = TestRepo::new("//- a.rs\npub fn start() {}\n");
    let back = |words: &[&str]| run_ok(cairn(&repo, words).env("FAULT_CLOCK", "3600"));
    for id in ["FACT-1", "FACT-2", "FACT-3"] {
        let words = upsert(id);
        back(&words.iter().map(String::as_str).collect::<Vec<_>>());
        let words = project(id);
        back(&words.iter().map(String::as_str).collect::<Vec<_>>());
        repo.write("a.rs", format!("pub fn find_{}() {{}}\n", id.replace('-', "_")));
        let found = back(&["code", "find", &format!("find_{}", id.replace('-', "_"))]);
        assert!(found.contains("basis: fresh") && found.contains("a.rs#find_FACT"), "{found}");
    }
    let log = repo.data("kb.log", json!({}));
    let order = log["entries"].as_array().unwrap().iter();
    let order: Vec<&str> = order.map(|entry| entry["changeset"].as_str().unwrap()).collect();
    assert_eq!(order, ["FACT-3", "FACT-2", "FACT-1"], "the last change is first");
    back(&["undo"]);
    assert_eq!(
        projects(&repo),
        ["FACT-1", "FACT-2"].map(str::to_owned).into(),
        "the last was a project"
    );
    assert_eq!(facts(&repo).len(), 3);
}
