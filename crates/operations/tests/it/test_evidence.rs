//! Test results from reports, and what they prove about requirements and cards.

use serde_json::json;
use testkit::TestRepo;

use crate::spec_links::{edit, shop};

#[test]
fn verified_means_passed_since_the_code_changed() {
    let repo = shop();
    repo.write(
        "test/gateway.test.ts",
        "import { charge } from '../src/gateway';\nfunction pays() { charge(1); }\n",
    );
    repo.write("junit.xml", "<testsuite timestamp=\"2026-01-01T10:00:00\"><testcase name=\"pays\" file=\"test/gateway.test.ts\"/></testsuite>");
    repo.commit("a test");
    repo.data("kb.import", json!({"path": "junit.xml"}));
    let verified = |repo: &TestRepo| repo.data("matrix", json!({}))["summary"]["verified"].clone();
    assert_eq!(verified(&repo), 2);
    let text = repo.text("kb query --type test");
    assert!(text.contains("passing"), "{text}");
    edit(&repo, "src/gateway.ts", "Takes money.", "Takes all the money.");
    repo.commit("a comment");
    assert_eq!(verified(&repo), 2);
    edit(
        &repo,
        "src/gateway.ts",
        "return amount > 0;\n}\n\nexport",
        "return amount >= 0;\n}\n\nexport",
    );
    assert_eq!(verified(&repo), 0);
    repo.commit("a change");
    assert_eq!(verified(&repo), 0);
    repo.data("kb.import", json!({"path": "junit.xml"}));
    assert_eq!(verified(&repo), 2);
    let cobertura = "<coverage line-rate=\"1\" timestamp=\"1767261600\"><packages><package><classes>\
        <class filename=\"src/gateway.ts\"><lines><line number=\"7\" hits=\"2\"/><line number=\"11\" hits=\"0\"/>\
        </lines></class></classes></package></packages></coverage>";
    repo.write("coverage.xml", cobertura);
    let data = repo.data("kb.import", json!({"path": "coverage.xml"}));
    assert_eq!(data["result"]["relations"].as_array().map_or(1, Vec::len), 1, "{data:#}");
}

#[test]
fn loading_a_module_does_not_cover_its_functions() {
    let repo = shop();
    let code = "class Till:\n    limit = 5\n\n    def open(self):\n        return 1\n\n    def close(self):\n        return 2\n";
    repo.write("src/till.py", code);
    let lines = |hits: [u8; 6]| {
        let line = |(number, hits)| format!("<line number=\"{number}\" hits=\"{hits}\"/>");
        [1, 2, 4, 5, 7, 8].into_iter().zip(hits).map(line).collect::<String>()
    };
    let covered = |hits| {
        let lines = lines(hits);
        let xml = format!(
            "<coverage line-rate=\"1\"><class filename=\"src/till.py\"><lines>{lines}</lines></class></coverage>"
        );
        repo.write("coverage.xml", xml);
        repo.data("kb.import", json!({"path": "coverage.xml"}));
        ["Till", "Till.open", "Till.close"].map(|name| {
            let from = format!("symbol:src/till.py#{name}");
            let found = repo.data("kb.query", json!({"from": from, "relation": "covered_by"}));
            found["entities"].as_array().map_or(0, Vec::len)
        })
    };
    assert_eq!(covered([1, 1, 1, 0, 1, 0]), [0, 0, 0], "the lines that run on import");
    assert_eq!(covered([1, 1, 1, 3, 1, 0]), [0, 1, 0]);
    // What a report states is not confirmed: another clone does not have it.
    repo.data("confirm", json!({"all": true, "why": "read all of it"}));
    let paths = repo.snapshot().into_iter().map(|(path, _)| path);
    let measured: Vec<_> = paths.filter(|path| path.contains("TEST-coverage")).collect();
    assert_eq!(measured, Vec::<String>::new());
}

