//! One contract for local stores and for those of a team: every operation on work, knowledge and
//! facts gives the same answers and the same errors in both.
//!
//! The steps run in a repository of its own and in one that is in a team, at the same times and
//! with the same ids, so that answers can be compared whole. The test fails if a new operation has
//! no step here.

use std::collections::BTreeMap;

use base::call::CallRequest;
use engine::{ColorMode, JsonObject, Outcome};
use operations::{CallFormat, ops};
use serde_json::{Value, json};
use testkit::TestRepo;
use testkit::postgres::{self, PostgresServer};

/// The groups of operations on records that a team shares.
const SHARED_GROUPS: [&str; 4] = ["work.", "knowledge.", "kb.", "changelog."];

const FIXTURE: &str = r#"
//- /src/auth/login.ts
/** Opens a session. */
export function openSession(name: string) {
  return name;
}
//- /src/pay.ts
export const pay = 1;
//- /docs/adr/0001-use-postgres.md
# 1. Use PostgreSQL

## Status

Accepted

## Context

Several machines write.
//- /junit.xml
<testsuite name="s"><testcase classname="a" name="opens"/></testsuite>
//- /broken.xml
<testsuite
"#;

/// A repository in which all steps so far were performed.
struct ContractStore {
    repo: TestRepo,
    name: &'static str,
}

impl ContractStore {
    fn call(&self, step: usize, operation: &str, args: &Value) -> Outcome {
        let args: JsonObject = serde_json::from_value(args.clone()).unwrap();
        let (op, args) = ops::resolve(operation, args)?;
        let mut call = testkit::call_by("tester");
        let seconds = i64::try_from(step).unwrap();
        call.now = call.now.checked_add(jiff::SignedDuration::from_secs(seconds)).unwrap();
        let request = CallRequest {
            operation: operation.to_owned(),
            args: args.clone(),
            seed: *base::Hash::of(&step.to_be_bytes()).as_bytes(),
            replayed: None,
        };
        op.call(&self.repo.workspace(), call.with_request(request), args)
    }
}

/// Both stores before the first step, or `None` if there is no server.
fn stores() -> Option<[ContractStore; 2]> {
    let Some(server) = PostgresServer::shared() else {
        testskip::not_run("PostgreSQL is not installed; `cargo xtask test` installs it");
        return None;
    };
    let (alone, member) = (TestRepo::new(FIXTURE), TestRepo::new(FIXTURE));
    postgres::join(&member, &server.database());
    Some([
        ContractStore { repo: alone, name: "alone" },
        ContractStore { repo: member, name: "in a team" },
    ])
}

/// A step of the contract: an operation on records that a team shares, or a preparation with git.
enum ContractStep {
    Call(&'static str, Value),
    Git(&'static [&'static str]),
}

/// A call by its operation and arguments.
fn ask(operation: &'static str, args: Value) -> ContractStep {
    ContractStep::Call(operation, args)
}

