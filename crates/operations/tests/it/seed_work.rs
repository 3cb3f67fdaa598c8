//! Arguments and answers of the older task tools that `work.rs` does not test.

use base::ProblemCode;
use serde_json::{Value, json};
use testkit::TestRepo;

const FIXTURE: &str = "
//- src/auth/login.ts
export function login() {}
//- src/pay/stripe.ts
export const a = 1;
";

#[expect(clippy::needless_pass_by_value, reason = "callers write `json!({…})` in place")]
fn make(repo: &TestRepo, kind: &str, name: &str, more: Value) -> String {
    let mut args = json!({"kind": kind, "name": name});
    args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    id(&result(repo, "work.create", args)[kind])
}

fn id(record: &Value) -> String {
    record["id"].as_str().unwrap().to_owned()
}

fn result(repo: &TestRepo, name: &str, args: Value) -> Value {
    repo.data(name, args)["result"].clone()
}

fn with_project() -> TestRepo {
    let repo = TestRepo::new(FIXTURE);
    make(&repo, "project", "Shop", json!({}));
    repo
}

fn close(repo: &TestRepo, id: &str) -> Value {
    result(repo, "work.advance", json!({"id": id}));
    result(repo, "work.advance", json!({"id": id}))
}

fn is_blocked(repo: &TestRepo, id: &str) -> bool {
    repo.data("work.state", json!({"id": id}))["is_blocked"].as_bool().unwrap()
}

#[test]
fn the_reason_for_giving_up_is_kept() {
    let repo = with_project();
    let feature = make(&repo, "feature", "F", json!({}));
    let task = make(&repo, "task", "T", json!({"feature": feature}));
    let gone = result(
        &repo,
        "terminate",
        json!({"id": feature, "cascade": true, "reason": "the vendor closed the API"}),
    );
    assert_eq!(gone["reason"], "the vendor closed the API");
    for (kind, id) in [("feature", &feature), ("task", &task)] {
        let shown = repo.data("work.show", json!({"id": id}));
        assert_eq!(shown[kind]["end_reason"], "the vendor closed the API");
    }
    let text = repo.text(&format!("work show {task}"));
    assert!(text.contains("reason for termination: the vendor closed the API"), "{text}");
    repo.data("undo", json!({}));
    assert_eq!(repo.data("work.show", json!({"id": task}))["task"]["end_reason"], Value::Null);
}

#[test]
fn the_next_task_can_be_asked_for_by_priority() {
    let repo = with_project();
    make(&repo, "task", "Urgent", json!({"priority": "HIGH"}));
    make(&repo, "task", "Later", json!({"priority": "LOW"}));
    make(&repo, "feature", "Big", json!({"priority": "LOW"}));
    let next = repo.data("get_next_task", json!({"priority": "LOW"}));
    assert_eq!((&next["tasks"][0]["title"], &next["total"]), (&json!("Later"), &json!(1)));
    assert_eq!(repo.data("get_next_task", json!({"priority": "medium"}))["total"], 0);
    let detailed = repo.data("get_next_task", json!({"includeDetails": true, "limit": 2}));
    assert_eq!(detailed["tasks"].as_array().unwrap().len(), 2);
    assert_eq!(repo.data("get_next_feature", json!({"priority": "LOW"}))["total"], 1);
    let claimed = result(&repo, "work.claim", json!({"priority": "LOW"}));
    assert_eq!(claimed["task"]["title"], "Later");
}

#[test]
fn dependencies_are_told_by_the_side_that_waits() {
    let repo = with_project();
    let [a, b, c] = ["A", "B", "C"].map(|name| make(&repo, "task", name, json!({})));
    result(&repo, "work.depend", json!({"from": a, "to": b}));
    result(&repo, "work.depend", json!({"from": b, "to": c}));
    let names = |direction: &str| {
        let args = json!({"taskId": b, "direction": direction});
        let told = repo.data("query_dependencies", args)["dependencies"].clone();
        let ends = |tie: &Value| format!("{}{}", tie["from"]["name"], tie["to"]["name"]);
        told.as_array().unwrap().iter().map(ends).collect::<Vec<_>>().join(" ").replace('"', "")
    };
    assert_eq!(names("dependencies"), "AB");
    assert_eq!(names("dependents"), "BC");
    assert_eq!((names("incoming"), names("outgoing")), ("AB".into(), "BC".into()));
    assert_eq!((names("all"), names("both")), ("AB BC".into(), "AB BC".into()));
    let args = json!({"id": b, "direction": "sideways"});
    assert_eq!(repo.code("query_dependencies", args), ProblemCode::ValidationError);
}

