//! The part of a soak that plans, starts, discusses and finishes tasks, and what must hold of them
//! at the end: nothing acknowledged is lost, a plan is there whole, and no task was given to two
//! sessions.

use std::collections::{BTreeMap, BTreeSet};

use base::{Problem, ProblemCode, Result};
use engine::Workspace;
use serde_json::{Value, json};

use crate::soak::{SeededRng, report_line};

/// How many tasks a plan has.
const PLANNED_TASKS: usize = 3;

/// What was acknowledged about tasks.
#[derive(Debug, Default)]
pub struct WorkAcknowledged {
    /// Features that were planned
    planned: BTreeSet<String>,
    /// The sessions that each task was given to
    started: BTreeMap<String, BTreeSet<String>>,
    /// Tasks that were finished
    done: BTreeSet<String>,
    /// Comments, each after the id of its task
    commented: BTreeSet<String>,
    /// Lessons that were recorded
    learnt: BTreeSet<String>,
    /// How many operations were acknowledged
    pub operations: usize,
}

/// How many of each kind of acknowledgement there were.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkCounts {
    /// Plans of three tasks
    pub plans: usize,
    /// Tasks that were given to a session
    pub started: usize,
    /// Tasks that were finished
    pub done: usize,
    /// Comments
    pub comments: usize,
    /// Lessons
    pub lessons: usize,
}

/// A session that works on tasks.
pub(crate) struct TaskWorker<'a> {
    pub on: &'a Workspace,
    pub name: &'a str,
    pub round: u64,
}

impl TaskWorker<'_> {
    /// Does something with tasks, chosen at random. It is not a failure if no task is ready.
    pub(crate) fn act(&self, dice: &mut SeededRng) -> Result<()> {
        match dice.below(8) {
            0 => self.plan(),
            1 => self.import(),
            _ => match self.work(dice) {
                Err(problem) if problem.code == ProblemCode::NotFound => self.plan(),
                done => done,
            },
        }
    }

    fn plan(&self) -> Result<()> {
        let name = format!("{} {}", self.name, self.round);
        let text = format!(
            "# Feature: {name}\n\n## Task: first {name}\n\n- files: README.md\n\n\
             ## Task: second {name}\n\n- blocked by: first {name}\n\n## Task: third {name}\n"
        );
        self.call("work.plan", json!({"text": text}))?;
        report_line("planned", &name);
        Ok(())
    }

    fn import(&self) -> Result<()> {
        let name = format!("imported {} {}", self.name, self.round);
        self.call(
            "work.import",
            json!({"text": format!("- [ ] {name}\n"), "format": "checklist"}),
        )?;
        report_line("record", &format!("task:{name}"));
        Ok(())
    }

    /// A task from its start to its end, with a remark, a question, a relation and the next task.
    fn work(&self, dice: &mut SeededRng) -> Result<()> {
        let started = self.call("work.start", json!({}))?;
        let id = self.started(&started)?;
        let text = format!("remark {} of {}", self.round, self.name);
        self.call("work.comment", json!({"id": id, "text": text}))?;
        report_line("commented", &format!("{id} {text}"));
        if dice.below(3) == 0 {
            let blocked = self.call("work.block", json!({"reason": "Which?", "next": true}))?;
            let next = blocked["started"].is_object().then(|| self.started(&blocked["started"]));
            if let Some(next) = next.transpose()? {
                self.call(
                    "work.depend",
                    json!({"from": id, "to": next, "relation": "RELATES_TO"}),
                )?;
                self.call("work.undepend", json!({"from": id, "to": next}))?;
            }
            let answer = format!("answer {} of {}", self.round, self.name);
            self.call("work.unblock", json!({"id": id, "comment": answer}))?;
            report_line("commented", &format!("{id} {answer}"));
        }
        let learnt = format!("lesson {} of {};", self.round, self.name);
        let done = self.call("work.done", json!({"task": id, "learnt": learnt, "next": true}))?;
        report_line("done", &id);
        report_line("learnt", &learnt);
        if done["started"].is_object() {
            self.started(&done["started"])?;
        }
        Ok(())
    }

    /// Reports that a task was given to this session.
    fn started(&self, answer: &Value) -> Result<String> {
        let id = answer["task"]["id"].as_str().ok_or_else(|| Problem::internal("no task"))?;
        report_line("started", &format!("{id} {}", self.name));
        Ok(id.to_owned())
    }

    fn call(&self, name: &str, args: Value) -> Result<Value> {
        let args =
            serde_json::from_value(args).map_err(|error| Problem::invalid(error.to_string()))?;
        let (op, args) = operations::ops::resolve(name, args)?;
        let call = crate::call_by(self.name).in_session(self.name);
        let answer = op.call(self.on, call, args)?.data["result"].clone();
        report_line("operation", name);
        Ok(answer)
    }
}

