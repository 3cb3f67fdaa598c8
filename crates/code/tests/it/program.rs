//! An index of some files, and the edges between their symbols as text.

use std::collections::{BTreeMap, BTreeSet};

use base::RepoPath;
use code::{CallDigest, CallEdgeRow, EdgeConfidence, SymbolRelation};
use store::{Durability, Store};
use syntax::{FileFacts, Language};

/// An index of some files.
pub struct Program {
    store: Store,
    pub facts: BTreeMap<RepoPath, FileFacts>,
    _folder: tempfile::TempDir,
}

impl Program {
    /// Indexes some files.
    pub fn of<'t>(files: impl IntoIterator<Item = (&'t str, &'t str)>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut store = store::open(&folder.path().join("index"), Durability::Derived).unwrap();
        let mut facts = BTreeMap::new();
        for (path, text) in files {
            let path: RepoPath = path.parse().unwrap();
            facts
                .insert(path.clone(), syntax::extract(Language::from_path(&path), text.as_bytes()));
        }
        let all: BTreeSet<RepoPath> = facts.keys().cloned().collect();
        let index = |tx: &store::Transaction<'_>| {
            tx.execute_batch(code::SCHEMA).unwrap();
            for (path, facts) in &facts {
                let digest = CallDigest::of(path, facts);
                code::index_file(tx, path, facts, digest.as_ref(), true)?;
            }
            let paths: Vec<RepoPath> = all.iter().cloned().collect();
            code::resolve(tx, &all, &paths)?;
            code::link_pending(tx)
        };
        store.write(index).unwrap();
        Self { store, facts, _folder: folder }
    }

    /// Changes one file, or adds it, and brings the index up to date.
    pub fn change(&mut self, path: &str, text: &str) {
        let path: RepoPath = path.parse().unwrap();
        let facts = syntax::extract(Language::from_path(&path), text.as_bytes());
        let is_new = self.facts.insert(path.clone(), facts).is_none();
        let facts = &self.facts[&path];
        let all: BTreeSet<RepoPath> = self.facts.keys().cloned().collect();
        let index = |tx: &store::Transaction<'_>| {
            if !is_new {
                code::remove_file(tx, &path, false)?;
            }
            let digest = CallDigest::of(&path, facts);
            code::index_file(tx, &path, facts, digest.as_ref(), is_new)?;
            code::resolve(tx, &all, std::slice::from_ref(&path))?;
            code::link_pending(tx)
        };
        self.store.write(index).unwrap();
    }

    /// Files whose analysis was cut off by the budget.
    pub fn cut_short(&self) -> Vec<RepoPath> {
        code::truncated_files(self.store.connection()).unwrap()
    }

    /// All edges of all files.
    pub fn edges(&self) -> Vec<CallEdgeRow> {
        let conn = self.store.connection();
        self.facts.keys().flat_map(|path| code::all_edges(conn, path).unwrap()).collect()
    }

    /// The edges of some relations, one per line and sorted: `a.py#f calls b.py#g`; `?` marks
    /// inferred ones.
    pub fn told(&self, relations: &[SymbolRelation]) -> String {
        let edges = self.edges().into_iter().filter(|edge| relations.contains(&edge.relation));
        let line = |edge: CallEdgeRow| {
            let how = if edge.sure == EdgeConfidence::Exact { "" } else { "?" };
            let name = |(path, symbol): &(RepoPath, String)| format!("{path}#{symbol}");
            format!("{} {}{how} {}", name(&edge.from), edge.relation.name(), name(&edge.to))
        };
        let lines: BTreeSet<String> = edges.map(line).collect();
        lines.into_iter().collect::<Vec<_>>().join("\n")
    }
}

/// Compares the calls of some files, given as text with `//- path` lines, with what is expected.
#[track_caller]
pub(crate) fn check_calls(text: &str, expected: &str) {
    check_of(&[SymbolRelation::Calls], text, expected);
}

/// Compares the edges of some relations with what is expected. The files are given as text with
/// `//- path` lines.
#[track_caller]
pub fn check_of(relations: &[SymbolRelation], text: &str, expected: &str) {
    let files = text.split("//- ").skip(1).map(|part| part.split_once('\n').unwrap());
    let told = Program::of(files).told(relations);
    let clean = |text: &str| {
        let mut lines: Vec<String> =
            text.lines().map(|line| line.trim().to_owned()).filter(|l| !l.is_empty()).collect();
        lines.sort();
        lines.join("\n")
    };
    assert_eq!(clean(&told), clean(expected));
}
