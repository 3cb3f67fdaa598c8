//! How well a plain text leads to the right files, beside plain BM25 in the same run.
//!
//! The data sets are public and not in this repository: their folders come from the
//! environment, and without them a line says NOT RUN.

mod bm25;
mod issues;
mod links;

use std::path::Path;

use crate::run::{self, Result};

/// Runs both evaluations with the release build.
pub(crate) fn run(root: &Path, args: &[&str]) -> Result<()> {
    let profile = if args.contains(&"--quick") { "quick" } else { "release" };
    let built = run::build(root, &["--package", "cairn", "--profile", profile], profile)?;
    let cairn = built.join("cairn");
    issues::run(&cairn)?;
    links::run(&cairn)
}
