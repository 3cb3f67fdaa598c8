//! Which files count as documents and manifests of the knowledge base, by the configuration.

use base::{RepoPath, Result};
use config::Kb;

use crate::globs::Globs;

/// The patterns of `kb.documents` and `kb.manifests`, compiled.
pub(super) struct Gate {
    documents: Globs,
    manifests: Globs,
    /// Manifests that are named by where they are and not only by what they are called
    placed: Globs,
    /// The folders that documents are in
    folders: Vec<String>,
}

impl Gate {
    pub(super) fn new(config: &Kb) -> Result<Self> {
        let documents: Vec<&str> = config.documents.iter().map(config::Pattern::as_str).collect();
        let manifests: Vec<&str> = config.manifests.iter().map(config::Pattern::as_str).collect();
        let placed: Vec<&str> =
            manifests.iter().copied().filter(|glob| !folder_of(glob).is_empty()).collect();
        Ok(Self {
            documents: with_folders(&documents)?,
            manifests: Globs::new(manifests)?,
            placed: with_folders(&placed)?,
            folders: documents.iter().map(|glob| folder_of(glob)).collect(),
        })
    }

    /// Whether what an extractor read in a file counts. What code says of itself always does.
    pub(super) fn lets_in(&self, extractor: &str, path: &RepoPath) -> bool {
        let fits = |globs: &Globs| globs.match_below(path, &RepoPath::ROOT);
        match extractor {
            "document" => fits(&self.documents),
            "manifest" => fits(&self.placed) || (fits(&self.manifests) && self.is_among(path)),
            _ => true,
        }
    }

    fn is_among(&self, path: &RepoPath) -> bool {
        let path = path.to_string();
        self.folders
            .iter()
            .any(|folder| folder.is_empty() || path.starts_with(&format!("{folder}/")))
    }
}

/// A plain folder means everything below it.
fn with_folders(globs: &[&str]) -> Result<Globs> {
    let plain = |glob: &&&str| !glob.contains(['*', '?', '[', '{']);
    let below = globs.iter().filter(plain).map(|f| format!("{}/**", f.trim_end_matches('/')));
    let all: Vec<String> = globs.iter().map(|glob| (*glob).to_owned()).chain(below).collect();
    match all.is_empty() {
        true => Globs::new(["!**"]), // nothing is asked for, so nothing fits
        false => Globs::new(all.iter().map(String::as_str)),
    }
}

/// The folders of a glob before its first wildcard.
fn folder_of(glob: &str) -> String {
    let glob = glob.trim_start_matches("./").trim_end_matches('/');
    let wild = glob.find(['*', '?', '[', '{']);
    let plain = wild.map_or(glob, |at| &glob[..at]);
    match (wild, plain.rsplit_once('/')) {
        (_, Some((folder, _))) => folder.to_owned(),
        (None, None) => glob.to_owned(),
        (Some(_), None) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_folders_and_named_manifests() {
        let lets_in = |config: &Kb, extractor: &str, path: &str| {
            Gate::new(config).unwrap().lets_in(extractor, &path.parse().unwrap())
        };
        let usual = Kb::default();
        assert!(lets_in(&usual, "document", "docs/adr/a.md"));
        assert!(lets_in(&usual, "document", "documentation/x/a.md"));
        assert!(!lets_in(&usual, "document", "docs/guide/a.md"));
        assert!(lets_in(&usual, "manifest", "docs/symbols.yaml"));
        assert!(!lets_in(&usual, "manifest", "src/symbols.yaml"));
        assert!(lets_in(&usual, "code", "src/a.rs"));
        let own = Kb {
            documents: vec!["spec".parse().unwrap()],
            manifests: vec!["tools/code.yaml".parse().unwrap()],
            ..Kb::default()
        };
        assert!(lets_in(&own, "document", "spec/deep/a.md"));
        assert!(lets_in(&own, "manifest", "tools/code.yaml"));
        assert!(!lets_in(&own, "document", "docs/adr/a.md"));
    }
}