/// Tasks are made, related, described and found.
fn planning_steps() -> Vec<ContractStep> {
    vec![
        ask("work.overview", json!({})),
        ask("work.create", json!({"kind": "task", "name": "Early", "feature": "None"})),
        ask("work.create", json!({"kind": "project", "name": "Shop", "summary": "s"})),
        ask("work.create", json!({"kind": "feature", "name": "Login", "tags": ["auth", "web"]})),
        ask(
            "work.create",
            json!({"kind": "task", "name": "Lock", "feature": "Login", "priority": "HIGH", "estimate": "2h", "due": "2026-03-31", "tags": ["auth"]}),
        ),
        ask(
            "work.create",
            json!({"kind": "task", "name": "Tell", "feature": "Login", "assignee": "ada"}),
        ),
        ask(
            "work.create",
            json!({"kind": "task", "name": "Part", "parent": "Lock", "complexity": 3}),
        ),
        ask("work.create", json!({"kind": "task", "name": "Bad", "complexity": 30})),
        ask(
            "work.update",
            json!({"id": "Tell", "version": 1, "summary": "new", "milestone": "m1"}),
        ),
        ask("work.update", json!({"id": "Tell", "version": 1, "summary": "stale"})),
        ask("work.update", json!({"id": "Nobody", "version": 1, "summary": "x"})),
        ask("work.depend", json!({"from": "Lock", "to": "Tell", "reason": "order"})),
        ask("work.depend", json!({"from": "Tell", "to": "Lock"})),
        ask("work.dependencies", json!({"id": "Tell"})),
        ask("work.depend", json!({"from": "Part", "to": "Tell", "relation": "RELATES_TO"})),
        ask("work.undepend", json!({"from": "Part", "to": "Tell"})),
        ask("work.undepend", json!({"from": "Part", "to": "Tell"})),
        ask("work.dependencies", json!({"id": "Nobody"})),
        ask("work.blocked", json!({})),
        ask("work.state", json!({"id": "Tell"})),
        ask("work.state", json!({"id": "Nobody"})),
        ask("work.advance", json!({"id": "Tell"})),
        ask(
            "work.section_edit",
            json!({"action": "add", "owner": "Lock", "title": "Context Files", "content": "- `src/auth/login.ts` see openSession\n"}),
        ),
        ask(
            "work.section_edit",
            json!({"action": "add", "owner": "Lock", "title": "Plan", "content": "1. count", "tags": ["plan"]}),
        ),
        ask(
            "work.section_edit",
            json!({"action": "update_text", "owner": "Lock", "title": "Plan", "old": "count", "new": "lock"}),
        ),
        ask(
            "work.section_edit",
            json!({"action": "update_text", "owner": "Lock", "title": "Plan", "old": "absent", "new": "x"}),
        ),
        ask("work.sections", json!({"id": "Lock"})),
        ask("work.sections", json!({"id": "Nobody"})),
        ask(
            "work.template_edit",
            json!({"action": "create", "name": "Careful", "kind": "task", "description": "d", "sections": [{"title": "Risks", "usage": "u", "sample": "none"}]}),
        ),
        ask("work.template_edit", json!({"action": "create", "name": "Careful", "kind": "task"})),
        ask(
            "work.template_edit",
            json!({"action": "add_section", "template": "Careful", "title": "Rollback", "usage": "u"}),
        ),
        ask("work.templates", json!({"template": "Careful"})),
        ask("work.templates", json!({"template": "Absent"})),
        ask("work.template_apply", json!({"to": "Tell", "templates": ["Careful"]})),
        ask("work.template_apply", json!({"to": "Tell", "templates": ["Absent"]})),
        ask("work.tags", json!({})),
        ask("work.tags", json!({"tag": "auth"})),
        ask("work.tag_rename", json!({"old_tag": "auth", "new_tag": "login"})),
        ask("work.tag_rename", json!({"old_tag": "absent", "new_tag": "x"})),
    ]
}

/// Tasks are claimed, done, blocked, imported, exported and deleted.
fn doing_steps() -> Vec<ContractStep> {
    let plan = "# Feature: Planned\n\n## Task: First\n\n- files: src/pay.ts\n\n## Task: Second\n\n- blocked by: First\n";
    vec![
        ask("work.next", json!({"limit": 5, "include_details": true})),
        ask("work.next", json!({"project": "Absent"})),
        ask("work.claim", json!({"task": "Part", "minutes": 30})),
        ask("work.claim", json!({"task": "Nobody"})),
        ask("work.claim", json!({"task": "Part", "release": true})),
        ask("work.start", json!({"task": "Tell"})),
        ask("work.start", json!({"task": "Lock"})),
        ask("work.comment", json!({"id": "Lock", "text": "hurry"})),
        ask("work.comment", json!({"id": "Nobody", "text": "x"})),
        ask("work.board", json!({})),
        ask("work.board", json!({"project": "Absent"})),
        ask("work.terminate", json!({"id": "Part", "reason": "not needed"})),
        ask("work.terminate", json!({"id": "Part"})),
        ask(
            "work.done",
            json!({"task": "Lock", "learnt": "Locks are per account", "evidence": ["tests: a"]}),
        ),
        ask("work.done", json!({})),
        ask("work.advance", json!({"id": "Tell"})),
        ask("work.revert", json!({"id": "Tell"})),
        ask("work.revert", json!({"id": "Tell", "version": 99})),
        ask("work.block", json!({"id": "Tell", "blocked_by": ["NO_OP"], "reason": "waits"})),
        ask("work.block", json!({"id": "Tell", "blocked_by": ["Nobody"]})),
        ask("work.unblock", json!({"id": "Tell"})),
        ask("work.unblock", json!({"id": "Nobody"})),
        ask("work.plan", json!({"text": plan})),
        ask("work.plan", json!({"text": plan, "dry_run": true})),
        ask("work.plan", json!({"file": "absent.md"})),
        ask(
            "work.import",
            json!({"text": "- [ ] Imported one\n- [x] Imported two\n", "project": "Shop"}),
        ),
        ask("work.import", json!({"path": "absent.json"})),
        ask("work.search", json!({"query": "lock"})),
        ask("work.search", json!({"status": ["!CLOSED"], "kind": "task", "limit": 3, "offset": 1})),
        ask("work.search", json!({"project": "Absent"})),
        ask("work.show", json!({"id": "Lock", "full": true})),
        ask("work.show", json!({"id": "Nobody"})),
        ask("work.overview", json!({"id": "Absent"})),
        ask("work.export", json!({"id": "Planned", "format": "markdown"})),
        ask("work.export", json!({"id": "Absent"})),
        ask("work.delete", json!({"id": "Login", "version": 1})),
        ask("work.delete", json!({"id": "Second", "version": 1, "dry_run": true})),
        ask("work.delete", json!({"id": "Second", "version": 1})),
    ]
}

