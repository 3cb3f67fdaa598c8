//! Names that Python modules have without declaring them: submodules, and what `__getattr__` gives.

use base::{RepoPath, Result};

use super::super::value::ExportedValue;
use super::values::{FileValue, extend_unique};
use super::{Linker, is_python};

/// The function of a Python module that gives the names that the module does not have.
pub(super) const MODULE_GETATTR: &str = "__getattr__";

impl Linker<'_> {
    /// A submodule of a Python package that is not imported explicitly.
    pub(super) fn submodule(&mut self, file: &RepoPath, name: &str) -> Result<Vec<FileValue>> {
        if !file.name().starts_with("__init__.py") {
            return Ok(Vec::new());
        }
        let folder = file.parent().filter(|folder| !folder.is_root());
        let folder = folder.map(|folder| format!("{folder}/")).unwrap_or_default();
        for path in [format!("{folder}{name}.py"), format!("{folder}{name}/__init__.py")] {
            let Ok(path) = path.parse::<RepoPath>() else { continue };
            self.depend_on_name(&path, "");
            if self.source.exports(&path)?.is_some() {
                return Ok(vec![FileValue { file: path, out: ExportedValue::Sym(String::new()) }]);
            }
        }
        Ok(Vec::new())
    }

    /// What the `__getattr__` of a Python module returns, for a name that the module does not have.
    pub(super) fn lazy_attribute(&mut self, file: &RepoPath) -> Result<Vec<FileValue>> {
        if !is_python(file) {
            return Ok(Vec::new());
        }
        let Some(shape) = self.shape(file, MODULE_GETATTR)? else { return Ok(Vec::new()) };
        let mut all = Vec::new();
        for out in shape.returns.clone() {
            extend_unique(&mut all, self.dereference(FileValue { file: file.clone(), out })?);
        }
        Ok(all)
    }
}

/// Whether a file is the `__init__.py` of the package with this name.
pub(super) fn is_package(file: &RepoPath, name: &str) -> bool {
    file.name().starts_with("__init__.py")
        && file.parent().is_some_and(|folder| folder.name() == name)
}
