//! The knowledge base: requirements, scenarios, tests, decisions and facts.

use crate::story::{self, Step, show, show_case};

/// Results of a test run, as `JUnit` writes them.
const JUNIT: &str = r#"<testsuite name="webhook">
  <testcase classname="webhook" name="settles an order once" file="test/webhook.test.ts" time="0.01"/>
  <testcase classname="webhook" name="refuses a forged event" file="test/webhook.test.ts" time="0.01">
    <failure message="expected 401"/>
  </testcase>
</testsuite>
"#;

pub const STEPS: &[Step] = &[
    show("kb query"),
    show_case("one", "kb query --id REQ-001"),
    show_case("none", "kb query chargeback"),
    show("kb check"),
    show(
        r#"kb upsert '{"entities": [{"id": "FACT-1", "type": "fact", "title": "The provider resends events for a day", "text": "Measured in December."}, {"id": "FACT-2", "type": "fact", "title": "Events have ids"}], "relations": [{"type": "relates_to", "from": "FACT-1", "to": "FACT-2", "kind": "background"}]}' --source design-review"#,
    ),
    show_case("empty", "kb upsert '{}'"),
    show_case("unknown_field", r#"kb upsert '{"entitys": []}'"#),
    show_case(
        "invalid",
        r#"kb upsert '{"entities": [{"id": "FACT-9", "type": "rumour", "title": "x"}]}'"#,
    ),
    show_case("referenced", r#"kb delete '["FACT-2"]'"#),
    show("kb log"),
    Step::Write("reports/junit.xml", JUNIT),
    show("kb import reports/junit.xml"),
    show_case("unknown", "kb import README.md"),
    show("kb rollback 1"),
    Step::Run(
        r#"kb upsert '{"entities": [{"id": "FACT-3", "type": "fact", "title": "Refunds take three days"}]}'"#,
    ),
    show("kb promote FACT-3"),
    Step::Run(
        r#"kb upsert '{"entities": [{"id": "FACT-4", "type": "fact", "title": "Payouts leave at midnight"}]}'"#,
    ),
    show_case("document", "kb delete REQ-001"),
    show("kb delete FACT-4"),
    Step::Git(&["switch", "-q", "-c", "feature/payouts"]),
    Step::Run(
        r#"kb upsert '{"entities": [{"id": "FACT-5", "type": "fact", "title": "Payouts need two keys"}]}'"#,
    ),
    Step::Git(&["switch", "-q", "main"]),
    show("kb branches"),
    show("kb merge feature/payouts"),
    show_case("same", "kb merge main"),
    Step::Git(&["branch", "-q", "-D", "feature/payouts"]),
    show("kb schema"),
    show("kb adopt"),
    show("kb gc"),
    show("kb compact"),
];

#[test]
fn knowledge_base() {
    story::run(STEPS);
}
