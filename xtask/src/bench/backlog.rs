//! Every read of work and knowledge in a store with 20,000 tasks and 5,000 atoms.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Value, json};
use testkit::TestRepo;

use super::BenchContext;
use super::latency::WarmServer;
use crate::run::{self, XtaskResult};

/// Features, and tasks of each.
const FEATURES: usize = 200;
const TASKS: usize = 100;

/// How many atoms, each for one folder, and how many molecules that group them.
const ATOMS: usize = 5_000;
const MOLECULES: usize = 100;

/// How long a read may take.
const LIMIT: Duration = Duration::from_millis(20);

/// How long `verify` of all rules, and `review` of a clean tree, may take.
const VERIFY_LIMIT: Duration = Duration::from_millis(200);
const REVIEW_LIMIT: Duration = Duration::from_millis(50);

/// The longest answer, in characters.
const MAX_ANSWER_CHARS: usize = 30_000;

/// Fills a store with one import, then measures.
pub(super) fn run(site: &BenchContext) -> XtaskResult<()> {
    let repo = TestRepo::new(&fixture());
    let mut warm = WarmServer::start(site, &repo.root())?;
    for part in 0..FEATURES / PART {
        warm.call("work_import", json!({"text": plan(part * PART), "format": "plan"}))?;
    }
    record_knowledge(&mut warm)?;
    warm.call("work_start", json!({}))?;
    let many_paths: Vec<String> = (0..200).map(|number| file(number * 25)).collect();
    let mut reads = reads_of_work();
    reads.extend([
        ("knowledge_context", json!({"paths": [file(7)]})),
        ("knowledge_context", json!({"paths": many_paths})),
        ("knowledge_context", json!({"paths": ["src"]})),
        ("knowledge_show", json!({"id": "atom:Atom 7"})),
        ("knowledge_show", json!({"id": "molecule:Molecule 7"})),
        ("knowledge_search", json!({"query": "rounding"})),
        ("knowledge_search", json!({"query": "Atom 4999"})),
        ("knowledge_search", json!({"kind": "molecule", "query": "Molecule 9"})),
        ("knowledge_search", json!({"orphans_only": true})),
        ("knowledge_drift", json!({})),
        ("changelog_search", json!({"parent": "atom:Atom 7"})),
    ]);
    reads.push(("explain", json!({"target": format!("{}#f7", file(7))})));
    reads.push(("search", json!({"query": "rounding"})));
    for (tool, args) in reads {
        print_length(tool, &args, &warm.call(tool, args.clone())?);
        warm.measure_and_print(tool, &[args], LIMIT)?;
    }
    warm.measure_and_print("review", &[json!({})], REVIEW_LIMIT)?;
    warm.measure_and_print("verify", &[json!({})], VERIFY_LIMIT)
}

/// Prints a row for an answer that is longer than the limit.
fn print_length(tool: &str, args: &Value, text: &str) {
    let chars = text.chars().count();
    if chars > MAX_ANSWER_CHARS {
        run::print(&format!(
            "| {tool} {args}, characters | {chars} | limit {MAX_ANSWER_CHARS} | |\n"
        ));
    }
}

/// Questions about tasks: each operation, with the arguments that could make it slow.
fn reads_of_work() -> Vec<(&'static str, Value)> {
    vec![
        ("work_next", json!({"limit": 3})),
        ("work_next", json!({"kind": "feature"})),
        ("work_overview", json!({})),
        ("work_overview", json!({"id": "Feature 7"})),
        ("work_board", json!({})),
        ("work_board", json!({"feature": "Feature 7"})),
        ("work_search", json!({"query": "rounding", "status": "NEW"})),
        ("work_search", json!({"query": "absent"})),
        ("work_search", json!({"tags": "t3"})),
        ("work_search", json!({"mine": true})),
        ("work_show", json!({"id": "Task 7.42", "full": true})),
        ("work_show", json!({"id": "project:Shop", "full": true})),
        ("work_state", json!({"id": "Task 9.17"})),
        ("work_blocked", json!({})),
        ("work_dependencies", json!({"id": "Task 3.4"})),
        ("work_sections", json!({"id": "Task 3.4"})),
        ("work_templates", json!({})),
        ("work_tags", json!({})),
        ("work_tags", json!({"tag": "t5"})),
        ("work_export", json!({"id": "Feature 7"})),
        ("context", json!({"targets": ["task:Task 7.42"]})),
    ]
}

/// Creates molecules and atoms; every tenth atom is in no molecule.
fn record_knowledge(warm: &mut WarmServer) -> XtaskResult<()> {
    for number in 0..MOLECULES {
        let args = json!({"kind": "molecule", "name": format!("Molecule {number}"),
            "knowledge": "The folders of one package."});
        warm.call("knowledge_create", args)?;
    }
    for number in 0..ATOMS {
        let mut args = json!({"kind": "atom", "name": format!("Atom {number}"),
            "paths": [format!("src/area{number}/**")],
            "knowledge": "Amounts are in cents; rounding happens once, at the edge."});
        if number % 10 != 0 {
            args["molecule"] = json!(format!("Molecule {}", number % MOLECULES));
        }
        warm.call("knowledge_create", args)?;
    }
    for number in 0..30 {
        let summary = format!("entry {number}");
        warm.call("changelog_append", json!({"parent": "atom:Atom 7", "summary": summary}))?;
    }
    Ok(())
}

/// A repository with a file for every atom.
fn fixture() -> String {
    let mut text = "//- README.md\n# Shop\n".to_owned();
    for number in 0..ATOMS {
        let _ = write!(text, "//- {}\nexport const f{number} = {number};\n", file(number));
    }
    text
}

fn file(number: usize) -> String {
    format!("src/area{number}/f.ts")
}

/// Features in one import.
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
