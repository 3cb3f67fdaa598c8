//! The knowledge base, asked and changed as an agent would.

use std::process::Stdio;

use base::ProblemCode;
use serde_json::{Value, json};
use testkit::writers::{self, KbSoakSize, WriterAssignment};
use testkit::{TestRepo, check, child};

fn shop() -> TestRepo {
    TestRepo::new(
        "//- docs/requirements/REQ-001.md
---
id: REQ-001
title: A payment is never captured twice
status: open
priority: must
tags: [pay]
links: [SCEN-001, https://example.org/pay]
verified_by: [TEST-001]
---
Events may arrive twice.
//- docs/scenarios/one.md
---
id: SCEN-001
title: The same event twice
status: active
---
//- docs/tests/one.md
---
id: TEST-001
title: replays an event
status: passing
---
//- docs/adr/0001.md
---
id: ADR-001
title: Webhooks are idempotent
status: accepted
affects: [SYM-001]
---
//- docs/symbols.yaml
symbols:
  - id: SYM-001
    title: charge
    code: src/pay.ts#charge
    implements: [REQ-001]
    covered_by: [TEST-001]
//- docs/guide/notes.md
---
id: REQ-777
title: Not a document of the knowledge base
status: open
---
//- src/pay.ts
/** Charges a card. */
export function charge(cents: number) { return cents; }
/** Gives money back. Implements REQ-001. */
export function refund(cents: number) { return -cents; }
",
    )
}

fn ids(found: &Value) -> Vec<String> {
    let rows = found["entities"].as_array().unwrap();
    rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}

fn fact(id: &str, title: &str) -> Value {
    json!({"entities": [{"id": id, "type": "fact", "title": title}]})
}

#[test]
fn documents_manifests_and_comments_are_one_model() {
    let repo = shop();
    check(
        &repo,
        "kb query --id REQ-001",
        "
        REQ-001: A payment is never captured twice
          req, open, must  \"A payment is never captured twice\"  kb:REQ-001
        tags: pay
        links: https://example.org/pay
        written in: docs/requirements/REQ-001.md:2
        created: 2026-01-02T03:04:05Z
        updated: 2026-01-02T03:04:05Z
          > Events may arrive twice.
            (docs/requirements/REQ-001.md)

        4 relations
          kb:REQ-001                verified_by   kb:TEST-001  by ada@example.org, 2026-01-02
          kb:REQ-001                specified_by  kb:SCEN-001  by ada@example.org, 2026-01-02
          kb:SYM-001                implements    kb:REQ-001   by ada@example.org, 2026-01-02
          symbol:src/pay.ts#refund  implements    kb:REQ-001   by ada@example.org, 2026-01-02
        basis: fresh · main @ COMMIT
        ",
    );
    let query = |args: Value| ids(&repo.data("kb.query", args));
    assert_eq!(query(json!({"type": "req"})), ["REQ-001"]);
    assert_eq!(query(json!({"tags": ["pay"]})), ["REQ-001"]);
    assert_eq!(query(json!({"text": "event TWICE", "status": "active"})), ["SCEN-001"]);
    assert_eq!(query(json!({"to": "REQ-001", "relation": "implements"})), ["SYM-001"]);
    assert_eq!(query(json!({"from": "symbol:src/pay.ts#charge"})), ["REQ-001", "TEST-001"]);
    assert_eq!(query(json!({"from": "REQ-001", "to": "TEST-001"})), ["REQ-001", "TEST-001"]);
    let both = json!({"from": "ADR-001", "direction": "out", "depth": 2, "sourceFile": "docs"});
    assert_eq!(query(both), ["REQ-001", "TEST-001", "SYM-001"]);
    assert_eq!(repo.code("kb.query", json!({"type": "rek"})), ProblemCode::ValidationError);
    let found = repo.data("search", json!({"query": "REQ-777"}));
    let hits = found["hits"].as_array().unwrap();
    assert!(hits.iter().all(|hit| hit["node"] != "kb:REQ-777"), "{found}");
}

#[test]
fn the_graph_knows_requirements_and_bound_symbols_are_code() {
    let repo = shop();
    let target = |name: &str| repo.data("impact", json!({"target": name}))["target"].clone();
    assert_eq!(target("REQ-001"), "kb:REQ-001");
    assert_eq!(target("SYM-001"), "symbol:src/pay.ts#charge");
    let reached = repo.data("impact", json!({"target": "src/pay.ts#charge"}));
    let rows: Vec<&str> =
        reached["rows"].as_array().unwrap().iter().map(|r| r["node"].as_str().unwrap()).collect();
    for node in ["kb:REQ-001", "kb:TEST-001", "kb:SCEN-001", "symbol:src/pay.ts#refund"] {
        assert!(rows.contains(&node), "{node}: {rows:?}");
    }
    let page = repo.text("context src/pay.ts");
    assert!(
        page.contains(
            "req (must, open) \"A payment is never captured twice\", implements; verified by \
             kb:TEST-001 (passing)"
        ),
        "{page}"
    );
    assert!(repo.text("context REQ-001").contains("\"Events may arrive twice.\"  (from"));
}

#[test]
fn a_changeset_is_whole_logged_and_reversible() {
    let repo = shop();
    let bad = json!({"entities": [
            {"id": "REQ-2", "type": "req", "title": "fine"},
            {"id": "REQ-001", "title": "owned by a file"},
            {"id": "REQ-3", "type": "req", "title": "x", "status": "active"}],
        "relations": [
            {"type": "depends_on", "from": "REQ-2", "to": "REQ-404"},
            {"type": "verified_by", "from": "REQ-2", "to": "SCEN-001"},
            {"type": "implements", "from": "symbol:src/pay.ts#nobody", "to": "REQ-2"}]});
    let problem = repo.call_op("kb.upsert", bad).unwrap_err();
    let rows = problem.details["problems"].as_array().unwrap();
    let places: Vec<&str> = rows.iter().map(|row| row["path"].as_str().unwrap()).collect();
    let expected = [
        "entities[1].id",
        "entities[2].status",
        "relations[0].to",
        "relations[1]",
        "relations[2].from",
    ];
    assert_eq!(places, expected);
    assert_eq!(ids(&repo.data("kb.query", json!({"type": "req"}))), ["REQ-001"]);
    assert!(!repo.root().join(".git/cairn/branches").exists(), "nothing was made");

    let good = json!({"id": "cs-1", "source": "review", "entities": [
            {"id": "REQ-2", "type": "req", "title": "Refunds", "priority": "should"}],
        "relations": [{"type": "depends_on", "from": "REQ-2", "to": "REQ-001", "confidence": 0.8},
            {"type": "implements", "from": "symbol:src/pay.ts#refund", "to": "REQ-2"}]});
    let done = repo.data("kb.upsert", good.clone());
    assert_eq!(done["result"]["entities"]["added"], 1);
    assert_eq!(repo.data("kb.upsert", good)["result"]["rows"], json!([]), "sent again");
    let other = json!({"id": "cs-1", "entities": [{"id": "REQ-9", "type": "req", "title": "x"}]});
    assert_eq!(repo.code("kb.upsert", other), ProblemCode::Conflict);
    let log = repo.data("kb.log", json!({"id": "REQ-2"}));
    assert_eq!(log["entries"][0]["source"], "review");
    assert_eq!(log["entries"][0]["edits"].as_array().unwrap().len(), 3);

    let patch = json!({"entities": [{"id": "REQ-2", "status": "closed", "if_version": 1}]});
    repo.data("kb.upsert", patch.clone());
    assert_eq!(repo.code("kb.upsert", patch), ProblemCode::Conflict);
    assert_eq!(
        repo.code("kb.rollback", json!({"entry": 1})),
        ProblemCode::Conflict,
        "changed since"
    );
    assert_eq!(repo.code("kb.delete", json!({"ids": ["REQ-001"]})), ProblemCode::InvalidOperation);
    let status = || repo.data("kb.query", json!({"id": "REQ-2"}))["entities"][0]["status"].clone();
    repo.data("kb.rollback", json!({"entry": 2}));
    assert_eq!(status(), "open");
    repo.data("undo", json!({}));
    assert_eq!(status(), "closed", "an undo of a rollback");
    assert_eq!(repo.data("kb.log", json!({}))["entries"].as_array().unwrap().len(), 4);
}

#[test]
fn what_is_needed_is_not_removed() {
    let repo = shop();
    let set = json!({"entities": [
            {"id": "REQ-2", "type": "req", "title": "a"}, {"id": "REQ-3", "type": "req", "title": "b"}],
        "relations": [{"type": "depends_on", "from": "REQ-2", "to": "REQ-3"}]});
    repo.data("kb.upsert", set);
    assert_eq!(repo.code("kb.delete", json!({"targets": ["REQ-3"]})), ProblemCode::Blocked);
    assert_eq!(repo.code("kb.delete", json!({"targets": ["REQ-33"]})), ProblemCode::NotFound);
    let dry =
        repo.data("kb.delete", json!({"targets": ["REQ-3"], "cascade": true, "dry_run": true}));
    assert_eq!(dry["diff"], "removes REQ-3\nremoves REQ-2 depends_on REQ-3\n");
    repo.data("kb.delete", json!({"targets": ["REQ-3"], "cascade": true}));
    repo.data("kb.delete", json!({"targets": ["REQ-2"]}));
    assert_eq!(ids(&repo.data("kb.query", json!({"type": "req"}))), ["REQ-001"]);
}

#[test]
fn any_text_comes_back_as_it_was() {
    let repo = shop();
    let long = "𝄞 0\"'\\\n\r\t\u{0}\u{202e}العربية".repeat(40_000);
    for (at, text) in ["\"'\\\n\r", "nul \u{0} nul", "🦀 \u{200f}עברית", &long].iter().enumerate()
    {
        let id = format!("FACT-{at}");
        let set = json!({"entities": [{"id": id, "type": "fact", "title": text, "text": text}]});
        repo.data("kb.upsert", set);
        let found = repo.data("kb.query", json!({"id": id}));
        assert_eq!(found["entities"][0]["title"], **text);
        assert_eq!(found["entities"][0]["text"], **text);
        let log = repo.data("kb.log", json!({"id": id}));
        assert_eq!(log["entries"][0]["edits"][0]["entity"]["after"]["text"], **text);
    }
}

#[test]
fn rules_say_what_is_wrong_and_what_to_do() {
    let repo = shop();
    repo.write("docs/requirements/bad.md", "---\nid: REQ-5\nstatus: opne\nrelates: x\n---\n");
    repo.write("docs/adr/old.md", "---\nid: ADR-9\ntitle: old\nstatus: deprecated\n---\n");
    repo.write("docs/facts/torn.md", "---\nid: [\n---\n");
    repo.write("src/b.ts", "/** Implements REQ-404. */\nexport function b() {}\n");
    repo.data(
        "kb.upsert",
        json!({"entities": [
            {"id": "REQ-A", "type": "req", "title": "a", "priority": "must"},
            {"id": "REQ-B", "type": "req", "title": "b"},
            {"id": "FACT-1", "type": "fact", "title": "cap"},
            {"id": "FACT-2", "type": "fact", "title": "is 5"},
            {"id": "FACT-3", "type": "fact", "title": "is 6"}],
        "relations": [
            {"type": "depends_on", "from": "REQ-A", "to": "REQ-B"},
            {"type": "depends_on", "from": "REQ-B", "to": "REQ-A"},
            {"type": "constrains", "from": "REQ-A", "to": "FACT-1"},
            {"type": "constrains", "from": "REQ-B", "to": "FACT-1"},
            {"type": "requires_property", "from": "REQ-A", "to": "FACT-2"},
            {"type": "requires_property", "from": "REQ-B", "to": "FACT-3"}]}),
    );
    let found = repo.data("kb.check", json!({}));
    let codes: Vec<&str> = found["violations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v["code"].as_str().unwrap())
        .collect();
    let expected = [
        "KB_CYCLE",
        "KB_MUST_COVERAGE",
        "KB_REQUIRED_FIELDS",
        "KB_REQUIRED_FIELDS",
        "KB_REQUIREMENT_MISSING",
        "KB_UNREADABLE",
        "KB_ADR_WITHOUT_SUCCESSOR",
        "KB_CONTRADICTION",
        "KB_UNTESTED_SYMBOL",
        "KB_UNTESTED_SYMBOL",
    ];
    assert_eq!(codes, expected, "{found:#}");
    let one = repo.data("kb.check", json!({"rules": ["must-coverage"]}));
    assert_eq!((one["errors"].as_u64(), one["rules"].as_u64()), (Some(1), Some(1)));
    repo.write(
        "cairn.jsonc",
        r#"{"kb": {"rules": {"kb_cycle": "off", "kb_contradiction": "error"}}}"#,
    );
    let found = repo.data("kb.check", json!({}));
    assert_eq!((found["errors"].as_u64(), found["warnings"].as_u64()), (Some(6), Some(3)));
    assert_eq!(repo.data("verify", json!({}))["errors"], 6, "verify has the same rules");
    assert_eq!(repo.code("kb.check", json!({"rules": ["cycles"]})), ProblemCode::NotFound);
}

#[test]
fn a_commit_is_asked_for_what_its_symbols_implement() {
    let repo = shop();
    repo.write(
        "src/new.ts",
        "/** Implements REQ-001. */\nexport function told() {}\nexport function silent() {}\nfunction own() {}\n",
    );
    repo.git(&["add", "src/new.ts"]);
    let staged = repo.data("kb.check", json!({"staged": true, "rules": "staged_traceability"}));
    let nodes: Vec<&Value> =
        staged["violations"].as_array().unwrap().iter().map(|v| &v["node"]).collect();
    assert_eq!(nodes, ["symbol:src/new.ts#silent"]);
    assert!(
        !repo.call_op("hook", json!({"name": "pre-commit"})).unwrap().has_findings,
        "a warning"
    );
    repo.write("cairn.jsonc", r#"{"kb": {"rules": {"kb_staged_traceability": "error"}}}"#);
    assert!(repo.call_op("hook", json!({"name": "pre-commit"})).unwrap().has_findings);
}

#[test]
fn branches_have_their_own_facts() {
    let repo = shop();
    repo.data("kb.upsert", fact("FACT-1", "on main"));
    let fact_ids = || ids(&repo.data("kb.query", json!({"type": "fact"})));
    repo.git(&["checkout", "-q", "-b", "Feature/x"]);
    let seen = repo.call_op("kb.query", json!({"type": "fact"})).unwrap();
    assert_eq!(seen.basis.kb_branch.as_deref(), Some("main"));
    assert!(repo.text("kb query --type fact").contains(" · knowledge base of main\n"));
    repo.data("kb.upsert", fact("FACT-2", "on x"));
    let seen = repo.call_op("kb.query", json!({"type": "fact"})).unwrap();
    assert_eq!(seen.basis.kb_branch.as_deref(), Some("Feature/x"));
    assert_eq!(fact_ids(), ["FACT-1", "FACT-2"]);

    repo.git(&["branch", "-q", "-m", "feature/y"]);
    assert_eq!(fact_ids(), ["FACT-1", "FACT-2"], "a renamed branch keeps its facts");
    repo.data("kb.upsert", fact("FACT-3", "on y"));
    let names: Vec<String> = repo.data("kb.branches", json!({}))["branches"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| format!("{} {}", row["branch"].as_str().unwrap(), row["unmerged"]))
        .collect();
    assert_eq!(names, ["feature/y 2", "main 0"]);

    repo.git(&["checkout", "-q", "main"]);
    assert_eq!(fact_ids(), ["FACT-1"]);
    repo.data("kb.upsert", json!({"entities": [{"id": "FACT-1", "status": "deprecated"}]}));
    let gone = repo.data("kb.gc", json!({"force": true}));
    assert_eq!(gone["stores"], json!([]), "both branches exist");
    repo.data("kb.merge", json!({"branch": "feature/y"}));
    assert_eq!(fact_ids(), ["FACT-1", "FACT-2", "FACT-3"]);
    assert_eq!(repo.data("kb.merge", json!({"branch": "feature/y"}))["result"]["rows"], json!([]));
    assert_eq!(repo.code("kb.merge", json!({"branch": "feature/z"})), ProblemCode::NotFound);

    repo.git(&["checkout", "-q", "--detach"]);
    repo.data("kb.upsert", fact("FACT-4", "alone"));
    assert_eq!(fact_ids().len(), 4);
    repo.git(&["checkout", "-q", "main"]);
    assert_eq!(fact_ids().len(), 3);
    repo.git(&["branch", "-q", "-D", "feature/y"]);
    let listed = repo.data("kb.gc", json!({}));
    assert_eq!(
        (listed["stores"].as_array().unwrap().len(), &listed["removed"]),
        (2, &json!(false))
    );
    assert_eq!(repo.data("kb.branches", json!({}))["branches"].as_array().unwrap().len(), 3);
    repo.data("kb.gc", json!({"force": true}));
    assert_eq!(repo.data("kb.branches", json!({}))["branches"].as_array().unwrap().len(), 1);
}

#[test]
fn branches_that_changed_the_same_conflict() {
    let repo = shop();
    repo.data("kb.upsert", fact("FACT-1", "before"));
    repo.git(&["checkout", "-q", "-b", "x"]);
    repo.call_op("hook", json!({"name": "post-checkout", "args": ["a", "b", "1"]})).unwrap();
    assert!(repo.root().join(".git/cairn/branches/x/kb.sqlite").is_file(), "made by the hook");
    repo.data("kb.upsert", fact("FACT-1", "theirs"));
    repo.git(&["checkout", "-q", "main"]);
    repo.data("kb.upsert", fact("FACT-1", "ours"));
    assert_eq!(repo.code("kb.merge", json!({"branch": "x"})), ProblemCode::Conflict);
    let title = || repo.data("kb.query", json!({"id": "FACT-1"}))["entities"][0]["title"].clone();
    assert_eq!(title(), "ours");
    repo.data("kb.merge", json!({"branch": "x", "prefer": "theirs"}));
    assert_eq!(title(), "theirs");
    repo.data("undo", json!({}));
    assert_eq!(title(), "ours");
}

#[test]
fn a_fact_becomes_a_document() {
    let repo = shop();
    let set = json!({"entities": [{"id": "FACT-1", "type": "fact", "title": "Cap: \"5\"", "text": "Why"}],
        "relations": [{"type": "relates_to", "from": "FACT-1", "to": "REQ-001", "kind": "explains"}]});
    repo.data("kb.upsert", set);
    let dry = repo.data("kb.promote", json!({"id": "FACT-1", "dry_run": true}));
    assert!(dry["diff"].as_str().unwrap().contains("+id: \"FACT-1\""), "{dry}");
    let done = repo.data("kb.promote", json!({"id": "FACT-1"}));
    assert_eq!(done["path"], "docs/facts/FACT-1.md");
    let found = repo.data("kb.query", json!({"id": "FACT-1"}));
    assert_eq!(found["entities"][0]["file"], "docs/facts/FACT-1.md:2");
    assert_eq!(found["relations"][0]["kind"], "explains");
    assert_eq!(repo.code("kb.upsert", fact("FACT-1", "again")), ProblemCode::InvalidOperation);
    assert_eq!(repo.code("kb.promote", json!({"id": "FACT-1"})), ProblemCode::InvalidOperation);
    assert_eq!(repo.data("kb.check", json!({"rules": "told_twice"}))["errors"], 0);
}

#[test]
fn reports_become_tests_and_are_replaced_by_the_next() {
    let repo = shop();
    let report = |cases: &str| format!("<testsuite>{cases}</testsuite>");
    repo.write(
        "junit.xml",
        report(r#"<testcase name="a"/><testcase name="b"><failure/></testcase>"#),
    );
    let done = repo.data("kb.import", json!({"path": "junit.xml"}));
    assert_eq!(done["result"]["entities"]["added"], 2);
    let failing = || ids(&repo.data("kb.query", json!({"type": "test", "status": "failing"})));
    assert_eq!(failing().len(), 1);
    repo.write("junit.xml", report(r#"<testcase name="a"/>"#));
    let done = repo.data("kb.import", json!({"path": "junit.xml"}));
    assert_eq!((&done["result"]["entities"]["removed"], failing().len()), (&json!(1), 0));
    repo.write("lcov.info", "TN:t\nSF:src/pay.ts\nDA:4,2\nend_of_record\n");
    repo.data("kb.import", json!({"path": "lcov.info"}));
    let covering = json!({"from": "symbol:src/pay.ts#refund", "relation": "covered_by"});
    assert_eq!(ids(&repo.data("kb.query", covering)).len(), 1);
    assert_eq!(repo.code("kb.import", json!({"path": "src/pay.ts"})), ProblemCode::ValidationError);
    assert_eq!(repo.code("kb.import", json!({"path": "../x"})), ProblemCode::OutsideRepository);
}

#[test]
fn the_log_cannot_be_changed_and_a_store_survives_compacting() {
    let repo = shop();
    repo.data("kb.upsert", fact("FACT-1", "kept"));
    let file = repo.root().join(".git/cairn/branches/main/kb.sqlite");
    let conn = store::open(&file, store::Durability::Durable).unwrap();
    for sql in ["UPDATE kb_audit SET actor = 'x'", "DELETE FROM kb_audit"] {
        assert!(conn.connection().execute(sql, []).is_err(), "{sql}");
    }
    drop(conn);
    repo.data("kb.compact", json!({}));
    assert_eq!(repo.data("kb.log", json!({}))["entries"].as_array().unwrap().len(), 1);
}

#[test]
fn a_sync_says_what_files_tell_anew() {
    let repo = shop();
    let sync = || repo.data("sync", json!({}))["knowledge"].clone();
    let all = ["kb:ADR-001", "kb:REQ-001", "kb:SCEN-001", "kb:SYM-001", "kb:TEST-001"];
    let first = sync();
    let code = "symbol:src/pay.ts#refund";
    assert_eq!(first["added"], json!([&all[..], &[code]].concat()));
    assert_eq!(sync(), json!({"added": [], "updated": [], "removed": [], "unchanged": 6}));
    repo.data("kb.upsert", fact("FACT-1", "an agent's own"));
    repo.write("docs/requirements/REQ-002.md", "---\nid: REQ-002\ntitle: n\nstatus: open\n---\n");
    repo.write("docs/scenarios/one.md", "---\nid: SCEN-001\ntitle: other\nstatus: active\n---\n");
    repo.remove("docs/adr/0001.md");
    repo.data("kb.query", json!({})); // every read brings the index up to date: it is told all the same
    let second = sync();
    assert_eq!(second["added"], json!(["kb:REQ-002"]));
    assert_eq!(second["updated"], json!(["kb:SCEN-001"]));
    assert_eq!(second["removed"], json!(["kb:ADR-001"]));
    assert_eq!(second["unchanged"], 4);
    repo.commit("docs");
    assert!(repo.text("sync").contains("since the last sync: all 6 unchanged"));
    repo.data("sync", json!({"full": true}));
    assert_eq!(sync()["unchanged"], 6);
    assert_eq!(ids(&repo.data("kb.query", json!({"type": "fact"}))), ["FACT-1"]);
}

#[test]
fn documents_without_dates_are_as_old_as_git_says() {
    let repo = shop();
    let dates = |id: &str| {
        let row = repo.data("kb.query", json!({"id": id}))["entities"][0].clone();
        (row["created_at"].clone(), row["updated_at"].clone())
    };
    let start = json!("2026-01-02T03:04:05Z");
    assert_eq!(dates("REQ-001"), (start.clone(), start.clone()));
    assert_eq!(dates("SYM-001"), (start.clone(), start.clone()));
    repo.rename("docs/scenarios/one.md", "docs/scenarios/renamed.md");
    repo.git(&["add", "-A"]);
    let later = "2026-03-04T05:06:07Z";
    repo.git(&["-c", "user.name=A", "commit", "-q", "-m", "rename", &format!("--date={later}")]);
    assert_eq!(dates("SCEN-001").0, start, "a renamed document keeps its age");
    let told = "---\nid: REQ-9\ntitle: n\nstatus: open\ncreated_at: 2020-01-01\n---\n";
    repo.write("docs/requirements/REQ-9.md", told);
    let (created, updated) = dates("REQ-9");
    assert_eq!(created, "2020-01-01");
    assert!(updated.is_string(), "not committed yet: as old as its file");
    repo.commit("dated");
    assert_eq!(dates("REQ-9"), (json!("2020-01-01"), start));
}

#[test]
fn lists_are_narrowed_to_a_path() {
    let repo = shop();
    repo.write("src/other.ts", "export function other() {}\n");
    repo.data(
        "kb.upsert",
        json!({"entities": [{"id": "ADR-9", "type": "adr", "title": "b"}],
        "relations": [{"type": "affects", "from": "ADR-9", "to": "symbol:src/other.ts#other"}]}),
    );
    repo.data("kb.upsert", fact("FACT-1", "elsewhere"));
    let near = |path: &str| ids(&repo.data("kb.query", json!({"path": path})));
    assert_eq!(near("src/pay.ts"), ["REQ-001", "TEST-001", "ADR-001", "SYM-001"]);
    assert_eq!(near("src/other.ts"), ["ADR-9"]);
    assert_eq!(near("docs/tests"), ["TEST-001"]);
    assert_eq!(repo.code("kb.query", json!({"path": "nowhere"})), ProblemCode::NotFound);
    let log = repo.data("kb.log", json!({"path": "src"}));
    assert_eq!(log["entries"].as_array().unwrap().len(), 1);
    repo.write("docs/adr/old.md", "---\nid: ADR-7\ntitle: old\nstatus: deprecated\n---\n");
    let found = |path: &str| {
        repo.data("kb.check", json!({"path": path}))["violations"].as_array().unwrap().len()
    };
    assert_eq!((found("docs/adr"), found("docs/tests")), (1, 0));
}

#[test]
fn one_bad_relation_changes_nothing_at_all() {
    let repo = shop();
    repo.data("kb.upsert", fact("FACT-1", "there"));
    let state = || {
        let rows = repo.data("kb.query", json!({"type": "fact,req", "limit": 100}));
        (rows, repo.data("kb.log", json!({})))
    };
    let before = state();
    let entities: Vec<Value> = (10..40)
        .map(|n| json!({"id": format!("FACT-{n}"), "type": "fact", "title": "new"}))
        .chain([json!({"id": "FACT-1", "title": "changed"})])
        .collect();
    for (bad, place) in [
        (json!({"type": "depends_on", "from": "FACT-1", "to": "REQ-001"}), "relations[0]"),
        (json!({"type": "constrains", "from": "REQ-001", "to": "FACT-404"}), "relations[0].to"),
        (json!({"type": "blesses", "from": "REQ-001", "to": "FACT-1"}), "relations[0].type"),
    ] {
        let good = json!({"type": "constrains", "from": "REQ-001", "to": "FACT-10"});
        let set = json!({"entities": entities, "relations": [bad, good], "delete": []});
        let problem = repo.call_op("kb.upsert", set).unwrap_err();
        assert_eq!(problem.details["problems"][0]["path"], place, "{problem}");
        assert_eq!(state(), before);
    }
}

#[test]
fn the_entry_to_roll_back_may_be_called_a_changeset() {
    let repo = TestRepo::new("//- a.md\n# A\n");
    let fact = json!({"entities": [{"id": "FACT-1", "type": "fact", "title": "x"}]});
    repo.data("kb.upsert", fact);
    repo.data("kb.rollback", json!({"changeset": 1}));
    assert_eq!(repo.data("kb.query", json!({}))["entities"], json!([]));
}

#[test]
fn older_names_reach_the_knowledge_base() {
    let repo = shop();
    let edge = json!({"type": "verified_by", "from": "REQ-2", "to": "TEST-001",
        "created_at": "x", "created_by": "x", "source": "x", "confidence": 0.4});
    let full = json!({"id": "REQ-2", "type": "req", "title": "t", "status": "open", "created_at": "x",
        "updated_at": "x", "source": "s", "tags": ["a"], "owner": "o", "priority": "must",
        "severity": "high", "links": ["https://x.y"], "textRef": "docs/a.md"});
    for (name, args) in [
        ("kb.init", json!({"no_hooks": true})),
        ("kb.sync", json!({})),
        ("kb.upsert", json!({"entities": [full], "edges": [edge]})),
        ("kb.upsert", json!({"changeset": {"entities": [full], "relationships": [edge]}})),
        ("kb_upsert", json!({"entities": [full], "relations": [edge]})),
        ("kb.query", json!({"type": "req"})),
        ("kb.query", json!({"types": ["req", "test"], "ids": ["REQ-2"], "tags": ["a"]})),
        ("kb.query", json!({"id": "REQ-2"})),
        ("kb.query", json!({"sourceFile": "docs", "query": "twice"})),
        (
            "kb.query",
            json!({"from": "REQ-2", "rel": "verified_by", "direction": "out", "depth": 2}),
        ),
        ("kb.query", json!({"to": "TEST-001", "relationship": "verified_by"})),
        ("kb_query", json!({"type": "req"})),
        ("kb.check", json!({})),
        ("kb.check", json!({"rules": ["must_coverage", "cycle", "requirement_missing"]})),
        (
            "kb.delete",
            json!({"edges": [{"type": "verified_by", "from": "REQ-2", "to": "TEST-001"}]}),
        ),
        ("kb.delete", json!({"ids": ["REQ-2"]})),
        ("kb.gc", json!({})),
    ] {
        repo.data(name, args);
    }
    for kind in ["req", "scenario", "test", "adr", "flag", "event", "symbol", "fact"] {
        let id = format!("X-{kind}");
        let entity = json!({"id": id, "type": kind, "title": kind});
        repo.data("kb.upsert", json!({"entities": [entity]}));
        assert_eq!(ids(&repo.data("kb.query", json!({"id": id}))), [id]);
    }
    for (relation, from, to) in [
        ("depends_on", "X-req", "REQ-001"),
        ("specified_by", "X-req", "X-scenario"),
        ("verified_by", "X-req", "X-test"),
        ("implements", "X-symbol", "X-req"),
        ("covered_by", "X-symbol", "X-test"),
        ("constrained_by", "X-symbol", "X-adr"),
        ("affects", "X-adr", "X-symbol"),
        ("affects", "X-adr", "dir:src"),
        ("guards", "X-flag", "X-symbol"),
        ("guards", "X-flag", "X-event"),
        ("guards", "X-flag", "X-req"),
        ("publishes", "X-symbol", "X-event"),
        ("consumes", "X-symbol", "X-event"),
        ("supersedes", "X-adr", "ADR-001"),
        ("constrains", "X-req", "X-fact"),
        ("requires_property", "X-req", "X-fact"),
    ] {
        let tie = |from: &str, to: &str| json!({"relations": [{"type": relation, "from": from, "to": to}]});
        repo.data("kb.upsert", tie(from, to));
        let wrong = repo.call_op("kb.upsert", tie("X-event", "X-event"));
        assert_eq!(wrong.unwrap_err().code, ProblemCode::ValidationError, "{relation}");
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "`cargo xtask soak` asks for the long version")]
fn writers_that_are_killed_lose_nothing_that_was_acknowledged() {
    if let Some(arguments) = child::arguments() {
        let [root, name, next, count] = arguments.as_slice() else { panic!("{arguments:?}") };
        let (next, count) = (next.parse().unwrap(), count.parse().unwrap());
        let part = WriterAssignment { name: name.clone(), next, count };
        return writers::run_writer(root.as_ref(), &part);
    }
    let command = |root: &std::path::Path, part: &WriterAssignment| {
        let WriterAssignment { name, next, count } = part;
        let test = "kb::writers_that_are_killed_lose_nothing_that_was_acknowledged";
        let root = root.to_str().unwrap();
        let mut command =
            child::command(test, &[root, name, &next.to_string(), &count.to_string()]);
        command.stderr(Stdio::null());
        command
    };
    let size = match std::env::var("CAIRN_SOAK") {
        Ok(_) => KbSoakSize { writers: 8, changesets: 1000, between_kills: 5 },
        Err(_) => KbSoakSize { writers: 4, changesets: 12, between_kills: 4 },
    };
    let report = writers::soak(command, &size);
    assert!(report.failures.is_empty(), "{:#?}", report.failures);
    assert!(report.killed > 0, "{report:?}");
}

#[test]
fn ids_that_differ_in_case_alone_do_not_coexist() {
    let repo =
        TestRepo::new("//- docs/requirements/a.md\n---\nid: REQ-7\ntitle: From a file\n---\n");
    let upsert = |id: &str| {
        repo.call_op("kb.upsert", json!({"entities": [{"id": id, "type": "req", "title": "x"}]}))
    };
    upsert("REQ-1").unwrap();
    for id in ["req-1", "Req-1", "req-7"] {
        let problem = upsert(id).unwrap_err();
        let said = json!(problem.details).to_string();
        assert!(said.contains("only in case"), "{id}: {said}");
    }
    let both = json!({"entities": [{"id": "FACT-1", "type": "fact", "title": "a"},
        {"id": "fact-1", "type": "fact", "title": "b"}]});
    assert!(repo.call_op("kb.upsert", both).is_err());
    upsert("REQ-1").unwrap();
    // An id that the same changeset deletes does not collide.
    let moved =
        json!({"delete": ["REQ-1"], "entities": [{"id": "req-1", "type": "req", "title": "x"}]});
    repo.data("kb.upsert", moved);
}

#[test]
fn promotion_keeps_every_byte_of_a_text() {
    let repo = TestRepo::new("");
    let text = "  indented\n\nwith a hard break  \nand blanks at its end  \n\n";
    let entity = json!({"id": "REQ-1", "type": "req", "title": "x", "text": text});
    repo.data("kb.upsert", json!({"entities": [entity]}));
    repo.data("kb.promote", json!({"id": "REQ-1"}));
    let file = repo.read("docs/requirements/REQ-1.md").unwrap();
    assert!(file.ends_with(&format!("---\n\n{text}\n")), "{file:?}");
    let known = repo.data("kb.query", json!({"id": "REQ-1"}))["entities"][0].clone();
    assert_eq!(known["text"], text, "{known}");
}

#[test]
fn prose_about_implementing_claims_nothing() {
    let repo = TestRepo::new(
        "//- src/rio.c
/**
 * rio_open - implements DMA-capable mailboxes
 *
 * This implements RIO-4 messaging, and
 * implements RIO-4.
 */
int rio_open(void) { return 0; }
/** implements REQ-1 */
int rio_close(void) { return 0; }
",
    );
    let synced = repo.data("sync", json!({}));
    assert_eq!(synced["knowledge"]["added"], json!(["symbol:src/rio.c#rio_close"]), "{synced}");
    // An id of another form is recognized as soon as an entity has it.
    let entity = json!({"id": "RIO-4", "type": "req", "title": "Mailboxes"});
    repo.data("kb.upsert", json!({"entities": [entity]}));
    let near = repo.data("context", json!({"targets": ["kb:RIO-4"]})).to_string();
    assert!(near.contains("rio_open"), "{near}");
}
