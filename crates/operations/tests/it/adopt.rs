//! Documents that were not written for cairn: what the knowledge base reads from them.

use serde_json::{Value, json};
use testkit::{TestRepo, check};

const DOCS: &str = "
//- doc/adr/0001-record-decisions.md
# 1. Record decisions

Date: 2020-01-02

## Status

Superseded by [2. Use MADR](0002-use-madr.md)

## Decision

We do.
//- doc/adr/0002-use-madr.md
---
status: Approved
date: 2021-01-02
---
# Use MADR

## Decision Outcome

Yes.
//- doc/adr/0003-odd.md
# Odd

- Status: simmering

## Decision

Maybe.
//- doc/adr/0004-notes.md
# Notes

No decision here.
//- doc/adr/README.md
# Decisions
//- docs/requirements/all.md
# Requirements

- REQ-001: Pay once
- FR-2: Refund
//- features/pay.feature
@REQ-001
Feature: Pay

  Scenario: Once
    When I pay
//- notes/ideas.md
- REQ-900: Fly
";

fn entity(repo: &TestRepo, id: &str) -> Value {
    repo.data("kb.query", json!({"id": id}))["entities"][0].clone()
}

#[test]
fn documents_are_taken_in_as_they_are() {
    let repo = TestRepo::new(DOCS);
    check(
        &repo,
        "kb adopt",
        "
        6 of 7 entities are read, 2 with a mapped type or status; 2 places not read
        adr      3 documents  3 found  3 read
        gherkin  1 document   1 found  1 read
        list     2 documents  3 found  2 read
        words: \"approved\" is read as accepted (1), \"simmering\" is read as proposed (1)

        Read
          ADR-0001  superseded  \"Record decisions\"  doc/adr/0001-record-decisions.md
          ADR-0002  accepted    \"Use MADR\"          doc/adr/0002-use-madr.md
          ADR-0003  proposed    \"Odd\"               doc/adr/0003-odd.md
          docs/requirements/all.md
            REQ-001  open  \"Pay once\"
            FR-2     open  \"Refund\"
          SCEN-pay-once  active  \"Once\"  features/pay.feature

        Not read
          doc/adr/0004-notes.md:1  looks like a decision: it has no status and no section `Decision`
          notes/ideas.md:1         1 entity in 1 document; to read them, add \"notes/**\" to `kb.documents`
        basis: fresh · main @ COMMIT
        ",
    );
    assert_eq!(entity(&repo, "ADR-0001")["status"], "superseded");
    assert_eq!(entity(&repo, "ADR-0002")["status"], "accepted");
    let found = repo.data("verify", json!({}));
    let errors = found["errors"].as_u64();
    assert_eq!(errors, Some(0), "existing documents are no errors: {found:#}");
    let notes: Vec<&str> = found["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|f| f["code"] == "KB_NOT_TAKEN")
        .map(|f| f["path"].as_str().unwrap())
        .collect();
    assert_eq!(notes, ["doc/adr/0003-odd.md", "doc/adr/0004-notes.md"]);
    let scenario = entity(&repo, "SCEN-pay-once");
    assert_eq!(scenario["status"], "active", "{scenario:#}");
    assert_eq!(
        repo.data("kb.query", json!({"id": "REQ-001"}))["relations"][0]["type"],
        "specified_by"
    );
}

#[test]
fn words_are_mapped_and_ids_written_on_request() {
    let repo = TestRepo::new(DOCS);
    repo.write(
        "cairn.jsonc",
        r#"{"kb": {"statuses": {"simmering": "proposed"}, "types": {"FR-": "scenario"}}}"#,
    );
    assert_eq!(entity(&repo, "ADR-0003")["status"], "proposed");
    assert_eq!(entity(&repo, "FR-2")["type"], "scenario");
    let before = repo.read("doc/adr/0001-record-decisions.md").unwrap();
    repo.data("kb.adopt", json!({}));
    assert_eq!(repo.read("doc/adr/0001-record-decisions.md").unwrap(), before);
    repo.data("kb.adopt", json!({"write_ids": true}));
    let after = repo.read("doc/adr/0001-record-decisions.md").unwrap();
    assert_eq!(
        after,
        format!("---\nid: ADR-0001\ntitle: Record decisions\nstatus: superseded\n---\n\n{before}")
    );
    let madr = repo.read("doc/adr/0002-use-madr.md").unwrap();
    assert!(
        madr.starts_with(
            "---\nstatus: accepted\ndate: 2021-01-02\nid: ADR-0002\ntitle: Use MADR\n---\n"
        ),
        "{madr}"
    );
    assert_eq!(entity(&repo, "ADR-0001")["status"], "superseded");
    assert_eq!(repo.data("kb.adopt", json!({"write_ids": true}))["files"], json!([]));
}
