//! What a repository or a client may do to cairn: files of any size, anything but a file at any path
//! that is opened, connections that say nothing. Memory stays bounded, and every call is answered or
//! refused in time.

mod client;
mod connections;
mod large;
mod obstacles;

use std::path::Path;
use std::time::{Duration, Instant};

pub use obstacles::Obstacle;

/// How much of everything is tried.
#[derive(Debug, Clone)]
pub struct LimitAmounts {
    /// Size of a file that is far too large, in bytes
    pub file_bytes: u64,
    /// In how many places it is put, `.gitignore` first
    pub places: usize,
    /// Connections and sessions that say nothing
    pub connections: usize,
    /// How many of the paths get an obstacle; all if there are not so many
    pub paths: usize,
    /// What is put there
    pub obstacles: Vec<Obstacle>,
    /// Which paths are chosen, if not all
    pub seed: u64,
}

/// Memory that a case may take beyond what cairn takes without it, in kB.
pub const MAX_EXTRA_MEMORY_KB: u64 = 200 * 1024;

/// Within this every call is answered or refused: what a server gives a call unless told otherwise,
/// and a little to say so.
pub const DEADLINE: Duration = Duration::from_secs(70);

/// What happened.
#[derive(Debug, Default)]
pub struct LimitReport {
    /// Each case with its figures
    pub cases: Vec<LimitCase>,
    /// What must not be
    pub failures: Vec<String>,
    /// How long all took
    pub took: Duration,
}

/// One case.
#[derive(Debug)]
pub struct LimitCase {
    /// What was tried
    pub name: String,
    /// How often cairn was called
    pub calls: usize,
    /// The peak memory of cairn without it, in kB
    pub usual_memory: u64,
    /// The peak memory of cairn with it, in kB
    pub memory: u64,
    /// How long the longest call took
    pub longest: Duration,
}

/// Tries everything. `tell` hears of each case, and of everything that is wrong as soon as it is found.
pub fn run(binary: &Path, amounts: &LimitAmounts, mut tell: impl FnMut(&str)) -> LimitReport {
    let begin = Instant::now();
    let mut report = LimitReport::default();
    let mut trial = LimitTrial { binary, amounts, report: &mut report, tell: &mut tell };
    large::try_files(&mut trial);
    connections::try_connections(&mut trial);
    obstacles::try_paths(&mut trial);
    report.took = begin.elapsed();
    report
}

/// What the cases are given.
struct LimitTrial<'t> {
    binary: &'t Path,
    amounts: &'t LimitAmounts,
    report: &'t mut LimitReport,
    tell: &'t mut dyn FnMut(&str),
}

impl LimitTrial<'_> {
    /// Notes a case, and whether it took too much.
    fn record_case(&mut self, case: LimitCase) {
        (self.tell)(&format!("{case:?}"));
        if case.memory > case.usual_memory + MAX_EXTRA_MEMORY_KB {
            self.record_failure(format!("too much memory: {case:?}"));
        }
        if case.longest > DEADLINE {
            self.record_failure(format!("too slow: {case:?}"));
        }
        self.report.cases.push(case);
    }

    fn record_failure(&mut self, told: String) {
        (self.tell)(&told);
        self.report.failures.push(told);
    }
}