#[test]
fn tests_without_a_symbol_are_known_by_their_file() {
    let repo = shop();
    let test =
        "import { charge } from '../src/gateway';\ntest('pays once', () => { charge(1); });\n";
    repo.write("test/gateway.test.ts", test);
    repo.commit("a test");
    let report = |cases: &str| {
        let time = "timestamp=\"2026-01-01T10:00:00\"";
        repo.write("junit.xml", format!("<testsuite {time}>{cases}</testsuite>"));
        repo.data("kb.import", json!({"path": "junit.xml"}));
        repo.data("matrix", json!({}))["summary"]["verified"].clone()
    };
    // As vitest writes it: the class is the file. Elsewhere it has dots, and the names of classes at its end.
    let passed = "<testcase classname=\"test/gateway.test.ts\" name=\"pays once\"/>";
    assert_eq!(report(passed), 2);
    let skipped = passed.replace("pays once\"/>", "later\"><skipped/></testcase>");
    assert_eq!(report(&format!("{passed}{skipped}")), 2, "a test that was not run says nothing");
    let failed = passed.replace("pays once\"/>", "refunds\"><failure/></testcase>");
    assert_eq!(report(&format!("{passed}{failed}")), 0, "the worst result counts");
    repo.write("test/pay/test_gateway.py", "def test_once(): pass\n");
    repo.write("junit.xml", "<testsuite><testcase classname=\"pay.test_gateway.TestPay\" name=\"test_once\"/></testsuite>");
    repo.data("kb.import", json!({"path": "junit.xml"}));
    let found = repo.data("kb.query", json!({"type": "test", "text": "test_once"}));
    assert_eq!(found["entities"][0]["code"], "test/pay/test_gateway.py#test_once", "{found:#}");
}

const CASE: &str = "<testcase name=\"pays\" file=\"test/gateway.test.ts\"/>";

/// A shop in which no test calls `charge` directly.
#[test]
fn a_document_of_a_test_has_the_results_of_the_code_that_it_names() {
    let repo = shop();
    let test = "import { charge } from '../src/gateway';\nfunction pays() { charge(1); }\n";
    repo.write("test/gateway.test.ts", test);
    let document = "---\nid: TEST-1\ntitle: Pays\nstatus: passing\ncode: test/gateway.test.ts#pays\n---\nOnce.\n";
    repo.write("docs/tests/TEST-1.md", document);
    edit(&repo, "docs/requirements/pay.md", "specified_by", "verified_by: [TEST-1]\nspecified_by");
    repo.data("confirm", json!({"all": true, "why": "read the test too"}));
    repo.commit("a test");
    let tests = |repo: &TestRepo| {
        let data = repo.data("matrix", json!({"kind": "requirement"}));
        let tests = data["rows"][0]["tests"].as_array().unwrap().clone();
        let told = tests.iter().map(|test| {
            let word = |field: &str| test[field].as_str().unwrap().to_owned();
            format!("{} {} {}", word("node"), word("state"), word("evidence"))
        });
        told.collect::<Vec<_>>()
    };
    assert_eq!(
        tests(&repo),
        ["symbol:test/gateway.test.ts#pays confirmed present", "kb:TEST-1 confirmed present"]
    );
    let report = "<testsuite timestamp=\"2026-01-01T10:00:00\"><testcase name=\"pays\" file=\"test/gateway.test.ts\"/></testsuite>";
    import(&repo, "junit.xml", report);
    assert_eq!(
        tests(&repo),
        ["symbol:test/gateway.test.ts#pays confirmed verified", "kb:TEST-1 confirmed verified"]
    );
    assert_eq!(verified(&repo), 2);
    // The text of the test is part of the confirmed state.
    repo.write("test/gateway.test.ts", test.replace("charge(1)", "charge(2)"));
    assert_eq!(tests(&repo)[0], "symbol:test/gateway.test.ts#pays suspect verified");
    let gate = repo.data("matrix", json!({"gate": true}));
    assert!(gate["problems"].to_string().contains("LINK_SUSPECT"), "{gate:#}");
    // A document whose test exists needs no fix; one whose test was deleted is reported.
    let fixed = repo.data("fix", json!({"dry_run": true}));
    assert!(!fixed.to_string().contains("TEST-1"), "{fixed:#}");
    repo.write("test/gateway.test.ts", test.replace("pays", "captures"));
    let report = repo.data("verify", json!({"rules": ["KB_STALE"]}));
    assert!(report.to_string().contains("does not exist"), "{report:#}");
}

