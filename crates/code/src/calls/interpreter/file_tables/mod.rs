//! Lookup tables of one file: symbols, members, parameters, bodies and heritage.
//!
//! They are built once from the facts and never change, so the interpreter shares a reference.

mod imports;
mod signatures;

use std::collections::{BTreeMap, HashMap};

use syntax::{
    Binding, BindingKind, Expr, FileFacts, FlowBlockKind, FlowStep, Heritage, Param, ParamKind,
    Symbol, SymbolFlags, SymbolKind, TypeParam, TypeRef,
};

use super::super::ids::{BindingId, BlockId, Owner, SymbolId};
use super::super::value::{ExternalRef, ExternalStep, MAX_ALTERNATIVES, ParamRef, PossibleValue};
use super::context::MAX_CALLBACK_PARAMS;
use super::{CallModel, is_module_like};

/// A parameter of a function, with the binding that declares its name.
#[derive(Debug, Clone, Copy)]
pub(super) struct FunctionParam<'a> {
    pub param: &'a Param,
    pub binding: Option<BindingId>,
}

/// The symbols inside another one, by name.
type MembersByName<'a> = BTreeMap<&'a str, Vec<SymbolId>>;

/// Lookup tables of one file.
pub(super) struct FileTables<'a> {
    pub facts: &'a FileFacts,
    pub family: CallModel,
    /// The function that each symbol's own steps run in; by symbol
    enclosing_functions: Vec<Owner>,
    /// The steps of each function and of the module
    bodies: HashMap<Owner, Vec<&'a FlowStep>>,
    params: HashMap<SymbolId, Vec<FunctionParam<'a>>>,
    /// Members by parent; those of an `impl` are with its type too
    members: HashMap<SymbolId, MembersByName<'a>>,
    /// Symbols that are declared at the top level or directly in a module
    top_level: HashMap<Owner, MembersByName<'a>>,
    /// The type of each `impl`; of any other symbol the symbol itself
    self_types: Vec<Owner>,
    /// Where each class says what it inherits from
    heritage: HashMap<SymbolId, Vec<&'a Heritage>>,
}

impl<'a> FileTables<'a> {
    /// Builds the tables of a file.
    pub(super) fn new(family: CallModel, facts: &'a FileFacts) -> Self {
        let mut tables = Self {
            facts,
            family,
            enclosing_functions: enclosing_functions(facts),
            bodies: HashMap::new(),
            params: params_by_function(facts),
            members: HashMap::new(),
            top_level: HashMap::new(),
            self_types: Vec::new(),
            heritage: HashMap::new(),
        };
        for step in &facts.flow.steps {
            let body = tables.enclosing_function(SymbolId::owner(step.owner));
            tables.bodies.entry(body).or_default().push(step);
        }
        tables.add_members();
        tables.self_types = tables.symbols().map(|symbol| tables.find_self_type(symbol)).collect();
        for step in &facts.heritage {
            let symbol = SymbolId::from(step.symbol);
            let class = tables.self_type(symbol).unwrap_or(symbol);
            tables.heritage.entry(class).or_default().push(step);
        }
        tables.merge_impl_members();
        tables.attach_methods();
        tables
    }

    fn add_members(&mut self) {
        for id in self.symbols() {
            if self.is_detached_method(id) {
                continue;
            }
            let name = self.symbol(id).name.as_str();
            let parent = self.parent(id);
            if let Some(parent) = parent {
                let members = self.members.entry(parent).or_default();
                members.entry(name).or_default().push(id);
            }
            if parent.is_none_or(|parent| is_module_like(self.kind(parent))) {
                let names = self.top_level.entry(parent).or_default();
                names.entry(name).or_default().push(id);
            }
        }
    }

    /// The type of an `impl` where it is declared in this file; any other symbol itself.
    fn find_self_type(&self, id: SymbolId) -> Owner {
        let symbol = self.symbol(id);
        if symbol.kind != SymbolKind::Impl {
            return Some(id);
        }
        let Some(TypeRef::Named { path, .. }) = &symbol.ty else { return None };
        if path.contains("::") {
            return None;
        }
        let is_type = |one: &SymbolId| {
            let kind = self.kind(*one);
            (kind.is_type() || kind == SymbolKind::Type) && kind != SymbolKind::Impl
        };
        // An inner module sees the file's types if it imports them all.
        let scopes = self.ancestors(self.parent(id)).map(Some).chain([None]);
        let mut declared = scopes.flat_map(|scope| self.top_level(scope, path)).copied();
        declared.find(is_type)
    }

