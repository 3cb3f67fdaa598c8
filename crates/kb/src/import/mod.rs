//! Imports reports of other tools: tests become entities, coverage becomes `covered_by` relations.
//!
//! An importer turns the bytes of a report into facts. A new importer is a new file and a line in
//! [`IMPORTERS`].

mod cobertura;
mod junit;
mod lcov;
mod scip;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use base::RepoPath;
use serde_json::{Value, json};

/// Questions of an importer about the code.
pub trait CodeLookup {
    /// The file of the repository that a path in a report refers to.
    fn path(&self, text: &str) -> Option<RepoPath>;
    /// The file with tests that a class or suite in a report refers to: a path, or names joined with dots.
    fn test_file(&self, class: &str) -> Option<RepoPath>;
    /// The handle of the innermost symbol at a line; the first line is 1.
    fn at(&self, path: &RepoPath, line: u32) -> Option<String>;
    /// The handle of the symbol that ran when a line did. The first line of a function and the lines
    /// of a class run when the module is loaded, and say nothing about what is in them.
    fn executed(&self, path: &RepoPath, line: u32) -> Option<String>;
    /// The handle of the symbol with this name.
    fn named(&self, path: &RepoPath, name: &str) -> Option<String>;
}

/// The facts of a report.
#[derive(Debug, Default, PartialEq)]
pub struct ImportedReport {
    /// Entities in the form of a changeset
    pub entities: Vec<Value>,
    /// Relations in the form of a changeset
    pub relations: Vec<Value>,
    /// How many parts of the report match nothing in the working tree
    pub unresolved: usize,
    /// Where each entity is, by id
    positions: BTreeMap<String, usize>,
}

/// Reads one format of reports.
pub trait ReportImporter: Sync {
    /// Its name
    fn name(&self) -> &'static str;
    /// Whether a report has this format.
    fn recognizes(&self, bytes: &[u8]) -> bool;
    /// Reads a report. `report` is its file name.
    fn import(
        &self,
        bytes: &[u8],
        report: &str,
        code: &dyn CodeLookup,
    ) -> Result<ImportedReport, String>;
}

/// Every importer. A report of unnamed format is read by the first one that recognizes it.
pub const IMPORTERS: &[&dyn ReportImporter] = &[
    &junit::JunitImporter,
    &lcov::LcovImporter,
    &cobertura::CoberturaImporter,
    &scip::ScipImporter,
];

/// How the sources of entities and relations begin that come from a report.
pub const IMPORT_SOURCE: &str = "import:";

/// The field `kind` of a test that stands for a coverage report.
pub const COVERAGE_KIND: &str = "coverage";

/// The statuses of tests in a report, best first. A test that a report lists several times has the worst.
const RESULTS: [&str; 3] = ["skipped", "passing", "failing"];

impl ImportedReport {
    /// The result of a test. One that is listed several times, as a test with many inputs is, failed if one of them
    /// did.
    fn add_test(&mut self, id: &str, title: &str, status: &str) -> &mut Value {
        let at = self.position_of(
            id,
            || json!({"id": id, "type": "test", "title": title, "status": status}),
        );
        let entity = &mut self.entities[at];
        let rank = |status: &str| RESULTS.iter().position(|one| *one == status);
        if rank(status) > rank(entity["status"].as_str().unwrap_or_default()) {
            entity["status"] = status.into();
        }
        entity
    }

    /// A test that stands for a coverage report. The report says what was executed and not whether it passed.
    fn add_coverage_run(&mut self, id: &str, title: &str, ran_at: Option<String>) {
        let at = self.position_of(id, || {
            json!({
                "id": id, "type": "test", "title": title, "status": "pending", "kind": COVERAGE_KIND,
            })
        });
        if let Some(ran_at) = ran_at {
            self.entities[at]["ran_at"] = ran_at.into();
        }
    }

    /// The position of an entity, which is added if it is missing.
    fn position_of(&mut self, id: &str, new: impl FnOnce() -> Value) -> usize {
        if let Some(at) = self.positions.get(id) {
            return *at;
        }
        let at = self.entities.len();
        self.entities.push(new());
        self.positions.insert(id.to_owned(), at);
        at
    }

    /// Adds the relation that a test covers a symbol, unless it is already there.
    fn add_coverage(&mut self, symbol: &str, test: &str) {
        let relation = json!({"type": "covered_by", "from": symbol, "to": test});
        if !self.relations.contains(&relation) {
            self.relations.push(relation);
        }
    }
}

/// The id of a test: readable, unique, and the same for every run.
fn test_id(name: &str) -> String {
    let word = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let slug: String = name.chars().map(word).collect();
    let slug: Vec<&str> = slug.split('-').filter(|part| !part.is_empty()).collect();
    let slug: String = slug.join("-").chars().rev().take(48).collect();
    let slug: String = slug.chars().rev().collect();
    format!("TEST-{}-{}", slug.trim_matches('-'), base::Hash::of(name.as_bytes()).prefix(6))
}
