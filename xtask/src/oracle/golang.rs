//! go/types, through `tests/oracle/calls.go`: who calls whom.

#![expect(clippy::disallowed_methods, reason = "a developer's tool runs compilers")]

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use base::RepoPath;
use code::SymbolRelation;
use serde_json::json;
use testkit::TestRepo;

use super::{DependencyPairs, XtaskResult, files, output};

pub(super) fn pairs(root: &Path, repo: &TestRepo) -> XtaskResult<DependencyPairs> {
    let list = tempfile::NamedTempFile::new().map_err(|error| error.to_string())?;
    std::fs::write(list.path(), files(repo).join("\n")).map_err(|error| error.to_string())?;
    let input = File::open(list.path()).map_err(|error| error.to_string())?;
    let mut go = Command::new("go");
    go.arg("run").arg(root.join("tests/oracle/calls.go")).arg(repo.root()).stdin(input);
    let text = output(&mut go)?;
    let pair = |line: &str| line.split_once('\t').map(|(a, b)| (a.to_owned(), b.to_owned()));
    Ok(text.lines().filter_map(pair).collect())
}

/// The calls that the index has, exact and inferred.
pub(super) fn cairn_pairs(repo: &TestRepo, files: &[String]) -> DependencyPairs {
    repo.data("sync", json!({}));
    let mut pairs = DependencyPairs::new();
    let index = newest_index(&repo.root()).expect("the repository was synced");
    let conn = store::open_read_only(&index).expect("the index can be read");
    for file in files {
        let path: RepoPath = file.parse().expect("git lists paths");
        let rows = code::symbols_in_file(&conn, &path).expect("the index can be read");
        let ends: Vec<_> = rows.iter().map(|row| (&path, row.full.as_str())).collect();
        let edges =
            code::edges_from(&conn, &ends, &[SymbolRelation::Calls]).expect("it can be read");
        let calls = edges.iter().map(|edge| {
            let ((from, caller), (to, callee)) = (&edge.from, &edge.to);
            (oracle_name(from, caller), oracle_name(to, callee))
        });
        pairs.extend(calls.filter(|(from, to)| from != to));
    }
    pairs
}

fn newest_index(root: &Path) -> Option<PathBuf> {
    let found = std::fs::read_dir(root.join(".cairn/cache")).ok()?;
    let found = found.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let is_index = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("index-") && name.ends_with(".sqlite")
    };
    found.filter(is_index).max_by_key(|path| path.metadata().and_then(|it| it.modified()).ok())
}

/// A symbol as the oracle names it: functions that are called the same are one.
fn oracle_name(path: &RepoPath, symbol: &str) -> String {
    format!("{path}#{}", symbol.split('~').next().unwrap_or_default())
}
