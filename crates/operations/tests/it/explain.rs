//! `explain`: the chain of reasons for a piece of code.
//!
//! @see spec::cross/explain

use serde_json::json;
use testkit::{TestRepo, check};

const SHOP: &str = "
//- src/pay.ts
/**
 * Takes money.
 * @see spec::pay/capture
 * implements REQ-1
 */
export function charge(amount: number): boolean {
  return round(amount) > 0;
}

export function round(amount: number): number {
  return Math.floor(amount);
}
//- docs/requirements/REQ-1.md
---
id: REQ-1
title: Never twice
status: open
priority: should
---
# Why

A customer who pays twice is lost.
//- .cairn/cards/pay/capture.card.md
---
key: spec::pay/capture
type: spec
summary: A payment is captured once
status: implemented
---
Once, by the event's id.
";

#[test]
fn reasons_are_told_from_what_was_asked_to_what_was_done() {
    let repo = TestRepo::new(SHOP);
    let head = repo.git(&["rev-parse", "HEAD"]);
    let page = "
        src/pay.ts#charge: function, exported, line 6: Takes money

        Requirements
          REQ-1 (should, open) says \"Never twice\"; implements    kb:REQ-1
          > A customer who pays twice is lost.
            (kb:REQ-1)

        Specs
          spec::pay/capture (implemented) says \"A payment is captured once\"; linked at charge    spec::pay/capture
          > Once, by the event's id.
            (spec::pay/capture)

        Commits
          began just now by Ada: start    commit:COMMIT

        Not documented: decision, task
        basis: fresh · main @ COMMIT
        ";
    check(&repo, "explain src/pay.ts#charge", page);
    assert!(head.len() > 12);
}

#[test]
fn of_many_reasons_of_one_kind_some_are_shown_and_the_rest_counted() {
    let repo = TestRepo::new("//- src/a.ts\nexport const a = 1;\n");
    repo.data("work.create", json!({"kind": "project", "name": "P"}));
    for number in 0..20 {
        let name = format!("K{number}");
        repo.data(
            "knowledge.create",
            json!({"kind": "atom", "name": name, "paths": ["src/**"], "knowledge": "k"}),
        );
    }
    let data = repo.data("explain", json!({"target": "src/a.ts"}));
    let known = |reason: &&serde_json::Value| reason["sort"] == "knowledge";
    assert_eq!(data["reasons"].as_array().unwrap().iter().filter(known).count(), 12);
    assert_eq!(data["left_out"], json!([{"sort": "knowledge", "count": 8}]));
    let text = repo.text("explain src/a.ts");
    assert!(text.contains("…  8 more    cairn knowledge context src/a.ts"), "{text}");
}

#[test]
fn where_nothing_is_written_the_callers_reasons_are_told() {
    let repo = TestRepo::new(SHOP);
    let data = repo.data("explain", json!({"target": "round"}));
    let through: Vec<_> =
        data["reasons"].as_array().unwrap().iter().map(|r| &r["through"]).collect();
    assert_eq!(through[0], "symbol:src/pay.ts#charge", "{data:#}");
    assert_eq!(data["reasons"][0]["node"], "kb:REQ-1");
}

#[test]
fn a_task_that_a_commit_names_is_among_the_reasons() {
    let repo = TestRepo::new(SHOP);
    repo.data("work.create", json!({"kind": "project", "name": "P", "summary": "p"}));
    let made = json!({"kind": "task", "title": "Capture once", "summary": "s"});
    let task = repo.data("work.create", made);
    let id = task["result"]["task"]["id"].as_str().unwrap().to_owned();
    repo.write("src/pay.ts", repo.read("src/pay.ts").unwrap().replace("> 0", "> 1"));
    repo.commit(&format!("pay: at least two\n\nOne is not worth the fee.\n\nTask: {id}"));
    let data = repo.data("explain", json!({"target": "src/pay.ts#charge"}));
    let sorts: Vec<_> = data["reasons"].as_array().unwrap().iter().map(|r| &r["sort"]).collect();
    assert_eq!(sorts, ["requirement", "spec", "commit", "commit", "task"], "{data:#}");
    assert_eq!(data["reasons"][3]["quote"], "One is not worth the fee.");
}

#[test]
fn other_things_have_reasons_too() {
    let repo = TestRepo::new(SHOP);
    for target in ["src", "REQ-1", "spec::pay/capture", "docs/requirements/REQ-1.md", "HEAD"] {
        let answer = repo.call_op("explain", json!({"target": target}));
        assert_eq!(answer.is_ok(), target != "HEAD", "{target}");
    }
}

#[test]
fn a_requirement_and_a_card_lead_back_to_the_code() {
    let repo = TestRepo::new(SHOP);
    for target in ["REQ-1", "spec::pay/capture"] {
        let page = repo.text(&format!("context {target}"));
        assert!(page.contains("symbol:src/pay.ts#charge"), "{page}");
    }
}
