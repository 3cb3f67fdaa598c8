//! Many processes, killed at random, a few times. `cargo xtask soak` takes minutes.

use std::path::Path;
use std::process::Command;

use testkit::soak::{self, SoakActions, SoakReport};

/// The variables that turn a run of this test binary into a worker.
const WORKER: (&str, &str, &str) = ("CAIRN_WORKER_ROOT", "CAIRN_WORKER_NAME", "CAIRN_WORKER_SEED");

/// Not a test of its own: what the next one starts and kills.
#[test]
#[expect(clippy::disallowed_methods, reason = "a child is told by its environment what to do")]
fn worker() {
    let Some(root) = std::env::var_os(WORKER.0) else { return };
    let name = std::env::var(WORKER.1).unwrap();
    let seed = std::env::var(WORKER.2).unwrap().parse().unwrap();
    soak::run_worker(Path::new(&root), &name, seed, SoakActions::All);
}

#[expect(clippy::disallowed_methods, reason = "the workers are processes of their own")]
fn command(root: &Path, name: &str, seed: u64) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["soak::worker", "--exact", "--nocapture", "--test-threads=1"]);
    command.env(WORKER.0, root).env(WORKER.1, name).env(WORKER.2, seed.to_string());
    command
}

#[test]
fn eight_processes_killed_at_random_lose_nothing() {
    let is_enough = |report: &SoakReport, _| {
        let wrote = !report.lines.is_empty()
            && report.pairs > 0
            && !report.records.is_empty()
            && report.work.operations > 0;
        report.killed > 15 && report.reads > 0 && wrote
    };
    let report = soak::soak(command, 8, is_enough);
    assert!(report.failures.is_empty(), "{:#?}", report.failures);
}
