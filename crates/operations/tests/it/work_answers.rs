//! What the answers about work say: first lines, hints, and calls that continue them.

use base::ProblemCode;
use serde_json::{Value, json};
use testkit::TestRepo;

/// A repository with a plan.
fn planned(plan: &str) -> TestRepo {
    let repo = TestRepo::new("\n//- src/a.ts\nexport const a = 1;\n");
    repo.data("work.plan", json!({"text": plan}));
    repo
}

/// Calls an operation for a session at a time of the test's day.
fn call_as(
    repo: &TestRepo,
    session: &str,
    at: &str,
    name: &str,
    args: Value,
) -> Result<Value, base::Problem> {
    let mut call = testkit::call_by("ada").in_session(session);
    call.now = format!("2026-01-02T{at}:00Z").parse().unwrap();
    let args = serde_json::from_value(args).unwrap();
    let done = operations::ops::find(name).unwrap().call(&repo.workspace(), call, args)?;
    Ok((*done.data).clone())
}

#[test]
fn started_tasks_that_nobody_claimed_are_named_and_not_taken() {
    let repo = planned(
        "## Task: Here\n- status: ACTIVE\n## Task: Of bob\n- status: ACTIVE\n- assignee: bob\n## Task: New\n",
    );
    let text = repo.text("work next");
    assert!(text.contains("Started, but claimed by nobody: \"Here\""), "{text}");
    assert!(text.contains("To take the first:    cairn work start task:here-"), "{text}");
    assert!(!text.contains("Of bob"), "what is assigned to others is theirs: {text}");
    let started = repo.data("work.start", json!({}))["result"].clone();
    assert_eq!(started["task"]["title"], "New", "another person may be at work on the first");
    repo.data("work.done", json!({}));
    let problem = call_as(&repo, "s", "10:00", "work.start", json!({})).unwrap_err();
    let hints = format!("{:?}", problem.hints);
    assert!(hints.contains("nobody claims it") && hints.contains("work.start"), "{hints}");
    repo.data("work.start", json!({"task": "Here"}));
    assert!(!repo.text("work next").contains("claimed by nobody"));
}

#[test]
fn a_mistyped_option_is_no_search_word() {
    let repo = planned("## Task: The option --proxy\n## Task: Other\n");
    assert_eq!(
        repo.code("work.search", json!({"query": "--overdue"})),
        ProblemCode::ValidationError
    );
    let found = repo.data("work.search", json!({"query": "-proxy", "kind": "task"}));
    assert_eq!(found["items"].as_array().unwrap().len(), 1, "one hyphen excludes");
    assert_eq!(found["items"][0]["name"], "Other");
}

#[test]
fn the_board_of_a_feature_continues_with_its_tasks() {
    let repo =
        planned("# Feature: Login\n## Task: One\n## Task: Two\n# Feature: Pay\n## Task: Three\n");
    let text = repo.text("work board Login --most 1");
    assert!(text.starts_with("Feature \"Login\": 2 NEW"), "{text}");
    let rest = "…  1 task more in    cairn work search --kind task --feature Login";
    assert!(text.contains(rest), "{text}");
}

#[test]
fn a_task_shows_how_hard_it_is_and_whose_claim_ended() {
    let repo = planned("## Task: One\n- complexity: 3\n");
    call_as(&repo, "first", "10:00", "work.start", json!({"minutes": 1})).unwrap();
    let shown = |at| call_as(&repo, "second", at, "work.show", json!({"id": "One"})).unwrap();
    assert_eq!(
        (&shown("10:00")["expired_claim"], &shown("10:00")["claim"]["actor"]),
        (&Value::Null, &json!("ada"))
    );
    let later = shown("11:00");
    assert_eq!((&later["claim"], &later["expired_claim"]["actor"]), (&Value::Null, &json!("ada")));
    let text = repo.text("work show One");
    assert!(text.contains("complexity: 3"), "{text}");
}

#[test]
fn ids_of_other_trackers_are_names() {
    let repo = TestRepo::new("\n//- src/a.ts\nexport const a = 1;\n");
    let beads =
        r#"{"id":"bd-90v","title":"Read","status":"open","priority":1,"issue_type":"task"}"#;
    repo.data("work.import", json!({"text": beads, "format": "beads"}));
    let github = r#"[{"number": 7, "title": "Write", "state": "OPEN", "labels": []}]"#;
    repo.data("work.import", json!({"text": github, "format": "github"}));
    let name = |id: &str| repo.data("work.show", json!({"id": id}))["task"]["title"].clone();
    assert_eq!((name("bd-90v"), name("#7")), (json!("Read"), json!("Write")));
    assert_eq!(name("github:#7"), "Write");
}

