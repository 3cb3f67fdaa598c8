//! Processes that plan, start, discuss and finish tasks of one store and are killed at random: what
//! was acknowledged is stored, a plan is stored completely or not at all, and no task has two
//! owners.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::thread;

use engine::{AREAS, WorkspaceMode};
use serde_json::{Value, json};
use testkit::{TestRepo, child};
use tree::DiskWriter;

use crate::killed::{kill_after, start_child};

/// How many work at once.
const WORKERS: usize = 8;

/// How many tasks a plan has.
const PLANNED_TASKS: usize = 3;

/// The end of each acknowledgement. A line that the worker could not finish lacks it.
const END: &str = " .";

/// A feature of three tasks, of which the second waits for the first.
fn plan(name: &str, number: u32) -> String {
    let file = number % 4;
    format!(
        "# Feature: {name} {number}\n\n## Task: first {name} {number}\n\n- files: src/f{file}.ts\n\n\
         ### Implementation Plan\n\n1. do it\n\n## Task: second {name} {number}\n\n\
         - blocked by: first {name} {number}\n- files: src/f{file}.ts\n\n\
         ## Task: third {name} {number}\n\n- tags: small\n"
    )
}

/// Plans, starts, discusses and finishes tasks until it is killed.
fn work_forever(root: &Path, name: &str) {
    let workspace =
        TestRepo::existing(root).open(WorkspaceMode::Once, DiskWriter::default(), AREAS);
    let call = |op: &str, args: Value| {
        let args = serde_json::from_value(args).unwrap();
        let op = operations::ops::find(op).unwrap();
        // Eight workers queue: one that had to wait too long tries the next thing.
        let call = testkit::call_by(name).in_session(name);
        op.call(&workspace, call, args).ok().map(|answer| answer.data["result"].clone())
    };
    let tell = |line: String| {
        let mut out = std::io::stderr().lock();
        writeln!(out, "{line}{END}").and_then(|()| out.flush()).unwrap();
    };
    for number in 0.. {
        if number % 2 == 0 && call("work.plan", json!({"text": plan(name, number)})).is_some() {
            tell(format!("planned {name} {number}"));
        }
        let Some(started) = call("work.start", json!({})) else { continue };
        let id = started["task"]["id"].as_str().unwrap();
        tell(format!("started {id} {name}"));
        let text = format!("remark {number} of {name};");
        if call("work.comment", json!({"id": id, "text": text})).is_some() {
            tell(format!("commented {id} {text}"));
        }
        let learnt = format!("lesson {number} of {name};");
        if call("work.done", json!({"task": id, "learnt": learnt})).is_some() {
            tell(format!("done {id}"));
            tell(format!("learnt {learnt}"));
        }
    }
}

/// What the workers acknowledged, and the stored rows.
struct Aftermath {
    told: BTreeSet<String>,
    tables: Value,
}

impl Aftermath {
    /// The acknowledgements that begin with a word, without it.
    fn told(&self, word: &str) -> Vec<&str> {
        let lines = self.told.iter().filter_map(|line| line.strip_suffix(END));
        lines.filter_map(|line| line.strip_prefix(word)?.strip_prefix(' ')).collect()
    }

    fn rows(&self, table: &str) -> &Vec<Value> {
        self.tables[table].as_array().unwrap()
    }

    fn row(&self, table: &str, id: &str) -> &Value {
        let found = self.rows(table).iter().find(|row| row["id"] == id);
        found.unwrap_or_else(|| panic!("{table} {id} is lost"))
    }

