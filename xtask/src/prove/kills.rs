//! Every writing operation, killed with SIGKILL at random moments.

use std::path::Path;
use std::time::Instant;

use testkit::kills;

use super::{Proved, number};
use crate::run::{self, Result};

/// How many processes are killed unless told.
const COUNT: usize = 2_000;

/// Kills that many, with a seed, which is printed and can be given again.
pub(crate) fn run(root: &Path, args: &[&str]) -> Result<()> {
    let count = number(args, 0, COUNT)?;
    let seed = number(args, 1, u64::from(std::process::id()))?;
    let proved = Proved::build(root)?;
    run::say(&format!("seed {seed}: `cargo xtask prove kills {count} {seed}` repeats this\n"));
    let begin = Instant::now();
    let tell = |number: usize, told: &str| {
        run::say(&format!("{number} ({:.1} s) {told}\n", begin.elapsed().as_secs_f64()));
    };
    let report = kills::prove(&proved.binary, count, seed, tell);
    let operations = report.kills.iter().map(|(name, kills)| format!("| {name} | {kills} |\n"));
    run::say(&format!("| operation | kills |\n|---|---|\n{}\n", operations.collect::<String>()));
    run::say(&format!(
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
        report.wrong.len(),
        report.took.as_secs_f64() / 60.0
    ));
    match report.wrong.len() {
        0 => Ok(()),
        wrong => Err(format!("{wrong} of {count} kills left something wrong")),
    }
}
