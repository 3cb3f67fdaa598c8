//! What the run leaves behind: edges by path, and the face that other files see.

use std::collections::BTreeMap;
use std::rc::Rc;

use syntax::framework_relations::{EXTRACTORS, FrameworkRelationTarget};
use syntax::{
    ExportKind, Expr, GoBuildSet, HeritageKind, ImportKind, SymbolFlags, SymbolKind, SymbolOwner,
};

use super::super::summary::{
    ExportTable, FileCallSummary, ParamCall, ShapeKind, SymbolRelation, SymbolShape,
};
use super::super::value::{
    ExportedValue, ExternalBase, ExternalRef, ExternalStep, PossibleValue, join,
};
use super::args::ArgValue;
use super::call::CallOrigin;
use super::{Interpreter, LanguageFamily, context, is_module_like};

/// Objects inside objects that others see.
const MAX_EXPORTED_DEPTH: usize = 2;

impl Interpreter<'_> {
    /// Notes what is related without a call: heritage, mentions, what extractors say.
    pub(super) fn record_relations(&mut self) {
        self.active_blocks.clear();
        for step in &self.facts.heritage {
            self.record_heritage(step);
        }
        for one in &self.facts.flow.uses {
            self.record_mention(one);
        }
        for extractor in EXTRACTORS {
            for found in extractor.extract(self.facts) {
                let value = match &found.target {
                    FrameworkRelationTarget::Type(ty) => self.type_class(ty, found.source),
                    FrameworkRelationTarget::Value(value) => self.eval(value, 0, found.source),
                };
                let relation = if found.kind == "injects" {
                    SymbolRelation::Injects
                } else {
                    SymbolRelation::Provides
                };
                let origin = CallOrigin::written(found.source, found.line);
                self.record_edges(origin, relation, &value);
            }
        }
    }

    fn record_heritage(&mut self, step: &syntax::Heritage) {
        let relation = match step.kind {
            HeritageKind::Implements => SymbolRelation::Implements,
            HeritageKind::Extends | HeritageKind::Mixin => SymbolRelation::Extends,
        };
        let around = self.facts.symbols[step.symbol as usize].parent;
        let mut value = self.type_class(&step.target, around);
        if value.is_empty() {
            value = self.eval(&step.value, 0, around);
        }
        let from = self.self_type(step.symbol).unwrap_or(step.symbol);
        self.record_edges(CallOrigin::written(Some(from), step.line), relation, &value);
        // A method that takes the place of another is to be looked at with it.
        let own = self.members.get(&step.symbol).cloned().unwrap_or_default();
        for (name, symbols) in own {
            for symbol in symbols {
                let kind = self.kind(symbol);
                if !kind.is_callable() || kind == SymbolKind::Constructor {
                    continue;
                }
                let line = self.facts.symbols[symbol as usize].line;
                for base in &value {
                    match base {
                        PossibleValue::Class(class) => {
                            for target in self.member_symbols(*class, name) {
                                if target != symbol && self.kind(target).is_callable() {
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
        let from = CallOrigin::written(used.owner, used.line);
        let symbol = match &used.target {
            Expr::Local(binding) => self.facts.flow.bindings[*binding as usize].symbol,
            Expr::Name(name) => self.declared_symbol(name, used.owner),
            Expr::Path(parts) if parts.len() == 1 => self.declared_symbol(&parts[0], used.owner),
            _ => None,
        };
        if let Some(symbol) = symbol {
            if used.owner != Some(symbol) {
                self.output.record_edge(from, SymbolRelation::Uses, symbol);
            }
            return;
        }
        match &used.target {
            Expr::Path(parts) if parts.len() > 1 => self.record_path_mention(parts, from),
            target => {
                let value = self.eval(target, 0, used.owner);
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
                let found = self
                    .members
                    .get(class)
                    .and_then(|all| all.get(parts[parts.len() - 1].as_str()));
                last = found.and_then(|all| all.first().copied()).or(last);
            }
        }
        // What a path goes through is a type or a module, whatever else has its name.
        let through = |atom: &PossibleValue| match atom {
            PossibleValue::External(term) => {
                term.then(ExternalStep::Inst).map(|term| PossibleValue::External(Rc::new(term)))
            }
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

    fn declared_symbol(&self, name: &str, owner: SymbolOwner) -> Option<u32> {
        let mut at = owner;
        loop {
            let is_module = at.is_none_or(|symbol| is_module_like(self.kind(symbol)));
            if is_module && let Some(found) = self.top_level.get(&(at, name)) {
                return found.iter().copied().find(|one| !self.is_file_module(*one));
            }
            match at {
                // An inner module of Rust does not see what is around it.
                Some(_) if is_module && self.family == LanguageFamily::Rust => return None,
                None => return None,
                Some(symbol) => at = self.facts.symbols[symbol as usize].parent,
            }
        }
    }

    /// The summary.
    pub(super) fn into_summary(mut self) -> FileCallSummary {
        let output = std::mem::take(&mut self.output);
        let recorded = output.into_recorded(|symbol| self.path_of(symbol));
        let face = self.build_exports();
        FileCallSummary {
            edges: recorded.edges,
            wants: recorded.unresolved_edges,
            names: recorded.unresolved_calls,
            face,
            is_cut: self.budget.is_truncated(),
        }
    }

    fn path_of(&self, symbol: SymbolOwner) -> String {
        symbol.map(|at| self.facts.symbols[at as usize].path.clone()).unwrap_or_default()
    }

    fn build_exports(&mut self) -> ExportTable {
        let mut face = ExportTable::default();
        if self.family == LanguageFamily::Go {
            face.namespace.clone_from(&self.facts.namespace);
            face.builds =
                self.facts.build.as_deref().map(GoBuildSet::of_condition).unwrap_or_default();
            face.interfaces = self.interfaces();
        }
        for at in 0..self.facts.imports.len() {
            face.imports.insert(self.import_key(at), super::to_index(at));
        }
        for at in 0..super::to_index(self.facts.symbols.len()) {
            let shape = self.symbol_shape(at);
            let symbol = &self.facts.symbols[at as usize];
            // Of several signatures the one that stands for the symbol says what is behind it.
            if let Some(shape) = shape.filter(|_| !symbol.is_overload()) {
                face.shapes.insert(symbol.path.clone(), shape.into());
            }
        }
        self.export_names(&mut face);
        face
    }

    fn symbol_shape(&mut self, at: u32) -> Option<SymbolShape> {
        let symbol = &self.facts.symbols[at as usize];
        let kind = match symbol.kind {
            SymbolKind::Getter => ShapeKind::Getter,
            kind if kind.is_callable() => ShapeKind::Function,
            kind if is_module_like(kind) => ShapeKind::Module,
            SymbolKind::Impl if self.self_type(at).is_some() => return None,
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
                shape.signature = self.signature(at);
                let behaviour = self.function_summaries.get(&at).cloned().unwrap_or_default();
                shape.returns = self.export_result(&behaviour.returns, Some(at));
                for call in behaviour.calls {
                    let args =
                        call.args.iter().map(|arg| self.export_result(arg, Some(at))).collect();
                    let (from, param) = (self.path_of(call.from), call.param);
                    shape.calls.push(ParamCall { from, param, args });
                }
            }
            ShapeKind::Class | ShapeKind::Module => {
                shape.members.extend(self.export_members(at));
                let bases = match (&symbol.ty, symbol.kind) {
                    // An `impl` of a type of another file comes from that type.
                    (Some(ty), SymbolKind::Impl) => self.type_class(ty, symbol.parent),
                    _ => self.parents_of(at),
                };
                shape.bases = self.export_values(&bases, 0);
                if symbol.flags.contains(SymbolFlags::DISTINCT_TYPE) {
                    let made_like = self.underlying_type(at);
                    shape.returns = self.export_values(&made_like, 0);
                }
            }
            ShapeKind::Value => {
                let value = self.symbol_value(at, 0);
                shape.returns = self.export_values(&value, 0);
            }
        }
        Some(shape)
    }

    fn export_members(&mut self, class: u32) -> BTreeMap<String, Vec<ExportedValue>> {
        let mut all = self.export_embedded(class);
        let members = self.members.get(&class).cloned().unwrap_or_default();
        for (name, symbols) in members {
            let mut value = Vec::new();
            for symbol in self.prefer_implementations(&symbols) {
                if self.is_file_module(symbol) {
                    continue;
                }
                match self.kind(symbol) {
                    kind if kind.is_callable() || kind.is_type() || is_module_like(kind) => {
                        value.push(ExportedValue::Sym(self.path_of(Some(symbol))));
                    }
                    _ => {
                        let worth = self.symbol_value(symbol, 0);
                        value.extend(self.export_values(&worth, 0));
                    }
                }
            }
            all.insert(name.to_owned(), value);
        }
        let mut held = Vec::new();
        for fields in [self.instance_members.get(&class), self.static_members.get(&class)]
            .into_iter()
            .flatten()
        {
            for (name, cell) in fields {
                held.push((name.clone(), cell.read(&[])));
            }
        }
        for (name, value) in held {
            let out = self.export_values(&value, 0);
            let own: &mut Vec<ExportedValue> = all.entry(name).or_default();
            own.extend(out.into_iter().filter(|one| !own.contains(one)).collect::<Vec<_>>());
        }
        all
    }

    /// What names of the file mean to others.
    fn export_names(&mut self, face: &mut ExportTable) {
        match self.family {
            LanguageFamily::JavaScript => self.export_declared(face),
            LanguageFamily::Python => {
                for at in 0..self.facts.flow.bindings.len() {
                    let binding = &self.facts.flow.bindings[at];
                    if binding.owner.is_none() && !binding.name.is_empty() {
                        if let Some(symbol) = binding.symbol {
                            let path = self.path_of(Some(symbol));
                            face.declared.insert(binding.name.clone(), path);
                        }
                        let value = self.read(super::to_index(at), 0);
                        let out = self.export_values(&value, 0);
                        face.names.entry(binding.name.clone()).or_default().extend(out);
                    }
                }
            }
            _ => {}
        }
        let facts = self.facts;
        for (at, symbol) in (0..).zip(&facts.symbols) {
            let is_own = symbol.parent.is_none_or(|parent| is_module_like(self.kind(parent)));
            let is_offered = match self.family {
                LanguageFamily::Python | LanguageFamily::JavaScript => false,
                _ if self.is_detached_method(at) => false,
                _ => is_own && symbol.kind != SymbolKind::Impl && !self.is_file_module(at),
            };
            if is_offered {
                let module = symbol.parent.map(|parent| self.path_of(Some(parent)));
                let name = module_scoped_name(module.as_deref().unwrap_or_default(), &symbol.name);
                let out = match symbol.kind {
                    kind if kind.is_callable() || kind.is_type() || is_module_like(kind) => {
                        vec![ExportedValue::Sym(symbol.path.clone())]
                    }
                    SymbolKind::Type if !symbol.flags.contains(SymbolFlags::DISTINCT_TYPE) => {
                        let value = self.symbol_value(at, 0);
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
        let facts = self.facts;
        for export in &facts.exports {
            let from = export.from.map(|from| self.import_key(from as usize));
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
                        Expr::Local(binding) => facts.flow.bindings[binding as usize].symbol,
                        Expr::Symbol(symbol) => Some(symbol),
                        _ => None,
                    };
                    if let Some(symbol) = export.symbol.or(local) {
                        let path = self.path_of(Some(symbol));
                        face.declared.insert(export.name.clone(), path);
                    }
                    let mut value = self.eval(&export.value, 0, None);
                    if let (true, Some(symbol)) = (value.is_empty(), export.symbol) {
                        value = self.symbol_value(symbol, 0);
                    }
                    let mut out = self.export_values(&value, 0);
                    // What nothing is known of is still worth a mention.
                    if let (true, Some(symbol)) = (out.is_empty(), export.symbol) {
                        out = vec![ExportedValue::Sym(self.path_of(Some(symbol)))];
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
        let facts = self.facts;
        for (at, import) in facts.imports.iter().enumerate() {
            let module = self.module_path(import.owner);
            for name in &import.names {
                let is_crate = import.kind == ImportKind::ExternCrate;
                let own = if is_crate { &import.specifier } else { &name.name };
                let here = name.alias.as_ref().unwrap_or(own);
                let term = match import.kind {
                    ImportKind::Mod | ImportKind::ExternCrate => ExternalRef {
                        base: ExternalBase::Import(self.import_key(at), None),
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
                        base: ExternalBase::Import(self.import_key(at), None),
                        ops: Vec::new(),
                    },
                    ImportKind::From if name.name == "*" => ExternalRef {
                        base: ExternalBase::Import(self.import_key(at), None),
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

    fn export_result(
        &mut self,
        value: &[PossibleValue],
        function: SymbolOwner,
    ) -> Vec<ExportedValue> {
        self.export_alternatives(value, function, 0)
    }

    fn export_alternatives(
        &mut self,
        value: &[PossibleValue],
        function: SymbolOwner,
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
        function: SymbolOwner,
        depth: usize,
    ) -> Option<ExportedValue> {
        Some(match atom {
            PossibleValue::Function(symbol, _) | PossibleValue::Class(symbol) => {
                ExportedValue::Sym(self.path_of(Some(*symbol)))
            }
            PossibleValue::Instance(class) => ExportedValue::New(self.path_of(Some(*class))),
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
                let object = &self.objects[*id as usize];
                if let Some(class) = object.class {
                    return Some(ExportedValue::New(self.path_of(Some(class))));
                }
                if depth >= MAX_EXPORTED_DEPTH {
                    return None;
                }
                let fields: Vec<_> = object
                    .fields
                    .iter()
                    .map(|(name, cell)| (name.clone(), cell.read(&[])))
                    .collect();
                let mut others = object.unknown_keys.read(&[]);
                if object.kind == super::ObjectKind::List && !fields.is_empty() {
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
            PossibleValue::Param(of, param) if Some(*of) == function => {
                ExportedValue::Param(*param)
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