#[test]
fn sections_made_at_once_may_belong_to_different_records() {
    let repo = with_project();
    let [a, b] = ["A", "B"].map(|name| make(&repo, "task", name, json!({})));
    let sections = json!([
        {"entityType": "TASK", "entityId": a, "title": "One", "ordinal": 0},
        {"entityType": "TASK", "entityId": b, "title": "Two", "contentFormat": "CODE"},
    ]);
    let made = result(
        &repo,
        "manage_sections",
        json!({"operation": "bulkCreate", "entityType": "TASK", "sections": sections}),
    );
    assert_eq!(
        (&made["sections"][0]["entity_id"], &made["sections"][1]["entity_id"]),
        (&json!(a), &json!(b))
    );
    let lost = json!({"operation": "bulkCreate", "sections": [{"title": "Whose"}]});
    assert_eq!(repo.code("manage_sections", lost), ProblemCode::ValidationError);
    let odd = json!({"operation": "bulkCreate", "sections": [{"titel": "X", "entityId": a}]});
    assert_eq!(repo.code("manage_sections", odd), ProblemCode::ValidationError);
}

#[test]
fn a_template_section_stands_where_its_ordinal_says() {
    let repo = with_project();
    let template = result(
        &repo,
        "manage_template",
        json!({"operation": "create", "name": "Bug", "targetEntityType": "TASK",
            "sections": [{"title": "Last", "ordinal": 5}, {"title": "First", "ordinal": 0}]}),
    )["template"]
        .clone();
    let add = |title: &str, ordinal: Value| {
        result(
            &repo,
            "manage_template",
            json!({"operation": "addSection", "templateId": template["id"], "title": title,
                "ordinal": ordinal}),
        )
    };
    add("Middle", json!(1));
    add("End", Value::Null);
    let without = json!({"id": template["id"], "includeSections": false});
    let without = repo.data("query_templates", without);
    assert_eq!(without["templates"][0]["sections"], json!([]));
    let shown =
        repo.data("query_templates", json!({"id": template["id"], "includeSections": true}));
    let sections = shown["templates"][0]["sections"].as_array().unwrap();
    let order: Vec<String> =
        sections.iter().map(|one| format!("{} {}", one["ordinal"], one["title"])).collect();
    assert_eq!(order, ["0 \"First\"", "1 \"Middle\"", "2 \"Last\"", "3 \"End\""]);
}

