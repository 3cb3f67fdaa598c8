//! Resolves names and paths across files.

use base::{RepoPath, Result};
use syntax::{CallModel, Language};

use super::super::ids::ImportId;
use super::super::interpreter::module_scoped_name;
use super::super::summary::{ShapeKind, SymbolShape};
use super::super::value::{ExportedValue, ExternalBase, ExternalRef, ExternalStep};
use super::python_modules::{MODULE_GETATTR, is_package};
use super::values::{FileValue, extend_unique};
use super::{DECLARED_BY_KEY, Linker, is_go, is_python};

impl Linker<'_> {
    /// The start of a reference, and the number of its steps that were used for it.
    pub(super) fn resolve_base(
        &mut self,
        file: &RepoPath,
        term: &ExternalRef,
    ) -> Result<(Vec<FileValue>, usize)> {
        match &term.base {
            ExternalBase::Import(key, Some(name)) => {
                let Some(target) = self.import_file(file, key)? else { return Ok((Vec::new(), 0)) };
                // `from package import module` means the file of the module.
                let stem = target.name().split('.').next().unwrap_or_default().to_owned();
                if key.ends_with(&format!("#{name}"))
                    && (stem == *name || is_package(&target, name))
                {
                    let module =
                        FileValue { file: target.clone(), out: ExportedValue::Sym(String::new()) };
                    // `from .a import a` means a name of the module.
                    let specifier = key.rsplit_once('#').map_or(key.as_str(), |(it, _)| it);
                    if is_python(file) && specifier.rsplit('.').next() != Some(stem.as_str()) {
                        return Ok((vec![module], 0));
                    }
                    let found = self.lookup(&target, "", name)?;
                    return Ok((if found.is_empty() { vec![module] } else { found }, 0));
                }
                if let Some(ExternalStep::Inst) = term.ops.first() {
                    let module =
                        FileValue { file: target.clone(), out: ExportedValue::Sym(String::new()) };
                    if let Some(types) = self.member_type(&module, name)? {
                        return Ok((types, 0));
                    }
                }
                Ok((self.lookup(&target, "", name)?, 0))
            }
            ExternalBase::Import(key, None) => {
                let Some(target) = self.import_file(file, key)? else { return Ok((Vec::new(), 0)) };
                let Some(done) = dotted_import_steps(key, &term.ops) else {
                    return Ok((Vec::new(), 0));
                };
                Ok((vec![FileValue { file: target, out: ExportedValue::Sym(String::new()) }], done))
            }
            ExternalBase::Scope(module, parts) => {
                Ok((self.resolve_scoped_path(file, module, parts)?, 0))
            }
            ExternalBase::Global(name) => Ok((self.lookup_in_package(file, name)?, 0)),
            ExternalBase::Schema(_) => Ok((Vec::new(), 0)), // only ever the target of an edge
        }
    }

    pub(super) fn import_file(&mut self, file: &RepoPath, key: &str) -> Result<Option<RepoPath>> {
        let face = self.source.exports(file)?;
        let Some(import) = face.and_then(|face| face.imports.get(key).copied()) else {
            return Ok(None);
        };
        self.source.import_target(file, ImportId::from(import))
    }

    /// Looks up a name in a module of a file.
    pub(super) fn lookup(
        &mut self,
        file: &RepoPath,
        module: &str,
        name: &str,
    ) -> Result<Vec<FileValue>> {
        let key = module_scoped_name(module, name);
        let asked = (file.clone(), key.clone());
        if let Some(known) = self.resolved_names.get(&asked) {
            return Ok(known.clone());
        }
        self.depend_on_symbol(file, &key);
        if self.lookups_left == 0 {
            self.abandoned_lookups += 1;
            return Ok(Vec::new());
        }
        self.lookups_left -= 1;
        let Some(face) = self.source.exports(file)? else {
            return self.lookup_in_folder(file, name);
        };
        if self.in_progress.contains(&asked) {
            self.abandoned_lookups += 1;
            return self.lookup_without_paths(file, face.names.get(&key));
        }
        let gave_up = self.abandoned_lookups;
        self.in_progress.push(asked);
        let mut all = Vec::new();
        for out in face.names.get(&key).cloned().unwrap_or_default() {
            extend_unique(&mut all, self.dereference(FileValue { file: file.clone(), out })?);
        }
        if all.is_empty() && !face.names.contains_key(&key) {
            for (_, star) in face.stars.iter().filter(|(at, _)| at == module && name != "default") {
                let fuel = self.lookups_left;
                let mut found = Vec::new();
                for from in self.resolve_ref(file, star)? {
                    extend_unique(&mut found, self.member_value(&from, name)?);
                }
                self.refund_lookups(fuel, found.is_empty());
                extend_unique(&mut all, found);
            }
            if all.is_empty() && module.is_empty() {
                all = self.submodule(file, name)?;
            }
            if all.is_empty() && module.is_empty() && name != MODULE_GETATTR {
                all = self.lazy_attribute(file)?;
            }
        }
        // No lookup was abandoned, so that the result does not depend on where it started.
        if let Some(asked) = self.in_progress.pop()
            && gave_up == self.abandoned_lookups
        {
            self.resolved_names.insert(asked, all.clone());
        }
        Ok(all)
    }

    /// A re-exported module without the name does not count as a lookup, because barrel files
    /// re-export many modules.
    pub(super) fn refund_lookups(&mut self, fuel: u32, is_missed: bool) {
        if is_missed && self.misses_left > 0 {
            self.misses_left -= 1;
            self.lookups_left = fuel;
        }
    }

    /// Looks up a name without the path that is being resolved: in `use a::a` the first `a` is the
    /// module.
    fn lookup_without_paths(
        &mut self,
        file: &RepoPath,
        outs: Option<&Vec<ExportedValue>>,
    ) -> Result<Vec<FileValue>> {
        let is_path = |out: &&ExportedValue| matches!(out, ExportedValue::Ext(term) if matches!(term.base, ExternalBase::Scope(..)));
        let mut all = Vec::new();
        for out in outs.into_iter().flatten().filter(|out| !is_path(out)) {
            extend_unique(
                &mut all,
                self.dereference(FileValue { file: file.clone(), out: out.clone() })?,
            );
        }
        Ok(all)
    }

    /// Resolves a path in a module of a file.
    fn resolve_scoped_path(
        &mut self,
        file: &RepoPath,
        module: &str,
        parts: &[String],
    ) -> Result<Vec<FileValue>> {
        let Some((mut values, rest)) = self.resolve_path_start(file, module, parts)? else {
            return Ok(Vec::new());
        };
        for part in rest {
            let mut next = Vec::new();
            for value in &values {
                extend_unique(&mut next, self.member_value(value, part)?);
            }
            values = next;
        }
        Ok(values)
    }

    fn resolve_path_start<'p>(
        &mut self,
        file: &RepoPath,
        module: &str,
        parts: &'p [String],
    ) -> Result<Option<(Vec<FileValue>, &'p [String])>> {
        let Some((first, rest)) = parts.split_first() else {
            let here = FileValue { file: file.clone(), out: ExportedValue::Sym(module.to_owned()) };
            return Ok(Some((vec![here], parts)));
        };
        let at = |(file, module): (RepoPath, String)| {
            vec![FileValue { file, out: ExportedValue::Sym(module) }]
        };
        Ok(Some(match first.as_str() {
            "crate" | "$crate" => (at((self.crate_root(file)?, String::new())), rest),
            "self" => (at((file.clone(), module.to_owned())), rest),
            "super" => {
                let mut here = (file.clone(), module.to_owned());
                let ups = parts.iter().take_while(|part| *part == "super").count();
                for _ in 0..ups {
                    let Some(above) = self.parent_module(&here.0, &here.1)? else {
                        return Ok(None);
                    };
                    here = above;
                }
                (at(here), &parts[ups..])
            }
            name => {
                let found = self.lookup(file, module, name)?;
                if found.is_empty() {
                    let root = self.package_root(name)?;
                    (root.map(|root| at((root, String::new()))).unwrap_or_default(), rest)
                } else {
                    (found, rest)
                }
            }
        }))
    }

    /// The parent module of a module: the file and the path of the module in it.
    fn parent_module(
        &mut self,
        file: &RepoPath,
        module: &str,
    ) -> Result<Option<(RepoPath, String)>> {
        if let Some((around, _)) = module.rsplit_once('.') {
            return Ok(Some((file.clone(), around.to_owned())));
        }
        if !module.is_empty() {
            return Ok(Some((file.clone(), String::new())));
        }
        Ok(self.declaring_file_of_module(file)?.map(|file| (file, String::new())))
    }

    fn declaring_file_of_module(&mut self, file: &RepoPath) -> Result<Option<RepoPath>> {
        self.depend_on_name(file, DECLARED_BY_KEY);
        self.source.declared_by(file)
    }

    /// The root file of a package.
    fn package_root(&mut self, name: &str) -> Result<Option<RepoPath>> {
        self.depend_on_name(&RepoPath::ROOT, &format!("crate {name}"));
        for path in self.source.package_roots(name)? {
            self.depend_on_name(&path, "");
            if self.source.exports(&path)?.is_some() {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }

    fn crate_root(&mut self, file: &RepoPath) -> Result<RepoPath> {
        let mut at = file.clone();
        for _ in 0..32 {
            match self.declaring_file_of_module(&at)? {
                Some(above) if above != at => at = above,
                _ => break,
            }
        }
        Ok(at)
    }

    /// Looks up a name in the other files of the package.
    fn lookup_in_package(&mut self, file: &RepoPath, name: &str) -> Result<Vec<FileValue>> {
        let asked = (file.clone(), format!("{name} elsewhere"));
        if let Some(known) = self.resolved_names.get(&asked) {
            return Ok(known.clone());
        }
        let gave_up = self.abandoned_lookups;
        let mut all = match is_go(file) {
            true => self.lookup_in_go_package(file, name)?,
            false => self.lookup_in_package_files(file, "", name)?,
        };
        if Language::from_path(file).is_some_and(|language| language.semantics().has_headers) {
            self.lookup_in_headers(file, name, &mut all)?;
        }
        if gave_up == self.abandoned_lookups {
            self.resolved_names.insert(asked, all.clone());
        }
        Ok(all)
    }

    pub(super) fn lookup_in_package_files(
        &mut self,
        file: &RepoPath,
        module: &str,
        name: &str,
    ) -> Result<Vec<FileValue>> {
        let key = module_scoped_name(module, name);
        let top = key.split('.').next().unwrap_or(&key);
        if let Some(folder) = file.parent() {
            self.depend_on_name(&folder, top);
        }
        let mut all = Vec::new();
        for mate in self.source.package_files_declaring(file, top)? {
            extend_unique(&mut all, self.lookup(&mate, module, name)?);
        }
        Ok(all)
    }

    /// Looks up a name in the headers of a file, at the top level or in a namespace that the file
    /// also declares.
    fn lookup_in_headers(
        &mut self,
        file: &RepoPath,
        name: &str,
        all: &mut Vec<FileValue>,
    ) -> Result<()> {
        let Some(face) = self.source.exports(file)? else { return Ok(()) };
        let is_module = |shape: &SymbolShape| shape.kind == ShapeKind::Module;
        let inner = face.shapes.iter().filter(|(_, shape)| is_module(shape));
        let modules: Vec<&str> = inner.map(|(path, _)| path.as_str()).collect();
        for module in &modules {
            extend_unique(all, self.lookup_in_package_files(file, module, name)?);
        }
        for import in face.imports.values() {
            let Some(header) = self.source.import_target(file, ImportId::from(*import))? else {
                continue;
            };
            for module in modules.iter().copied().chain([""]) {
                extend_unique(all, self.lookup(&header, module, name)?);
            }
        }
        Ok(())
    }

    /// A method that another file of the package of its type declares.
    pub(super) fn method_in_package(
        &mut self,
        file: &RepoPath,
        class: &str,
        name: &str,
    ) -> Result<Vec<FileValue>> {
        if let Some(folder) = file.parent() {
            self.depend_on_name(&folder, class);
        }
        let path = module_scoped_name(class, name);
        let mut all = Vec::new();
        // Files for different platforms may each declare it, and tests may add methods.
        for mate in self.source.package_files_contributing(file, class, &self.file)? {
            let face = self.source.exports(&mate)?;
            if face.is_some_and(|face| face.shapes.contains_key(&path)) {
                self.depend_on_symbol(&mate, &path);
                extend_unique(
                    &mut all,
                    vec![FileValue { file: mate, out: ExportedValue::Sym(path.clone()) }],
                );
            }
        }
        Ok(all)
    }

    /// A member that an `impl` in another file adds to a type.
    pub(super) fn impl_member(
        &mut self,
        file: &RepoPath,
        class: &str,
        name: &str,
    ) -> Result<Vec<FileValue>> {
        if CallModel::of_file(file) != Some(CallModel::Rust) {
            return Ok(Vec::new());
        }
        let own = class.rsplit('.').next().unwrap_or(class);
        self.depend_on_name(&RepoPath::ROOT, &format!("impl {own}"));
        let mut all = Vec::new();
        for other in self.source.files_with_impl(own)? {
            let Some(face) = self.source.exports(&other)? else { continue };
            for (path, of, members) in face.external_impls(own) {
                let Some(found) = members.get(name) else { continue };
                let ExportedValue::Ext(term) = of else { continue };
                let home = self.resolve_ref(&other, term)?;
                let is_it = |one: &FileValue| {
                    one.file == *file && one.out == ExportedValue::Sym(class.into())
                };
                if home.iter().any(is_it) {
                    self.depend_on_symbol(&other, path);
                    for out in found.clone() {
                        extend_unique(
                            &mut all,
                            self.dereference(FileValue { file: other.clone(), out })?,
                        );
                    }
                }
            }
        }
        Ok(all)
    }

    /// The declared symbols that a reference names, not their values.
    pub(super) fn declared_symbols(
        &mut self,
        file: &RepoPath,
        term: &ExternalRef,
    ) -> Result<Vec<(RepoPath, String)>> {
        let (around, name) = match (term.ops.split_last(), &term.base) {
            (Some((ExternalStep::Get(name), before)), base) => {
                let before = ExternalRef { base: base.clone(), ops: before.to_vec() };
                (self.resolve_ref(file, &before)?, name.clone())
            }
            (Some((ExternalStep::Inst, before)), base) => {
                let before = ExternalRef { base: base.clone(), ops: before.to_vec() };
                return self.declared_containers(file, &before);
            }
            (None, ExternalBase::Import(key, Some(name))) => {
                let target = self.import_file(file, key)?;
                let at = |file| FileValue { file, out: ExportedValue::Sym(String::new()) };
                let around = target.map(at).into_iter().collect();
                (around, name.clone())
            }
            (None, ExternalBase::Scope(module, parts)) => match parts.split_last() {
                Some((last, before)) if !before.is_empty() => {
                    (self.resolve_scoped_path(file, module, before)?, last.clone())
                }
                Some((last, _)) => {
                    let here =
                        FileValue { file: file.clone(), out: ExportedValue::Sym(module.clone()) };
                    (vec![here], last.clone())
                }
                None => return Ok(Vec::new()),
            },
            (None, ExternalBase::Global(name)) if is_go(file) => {
                return self.declared_in_package(file, name);
            }
            (None, ExternalBase::Global(name)) => {
                let found = self.lookup_in_package(file, name)?;
                return Ok(found.into_iter().filter_map(into_symbol).collect());
            }
            (Some(_), _) | (None, ExternalBase::Import(_, None) | ExternalBase::Schema(_)) => {
                return Ok(Vec::new());
            }
        };
        let mut all = Vec::new();
        for one in around {
            all.extend(self.declared_member(&one, &name)?);
        }
        all.sort();
        all.dedup();
        Ok(all)
    }

    /// The declared types and modules that a reference names.
    fn declared_containers(
        &mut self,
        file: &RepoPath,
        term: &ExternalRef,
    ) -> Result<Vec<(RepoPath, String)>> {
        let mut all = self.declared_symbols(file, term)?;
        let mut holds = Vec::new();
        for (file, path) in &all {
            let kind = self.shape(file, path)?.map(|shape| shape.kind);
            holds.push(matches!(kind, Some(ShapeKind::Class | ShapeKind::Module)));
        }
        let mut holds = holds.into_iter();
        all.retain(|_| holds.next().unwrap_or_default());
        Ok(all)
    }

    /// The declared symbol of a name in a module or a class.
    fn declared_member(
        &mut self,
        around: &FileValue,
        name: &str,
    ) -> Result<Option<(RepoPath, String)>> {
        let (ExportedValue::Sym(path) | ExportedValue::New(path)) = &around.out else {
            return Ok(None);
        };
        let is_module = path.is_empty()
            || self.shape(&around.file, path)?.is_some_and(|shape| shape.kind == ShapeKind::Module);
        let Some(face) = self.source.exports(&around.file)? else {
            return self.declared_in_folder(&around.file, name);
        };
        let key = module_scoped_name(path, name);
        if !is_module {
            if face.shapes.contains_key(&key) {
                return Ok(Some((around.file.clone(), key)));
            }
            let found = self.member_value(around, name)?;
            return Ok(found.into_iter().find_map(into_symbol));
        }
        self.depend_on_symbol(&around.file, &key);
        if let Some(path) = face.declared.get(&key) {
            return Ok(Some((around.file.clone(), path.clone())));
        }
        let asked = (around.file.clone(), format!("{key} declared"));
        if self.lookups_left == 0 || self.in_progress.contains(&asked) {
            self.abandoned_lookups += 1;
            return Ok(None);
        }
        self.lookups_left -= 1;
        self.in_progress.push(asked);
        let mut found = None;
        for out in face.names.get(&key).cloned().unwrap_or_default() {
            if let ExportedValue::Ext(term) = out {
                found = found.or(self.declared_symbols(&around.file, &term)?.into_iter().next());
            }
        }
        if found.is_none() && !face.names.contains_key(&key) {
            for (at, star) in face.stars.clone() {
                if at == *path && found.is_none() {
                    let fuel = self.lookups_left;
                    for from in self.resolve_ref(&around.file, &star)? {
                        found = found.or(self.declared_member(&from, name)?);
                    }
                    self.refund_lookups(fuel, found.is_none());
                }
            }
        }
        self.in_progress.pop();
        Ok(found)
    }
}

fn into_symbol(found: FileValue) -> Option<(RepoPath, String)> {
    match found.out {
        ExportedValue::Sym(path) if !path.is_empty() => Some((found.file, path)),
        _ => None,
    }
}

/// The number of steps that a dotted import uses: `import a.b` binds `a`, and `a.b` is the module.
fn dotted_import_steps(key: &str, ops: &[ExternalStep]) -> Option<usize> {
    let Some(plain) = key.strip_prefix('!') else { return Some(0) };
    let module = plain.split('#').next().unwrap_or_default();
    if module.contains('/') || module.starts_with('.') {
        return Some(0);
    }
    let rest: Vec<&str> = module.split('.').skip(1).collect();
    let fits = rest
        .iter()
        .zip(ops)
        .all(|(part, op)| matches!(op, ExternalStep::Get(name) if name == part));
    (fits && ops.len() >= rest.len()).then_some(rest.len())
}
