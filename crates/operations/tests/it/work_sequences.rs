//! Any sequence of the operations on work, by three sessions, while time passes: claims are
//! respected, what was acknowledged is in the history, changes are undone exactly, and exports lose
//! nothing.

use std::collections::BTreeMap;

use base::{Problem, ProblemCode};
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use serde_json::{Value, json};
use testkit::TestRepo;

const FIXTURE: &str = "
//- src/a.ts
export function a() { return 1; }
//- src/b.ts
export function b() { return 2; }
";

/// Three sessions of two people.
const SESSIONS: [&str; 3] = ["ada/1", "ada/2", "bob/1"];

/// How long a claim lasts, in minutes. After some steps the clock is advanced by this much.
const CLAIM_MINUTES: i64 = 30;

/// What a session does. Numbers pick among the records there are.
#[derive(Debug, Clone)]
enum WorkStep {
    Start(Option<usize>, bool),
    Done(Option<usize>, bool),
    Plan(usize),
    ImportBeads(usize),
    Comment(usize),
    Relate(usize, usize, &'static str),
    Block(usize),
    Unblock(usize),
    Move(usize, &'static str),
    Release(usize),
    Schedule(usize),
    Section(usize),
    Undo,
    Redo,
    /// Advance the clock until every claim has expired
    Wait,
}

fn step() -> impl Strategy<Value = WorkStep> {
    let n = 0..8_usize;
    let relation = prop::sample::select(vec![
        "BLOCKS",
        "IS_BLOCKED_BY",
        "RELATES_TO",
        "PARENT_OF",
        "PART_OF",
        "DUPLICATES",
        "DISCOVERED_FROM",
    ]);
    let way = prop::sample::select(vec!["work.advance", "work.revert", "work.terminate"]);
    prop_oneof![
        5 => (prop::option::of(n.clone()), any::<bool>()).prop_map(|(n, s)| WorkStep::Start(n, s)),
        5 => (prop::option::of(n.clone()), any::<bool>()).prop_map(|(n, l)| WorkStep::Done(n, l)),
        3 => n.clone().prop_map(WorkStep::Plan),
        1 => n.clone().prop_map(WorkStep::ImportBeads),
        2 => n.clone().prop_map(WorkStep::Comment),
        4 => (n.clone(), n.clone(), relation).prop_map(|(a, b, r)| WorkStep::Relate(a, b, r)),
        1 => n.clone().prop_map(WorkStep::Block),
        1 => n.clone().prop_map(WorkStep::Unblock),
        2 => (n.clone(), way).prop_map(|(n, way)| WorkStep::Move(n, way)),
        1 => n.clone().prop_map(WorkStep::Release),
        2 => n.clone().prop_map(WorkStep::Schedule),
        1 => n.prop_map(WorkStep::Section),
        3 => Just(WorkStep::Undo),
        1 => Just(WorkStep::Redo),
        1 => Just(WorkStep::Wait),
    ]
}

/// A plan that names existing work for some numbers and new work for others.
fn plan(number: usize) -> String {
    let (feature, task) = (number % 3, number % 5);
    format!(
        "# Feature: F{feature}\n\n- milestone: M{task}\n\n## Task: T{task}\n\n- priority: HIGH\n\
         - files: src/a.ts\n- estimate: {}h\n\n### Implementation Plan\n\n1. step {number}\n\n\
         ## Task: U{task}\n\n- blocked by: T{task}\n- due: 2026-03-0{}\n",
        number + 1,
        task + 1
    )
}

/// An epic of beads with an issue that was found on the way.
fn beads(number: usize) -> String {
    let epic = json!({"id": "bd-e", "title": "Epic", "status": "open", "priority": 1,
        "issue_type": "epic"});
    let issue = json!({"id": format!("bd-{}", number % 3), "title": format!("Issue {number}"),
        "status": "open", "priority": 2, "issue_type": "task", "dependencies": [
            {"depends_on_id": "bd-e", "type": "parent-child"}]});
    format!("{epic}\n{issue}\n")
}

/// A repository with its clock.
struct Office {
    repo: TestRepo,
    now: Timestamp,
}

impl Office {
    fn new() -> Self {
        let repo = TestRepo::new(FIXTURE);
        repo.data("work.plan", json!({"text": plan(0)}));
        Self { repo, now: "2026-01-02T10:00:00Z".parse().unwrap() }
    }

    fn call(&self, session: &str, name: &str, args: Value) -> Result<Value, Problem> {
        let (actor, _) = session.split_once('/').unwrap();
        let mut call = testkit::call_by(actor).in_session(session);
        call.now = self.now;
        let args = serde_json::from_value(args).unwrap();
        let op = operations::ops::find(name).unwrap();
        Ok((*op.call(&self.repo.workspace(), call, args)?.data).clone())
    }

    /// Every row of the store, by table.
    fn rows(&self) -> Value {
        self.repo.data("work.export", json!({}))["tables"].clone()
    }

    /// Performs one step and checks its result.
    fn take(&mut self, session: &str, step: &WorkStep) {
        self.now += SignedDuration::from_mins(1);
        let before = self.rows();
        let tasks = before["task"].as_array().unwrap();
        let pick = |n: &usize| &tasks[n % tasks.len()]["id"];
        let claims = live_claims(&before, self.now);
        let call = |name: &str, args: Value| self.call(session, name, args);
        match step {
            WorkStep::Start(n, steal) => {
                let mut args = json!({"minutes": CLAIM_MINUTES, "steal": steal & n.is_some()});
                if let Some(n) = n {
                    args["task"] = pick(n).clone();
                }
                let Ok(started) = call("work.start", args) else { return };
                let id = started["result"]["task"]["id"].as_str().unwrap();
                let holder = claims.get(id).map(String::as_str);
                let is_free = holder.is_none_or(|holder| holder == session);
                assert!(is_free || *steal && n.is_some(), "{id} is held by {holder:?}");
                let now = live_claims(&self.rows(), self.now);
                assert_eq!(now.get(id).map(String::as_str), Some(session));
            }
            WorkStep::Done(n, learns) => {
                let mut args = n.as_ref().map_or(json!({}), |n| json!({"task": pick(n)}));
                if *learns {
                    args["learnt"] = json!(format!("lesson at {}", self.now));
                }
                let done = call("work.done", args.clone());
                self.check_done(session, &claims, &args, done);
            }
            WorkStep::Plan(n) => self.plan_twice(session, "work.plan", &plan(*n)),
            WorkStep::ImportBeads(n) => self.plan_twice(session, "work.import", &beads(*n)),
            WorkStep::Comment(n) => {
                let text = format!("remark at {}", self.now);
                call("work.comment", json!({"id": pick(n), "text": text})).unwrap();
                let full = call("work.show", json!({"id": pick(n), "full": true})).unwrap();
                let last = full["history"].as_array().unwrap().last().unwrap();
                assert_eq!((&last["text"], &last["kind"]), (&json!(text), &json!("comment")));
            }
            WorkStep::Relate(a, b, relation) => {
                let args = json!({"from": pick(a), "to": pick(b), "relation": relation});
                drop(call("work.depend", args));
            }
            WorkStep::Block(n) => {
                let args = json!({"id": pick(n), "blocked_by": "NO_OP", "reason": "waits"});
                drop(call("work.block", args));
            }
            WorkStep::Unblock(n) => drop(call("work.unblock", json!({"id": pick(n)}))),
            WorkStep::Move(n, way) => {
                let moved = call(way, json!({"id": pick(n)}));
                let holder = claims.get(pick(n).as_str().unwrap());
                let is_foreign = holder.is_some_and(|holder| holder != session);
                assert!(!is_foreign || moved.is_err(), "{way} of a task that {holder:?} holds");
            }
            WorkStep::Release(n) => {
                drop(call("work.claim", json!({"task": pick(n), "release": true})));
            }
            WorkStep::Schedule(n) => {
                let task = &tasks[n % tasks.len()];
                let args = json!({"id": task["id"], "version": task["version"], "due": "2026-04-01",
                    "milestone": format!("M{n}"), "estimate": "90m"});
                drop(call("work.update", args));
            }
            WorkStep::Section(n) => {
                let args = json!({"action": "add", "owner": pick(n), "title": format!("Note {n}"),
                    "content": "# a heading\n\n- and a list"});
                drop(call("work.section_edit", args));
            }
            WorkStep::Undo => drop(call("undo", json!({}))),
            WorkStep::Redo => drop(call("redo", json!({}))),
            WorkStep::Wait => self.now += SignedDuration::from_mins(CLAIM_MINUTES),
        }
    }

    /// A finished task has a later state and no claim, and what was learnt is stored.
    fn check_done(
        &self,
        session: &str,
        claims: &BTreeMap<String, String>,
        args: &Value,
        done: Result<Value, Problem>,
    ) {
        let named = args["task"].as_str();
        let holder = named.and_then(|id| claims.get(id));
        if holder.is_some_and(|holder| holder != session) {
            assert_eq!(done.unwrap_err().code, ProblemCode::Conflict);
            return;
        }
        let Ok(done) = done else { return };
        let done = &done["result"];
        let after = self.rows();
        let is_it = |row: &&Value| row["id"] == done["id"];
        let task = after["task"].as_array().unwrap().iter().find(is_it).unwrap();
        assert_eq!((&task["status"], &done["to"]), (&done["to"], &json!("CLOSED")));
        let claims = live_claims(&after, self.now);
        assert!(!claims.contains_key(done["id"].as_str().unwrap()), "{done}");
        if let Some(learnt) = args["learnt"].as_str() {
            let known = [&after["atom"], &after["event"]].map(ToString::to_string).concat();
            assert!(known.contains(learnt), "{learnt}");
        }
    }

    /// Planning or importing the same again changes nothing.
    fn plan_twice(&self, session: &str, name: &str, text: &str) {
        let args = json!({"text": text});
        if self.call(session, name, args.clone()).is_err() {
            return;
        }
        let rows = self.rows();
        let again = self.call(session, name, args).unwrap()["result"].clone();
        let again = again.get("plan").unwrap_or(&again);
        assert_eq!((&again["created"], &again["changed"]), (&json!(0), &json!(0)), "{again}");
        assert_eq!(self.rows(), rows);
    }

    /// An export of all rows gives the same rows in another store. The Markdown of all plans
    /// changes nothing in this store, and makes the same plans in another.
    fn check_round_trips(&self) {
        let export = self.repo.data("work.export", json!({}));
        let elsewhere = TestRepo::new(FIXTURE);
        elsewhere.data("work.import", json!({"text": export.to_string()}));
        assert_eq!(elsewhere.data("work.export", json!({})), export);
        let markdown = |repo: &TestRepo| {
            let text = repo.data("work.export", json!({"format": "markdown"}))["text"].clone();
            text.as_str().unwrap().to_owned()
        };
        let text = markdown(&self.repo);
        let again = self.repo.call_op("work.plan", json!({"text": text, "dry_run": true}));
        let again = again.unwrap_or_else(|problem| panic!("{problem}\n{text}"));
        let again = &again.data["result"];
        assert_eq!(
            (&again["created"], &again["changed"]),
            (&json!(0), &json!(0)),
            "{again}\n{text}"
        );
        let third = TestRepo::new(FIXTURE);
        let made = third.call_op("work.plan", json!({"text": text}));
        made.unwrap_or_else(|problem| panic!("{problem}\n{text}"));
        assert_eq!(markdown(&third), text);
    }
}

/// The sessions that hold tasks at a time, by task.
fn live_claims(rows: &Value, now: Timestamp) -> BTreeMap<String, String> {
    let text = |row: &Value, key: &str| row[key].as_str().unwrap().to_owned();
    let claims = rows["claim"].as_array().unwrap().iter();
    let live = claims.filter(|row| text(row, "until").parse::<Timestamp>().unwrap() > now);
    live.map(|row| (text(row, "id"), text(row, "session"))).collect()
}

/// Performs steps, each for its session, and checks the store afterwards.
fn check_sequence(steps: &[(usize, WorkStep)]) {
    let mut office = Office::new();
    for (who, step) in steps {
        office.take(SESSIONS[*who], step);
    }
    assert_eq!(office.repo.data("verify", json!({}))["errors"], 0);
    office.check_round_trips();
}

#[test]
fn a_given_up_task_blocks_what_it_waited_for() {
    check_sequence(&[
        (0, WorkStep::Move(1, "work.terminate")),
        (0, WorkStep::Relate(0, 1, "IS_BLOCKED_BY")),
    ]);
}

#[test]
fn what_was_started_and_taken_back_is_blocked() {
    check_sequence(&[
        (0, WorkStep::Schedule(1)),
        (1, WorkStep::Comment(0)),
        (0, WorkStep::Start(None, true)),
        (2, WorkStep::Done(None, false)),
        (1, WorkStep::Start(None, false)),
        (1, WorkStep::Release(7)),
        (0, WorkStep::Undo),
        (1, WorkStep::Move(3, "work.revert")),
        (2, WorkStep::Block(6)),
    ]);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: testkit::property_cases(24), max_shrink_iters: 200, ..ProptestConfig::default()
    })]

    #[test]
    fn every_sequence_keeps_its_promises(
        steps in prop::collection::vec((0..SESSIONS.len(), step()), 1..24)
    ) {
        check_sequence(&steps);
    }

    #[test]
    fn a_change_is_undone_exactly(
        steps in prop::collection::vec((0..SESSIONS.len(), step()), 0..8),
        last in step(),
    ) {
        let mut office = Office::new();
        for (who, step) in &steps {
            office.take(SESSIONS[*who], step);
        }
        // Events of the change and of its undo stay.
        let rows = |office: &Office| {
            let mut rows = office.rows();
            rows.as_object_mut().unwrap().remove("event");
            rows
        };
        let before = rows(&office);
        let is_own = !matches!(last, WorkStep::Undo | WorkStep::Redo | WorkStep::Wait);
        office.take("cyd/1", &last);
        if is_own && rows(&office) != before {
            office.call("cyd/1", "undo", json!({})).unwrap();
            assert_eq!(rows(&office), before, "{last:?}");
        }
    }
}
