//! Calls according to go/types, through `tests/oracle/calls.go`.

#![expect(clippy::disallowed_methods, reason = "a developer's tool runs compilers")]

use std::path::Path;
use std::process::Command;

use base::RepoPath;
use testkit::TestRepo;

use super::{DependencyPairs, XtaskResult, calls, file_list, output};

pub(super) fn pairs(root: &Path, repo: &TestRepo) -> XtaskResult<DependencyPairs> {
    let input = file_list(repo)?;
    let mut go = Command::new("go");
    go.arg("run").arg(root.join("tests/oracle/calls.go")).arg(repo.root()).stdin(input);
    let text = output(&mut go)?;
    let pair = |line: &str| line.split_once('\t').map(|(a, b)| (a.to_owned(), b.to_owned()));
    Ok(text.lines().filter_map(pair).collect())
}

/// The calls that the index has. Functions with the same name count as one.
pub(super) fn cairn_pairs(repo: &TestRepo, files: &[String]) -> DependencyPairs {
    let name = |path: &RepoPath, symbol: &str| {
        format!("{path}#{}", symbol.split('~').next().unwrap_or_default())
    };
    let mut pairs = calls::pairs(repo, files, name);
    // The oracle has no calls outside of functions.
    pairs.retain(|(from, _)| !from.ends_with('#'));
    pairs
}
