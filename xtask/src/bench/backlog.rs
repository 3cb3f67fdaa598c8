//! Every read of work in a store with 20,000 tasks.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::json;
use testkit::TestRepo;

use super::BenchContext;
use super::latency::WarmServer;
use crate::run::XtaskResult;

/// Features, and tasks of each.
const FEATURES: usize = 200;
const TASKS: usize = 100;

/// What a read may take.
const LIMIT: Duration = Duration::from_millis(20);

/// Fills a store with one import, then measures.
pub(super) fn run(site: &BenchContext) -> XtaskResult<()> {
    let repo = TestRepo::new("//- README.md\n# Shop\n//- src/a.ts\nexport const a = 1;\n");
    let mut warm = WarmServer::start(site, &repo.root())?;
    for part in 0..FEATURES / PART {
        warm.call("work_import", json!({"text": plan(part * PART), "format": "plan"}))?;
    }
    warm.call("work_start", json!({}))?;
    for (tool, args) in [
        ("work_next", json!({"limit": 3})),
        ("work_overview", json!({})),
        ("work_overview", json!({"id": "Feature 7"})),
        ("work_board", json!({})),
        ("work_search", json!({"query": "rounding", "status": "NEW"})),
        ("work_search", json!({"tags": "t3"})),
        ("work_search", json!({"mine": true})),
        ("work_show", json!({"id": "Task 7.42", "full": true})),
        ("work_state", json!({"id": "Task 9.17"})),
        ("work_blocked", json!({})),
        ("work_dependencies", json!({"id": "Task 3.4"})),
        ("work_sections", json!({"id": "Task 3.4"})),
        ("work_tags", json!({})),
        ("work_tags", json!({"tag": "t5"})),
        ("work_export", json!({"id": "Feature 7"})),
    ] {
        warm.measure_and_print(tool, &[args], LIMIT)?;
    }
    Ok(())
}

/// Features that one import brings.
const PART: usize = 50;

/// A plan of some features. Every fifth task waits for the one before it, and every third is closed.
fn plan(first: usize) -> String {
    let mut text = "# Project: Shop\n\n".to_owned();
    for feature in first..first + PART {
        let _ = writeln!(text, "# Feature: Feature {feature}\n\n- status: ACTIVE\n");
        for task in 0..TASKS {
            let status = if task % 3 == 0 { "CLOSED" } else { "NEW" };
            let _ = writeln!(text, "## Task: Task {feature}.{task}\n\n- status: {status}");
            let _ = writeln!(text, "- tags: t{}, area{}", task % 10, feature % 7);
            if task % 5 == 4 {
                let _ = writeln!(text, "- blocked by: Task {feature}.{}", task - 1);
            }
            let _ = writeln!(text, "\nAmounts are in cents, and rounding happens once.\n");
            let _ = writeln!(text, "### Implementation Plan\n\n1. change the sum\n2. test it\n");
        }
    }
    text
}
