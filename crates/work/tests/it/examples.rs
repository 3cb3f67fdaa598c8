//! What operations do, one after another: a line of a script in, a line of an answer out.

use jiff::{SignedDuration, Timestamp};
use store::{Connection, inverse_row_changes};
use work::claim::{ClaimRequest, ClaimScope, claim};
use work::dependencies::{BlockerRef, add_dependency, block, unblock};
use work::edit::{self, WorkItemFields};
use work::events::{comment, events_of};
use work::knowledge::edit::{self as knowledge, KnowledgeFields, KnowledgeTarget};
use work::pipeline::{self, TerminationOptions, TransitionTarget, WorkPipelines};
use work::start::start;
use work::text::{ClearableArg, ListArg};
use work::words::{DependencyKind, KnowledgeKind, WorkKind, WorkStatus};
use work::{VersionedRef, WorkDraft, WorkItem, WorkRecordRef, check, tables};

/// A store with one client, and its clock.
struct Desk {
    conn: Connection,
    now: Timestamp,
    changes: u8,
}

impl Desk {
    fn new() -> Self {
        let conn = Connection::open_in_memory().unwrap();
        for step in tables::MIGRATIONS {
            conn.execute_batch(step.sql).unwrap();
        }
        Self { conn, now: "2026-01-02T03:04:05Z".parse().unwrap(), changes: 0 }
    }

    /// Runs one line of a script. Each change is also undone and redone, which must leave the same
    /// rows.
    fn run(&mut self, line: &str) -> String {
        self.changes += 1;
        self.now += SignedDuration::from_mins(1);
        let mut draft = WorkDraft::new(&self.conn, self.now, "ada", [self.changes; 32]);
        let answer = match perform(&mut draft, line) {
            Ok(answer) => answer,
            Err(problem) => return format!("{:?}: {}", problem.code, problem.message),
        };
        draft.record_events().unwrap();
        let changes = draft.into_changes();
        let before = tables::export(&self.conn).unwrap();
        let apply = |list: &[_]| work::draft::apply_changes(&self.conn, list).unwrap();
        apply(&changes);
        let after = tables::export(&self.conn).unwrap();
        apply(&inverse_row_changes(&changes));
        assert_eq!(tables::export(&self.conn).unwrap(), before, "{line}: undo");
        apply(&changes);
        assert_eq!(tables::export(&self.conn).unwrap(), after, "{line}: redo");
        assert_eq!(check::integrity_violations(&self.conn).unwrap(), [""; 0], "{line}");
        answer
    }
}

fn named(name: &str) -> WorkItemFields {
    WorkItemFields { name: Some(name.parse().unwrap()), ..WorkItemFields::default() }
}

fn target(id: &WorkRecordRef) -> VersionedRef<'_> {
    VersionedRef { id, version: None }
}

/// A claim for half an hour.
fn request(task: Option<&WorkRecordRef>) -> ClaimRequest<'_> {
    ClaimRequest { task, scope: ClaimScope::default(), minutes: 30, steal: false }
}

