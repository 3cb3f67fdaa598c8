//! Random steps in a repository; after each a server, a new process and an index built from scratch
//! are compared.

use std::path::Path;

use testkit::freshness;

use super::{ProofBinary, number_arg};
use crate::run::{self, XtaskResult};

/// How many steps are taken, by default.
const STEPS: usize = 2_000;

/// How many differences are shown completely.
const SHOWN: usize = 3;

/// Takes the steps with a seed, which is printed and can be given again.
pub(crate) fn run(root: &Path, args: &[&str]) -> XtaskResult<()> {
    let steps = number_arg(args, 0, STEPS)?;
    let seed = number_arg(args, 1, u64::from(std::process::id()))?;
    let proved = ProofBinary::build(root)?;
    run::print(&format!(
        "seed {seed}: `cargo xtask prove freshness {steps} {seed}` repeats this\n"
    ));
    let begin = std::time::Instant::now();
    let tell = |number: usize, told: &str| {
        run::print(&format!("{number} ({:.1} s) {told}\n", begin.elapsed().as_secs_f64()));
    };
    let report = freshness::run(&proved.binary, steps, seed, tell);
    let kinds = report.steps.iter().map(|(name, count)| format!("| {name} | {count} |\n"));
    run::print(&format!("| step | times |\n|---|---|\n{}\n", kinds.collect::<String>()));
    run::print(&format!(
        "| steps | seed | answers compared | announced as not up to date | differences | minutes |\n\
         |---|---|---|---|---|---|\n| {steps} | {seed} | {} | {} | {} | {:.1} |\n",
        report.answers,
        report.declared_stale,
        report.differences.len(),
        report.took.as_secs_f64() / 60.0
    ));
    for difference in report.differences.iter().take(SHOWN) {
        run::print(&format!("{difference}\n"));
    }
    match report.differences.len() {
        0 => Ok(()),
        count => Err(format!("{count} answers differ and do not say so")),
    }
}
