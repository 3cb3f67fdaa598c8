//! A server that answers many calls: the growth of its memory, and its processor time while idle.

use std::fs;
use std::time::Duration;

use serde_json::{Value, json};

use super::BenchContext;
use super::code::resident_memory;
use super::latency::WarmServer;
use crate::run::{XtaskResult, print};

/// The number of calls before the first measurement of memory.
const FIRST_SAMPLE: usize = 100;
const LAST_SAMPLE: usize = 10_000;

/// The largest ratio of the last measurement to the first.
const MAX_GROWTH: f64 = 1.05;

/// How long the server is left idle.
const IDLE_TIME: Duration = Duration::from_secs(10);

pub(super) fn run(site: &BenchContext) -> XtaskResult<()> {
    let mut warm = WarmServer::start(site, &site.root)?;
    let questions: [(&str, Value); 8] = [
        ("status", json!({})),
        ("search", json!({"query": "index refresh"})),
        ("code_find", json!({"name": "resolve"})),
        ("context", json!({"targets": ["crates/tree/src/lib.rs"], "budget": 800})),
        ("impact", json!({"target": "crates/base/src/path.rs#RepoPath"})),
        ("history_provenance", json!({"path": "README.md"})),
        ("code_zoom", json!({"path": "crates/git/src"})),
        ("kb_query", json!({"type": "fact"})),
    ];
    let mut first = 0;
    for (at, (tool, args)) in (1..=LAST_SAMPLE).zip(questions.iter().cycle()) {
        warm.call(tool, args.clone())?;
        if at == FIRST_SAMPLE {
            first = resident_memory(warm.pid());
        }
    }
    let last = resident_memory(warm.pid());
    #[expect(clippy::cast_precision_loss, reason = "megabytes")]
    let ratio = last as f64 / first.max(1) as f64;
    print(&format!(
        "| memory after {LAST_SAMPLE} calls, at most {MAX_GROWTH} | {last} MB | after {FIRST_SAMPLE} {first} MB | {ratio:.2} |\n"
    ));
    let before = cpu_ticks(warm.pid());
    std::thread::sleep(IDLE_TIME);
    let spent = cpu_ticks(warm.pid()).saturating_sub(before);
    print(&format!("| idle for {IDLE_TIME:?} | {spent} ticks of 10 ms | none | |\n"));
    Ok(())
}

/// The processor time of a process so far.
fn cpu_ticks(process: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split(' ');
    fields.skip(12).take(2).filter_map(|field| field.parse::<u64>().ok()).sum()
}
