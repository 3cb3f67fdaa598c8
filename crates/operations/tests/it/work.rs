//! Work and knowledge, asked through their operations.

use base::ProblemCode::{self, Conflict, InvariantViolation, NotFound, ValidationError};
use serde_json::{Value, json};
use testkit::TestRepo;

const FIXTURE: &str = "
//- src/auth/login.ts
export function login() {}
//- src/auth/session.ts
export class Session {}
//- src/pay/stripe-a.ts
export const a = 1;
//- docs/a.md
# A
";

fn result(repo: &TestRepo, name: &str, args: Value) -> Value {
    repo.data(name, args)["result"].clone()
}

fn id(record: &Value) -> String {
    record["id"].as_str().unwrap().to_owned()
}

fn project(repo: &TestRepo) -> String {
    id(&result(repo, "work.create", json!({"kind": "project", "name": "Shop"}))["project"])
}

#[expect(clippy::needless_pass_by_value, reason = "callers write `json!({…})` in place")]
fn make(repo: &TestRepo, kind: &str, name: &str, more: Value) -> String {
    let mut args = json!({"kind": kind, "name": name});
    args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    id(&result(repo, "work.create", args)[kind])
}

fn status(repo: &TestRepo, id: &str) -> String {
    repo.data("work.state", json!({"id": id}))["status"].as_str().unwrap().to_owned()
}

fn close(repo: &TestRepo, id: &str) -> Value {
    let mut last = Value::Null;
    while !["CLOSED", "WILL_NOT_IMPLEMENT"].contains(&status(repo, id).as_str()) {
        last = result(repo, "work.advance", json!({"id": id}));
    }
    last
}

#[test]
fn tasks_take_their_feature_along_and_free_what_they_blocked() {
    let repo = TestRepo::new(FIXTURE);
    project(&repo);
    let feature = make(&repo, "feature", "Login", json!({}));
    let first = make(&repo, "task", "First", json!({"feature": feature}));
    let second = make(&repo, "task", "Second", json!({"feature": feature, "priority": "HIGH"}));
    result(&repo, "work.block", json!({"id": second, "blocked_by": first}));
    let next = repo.data("work.next", json!({}));
    assert_eq!(next["tasks"][0]["title"], "First", "the urgent one is blocked");
    assert_eq!(repo.code("work.advance", json!({"id": second})), ProblemCode::Blocked);
    let moved = result(&repo, "work.advance", json!({"id": first, "version": 1}));
    assert_eq!((&moved["from"], &moved["to"]), (&json!("NEW"), &json!("ACTIVE")));
    assert_eq!(moved["feature"]["to"], "ACTIVE");
    assert_eq!(moved["position"]["step"], 2);
    assert_eq!(
        repo.code("work.advance", json!({"id": first, "version": 1})),
        ProblemCode::Conflict
    );
    assert_eq!(repo.code("work.advance", json!({"id": feature})), ProblemCode::Blocked);
    let closed = close(&repo, &first);
    assert_eq!(closed["unblocked"][0]["id"], second);
    assert!(closed["graph_hints"]["message"].is_string());
    let closed = close(&repo, &second);
    assert_eq!(closed["feature"]["to"], "CLOSED");
    assert_eq!(repo.code("work.advance", json!({"id": second})), ProblemCode::InvalidOperation);
    let open = json!({"kind": "task", "name": "Late", "feature": feature});
    assert_eq!(repo.code("work.create", open), ProblemCode::InvalidOperation);
    let reverted = result(&repo, "work.revert", json!({"id": first}));
    assert_eq!(reverted["feature"]["to"], "ACTIVE", "it is open where it was");
    assert_eq!(
        repo.code("work.revert", json!({"id": make(&repo, "task", "New", json!({}))})),
        ProblemCode::InvalidOperation
    );
}

