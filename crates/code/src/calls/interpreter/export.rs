//! Builds the summary of a file: its recorded edges by symbol path, and the table of its exports.

use std::collections::BTreeMap;

use syntax::{ExportKind, Expr, GoBuildSet, ImportKind, SymbolFlags, SymbolKind};

use super::super::ids::{BindingId, FrameId, ImportId, ObjectId, Owner, SymbolId};
use super::super::summary::{ExportTable, FileCallSummary, ParamCall, ShapeKind, SymbolShape};
use super::super::value::{ExportedValue, ExternalBase, ExternalRef, PossibleValue, join};
use super::args::ArgValue;
use super::{CallModel, Interpreter, ObjectKind, context, is_module_like};

/// Nesting of objects that are exported.
const MAX_EXPORTED_DEPTH: usize = 2;

impl Interpreter<'_> {
    /// Builds the summary.
    pub(super) fn into_summary(mut self) -> FileCallSummary {
        let output = std::mem::take(&mut self.output);
        let recorded = output.into_recorded(|symbol| self.tables.path_of(symbol));
        let exports = self.build_exports();
        FileCallSummary {
            edges: recorded.edges,
            unresolved_edges: recorded.unresolved_edges,
            unresolved_calls: recorded.unresolved_calls,
            exports,
            is_truncated: self.budget.is_truncated(),
        }
    }

    fn build_exports(&mut self) -> ExportTable {
        let mut exports = ExportTable::default();
        if self.tables.family == CallModel::Go {
            exports.namespace.clone_from(&self.tables.facts.namespace);
            exports.builds = self
                .tables
                .facts
                .build
                .as_deref()
                .map(GoBuildSet::of_condition)
                .unwrap_or_default();
            exports.interfaces = self.tables.interfaces();
        }
        for (at, import) in (0..).zip(self.tables.imports()) {
            exports.imports.insert(self.tables.import_key(import), at);
        }
        for at in self.tables.symbols() {
            let shape = self.symbol_shape(at);
            let symbol = self.tables.symbol(at);
            // Of several overloads only the implementation has a shape.
            if let Some(shape) = shape.filter(|_| !symbol.is_overload()) {
                exports.shapes.insert(symbol.path.clone(), shape.into());
            }
        }
        self.export_names(&mut exports);
        exports
    }

    fn symbol_shape(&mut self, at: SymbolId) -> Option<SymbolShape> {
        let symbol = self.tables.symbol(at);
        let kind = match symbol.kind {
            SymbolKind::Getter => ShapeKind::Getter,
            kind if kind.is_callable() => ShapeKind::Function,
            kind if is_module_like(kind) => ShapeKind::Module,
            SymbolKind::Impl if self.tables.self_type(at).is_some() => return None,
            kind if kind.is_type() => ShapeKind::Class,
            SymbolKind::Type
                if symbol.flags.contains(SymbolFlags::DISTINCT_TYPE)
                    || self.tables.has_type_members(at) =>
            {
                ShapeKind::Class
            }
            _ => ShapeKind::Value,
        };
        let mut shape = SymbolShape { kind, ..SymbolShape::default() };
        if matches!(kind, ShapeKind::Function | ShapeKind::Class) {
            for (place, value) in self.callback_params(at) {
                let out = self.export_values(&value, 0);
                shape.members.insert(context::param_member_name(place), out);
            }
        }
        match kind {
            ShapeKind::Function | ShapeKind::Getter => {
                shape.members.extend(self.export_function_members(at));
                shape.signature = self.tables.signature(at);
                let behaviour = self.summaries.function(at).cloned().unwrap_or_default();
                shape.returns = self.export_result(&behaviour.returns, Some(at));
                for call in behaviour.calls {
                    let args =
                        call.args.iter().map(|arg| self.export_result(arg, Some(at))).collect();
                    let (from, param) = (self.tables.path_of(call.from), call.param);
                    shape.calls.push(ParamCall { from, param, args });
                }
            }
            ShapeKind::Class | ShapeKind::Module => {
                shape.members.extend(self.export_members(at));
                let bases = match (&symbol.ty, symbol.kind) {
                    // The base of an `impl` of a type of another file is that type.
                    (Some(ty), SymbolKind::Impl) => {
                        self.type_class(ty, SymbolId::owner(symbol.parent))
                    }
                    _ => self.parents_of(at),
                };
                shape.bases = self.export_values(&bases, 0);
                if symbol.flags.contains(SymbolFlags::DISTINCT_TYPE) {
                    let made_like = self.underlying_type(at);
                    shape.returns = self.export_values(&made_like, 0);
                }
            }
            ShapeKind::Value => {
                let value = self.symbol_value(at, FrameId::MODULE);
                shape.returns = self.export_values(&value, 0);
            }
        }
        Some(shape)
    }

    /// What was assigned to members of a function of JavaScript and to its prototype.
    fn export_function_members(
        &mut self,
        function: SymbolId,
    ) -> BTreeMap<String, Vec<ExportedValue>> {
        let mut all = BTreeMap::new();
        if self.tables.family != CallModel::JavaScript {
            return all;
        }
        let prototype = self.heap.known_prototype(function);
        let fields = prototype.map(|id| self.heap.all_fields(id)).unwrap_or_default();
        for (name, value) in fields.into_iter().chain(self.heap.assigned_members(function)) {
            all.insert(name, self.export_values(&value, 0));
        }
        all
    }

    fn export_members(&mut self, class: SymbolId) -> BTreeMap<String, Vec<ExportedValue>> {
        let mut all = self.export_embedded(class);
        for (name, symbols) in self.tables.members(class) {
            let mut value = Vec::new();
            for symbol in self.tables.prefer_implementations(symbols) {
                if self.tables.is_file_module(symbol) {
                    continue;
                }
                match self.tables.kind(symbol) {
                    kind if kind.is_callable() || kind.is_type() || is_module_like(kind) => {
                        value.push(ExportedValue::Sym(self.tables.path_of(Some(symbol))));
                    }
                    _ => {
                        let worth = self.symbol_value(symbol, FrameId::MODULE);
                        value.extend(self.export_values(&worth, 0));
                    }
                }
            }
            all.insert(name.to_owned(), value);
        }
        for (name, value) in self.heap.assigned_members(class) {
            let out = self.export_values(&value, 0);
            let own: &mut Vec<ExportedValue> = all.entry(name).or_default();
            own.extend(out.into_iter().filter(|one| !own.contains(one)).collect::<Vec<_>>());
        }
        all
    }

    /// Exports the names of the file.
    fn export_names(&mut self, exports: &mut ExportTable) {
        match self.tables.family {
            CallModel::JavaScript => self.export_declared(exports),
            CallModel::Python => {
                for at in 0..self.tables.facts.flow.bindings.len() {
                    let binding = &self.tables.facts.flow.bindings[at];
                    if binding.owner.is_none() && !binding.name.is_empty() {
                        if let Some(symbol) = SymbolId::owner(binding.symbol) {
                            let path = self.tables.path_of(Some(symbol));
                            exports.declared.insert(binding.name.clone(), path);
                        }
                        let value = self.read(BindingId::at(at), FrameId::MODULE);
                        let out = self.export_values(&value, 0);
                        exports.names.entry(binding.name.clone()).or_default().extend(out);
                    }
                }
            }
            _ => {}
        }
        for at in self.tables.symbols() {
            let symbol = self.tables.symbol(at);
            let parent = self.tables.parent(at);
            let is_own = parent.is_none_or(|parent| is_module_like(self.tables.kind(parent)));
            let is_offered = match self.tables.family {
                CallModel::Python | CallModel::JavaScript => false,
                _ if self.tables.is_detached_method(at) => false,
                _ => is_own && symbol.kind != SymbolKind::Impl && !self.tables.is_file_module(at),
            };
            if is_offered {
                let name = module_scoped_name(&self.tables.path_of(parent), &symbol.name);
                let out = match symbol.kind {
                    kind if kind.is_callable() || kind.is_type() || is_module_like(kind) => {
                        vec![ExportedValue::Sym(symbol.path.clone())]
                    }
                    SymbolKind::Type if !symbol.flags.contains(SymbolFlags::DISTINCT_TYPE) => {
                        let value = self.symbol_value(at, FrameId::MODULE);
                        match self.export_values(&value, 0) {
                            none if none.is_empty() => {
                                vec![ExportedValue::Sym(symbol.path.clone())]
                            }
                            some => some,
                        }
                    }
                    _ => vec![ExportedValue::Sym(symbol.path.clone())],
                };
                exports.declared.entry(name.clone()).or_insert_with(|| symbol.path.clone());
                exports.names.entry(name).or_default().extend(out);
            }
        }
        self.export_imports(exports);
    }

    fn export_declared(&mut self, exports: &mut ExportTable) {
        let facts = self.tables.facts;
        for export in &facts.exports {
            let from = export.from.map(|from| self.tables.import_key(ImportId::from(from)));
            match (export.kind, from) {
                (ExportKind::Star, Some(key)) => {
                    let term =
                        ExternalRef { base: ExternalBase::Import(key, None), ops: Vec::new() };
                    exports.stars.push((String::new(), term));
                }
                (ExportKind::StarAs, Some(key)) => {
                    let term =
                        ExternalRef { base: ExternalBase::Import(key, None), ops: Vec::new() };
                    exports.names.insert(export.name.clone(), vec![ExportedValue::Ext(term)]);
                }
                (_, Some(key)) => {
                    let name = export.local.clone().unwrap_or_else(|| export.name.clone());
                    let term = ExternalRef {
                        base: ExternalBase::Import(key, Some(name)),
                        ops: Vec::new(),
                    };
                    exports.names.insert(export.name.clone(), vec![ExportedValue::Ext(term)]);
                }
                (kind, None) => {
                    let local = match export.value {
                        Expr::Local(binding) => {
                            self.tables.binding(BindingId::from(binding)).symbol
                        }
                        Expr::Symbol(symbol) => Some(symbol),
                        _ => None,
                    };
                    if let Some(symbol) = SymbolId::owner(export.symbol.or(local)) {
                        let path = self.tables.path_of(Some(symbol));
                        exports.declared.insert(export.name.clone(), path);
                    }
                    let symbol = SymbolId::owner(export.symbol);
                    if let (true, Some(symbol)) = (export.is_type, symbol) {
                        let value = self.symbol_value(symbol, FrameId::MODULE);
                        let out = self.export_values(&value, 0);
                        exports.names.insert(type_name(&export.name), out);
                        // A value with the same name is exported by a declaration of its own.
                        let is_value =
                            |one: &&syntax::Export| one.name == export.name && !one.is_type;
                        if facts.exports.iter().any(|one| is_value(&one)) {
                            continue;
                        }
                    }
                    let mut value = self.eval(&export.value, FrameId::MODULE, None);
                    if let (true, Some(symbol)) = (value.is_empty(), symbol) {
                        value = self.symbol_value(symbol, FrameId::MODULE);
                    }
                    let mut out = self.export_values(&value, 0);
                    // A symbol of which nothing is known is exported by its path.
                    if let (true, Some(symbol)) = (out.is_empty(), symbol) {
                        out = vec![ExportedValue::Sym(self.tables.path_of(Some(symbol)))];
                    }
                    if kind == ExportKind::CommonJs && export.name == "default" {
                        exports.names.entry(MODULE_NAME.into()).or_default().extend(out.clone());
                        if let Some(declared) = exports.declared.get(&export.name).cloned() {
                            exports.declared.insert(MODULE_NAME.into(), declared);
                        }
                        for one in &out {
                            if let ExportedValue::Obj(fields) = one {
                                exports.names.extend(fields.iter().cloned());
                            }
                        }
                    }
                    exports.names.entry(export.name.clone()).or_default().extend(out);
                }
            }
        }
    }

    /// Exports imported names, and the modules whose names are all imported.
    fn export_imports(&mut self, exports: &mut ExportTable) {
        for (at, import) in self.tables.imports().zip(&self.tables.facts.imports) {
            let module = self.tables.module_path(SymbolId::owner(import.owner));
            for name in &import.names {
                let is_crate = import.kind == ImportKind::ExternCrate;
                let own = if is_crate { &import.specifier } else { &name.name };
                let here = name.alias.as_ref().unwrap_or(own);
                let term = match import.kind {
                    ImportKind::Mod | ImportKind::ExternCrate => ExternalRef {
                        base: ExternalBase::Import(self.tables.import_key(at), None),
                        ops: Vec::new(),
                    },
                    ImportKind::Use | ImportKind::PubUse => {
                        let parts = import.specifier.split("::").filter(|part| !part.is_empty());
                        let mut parts: Vec<String> = parts.map(str::to_owned).collect();
                        if name.name != "*" {
                            parts.push(name.name.clone());
                        }
                        ExternalRef {
                            base: ExternalBase::Scope(module.clone(), parts),
                            ops: Vec::new(),
                        }
                    }
                    ImportKind::Import if name.alias.as_deref() == Some(".") => ExternalRef {
                        base: ExternalBase::Import(self.tables.import_key(at), None),
                        ops: Vec::new(),
                    },
                    ImportKind::From if name.name == "*" => ExternalRef {
                        base: ExternalBase::Import(self.tables.import_key(at), None),
                        ops: Vec::new(),
                    },
                    _ => continue,
                };
                if name.name == "*" && !is_crate {
                    exports.stars.push((module.clone(), term));
                } else {
                    let key = module_scoped_name(&module, here);
                    exports.names.entry(key).or_default().push(ExportedValue::Ext(term));
                }
            }
        }
    }

    /// Exports the arguments of a call. Only arguments that are given by position are kept.
    pub(super) fn export_args(&mut self, args: &[ArgValue]) -> Vec<Vec<ExportedValue>> {
        let mut all: Vec<Vec<ExportedValue>> = Vec::new();
        for arg in args {
            all.push(if arg.spread || arg.name.is_some() {
                Vec::new()
            } else {
                self.export_values(&arg.value, 1)
            });
        }
        while all.last().is_some_and(Vec::is_empty) {
            all.pop();
        }
        all
    }

    pub(super) fn export_values(
        &mut self,
        value: &[PossibleValue],
        depth: usize,
    ) -> Vec<ExportedValue> {
        self.export_alternatives(value, None, depth)
    }

    fn export_result(&mut self, value: &[PossibleValue], function: Owner) -> Vec<ExportedValue> {
        self.export_alternatives(value, function, 0)
    }

    fn export_alternatives(
        &mut self,
        value: &[PossibleValue],
        function: Owner,
        depth: usize,
    ) -> Vec<ExportedValue> {
        let mut all: Vec<ExportedValue> = Vec::new();
        for alternative in value {
            if let Some(out) = self.export_value(alternative, function, depth)
                && !all.contains(&out)
            {
                all.push(out);
            }
        }
        all
    }

    fn export_value(
        &mut self,
        alternative: &PossibleValue,
        function: Owner,
        depth: usize,
    ) -> Option<ExportedValue> {
        Some(match alternative {
            PossibleValue::Function(symbol, _) | PossibleValue::Class(symbol) => {
                ExportedValue::Sym(self.tables.path_of(Some(*symbol)))
            }
            PossibleValue::Instance(class) => ExportedValue::New(self.tables.path_of(Some(*class))),
            PossibleValue::BoundMethod(bound) => {
                let inner = bound.0.clone();
                return self.export_value(&inner, function, depth);
            }
            PossibleValue::Collection(inner) => {
                let inner = self.export_alternatives(&inner.clone(), function, depth + 1);
                if inner.is_empty() {
                    return None;
                }
                ExportedValue::Many(inner)
            }
            PossibleValue::Object(id) => return self.export_object(*id, function, depth),
            PossibleValue::External(term) => ExportedValue::Ext((**term).clone()),
            PossibleValue::Param(param) if Some(param.function) == function => {
                ExportedValue::Param(param.position)
            }
            PossibleValue::Text(text) if text.len() < 40 => ExportedValue::Text(text.to_string()),
            _ => return None,
        })
    }

    fn export_object(
        &mut self,
        id: ObjectId,
        function: Owner,
        depth: usize,
    ) -> Option<ExportedValue> {
        let object = self.heap.object(id);
        if let Some(class) = object.class {
            return Some(ExportedValue::New(self.tables.path_of(Some(class))));
        }
        if depth >= MAX_EXPORTED_DEPTH {
            return None;
        }
        let is_list = object.kind == ObjectKind::List;
        let fields = self.heap.all_fields(id);
        if is_list && !fields.is_empty() {
            let mut elements = self.heap.all_unknown_keys(id);
            for (_, value) in fields {
                join(&mut elements, value);
            }
            let elements = self.export_alternatives(&elements, function, depth + 1);
            return (!elements.is_empty()).then_some(ExportedValue::Many(elements));
        }
        let mut exported = Vec::new();
        for (name, value) in fields {
            let value = self.export_alternatives(&value, function, depth + 1);
            if !value.is_empty() {
                exported.push((name, value));
            }
        }
        (!exported.is_empty()).then_some(ExportedValue::Obj(exported))
    }
}

/// The exported name of what a CommonJS module is as a whole.
pub(crate) const MODULE_NAME: &str = "module.exports";

/// The exported name of a type, beside which a value may have the plain name.
pub(crate) fn type_name(name: &str) -> String {
    format!("type {name}")
}

/// A name qualified with the path of its module.
pub(crate) fn module_scoped_name(module: &str, name: &str) -> String {
    if module.is_empty() { name.to_owned() } else { format!("{module}.{name}") }
}
