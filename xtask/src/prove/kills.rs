//! Every writing operation, killed with SIGKILL at random moments.

use std::path::Path;
use std::time::Instant;

use testkit::kills;

use super::{ProofBinary, number_arg};
use crate::run::{self, XtaskResult};

/// How many processes are killed, by default.
const COUNT: usize = 2_000;

/// Runs the kills with a seed, which is printed and can be given again.
pub(crate) fn run(root: &Path, args: &[&str]) -> XtaskResult<()> {
    let count = number_arg(args, 0, COUNT)?;
    let seed = number_arg(args, 1, u64::from(std::process::id()))?;
    let proved = ProofBinary::build(root)?;
    run::print(&format!("seed {seed}: `cargo xtask prove kills {count} {seed}` repeats this\n"));
    let begin = Instant::now();
    let tell = |number: usize, told: &str| {
        run::print(&format!("{number} ({:.1} s) {told}\n", begin.elapsed().as_secs_f64()));
    };
    let report = kills::run(&proved.binary, count, seed, tell);
    let operations = report.kills.iter().map(|(name, kills)| format!("| {name} | {kills} |\n"));
    run::print(&format!("| operation | kills |\n|---|---|\n{}\n", operations.collect::<String>()));
    run::print(&format!(
        "| kills | seed | operations | while files were written | acknowledged | before | after | \
         between, finished by the same command | wrong | minutes |\n|---|---|---|---|---|---|---|---|---|---|\n\
         | {} | {seed} | {} | {} | {} | {} | {} | {} | {} | {:.1} |\n",
        report.kills.values().sum::<usize>(),
        report.kills.len(),
        report.while_writing,
        report.acknowledged,
        report.before,
        report.after,
        report.between,
        report.failures.len(),
        report.took.as_secs_f64() / 60.0
    ));
    match report.failures.len() {
        0 => Ok(()),
        wrong => Err(format!("{wrong} of {count} kills left something wrong")),
    }
}
