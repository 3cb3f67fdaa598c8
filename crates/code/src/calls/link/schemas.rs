//! What schemas declare for code that names it.

use base::{RepoPath, Result};
use syntax::schema;

use super::super::value::ExportedValue;
use super::{LinkEnd, Linker, SCHEMA_PREFIX};

/// Declarations that one name may mean. A name with more means nothing in particular.
const MAX_SCHEMA_TARGETS: usize = 8;

impl Linker<'_> {
    /// The declarations with a key: those of the file itself, else those in its folder, else all.
    pub(super) fn schema_symbols(&mut self, file: &RepoPath, key: &str) -> Result<Vec<LinkEnd>> {
        let is_file = schema::names_file(key);
        let key = format!("{SCHEMA_PREFIX}{key}");
        self.depend_on_name(&RepoPath::ROOT, &key);
        let mut found: Vec<LinkEnd> = Vec::new();
        for other in self.source.files_with_schema_key(&key)? {
            if is_file {
                found.push((other, String::new()));
                continue;
            }
            let Some(exports) = self.source.exports(&other)? else { continue };
            for declared in exports.names.get(&key).into_iter().flatten() {
                if let ExportedValue::Sym(path) = declared {
                    found.push((other.clone(), path.clone()));
                }
            }
        }
        let is_nearest =
            |is_near: &dyn Fn(&RepoPath) -> bool| found.iter().any(|(other, _)| is_near(other));
        let folder = file.parent();
        let in_file = |other: &RepoPath| other == file;
        let in_folder = |other: &RepoPath| other.parent() == folder;
        if is_nearest(&in_file) {
            found.retain(|(other, _)| in_file(other));
        } else if is_nearest(&in_folder) {
            found.retain(|(other, _)| in_folder(other));
        }
        Ok(if found.len() > MAX_SCHEMA_TARGETS { Vec::new() } else { found })
    }
}
