//! What files say: entities and relations that are derived and live in the index.
//!
//! An extractor reads one file at a time and knows no other; adding one is a file and a line.

mod document;
mod manifest;
mod nodes;

use base::RepoPath;

use crate::knowledge_model::FileRelation;
use crate::model::Entity;

/// What one file says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ExtractedFacts {
    /// Entities, each with its line
    pub entities: Vec<(Entity, u32)>,
    /// Relations
    pub relations: Vec<FileRelation>,
    /// What could not be understood, each with its line
    pub faults: Vec<(u32, String)>,
}

impl ExtractedFacts {
    /// Whether the file says nothing.
    pub const fn is_empty(&self) -> bool {
        self.entities.is_empty() && self.relations.is_empty() && self.faults.is_empty()
    }
}

/// A way to read facts out of files.
pub trait Extractor: Sync {
    /// Its name, by which what it found is known
    fn name(&self) -> &'static str;

    /// Whether a file may have something for it, by its name alone.
    fn accepts(&self, path: &RepoPath) -> bool;

    /// Reads a file.
    fn extract(&self, path: &RepoPath, text: &str) -> ExtractedFacts;
}

/// Every extractor, in the order they are asked; the first that wants a file has it.
pub const EXTRACTORS: &[&dyn Extractor] =
    &[&document::DocumentExtractor, &manifest::ManifestExtractor];

/// The extractor for a file.
pub fn extractor(path: &RepoPath) -> Option<&'static dyn Extractor> {
    EXTRACTORS.iter().find(|extractor| extractor.accepts(path)).copied()
}

fn has_ending(path: &RepoPath, endings: &[&str]) -> bool {
    let name = path.to_string().to_ascii_lowercase();
    endings.iter().any(|ending| name.ends_with(ending))
}
