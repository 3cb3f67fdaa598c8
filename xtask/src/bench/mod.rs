//! Benchmarks. Each measurement is printed with that of another tool from the same run, or with a
//! limit, and their ratio.
//!
//! There is one file per area, and one line in [`ALL`]. What a benchmark needs from outside (a
//! checkout, another tool's program) is named by environment variables; without them the row says
//! NOT RUN.

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
    /// Whether it takes so long that it only runs if it is named
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

/// The input of every benchmark.
struct BenchContext {
    /// This repository
    root: PathBuf,
    /// The program that is measured
    cairn: PathBuf,
}

/// Runs the named benchmarks, or all but those that run only on request, and prints the table.
/// `--quick` measures a build without link-time optimisation, `--binary=PATH` a program that was
/// built before.
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

/// The program to measure, according to the flags.
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

/// What a measurement is compared with: the time of another tool, or a limit.
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

/// Prints a measurement with its comparison.
fn print_row(what: &str, ours: Duration, beside: &Comparison) {
    let Comparison { label, duration } = beside;
    let ratio = ours.as_secs_f64() / duration.as_secs_f64();
    run::print(&format!("| {what} | {ours:.2?} | {label} {duration:.2?} | {ratio:.2} |\n"));
}

/// Prints that a measurement could not be made, and why.
fn print_not_run(what: &str, why: &str) {
    run::print(&format!("| {what} | NOT RUN: {why} | | |\n"));
}

fn median(rounds: usize, mut once: impl FnMut() -> XtaskResult<Duration>) -> XtaskResult<Duration> {
    let mut times = (0..rounds).map(|_| once()).collect::<XtaskResult<Vec<_>>>()?;
    times.sort();
    Ok(times[rounds / 2])
}
