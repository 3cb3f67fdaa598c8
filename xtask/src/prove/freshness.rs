//! Random steps in a repository; after each a server, a new process and an index built from nothing
//! are compared.

use std::path::Path;

use testkit::freshness;

use super::{Proved, number};
use crate::run::{self, Result};

/// How many steps are taken unless told.
const STEPS: usize = 2_000;

/// How many differences are shown whole.
const SHOWN: usize = 3;

/// Takes the steps with a seed, which is printed and can be given again.
pub(crate) fn run(root: &Path, args: &[&str]) -> Result<()> {
    let steps = number(args, 0, STEPS)?;
    let seed = number(args, 1, u64::from(std::process::id()))?;
    let proved = Proved::build(root)?;
    run::say(&format!("seed {seed}: `cargo xtask prove freshness {steps} {seed}` repeats this\n"));
    let begin = std::time::Instant::now();
    let tell = |number: usize, told: &str| {
        run::say(&format!("{number} ({:.1} s) {told}\n", begin.elapsed().as_secs_f64()));
    };
    let report = freshness::prove(&proved.binary, steps, seed, tell);
    let kinds = report.steps.iter().map(|(name, count)| format!("| {name} | {count} |\n"));
    run::say(&format!("| step | times |\n|---|---|\n{}\n", kinds.collect::<String>()));
    run::say(&format!(
        "| steps | seed | answers compared | announced as not up to date | differences | minutes |\n\
         |---|---|---|---|---|---|\n| {steps} | {seed} | {} | {} | {} | {:.1} |\n",
        report.answers,
        report.announced,
        report.differences.len(),
        report.took.as_secs_f64() / 60.0
    ));
    for difference in report.differences.iter().take(SHOWN) {
        run::say(&format!("{difference}\n"));
    }
    match report.differences.len() {
        0 => Ok(()),
        count => Err(format!("{count} answers differ and do not say so")),
    }
}