fn covered_shop() -> TestRepo {
    let repo = shop();
    repo.write("test/gateway.test.ts", "function pays() { fetch('/charge'); }\n");
    repo.commit("a test");
    repo
}

fn import(repo: &TestRepo, path: &str, text: &str) {
    repo.write(path, text);
    repo.data("kb.import", json!({"path": path}));
}

fn verified(repo: &TestRepo) -> u64 {
    repo.data("matrix", json!({}))["summary"]["verified"].as_u64().unwrap()
}

#[test]
fn coverage_verifies_only_with_results_of_the_same_run() {
    let lcov = "TN:\nSF:src/gateway.ts\nDA:7,2\nend_of_record\n";
    let repo = covered_shop();
    import(&repo, "lcov.info", lcov);
    assert_eq!(verified(&repo), 0, "coverage does not say that anything passed");
    import(&repo, "junit.xml", &format!("<testsuite>{CASE}</testsuite>"));
    assert_eq!(verified(&repo), 2, "the run passed, and it executed the code");
    let failed = "<testcase name=\"other\"><failure/></testcase>";
    import(&repo, "junit.xml", &format!("<testsuite>{CASE}{failed}</testsuite>"));
    assert_eq!(verified(&repo), 0, "something in the run failed");
    import(&repo, "junit.xml", &format!("<testsuite>{CASE}</testsuite>"));
    edit(&repo, "src/gateway.ts", "amount: number", "amount: bigint");
    assert_eq!(verified(&repo), 0, "the code changed");
    repo.commit("a change");
    import(&repo, "junit.xml", &format!("<testsuite>{CASE}</testsuite>"));
    assert_eq!(verified(&repo), 0, "the coverage is of an older commit");
}

#[test]
fn a_failing_test_beside_a_passing_one_verifies_nothing() {
    let repo = shop();
    let test = "import { charge } from '../src/gateway';\n\
        function pays() { charge(1); }\nfunction refuses() { charge(0); }\n";
    repo.write("test/gateway.test.ts", test);
    repo.commit("two tests");
    import(&repo, "junit.xml", &format!("<testsuite>{CASE}</testsuite>"));
    assert_eq!(verified(&repo), 2);
    let failed = CASE.replace("pays", "refuses").replace("/>", "><failure/></testcase>");
    import(&repo, "junit.xml", &format!("<testsuite>{CASE}{failed}</testsuite>"));
    assert_eq!(verified(&repo), 0);
    let text = repo.text("matrix --open");
    assert!(text.contains("test failed"), "{text}");
}

#[test]
fn a_result_without_known_code_verifies_nothing() {
    let repo = TestRepo::new(
        "
//- docs/requirements/REQ-1.md
---
id: REQ-1
title: Money moves once
status: open
verified_by: [TEST-1]
---
",
    );
    let test = json!({
        "id": "TEST-1", "type": "test", "title": "t", "status": "passing", "commit": "HEAD",
    });
    repo.data("kb.upsert", json!({"entities": [test]}));
    assert_eq!(verified(&repo), 0);
}

#[test]
fn an_import_says_that_edited_files_are_not_in_the_commit() {
    let repo = shop();
    edit(&repo, "src/gateway.ts", "amount: number", "amount: bigint");
    repo.write("junit.xml", format!("<testsuite>{CASE}</testsuite>"));
    let data = repo.data("kb.import", json!({"path": "junit.xml"}));
    let warnings = data["result"]["warnings"].to_string();
    assert!(warnings.contains("1 file of code differs from the commit"), "{warnings}");
}
