//! Attacks by a repository or a client: files of any size, anything but a regular file at any path
//! that is opened, connections that send nothing. Memory stays bounded, and every call is answered
//! or refused in time.

mod client;
mod connections;
mod large;
mod obstacles;

use std::path::Path;
use std::time::{Duration, Instant};

pub use obstacles::Obstacle;

/// How much is tried.
#[derive(Debug, Clone)]
pub struct LimitAmounts {
    /// Size of a file that is too large, in bytes
    pub file_bytes: u64,
    /// Number of paths for that file, `.gitignore` first
    pub places: usize,
    /// Number of silent connections and sessions
    pub connections: usize,
    /// Number of paths that get an obstacle; all if there are fewer
    pub paths: usize,
    /// The kinds of obstacles
    pub obstacles: Vec<Obstacle>,
    /// Seed for choosing the paths
    pub seed: u64,
}

/// Memory that a case may need in addition to what cairn needs without it, in kB.
pub const MAX_EXTRA_MEMORY_KB: u64 = 200 * 1024;

/// Time within which every call must be answered or refused: the default time limit of a server,
/// and some time to report it.
pub const DEADLINE: Duration = Duration::from_secs(70);

/// The result of a run.
#[derive(Debug, Default)]
pub struct LimitReport {
    /// The cases with their measurements
    pub cases: Vec<LimitCase>,
    /// Failures
    pub failures: Vec<String>,
    /// Duration of the run
    pub took: Duration,
}

/// A case with its measurements.
#[derive(Debug)]
pub struct LimitCase {
    /// A description
    pub name: String,
    /// Number of calls
    pub calls: usize,
    /// Peak memory of cairn without the case, in kB
    pub usual_memory: u64,
    /// Peak memory of cairn with it, in kB
    pub memory: u64,
    /// Duration of the longest call
    pub longest: Duration,
}

/// Runs all cases. `tell` is called for each case and each failure.
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

/// What all cases need.
struct LimitTrial<'t> {
    binary: &'t Path,
    amounts: &'t LimitAmounts,
    report: &'t mut LimitReport,
    tell: &'t mut dyn FnMut(&str),
}

impl LimitTrial<'_> {
    /// Records a case, and a failure if it exceeded a limit.
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
