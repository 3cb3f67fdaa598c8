//! Proves that a team on several machines loses nothing while processes, connections and the server
//! fail.

#![expect(clippy::disallowed_methods, reason = "a developer's tool starts itself as a worker")]

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use testkit::proof_program::ProofProgram;
use testkit::team_proof::{self, ProofSize, ProofWorker};

use super::{ProofBinary, number_arg, team_cost};
use crate::run::{self, XtaskResult};
use crate::tools;

/// Minutes of the proof, by default.
const MINUTES: u64 = 10;

pub(super) fn run(root: &Path, args: &[&str]) -> XtaskResult<()> {
    tools::install_postgres(root)?;
    match args {
        ["cost", rest @ ..] => return team_cost::latencies(root, rest),
        ["clients", rest @ ..] => return team_cost::many_clients(root, rest),
        ["log", rest @ ..] => return team_cost::long_log(root, rest),
        _ => {}
    }
    let minutes = number_arg(args, 0, MINUTES)?;
    let size = ProofSize {
        machines: 3,
        processes: 3,
        writes: if minutes >= MINUTES { 334 } else { 40 },
        failures: 20,
        time: Duration::from_secs(minutes * 60),
        seed: number_arg(args, 1, 1)?,
    };
    let program = ProofBinary::build(root)?;
    let program = ProofProgram::at(&program.binary);
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let start = |worker: &ProofWorker| {
        let mut command = Command::new(&own);
        command.args(["team-worker", &worker.to_text()]);
        command
    };
    let report =
        team_proof::run(size, Some(&program), start).ok_or("PostgreSQL is not installed")?;
    run::print(&format!("{report:#?}\n"));
    Ok(())
}

pub(super) fn work(worker: &str) -> XtaskResult<()> {
    team_proof::work(&ProofWorker::parse(worker));
    Ok(())
}
