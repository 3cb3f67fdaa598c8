//! Rules of Go. Declared types decide what a member means. A package is a folder, so a method may
//! be declared in another file than its type.

use std::collections::BTreeMap;

use syntax::{Expr, HeritageKind, SymbolFlags, SymbolKind, TypeRef};

use super::super::ids::{Owner, SymbolId};
use super::super::value::{
    AbstractValue, ExportedValue, ExternalBase, ExternalRef, ExternalStep, PossibleValue, join,
};
use super::args::ArgValue;
use super::call::CallOrigin;
use super::eval::{declared_with_functions, global_value};
use super::types::instance_of_class;
use super::{CallModel, Interpreter, ObjectKind};

/// The field that holds the element of a map, a slice or a channel.
pub(in super::super) const ELEMENT_MEMBER: &str = "#each";

/// The field that holds the result of a value of a function type.
pub(in super::super) const RESULT_MEMBER: &str = "()";

impl Interpreter<'_> {
    /// Resolves a name: a symbol of the enclosing functions, of the package, or an import. A name
    /// never means a method.
    pub(super) fn resolve_package_name(&mut self, name: &str, owner: Owner) -> AbstractValue {
        let local = self.tables.local_symbols(name, owner);
        if !local.is_empty() {
            return self.symbol_values(&local);
        }
        let found = self.tables.top_level(None, name);
        if !found.is_empty() {
            return self.symbol_values(found);
        }
        let package = self.tables.imported_package(name);
        vec![package.unwrap_or_else(|| global_value(name))]
    }

    /// Resolves the name of a type.
    pub(super) fn resolve_package_type(&mut self, name: &str, owner: Owner) -> AbstractValue {
        if syntax::is_predeclared(name) && self.tables.top_level(None, name).is_empty() {
            return Vec::new();
        }
        self.resolve_package_name(name, owner)
    }

    /// The value of a variable, a constant or a field: its declared type, else what was assigned to
    /// it.
    pub(super) fn variable_value(&mut self, symbol: SymbolId) -> AbstractValue {
        let found = self.tables.symbol(symbol);
        let is_top = found.parent.is_none();
        let held = if is_top { self.heap.free_name(&found.name) } else { Vec::new() };
        match &found.ty {
            Some(ty) => {
                let declared = self.instance_of(ty, Some(symbol));
                declared_with_functions(declared, held)
            }
            None => held,
        }
    }

    /// A value of a map or channel type; `None` for any other type.
    pub(super) fn container_instance(
        &mut self,
        path: &str,
        args: &[TypeRef],
        owner: Owner,
    ) -> Option<AbstractValue> {
        let (key, element) = match (path, args) {
            ("map", [key, value]) => (key, value),
            ("chan", [value]) => (value, value),
            _ => return None,
        };
        let (key, element) = (self.instance_of(key, owner), self.instance_of(element, owner));
        if key.is_empty() && element.is_empty() {
            return Some(Vec::new());
        }
        let made = PossibleValue::Object(self.alloc_kind(ObjectKind::Plain));
        self.set(&made, Expr::ITERATION_KEY, key, owner);
        self.set(&made, ELEMENT_MEMBER, element, owner);
        Some(vec![made])
    }

    /// A value of a function type. Only its result matters.
    pub(super) fn function_type_value(&mut self, result: &TypeRef, owner: Owner) -> AbstractValue {
        let result = self.instance_of(result, owner);
        if result.is_empty() {
            return Vec::new();
        }
        let made = PossibleValue::Object(self.alloc_kind(ObjectKind::Plain));
        self.set(&made, RESULT_MEMBER, result, owner);
        vec![made]
    }

    /// The result of calling a value of which only the type is known.
    pub(super) fn call_typed_value(&mut self, callee: &PossibleValue) -> AbstractValue {
        match callee {
            PossibleValue::Object(id) => self.heap.field(*id, RESULT_MEMBER).unwrap_or_default(),
            PossibleValue::Instance(class) => {
                let like = self.underlying_type(*class);
                let like = like
                    .iter()
                    .filter(|alternative| matches!(alternative, PossibleValue::Object(_)));
                like.cloned()
                    .collect::<Vec<_>>()
                    .iter()
                    .flat_map(|one| self.call_typed_value(one))
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// A composite literal. The functions that it assigns to fields are what calls of these fields
    /// may run.
    pub(super) fn composite_literal(
        &mut self,
        ty: &PossibleValue,
        args: &[ArgValue],
        site: CallOrigin,
    ) -> AbstractValue {
        let made: AbstractValue = instance_of_class(ty.clone()).into_iter().collect();
        if let [made @ PossibleValue::Instance(_)] = made.as_slice() {
            for arg in args {
                let functions: AbstractValue =
                    arg.value.iter().filter(|one| one.is_function()).cloned().collect();
                if let Some(name) = arg.name.as_ref().filter(|_| !functions.is_empty()) {
                    self.set(made, name, functions, site.owner);
                }
            }
        }
        made
    }

    /// Whether a member is a field that holds a function rather than a method.
    pub(super) fn holds_function(&self, members: &[PossibleValue]) -> bool {
        let is_function = |alternative: &PossibleValue| matches!(alternative, PossibleValue::Function(one, _) if self.tables.kind(*one) != SymbolKind::Method);
        members.iter().any(is_function)
    }

    /// The underlying type of a named type: that of `type A []B` is a slice.
    pub(super) fn underlying_type(&mut self, class: SymbolId) -> AbstractValue {
        let symbol = self.tables.symbol(class);
        if !symbol.flags.contains(SymbolFlags::DISTINCT_TYPE) {
            return Vec::new();
        }
        let Some(ty) = &symbol.ty else { return Vec::new() };
        let like = self.limit_lookup(|interpreter| interpreter.instance_of(ty, Some(class)));
        like.into_iter()
            .filter(|alternative| *alternative != PossibleValue::Instance(class))
            .collect()
    }

    /// The element that `range` or an index gives. The index of a generic function is a type
    /// argument, so that it gives the function itself.
    pub(super) fn range_element(&mut self, many: &PossibleValue, owner: Owner) -> AbstractValue {
        match many {
            PossibleValue::Function(..) | PossibleValue::BoundMethod(_) => vec![many.clone()],
            PossibleValue::Object(id) => self.heap.field(*id, ELEMENT_MEMBER).unwrap_or_default(),
            PossibleValue::Instance(class) => {
                let like = self.underlying_type(*class);
                self.limit_lookup(|interpreter| interpreter.elements_of(&like, owner))
            }
            _ => Vec::new(),
        }
    }

    /// A member of a value of a type. Methods that other files of the package declare, and those of
    /// embedded types, are resolved when the file is linked.
    pub(super) fn member_of_type(
        &mut self,
        class: SymbolId,
        object: &PossibleValue,
        name: &str,
        owner: Owner,
    ) -> AbstractValue {
        if name == Expr::ITERATION_KEY {
            let like = self.underlying_type(class);
            return self.get_all(&like, name, owner);
        }
        let own = self.own_instance_member(class, object, name, owner);
        if !own.is_empty() {
            return own;
        }
        let symbol = self.tables.symbol(class);
        if symbol.parent.is_none() && !symbol.is_anonymous() {
            let start =
                ExternalRef { base: ExternalBase::Global(symbol.name.clone()), ops: Vec::new() };
            let member = start
                .then(ExternalStep::Inst)
                .and_then(|it| it.then(ExternalStep::Get(name.to_owned())));
            return member.map(PossibleValue::from).into_iter().collect();
        }
        let mut all = Vec::new();
        for (embedded, value) in self.embedded_fields(class) {
            let found = if embedded == name { value } else { self.get_all(&value, name, owner) };
            join(&mut all, found);
        }
        if all.is_empty() {
            let like = self.underlying_type(class);
            all = self.get_all(&like, name, owner);
        }
        all
    }

    /// The embedded fields of a struct, by name.
    fn embedded_fields(&mut self, class: SymbolId) -> Vec<(String, AbstractValue)> {
        let mut all = Vec::new();
        for step in self.tables.heritage(class) {
            if let (HeritageKind::Extends, TypeRef::Named { path, .. }) = (step.kind, &step.target)
            {
                let name = path.rsplit('.').next().unwrap_or(path).to_owned();
                let value = self.instance_of(&step.target, self.tables.parent(class));
                all.push((name, value));
            }
        }
        all
    }

    /// The embedded fields of a struct as other files see them.
    pub(super) fn export_embedded(
        &mut self,
        class: SymbolId,
    ) -> BTreeMap<String, Vec<ExportedValue>> {
        if self.tables.family != CallModel::Go || self.tables.kind(class) != SymbolKind::Struct {
            return BTreeMap::new();
        }
        let mut all = BTreeMap::new();
        for (name, value) in self.embedded_fields(class) {
            all.insert(name, self.export_values(&value, 0));
        }
        all
    }
}