/// One operation: a verb, then references and names.
#[expect(clippy::too_many_lines, reason = "one arm a verb")]
fn perform(draft: &mut WorkDraft<'_>, line: &str) -> base::Result<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let reference = |text: &str| text.parse::<WorkRecordRef>().map_err(base::Problem::invalid);
    let pipelines = WorkPipelines {
        feature: vec![WorkStatus::New, WorkStatus::Active, WorkStatus::Closed],
        task: vec![WorkStatus::New, WorkStatus::Active, WorkStatus::Closed],
        evidence: Vec::new(),
    };
    match words[..] {
        ["project", name] => {
            edit::create(draft, WorkKind::Project, None, &named(name))?;
        }
        ["feature", name, project] => {
            let project = reference(project)?;
            edit::create(draft, WorkKind::Feature, Some(&project), &named(name))?;
        }
        ["task", name, feature] => {
            let feature = Some(ClearableArg(Some(reference(feature)?)));
            edit::create(draft, WorkKind::Task, None, &WorkItemFields { feature, ..named(name) })?;
        }
        ["delete", id] => {
            let id = reference(id)?;
            let version = Some(1);
            edit::delete(draft, None, VersionedRef { id: &id, version }, false)?;
        }
        ["block", to, by] => {
            let by: BlockerRef = by.parse().map_err(base::Problem::invalid)?;
            block(draft, target(&reference(to)?), &[by], "")?;
        }
        ["unblock", to] => {
            let left = unblock(draft, target(&reference(to)?), &[])?;
            return Ok(format!("removed {}, {} left", left.removed.len(), left.remaining));
        }
        ["relate", from, to] => {
            let relation = DependencyKind::RelatesTo;
            add_dependency(draft, &reference(from)?, &reference(to)?, relation, "")?;
        }
        ["claim"] => {
            let (task, _) = claim(draft, request(None))?;
            return Ok(format!("claimed {}", task.title));
        }
        ["part", part, parent] => {
            let (parent, part) = (reference(parent)?, reference(part)?);
            add_dependency(draft, &parent, &part, DependencyKind::ParentOf, "")?;
        }
        ["start"] => {
            let started = start(draft, &pipelines, request(None))?;
            return Ok(format!(
                "{:?} {} {}",
                started.reason, started.task.title, started.task.status
            ));
        }
        ["start", id] => {
            let id = reference(id)?;
            let started = start(draft, &pipelines, request(Some(&id)))?;
            return Ok(format!(
                "{:?} {} {}",
                started.reason, started.task.title, started.task.status
            ));
        }
        ["comment", id, text] => {
            let item = WorkItem::find(draft, WorkKind::ALL, &reference(id)?)?;
            comment(draft, &item, &text.parse().unwrap())?;
        }
        ["history", id] => {
            let item = WorkItem::find(draft, WorkKind::ALL, &reference(id)?)?;
            let events = events_of(draft, item.id())?;
            let told: Vec<String> =
                events.iter().map(|event| format!("{} {}", event.actor, event.text)).collect();
            return Ok(told.join(" | "));
        }
        ["key", id] => {
            let key = WorkItem::find(draft, WorkKind::ALL, &reference(id)?)?.key();
            let same = WorkItem::find(draft, WorkKind::ALL, &reference(key.as_str())?)?;
            assert_eq!(same.key(), key);
            return Ok(key.as_str()[..key.as_str().len() - 5].to_owned());
        }
        [verb @ ("advance" | "revert" | "terminate"), id] => {
            let id = reference(id)?;
            let step = TransitionTarget { kind: None, id: &id, version: None };
            let options = TerminationOptions { reason: Some("why"), cascade: false };
            let done = match verb {
                "advance" => pipeline::advance(draft, &pipelines, &step, &[])?,
                "revert" => pipeline::revert(draft, &pipelines, &step)?,
                _ => pipeline::terminate(draft, &pipelines, &step, options)?,
            };
            return Ok(format!("{} -> {}", done.from, done.to));
        }
        ["atom", name, paths, project] => {
            let fields = KnowledgeFields {
                name: Some(name.parse().unwrap()),
                paths: Some(ListArg(vec![paths.parse().map_err(base::Problem::invalid)?])),
                ..KnowledgeFields::default()
            };
            let project = reference(project)?;
            knowledge::create(draft, KnowledgeKind::Atom, Some(&project), &fields, None)?;
        }
        ["forget", id, version] => {
            let (id, version) = (reference(id)?, version.parse().unwrap());
            let target = KnowledgeTarget { grain: None, id: &id, version };
            knowledge::delete(draft, target, None, false)?;
        }
        _ => panic!("not an operation: {line}"),
    }
    Ok("ok".into())
}

/// Runs a script; each line is followed by what it answers.
#[track_caller]
fn check_script(script: &[(&str, &str)]) {
    let mut desk = Desk::new();
    for (line, expected) in script {
        assert_eq!(desk.run(line), *expected, "{line}");
    }
}