    /// Adds the members of each `impl` to those of its type, where that is declared in the file.
    fn merge_impl_members(&mut self) {
        for id in self.symbols() {
            if self.kind(id) == SymbolKind::Impl
                && let Some(class) = self.self_type(id)
                && let Some(members) = self.members.get(&id).cloned()
            {
                let all = self.members.entry(class).or_default();
                for (name, mut symbols) in members {
                    all.entry(name).or_default().append(&mut symbols);
                }
            }
        }
    }

    /// Adds methods that are declared outside of their type to the members of that type, where it
    /// is declared in the file.
    fn attach_methods(&mut self) {
        for id in self.symbols() {
            if !self.is_detached_method(id) {
                continue;
            }
            let symbol = self.symbol(id);
            let class = symbol.path.split('.').next().unwrap_or_default();
            if let Some(class) = self.top_level(None, class).first().copied() {
                let members = self.members.entry(class).or_default();
                members.entry(&symbol.name).or_default().push(id);
            }
        }
    }

    // Symbols.

    /// All symbols of the file.
    pub(super) fn symbols(&self) -> impl Iterator<Item = SymbolId> + use<> {
        (0..self.facts.symbols.len()).map(SymbolId::at)
    }

    pub(super) fn symbol(&self, id: SymbolId) -> &'a Symbol {
        &self.facts.symbols[id.index()]
    }

    /// The symbol that contains a symbol.
    pub(super) fn parent(&self, id: SymbolId) -> Owner {
        SymbolId::owner(self.symbol(id).parent)
    }

    /// A symbol and all that contain it, innermost first.
    pub(super) fn ancestors(&self, from: Owner) -> impl Iterator<Item = SymbolId> {
        std::iter::successors(from, |id| self.parent(*id))
    }

    pub(super) fn kind(&self, id: SymbolId) -> SymbolKind {
        self.symbol(id).kind
    }

    pub(super) fn has_flag(&self, id: SymbolId, flag: SymbolFlags) -> bool {
        self.symbol(id).flags.contains(flag)
    }

    /// The path of a symbol; that of the module is empty.
    pub(super) fn path_of(&self, owner: Owner) -> String {
        owner.map(|id| self.symbol(id).path.clone()).unwrap_or_default()
    }

    /// The path of the module that contains a symbol.
    pub(super) fn module_path(&self, owner: Owner) -> String {
        let module = self.ancestors(owner).find(|id| is_module_like(self.kind(*id)));
        self.path_of(module)
    }

    /// Whether a symbol is a module whose content is in a file of its own.
    pub(super) fn is_file_module(&self, id: SymbolId) -> bool {
        let symbol = self.symbol(id);
        symbol.kind == SymbolKind::Module && symbol.body.is_none()
    }

    /// The function that the steps of a symbol run in: itself if it is callable, else the nearest
    /// callable one around it.
    pub(super) fn enclosing_function(&self, owner: Owner) -> Owner {
        owner.and_then(|id| self.enclosing_functions[id.index()])
    }

    /// The class whose body a symbol is in; none inside of functions.
    pub(super) fn enclosing_class_body(&self, owner: Owner) -> Owner {
        let mut around = self.ancestors(owner).take_while(|id| !self.kind(*id).is_callable());
        let class = around.find(|id| self.kind(*id).is_type())?;
        self.self_type(class)
    }

    /// The class that a symbol belongs to, however deep inside its methods.
    pub(super) fn enclosing_class(&self, owner: Owner) -> Owner {
        let class = self.ancestors(owner).find(|id| self.kind(*id).is_type())?;
        self.self_type(class)
    }

    /// The type of an `impl` where it is declared in this file; any other symbol itself.
    pub(super) fn self_type(&self, id: SymbolId) -> Owner {
        self.self_types[id.index()]
    }

    /// Whether a method gets its class as the receiver.
    pub(super) fn is_class_method(&self, function: SymbolId) -> bool {
        let symbol = self.symbol(function);
        match self.family {
            CallModel::Python => symbol.decorators.iter().any(|one| one.name == "classmethod"),
            _ => symbol.flags.contains(SymbolFlags::STATIC),
        }
    }

    /// Whether a symbol is a method that is declared outside of its type.
    pub(super) fn is_detached_method(&self, id: SymbolId) -> bool {
        let symbol = self.symbol(id);
        self.family == CallModel::Go && symbol.kind == SymbolKind::Method && symbol.parent.is_none()
    }

    /// The type parameter that a name means inside a symbol.
    pub(super) fn type_param(&self, name: &str, owner: Owner) -> Option<&'a TypeParam> {
        self.ancestors(owner)
            .find_map(|id| self.symbol(id).generics.iter().find(|param| param.name == name))
    }

    /// The type that a name of the module or of a namespace means, where a value has the same name.
    pub(super) fn type_of_binding(&self, id: BindingId) -> Option<SymbolId> {
        let binding = self.binding(id);
        let value = SymbolId::owner(binding.symbol)?;
        let is_type =
            |one: &SymbolId| self.kind(*one).is_type() || self.kind(*one) == SymbolKind::Type;
        if self.family != CallModel::JavaScript || is_type(&value) {
            return None;
        }
        let named = self.top_level(SymbolId::owner(binding.owner), &binding.name);
        named.iter().copied().find(is_type)
    }

    /// The namespace with the name of a function or class.
    pub(super) fn merged_namespace(&self, id: SymbolId) -> Option<SymbolId> {
        let named = self.top_level(self.parent(id), &self.symbol(id).name);
        named.iter().copied().find(|one| *one != id && is_module_like(self.kind(*one)))
    }

    /// Whether a symbol is an alias of a type that declares members itself.
    pub(super) fn has_type_members(&self, id: SymbolId) -> bool {
        self.family == CallModel::JavaScript
            && self.kind(id) == SymbolKind::Type
            && self.members.contains_key(&id)
    }

    // Names.

    /// All members of a symbol.
    pub(super) fn members(&self, id: SymbolId) -> impl Iterator<Item = (&'a str, &[SymbolId])> {
        let members = self.members.get(&id).into_iter().flatten();
        members.map(|(name, symbols)| (*name, symbols.as_slice()))
    }

    /// The members of a symbol with a name.
    pub(super) fn members_named(&self, id: SymbolId, name: &str) -> &[SymbolId] {
        let found = self.members.get(&id).and_then(|members| members.get(name));
        found.map(Vec::as_slice).unwrap_or_default()
    }

    /// The symbols with a name at the top level of the file or of a module.
    pub(super) fn top_level(&self, scope: Owner, name: &str) -> &[SymbolId] {
        let found = self.top_level.get(&scope).and_then(|names| names.get(name));
        found.map(Vec::as_slice).unwrap_or_default()
    }

    /// The symbol that a name refers to, at the top level of an enclosing module.
    pub(super) fn declared_symbol(&self, name: &str, owner: Owner) -> Option<SymbolId> {
        let scopes = self.ancestors(owner).map(Some).chain([None]);
        for scope in scopes {
            if scope.is_some_and(|id| !is_module_like(self.kind(id))) {
                continue;
            }
            let found = self.top_level(scope, name);
            if !found.is_empty() {
                return found.iter().copied().find(|one| !self.is_file_module(*one));
            }
            // An inner module of Rust does not see what is around it.
            if self.family == CallModel::Rust {
                return None;
            }
        }
        None
    }

    /// The symbols of enclosing functions that a name refers to. A bare name never refers to a
    /// field or a method.
    pub(super) fn local_symbols(&self, name: &str, owner: Owner) -> Vec<SymbolId> {
        let is_field =
            |one: &SymbolId| matches!(self.kind(*one), SymbolKind::Field | SymbolKind::Method);
        let found = |id: SymbolId| -> Vec<SymbolId> {
            let members = self.members_named(id, name).iter();
            members.copied().filter(|one| !is_field(one)).collect()
        };
        self.ancestors(owner).map(found).find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// Whether a name is a variable that this file declares for its package.
    pub(super) fn is_package_variable(&self, name: &str) -> bool {
        let mut found = self.top_level(None, name).iter();
        found.any(|one| self.kind(*one) == SymbolKind::Variable)
    }

    /// Of several declarations of a name, those that have a body.
    pub(super) fn prefer_implementations(&self, symbols: &[SymbolId]) -> Vec<SymbolId> {
        let getters = symbols.iter().filter(|one| self.kind(**one) != SymbolKind::Setter);
        let getters: Vec<SymbolId> = getters.copied().collect();
        // In Rust a field and a method may have one name.
        let is_field =
            |one: SymbolId| self.family == CallModel::Rust && !self.kind(one).is_callable();
        let has_body = |one: &SymbolId| self.symbol(*one).body.is_some() || is_field(*one);
        let with_body: Vec<SymbolId> = getters.iter().copied().filter(has_body).collect();
        let mut among = if with_body.is_empty() { getters } else { with_body };
        match self.family {
            // The last definition of a name is the valid one.
            CallModel::Python | CallModel::JavaScript => {
                among.last().copied().into_iter().collect()
            }
            // Overloads stay apart.
            _ => {
                among.truncate(MAX_ALTERNATIVES);
                among
            }
        }
    }

    /// Where a class says what it inherits from.
    pub(super) fn heritage(&self, class: SymbolId) -> &[&'a Heritage] {
        self.heritage.get(&class).map(Vec::as_slice).unwrap_or_default()
    }

    // Flow.

    pub(super) fn binding(&self, id: BindingId) -> &'a Binding {
        &self.facts.flow.bindings[id.index()]
    }

    /// The function whose frames hold the value of a binding.
    pub(super) fn function_of_binding(&self, id: BindingId) -> Owner {
        self.enclosing_function(SymbolId::owner(self.binding(id).owner))
    }

    /// The parameters of a function.
    pub(super) fn params(&self, function: SymbolId) -> &[FunctionParam<'a>] {
        self.params.get(&function).map(Vec::as_slice).unwrap_or_default()
    }

    /// The steps of a function or of the module.
    pub(super) fn body(&self, function: Owner) -> &[&'a FlowStep] {
        self.bodies.get(&function).map(Vec::as_slice).unwrap_or_default()
    }

    /// The block directly inside `block` that contains a step; none if `block` itself does.
    pub(super) fn inner_block(&self, step: &FlowStep, block: Option<BlockId>) -> Option<BlockId> {
        let mut inner = BlockId::from(step.block?);
        if Some(inner) == block {
            return None;
        }
        while let Some(parent) = self.block_parent(inner) {
            if Some(parent) == block {
                return Some(inner);
            }
            inner = parent;
        }
        // The blocks of a class body have no parent among the blocks around the class.
        Some(inner).filter(|_| block.is_none_or(|block| !self.is_in(step, block)))
    }

    /// Whether a block contains a step.
    pub(super) fn is_in(&self, step: &FlowStep, block: BlockId) -> bool {
        let innermost = step.block.map(BlockId::from);
        std::iter::successors(innermost, |id| self.block_parent(*id)).any(|id| id == block)
    }

    /// Whether a block is a loop.
    pub(super) fn is_loop(&self, id: BlockId) -> bool {
        self.facts.flow.blocks[id.index()].kind == FlowBlockKind::Loop
    }

    fn block_parent(&self, id: BlockId) -> Option<BlockId> {
        self.facts.flow.blocks[id.index()].parent.map(BlockId::from)
    }

    /// The parameters of functions that have no declared type.
    pub(super) fn untyped_params(&self, functions: &[PossibleValue]) -> Vec<ParamRef> {
        let mut untyped = Vec::new();
        for value in functions {
            let PossibleValue::Function(function, _) = value else { continue };
            for FunctionParam { param, .. } in self.params(*function) {
                if param.ty.is_none() && param.position < MAX_CALLBACK_PARAMS {
                    untyped.push(ParamRef { function: *function, position: param.position });
                }
            }
        }
        untyped
    }

    /// Whether the text alone shows what a callee means.
    pub(super) fn is_direct(&self, callee: &Expr) -> bool {
        match callee {
            // Types say what a member is. They do not say what a variable holds.
            Expr::Member(..) if self.family == CallModel::Go => true,
            Expr::Name(name) if self.family == CallModel::Go => !self.is_package_variable(name),
            Expr::Each(of) if self.family == CallModel::Go => {
                matches!(**of, Expr::Name(_) | Expr::Member(..))
            }
            Expr::Local(binding) => {
                let binding = self.binding(BindingId::from(*binding));
                binding.symbol.is_some_and(|symbol| {
                    let kind = self.kind(SymbolId::from(symbol));
                    kind.is_callable() || kind.is_type()
                }) || matches!(binding.kind, BindingKind::Symbol(_) | BindingKind::Import(..))
            }
            Expr::Name(_)
            | Expr::Path(_)
            | Expr::Symbol(_)
            | Expr::Import(_)
            | Expr::This
            | Expr::Super
            | Expr::Typed(..) => true,
            Expr::Member(object, _) => match object.as_ref() {
                Expr::Local(binding) => {
                    let binding = self.binding(BindingId::from(*binding));
                    binding.ty.is_some()
                        || self.is_direct(object)
                        || matches!(binding.kind, BindingKind::Param(param)
                            if self.facts.flow.params[param as usize].kind
                                == ParamKind::Receiver)
                }
                object => self.is_direct(object),
            },
            _ => false,
        }
    }

    /// A value of another file after one more step; none if it was followed far enough.
    pub(super) fn external_step(
        &self,
        from: &ExternalRef,
        step: ExternalStep,
    ) -> Option<PossibleValue> {
        let next = match self.family {
            CallModel::Go | CallModel::JavaScript => from.then_declared(step),
            _ => from.then(step),
        };
        next.map(PossibleValue::from)
    }
}