    /// Every plan is stored with all its tasks, sections and relations, or not at all.
    fn assert_plans_are_whole(&self) {
        let features = self.rows("feature");
        for name in self.told("planned") {
            assert!(features.iter().any(|row| row["name"] == name), "plan {name} is lost");
        }
        for feature in features {
            let is_own = |task: &&Value| task["feature_id"] == feature["id"];
            let tasks: Vec<&Value> = self.rows("task").iter().filter(is_own).collect();
            assert_eq!(tasks.len(), PLANNED_TASKS, "{}", feature["name"]);
            let of = |table: &str, column: &str| {
                let rows = self.rows(table).iter();
                rows.filter(|row| tasks.iter().any(|task| row[column] == task["id"])).count()
            };
            assert_eq!((of("section", "entity_id"), of("dependency", "to_id")), (3, 1));
        }
    }

    /// Every task that was acknowledged as claimed is claimed by that session and no other.
    fn assert_claims_are_single(&self) {
        let mut owners: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for line in self.told("started") {
            let (id, name) = line.split_once(' ').unwrap();
            owners.entry(id).or_default().insert(name);
            assert_eq!(self.row("claim", id)["session"], name, "{id}");
        }
        let twice: Vec<_> = owners.iter().filter(|(_, names)| names.len() > 1).collect();
        assert!(twice.is_empty(), "claimed twice: {twice:?}");
        let is_claim = |event: &&Value| {
            let text = event["text"].as_str().unwrap();
            text.contains("claimed until") && !text.contains("renewed")
        };
        let mut claims = BTreeMap::<&str, usize>::new();
        for event in self.rows("event").iter().filter(is_claim) {
            *claims.entry(event["item_id"].as_str().unwrap()).or_default() += 1;
        }
        assert!(claims.values().all(|count| *count == 1), "{claims:?}");
    }

    /// Every acknowledged remark, finished task and lesson is stored.
    fn assert_nothing_is_lost(&self) {
        for line in self.told("commented") {
            let (id, text) = line.split_once(' ').unwrap();
            let is_it = |event: &Value| event["item_id"] == id && event["text"] == text;
            assert!(self.rows("event").iter().any(is_it), "{line}");
        }
        for id in self.told("done") {
            assert_eq!(self.row("task", id)["status"], "CLOSED", "{id}");
        }
        let known: String =
            self.rows("atom").iter().map(|atom| atom["knowledge"].as_str().unwrap()).collect();
        let remarks = self.rows("event").iter().filter_map(|event| event["text"].as_str());
        let known = known + &remarks.collect::<String>();
        for lesson in self.told("learnt") {
            assert!(known.contains(lesson), "{lesson}");
        }
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "`cargo xtask soak` asks for the long version")]
fn killed_workers_lose_nothing_and_share_no_task() {
    if let Some(arguments) = child::arguments() {
        return work_forever(arguments[0].as_ref(), &arguments[1]);
    }
    let rounds = std::env::var("CAIRN_SOAK").map_or(1, |_| 25);
    let files: String =
        (0..4).map(|n| format!("//- src/f{n}.ts\nexport const f{n} = {n};\n")).collect();
    let repo = TestRepo::new(&files);
    repo.data("work.create", json!({"kind": "project", "name": "Shop"}));
    let root = repo.root().to_str().unwrap().to_owned();
    let test = "work_killed::killed_workers_lose_nothing_and_share_no_task";
    let mut told = BTreeSet::new();
    for round in 0..rounds {
        let one = |worker: usize| {
            let child = start_child(test, &[&root, &format!("w{round}-{worker}")]);
            thread::spawn(move || kill_after(child, 5 + (worker * 7 + round) % 13))
        };
        let workers: Vec<_> = (0..WORKERS).map(one).collect();
        for worker in workers {
            told.extend(worker.join().unwrap());
        }
    }
    let tables = repo.data("work.export", json!({}))["tables"].clone();
    let after = Aftermath { told, tables };
    for word in ["planned", "started", "commented", "done", "learnt"] {
        assert!(after.told(word).len() >= WORKERS, "{word}: {:?}", after.told(word));
    }
    after.assert_plans_are_whole();
    after.assert_claims_are_single();
    after.assert_nothing_is_lost();
    assert_eq!(repo.data("verify", json!({}))["errors"], 0);
}