#[test]
fn blocks() {
    check_script(&[
        ("project shop", "ok"),
        ("feature checkout project:shop", "ok"),
        ("task card feature:checkout", "ok"),
        ("task refund feature:checkout", "ok"),
        ("block task:refund task:card", "ok"),
        ("block task:card task:card", "InvariantViolation: task \"card\" cannot depend on itself"),
        (
            "block task:card task:refund",
            "InvariantViolation: dependency cycle: \"card\" waits for \"refund\" waits for \"card\"",
        ),
        ("block task:card NO_OP", "ValidationError: a NO_OP block needs a reason"),
        ("claim", "claimed card"),
        ("unblock task:refund", "removed 1, 0 left"),
        ("relate task:refund task:card", "ok"),
    ]);
}

#[test]
fn statuses() {
    check_script(&[
        ("project shop", "ok"),
        ("feature checkout project:shop", "ok"),
        ("task card feature:checkout", "ok"),
        ("advance task:card", "NEW -> ACTIVE"),
        ("advance task:card", "ACTIVE -> CLOSED"),
        ("revert task:card", "CLOSED -> ACTIVE"),
        ("terminate task:card", "ACTIVE -> WILL_NOT_IMPLEMENT"),
    ]);
}

#[test]
fn starts_and_history() {
    check_script(&[
        ("project shop", "ok"),
        ("start", "NotFound: no task is ready to start"),
        ("feature checkout project:shop", "ok"),
        ("task card feature:checkout", "ok"),
        ("task refund feature:checkout", "ok"),
        ("block task:refund task:card", "ok"),
        ("start task:refund", "Blocked: task \"refund\" is blocked by 1"),
        ("start", "Next card ACTIVE"),
        ("start", "Held card ACTIVE"),
        ("comment task:card half-way", "ok"),
        ("advance task:card", "ACTIVE -> CLOSED"),
        ("start", "Next refund ACTIVE"),
        ("key task:refund", "refund"),
        (
            "history task:card",
            "ada created | ada blocks \"refund\" | ada claimed until 2026-01-02T03:42:05Z; \
             NEW → ACTIVE | ada claim renewed until 2026-01-02T03:43:05Z | ada half-way | \
             ada ACTIVE → CLOSED",
        ),
    ]);
}

#[test]
fn subtasks() {
    check_script(&[
        ("project shop", "ok"),
        ("feature checkout project:shop", "ok"),
        ("task card feature:checkout", "ok"),
        ("task visa feature:checkout", "ok"),
        ("task iban feature:checkout", "ok"),
        ("part task:visa task:card", "ok"),
        (
            "part task:card task:visa",
            "InvariantViolation: task \"card\" contains task \"visa\" already",
        ),
        (
            "part task:visa task:iban",
            "InvariantViolation: task \"visa\" is already a part of \"card\"",
        ),
        ("part task:visa feature:checkout", "ValidationError: only a task can be a part of a task"),
        (
            "block task:visa task:card",
            "InvariantViolation: dependency cycle: \"visa\" waits for \"card\" waits for \"visa\"",
        ),
        ("advance task:card", "NEW -> ACTIVE"),
        ("advance task:card", "Blocked: task \"card\" has 1 open subtask"),
        ("start", "Next visa ACTIVE"),
        ("advance task:visa", "ACTIVE -> CLOSED"),
        ("advance task:card", "ACTIVE -> CLOSED"),
    ]);
}

#[test]
fn deletions() {
    check_script(&[
        ("project shop", "ok"),
        ("atom idempotency src/** project:shop", "ok"),
        (
            "delete project:shop",
            "HasChildren: project \"shop\" still has 0 features, 0 tasks and 1 record of knowledge",
        ),
        ("forget atom:idempotency 1", "ok"),
        ("delete project:shop", "ok"),
        ("delete project:shop", "NotFound: no project project:shop"),
    ]);
}
