//! Proves that memory is bounded and every call is answered or refused in time, with large files,
//! with other things than files at every path, and with idle clients.

use std::path::Path;

use testkit::limits::{self, LimitAmounts, LimitCase, Obstacle};

use super::{ProofBinary, number_arg};
use crate::run::{self, XtaskResult};

/// How large the large file is, in bytes.
const FILE_BYTES: u64 = 1 << 30;

/// How many idle connections are opened, by default.
const CONNECTIONS: usize = 5_000;

/// Tries everything at full size. The first argument is another number of connections, the second
/// another number of paths.
pub(crate) fn run(root: &Path, args: &[&str]) -> XtaskResult<()> {
    let amounts = LimitAmounts {
        file_bytes: FILE_BYTES,
        places: usize::MAX,
        connections: number_arg(args, 0, CONNECTIONS)?,
        paths: number_arg(args, 1, usize::MAX)?,
        obstacles: Obstacle::ALL.to_vec(),
        seed: 1,
    };
    let proved = ProofBinary::build(root)?;
    let report = limits::run(&proved.binary, &amounts, |told| run::print(&format!("{told}\n")));
    let rows: String = report.cases.iter().map(row).collect();
    run::print(&format!(
        "| case | calls | peak memory without it | peak memory | longest call |\n\
         |---|---|---|---|---|\n{rows}\n{:.1} minutes, {} wrong\n",
        report.took.as_secs_f64() / 60.0,
        report.failures.len()
    ));
    match report.failures.len() {
        0 => Ok(()),
        wrong => Err(format!("{wrong} cases went wrong")),
    }
}

fn row(case: &LimitCase) -> String {
    let megabytes = |kilobytes: u64| format!("{} MB", kilobytes / 1024);
    let LimitCase { name, calls, usual_memory, memory, longest } = case;
    format!(
        "| {name} | {calls} | {} | {} | {:.1} s |\n",
        megabytes(*usual_memory),
        megabytes(*memory),
        longest.as_secs_f64()
    )
}
