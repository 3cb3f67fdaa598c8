//! What the run leaves behind: edges by path, and the face that other files see.

use std::collections::BTreeMap;

use syntax::framework_relations::{EXTRACTORS, FrameworkRelationTarget};
use syntax::{ExportKind, Expr, GoBuildSet, HeritageKind, ImportKind, SymbolFlags, SymbolKind};

use super::super::ids::{BindingId, FrameId, ImportId, Owner, SymbolId};
use super::super::summary::{
    ExportTable, FileCallSummary, ParamCall, ShapeKind, SymbolRelation, SymbolShape,
};
use super::super::value::{
    ExportedValue, ExternalBase, ExternalRef, ExternalStep, PossibleValue, join,
};
use super::args::ArgValue;
use super::call::CallOrigin;
use super::{Interpreter, LanguageFamily, ObjectKind, context, is_module_like};

/// Objects inside objects that others see.
const MAX_EXPORTED_DEPTH: usize = 2;

impl Interpreter<'_> {
    /// Notes what is related without a call: heritage, mentions, what extractors say.
    pub(super) fn record_relations(&mut self) {
        self.heap.replace_blocks(Vec::new());
        for step in &self.tables.facts.heritage {
            self.record_heritage(step);
        }
        for one in &self.tables.facts.flow.uses {
            self.record_mention(one);
        }
        for extractor in EXTRACTORS {
            for found in extractor.extract(self.tables.facts) {
                let source = SymbolId::owner(found.source);
                let value = match &found.target {
                    FrameworkRelationTarget::Type(ty) => self.type_class(ty, source),
                    FrameworkRelationTarget::Value(value) => {
                        self.eval(value, FrameId::MODULE, source)
                    }
                };
                let relation = if found.kind == "injects" {
                    SymbolRelation::Injects
                } else {
                    SymbolRelation::Provides
                };
                let origin = CallOrigin::written(source, found.line);
                self.record_edges(origin, relation, &value);
            }
        }
    }

    fn record_heritage(&mut self, step: &syntax::Heritage) {
        let relation = match step.kind {
            HeritageKind::Implements => SymbolRelation::Implements,
            HeritageKind::Extends | HeritageKind::Mixin => SymbolRelation::Extends,
        };
        let class = SymbolId::from(step.symbol);
        let around = self.tables.parent(class);
        let mut value = self.type_class(&step.target, around);
        if value.is_empty() {
            value = self.eval(&step.value, FrameId::MODULE, around);
        }
        let from = self.tables.self_type(class).unwrap_or(class);
        self.record_edges(CallOrigin::written(Some(from), step.line), relation, &value);
        // A method that takes the place of another is to be looked at with it.
        for (name, symbols) in self.tables.members(class) {
            for &symbol in symbols {
                let kind = self.tables.kind(symbol);
                if !kind.is_callable() || kind == SymbolKind::Constructor {
                    continue;
                }
                let line = self.tables.symbol(symbol).line;
                for base in &value {
                    match base {
                        PossibleValue::Class(class) => {
                            for &target in self.member_symbols(*class, name) {
                                if target != symbol && self.tables.kind(target).is_callable() {
                                    let origin = CallOrigin::written(Some(symbol), line);
                                    self.output.record_edge(origin, relation, target);
                                }
                            }
                        }
                        PossibleValue::External(term) => {
                            if let Some(to) = term.then(ExternalStep::Get(name.to_owned())) {
                                self.record_unresolved_edge(
                                    CallOrigin::written(Some(symbol), line),
                                    relation,
                                    &to,
                                    Vec::new(),
                                );
                            }
                        }
                        _ => {}
                    }
                }
            }
        }
    }

    fn record_edges(
        &mut self,
        from: CallOrigin,
        relation: SymbolRelation,
        value: &[PossibleValue],
    ) {
        for atom in value {
            match atom {
                PossibleValue::Class(symbol) | PossibleValue::Function(symbol, _)
                    if Some(*symbol) != from.owner =>
                {
                    self.output.record_edge(from, relation, *symbol);
                }
                PossibleValue::External(term) => {
                    self.record_unresolved_edge(from, relation, term, Vec::new());
                }
                _ => {}
            }
        }
    }

    /// A name that is mentioned, called or not.
    fn record_mention(&mut self, used: &syntax::NameUse) {
        let owner = SymbolId::owner(used.owner);
        let from = CallOrigin::written(owner, used.line);
        let symbol = match &used.target {
            Expr::Local(binding) => {
                SymbolId::owner(self.tables.binding(BindingId::from(*binding)).symbol)
            }
            Expr::Name(name) => self.tables.declared_symbol(name, owner),
            Expr::Path(parts) if parts.len() == 1 => self.tables.declared_symbol(&parts[0], owner),
            _ => None,
        };
        if let Some(symbol) = symbol {
            if owner != Some(symbol) {
                self.output.record_edge(from, SymbolRelation::Uses, symbol);
            }
            return;
        }
        match &used.target {
            Expr::Path(parts) if parts.len() > 1 => self.record_path_mention(parts, from),
            target => {
                let value = self.eval(target, FrameId::MODULE, owner);
                self.record_edges(from, SymbolRelation::Uses, &value);
            }
        }
    }

    /// Every type on a path is mentioned by it: `Kind::A` mentions `ObjectKind`, and `A` of it.
    fn record_path_mention(&mut self, parts: &[String], from: CallOrigin) {
        let value = self.resolve_path(&parts[..parts.len() - 1], from.owner);
        let mut last = None;
        for atom in &value {
            if let PossibleValue::Class(class) = atom {
                let found = self.tables.members_named(*class, &parts[parts.len() - 1]);
                last = found.first().copied().or(last);
            }
        }
        // What a path goes through is a type or a module, whatever else has its name.
        let through = |atom: &PossibleValue| match atom {
            PossibleValue::External(term) => term.then(ExternalStep::Inst).map(PossibleValue::from),
            PossibleValue::Function(..) => None,
            other => Some(other.clone()),
        };
        let through: Vec<PossibleValue> = value.iter().filter_map(through).collect();
        self.record_edges(from, SymbolRelation::Uses, &through);
        if let Some(symbol) = last {
            self.output.record_edge(from, SymbolRelation::Uses, symbol);
        } else {
            let value = self.resolve_path(parts, from.owner);
            self.record_edges(from, SymbolRelation::Uses, &value);
        }
    }

    /// The summary.
    pub(super) fn into_summary(mut self) -> FileCallSummary {
        let output = std::mem::take(&mut self.output);
        let recorded = output.into_recorded(|symbol| self.tables.path_of(symbol));
        let face = self.build_exports();
        FileCallSummary {
            edges: recorded.edges,
            wants: recorded.unresolved_edges,
            names: recorded.unresolved_calls,
            face,
            is_cut: self.budget.is_truncated(),
        }
    }

    fn build_exports(&mut self) -> ExportTable {
        let mut face = ExportTable::default();
        if self.tables.family == LanguageFamily::Go {
            face.namespace.clone_from(&self.tables.facts.namespace);
            face.builds = self
                .tables
                .facts
                .build
                .as_deref()
                .map(GoBuildSet::of_condition)
                .unwrap_or_default();
            face.interfaces = self.tables.interfaces();
        }
        for (at, import) in (0..).zip(self.tables.imports()) {
            face.imports.insert(self.tables.import_key(import), at);
        }
        for at in self.tables.symbols() {
            let shape = self.symbol_shape(at);
            let symbol = self.tables.symbol(at);
            // Of several signatures the one that stands for the symbol says what is behind it.
            if let Some(shape) = shape.filter(|_| !symbol.is_overload()) {
                face.shapes.insert(symbol.path.clone(), shape.into());
            }
        }
        self.export_names(&mut face);
        face
    }

    fn symbol_shape(&mut self, at: SymbolId) -> Option<SymbolShape> {
        let symbol = self.tables.symbol(at);
        let kind = match symbol.kind {
            SymbolKind::Getter => ShapeKind::Getter,
            kind if kind.is_callable() => ShapeKind::Function,
            kind if is_module_like(kind) => ShapeKind::Module,
            SymbolKind::Impl if self.tables.self_type(at).is_some() => return None,
            kind if kind.is_type() => ShapeKind::Class,
            SymbolKind::Type if symbol.flags.contains(SymbolFlags::DISTINCT_TYPE) => {
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
                    // An `impl` of a type of another file comes from that type.
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

    /// What names of the file mean to others.
    fn export_names(&mut self, face: &mut ExportTable) {
        match self.tables.family {
            LanguageFamily::JavaScript => self.export_declared(face),
            LanguageFamily::Python => {
                for at in 0..self.tables.facts.flow.bindings.len() {
                    let binding = &self.tables.facts.flow.bindings[at];
                    if binding.owner.is_none() && !binding.name.is_empty() {
                        if let Some(symbol) = SymbolId::owner(binding.symbol) {
                            let path = self.tables.path_of(Some(symbol));
                            face.declared.insert(binding.name.clone(), path);
                        }
                        let value = self.read(BindingId::at(at), FrameId::MODULE);
                        let out = self.export_values(&value, 0);
                        face.names.entry(binding.name.clone()).or_default().extend(out);
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
                LanguageFamily::Python | LanguageFamily::JavaScript => false,
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
                face.declared.entry(name.clone()).or_insert_with(|| symbol.path.clone());
                face.names.entry(name).or_default().extend(out);
            }
        }
        self.export_imports(face);
    }

    fn export_declared(&mut self, face: &mut ExportTable) {
        let facts = self.tables.facts;
        for export in &facts.exports {
            let from = export.from.map(|from| self.tables.import_key(ImportId::from(from)));
            match (export.kind, from) {
                (ExportKind::Star, Some(key)) => {
                    let term =
                        ExternalRef { base: ExternalBase::Import(key, None), ops: Vec::new() };
                    face.stars.push((String::new(), term));
                }
                (ExportKind::StarAs, Some(key)) => {
                    let term =
                        ExternalRef { base: ExternalBase::Import(key, None), ops: Vec::new() };
                    face.names.insert(export.name.clone(), vec![ExportedValue::Ext(term)]);
                }
                (_, Some(key)) => {
                    let name = export.local.clone().unwrap_or_else(|| export.name.clone());
                    let term = ExternalRef {
                        base: ExternalBase::Import(key, Some(name)),
                        ops: Vec::new(),
                    };
                    face.names.insert(export.name.clone(), vec![ExportedValue::Ext(term)]);
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
                        face.declared.insert(export.name.clone(), path);
                    }
                    let symbol = SymbolId::owner(export.symbol);
                    let mut value = self.eval(&export.value, FrameId::MODULE, None);
                    if let (true, Some(symbol)) = (value.is_empty(), symbol) {
                        value = self.symbol_value(symbol, FrameId::MODULE);
                    }
                    let mut out = self.export_values(&value, 0);
                    // What nothing is known of is still worth a mention.
                    if let (true, Some(symbol)) = (out.is_empty(), symbol) {
                        out = vec![ExportedValue::Sym(self.tables.path_of(Some(symbol)))];
                    }
                    if kind == ExportKind::CommonJs && export.name == "default" {
                        for one in &out {
                            if let ExportedValue::Obj(fields) = one {
                                face.names.extend(fields.iter().cloned());
                            }
                        }
                    }
                    face.names.entry(export.name.clone()).or_default().extend(out);
                }
            }
        }
    }

    /// Names that a module has from others, and the modules it takes in whole.
    fn export_imports(&mut self, face: &mut ExportTable) {
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
                    face.stars.push((module.clone(), term));
                } else {
                    let key = module_scoped_name(&module, here);
                    face.names.entry(key).or_default().push(ExportedValue::Ext(term));
                }
            }
        }
    }

    /// Arguments as other files see them. Only arguments that are given by position are kept.
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
        for atom in value {
            if let Some(out) = self.export_value(atom, function, depth)
                && !all.contains(&out)
            {
                all.push(out);
            }
        }
        all
    }

    fn export_value(
        &mut self,
        atom: &PossibleValue,
        function: Owner,
        depth: usize,
    ) -> Option<ExportedValue> {
        Some(match atom {
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
            PossibleValue::Object(id) => {
                let object = self.heap.object(*id);
                if let Some(class) = object.class {
                    return Some(ExportedValue::New(self.tables.path_of(Some(class))));
                }
                if depth >= MAX_EXPORTED_DEPTH {
                    return None;
                }
                let is_list = object.kind == ObjectKind::List;
                let fields = self.heap.all_fields(*id);
                if is_list && !fields.is_empty() {
                    let mut others = self.heap.all_unknown_keys(*id);
                    for (_, value) in &fields {
                        join(&mut others, value.clone());
                    }
                    let others = self.export_alternatives(&others, function, depth + 1);
                    return (!others.is_empty()).then_some(ExportedValue::Many(others));
                }
                let mut outs = Vec::new();
                for (name, value) in fields {
                    let value = self.export_alternatives(&value, function, depth + 1);
                    if !value.is_empty() {
                        outs.push((name, value));
                    }
                }
                if outs.is_empty() {
                    return None;
                }
                ExportedValue::Obj(outs)
            }
            PossibleValue::External(term) => ExportedValue::Ext((**term).clone()),
            PossibleValue::Param(param) if Some(param.function) == function => {
                ExportedValue::Param(param.position)
            }
            PossibleValue::Text(text) if text.len() < 40 => ExportedValue::Text(text.to_string()),
            _ => return None,
        })
    }
}

/// A name with the path of its module.
pub(crate) fn module_scoped_name(module: &str, name: &str) -> String {
    if module.is_empty() { name.to_owned() } else { format!("{module}.{name}") }
}
