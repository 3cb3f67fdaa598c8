//! Resolves names that no binding declares: through modules, classes and imports.

use syntax::SymbolKind;

use super::super::ids::{Owner, SymbolId};
use super::super::value::{
    AbstractValue, ExternalBase, ExternalRef, ExternalStep, PossibleValue, join,
};
use super::eval::global_value;
use super::{CallModel, Interpreter, is_module_like};

impl Interpreter<'_> {
    /// Resolves a name that no binding declares.
    pub(super) fn resolve_name(&mut self, name: &str, owner: Owner) -> AbstractValue {
        if self.tables.family != CallModel::Go {
            let held = self.heap.free_name(name);
            if !held.is_empty() {
                return held;
            }
        }
        match self.tables.family {
            CallModel::Python | CallModel::JavaScript => self.tables.star_import_or_global(name),
            CallModel::Rust => self.resolve_path(&[name.to_owned()], owner),
            CallModel::Classes => self.member_or_top(name, owner),
            CallModel::Go => self.resolve_package_name(name, owner),
        }
    }

    /// Resolves the name of a type.
    pub(super) fn resolve_type_name(&mut self, name: &str, owner: Owner) -> AbstractValue {
        match self.tables.family {
            // Types are rarely inherited, so the declared or imported one is taken, which comes
            // last.
            CallModel::Classes => self.member_or_top(name, owner).pop().into_iter().collect(),
            CallModel::Rust => self.resolve_path(&[name.to_owned()], owner),
            CallModel::Go => self.resolve_package_type(name, owner),
            _ => match self.tables.top_level(None, name) {
                [] => self.tables.star_import_or_global(name),
                found => {
                    let found = self.tables.prefer_implementations(found);
                    found.into_iter().map(PossibleValue::Class).collect()
                }
            },
        }
    }

    /// A member of an enclosing class, else a symbol at the top level, else one that is imported or
    /// declared in another file of the package.
    fn member_or_top(&mut self, name: &str, owner: Owner) -> AbstractValue {
        // The enclosing class in PHP and Swift.
        if matches!(name, "self" | "static" | "Self")
            && let Some(class) = self.tables.enclosing_class(owner)
        {
            return vec![PossibleValue::Class(class)];
        }
        let tables = self.tables;
        let mut inherited = AbstractValue::new();
        for symbol in tables.ancestors(owner) {
            if self.tables.kind(symbol).is_type() {
                let Some(class) = self.tables.self_type(symbol) else { break };
                let found = self.get(&PossibleValue::Instance(class), name, owner);
                if !self.member_symbols(class, name).is_empty() {
                    return found;
                }
                // Only the files of its parents show whether these have the member.
                join(&mut inherited, found);
                if self.tables.symbol(symbol).name == name {
                    return vec![PossibleValue::Class(symbol)];
                }
            } else {
                let found = tables.members_named(symbol, name);
                if !found.is_empty() {
                    return self.symbol_values(&tables.prefer_implementations(found));
                }
            }
        }
        let found = tables.top_level(None, name);
        if !found.is_empty() {
            return self.symbol_values(&tables.prefer_implementations(found));
        }
        if let Some(alternative) = self.tables.imported_name(name) {
            return vec![alternative];
        }
        join(&mut inherited, [global_value(name)]);
        inherited
    }

    /// Resolves a path. Paths that leave the modules of this file are resolved when the file is
    /// linked.
    pub(super) fn resolve_path(&mut self, parts: &[String], owner: Owner) -> AbstractValue {
        let Some((first, rest)) = parts.split_first() else { return Vec::new() };
        let mut value = match (self.tables.family, first.as_str()) {
            (CallModel::Rust, "Self") => match self.tables.enclosing_class(owner) {
                Some(class) => vec![PossibleValue::Class(class)],
                None => return self.external_self_path(rest, owner),
            },
            (CallModel::Rust, _) => {
                let Some(found) = self.lookup_lexical(first, owner) else {
                    let module = self.tables.module_path(owner);
                    return vec![PossibleValue::external(ExternalBase::Scope(
                        module,
                        parts.to_vec(),
                    ))];
                };
                found
            }
            _ => self.member_or_top(first, owner),
        };
        // Other files may declare members of the same namespace.
        let is_open = |alternative: &PossibleValue| matches!(alternative, PossibleValue::Class(one) if is_module_like(self.tables.kind(*one)));
        let is_open = self.tables.family == CallModel::Classes && value.iter().all(is_open);
        for part in rest {
            value = self.get_all(&value, part, owner);
        }
        if value.is_empty() && is_open {
            let start = ExternalRef { base: ExternalBase::Global(first.clone()), ops: Vec::new() };
            let step =
                |term: ExternalRef, part: &String| term.then(ExternalStep::Get(part.clone()));
            let there = rest.iter().try_fold(start, step);
            value.extend(there.map(PossibleValue::from));
        }
        value
    }

    fn external_self_path(&mut self, rest: &[String], owner: Owner) -> AbstractValue {
        let tables = self.tables;
        let is_impl = |id: &SymbolId| tables.kind(*id) == SymbolKind::Impl;
        let Some(symbol) = tables.ancestors(owner).find(is_impl) else { return Vec::new() };
        // What this `impl` itself declares comes first.
        if let [name] = rest {
            let own = tables.members_named(symbol, name);
            if !own.is_empty() {
                return self.symbol_values(own);
            }
        }
        let ty = tables.symbol(symbol).ty.as_ref();
        let parent = tables.parent(symbol);
        let mut value = ty.map(|ty| self.type_class(ty, parent)).unwrap_or_default();
        for part in rest {
            value = self.get_all(&value, part, owner);
        }
        value
    }

    /// Resolves a name in the enclosing functions and the enclosing module.
    fn lookup_lexical(&mut self, name: &str, owner: Owner) -> Option<AbstractValue> {
        let tables = self.tables;
        for scope in tables.ancestors(owner).map(Some).chain([None]) {
            let is_module = scope.is_none_or(|id| is_module_like(tables.kind(id)));
            let found = match scope {
                _ if is_module => tables.top_level(scope, name),
                Some(id) if tables.kind(id).is_callable() => tables.members_named(id, name),
                _ => &[],
            };
            if !found.is_empty() {
                // An `impl` has the name of its type and declares none.
                let declares = |one: &SymbolId| {
                    !tables.is_file_module(*one) && tables.kind(*one) != SymbolKind::Impl
                };
                let found: Vec<SymbolId> = found.iter().copied().filter(declares).collect();
                let value = self.symbol_values(&found);
                return (!found.is_empty()).then_some(value);
            }
            if is_module {
                return None;
            }
        }
        None
    }
}