fn knowledge_steps() -> Vec<ContractStep> {
    vec![
        ask(
            "knowledge.create",
            json!({"kind": "molecule", "name": "Sessions", "knowledge": "how"}),
        ),
        ask(
            "knowledge.create",
            json!({"kind": "atom", "name": "Opening", "molecule": "Sessions", "paths": ["src/auth/**"], "knowledge": "k", "task": "Lock"}),
        ),
        ask(
            "knowledge.create",
            json!({"kind": "atom", "name": "Paying", "paths": ["src/pay.ts"], "knowledge": "p"}),
        ),
        ask(
            "knowledge.create",
            json!({"kind": "atom", "name": "Bad", "molecule": "Absent", "paths": ["x"]}),
        ),
        ask(
            "knowledge.update",
            json!({"id": "Opening", "version": 1, "mode": "append", "knowledge": "more"}),
        ),
        ask("knowledge.update", json!({"id": "Opening", "version": 1, "name": "stale"})),
        ask(
            "knowledge.context",
            json!({"paths": ["src/auth/login.ts", "src/pay.ts", "junit.xml"]}),
        ),
        ask("knowledge.context", json!({"paths": ["src"], "project": "Absent"})),
        ask("knowledge.search", json!({"query": "more"})),
        ask("knowledge.search", json!({"molecule": "Absent"})),
        ask("knowledge.show", json!({"id": "Opening"})),
        ask("knowledge.show", json!({"id": "Absent"})),
        ask("knowledge.drift", json!({})),
        ask("knowledge.drift", json!({"project": "Absent"})),
        ask("changelog.append", json!({"parent": "Opening", "summary": "seen in review"})),
        ask("changelog.append", json!({"parent": "Absent", "summary": "x"})),
        ask("changelog.search", json!({"parent": "Opening"})),
        ask("changelog.search", json!({"parent": "Absent"})),
        ask("knowledge.delete", json!({"id": "Sessions", "version": 99})),
        ask("knowledge.delete", json!({"id": "Paying", "version": 1})),
        ask("knowledge.search", json!({})),
    ]
}

fn fact_steps() -> Vec<ContractStep> {
    let requirement = |id: &str, title: &str| json!({"id": id, "type": "req", "title": title, "status": "open", "priority": "must"});
    vec![
        ask("kb.schema", json!({})),
        ask(
            "kb.upsert",
            json!({"id": "cs-1", "source": "review", "entities": [
            requirement("REQ-1", "one"), requirement("REQ-2", "two"),
            {"id": "FACT-1", "type": "fact", "title": "f", "status": "active"}]}),
        ),
        ask("kb.upsert", json!({"entities": [{"id": "REQ-1", "status": "bogus"}]})),
        ask("kb.upsert", json!({"id": "cs-1", "entities": [requirement("REQ-3", "other")]})),
        ask("kb.upsert", json!({"entities": [{"id": "REQ-1", "title": "newer", "if_version": 1}]})),
        ask("kb.upsert", json!({"entities": [{"id": "REQ-1", "title": "stale", "if_version": 1}]})),
        ask(
            "kb.upsert",
            json!({"relations": [{"type": "depends_on", "from": "REQ-2", "to": "REQ-1"}]}),
        ),
        ask("kb.query", json!({})),
        ask("kb.query", json!({"type": ["req"], "text": "two"})),
        ask("kb.query", json!({"type": ["bogus"]})),
        ask("kb.check", json!({})),
        ask("kb.check", json!({"rules": ["bogus"]})),
        ask("kb.log", json!({})),
        ask("kb.log", json!({"id": "REQ-1"})),
        ask("kb.rollback", json!({"entry": 1})),
        ask("kb.rollback", json!({"entry": 99})),
        ask("kb.rollback", json!({"entry": 2})),
        ask("kb.delete", json!({"targets": ["REQ-1"]})),
        ask("kb.delete", json!({"targets": ["REQ-9"]})),
        ask("kb.delete", json!({"targets": ["REQ-1"], "cascade": true})),
        ask("kb.import", json!({"path": "junit.xml"})),
        ask("kb.import", json!({"path": "broken.xml"})),
        ask("kb.adopt", json!({"dry_run": true})),
        ask("kb.adopt", json!({"path": "absent"})),
        ask("kb.promote", json!({"id": "FACT-1", "dry_run": true})),
        ask("kb.promote", json!({"id": "FACT-9"})),
        ContractStep::Git(&["switch", "-q", "-c", "topic"]),
        ask(
            "kb.upsert",
            json!({"entities": [requirement("REQ-5", "on a topic"), {"id": "REQ-2", "title": "theirs"}]}),
        ),
        ContractStep::Git(&["switch", "-q", "main"]),
        ask("kb.upsert", json!({"entities": [{"id": "REQ-2", "title": "ours"}]})),
        ask("kb.branches", json!({})),
        ask("kb.merge", json!({"branch": "absent"})),
        ask("kb.merge", json!({"branch": "topic"})),
        ask("kb.merge", json!({"branch": "topic", "prefer": "theirs"})),
        ask("kb.query", json!({})),
        ask("kb.log", json!({})),
        ContractStep::Git(&["branch", "-q", "-D", "topic"]),
        ask("kb.gc", json!({})),
        ask("kb.compact", json!({})),
        ask("kb.promote", json!({"id": "REQ-5"})),
        ask("kb.query", json!({"id": ["REQ-5"]})),
    ]
}