#[test]
fn terminate_leaves_what_waits_and_a_feature_exits_with_its_tasks() {
    let repo = TestRepo::new(FIXTURE);
    project(&repo);
    let feature = make(&repo, "feature", "Login", json!({}));
    let a = make(&repo, "task", "A", json!({"feature": feature}));
    let b = make(&repo, "task", "B", json!({}));
    result(&repo, "work.depend", json!({"from": a, "to": b}));
    let code = repo.code("work.terminate", json!({"id": feature}));
    assert_eq!(code, ProblemCode::HasChildren);
    let gone = result(&repo, "work.terminate", json!({"id": a}));
    assert_eq!(gone["affected"][0]["id"], b);
    assert_eq!(gone["feature"]["to"], "WILL_NOT_IMPLEMENT");
    assert_eq!(repo.code("work.advance", json!({"id": b})), ProblemCode::Blocked);
    assert_eq!(repo.code("work.revert", json!({"id": a})), ProblemCode::InvalidOperation);
    let version = repo.data("work.show", json!({"id": a}))["task"]["version"].clone();
    let deleted = result(&repo, "work.delete", json!({"id": a, "version": version}));
    assert_eq!(deleted["unblocked"][0]["id"], b, "a deleted blocker frees");
    result(&repo, "work.advance", json!({"id": b}));
}

#[test]
fn a_circle_of_blocks_is_refused_and_shown() {
    let repo = TestRepo::new(FIXTURE);
    project(&repo);
    let feature = make(&repo, "feature", "F", json!({}));
    let [a, b, c] = ["A", "B", "C"].map(|name| make(&repo, "task", name, json!({})));
    result(&repo, "work.depend", json!({"from": a, "to": b}));
    result(&repo, "work.depend", json!({"from": b, "to": c}));
    let problem = repo.call_op("work.block", json!({"id": a, "blocked_by": [c]})).unwrap_err();
    assert_eq!(problem.code, ProblemCode::InvariantViolation);
    assert_eq!(
        problem.message,
        "dependency cycle: \"A\" waits for \"C\" waits for \"B\" waits for \"A\""
    );
    // A feature waits for its tasks: a task of it cannot wait for the feature.
    let t = make(&repo, "task", "T", json!({"feature": feature}));
    let code = repo.code("work.block", json!({"id": t, "blocked_by": feature}));
    assert_eq!(code, ProblemCode::InvariantViolation);
    result(&repo, "work.block", json!({"id": a, "blocked_by": feature}));
    let version = repo.data("work.show", json!({"id": a}))["task"]["version"].clone();
    let moved = json!({"id": a, "version": version, "feature": feature});
    assert_eq!(repo.code("work.update", moved), ProblemCode::InvariantViolation);
    assert_eq!(
        repo.code("work.block", json!({"id": a, "blocked_by": "NO_OP"})),
        ProblemCode::ValidationError
    );
    result(&repo, "work.block", json!({"id": a, "blocked_by": "NO_OP", "reason": "vendor"}));
    assert_eq!(
        repo.data("work.blocked", json!({"kind": "task"}))["items"].as_array().unwrap().len(),
        3
    );
    let free = result(&repo, "work.unblock", json!({"id": a}));
    assert_eq!(
        (free["removed"].as_array().unwrap().len(), &free["still_blocked_by"]),
        (2, &json!(0))
    );
}

#[test]
fn two_agents_never_claim_the_same_task() {
    let repo = TestRepo::new(FIXTURE);
    project(&repo);
    for name in ["A", "B"] {
        make(&repo, "task", name, json!({}));
    }
    let first = id(&result(&repo, "work.claim", json!({}))["task"]);
    let second = id(&result(&repo, "work.claim", json!({}))["task"]);
    assert_ne!(first, second);
    assert_eq!(repo.code("work.claim", json!({})), ProblemCode::NotFound);
    let other = operations::ops::find("work.claim").unwrap();
    let args = |json: Value| serde_json::from_value(json).unwrap();
    let by_other =
        other.call(&repo.workspace(), testkit::call_by("other"), args(json!({"task": first})));
    assert_eq!(by_other.unwrap_err().code, ProblemCode::Conflict);
    let mut later = testkit::call_by("other");
    later.now = "2026-01-02T05:04:06Z".parse().unwrap();
    other.call(&repo.workspace(), later, args(json!({"task": first}))).unwrap();
    result(&repo, "work.claim", json!({"task": second, "release": true}));
    assert_eq!(id(&result(&repo, "work.claim", json!({}))["task"]), second);
}

