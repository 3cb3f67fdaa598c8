//! Machines that write while processes, the server and the network fail, in a short form. `cargo xtask prove team` is the
//! long one.

use std::process::Command;
use std::time::Duration;

use testkit::team_proof::{self, ProofSize, ProofWorker};

/// The variable that makes this test a worker: the fields of one, separated by tabs.
const WORKER: &str = "CAIRN_TEST_TEAM_WORKER";

#[test]
#[expect(clippy::disallowed_methods, reason = "a test starts itself as a worker")]
fn three_machines_agree_after_failures() {
    if let Ok(text) = std::env::var(WORKER) {
        return team_proof::work(&ProofWorker::parse(&text));
    }
    let start = |worker: &ProofWorker| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "proof::three_machines_agree_after_failures", "--nocapture"]);
        command.env(WORKER, worker.to_text()).stdout(std::process::Stdio::null());
        command
    };
    let size = ProofSize {
        machines: 3,
        processes: 2,
        writes: 10,
        failures: 12,
        time: Duration::ZERO,
        seed: 7,
    };
    match team_proof::run(size, start) {
        Some(report) => {
            assert!(report.acknowledged >= 60 && report.other_project >= 10, "{report:?}");
        }
        None => testskip::not_run("PostgreSQL is not installed; `cargo xtask test` installs it"),
    }
}
