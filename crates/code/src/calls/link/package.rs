//! Go: what a name means in a package, which is the files of a folder.

use base::{RepoPath, Result};

use super::super::summary::Want;
use super::super::value::{Base, Op, Out};
use super::values::{Found, add};
use super::{Linker, PACKAGE, is_go};

impl Linker<'_> {
    /// A name of the package that a folder holds, as those see it who import it.
    pub(super) fn in_folder(&mut self, folder: &RepoPath, name: &str) -> Result<Vec<Found>> {
        let mut all = Vec::new();
        for file in self.world.of_package(folder, name, &self.asker)? {
            add(&mut all, self.lookup(&file, "", name)?);
        }
        Ok(all)
    }

    /// A name of the package that a file belongs to, or that the file has from its imports.
    pub(super) fn of_go_package(&mut self, file: &RepoPath, name: &str) -> Result<Vec<Found>> {
        let Some(face) = self.world.face(file)? else { return Ok(Vec::new()) };
        if face.names.contains_key(name) {
            return self.lookup(file, "", name);
        }
        let mut all = self.of_mates(file, ("", name))?;
        if all.is_empty() && !face.stars.is_empty() {
            all = self.lookup(file, "", name)?;
        }
        if all.is_empty() {
            all.extend(self.package_called(file, name)?);
        }
        Ok(all)
    }

    /// Whether a call is of a function of a package that the repository does not have.
    pub(super) fn is_outside(&mut self, file: &RepoPath, want: &Want) -> Result<bool> {
        let (Base::Import(key, None), [Op::Get(_)]) = (&want.to.base, want.to.ops.as_slice())
        else {
            return Ok(false);
        };
        Ok(is_go(file) && self.imported(file, key)?.is_none())
    }

    /// An imported package whose name is not what its path suggests.
    fn package_called(&mut self, file: &RepoPath, name: &str) -> Result<Option<Found>> {
        let Some(face) = self.world.face(file)? else { return Ok(None) };
        let declared = format!("{PACKAGE}{name}");
        for import in face.imports.values() {
            let Some(folder) = self.world.target(file, *import)? else { continue };
            self.rest(&folder, &declared);
            if !self.world.of_package(&folder, &declared, &self.asker)?.is_empty() {
                return Ok(Some(Found { file: folder, out: Out::Sym(String::new()) }));
            }
        }
        Ok(None)
    }

    /// The symbols that declare a name in the package that a file belongs to.
    pub(super) fn declared_in_package(
        &mut self,
        file: &RepoPath,
        name: &str,
    ) -> Result<Vec<(RepoPath, String)>> {
        if let Some(folder) = file.parent() {
            self.rest(&folder, name);
        }
        let mut all = Vec::new();
        for mate in self.world.mates(file, name)? {
            all.extend(self.declared_there(mate, name)?);
        }
        Ok(all)
    }

    /// The symbol that declares a name of the package that a folder holds.
    pub(super) fn declared_in_folder(
        &mut self,
        folder: &RepoPath,
        name: &str,
    ) -> Result<Option<(RepoPath, String)>> {
        self.rest(folder, name);
        for file in self.world.of_package(folder, name, &self.asker)? {
            if let Some(found) = self.declared_there(file, name)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn declared_there(&mut self, file: RepoPath, name: &str) -> Result<Option<(RepoPath, String)>> {
        self.rest(&file, name);
        let face = self.world.face(&file)?;
        let path = face.and_then(|face| face.declared.get(name).cloned());
        Ok(path.map(|path| (file, path)))
    }
}
