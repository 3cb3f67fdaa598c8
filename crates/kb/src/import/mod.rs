//! Reports of other tools as changesets: tests become `add_test` entities, coverage `covered_by`.
//!
//! An importer turns bytes into facts and knows no store, so a new one is a file and a line.

mod junit;
mod lcov;
mod scip;
#[cfg(test)]
mod tests;

use base::RepoPath;
use serde_json::{Value, json};

/// What an importer may ask about the code.
pub trait CodeLookup {
    /// The file that a report means, however it writes it.
    fn path(&self, text: &str) -> Option<RepoPath>;
    /// The handle of the innermost symbol at a line, from 1.
    fn at(&self, path: &RepoPath, line: u32) -> Option<String>;
    /// The handle of a symbol by its name.
    fn named(&self, path: &RepoPath, name: &str) -> Option<String>;
}

/// What a report says.
#[derive(Debug, Default, PartialEq)]
pub struct ImportedReport {
    /// Entities, as a changeset has them
    pub entities: Vec<Value>,
    /// Relations, as a changeset has them
    pub relations: Vec<Value>,
    /// Things that nothing in the tree answers to
    pub unresolved: usize,
}

/// A way to read a report.
pub trait ReportImporter: Sync {
    /// Its name
    fn name(&self) -> &'static str;
    /// Whether a report looks like one of its own.
    fn recognizes(&self, bytes: &[u8]) -> bool;
    /// Reads a report, called `report`.
    fn import(
        &self,
        bytes: &[u8],
        report: &str,
        code: &dyn CodeLookup,
    ) -> Result<ImportedReport, String>;
}

/// Every importer; of a report without a named format the first that knows it reads it.
pub const IMPORTERS: &[&dyn ReportImporter] =
    &[&junit::JunitImporter, &lcov::LcovImporter, &scip::ScipImporter];

impl ImportedReport {
    /// Adds a test, once.
    fn add_test(&mut self, id: &str, title: &str, status: &str) {
        if !self.entities.iter().any(|entity| entity["id"] == id) {
            let entity = json!({"id": id, "type": "test", "title": title, "status": status});
            self.entities.push(entity);
        }
    }

    /// Adds that a test covers a symbol, once.
    fn add_coverage(&mut self, symbol: &str, test: &str) {
        let relation = json!({"type": "covered_by", "from": symbol, "to": test});
        if !self.relations.contains(&relation) {
            self.relations.push(relation);
        }
    }
}

/// An id that stays the same from run to run: readable, and apart from all others.
fn test_id(name: &str) -> String {
    let word = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let slug: String = name.chars().map(word).collect();
    let slug: Vec<&str> = slug.split('-').filter(|part| !part.is_empty()).collect();
    let slug: String = slug.join("-").chars().rev().take(48).collect();
    let slug: String = slug.chars().rev().collect();
    format!("TEST-{}-{}", slug.trim_matches('-'), base::Hash::of(name.as_bytes()).prefix(6))
}
