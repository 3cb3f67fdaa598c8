//! Measurements beside the peer or the limit, in the same run, as ratios.
//!
//! One file an area, and one line in [`ALL`]. What a benchmark needs from outside (a checkout, a
//! peer's program) comes from the environment; without it the row says NOT RUN.

mod calls;
mod cards;
mod code;
mod cross;
mod history;
mod kb;
mod latency;
mod scale;
mod start;
mod steady;
mod work;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::run::{self, Result};

/// One area's measurements.
struct Bench {
    name: &'static str,
    /// Whether it takes so long that it has to be asked for
    only_named: bool,
    run: fn(&Site) -> Result<()>,
}

/// Every benchmark, in the order of the table.
const ALL: &[Bench] = &[
    Bench { name: "start", only_named: false, run: start::run },
    Bench { name: "code", only_named: false, run: code::run },
    Bench { name: "history", only_named: false, run: history::run },
    Bench { name: "calls", only_named: false, run: calls::run },
    Bench { name: "cards", only_named: false, run: cards::run },
    Bench { name: "work", only_named: false, run: work::run },
    Bench { name: "kb", only_named: false, run: kb::run },
    Bench { name: "cross", only_named: false, run: cross::run },
    Bench { name: "steady", only_named: false, run: steady::run },
    Bench { name: "scale", only_named: true, run: scale::run },
];

/// What every benchmark is given.
struct Site {
    /// This repository
    root: PathBuf,
    /// The program that is measured
    cairn: PathBuf,
}

/// Runs the benchmarks that are named, or all that are not too long for that, and prints the table. `--quick` measures a build
/// without link-time optimisation.
pub(crate) fn run(root: &Path, args: &[&str]) -> Result<()> {
    let (flags, names): (Vec<&str>, Vec<&str>) = args.iter().partition(|a| a.starts_with("--"));
    let profile = match flags.as_slice() {
        [] => "release",
        ["--quick"] => "quick",
        _ => return Err(format!("unknown flags: {}", flags.join(" "))),
    };
    if let Some(unknown) = names.iter().find(|name| ALL.iter().all(|bench| bench.name != **name)) {
        let all: Vec<&str> = ALL.iter().map(|bench| bench.name).collect();
        return Err(format!("no benchmark is called {unknown}; there are {}", all.join(", ")));
    }
    let built = run::build(root, &["--package", "cairn", "--profile", profile], profile)?;
    let site = Site { root: root.to_path_buf(), cairn: built.join("cairn") };
    run::say("| what | ours | beside | ratio |\n|---|---|---|---|\n");
    let is_chosen = |bench: &&Bench| match names.as_slice() {
        [] => !bench.only_named,
        names => names.contains(&bench.name),
    };
    let chosen = ALL.iter().filter(is_chosen);
    chosen.into_iter().try_for_each(|bench| (bench.run)(&site))
}

/// A measurement beside a peer or a limit.
fn row(what: &str, ours: Duration, (beside, theirs): (&str, Duration)) {
    let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
    run::say(&format!("| {what} | {ours:.2?} | {beside} {theirs:.2?} | {ratio:.2} |\n"));
}

/// A measurement that could not be made, and why.
fn not_run(what: &str, why: &str) {
    run::say(&format!("| {what} | NOT RUN: {why} | | |\n"));
}

fn median(rounds: usize, mut once: impl FnMut() -> Result<Duration>) -> Result<Duration> {
    let mut times = (0..rounds).map(|_| once()).collect::<Result<Vec<_>>>()?;
    times.sort();
    Ok(times[rounds / 2])
}