#[test]
fn a_blocker_that_is_reopened_blocks_again() {
    let repo = with_project();
    let feature = make(&repo, "feature", "F", json!({}));
    let a = make(&repo, "task", "A", json!({"feature": feature}));
    let [b, c] = ["B", "C"].map(|name| make(&repo, "task", name, json!({})));
    result(&repo, "work.depend", json!({"from": a, "to": b, "reason": "API first"}));
    result(&repo, "work.depend", json!({"from": feature, "to": c}));
    let closed = close(&repo, &a);
    assert_eq!(closed["unblocked"].as_array().unwrap().len(), 2, "{closed}");
    assert!(!is_blocked(&repo, &b) && !is_blocked(&repo, &c));
    assert_eq!(repo.data("work.next", json!({}))["total"], 2);
    let reverted = result(&repo, "work.revert", json!({"id": a}));
    let again: Vec<&Value> =
        reverted["blocked_again"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(again, ["B", "C"]);
    assert!(is_blocked(&repo, &b) && is_blocked(&repo, &c));
    assert_eq!(repo.code("work.advance", json!({"id": b})), ProblemCode::Blocked);
    let blocked = repo.data("work.state", json!({"id": b}));
    assert_eq!(blocked["blocked_by"][0]["reason"], "API first");
    assert_eq!(repo.data("work.next", json!({}))["total"], 0);
    // A task that was unblocked by hand stays unblocked, whatever happens to its blocker.
    close_again(&repo, &a);
    result(&repo, "work.unblock", json!({"id": b}));
    result(&repo, "work.revert", json!({"id": a}));
    assert!(!is_blocked(&repo, &b) && is_blocked(&repo, &c));
}

fn close_again(repo: &TestRepo, id: &str) {
    result(repo, "work.advance", json!({"id": id}));
}

#[test]
fn a_block_that_would_become_a_cycle_is_dropped_and_said() {
    let repo = with_project();
    let feature = make(&repo, "feature", "F", json!({}));
    let [a, x] = ["A", "X"].map(|name| make(&repo, "task", name, json!({})));
    result(&repo, "work.depend", json!({"from": x, "to": a}));
    close(&repo, &x);
    close(&repo, &a);
    // F waits for A once A is open again, A for X, and X for F.
    let version = repo.data("work.show", json!({"id": a}))["task"]["version"].clone();
    result(&repo, "work.update", json!({"id": a, "version": version, "feature": feature}));
    result(&repo, "work.revert", json!({"id": x}));
    result(&repo, "work.depend", json!({"from": feature, "to": x}));
    result(&repo, "work.revert", json!({"id": a}));
    assert!(!is_blocked(&repo, &a) && is_blocked(&repo, &x));
}

#[test]
fn work_passes_through_three_states_unless_the_store_knows_others() {
    let repo = with_project();
    let task = make(&repo, "task", "T", json!({}));
    let state = repo.data("work.state", json!({"id": task}));
    assert_eq!(state["position"]["pipeline"], json!(["NEW", "ACTIVE", "CLOSED"]));
    repo.write(
        "cairn.jsonc",
        r#"{"work": {"pipelines": {"task": ["NEW", "ACTIVE", "TO_BE_TESTED", "CLOSED"]}}}"#,
    );
    result(&repo, "work.advance", json!({"id": task}));
    result(&repo, "work.advance", json!({"id": task}));
    repo.write("cairn.jsonc", "{}");
    let state = repo.data("work.state", json!({"id": task}));
    let all = json!(["NEW", "ACTIVE", "TO_BE_TESTED", "READY_TO_PROD", "CLOSED"]);
    assert_eq!(state["position"]["pipeline"], all);
    result(&repo, "work.advance", json!({"id": task}));
}

#[test]
fn one_record_outside_the_pipeline_stops_nobody_else() {
    let repo = with_project();
    let long = r#"{"work": {"pipelines": {"task": ["NEW", "ACTIVE", "TO_BE_TESTED", "CLOSED"]}}}"#;
    repo.write("cairn.jsonc", long);
    let stuck = make(&repo, "task", "Stuck", json!({}));
    let other = make(&repo, "task", "Other", json!({}));
    result(&repo, "work.advance", json!({"id": stuck}));
    result(&repo, "work.advance", json!({"id": stuck}));
    repo.write("cairn.jsonc", r#"{"work": {"pipelines": {"task": ["NEW", "ACTIVE", "CLOSED"]}}}"#);
    assert_eq!(repo.data("work.next", json!({}))["tasks"][0]["title"], "Other");
    result(&repo, "work.claim", json!({}));
    close(&repo, &other);
    let refused = repo.call_op("work.advance", json!({"id": stuck})).unwrap_err();
    assert_eq!(refused.code, ProblemCode::InvalidOperation);
    assert_eq!(refused.hints[0].text, "move it back to ACTIVE with");
    assert_eq!(refused.hints[0].call.as_ref().unwrap().operation, "work.revert");
    assert!(repo.data("verify", json!({})).to_string().contains("WORK_STATE_UNKNOWN"));
    let back = result(&repo, "work.revert", json!({"id": stuck}));
    assert_eq!(back["to"], "ACTIVE");
    assert_eq!(result(&repo, "work.advance", json!({"id": stuck}))["to"], "CLOSED");
    assert!(!repo.data("verify", json!({})).to_string().contains("WORK_STATE_UNKNOWN"));
}

#[test]
fn the_context_of_a_task_has_its_feature_dependencies_and_what_is_known_about_its_files() {
    let repo = with_project();
    let feature = make(&repo, "feature", "Sign-in", json!({}));
    let task = make(&repo, "task", "Rotate keys", json!({"feature": feature}));
    let waits = make(&repo, "task", "Deploy", json!({}));
    let near = make(&repo, "task", "Audit", json!({}));
    result(&repo, "work.depend", json!({"from": task, "to": waits}));
    result(&repo, "work.depend", json!({"from": near, "to": task, "relation": "RELATES_TO"}));
    let files = "| file | why |\n|---|---|\n| src/auth/login.ts | entry |\n| src/gone.ts | old |\n";
    result(
        &repo,
        "work.section_edit",
        json!({"action": "add", "owner": task, "title": "Context Files", "content": files}),
    );
    result(
        &repo,
        "knowledge.create",
        json!({"kind": "atom", "name": "Sessions", "paths": ["src/auth/**"],
            "knowledge": "sessions expire after an hour"}),
    );
    let text = repo.text(&format!("context task:{task}"));
    for part in [
        "feature \"Sign-in\" NEW",
        "blocks \"Deploy\" NEW",
        "relates to \"Audit\" NEW",
        "names src/auth/login.ts",
        "names src/gone.ts, which is not there",
        "\"Sessions\"",
        "> sessions expire after an hour",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_commit_belongs_to_one_claim_and_cairns_own_files_to_none() {
    let repo = TestRepo::new("//- README.md\nx\n");
    make(&repo, "project", "Shop", json!({}));
    let [a, b] = ["A", "B"].map(|name| make(&repo, "task", name, json!({})));
    let claim = |task: &str, at: &str| {
        let mut call = testkit::call_by("tester");
        call.now = at.parse().unwrap();
        let args = serde_json::from_value(json!({"task": task, "minutes": 600})).unwrap();
        operations::ops::find("work.claim").unwrap().call(&repo.workspace(), call, args).unwrap();
    };
    claim(&a, "2026-01-02T02:00:00Z");
    claim(&b, "2026-01-02T03:00:00Z");
    result(
        &repo,
        "work.section_edit",
        json!({"action": "add", "owner": a, "title": "Context Files", "content": "src/auth/login.ts"}),
    );
    repo.write("src/auth/login.ts", "export function login() { return 1; }\n");
    repo.commit("the file that A names");
    repo.write("src/pay/stripe.ts", "export const a = 2;\n");
    repo.write(".cairn/shared/atoms/x.md", "x\n");
    repo.commit("a file that neither names");
    let hints = |id: &str| close(&repo, id)["graph_hints"].clone();
    let (of_b, of_a) = (hints(&b), hints(&a));
    let later = json!(["README.md", "src/pay/stripe.ts"]);
    assert_eq!((&of_b["commits"], &of_b["uncovered_paths"]), (&json!(2), &later), "claimed last");
    let named = json!(["src/auth/login.ts"]);
    assert_eq!((&of_a["commits"], &of_a["uncovered_paths"]), (&json!(1), &named), "it names it");
}

#[test]
fn context_files_are_read_from_tables_and_sentences_and_the_rest_is_told() {
    let repo = with_project();
    let task = make(&repo, "task", "T", json!({"templates": ["Task"]}));
    let shown = |task: &str| {
        let args = json!({"id": task, "include_graph_context": true});
        repo.data("work.show", args)
    };
    let fresh = shown(&task);
    assert_eq!(fresh["graph_context"]["unmatched_paths"], json!([]), "the template names nothing");
    let around = repo.data("subgraph", json!({"center": format!("task:{task}"), "hops": 1}));
    assert!(!around.to_string().contains("path/to/file"), "{around}");
    let content = "| file | why |\n|---|---|\n| src/auth/login.ts | the entry |\n\n\
        Also look at src/pay and at src/gone.ts, with Node.js.\nAsk Ada first\n";
    let section = repo.data("work.sections", json!({"id": task}))["sections"][1].clone();
    result(
        &repo,
        "work.section_edit",
        json!({"action": "update", "id": section["id"], "version": 1, "content": content}),
    );
    let read = shown(&task);
    let expected = json!(["src/auth/login.ts", "src/gone.ts", "src/pay/stripe.ts"]);
    assert_eq!(read["graph_context"]["unmatched_paths"], expected);
    assert_eq!(read["unread_context_lines"], json!(["Ask Ada first"]));
    let text = repo.text("context src/pay/stripe.ts");
    assert!(text.contains("NEW \"T\""), "{text}");
}
