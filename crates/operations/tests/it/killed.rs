//! Processes that write to one store through the engine and are killed at random: what was
//! acknowledged is stored, and what is stored is consistent.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use engine::{AREAS, WorkspaceMode};
use serde_json::{Value, json};
use testkit::{TestRepo, assert_incremental_equals_full, child};
use tree::DiskWriter;

use crate::history::long;

/// How many write at once.
const WRITERS: usize = 8;

/// Writes until it is killed. Every second write moves the task that the one before made.
fn write_forever(root: &Path, name: &str) {
    let workspace =
        TestRepo::existing(root).open(WorkspaceMode::Once, DiskWriter::default(), AREAS);
    let call = |op: &str, args: Value| {
        let args = serde_json::from_value(args).unwrap();
        let op = operations::ops::find(op).unwrap();
        // Eight writers queue: one that had to wait too long tries again.
        op.call(&workspace, testkit::call_by(name), args).ok().map(|answer| answer.data.clone())
    };
    let tell = |line: &str| {
        let mut out = std::io::stderr().lock();
        writeln!(out, "{line}").and_then(|()| out.flush()).unwrap();
    };
    for number in 0.. {
        let title = format!("{name} {number}");
        let Some(made) = call("work.create", json!({"kind": "task", "name": title})) else {
            continue;
        };
        let id = made["result"]["task"]["id"].as_str().unwrap();
        tell(&format!("{id} NEW"));
        if call("work.advance", json!({"id": id, "version": 1})).is_some() {
            tell(&format!("{id} ACTIVE"));
        }
    }
}

/// Starts a test of this program as a child, which writes what it has done to its error output.
pub(crate) fn start_child(test: &str, arguments: &[&str]) -> Child {
    let mut command = child::command(test, arguments);
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits until a writer has acknowledged so many writes, kills it, and returns all acknowledged
/// ones.
pub(crate) fn kill_after(mut child: Child, writes: usize) -> Vec<String> {
    let mut output = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let mut heard: Vec<String> = output.by_ref().take(writes).collect();
    thread::sleep(Duration::from_micros(37 * writes as u64)); // anywhere within a write
    child.kill().unwrap();
    child.wait().unwrap();
    heard.extend(output);
    heard
}

#[test]
#[expect(clippy::disallowed_methods, reason = "`cargo xtask soak` asks for the long version")]
fn every_acknowledged_write_of_a_killed_process_is_there() {
    if let Some(arguments) = child::arguments() {
        return write_forever(arguments[0].as_ref(), &arguments[1]);
    }
    let rounds = std::env::var("CAIRN_SOAK").map_or(1, |_| 50);
    let repo = TestRepo::new("//- a.md\n# A\n");
    repo.data("work.create", json!({"kind": "project", "name": "Shop"}));
    let root = repo.root().to_str().unwrap().to_owned();
    let test = "killed::every_acknowledged_write_of_a_killed_process_is_there";
    let mut acknowledged = BTreeSet::new();
    for round in 0..rounds {
        let one = |writer: usize| {
            let child = start_child(test, &[&root, &format!("{round}-{writer}")]);
            thread::spawn(move || kill_after(child, 3 + (writer * 5 + round) % 11))
        };
        let writers: Vec<_> = (0..WRITERS).map(one).collect();
        for writer in writers {
            acknowledged.extend(writer.join().unwrap());
        }
    }
    let tables = repo.data("work.export", json!({}))["tables"].clone();
    let tasks = tables["task"].as_array().unwrap();
    let there: BTreeSet<String> = tasks
        .iter()
        .flat_map(|task| {
            let (id, status) = (task["id"].as_str().unwrap(), task["status"].as_str().unwrap());
            let states = if status == "NEW" { vec!["NEW"] } else { vec!["NEW", status] };
            states.into_iter().map(move |state| format!("{id} {state}"))
        })
        .collect();
    // A line that the writer could not finish is no acknowledgement.
    let whole = |line: &&String| line.ends_with(" NEW") || line.ends_with(" ACTIVE");
    let lost: Vec<&String> =
        acknowledged.iter().filter(whole).filter(|line| !there.contains(*line)).collect();
    assert!(lost.is_empty(), "{} of {} are lost: {lost:?}", lost.len(), acknowledged.len());
    assert!(acknowledged.len() > WRITERS, "only {} writes", acknowledged.len());
    assert_eq!(repo.data("verify", json!({}))["errors"], 0);
    let found = repo.data("search", json!({"query": "0-7", "kinds": "task"}));
    assert!(!found["hits"].as_array().unwrap().is_empty(), "their texts came along");
}

#[test]
fn an_index_whose_process_was_killed_at_any_moment_is_finished_by_the_next() {
    if let Some(arguments) = child::arguments() {
        let repo = TestRepo::existing(arguments[0].as_ref());
        repo.workspace().sync(false, &testkit::call()).unwrap();
        return;
    }
    let repo = long(3000);
    let root = repo.root();
    let mut killed = 0;
    for round in 0..8 {
        let test =
            "killed::an_index_whose_process_was_killed_at_any_moment_is_finished_by_the_next";
        let mut child = start_child(test, &[root.to_str().unwrap()]);
        thread::sleep(Duration::from_millis(25 << round)); // from its first steps to its last
        child.kill().unwrap();
        killed += usize::from(!child.wait().unwrap().success());
        if round == 4 {
            repo.write("a.md", "two\n");
            repo.commit("while nobody looked");
        }
    }
    assert!(killed > 0, "every one was done before it was killed");
    let told = repo.data("history.provenance", json!({"path": "f7.md", "limit": 100}));
    assert_eq!(told["commits"].as_array().unwrap().len(), 60);
    assert_incremental_equals_full(&repo.workspace(), "after kills");
}
