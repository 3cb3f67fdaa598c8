//! Which files count as documents and manifests of the knowledge base, by the configuration.

use base::{RepoPath, Result};
use config::KbConfig;

use crate::path_globs::PathGlobs;

/// The patterns of `kb.documents` and `kb.manifests`, compiled.
pub struct DocumentFilter {
    documents: PathGlobs,
    manifests: PathGlobs,
    /// Patterns of manifests that contain a folder, not only a file name
    manifest_paths: PathGlobs,
    /// The folders that documents are in
    folders: Vec<String>,
}

impl DocumentFilter {
    /// Compiles the patterns.
    pub fn new(config: &KbConfig) -> Result<Self> {
        let documents: Vec<&str> =
            config.documents.iter().map(config::PathPattern::as_str).collect();
        let manifests: Vec<&str> =
            config.manifests.iter().map(config::PathPattern::as_str).collect();
        let placed: Vec<&str> =
            manifests.iter().copied().filter(|glob| !folder_of(glob).is_empty()).collect();
        Ok(Self {
            documents: with_folders(&documents)?,
            manifests: PathGlobs::new(manifests)?,
            manifest_paths: with_folders(&placed)?,
            folders: documents.iter().map(|glob| folder_of(glob)).collect(),
        })
    }

    /// Whether the entities and relations that an extractor read in a file count. Those from code
    /// always do.
    pub fn accepts(&self, extractor: &str, path: &RepoPath) -> bool {
        let fits = |globs: &PathGlobs| globs.match_below(path, &RepoPath::ROOT);
        match extractor {
            name if name == "document" || kb::DOCUMENT_FORMS.contains(&name) => {
                fits(&self.documents)
            }
            "manifest" => {
                fits(&self.manifest_paths)
                    || (fits(&self.manifests) && self.is_in_document_folder(path))
            }
            _ => true,
        }
    }

    fn is_in_document_folder(&self, path: &RepoPath) -> bool {
        let path = path.to_string();
        self.folders
            .iter()
            .any(|folder| folder.is_empty() || path.starts_with(&format!("{folder}/")))
    }
}

/// A plain folder means everything below it.
fn with_folders(globs: &[&str]) -> Result<PathGlobs> {
    let plain = |glob: &&&str| !glob.contains(['*', '?', '[', '{']);
    let below = globs.iter().filter(plain).map(|f| format!("{}/**", f.trim_end_matches('/')));
    let all: Vec<String> = globs.iter().map(|glob| (*glob).to_owned()).chain(below).collect();
    match all.is_empty() {
        true => PathGlobs::new(["!**"]), // no pattern, so no file matches
        false => PathGlobs::new(all.iter().map(String::as_str)),
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
        let lets_in = |config: &KbConfig, extractor: &str, path: &str| {
            DocumentFilter::new(config).unwrap().accepts(extractor, &path.parse().unwrap())
        };
        let usual = KbConfig::default();
        assert!(lets_in(&usual, "document", "docs/adr/a.md"));
        assert!(lets_in(&usual, "document", "documentation/x/a.md"));
        assert!(!lets_in(&usual, "document", "docs/guide/a.md"));
        assert!(lets_in(&usual, "manifest", "docs/symbols.yaml"));
        assert!(!lets_in(&usual, "manifest", "src/symbols.yaml"));
        assert!(lets_in(&usual, "code", "src/a.rs"));
        let own = KbConfig {
            documents: vec!["spec".parse().unwrap()],
            manifests: vec!["tools/code.yaml".parse().unwrap()],
            ..KbConfig::default()
        };
        assert!(lets_in(&own, "document", "spec/deep/a.md"));
        assert!(lets_in(&own, "manifest", "tools/code.yaml"));
        assert!(!lets_in(&own, "document", "docs/adr/a.md"));
    }
}