/// @see spec::graph/drift
#[test]
fn atoms_know_what_they_cover_and_how_far_it_moved() {
    let repo = TestRepo::new(FIXTURE);
    project(&repo);
    let molecule = id(&result(
        &repo,
        "knowledge.create",
        json!({"kind": "molecule", "name": "Auth", "knowledge": "all of it"}),
    )["molecule"]);
    let atom = id(&result(
        &repo,
        "knowledge.create",
        json!({"kind": "atom", "name": "Login",
        "paths": ["src/auth/**"], "knowledge": "sessions expire", "molecule": molecule}),
    )["atom"]);
    let orphan = id(&result(
        &repo,
        "knowledge.create",
        json!({"kind": "atom", "name": "Pay", "paths": "src/pay/stripe-*.ts"}),
    )["atom"]);
    let related = json!({"id": atom, "version": 1, "related": [{"id": orphan, "reason": "pays"}]});
    result(&repo, "knowledge.update", related);
    let paths = "src/auth/login.ts, src/pay/stripe-a.ts, src/new.ts";
    let known = repo.data("knowledge.context", json!({"paths": paths}));
    assert_eq!(known["molecules"][0]["name"], "Auth");
    let shown = &known["molecules"][0]["atoms"][0];
    assert_eq!(shown["matched_paths"], json!(["src/auth/login.ts"]));
    assert_eq!(shown["related_atoms"][0]["name"], "Pay");
    assert_eq!(shown["drift"]["changed"], 0);
    assert_eq!(known["orphan_atoms"][0]["name"], "Pay");
    assert_eq!(known["unmatched_paths"], json!(["src/new.ts"]));
    repo.write("src/auth/login.ts", "export function login() { return 1; }\n");
    let known = repo.data("knowledge.context", json!({"paths": ["src/auth"]}));
    let drift = &known["molecules"][0]["atoms"][0]["drift"];
    assert_eq!(
        (&drift["files"], &drift["changed"], &drift["percent"]),
        (&json!(2), &json!(1), &json!(50))
    );
    let ranked = repo.data("knowledge.drift", json!({}));
    assert_eq!(ranked["atoms"][0]["name"], "Login");
    let verified = repo.data("verify", json!({}));
    assert!(verified.to_string().contains("KNOWLEDGE_DRIFTED"), "{verified}");
    let text = repo.text("context src/auth/login.ts");
    assert!(text.contains("\"Login\"") && text.contains("> sessions expire"), "{text}");
    // A new text resets the age of the knowledge; a new name does not.
    result(&repo, "knowledge.update", json!({"id": atom, "version": 2, "name": "Sign-in"}));
    let drift =
        || repo.data("knowledge.show", json!({"id": atom}))["atom"]["drift"]["changed"].clone();
    assert_eq!(drift(), 1);
    let append = json!({"id": atom, "version": 3, "knowledge": "and more", "mode": "append"});
    let appended = result(&repo, "knowledge.update", append);
    assert_eq!(
        appended["atom"]["knowledge"],
        "sessions expire\n\n---[2026-01-02T03:04:05.000000Z task:none]---\nand more"
    );
    assert_eq!(drift(), 0);
    let gone = result(&repo, "knowledge.delete", json!({"id": molecule, "version": 1}));
    assert_eq!(gone["orphaned_atoms"], json!([atom]));
    assert_eq!(repo.data("knowledge.show", json!({"id": atom}))["atom"]["version"], 5);
    result(&repo, "knowledge.delete", json!({"id": orphan, "version": 1}));
    assert_eq!(
        repo.data("knowledge.show", json!({"id": atom}))["atom"]["related_atoms"],
        json!([])
    );
    assert!(repo.data("verify", json!({})).to_string().contains("RELATED_MISSING"));
}

