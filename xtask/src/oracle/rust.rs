//! rust-analyzer: where the names in `use` declarations are declared.

#![expect(clippy::disallowed_methods, reason = "a developer's tool runs compilers")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use testkit::TestRepo;

use super::scip::{self, OracleDocument, OracleOccurrence};
use super::{DependencyPairs, XtaskResult, imports_that, output};

pub(super) fn pairs(_: &Path, repo: &TestRepo) -> XtaskResult<DependencyPairs> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let index = folder.path().join("index.scip");
    let mut command = Command::new("rust-analyzer");
    command.arg("scip").arg(repo.root()).arg("--output").arg(&index);
    output(&mut command)?;
    let bytes = std::fs::read(&index).map_err(|error| format!("rust-analyzer scip: {error}"))?;
    let documents = scip::read(&bytes);
    let mut declared = BTreeMap::new();
    for document in &documents {
        for one in document.occurrences.iter().filter(|one| one.is_definition) {
            declared.entry(one.symbol.clone()).or_insert_with(|| document.path.clone());
        }
    }
    let mut pairs = DependencyPairs::new();
    for document in &documents {
        let text = repo.read(&document.path).unwrap_or_default();
        for one in use_tree_leaves(&text, document) {
            if let Some(file) = declared.get(&one.symbol).filter(|file| **file != document.path) {
                pairs.insert((document.path.clone(), file.clone()));
            }
        }
    }
    Ok(pairs)
}

/// The imports by `use`, as `code imports` answers; `mod` declarations are left out.
pub(super) fn cairn_pairs(repo: &TestRepo, files: &[String]) -> DependencyPairs {
    imports_that(repo, files, |row| row["how"] != "mod")
}

/// The names at the ends of `use` trees, and of `extern crate`.
fn use_tree_leaves<'d>(text: &str, document: &'d OracleDocument) -> Vec<&'d OracleOccurrence> {
    let lines: Vec<&str> = text.lines().collect();
    let mut within = vec![false; lines.len()];
    let mut open = false;
    for (at, line) in lines.iter().enumerate() {
        let plain = line.trim_start();
        let starts = plain.starts_with("use ")
            || plain.starts_with("extern crate ")
            || (plain.starts_with("pub")
                && matches!(plain.split_whitespace().nth(1), Some("use" | "extern")));
        open |= starts;
        within[at] = open;
        open &= !line.contains(';');
    }
    let is_leaf = |one: &&OracleOccurrence| {
        let Some(line) = lines.get(one.line).filter(|_| within[one.line]) else { return false };
        let rest = line.get(one.end..).unwrap_or_default();
        !rest.starts_with("::") || rest.starts_with("::*")
    };
    document.occurrences.iter().filter(|one| !one.is_definition).filter(is_leaf).collect()
}
