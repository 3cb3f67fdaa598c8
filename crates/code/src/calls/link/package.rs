//! Resolves names in Go packages. A package is the files of a folder.

use base::{RepoPath, Result};

use super::super::ids::ImportId;
use super::super::summary::UnresolvedEdge;
use super::super::value::{ExportedValue, ExternalBase, ExternalStep};
use super::values::{FileValue, extend_unique};
use super::{Linker, PACKAGE_PREFIX, is_go};

impl Linker<'_> {
    /// Looks up a name of the package in a folder, as its importers see it.
    pub(super) fn lookup_in_folder(
        &mut self,
        folder: &RepoPath,
        name: &str,
    ) -> Result<Vec<FileValue>> {
        let mut all = Vec::new();
        for file in self.source.imported_package_files(folder, name, &self.file)? {
            extend_unique(&mut all, self.lookup(&file, "", name)?);
        }
        Ok(all)
    }

    /// Looks up a name of the package of a file, or one that the file imports.
    pub(super) fn lookup_in_go_package(
        &mut self,
        file: &RepoPath,
        name: &str,
    ) -> Result<Vec<FileValue>> {
        let Some(face) = self.source.exports(file)? else { return Ok(Vec::new()) };
        if face.names.contains_key(name) {
            return self.lookup(file, "", name);
        }
        let mut all = self.lookup_in_package_files(file, "", name)?;
        if all.is_empty() && !face.stars.is_empty() {
            all = self.lookup(file, "", name)?;
        }
        if all.is_empty() {
            all.extend(self.imported_package_named(file, name)?);
        }
        Ok(all)
    }

    /// Whether a call is of a function of a package outside the repository.
    pub(super) fn is_external_call(
        &mut self,
        file: &RepoPath,
        want: &UnresolvedEdge,
    ) -> Result<bool> {
        let (ExternalBase::Import(key, None), [ExternalStep::Get(_)]) =
            (&want.to.base, want.to.ops.as_slice())
        else {
            return Ok(false);
        };
        Ok(is_go(file) && self.import_file(file, key)?.is_none())
    }

    /// Finds an imported package whose name differs from the end of its path.
    fn imported_package_named(&mut self, file: &RepoPath, name: &str) -> Result<Option<FileValue>> {
        let Some(face) = self.source.exports(file)? else { return Ok(None) };
        let declared = format!("{PACKAGE_PREFIX}{name}");
        for import in face.imports.values() {
            let Some(folder) = self.source.import_target(file, ImportId::from(*import))? else {
                continue;
            };
            self.depend_on_name(&folder, &declared);
            if !self.source.imported_package_files(&folder, &declared, &self.file)?.is_empty() {
                return Ok(Some(FileValue {
                    file: folder,
                    out: ExportedValue::Sym(String::new()),
                }));
            }
        }
        Ok(None)
    }

    /// The symbols that declare a name in the package of a file.
    pub(super) fn declared_in_package(
        &mut self,
        file: &RepoPath,
        name: &str,
    ) -> Result<Vec<(RepoPath, String)>> {
        if let Some(folder) = file.parent() {
            self.depend_on_name(&folder, name);
        }
        let mut all = Vec::new();
        for mate in self.source.package_files_declaring(file, name)? {
            all.extend(self.declared_in_file(mate, name)?);
        }
        Ok(all)
    }

    /// The symbol that declares a name of the package in a folder.
    pub(super) fn declared_in_folder(
        &mut self,
        folder: &RepoPath,
        name: &str,
    ) -> Result<Option<(RepoPath, String)>> {
        self.depend_on_name(folder, name);
        for file in self.source.imported_package_files(folder, name, &self.file)? {
            if let Some(found) = self.declared_in_file(file, name)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn declared_in_file(
        &mut self,
        file: RepoPath,
        name: &str,
    ) -> Result<Option<(RepoPath, String)>> {
        self.depend_on_name(&file, name);
        let face = self.source.exports(&file)?;
        let path = face.and_then(|face| face.declared.get(name).cloned());
        Ok(path.map(|path| (file, path)))
    }
}
