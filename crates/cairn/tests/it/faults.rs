//! A durable store on a disk that is full, takes no writes, or fails in the middle of one: a clear
//! error, nothing lost, and work goes on once the disk does.

#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::process::{Command, Output};

use serde_json::json;
use testkit::Repo;

const CAIRN: &str = env!("CARGO_BIN_EXE_cairn");

/// Runs in a namespace of its own with `.git/cairn` on a small disk; `cairn`, `upsert` and `facts`
/// are at hand. Each line that the script prints is one the test looks at.
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
fn on_a_small_disk(repo: &Repo, body: &str) -> Option<String> {
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", SMALL_DISK, "sh", CAIRN]).arg(repo.root()).arg(body);
    let output = command.output().ok()?;
    let refused = String::from_utf8_lossy(&output.stderr).starts_with("unshare:");
    let done = output.status.code() != Some(99) && !refused;
    done.then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A pass that checked nothing must not look like a proof.
const NOT_RUN: &str = "NOT RUN: `unshare` is missing here, or may not mount";

#[test]
fn a_full_disk_is_told_and_loses_nothing() {
    let repo = Repo::new("//- a.md\n# A\n");
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
        println!("{NOT_RUN}");
        return;
    };
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], "exit 3", "{said}");
    assert!(lines[1].starts_with("STORE_DAMAGED"), "{said}");
    assert!(lines[2].contains("the disk is full; nothing was lost; free some space"), "{said}");
    let both = r#""FACT-1" "FACT-2" "#;
    assert!(lines.contains(&both), "what was written can be read while the disk is full: {said}");
    assert_eq!(lines[lines.len() - 3], "exit 0", "{said}");
    assert_eq!(lines[lines.len() - 2], format!("{both}\"FACT-4\" "), "{said}");
    assert_eq!(lines[lines.len() - 1], r#""entry": 3 "entry": 2 "entry": 1 "#, "{said}");
}

#[test]
fn a_read_only_disk_is_told_and_read() {
    let repo = Repo::new("//- a.md\n# A\n");
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
        println!("{NOT_RUN}");
        return;
    };
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], "exit 3", "{said}");
    assert!(lines[1].starts_with("STORE_DAMAGED"), "{said}");
    assert_eq!(lines[2], r#""FACT-1" "#, "{said}");
    assert_eq!(lines[3..], ["exit 0", r#""FACT-1" "FACT-2" "#], "{said}");
}

/// Runs the binary so that the system call `call` fails with `error` from its `at`-th time on;
/// none where there is no strace, or it may not trace.
#[expect(clippy::disallowed_methods, reason = "the binary under test, and its surroundings")]
fn failing(repo: &Repo, (call, error, at): (&str, &str, usize), words: &[&str]) -> Option<Output> {
    let trace = repo.root().join(".git/trace");
    let mut command = Command::new("strace");
    // Only the store's own files fail: the index, the facts and the pipes go on.
    let store = repo.root().join(".git/cairn/branches/main/kb.sqlite");
    command.args(["-f", "-qq", "-o"]).arg(&trace).args(["-e", &format!("trace={call}")]);
    for end in ["", "-wal"] {
        command.arg("-P").arg(format!("{}{end}", store.display()));
    }
    command.args(["-e", &format!("inject={call}:error={error}:when={at}+")]);
    command.arg(CAIRN).arg("-C").arg(repo.root()).args(words);
    let output = command.output().ok()?;
    let traced = std::fs::read_to_string(trace).unwrap_or_default();
    // Nothing was injected: there is no such call any more, or tracing is not allowed.
    traced.contains("(INJECTED)").then_some(output)
}

/// The most writes that one changeset is expected to take.
const MOST: usize = 200;

/// Lets every write of a changeset fail in turn, and every one after it: what was acknowledged is
/// there, what was refused is there whole or not at all, and the log tells exactly what is there.
fn fails_in_turn(call: &str, errors: &[&str]) {
    let repo = Repo::new("//- a.md\n# A\n");
    let set = |id: &str| {
        json!({"id": id, "entities": [
                {"id": id, "type": "fact", "title": "one of two"},
                {"id": format!("{id}-b"), "type": "fact", "title": "the other"}],
            "relations": [{"type": "relates_to", "from": id, "to": format!("{id}-b"), "kind": "pair"}]})
    };
    repo.data("kb.upsert", set("FACT-0"));
    let mut acknowledged = vec!["FACT-0".to_owned()];
    for at in 1..MOST {
        let id = format!("FACT-{at}");
        let error = errors[at % errors.len()];
        let words = ["kb", "upsert", &set(&id).to_string()];
        let Some(output) = failing(&repo, (call, error, at), &words) else { break };
        let told = String::from_utf8_lossy(&output.stderr);
        match output.status.code() {
            Some(0) => acknowledged.push(id),
            Some(3) => assert!(told.starts_with("STORE_DAMAGED"), "{told}"),
            other => panic!("{call} {at}: {other:?}: {told}"),
        }
        let found = repo.data("kb.query", json!({"type": "fact", "limit": 1000}));
        let rows = found["entities"].as_array().unwrap();
        let ids: BTreeSet<&str> = rows.iter().map(|row| row["id"].as_str().unwrap()).collect();
        let log = repo.data("kb.log", json!({"limit": 1000}));
        let logged = log["entries"].as_array().unwrap();
        assert_eq!(ids.len(), 2 * logged.len(), "{call} {at}: torn");
        for entry in logged {
            let id = entry["changeset"].as_str().unwrap();
            assert!(ids.contains(id) && ids.contains(format!("{id}-b").as_str()), "{call} {at}");
        }
        for id in &acknowledged {
            assert!(ids.contains(id.as_str()), "{call} {at}: {id} is lost");
        }
    }
    repo.data("kb.upsert", set("FACT-last"));
}

#[test]
fn a_store_whose_writes_fail_in_turn_is_before_or_after() {
    fails_in_turn("pwrite64", &["EIO", "ENOSPC"]);
}

#[test]
fn a_store_whose_flushes_fail_in_turn_is_before_or_after() {
    fails_in_turn("fsync", &["EIO"]);
}
