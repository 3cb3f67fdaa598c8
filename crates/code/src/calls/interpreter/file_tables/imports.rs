//! The imports of the file as values.

use syntax::ImportKind;

use super::super::super::ids::ImportId;
use super::super::super::value::{AbstractValue, ExternalBase, PossibleValue};
use super::super::eval::global_value;
use super::FileTables;

impl FileTables<'_> {
    /// The key of an import. It names the import in stored summaries, whatever else the file
    /// imports.
    pub(in super::super) fn import_key(&self, id: ImportId) -> String {
        let import = &self.facts.imports[id.index()];
        let only = match import.names.as_slice() {
            [one] if import.kind == ImportKind::From && one.name != "*" => one.name.as_str(),
            _ => "",
        };
        // `mod a` is a file; `use a::b` may lead through it to another.
        let form = match import.kind {
            ImportKind::Mod => "mod ",
            _ if import.names.is_empty() => "!",
            _ => "",
        };
        format!("{form}{}{}#{only}", ".".repeat(usize::from(import.level)), import.specifier)
    }

    /// All imports of the file.
    pub(in super::super) fn imports(&self) -> impl Iterator<Item = ImportId> + use<> {
        (0..self.facts.imports.len()).map(ImportId::at)
    }

    /// One name of an import, or the imported module.
    pub(in super::super) fn import_value(
        &self,
        id: ImportId,
        name: Option<String>,
    ) -> PossibleValue {
        PossibleValue::external(ExternalBase::Import(self.import_key(id), name))
    }

    /// The value of a binding that an import declares. `name` is the position among the names of
    /// the import; none for the module.
    pub(in super::super) fn imported_value(
        &self,
        id: ImportId,
        name: Option<u32>,
    ) -> AbstractValue {
        let names = &self.facts.imports[id.index()].names;
        let name = name.and_then(|name| names.get(name as usize));
        let name = name.map(|name| name.name.clone()).filter(|name| name != "*");
        vec![self.import_value(id, name)]
    }

    /// The value of a name that some import of the file declares.
    pub(in super::super) fn imported_name(&self, name: &str) -> Option<PossibleValue> {
        self.imports().find_map(|id| {
            let import = &self.facts.imports[id.index()];
            for one in &import.names {
                let here = one.alias.as_ref().unwrap_or(&one.name);
                if here == name && one.name != "*" {
                    return Some(self.import_value(id, Some(one.name.clone())));
                }
                if one.name == "*" && one.alias.as_deref() == Some(name) {
                    return Some(self.import_value(id, None));
                }
            }
            let last = import.specifier.rsplit(['/', '.', '\\', ':']).next();
            let is_whole = import.names.is_empty() && last == Some(name);
            is_whole.then(|| self.import_value(id, None))
        })
    }

    /// The package that the file imports under a name.
    pub(in super::super) fn imported_package(&self, name: &str) -> Option<PossibleValue> {
        let is_named = |id: &ImportId| self.facts.imports[id.index()].is_go_package_named(name);
        self.imports().find(is_named).map(|id| self.import_value(id, None))
    }

    /// A name that may come with a star import, else with the language.
    pub(in super::super) fn star_import_or_global(&self, name: &str) -> AbstractValue {
        let is_star = |id: &ImportId| {
            let import = &self.facts.imports[id.index()];
            import.kind == ImportKind::From && import.names.iter().any(|one| one.name == "*")
        };
        let stars = self.imports().filter(is_star);
        let mut all: AbstractValue =
            stars.map(|id| self.import_value(id, Some(name.to_owned()))).collect();
        if all.is_empty() {
            all.push(global_value(name));
        }
        all
    }
}