/// The function that each symbol's own steps run in: itself if it is callable, else the nearest
/// callable one around it.
fn enclosing_functions(facts: &FileFacts) -> Vec<Owner> {
    let mut all: Vec<Owner> = Vec::with_capacity(facts.symbols.len());
    for (at, symbol) in facts.symbols.iter().enumerate() {
        let around = symbol.parent.and_then(|parent| all[parent as usize]);
        all.push(if symbol.kind.is_callable() { Some(SymbolId::at(at)) } else { around });
    }
    all
}

fn params_by_function(facts: &FileFacts) -> HashMap<SymbolId, Vec<FunctionParam<'_>>> {
    let mut bindings: HashMap<u32, BindingId> = HashMap::new();
    for (at, binding) in facts.flow.bindings.iter().enumerate() {
        if let BindingKind::Param(param) = binding.kind {
            bindings.insert(param, BindingId::at(at));
        }
    }
    let mut params: HashMap<SymbolId, Vec<FunctionParam<'_>>> = HashMap::new();
    for (at, param) in (0..).zip(&facts.flow.params) {
        let binding = bindings.get(&at).copied();
        let function = SymbolId::from(param.function);
        params.entry(function).or_default().push(FunctionParam { param, binding });
    }
    params
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares what a query of the tables gives for a file with what is expected.
    #[track_caller]
    fn check(
        family: CallModel,
        file: &str,
        query: impl Fn(&FileTables<'_>) -> String,
        expected: &str,
    ) {
        let (name, text) = file.split_once('\n').expect("the first line is the name of the file");
        let path = name.trim_start_matches("//- /").parse().expect("a path of the repository");
        let facts = syntax::extract(syntax::Language::from_path(&path), text.as_bytes());
        assert_eq!(query(&FileTables::new(family, &facts)), expected);
    }

    fn find(tables: &FileTables<'_>, path: &str) -> SymbolId {
        let mut symbols = tables.symbols();
        symbols.find(|id| tables.symbol(*id).path == path).expect("the fixture has the symbol")
    }

    fn members(class: &str) -> impl Fn(&FileTables<'_>) -> String {
        move |tables| {
            let names = tables.members(find(tables, class)).map(|(name, _)| name);
            names.collect::<Vec<_>>().join(" ")
        }
    }

    #[test]
    fn members_of_an_impl_are_members_of_its_type() {
        let text = "//- /a.rs\nstruct A { b: u8 }\nimpl A { fn c(&self) {} }\nmod m { fn d() {} }";
        check(CallModel::Rust, text, members("A"), "b c");
        check(CallModel::Rust, text, members("m"), "d");
    }

    #[test]
    fn a_go_method_is_a_member_of_its_type() {
        let text = "//- /a.go\npackage p\ntype A struct { b int }\nfunc (a A) C() {}\n";
        check(CallModel::Go, text, members("A"), "C b");
    }

    #[test]
    fn steps_belong_to_the_nearest_function() {
        let text = "//- /a.py\ndef f():\n    class A:\n        x = g()\n    h()\ni()\n";
        let bodies = |tables: &FileTables<'_>| {
            let function = find(tables, "f");
            let inner = tables.enclosing_function(Some(find(tables, "f.A")));
            let [own, module] = [Some(function), None].map(|owner| tables.body(owner).len());
            let all = tables.facts.flow.steps.len();
            format!("{} {}", tables.path_of(inner), own > 0 && module > 0 && own + module == all)
        };
        check(CallModel::Python, text, bodies, "f true");
    }

    #[test]
    fn a_class_is_found_from_deep_inside_its_methods() {
        let text = "//- /a.ts\nclass A { m() { return () => { const f = function g() {}; } } }";
        let class = |tables: &FileTables<'_>| {
            let method = find(tables, "A.m");
            let innermost = tables.symbols().last();
            let classes =
                [tables.enclosing_class(innermost), tables.enclosing_class_body(innermost)];
            let [deep, body] = classes.map(|class| tables.path_of(class));
            format!("{deep}|{body}|{}", tables.path_of(tables.enclosing_class(Some(method))))
        };
        check(CallModel::JavaScript, text, class, "A||A");
    }

    #[test]
    fn the_last_definition_of_a_python_name_is_the_valid_one() {
        let text = "//- /a.py\ndef f(): pass\ndef f(): return 1\n";
        let line = |tables: &FileTables<'_>| {
            let found = tables.prefer_implementations(tables.top_level(None, "f"));
            let lines = found.iter().map(|id| tables.symbol(*id).line.to_string());
            lines.collect::<Vec<_>>().join(" ")
        };
        check(CallModel::Python, text, line, "2");
    }
}