#[test]
fn a_task_shows_what_is_known_about_the_files_it_names() {
    let repo = TestRepo::new(FIXTURE);
    project(&repo);
    let task = make(&repo, "task", "T", json!({"templates": ["Task"]}));
    let sections = repo.data("work.sections", json!({"id": task}));
    let titles: Vec<&str> = sections["sections"]
        .as_array()
        .unwrap()
        .iter()
        .map(|section| section["title"].as_str().unwrap())
        .collect();
    assert_eq!(
        titles,
        ["Implementation Plan", "Context Files", "Verification", "Dependencies and Constraints"]
    );
    let files = &sections["sections"][1];
    result(
        &repo,
        "work.section_edit",
        json!({"action": "update", "id": files["id"], "version": 1,
        "content": "1. `src/auth/login.ts:3` the entry\n- .\\src\\pay\\stripe-a.ts - pays"}),
    );
    result(
        &repo,
        "knowledge.create",
        json!({"kind": "atom", "name": "Login", "paths": ["src/auth/**"]}),
    );
    let shown = repo.data(
        "work.show",
        json!({"id": task, "include_sections": true, "include_graph_context": true}),
    );
    assert_eq!(
        shown["graph_context"]["orphan_atoms"][0]["matched_paths"],
        json!(["src/auth/login.ts"])
    );
    assert_eq!(shown["graph_context"]["unmatched_paths"], json!(["src/pay/stripe-a.ts"]));
    let text = repo.text("context src/auth/login.ts");
    assert!(text.contains("NEW \"T\""), "{text}");
    repo.write("src/pay/new.ts", "export const b = 2;\n");
    repo.commit(&format!("pay more\n\nTask: {task}"));
    let hints = close(&repo, &task)["graph_hints"].clone();
    assert_eq!(
        (&hints["commits"], &hints["uncovered_paths"]),
        (&json!(1), &json!(["src/pay/new.ts"]))
    );
}

#[test]
fn bad_input_gets_its_code_and_writes_nothing() {
    let repo = TestRepo::new(FIXTURE);
    let project = project(&repo);
    let other = make(&repo, "project", "Other", json!({}));
    let far = id(&result(
        &repo,
        "knowledge.create",
        json!({"kind": "molecule", "name": "Far", "project": other}),
    )["molecule"]);
    let atom = id(&result(
        &repo,
        "knowledge.create",
        json!({"kind": "atom", "name": "A", "paths": ["src/**"], "project": project}),
    )["atom"]);
    let before = repo.data("work.export", json!({}));
    let unknown = "0199ffff-ffff-7fff-8fff-ffffffffffff";
    let new = |more: Value| {
        let mut args = json!({"operation": "create", "entityType": "atom", "projectId": project,
            "name": "X", "paths": "[\"src/**\"]"});
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ("manage_graph", args)
    };
    let change = |more: Value| {
        let mut args =
            json!({"operation": "update", "entityType": "atom", "id": atom, "version": 1});
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ("manage_graph", args)
    };
    for ((tool, args), code) in [
        (new(json!({"paths": ["src/[a"]})), ValidationError),
        (new(json!({"paths": ["../up"]})), ValidationError),
        (new(json!({"paths": ["/abs/**"]})), ValidationError),
        (new(json!({"paths": []})), InvariantViolation),
        (new(json!({"paths": "[]"})), InvariantViolation),
        (change(json!({"paths": []})), InvariantViolation),
        (new(json!({"paths": vec!["a"; 21]})), ValidationError),
        (new(json!({"paths": ["x".repeat(513)]})), ValidationError),
        (new(json!({"paths": 3})), ValidationError),
        (new(json!({"paths": [3]})), ValidationError),
        (new(json!({"name": ""})), ValidationError),
        (new(json!({"name": "x".repeat(256)})), ValidationError),
        (new(json!({"name": 7})), ValidationError),
        (new(json!({"knowledge": "x".repeat(33 * 1024)})), ValidationError),
        (new(json!({"relatedAtoms": "{}"})), ValidationError),
        (new(json!({"relatedAtoms": "not json"})), ValidationError),
        (new(json!({"relatedAtoms": [{"atomId": unknown, "reason": "x"}]})), NotFound),
        (new(json!({"relatedAtoms": vec![json!({"atomId": atom}); 51]})), ValidationError),
        (new(json!({"projectId": unknown})), NotFound),
        (new(json!({"projectId": "nonsense"})), NotFound),
        (new(json!({"moleculeId": unknown})), NotFound),
        (new(json!({"moleculeId": far})), InvariantViolation),
        (new(json!({"createdByTaskId": unknown})), NotFound),
        (new(json!({"nonsense": 1})), ValidationError),
        (change(json!({"version": 9})), Conflict),
        (change(json!({"version": "1"})), ValidationError),
        (change(json!({"knowledge": "x".repeat(33 * 1024)})), ValidationError),
        (change(json!({"moleculeId": far})), InvariantViolation),
        (change(json!({"id": unknown})), NotFound),
        (change(json!({"lastTaskId": unknown})), NotFound),
        (
            (
                "manage_graph",
                json!({"operation": "delete", "entityType": "atom", "id": atom, "version": 2}),
            ),
            Conflict,
        ),
        (
            ("manage_graph", json!({"operation": "delete", "entityType": "atom", "id": atom})),
            ValidationError,
        ),
        (
            (
                "manage_changelog",
                json!({"operation": "append", "parentType": "atom", "parentId": unknown, "summary": "x"}),
            ),
            NotFound,
        ),
        (
            (
                "manage_changelog",
                json!({"operation": "append", "parentType": "atom", "parentId": atom, "summary": ""}),
            ),
            ValidationError,
        ),
        (
            (
                "manage_changelog",
                json!({"operation": "append", "parentType": "atom", "parentId": atom, "summary": "x".repeat(5000)}),
            ),
            ValidationError,
        ),
        (
            (
                "manage_changelog",
                json!({"operation": "append", "parentType": "atom", "parentId": atom, "taskId": unknown, "summary": "x"}),
            ),
            NotFound,
        ),
        (
            (
                "manage_container",
                json!({"operation": "create", "containerType": "task", "name": "x", "projectId": project, "complexity": 11}),
            ),
            ValidationError,
        ),
        (
            (
                "manage_container",
                json!({"operation": "update", "containerType": "project", "id": other, "version": 1, "status": "CLOSED"}),
            ),
            ValidationError,
        ),
        (
            (
                "manage_container",
                json!({"operation": "delete", "containerType": "project", "id": other, "version": 1}),
            ),
            ProblemCode::HasChildren,
        ),
    ] {
        let shown = args.to_string();
        let problem = repo.call_op(tool, args).expect_err(&shown);
        assert_eq!(problem.code, code, "{tool} {shown:.200}: {problem}");
        if code == Conflict {
            assert_eq!(problem.details["current_version"], 1);
        }
    }
    assert_eq!(repo.data("work.export", json!({})), before, "nothing was written");
    assert_eq!(repo.code("work.next", json!({})), ProblemCode::Ambiguous, "there are two projects");
}

