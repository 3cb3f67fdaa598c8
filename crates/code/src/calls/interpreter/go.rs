//! Go: types are declared, and what is declared decides. A package is a folder, so the methods of
//! a type may stand in another file than the type.

use std::collections::BTreeMap;
use std::rc::Rc;

use syntax::{Expr, HeritageKind, ParamKind, SymbolFlags, SymbolKind, SymbolOwner, TypeRef};

use super::super::summary::Signature;
use super::super::value::{
    AbstractValue, ExportedValue, ExternalBase, ExternalRef, ExternalStep, PossibleValue, join,
};
use super::args::ArgValue;
use super::call::CallOrigin;
use super::eval::{declared_with_functions, global_value};
use super::types::instance_of_class;
use super::{HeapObject, Interpreter, LanguageFamily};

/// What an element of something that `range` goes over is kept as.
pub(in super::super) const ELEMENT_MEMBER: &str = "#each";

/// What calling a value of a function type gives.
pub(in super::super) const RESULT_MEMBER: &str = "()";

impl Interpreter<'_> {
    /// Whether a symbol is a method that stands outside of its type.
    pub(super) fn is_detached_method(&self, symbol: u32) -> bool {
        let found = &self.facts.symbols[symbol as usize];
        self.family == LanguageFamily::Go
            && found.kind == SymbolKind::Method
            && found.parent.is_none()
    }

    /// Gives methods to their types, where these are declared in the same file.
    pub(super) fn attach_methods(&mut self) {
        for at in 0..super::to_index(self.facts.symbols.len()) {
            if !self.is_detached_method(at) {
                continue;
            }
            let symbol = &self.facts.symbols[at as usize];
            let of = symbol.path.split('.').next().unwrap_or_default();
            let home = self.top_level.get(&(None, of)).and_then(|found| found.first().copied());
            if let Some(home) = home {
                let members = self.members.entry(home).or_default();
                members.entry(&symbol.name).or_default().push(at);
            }
        }
    }

    /// What a name means: something of the functions around, of the package, or an import. A
    /// method is never meant.
    pub(super) fn resolve_package_name(&mut self, name: &str, owner: SymbolOwner) -> AbstractValue {
        if let Some(found) = self.local_symbols(name, owner) {
            return found.into_iter().flat_map(|one| self.symbol_value(one, 0)).collect();
        }
        if let Some(found) = self.top_level.get(&(None, name)).cloned() {
            return found.into_iter().flat_map(|one| self.symbol_value(one, 0)).collect();
        }
        let import = self.facts.imports.iter().position(|import| import.is_go_package_named(name));
        match import {
            Some(at) => {
                vec![PossibleValue::external(ExternalBase::Import(self.import_key(at), None))]
            }
            None => vec![global_value(name)],
        }
    }

    /// What the name of a type means.
    pub(super) fn resolve_package_type(&mut self, name: &str, owner: SymbolOwner) -> AbstractValue {
        if syntax::is_predeclared(name) && !self.top_level.contains_key(&(None, name)) {
            return Vec::new();
        }
        self.resolve_package_name(name, owner)
    }

    fn local_symbols(&self, name: &str, owner: SymbolOwner) -> Option<Vec<u32>> {
        let mut at = owner;
        while let Some(symbol) = at {
            let is_field =
                |one: &u32| matches!(self.kind(*one), SymbolKind::Field | SymbolKind::Method);
            let members = self.members.get(&symbol).and_then(|all| all.get(name));
            let found: Vec<u32> =
                members.into_iter().flatten().copied().filter(|one| !is_field(one)).collect();
            if !found.is_empty() {
                return Some(found);
            }
            at = self.facts.symbols[symbol as usize].parent;
        }
        None
    }

    /// What a variable, a constant or a field is: what it is declared as, else what it was given.
    pub(super) fn variable_value(&mut self, symbol: u32) -> AbstractValue {
        let found = &self.facts.symbols[symbol as usize];
        let is_top = found.parent.is_none();
        let held = self.free_names.get(&found.name).filter(|_| is_top);
        let held = held.map(|cell| cell.read(&self.active_blocks)).unwrap_or_default();
        match found.ty.clone() {
            Some(ty) => {
                let declared = self.instance_of(&ty, Some(symbol));
                declared_with_functions(declared, held)
            }
            None => held,
        }
    }

    /// Maps and channels.
    pub(super) fn container_instance(
        &mut self,
        path: &str,
        args: &[TypeRef],
        owner: SymbolOwner,
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
        let made = self.alloc_object(HeapObject::default());
        self.set(&made, Expr::ITERATION_KEY, key, false, owner);
        self.set(&made, ELEMENT_MEMBER, element, false, owner);
        Some(vec![made])
    }

    /// A value of a function type: what calling it gives is all that counts.
    pub(super) fn function_type_value(
        &mut self,
        result: &TypeRef,
        owner: SymbolOwner,
    ) -> AbstractValue {
        let result = self.instance_of(result, owner);
        if result.is_empty() {
            return Vec::new();
        }
        let made = self.alloc_object(HeapObject::default());
        self.set(&made, RESULT_MEMBER, result, false, owner);
        vec![made]
    }

    /// What calling a value gives of which only the type is known.
    pub(super) fn call_typed_value(&mut self, callee: &PossibleValue) -> AbstractValue {
        match callee {
            PossibleValue::Object(id) => {
                let result = self.objects[*id as usize].fields.get(RESULT_MEMBER);
                result.map(|cell| cell.read(&self.active_blocks)).unwrap_or_default()
            }
            PossibleValue::Instance(class) => {
                let like = self.underlying_type(*class);
                let like = like.iter().filter(|atom| matches!(atom, PossibleValue::Object(_)));
                like.cloned()
                    .collect::<Vec<_>>()
                    .iter()
                    .flat_map(|one| self.call_typed_value(one))
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// A literal of a type. Functions that its fields get are what these fields may call.
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
                    self.set(made, name, functions, false, site.owner);
                }
            }
        }
        made
    }

    /// Whether a name is a variable of the package that this file declares.
    pub(super) fn is_package_variable(&self, name: &str) -> bool {
        let found = self.top_level.get(&(None, name)).into_iter().flatten();
        found.copied().any(|one| self.kind(one) == SymbolKind::Variable)
    }

    /// Whether a member is a field that holds a function, rather than a method.
    pub(super) fn holds_function(&self, members: &[PossibleValue]) -> bool {
        let is_function = |atom: &PossibleValue| matches!(atom, PossibleValue::Function(one, _) if self.kind(*one) != SymbolKind::Method);
        members.iter().any(is_function)
    }

    /// What a type is made like: `type A []B` like a list.
    pub(super) fn underlying_type(&mut self, class: u32) -> AbstractValue {
        let symbol = &self.facts.symbols[class as usize];
        if !symbol.flags.contains(SymbolFlags::DISTINCT_TYPE) {
            return Vec::new();
        }
        let Some(ty) = symbol.ty.clone() else { return Vec::new() };
        let like = self.limit_lookup(|machine| machine.instance_of(&ty, Some(class)));
        like.into_iter().filter(|atom| *atom != PossibleValue::Instance(class)).collect()
    }

    /// What `range` or an index gives of a value; of a function with type arguments, that function.
    pub(super) fn range_element(
        &mut self,
        many: &PossibleValue,
        owner: SymbolOwner,
    ) -> AbstractValue {
        match many {
            PossibleValue::Function(..) | PossibleValue::BoundMethod(_) => vec![many.clone()],
            PossibleValue::Object(id) => {
                let element = self.objects[*id as usize].fields.get(ELEMENT_MEMBER);
                element.map(|cell| cell.read(&self.active_blocks)).unwrap_or_default()
            }
            PossibleValue::Instance(class) => {
                let like = self.underlying_type(*class);
                self.limit_lookup(|machine| machine.elements_of(&like, owner))
            }
            _ => Vec::new(),
        }
    }

    /// A member of a value of a type: its own; else what its package and what it takes in have,
    /// which only linking can tell.
    pub(super) fn member_of_type(
        &mut self,
        class: u32,
        object: &PossibleValue,
        name: &str,
        owner: SymbolOwner,
    ) -> AbstractValue {
        if name == Expr::ITERATION_KEY {
            let like = self.underlying_type(class);
            return self.get_all(&like, name, owner);
        }
        let own = self.own_instance_member(class, object, name, owner);
        if !own.is_empty() {
            return own;
        }
        let symbol = &self.facts.symbols[class as usize];
        if symbol.parent.is_none() && !symbol.is_anonymous() {
            let start =
                ExternalRef { base: ExternalBase::Global(symbol.name.clone()), ops: Vec::new() };
            let member = start
                .then(ExternalStep::Inst)
                .and_then(|it| it.then(ExternalStep::Get(name.to_owned())));
            return member
                .map(|member| PossibleValue::External(Rc::new(member)))
                .into_iter()
                .collect();
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

    /// What a structure takes in whole, by the name of the field that holds it.
    fn embedded_fields(&mut self, class: u32) -> Vec<(String, AbstractValue)> {
        let facts = self.facts;
        let mut all = Vec::new();
        for step in self.heritage.get(&class).cloned().unwrap_or_default() {
            let step = &facts.heritage[step as usize];
            if let (HeritageKind::Extends, TypeRef::Named { path, .. }) = (step.kind, &step.target)
            {
                let name = path.rsplit('.').next().unwrap_or(path).to_owned();
                let value = self.instance_of(&step.target, facts.symbols[class as usize].parent);
                all.push((name, value));
            }
        }
        all
    }

    /// The same as other files see it.
    pub(super) fn export_embedded(&mut self, class: u32) -> BTreeMap<String, Vec<ExportedValue>> {
        if self.family != LanguageFamily::Go || self.kind(class) != SymbolKind::Struct {
            return BTreeMap::new();
        }
        let mut all = BTreeMap::new();
        for (name, value) in self.embedded_fields(class) {
            all.insert(name, self.export_values(&value, 0));
        }
        all
    }

    /// The interfaces of the package that this file declares.
    pub(super) fn interfaces(&self) -> Vec<String> {
        let symbols = self.facts.symbols.iter();
        let own = symbols.filter(|one| one.kind == SymbolKind::Interface && one.parent.is_none());
        own.map(|one| one.path.clone()).collect()
    }

    /// What a method takes and returns.
    pub(super) fn signature(&self, method: u32) -> Option<Signature> {
        let symbol = &self.facts.symbols[method as usize];
        if self.family != LanguageFamily::Go || symbol.kind != SymbolKind::Method {
            return None;
        }
        let mut params = Vec::new();
        for (at, _) in self.params.get(&method).into_iter().flatten() {
            let param = &self.facts.flow.params[*at as usize];
            let ty = param.ty.as_ref().unwrap_or(&TypeRef::Unknown);
            match param.kind {
                ParamKind::Receiver => {}
                ParamKind::Rest => params.push(format!("[]{}", self.type_text(ty, method))),
                _ => params.push(self.type_text(ty, method)),
            }
        }
        let results = match &symbol.ty {
            None => Vec::new(),
            Some(TypeRef::Tuple(all)) => all.iter().map(|ty| self.type_text(ty, method)).collect(),
            Some(one) => vec![self.type_text(one, method)],
        };
        Some(Signature { params, results })
    }

    fn type_text(&self, ty: &TypeRef, method: u32) -> String {
        match ty {
            TypeRef::Named { path, .. } if self.is_type_param(path, method) => {
                Signature::ANY.into()
            }
            TypeRef::Named { path, args, .. } => {
                let name = path.rsplit('.').next().unwrap_or(path);
                let args: Vec<String> =
                    args.iter().map(|arg| self.type_text(arg, method)).collect();
                if args.is_empty() {
                    name.to_owned()
                } else {
                    format!("{name}[{}]", args.join(","))
                }
            }
            TypeRef::List(of) => format!("[]{}", self.type_text(of, method)),
            TypeRef::Function(params, _) => format!("func{}", params.len()),
            _ => "any".to_owned(), // `interface{}`
        }
    }

    fn is_type_param(&self, name: &str, owner: u32) -> bool {
        let mut at = Some(owner);
        while let Some(symbol) = at {
            let found = &self.facts.symbols[symbol as usize];
            if found.generics.iter().any(|param| param.name == name) {
                return true;
            }
            at = found.parent;
        }
        false
    }
}