impl WorkAcknowledged {
    /// How much was acknowledged.
    pub fn counts(&self) -> WorkCounts {
        WorkCounts {
            plans: self.planned.len(),
            started: self.started.len(),
            done: self.done.len(),
            comments: self.commented.len(),
            lessons: self.learnt.len(),
        }
    }

    /// Records an acknowledgement, if it is about tasks.
    pub(crate) fn record(&mut self, kind: &str, text: &str) {
        let (id, rest) = text.split_once(' ').unwrap_or((text, ""));
        match kind {
            "operation" => self.operations += 1,
            "planned" => drop(self.planned.insert(text.to_owned())),
            "started" => {
                self.started.entry(id.to_owned()).or_default().insert(rest.to_owned());
            }
            "done" => drop(self.done.insert(text.to_owned())),
            "commented" => drop(self.commented.insert(text.to_owned())),
            "learnt" => drop(self.learnt.insert(text.to_owned())),
            _ => {}
        }
    }

    /// What is wrong with the rows of the store, given as `work.export` writes them.
    pub(crate) fn failures(&self, tables: &Value) -> Vec<String> {
        let rows = |table: &str| tables[table].as_array().cloned().unwrap_or_default();
        let by_id = |table: &str| -> BTreeMap<String, Value> {
            let key = |row: &Value| row["id"].as_str().unwrap_or_default().to_owned();
            rows(table).into_iter().map(|row| (key(&row), row)).collect()
        };
        let (tasks, claims) = (by_id("task"), by_id("claim"));
        let mut failures = Vec::new();
        for (id, sessions) in &self.started {
            if sessions.len() > 1 {
                failures.push(format!("task {id} was given to {sessions:?}"));
            }
            let owner = claims.get(id).and_then(|claim| claim["session"].as_str());
            if owner.is_none_or(|owner| !sessions.contains(owner)) {
                failures.push(format!("task {id} of {sessions:?} is claimed by {owner:?}"));
            }
        }
        failures.extend(claimed_twice(&rows("event")));
        let open =
            self.done.iter().filter(|id| tasks.get(*id).is_none_or(|t| t["status"] != "CLOSED"));
        failures.extend(open.map(|id| format!("task {id} was done and is not closed")));
        let events: BTreeSet<String> = rows("event")
            .iter()
            .map(|event| {
                [&event["item_id"], &event["text"]]
                    .map(|v| v.as_str().unwrap_or_default())
                    .join(" ")
            })
            .collect();
        let lost = self.commented.iter().filter(|comment| !events.contains(*comment));
        failures.extend(lost.map(|comment| format!("the comment {comment} is lost")));
        let atoms = rows("atom");
        let known: String = atoms.iter().filter_map(|atom| atom["knowledge"].as_str()).collect();
        let said: String = events.iter().map(String::as_str).collect();
        let lost = self.learnt.iter().filter(|one| !known.contains(*one) && !said.contains(*one));
        failures.extend(lost.map(|lesson| format!("{lesson} is lost")));
        failures.extend(self.torn_plans(&rows("feature"), &tasks));
        failures
    }

    /// Plans that are lost, or not there whole.
    fn torn_plans(&self, features: &[Value], tasks: &BTreeMap<String, Value>) -> Vec<String> {
        let mut members = BTreeMap::<&str, usize>::new();
        for task in tasks.values() {
            *members.entry(task["feature_id"].as_str().unwrap_or_default()).or_default() += 1;
        }
        let mut wrong = Vec::new();
        let names: BTreeSet<&str> =
            features.iter().filter_map(|row| row["name"].as_str()).collect();
        let lost = self.planned.iter().filter(|name| !names.contains(name.as_str()));
        wrong.extend(lost.map(|name| format!("the plan {name} is lost")));
        for feature in features {
            let count = feature["id"].as_str().and_then(|id| members.get(id));
            if count != Some(&PLANNED_TASKS) {
                wrong.push(format!("the plan {} has {count:?} tasks", feature["name"]));
            }
        }
        wrong
    }
}

/// Tasks that the history says were claimed more than once. A session that is killed does not come
/// back here, and no claim runs out, so each task has one claim.
fn claimed_twice(events: &[Value]) -> Vec<String> {
    let mut claims = BTreeMap::<&str, usize>::new();
    for event in events {
        let text = event["text"].as_str().unwrap_or_default();
        if text.contains("claimed until") && !text.contains("renewed") {
            *claims.entry(event["item_id"].as_str().unwrap_or_default()).or_default() += 1;
        }
    }
    let many = claims.into_iter().filter(|(_, count)| *count > 1);
    many.map(|(id, count)| format!("task {id} was claimed {count} times")).collect()
}
