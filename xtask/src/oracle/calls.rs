//! The calls that the index has, as pairs of symbols.

use std::path::{Path, PathBuf};

use base::RepoPath;
use code::{SymbolEndpoint, SymbolRelation};
use serde_json::json;
use testkit::TestRepo;

use super::DependencyPairs;

/// The calls that the index has, exact and inferred. `name` gives the name of a symbol that the
/// oracle uses.
pub(super) fn pairs(
    repo: &TestRepo,
    files: &[String],
    name: impl Fn(&RepoPath, &str) -> String,
) -> DependencyPairs {
    repo.data("sync", json!({}));
    let mut pairs = DependencyPairs::new();
    let index = newest_index(&repo.root()).expect("the repository was synced");
    let conn = store::open_read_only(&index).expect("the index can be read");
    for file in files {
        let path: RepoPath = file.parse().expect("git lists paths");
        let rows = code::symbols_in_file(&conn, &path).expect("the index can be read");
        let module = SymbolEndpoint::new(&path, "");
        let ends: Vec<_> =
            rows.iter().map(|row| SymbolEndpoint::new(&path, &row.full)).chain([module]).collect();
        let edges =
            code::edges_from(&conn, &ends, &[SymbolRelation::Calls]).expect("it can be read");
        let calls = edges.iter().map(|edge| {
            let ((from, caller), (to, callee)) = (&edge.from, &edge.to);
            (name(from, caller), name(to, callee))
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
