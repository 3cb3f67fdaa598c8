//! Measures how well a plain text leads to the right files, compared with plain BM25 in the same
//! run.
//!
//! The data sets are public and not in this repository: their folders are named by environment
//! variables, and without them a line says NOT RUN.

mod bm25;
mod issues;
mod links;
mod questions;

use std::path::{Path, PathBuf};

use crate::run::{self, XtaskResult};

/// Runs both evaluations with the release build. `--quick` uses a build that compiles faster,
/// `--cairn=FILE` an existing one. `--every=4` takes every fourth issue, `--show` prints each of
/// them, `--links` leaves out the issues. `--questions` runs only the question set of this
/// repository, with `--held-out` its held-out half.
pub(crate) fn run(root: &Path, args: &[&str]) -> XtaskResult<()> {
    let given = args.iter().find_map(|arg| arg.strip_prefix("--cairn="));
    let cairn = if let Some(file) = given {
        PathBuf::from(file)
    } else {
        let profile = if args.contains(&"--quick") { "quick" } else { "release" };
        run::build(root, &["--package", "cairn", "--profile", profile], profile)?.join("cairn")
    };
    if args.contains(&"--questions") {
        return questions::run(&cairn, args.contains(&"--held-out"), args.contains(&"--show"));
    }
    let every = args.iter().find_map(|arg| arg.strip_prefix("--every=")?.parse().ok());
    if !args.contains(&"--links") {
        issues::run(&cairn, every.unwrap_or(1), args.contains(&"--show"))?;
    }
    links::run(&cairn)
}
