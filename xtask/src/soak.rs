//! The long versions: many processes at once, killed at random, for minutes.

#![expect(clippy::disallowed_methods, reason = "the workers are processes of their own")]

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use testkit::soak;

use crate::run::{self, Result};

/// How many processes work at once.
const PROCESSES: usize = 8;

/// Has eight workers at it for so many minutes, ten unless told otherwise.
pub(crate) fn run(minutes: Option<&str>) -> Result<()> {
    let minutes: f64 = match minutes {
        Some(text) => text.parse().map_err(|_| format!("`{text}` is no number of minutes"))?,
        None => 10.0,
    };
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let command = |root: &Path, name: &str, seed: u64| {
        let mut command = Command::new(&own);
        command.arg("soak-worker").arg(root).args([name, &seed.to_string()]);
        command
    };
    let report = soak::soak(command, PROCESSES, Duration::from_secs_f64(minutes * 60.0));
    run::say(&format!(
        "| minutes | killed | lines acknowledged | pairs acknowledged | reads | busy | wrong |\n\
         |---|---|---|---|---|---|---|\n| {minutes} | {} | {} | {} | {} | {} | {} |\n",
        report.killed,
        report.lines.len(),
        report.pairs,
        report.reads,
        report.busy,
        report.wrong.len()
    ));
    match report.wrong.first() {
        None => Ok(()),
        Some(first) => Err(format!("{} things are wrong; the first: {first}", report.wrong.len())),
    }
}

/// One of the workers.
pub(crate) fn worker(root: &str, name: &str, seed: &str) -> Result<()> {
    let seed = seed.parse().map_err(|_| format!("`{seed}` is no seed"))?;
    soak::work(Path::new(root), name, seed);
    Ok(())
}
