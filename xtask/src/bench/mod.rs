//! Measurements beside the peer or the limit, in the same run, as ratios.
//!
//! One file an area, and one line in [`ALL`]. What a benchmark needs from outside (a checkout, a
//! peer's program) comes from the environment; without it the row says NOT RUN.

mod backlog;
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

use crate::run::{self, XtaskResult};

/// One area's measurements.
struct Benchmark {
    name: &'static str,
    /// Whether it takes so long that it has to be asked for
    on_request: bool,
    run: fn(&BenchContext) -> XtaskResult<()>,
}

/// Every benchmark, in the order of the table.
const ALL: &[Benchmark] = &[
    Benchmark { name: "start", on_request: false, run: start::run },
    Benchmark { name: "code", on_request: false, run: code::run },
    Benchmark { name: "history", on_request: false, run: history::run },
    Benchmark { name: "calls", on_request: false, run: calls::run },
    Benchmark { name: "cards", on_request: false, run: cards::run },
    Benchmark { name: "work", on_request: false, run: work::run },
    Benchmark { name: "backlog", on_request: true, run: backlog::run },
    Benchmark { name: "kb", on_request: false, run: kb::run },
    Benchmark { name: "cross", on_request: false, run: cross::run },
    Benchmark { name: "steady", on_request: false, run: steady::run },
    Benchmark { name: "scale", on_request: true, run: scale::run },
];

/// The flag that names the program to measure.
const BINARY_FLAG: &str = "--binary=";

/// What every benchmark is given.
struct BenchContext {
    /// This repository
    root: PathBuf,
    /// The program that is measured
    cairn: PathBuf,
}

/// Runs the benchmarks that are named, or all that are not too long for that, and prints the table. `--quick` measures a
/// build without link-time optimisation, `--binary=PATH` a program that was built before.
pub(crate) fn run(root: &Path, args: &[&str]) -> XtaskResult<()> {
    let (flags, names): (Vec<&str>, Vec<&str>) = args.iter().partition(|a| a.starts_with("--"));
    if let Some(unknown) = names.iter().find(|name| ALL.iter().all(|bench| bench.name != **name)) {
        let all: Vec<&str> = ALL.iter().map(|bench| bench.name).collect();
        return Err(format!("no benchmark is called {unknown}; there are {}", all.join(", ")));
    }
    let site = BenchContext { root: root.to_path_buf(), cairn: measured_program(root, &flags)? };
    run::print("| what | ours | beside | ratio |\n|---|---|---|---|\n");
    let is_chosen = |bench: &&Benchmark| match names.as_slice() {
        [] => !bench.on_request,
        names => names.contains(&bench.name),
    };
    let chosen = ALL.iter().filter(is_chosen);
    chosen.into_iter().try_for_each(|bench| (bench.run)(&site))
}

/// The program that the flags ask to measure.
fn measured_program(root: &Path, flags: &[&str]) -> XtaskResult<PathBuf> {
    let profile = match flags {
        [] => "release",
        ["--quick"] => "quick",
        [flag] if flag.starts_with(BINARY_FLAG) => {
            let given = PathBuf::from(&flag[BINARY_FLAG.len()..]);
            return given.canonicalize().map_err(|error| format!("{}: {error}", given.display()));
        }
        _ => return Err(format!("unknown flags: {}", flags.join(" "))),
    };
    let built = run::build(root, &["--package", "cairn", "--profile", profile], profile)?;
    Ok(built.join("cairn"))
}

/// What a measurement is compared with: a peer's time, or a limit.
struct Comparison<'a> {
    label: &'a str,
    duration: Duration,
}

impl<'a> Comparison<'a> {
    const fn new(label: &'a str, duration: Duration) -> Self {
        Self { label, duration }
    }

    const fn limit(duration: Duration) -> Self {
        Self { label: "limit", duration }
    }
}

/// Prints a measurement beside a peer or a limit.
fn print_row(what: &str, ours: Duration, beside: &Comparison) {
    let Comparison { label, duration } = beside;
    let ratio = ours.as_secs_f64() / duration.as_secs_f64();
    run::print(&format!("| {what} | {ours:.2?} | {label} {duration:.2?} | {ratio:.2} |\n"));
}

/// A measurement that could not be made, and why.
fn print_not_run(what: &str, why: &str) {
    run::print(&format!("| {what} | NOT RUN: {why} | | |\n"));
}

fn median(rounds: usize, mut once: impl FnMut() -> XtaskResult<Duration>) -> XtaskResult<Duration> {
    let mut times = (0..rounds).map(|_| once()).collect::<XtaskResult<Vec<_>>>()?;
    times.sort();
    Ok(times[rounds / 2])
}
