//! Random three-way merges of cards and shared records, compared with the result that the rules
//! require.

use testkit::merges;

use super::number_arg;
use crate::run::{self, XtaskResult};

/// How many merges are made, by default.
const COUNT: usize = 10_000;

/// How many differences are shown completely.
const SHOWN: usize = 3;

/// Makes the merges with a seed, which is printed and can be given again.
pub(crate) fn run(args: &[&str]) -> XtaskResult<()> {
    let count = number_arg(args, 0, COUNT)?;
    let seed = number_arg(args, 1, u64::from(std::process::id()))?;
    run::print(&format!("seed {seed}: `cargo xtask prove merges {count} {seed}` repeats this\n"));
    let proof = merges::run(count, seed);
    let failures = proof.failures.len();
    run::print(&format!(
        "{} merges, {} with a conflict by rule, {failures} not as the rule says\n",
        proof.merges, proof.conflicts
    ));
    for failure in proof.failures.iter().take(SHOWN) {
        run::print(&format!("{failure}\n"));
    }
    if failures == 0 { Ok(()) } else { Err("some merges are not as the rule says".into()) }
}
