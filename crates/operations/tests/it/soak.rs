//! Many processes, killed at random, a few times. `cargo xtask soak` takes minutes.

use std::path::Path;
use std::process::Command;

use testkit::child;
use testkit::soak::{self, SoakActions, SoakReport};

fn worker(root: &Path, name: &str, seed: u64) -> Command {
    let test = "soak::eight_processes_killed_at_random_lose_nothing";
    child::command(test, &[root.to_str().unwrap(), name, &seed.to_string()])
}

#[test]
fn eight_processes_killed_at_random_lose_nothing() {
    if let Some(arguments) = child::arguments() {
        let [root, name, seed] = arguments.as_slice() else { panic!("{arguments:?}") };
        return soak::run_worker(root.as_ref(), name, seed.parse().unwrap(), SoakActions::All);
    }
    let is_enough = |report: &SoakReport, _| {
        let wrote = !report.lines.is_empty()
            && report.pairs > 0
            && !report.records.is_empty()
            && report.work.operations > 0;
        report.killed > 15 && report.reads > 0 && wrote
    };
    let report = soak::soak(worker, 8, is_enough);
    assert!(report.failures.is_empty(), "{:#?}", report.failures);
}