#[test]
fn what_was_finished_elsewhere_does_not_count_as_finished_this_week() {
    let repo = planned("## Task: Old\n- status: CLOSED\n## Task: New\n");
    call_as(&repo, "s", "10:00", "work.start", json!({"task": "New"})).unwrap();
    call_as(&repo, "s", "11:00", "work.done", json!({"task": "New"})).unwrap();
    let board = call_as(&repo, "s", "12:00", "work.board", json!({"flow": true})).unwrap();
    let last = board["flow"]["weeks"].as_array().unwrap().last().unwrap();
    assert_eq!((&last["made"], &last["finished"]), (&json!(1), &json!(1)), "{board}");
    let text = repo.text("work board --flow");
    assert!(text.contains("took less than a day"), "{text}");
}

#[test]
fn a_refused_start_says_how_to_take_over() {
    let repo = planned("## Task: One\n## Task: Two\n");
    let call = |session, name, args| call_as(&repo, session, "10:00", name, args);
    call("first", "work.start", json!({"task": "One"})).unwrap();
    let refused = call("second", "work.start", json!({"task": "One"})).unwrap_err();
    let hints = format!("{:?}", refused.hints);
    assert!(hints.contains("work.start") && hints.contains("steal"), "{hints}");
    assert!(!hints.contains("work.claim"), "one call, not two: {hints}");
    call("first", "work.start", json!({"task": "Two"})).unwrap();
    let several = call("first", "work.done", json!({})).unwrap_err();
    assert_eq!(several.details["candidates"].as_array().unwrap().len(), 2);
}

#[test]
fn a_question_is_told_as_one() {
    let repo = planned("## Task: One\n- blocked by: NO_OP \"Which separator?\"\n");
    let text = repo.text("work blocked");
    assert!(text.contains("waits for an answer: Which separator?"), "{text}");
}

#[test]
fn paths_without_knowledge_are_told_once() {
    let repo = planned("## Task: One\n");
    let text = repo.text("knowledge context src/a.ts");
    assert_eq!(text.matches("No atom covers 1 path").count(), 1, "{text}");
    assert!(text.contains("  src/a.ts"), "{text}");
}

#[test]
fn a_dry_run_of_a_plan_shows_the_lines_that_change() {
    let repo = planned("# Feature: F\n## Task: One\nWhy.\n### Plan\nread\ncount\n");
    repo.write(
        "PLAN.md",
        "# Feature: F\n## Task: One\nWhy not.\n### Plan\nread\nwrite\n## Task: Two\n",
    );
    let text = repo.text("work plan PLAN.md --dry-run");
    let diff = "   summary\n   - Why.\n   + Why not.\n   Plan\n   - count\n   + write\n";
    assert!(text.contains(diff), "{text}");
    assert!(!repo.text("work plan PLAN.md").contains("- count"), "afterwards it is history");
}

#[test]
fn a_misspelt_field_is_not_a_summary() {
    let repo = planned("# Feature: F\n## Task: One\n");
    let plan = json!({"text": "# Feature: F\n## Task: One\n- prioritty: HIGH\n"});
    assert_eq!(repo.code("work.plan", plan), ProblemCode::ValidationError);
    repo.data("work.plan", json!({"text": "# Feature: F\n## Task: One\n- Note: it is small\n"}));
    let shown = repo.data("work.show", json!({"id": "One"}));
    assert_eq!(shown["task"]["summary"], "- Note: it is small");
}

#[test]
fn a_search_over_everything_names_tasks_by_key_and_state() {
    let repo = planned("# Feature: Proxies\n## Task: Accept SOCKS\n");
    call_as(&repo, "s", "03:00", "work.start", json!({})).unwrap();
    let text = repo.text("search SOCKS");
    let line = text.lines().find(|line| line.starts_with("Accept SOCKS")).unwrap();
    assert!(line.contains("ACTIVE, held by ada") && line.contains("task:accept-socks-"), "{line}");
    let found = repo.data("search", json!({"query": "SOCKS"}));
    let node = found["hits"][0]["node"].as_str().unwrap();
    assert_eq!(node.len(), "task:".len() + 36, "programs get the id: {node}");
}
