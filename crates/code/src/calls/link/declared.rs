//! JavaScript: variables, fields and properties of other files that are called.

use base::{RepoPath, Result};

use super::super::interpreter::{MODULE_NAME, type_name};
use super::super::summary::{ExportTable, ShapeKind};
use super::super::value::{ExportedValue, ExternalBase, ExternalRef, ExternalStep};
use super::values::{FileValue, extend_unique};
use super::{LinkEnd, Linker, is_javascript};

/// Nesting of classes and interfaces that inherit from each other.
const MAX_BASES: u32 = 12;

impl Linker<'_> {
    /// The declared variables, fields and properties that a called reference names.
    pub(super) fn called_variables(
        &mut self,
        file: &RepoPath,
        term: &ExternalRef,
    ) -> Result<Vec<LinkEnd>> {
        let found = match term.ops.split_last() {
            None => self.declared_symbols(file, &whole_module_ref(term))?,
            Some((ExternalStep::Get(name), before)) => {
                let before = ExternalRef { base: term.base.clone(), ops: before.to_vec() };
                let mut all = Vec::new();
                for around in self.resolve_ref(file, &before)? {
                    all.extend(self.declared_field(&around, name, MAX_BASES)?);
                }
                if all.is_empty() { self.declared_symbols(file, term)? } else { all }
            }
            Some(_) => Vec::new(),
        };
        let mut all = Vec::new();
        for (file, path) in found {
            let shape = self.shape(&file, &path)?;
            let is_variable = shape.is_some_and(|shape| shape.kind == ShapeKind::Value);
            if is_variable && !all.contains(&(file.clone(), path.clone())) {
                all.push((file, path));
            }
        }
        Ok(all)
    }

    /// The type that a module exports under a name, where a value may have the same name; `None`
    /// for other names.
    pub(super) fn member_type(
        &mut self,
        module: &FileValue,
        name: &str,
    ) -> Result<Option<Vec<FileValue>>> {
        if module.out != ExportedValue::Sym(String::new()) || !is_javascript(&module.file) {
            return Ok(None);
        }
        let own = type_name(name);
        let asked = (module.file.clone(), own.clone());
        if let Some(known) = self.resolved_names.get(&asked) {
            return Ok((!known.is_empty()).then(|| known.clone()));
        }
        if self.lookups_left == 0 || self.in_progress.contains(&asked) {
            self.abandoned_lookups += 1;
            return Ok(None);
        }
        self.lookups_left -= 1;
        let Some(exports) = self.source.exports(&module.file)? else { return Ok(None) };
        self.depend_on_name(&module.file, &own);
        let gave_up = self.abandoned_lookups;
        self.in_progress.push(asked);
        let found = self.exported_type(module, &exports, name)?;
        if let Some(asked) = self.in_progress.pop()
            && gave_up == self.abandoned_lookups
        {
            self.resolved_names.insert(asked, found.clone());
        }
        Ok((!found.is_empty()).then_some(found))
    }

    fn exported_type(
        &mut self,
        module: &FileValue,
        exports: &ExportTable,
        name: &str,
    ) -> Result<Vec<FileValue>> {
        let mut all = Vec::new();
        if let Some(types) = exports.names.get(&type_name(name)) {
            for out in types.clone() {
                extend_unique(&mut all, self.dereference(module.with_value(out))?);
            }
            return Ok(all);
        }
        let handed_on = exports.names.get(name).cloned().unwrap_or_default();
        for out in &handed_on {
            if let ExportedValue::Ext(term) = out
                && term.ops.is_empty()
            {
                let mut term = term.clone();
                term.ops.push(ExternalStep::Inst);
                extend_unique(&mut all, self.resolve_ref(&module.file, &term)?);
            }
        }
        if !handed_on.is_empty() || name == "default" {
            return Ok(all);
        }
        for (_, star) in exports.stars.iter().filter(|(at, _)| at.is_empty()) {
            let fuel = self.lookups_left;
            let mut found = Vec::new();
            for from in self.resolve_ref(&module.file, star)? {
                extend_unique(&mut found, self.member_type(&from, name)?.unwrap_or_default());
            }
            self.refund_lookups(fuel, found.is_empty());
            extend_unique(&mut all, found);
        }
        Ok(all)
    }

    /// The declared member of a class, an interface or a type, its own or inherited.
    fn declared_field(
        &mut self,
        of: &FileValue,
        name: &str,
        depth: u32,
    ) -> Result<Option<LinkEnd>> {
        let (ExportedValue::Sym(class) | ExportedValue::New(class)) = &of.out else {
            return Ok(None);
        };
        let Some(shape) = self.shape(&of.file, class)? else { return Ok(None) };
        if !matches!(shape.kind, ShapeKind::Class | ShapeKind::Module) || depth == 0 {
            return Ok(None);
        }
        let path = format!("{class}.{name}");
        if self.shape(&of.file, &path)?.is_some() {
            return Ok(Some((of.file.clone(), path)));
        }
        for base in shape.bases.clone() {
            for base in self.dereference(of.with_value(base))? {
                if let Some(found) = self.declared_field(&base, name, depth - 1)? {
                    return Ok(Some(found));
                }
            }
        }
        Ok(None)
    }
}

/// A reference to a whole module, as the name that a CommonJS module exports itself under.
fn whole_module_ref(term: &ExternalRef) -> ExternalRef {
    let base = match &term.base {
        ExternalBase::Import(key, None) => {
            ExternalBase::Import(key.clone(), Some(MODULE_NAME.into()))
        }
        other => other.clone(),
    };
    ExternalRef { base, ops: Vec::new() }
}