/// An outcome as data and as text. The team's state, and sizes of files, are removed, because they
/// differ.
fn said(outcome: &Outcome) -> (Value, String) {
    let format = CallFormat::CommandLine;
    let mut data = format.json(outcome);
    if let Some(basis) = data["basis"].as_object_mut() {
        basis.remove("team");
    }
    mask_sizes(&mut data);
    let text = format.text(outcome, ColorMode::Plain);
    let lines = text.lines().map(|line| match line.starts_with("Compacted from ") {
        true => "Compacted",
        false => line,
    });
    (data, lines.collect::<Vec<_>>().join("\n"))
}

/// Removes the sizes of files.
fn mask_sizes(data: &mut Value) {
    match data {
        Value::Object(fields) => {
            fields.retain(|name, value| {
                !(value.is_number() && ["bytes", "before", "after"].contains(&name.as_str()))
            });
            fields.values_mut().for_each(mask_sizes);
        }
        Value::Array(rows) => rows.iter_mut().for_each(mask_sizes),
        _ => {}
    }
}

#[test]
fn every_operation_answers_the_same_in_a_team() {
    let Some(stores) = stores() else { return };
    let shared = |name: &str| SHARED_GROUPS.iter().any(|group| name.starts_with(group));
    // How often each operation answered, and how often it refused.
    let mut seen: BTreeMap<&str, (u32, u32)> =
        ops::ALL.iter().filter(|op| shared(op.name)).map(|op| (op.name, (0, 0))).collect();
    let unknown_argument = |name: &&'static str| ask(name, json!({"no_such_argument": 1}));
    let refusals: Vec<ContractStep> = seen.keys().map(unknown_argument).collect();
    let steps = [fact_steps(), planning_steps(), doing_steps(), knowledge_steps(), refusals];
    let mut differing = Vec::new();
    for (number, step) in steps.iter().flatten().enumerate() {
        let (operation, args) = match step {
            ContractStep::Call(operation, args) => (*operation, args),
            ContractStep::Git(words) => {
                for store in &stores {
                    store.repo.git(words);
                }
                continue;
            }
        };
        let [alone, member] = stores.each_ref().map(|store| store.call(number, operation, args));
        let count = seen.get_mut(operation).unwrap_or_else(|| panic!("{operation} is not shared"));
        match &alone {
            Ok(_) => count.0 += 1,
            Err(_) => count.1 += 1,
        }
        let (alone, member) = (said(&alone), said(&member));
        if alone != member {
            let [one, other] = stores.each_ref().map(|store| store.name);
            differing.push(format!(
                "{operation} {args}\n--- {one}\n{}\n{:#}\n--- {other}\n{}\n{:#}",
                alone.1, alone.0, member.1, member.0
            ));
        }
    }
    assert!(differing.is_empty(), "{} differ:\n{}", differing.len(), differing.join("\n"));
    let untold: Vec<_> = seen.iter().filter(|(_, count)| count.0 == 0 || count.1 == 0).collect();
    assert!(untold.is_empty(), "these never answered or never refused: {untold:?}");
    let exports = stores.each_ref().map(|store| store.repo.data("work.export", json!({})));
    assert_eq!(exports[0], exports[1], "the stores differ");
}