#[test]
fn every_change_is_undone_and_none_that_others_rest_on() {
    let repo = TestRepo::new(FIXTURE);
    project(&repo);
    let before = repo.data("work.export", json!({}));
    let feature = make(&repo, "feature", "F", json!({"tags": "a,b"}));
    make(&repo, "task", "T", json!({"feature": feature}));
    let refused = repo.call_op("undo", json!({"change": "work:2"})).unwrap_err();
    assert_eq!(refused.code, ProblemCode::Conflict, "the feature holds a task now");
    repo.data("undo", json!({}));
    repo.data("undo", json!({"change": "work:2"}));
    assert_eq!(repo.data("work.export", json!({})), before);
    let found = repo.data("search", json!({"query": "Shop"}));
    assert_eq!(found["hits"][0]["kind"], "project");
    let dry = repo.data("work.create", json!({"kind": "feature", "name": "Dry", "dry_run": true}));
    assert!(dry["diff"].as_str().unwrap().starts_with("+ feature"), "{dry}");
    assert_eq!(repo.data("work.export", json!({})), before);
}

#[test]
fn a_pipeline_that_drops_a_state_in_use_is_refused_with_those_in_it() {
    let repo = TestRepo::new(FIXTURE);
    project(&repo);
    let long = r#"{"work": {"pipelines": {"task": ["NEW", "ACTIVE", "TO_BE_TESTED", "CLOSED"]}}}"#;
    repo.write("cairn.jsonc", long);
    let task = make(&repo, "task", "T", json!({}));
    for _ in 0..2 {
        result(&repo, "work.advance", json!({"id": task}));
    }
    repo.write("cairn.jsonc", r#"{"work": {"pipelines": {"task": ["NEW", "ACTIVE", "CLOSED"]}}}"#);
    let problem = repo.call_op("work.advance", json!({"id": task})).unwrap_err();
    assert_eq!(problem.code, ProblemCode::InvalidOperation);
    let key = repo.data("work.show", json!({"id": task}))["key"].clone();
    let handle = format!("task:{}", key.as_str().unwrap());
    assert_eq!(problem.details["records"][0]["node"], handle);
    let state = repo.data("work.state", json!({"id": task}));
    assert_eq!(state["allowed"], json!(["revert", "terminate"]), "it cannot advance");
    assert!(repo.data("verify", json!({})).to_string().contains("WORK_STATE_UNKNOWN"));
    result(&repo, "work.revert", json!({"id": task}));
    let short = make(&repo, "task", "S", json!({}));
    repo.write("cairn.jsonc", r#"{"work": {"evidence": ["tests", "links"]}}"#);
    result(&repo, "work.advance", json!({"id": short}));
    let problem = repo.call_op("work.advance", json!({"id": short})).unwrap_err();
    assert_eq!(problem.details["missing_evidence"], json!(["tests"]));
    let tests = json!({"id": short, "evidence": "tests: src/a.test.ts"});
    assert_eq!(repo.code("work.advance", tests.clone()), NotFound, "there is no such test");
    repo.write("src/a.test.ts", "/** @see spec::gone */\nexport const a = 1;\n");
    result(&repo, "work.advance", tests);
}

#[test]
fn links_of_a_closed_task_hold() {
    let repo = TestRepo::new(FIXTURE);
    repo.write("cairn.jsonc", r#"{"work": {"evidence": ["links"]}}"#);
    project(&repo);
    let task = make(&repo, "task", "T", json!({}));
    let section = json!({"operation": "add", "entityType": "TASK", "entityId": task,
        "title": "Context Files", "content": "- src/auth/login.ts"});
    result(&repo, "manage_sections", section);
    repo.write("src/auth/login.ts", "/** @see spec::gone */\nexport function login() {}\n");
    repo.write("src/pay/stripe-a.ts", "/** @see spec::gone */\nexport const a = 1;\n");
    result(&repo, "work.advance", json!({"id": task}));
    let refused = repo.call_op("work.advance", json!({"id": task})).unwrap_err();
    assert_eq!(
        (refused.code, &refused.details["missing_evidence"]),
        (ProblemCode::Blocked, &json!(["links"]))
    );
    assert_eq!(refused.details["findings"][0]["code"], "SEE_TARGET_MISSING", "{refused:?}");
    assert_eq!(refused.details["findings"].as_array().unwrap().len(), 1, "only in its own files");
    repo.data("card.create", json!({"key": "spec::gone", "summary": "back"}));
    result(&repo, "work.advance", json!({"id": task}));
}

#[test]
fn sections_templates_and_tags_are_kept_in_order() {
    let repo = TestRepo::new(FIXTURE);
    project(&repo);
    let task = make(&repo, "task", "T", json!({"tags": ["old", "kept"]}));
    let edit = |args: Value| result(&repo, "manage_sections", args)["sections"].clone();
    let bulk =
        json!([{"title": "A", "content": "one two"}, {"title": "B", "contentFormat": "CODE"}]);
    let made = edit(json!({"operation": "bulkCreate", "entityType": "TASK", "entityId": task,
        "sections": bulk.to_string()}));
    let (a, b) = (id(&made[0]), id(&made[1]));
    edit(
        json!({"operation": "updateText", "sectionId": a, "version": 1, "oldText": "two", "newText": "three"}),
    );
    edit(
        json!({"operation": "reorder", "entityType": "TASK", "entityId": task, "orderedIds": format!("{b},{a}")}),
    );
    edit(
        json!({"operation": "add", "entityType": "TASK", "entityId": task, "title": "First", "ordinal": 0}),
    );
    let sections = repo.data("query_sections", json!({"entityType": "TASK", "entityId": task}));
    let titles: Vec<&Value> =
        sections["sections"].as_array().unwrap().iter().map(|s| &s["title"]).collect();
    assert_eq!(titles, ["First", "B", "A"]);
    assert_eq!(sections["sections"][2]["content"], "one three");
    let dry = repo.data("rename_tag", json!({"oldTag": "old", "newTag": "kept", "dryRun": true}));
    assert_eq!(dry["result"]["total"], 1);
    repo.data("rename_tag", json!({"oldTag": "old", "newTag": "kept"}));
    assert_eq!(
        repo.data("get_tag_usage", json!({}))["tags"],
        json!([{"tag": "kept", "total": 1, "by_kind": {"task": 1}}])
    );
    let template = result(
        &repo,
        "manage_template",
        json!({"operation": "create", "name": "Bug",
        "targetEntityType": "TASK", "sections": [{"title": "Steps", "isRequired": true}]}),
    )["template"]
        .clone();
    result(
        &repo,
        "manage_template",
        json!({"operation": "addSection", "templateId": template["id"], "title": "Cause", "contentSample": "?"}),
    );
    let applied = result(
        &repo,
        "apply_template",
        json!({"templateId": template["id"], "entityType": "TASK", "entityId": task}),
    );
    assert_eq!(applied["sections"].as_array().unwrap().len(), 2);
    assert_eq!(
        repo.code(
            "manage_template",
            json!({"operation": "delete", "templateId": "Task", "version": 1})
        ),
        ProblemCode::InvalidOperation
    );
    result(&repo, "manage_template", json!({"operation": "disable", "templateId": "Task"}));
    assert_eq!(
        repo.code(
            "apply_template",
            json!({"templateId": "Task", "entityType": "TASK", "entityId": task})
        ),
        ProblemCode::InvalidOperation
    );
}

#[test]
fn work_and_knowledge_are_nodes_of_the_graph() {
    let repo = TestRepo::new(FIXTURE);
    project(&repo);
    let feature = make(&repo, "feature", "F", json!({}));
    let task = make(&repo, "task", "T", json!({"feature": feature}));
    result(
        &repo,
        "work.section_edit",
        json!({"action": "add", "owner": task, "title": "Context Files", "content": "src/auth/login.ts"}),
    );
    let atom = id(&result(
        &repo,
        "knowledge.create",
        json!({"kind": "atom", "name": "Login", "paths": ["src/auth/**"]}),
    )["atom"]);
    let way = repo.data(
        "trace",
        json!({"from": format!("task:{}", &task[..18]), "to": format!("atom:{atom}")}),
    );
    assert!(way.to_string().contains("login.ts"), "{way}");
    let around = repo.data("subgraph", json!({"center": format!("feature:{feature}"), "hops": 1}));
    assert!(around.to_string().contains(&task), "{around}");
    let reach = repo.data("impact", json!({"target": format!("atom:{atom}")}));
    assert!(reach.to_string().contains("session.ts"), "{reach}");
}

/// Every call of the older task tools can be made here, including how to get the ids it needs.
#[test]
fn every_older_signature_is_understood() {
    let repo = TestRepo::new(FIXTURE);
    let project = project(&repo);
    let feature = make(&repo, "feature", "F", json!({}));
    let task = make(&repo, "task", "T", json!({}));
    let other = make(&repo, "task", "O", json!({}));
    let atom = id(&result(
        &repo,
        "knowledge.create",
        json!({"kind": "atom", "name": "A", "paths": ["src/**"]}),
    )["atom"]);
    let plain = task.replace('-', "");
    for (tool, args) in [
        (
            "query_graph",
            json!({"operation": "get", "entityType": "atom", "id": atom, "includeChangelog": true, "changelogLimit": 5}),
        ),
        (
            "query_graph",
            json!({"operation": "search", "entityType": "atom", "projectId": project, "query": "A", "orphansOnly": true, "limit": 20, "offset": 0}),
        ),
        (
            "query_graph",
            json!({"operation": "search", "entityType": "molecule", "projectId": project}),
        ),
        (
            "query_graph",
            json!({"operation": "context", "projectId": project, "paths": "src/a.ts,docs/a.md", "includeChangelog": false}),
        ),
        (
            "manage_graph",
            json!({"operation": "create", "entityType": "molecule", "projectId": project, "name": "M", "knowledge": "k", "relatedMolecules": "[]", "createdByTaskId": task}),
        ),
        (
            "manage_graph",
            json!({"operation": "create", "entityType": "atom", "projectId": project, "name": "B", "paths": "[\"docs/**\"]", "knowledge": "k", "relatedAtoms": format!("[{{\"atomId\": \"{atom}\", \"reason\": \"x\"}}]"), "moleculeId": null, "createdByTaskId": plain}),
        ),
        (
            "manage_graph",
            json!({"operation": "update", "entityType": "atom", "id": atom, "version": 1, "paths": "src/**, docs/{a,b}.md", "knowledge": "more", "knowledgeMode": "append", "moleculeId": null, "lastTaskId": task}),
        ),
        (
            "manage_changelog",
            json!({"operation": "append", "parentType": "atom", "parentId": atom, "taskId": task, "summary": "why"}),
        ),
        (
            "manage_changelog",
            json!({"operation": "search", "parentType": "atom", "parentId": atom, "limit": 20, "offset": 0}),
        ),
        (
            "manage_graph",
            json!({"operation": "delete", "entityType": "atom", "id": atom, "version": 2, "cascade": false}),
        ),
        (
            "query_container",
            json!({"operation": "get", "containerType": "task", "id": plain, "includeSections": true, "includeGraphContext": true}),
        ),
        (
            "query_container",
            json!({"operation": "search", "containerType": "task", "projectId": project, "query": "T", "status": "!CLOSED", "priority": "MEDIUM", "tags": "!x"}),
        ),
        (
            "query_container",
            json!({"operation": "overview", "containerType": "project", "id": project}),
        ),
        (
            "query_container",
            json!({"operation": "overview", "containerType": "feature", "id": feature}),
        ),
        (
            "manage_container",
            json!({"operation": "create", "containerType": "task", "projectId": project, "featureId": feature, "title": "N", "summary": "s", "description": "d", "priority": "HIGH", "complexity": 3, "tags": "a,b", "relatedTo": [task]}),
        ),
        (
            "manage_container",
            json!({"operation": "update", "containerType": "task", "id": task, "version": 1, "title": "T2", "tags": ["a"]}),
        ),
        (
            "query_sections",
            json!({"operation": "get", "entityType": "TASK", "entityId": task, "includeContent": false}),
        ),
        (
            "manage_sections",
            json!({"operation": "add", "entityType": "TASK", "entityId": task, "title": "S", "usageDescription": "u", "content": "c", "contentFormat": "PLAIN_TEXT", "ordinal": 0, "tags": "x"}),
        ),
        (
            "manage_dependency",
            json!({"operation": "create", "fromId": task, "toId": other, "type": "BLOCKS"}),
        ),
        (
            "query_dependencies",
            json!({"operation": "get", "id": task, "direction": "all", "type": "BLOCKS"}),
        ),
        ("get_blocked_tasks", json!({"projectId": project})),
        ("get_blocked_features", json!({"projectId": project})),
        (
            "manage_dependency",
            json!({"operation": "delete", "fromId": task, "toId": other, "type": "BLOCKS"}),
        ),
        (
            "block",
            json!({"containerType": "task", "id": other, "version": 1, "blockedBy": task, "blockedReason": "r"}),
        ),
        (
            "unblock",
            json!({"containerType": "task", "id": other, "version": 1, "blockedBy": [task]}),
        ),
        ("get_next_task", json!({"projectId": project, "featureId": feature})),
        ("get_next_feature", json!({"projectId": project})),
        ("query_workflow_state", json!({"containerType": "task", "id": task})),
        ("advance", json!({"containerType": "task", "id": task, "version": 2})),
        ("revert", json!({"containerType": "task", "id": task, "version": 3})),
        ("terminate", json!({"containerType": "task", "id": task, "version": 4})),
        ("query_templates", json!({"operation": "list", "targetEntityType": "TASK"})),
        (
            "query_templates",
            json!({"operation": "get", "id": "00000000-0000-7000-8000-000000000001"}),
        ),
        (
            "manage_template",
            json!({"operation": "create", "name": "X", "description": "d", "targetEntityType": "FEATURE", "tags": "t"}),
        ),
        (
            "apply_template",
            json!({"templateIds": ["Feature"], "entityType": "FEATURE", "entityId": feature}),
        ),
        ("get_tag_usage", json!({"tag": "a"})),
        ("rename_tag", json!({"oldTag": "a", "newTag": "z", "dryRun": true})),
        (
            "manage_container",
            json!({"operation": "delete", "containerType": "feature", "id": feature, "version": 1, "cascade": true}),
        ),
    ] {
        let shown = format!("{tool} {args}");
        repo.call_op(tool, args).unwrap_or_else(|problem| panic!("{shown}: {problem}"));
    }
}
