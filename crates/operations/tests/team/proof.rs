//! Machines that write while processes, the server and the network fail. This is the short form of
//! `cargo xtask prove team`.

use std::process::Stdio;
use std::time::Duration;

use serde_json::json;
use testkit::team_proof::{self, ProofSize, ProofWorker};
use testkit::{TestRepo, child};

#[test]
fn three_machines_agree_after_failures() {
    if let Some(arguments) = child::arguments() {
        return team_proof::work(&ProofWorker::parse(&arguments[0]));
    }
    let start = |worker: &ProofWorker| {
        let test = "proof::three_machines_agree_after_failures";
        let mut command = child::command(test, &[&worker.to_text()]);
        command.stdout(Stdio::null());
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
    match team_proof::run(size, None, start) {
        Some(report) => {
            assert!(report.acknowledged >= 60 && report.other_project >= 10, "{report:?}");
        }
        None => testskip::not_run("PostgreSQL is not installed; `cargo xtask test` installs it"),
    }
}

#[test]
fn a_worker_that_is_killed_twice_repeats_nothing() {
    let repo = TestRepo::new("//- /a.ts\nexport const a = 1;\n");
    let made = repo.data("work.create", json!({"kind": "project", "name": "P", "summary": "s"}));
    let project = made["result"]["project"]["id"].as_str().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let stop = folder.path().join("stop");
    std::fs::write(&stop, "").unwrap();
    let resume = |writes: usize| {
        team_proof::work(&ProofWorker {
            root: repo.root(),
            name: "w".to_owned(),
            writes,
            acknowledgements: folder.path().join("acknowledged"),
            project: project.to_owned(),
            stop: stop.clone(),
            program: None,
        });
    };
    // Two processes, one after the other, were killed after they wrote a task and before they
    // acknowledged it.
    for (title, writes) in [("w 0", 1), ("w 1", 2)] {
        repo.data("work.create", json!({"kind": "task", "name": title, "project": project}));
        resume(writes);
    }
    let found = repo.data("work.export", json!({}));
    assert_eq!(found["tables"]["task"].as_array().unwrap().len(), 2, "{found:#}");
}
