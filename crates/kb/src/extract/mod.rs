//! Extractors read entities and relations from files of the repository. The result is derived data and
//! lives in the index.
//!
//! An extractor reads one file at a time. A new extractor is a new file and a line in [`EXTRACTORS`].

mod adr;
mod document;
mod exports;
mod foreign;
mod gherkin;
mod lists;
mod manifest;
mod nodes;

use base::RepoPath;

use crate::knowledge_model::FileRelation;
use crate::model::Entity;

/// The entities and relations of one file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ExtractedFacts {
    /// Entities, each with its line number
    pub entities: Vec<(Entity, u32)>,
    /// Relations
    pub relations: Vec<FileRelation>,
    /// Messages about text that could not be read, each with its line number
    pub faults: Vec<(u32, String)>,
    /// Why something that looks like an entity was not read, each with its line number
    pub notices: Vec<(u32, String)>,
    /// The form of a document that was not written for cairn
    pub form: Option<&'static str>,
}

impl ExtractedFacts {
    /// Whether nothing was found, not even a fault.
    pub const fn is_empty(&self) -> bool {
        self.entities.is_empty()
            && self.relations.is_empty()
            && self.faults.is_empty()
            && self.notices.is_empty()
    }
}

/// Reads facts from files.
pub trait Extractor: Sync {
    /// Its name, which is stored with everything that it finds
    fn name(&self) -> &'static str;

    /// Whether it reads files with this path.
    fn accepts(&self, path: &RepoPath) -> bool;

    /// Reads the text of a file.
    fn extract(&self, path: &RepoPath, text: &str) -> ExtractedFacts;
}

/// Every extractor. A file is read by the first one that accepts it.
pub const EXTRACTORS: &[&dyn Extractor] = &[
    &document::DocumentExtractor,
    &gherkin::GherkinExtractor,
    &exports::SphinxNeedsExtractor,
    &exports::DoorstopExtractor,
    &manifest::ManifestExtractor,
];

/// The forms of Markdown documents that were not written for cairn.
pub const DOCUMENT_FORMS: [&str; 4] = ["adr", "list", "openspec", "spec_kit"];

/// The extractor for a file.
pub fn extractor(path: &RepoPath) -> Option<&'static dyn Extractor> {
    EXTRACTORS.iter().find(|extractor| extractor.accepts(path)).copied()
}

fn has_ending(path: &RepoPath, endings: &[&str]) -> bool {
    let name = path.to_string().to_ascii_lowercase();
    endings.iter().any(|ending| name.ends_with(ending))
}
