//! Go: types are declared, and what is declared decides. A package is a folder, so the methods of
//! a type may stand in another file than the type.

use std::collections::BTreeMap;
use std::rc::Rc;

use syntax::{Expr, Flags, HeritageKind, Owner, ParamKind, SymbolKind, TypeRef};

use super::super::summary::Signature;
use super::super::value::{Atom, Base, Op, Out, Term, Value, join};
use super::args::Given;
use super::call::Site;
use super::eval::{global, with_functions};
use super::types::instance;
use super::{Family, Machine, Object};

/// What an element of something that `range` goes over is kept as.
pub(in super::super) const ELEMENT: &str = "#each";

/// What calling a value of a function type gives.
pub(in super::super) const RESULT: &str = "()";

impl Machine<'_> {
    /// Whether a symbol is a method that stands outside of its type.
    pub(super) fn is_loose_method(&self, symbol: u32) -> bool {
        let found = &self.facts.symbols[symbol as usize];
        self.family == Family::Go && found.kind == SymbolKind::Method && found.parent.is_none()
    }

    /// Gives methods to their types, where these are declared in the same file.
    pub(super) fn join_methods(&mut self) {
        for at in 0..super::number(self.facts.symbols.len()) {
            if !self.is_loose_method(at) {
                continue;
            }
            let symbol = &self.facts.symbols[at as usize];
            let of = symbol.path.split('.').next().unwrap_or_default();
            let home = self.tops.get(&(None, of)).and_then(|found| found.first().copied());
            if let Some(home) = home {
                let members = self.members.entry(home).or_default();
                members.entry(&symbol.name).or_default().push(at);
            }
        }
    }

    /// What a name means: something of the functions around, of the package, or an import. A
    /// method is never meant.
    pub(super) fn of_package(&mut self, name: &str, owner: Owner) -> Value {
        if let Some(found) = self.local_symbols(name, owner) {
            return found.into_iter().flat_map(|one| self.symbol(one, 0)).collect();
        }
        if let Some(found) = self.tops.get(&(None, name)).cloned() {
            return found.into_iter().flat_map(|one| self.symbol(one, 0)).collect();
        }
        let import = self.facts.imports.iter().position(|import| import.is_package(name));
        match import {
            Some(at) => vec![Atom::ext(Base::Import(self.import_key(at), None))],
            None => vec![global(name)],
        }
    }

    /// What the name of a type means.
    pub(super) fn type_of_package(&mut self, name: &str, owner: Owner) -> Value {
        if syntax::is_predeclared(name) && !self.tops.contains_key(&(None, name)) {
            return Vec::new();
        }
        self.of_package(name, owner)
    }

    fn local_symbols(&self, name: &str, owner: Owner) -> Option<Vec<u32>> {
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
    pub(super) fn variable(&mut self, symbol: u32) -> Value {
        let found = &self.facts.symbols[symbol as usize];
        let is_top = found.parent.is_none();
        let held = self.named.get(&found.name).filter(|_| is_top);
        let held = held.map(|cell| cell.read(&self.active)).unwrap_or_default();
        match found.ty.clone() {
            Some(ty) => {
                let declared = self.instance_of(&ty, Some(symbol));
                with_functions(declared, held)
            }
            None => held,
        }
    }

    /// Maps and channels.
    pub(super) fn go_holder(
        &mut self,
        path: &str,
        args: &[TypeRef],
        owner: Owner,
    ) -> Option<Value> {
        let (key, element) = match (path, args) {
            ("map", [key, value]) => (key, value),
            ("chan", [value]) => (value, value),
            _ => return None,
        };
        let (key, element) = (self.instance_of(key, owner), self.instance_of(element, owner));
        if key.is_empty() && element.is_empty() {
            return Some(Vec::new());
        }
        let made = self.object(Object::default());
        self.set(&made, Expr::KEY, key, false, owner);
        self.set(&made, ELEMENT, element, false, owner);
        Some(vec![made])
    }

    /// A value of a function type: what calling it gives is all that counts.
    pub(super) fn function_result(&mut self, result: &TypeRef, owner: Owner) -> Value {
        let result = self.instance_of(result, owner);
        if result.is_empty() {
            return Vec::new();
        }
        let made = self.object(Object::default());
        self.set(&made, RESULT, result, false, owner);
        vec![made]
    }

    /// What calling a value gives of which only the type is known.
    pub(super) fn called_type(&mut self, callee: &Atom) -> Value {
        match callee {
            Atom::Obj(id) => {
                let result = self.objects[*id as usize].fields.get(RESULT);
                result.map(|cell| cell.read(&self.active)).unwrap_or_default()
            }
            Atom::Inst(class) => {
                let like = self.underlying(*class);
                let like = like.iter().filter(|atom| matches!(atom, Atom::Obj(_)));
                like.cloned()
                    .collect::<Vec<_>>()
                    .iter()
                    .flat_map(|one| self.called_type(one))
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// A literal of a type. Functions that its fields get are what these fields may call.
    pub(super) fn literal_of(&mut self, ty: &Atom, args: &[Given], site: Site) -> Value {
        let made: Value = instance(ty.clone()).into_iter().collect();
        if let [made @ Atom::Inst(_)] = made.as_slice() {
            for arg in args {
                let functions: Value =
                    arg.value.iter().filter(|one| one.is_method()).cloned().collect();
                if let Some(name) = arg.name.as_ref().filter(|_| !functions.is_empty()) {
                    self.set(made, name, functions, false, site.0);
                }
            }
        }
        made
    }

    /// Whether a name is a variable of the package that this file declares.
    pub(super) fn is_variable(&self, name: &str) -> bool {
        let found = self.tops.get(&(None, name)).into_iter().flatten();
        found.copied().any(|one| self.kind(one) == SymbolKind::Variable)
    }

    /// Whether a member is a field that holds a function, rather than a method.
    pub(super) fn holds_function(&self, members: &[Atom]) -> bool {
        let is_function = |atom: &Atom| matches!(atom, Atom::Fun(one, _) if self.kind(*one) != SymbolKind::Method);
        members.iter().any(is_function)
    }

    /// What a type is made like: `type A []B` like a list.
    pub(super) fn underlying(&mut self, class: u32) -> Value {
        let symbol = &self.facts.symbols[class as usize];
        if !symbol.flags.has(Flags::DISTINCT) {
            return Vec::new();
        }
        let Some(ty) = symbol.ty.clone() else { return Vec::new() };
        let like = self.within_reach(|machine| machine.instance_of(&ty, Some(class)));
        like.into_iter().filter(|atom| *atom != Atom::Inst(class)).collect()
    }

    /// What `range` or an index gives of a value; of a function with type arguments, that function.
    pub(super) fn element(&mut self, many: &Atom, owner: Owner) -> Value {
        match many {
            Atom::Fun(..) | Atom::Bound(_) => vec![many.clone()],
            Atom::Obj(id) => {
                let element = self.objects[*id as usize].fields.get(ELEMENT);
                element.map(|cell| cell.read(&self.active)).unwrap_or_default()
            }
            Atom::Inst(class) => {
                let like = self.underlying(*class);
                self.within_reach(|machine| machine.each(&like, owner))
            }
            _ => Vec::new(),
        }
    }

    /// A member of a value of a type: its own; else what its package and what it takes in have,
    /// which only linking can tell.
    pub(super) fn member_of_type(
        &mut self,
        class: u32,
        object: &Atom,
        name: &str,
        owner: Owner,
    ) -> Value {
        if name == Expr::KEY {
            let like = self.underlying(class);
            return self.get_all(&like, name, owner);
        }
        let own = self.own_of_instance(class, object, name, owner);
        if !own.is_empty() {
            return own;
        }
        let symbol = &self.facts.symbols[class as usize];
        if symbol.parent.is_none() && !symbol.is_anonymous() {
            let start = Term { base: Base::Global(symbol.name.clone()), ops: Vec::new() };
            let member = start.then(Op::Inst).and_then(|it| it.then(Op::Get(name.to_owned())));
            return member.map(|member| Atom::Ext(Rc::new(member))).into_iter().collect();
        }
        let mut all = Vec::new();
        for (embedded, value) in self.embedded(class) {
            let found = if embedded == name { value } else { self.get_all(&value, name, owner) };
            join(&mut all, found);
        }
        if all.is_empty() {
            let like = self.underlying(class);
            all = self.get_all(&like, name, owner);
        }
        all
    }

    /// What a structure takes in whole, by the name of the field that holds it.
    fn embedded(&mut self, class: u32) -> Vec<(String, Value)> {
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
    pub(super) fn embedded_out(&mut self, class: u32) -> BTreeMap<String, Vec<Out>> {
        if self.family != Family::Go || self.kind(class) != SymbolKind::Struct {
            return BTreeMap::new();
        }
        let mut all = BTreeMap::new();
        for (name, value) in self.embedded(class) {
            all.insert(name, self.out_all(&value, 0));
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
        if self.family != Family::Go || symbol.kind != SymbolKind::Method {
            return None;
        }
        let mut params = Vec::new();
        for (at, _) in self.params.get(&method).into_iter().flatten() {
            let param = &self.facts.flow.params[*at as usize];
            let ty = param.ty.as_ref().unwrap_or(&TypeRef::Unknown);
            match param.kind {
                ParamKind::Receiver => {}
                ParamKind::Rest => params.push(format!("[]{}", self.spelled_type(ty, method))),
                _ => params.push(self.spelled_type(ty, method)),
            }
        }
        let results = match &symbol.ty {
            None => Vec::new(),
            Some(TypeRef::Tuple(all)) => {
                all.iter().map(|ty| self.spelled_type(ty, method)).collect()
            }
            Some(one) => vec![self.spelled_type(one, method)],
        };
        Some(Signature { params, results })
    }

    fn spelled_type(&self, ty: &TypeRef, method: u32) -> String {
        match ty {
            TypeRef::Named { path, .. } if self.is_type_param(path, method) => {
                Signature::ANY.into()
            }
            TypeRef::Named { path, args, .. } => {
                let name = path.rsplit('.').next().unwrap_or(path);
                let args: Vec<String> =
                    args.iter().map(|arg| self.spelled_type(arg, method)).collect();
                if args.is_empty() {
                    name.to_owned()
                } else {
                    format!("{name}[{}]", args.join(","))
                }
            }
            TypeRef::List(of) => format!("[]{}", self.spelled_type(of, method)),
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
