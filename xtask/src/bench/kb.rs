//! The knowledge base at the size at which the tool that it replaces was measured: 115 documents,
//! 15 symbols.

#![expect(clippy::disallowed_methods, reason = "a benchmark starts what it measures")]

use std::fmt::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::TestRepo;

use super::latency::WarmServer;
use super::{BenchContext, Comparison, median, print_row};
use crate::run::XtaskResult;

/// Documents of each type: 115 in total.
const DOCUMENTS: [(&str, &str, &str, usize); 6] = [
    ("requirements", "REQ", "open", 40),
    ("scenarios", "SCEN", "active", 25),
    ("tests", "TEST", "passing", 25),
    ("adr", "ADR", "accepted", 15),
    ("flags", "FLAG", "active", 5),
    ("events", "EVT", "active", 5),
];

/// Symbols of the manifest, each bound to one of the code.
const SYMBOLS: usize = 15;

/// Facts that agents wrote.
const FACTS: usize = 100;

/// How often a process is started.
const ROUNDS: usize = 15;

/// Measures `sync` as a separate process, from scratch and with nothing to do; then, on a warm
/// server, questions, the rules and the first write on a new branch.
pub(super) fn run(site: &BenchContext) -> XtaskResult<()> {
    let repo = TestRepo::new(&fixture());
    let ms = Duration::from_millis;
    let first = median(ROUNDS, || {
        repo.remove(".cairn");
        repo.remove(".git/cairn");
        time_process(site, &repo, &["sync"])
    })?;
    print_row("first sync, a process of its own", first, &Comparison::limit(ms(150)));
    let again = median(ROUNDS, || time_process(site, &repo, &["sync"]))?;
    print_row("unchanged sync, a process of its own", again, &Comparison::limit(ms(20)));

    let mut warm = WarmServer::start(site, &repo.root())?;
    warm.call("kb_upsert", json!({"entities": (0..FACTS).map(fact).collect::<Vec<_>>()}))?;
    let changed = median(ROUNDS, || time_call(|| warm.call("sync", json!({"full": true}))))?;
    print_row("full sync of a server", changed, &Comparison::limit(ms(150)));
    warm.measure_and_print("sync", &[json!({})], ms(20))?;
    warm.measure_and_print("kb_query", &questions(), ms(2))?;
    warm.measure_and_print("kb_check", &[json!({})], ms(20))?;
    let mut number = 0;
    let copied = median(ROUNDS, || {
        number += 1;
        repo.git(&["checkout", "-q", "-b", &format!("branch{number}")]);
        // The tree is the same; this first query adapts to the new HEAD before the measurement
        // starts.
        warm.call("kb_query", json!({"type": "fact", "limit": 1}))?;
        time_call(|| warm.call("kb_upsert", json!({"entities": [fact(FACTS + number)]})))
    })?;
    print_row("first write on a new branch: copy and write", copied, &Comparison::limit(ms(50)));
    let hook = median(ROUNDS, || {
        number += 1;
        repo.git(&["checkout", "-q", "-b", &format!("branch{number}")]);
        time_process(site, &repo, &["hook", "post-checkout", "a", "b", "1"])
    })?;
    print_row(
        "post-checkout hook on a new branch: copy and sync",
        hook,
        &Comparison::limit(ms(50)),
    );
    Ok(())
}

fn time_call(once: impl FnOnce() -> XtaskResult<String>) -> XtaskResult<Duration> {
    let begin = Instant::now();
    once().map(|_| begin.elapsed())
}

/// How long a command takes from its start to its end.
fn time_process(site: &BenchContext, repo: &TestRepo, words: &[&str]) -> XtaskResult<Duration> {
    let begin = Instant::now();
    let mut command = Command::new(&site.cairn);
    command.arg("-C").arg(repo.root()).args(words).stdout(Stdio::null());
    let status = command.status().map_err(|error| error.to_string())?;
    let took = begin.elapsed();
    status.success().then_some(took).ok_or_else(|| format!("{words:?} failed"))
}

fn questions() -> Vec<Value> {
    vec![
        json!({}),
        json!({"type": "req"}),
        json!({"id": "REQ-007"}),
        json!({"tags": ["area3"]}),
        json!({"type": "req", "status": "open", "limit": 20}),
        json!({"text": "settles order"}),
        json!({"source": "docs/adr"}),
        json!({"from": "REQ-007", "depth": 3, "direction": "both"}),
        json!({"to": "REQ-003", "relation": "implements"}),
        json!({"relation": "verified_by"}),
        json!({"from": "symbol:src/area2.ts#settle2", "depth": 2}),
    ]
}

fn fixture() -> String {
    let mut text = String::new();
    for (folder, prefix, status, count) in DOCUMENTS {
        for n in 0..count {
            let _ = write!(
                text,
                "//- docs/{folder}/{prefix}-{n:03}.md\n---\nid: {prefix}-{n:03}\ntitle: The {folder} number {n} \
                 settles order {n}\nstatus: {status}\ntags: [area{}, bench]\n{}---\n# {prefix} {n}\n\nWhat it says \
                 in full, in a paragraph or two.\n",
                n % 5,
                links(prefix, n)
            );
        }
    }
    text.push_str("//- docs/symbols.yaml\nsymbols:\n");
    for n in 0..SYMBOLS {
        let _ = writeln!(
            text,
            "  - id: SYM-{n:03}\n    title: settle{n}\n    code: src/area{n}.ts#settle{n}\n    implements: \
             [REQ-{n:03}]\n    covered_by: [TEST-{n:03}]"
        );
    }
    for n in 0..SYMBOLS {
        let _ = write!(
            text,
            "//- src/area{n}.ts\n/** Settles. */\nexport function settle{n}() {{ return {n}; }}\n"
        );
    }
    text
}

fn links(prefix: &str, n: usize) -> String {
    match prefix {
        "REQ" => format!(
            "priority: {}\nspecified_by: [SCEN-{:03}]\nverified_by: [TEST-{:03}]\n{}",
            ["must", "should", "could"][n % 3],
            n % 25,
            n % 25,
            if n > 0 { format!("depends_on: [REQ-{:03}]\n", n - 1) } else { String::new() }
        ),
        "ADR" => format!("affects: [SYM-{n:03}]\n"),
        "FLAG" => format!("guards: [REQ-{n:03}]\n"),
        _ => String::new(),
    }
}

fn fact(n: usize) -> Value {
    json!({"id": format!("FACT-{n}"), "type": "fact", "title": format!("Fact {n}"), "tags": ["bench"]})
}
