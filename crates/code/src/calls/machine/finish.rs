//! What the run leaves behind: edges by path, and the face that other files see.

use std::collections::BTreeMap;
use std::rc::Rc;

use syntax::relations::{EXTRACTORS, Target};
use syntax::{BuildSet, ExportKind, Expr, Flags, HeritageKind, ImportKind, Owner, SymbolKind};

use super::super::summary::{
    Face, LocalEdge, ParamCall, Relation, Shape, ShapeKind, Summary, Sure,
};
use super::super::value::{Atom, Base, Op, Out, Term, join};
use super::{Family, Machine, context, is_scope};

/// Objects inside objects that others see.
const DEEPEST: usize = 2;

impl Machine<'_> {
    /// Notes what is related without a call: heritage, mentions, what extractors say.
    pub(super) fn relate(&mut self) {
        self.is_silent = false;
        self.active.clear();
        for step in &self.facts.heritage {
            self.inherit(step);
        }
        for one in &self.facts.flow.uses {
            self.mention(one);
        }
        for extractor in EXTRACTORS {
            for found in extractor.extract(self.facts) {
                let value = match &found.target {
                    Target::Type(ty) => self.class_of(ty, found.source),
                    Target::Value(value) => self.eval(value, 0, found.source),
                };
                let relation =
                    if found.kind == "injects" { Relation::Injects } else { Relation::Provides };
                self.note_all((found.source, found.line), relation, &value);
            }
        }
    }

    fn inherit(&mut self, step: &syntax::Heritage) {
        let relation = match step.kind {
            HeritageKind::Implements => Relation::Implements,
            HeritageKind::Extends | HeritageKind::Mixin => Relation::Extends,
        };
        let around = self.facts.symbols[step.symbol as usize].parent;
        let mut value = self.class_of(&step.target, around);
        if value.is_empty() {
            value = self.eval(&step.value, 0, around);
        }
        let from = self.home(step.symbol).unwrap_or(step.symbol);
        self.note_all((Some(from), step.line), relation, &value);
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
                        Atom::Class(class) => {
                            for target in self.member_symbols(*class, name) {
                                if target != symbol && self.kind(target).is_callable() {
                                    let sure = (Sure::Exact, line);
                                    self.note(Some(symbol), relation, target, sure);
                                }
                            }
                        }
                        Atom::Ext(term) => {
                            if let Some(to) = term.then(Op::Get(name.to_owned())) {
                                self.want((Some(symbol), line, false), relation, &to, Vec::new());
                            }
                        }
                        _ => {}
                    }
                }
            }
        }
    }

    fn note_all(&mut self, (from, line): (Owner, u32), relation: Relation, value: &[Atom]) {
        for atom in value {
            match atom {
                Atom::Class(symbol) | Atom::Fun(symbol, _) if Some(*symbol) != from => {
                    self.note(from, relation, *symbol, (Sure::Exact, line));
                }
                Atom::Ext(term) => self.want((from, line, false), relation, term, Vec::new()),
                _ => {}
            }
        }
    }

    /// A name that is mentioned, called or not.
    fn mention(&mut self, used: &syntax::Use) {
        let from = (used.owner, used.line);
        let symbol = match &used.target {
            Expr::Local(binding) => self.facts.flow.bindings[*binding as usize].symbol,
            Expr::Name(name) => self.declared(name, used.owner),
            Expr::Path(parts) if parts.len() == 1 => self.declared(&parts[0], used.owner),
            _ => None,
        };
        if let Some(symbol) = symbol {
            if used.owner != Some(symbol) {
                self.note(used.owner, Relation::Uses, symbol, (Sure::Exact, used.line));
            }
            return;
        }
        match &used.target {
            Expr::Path(parts) if parts.len() > 1 => self.mention_path(parts, from),
            target => {
                let value = self.eval(target, 0, used.owner);
                self.note_all(from, Relation::Uses, &value);
            }
        }
    }

    /// Every type on a path is mentioned by it: `Kind::A` mentions `Kind`, and `A` of it.
    fn mention_path(&mut self, parts: &[String], from: (Owner, u32)) {
        let value = self.path(&parts[..parts.len() - 1], from.0);
        let mut last = None;
        for atom in &value {
            if let Atom::Class(class) = atom {
                let found = self
                    .members
                    .get(class)
                    .and_then(|all| all.get(parts[parts.len() - 1].as_str()));
                last = found.and_then(|all| all.first().copied()).or(last);
            }
        }
        // What a path goes through is a type or a module, whatever else has its name.
        let through = |atom: &Atom| match atom {
            Atom::Ext(term) => term.then(Op::Inst).map(|term| Atom::Ext(Rc::new(term))),
            Atom::Fun(..) => None,
            other => Some(other.clone()),
        };
        let through: Vec<Atom> = value.iter().filter_map(through).collect();
        self.note_all(from, Relation::Uses, &through);
        if let Some(symbol) = last {
            self.note(from.0, Relation::Uses, symbol, (Sure::Exact, from.1));
        } else {
            let value = self.path(parts, from.0);
            self.note_all(from, Relation::Uses, &value);
        }
    }

    fn declared(&self, name: &str, owner: Owner) -> Option<u32> {
        let mut at = owner;
        loop {
            let is_module = at.is_none_or(|symbol| is_scope(self.kind(symbol)));
            if is_module && let Some(found) = self.tops.get(&(at, name)) {
                return found.iter().copied().find(|one| !self.is_file_module(*one));
            }
            match at {
                // An inner module of Rust does not see what is around it.
                Some(_) if is_module && self.family == Family::Rust => return None,
                None => return None,
                Some(symbol) => at = self.facts.symbols[symbol as usize].parent,
            }
        }
    }

    /// The summary.
    pub(super) fn finish(mut self) -> Summary {
        let called: std::collections::BTreeSet<(Owner, u32)> = self
            .edges
            .keys()
            .filter(|(_, relation, _)| *relation == Relation::Calls)
            .map(|(from, _, to)| (*from, *to))
            .collect();
        let edges = std::mem::take(&mut self.edges);
        let edges = edges.into_iter().filter(|((from, relation, to), _)| {
            *relation != Relation::Uses || !called.contains(&(*from, *to))
        });
        let edge = |((from, relation, to), (sure, line))| LocalEdge {
            from: self.path_of(from),
            relation,
            to: self.path_of(Some(to)),
            sure,
            line,
        };
        let edges = edges.map(edge).collect();
        let names = self.unknown.iter();
        let names =
            names.map(|((from, name), line)| (self.path_of(*from), name.clone(), *line)).collect();
        let wants = std::mem::take(&mut self.wants).into_iter();
        let wants = wants
            .map(|(from, mut want)| {
                want.from = self.path_of(from);
                want
            })
            .collect();
        let face = self.face();
        Summary { edges, wants, names, face, is_cut: self.is_cut() }
    }

    fn path_of(&self, symbol: Owner) -> String {
        symbol.map(|at| self.facts.symbols[at as usize].path.clone()).unwrap_or_default()
    }

    fn face(&mut self) -> Face {
        let mut face = Face::default();
        if self.family == Family::Go {
            face.namespace.clone_from(&self.facts.namespace);
            face.builds =
                self.facts.build.as_deref().map(BuildSet::of_condition).unwrap_or_default();
            face.interfaces = self.interfaces();
        }
        for at in 0..self.facts.imports.len() {
            face.imports.insert(self.import_key(at), super::number(at));
        }
        for at in 0..super::number(self.facts.symbols.len()) {
            let shape = self.shape(at);
            let symbol = &self.facts.symbols[at as usize];
            // Of several signatures the one that stands for the symbol says what is behind it.
            if let Some(shape) = shape.filter(|_| !symbol.is_overload()) {
                face.shapes.insert(symbol.path.clone(), shape.into());
            }
        }
        self.offer(&mut face);
        face
    }

    fn shape(&mut self, at: u32) -> Option<Shape> {
        let symbol = &self.facts.symbols[at as usize];
        let kind = match symbol.kind {
            SymbolKind::Getter => ShapeKind::Getter,
            kind if kind.is_callable() => ShapeKind::Function,
            kind if is_scope(kind) => ShapeKind::Module,
            SymbolKind::Impl if self.home(at).is_some() => return None,
            kind if kind.is_type() => ShapeKind::Class,
            SymbolKind::Type if symbol.flags.has(Flags::DISTINCT) => ShapeKind::Class,
            _ => ShapeKind::Value,
        };
        let mut shape = Shape { kind, ..Shape::default() };
        if matches!(kind, ShapeKind::Function | ShapeKind::Class) {
            for (place, value) in self.callbacks(at) {
                let out = self.out_all(&value, 0);
                shape.members.insert(context::param(place), out);
            }
        }
        match kind {
            ShapeKind::Function | ShapeKind::Getter => {
                shape.signature = self.signature(at);
                let behaviour = self.behaviours.get(&at).cloned().unwrap_or_default();
                shape.returns = self.out_of(&behaviour.returns, Some(at));
                for call in behaviour.calls {
                    let args = call.args.iter().map(|arg| self.out_of(arg, Some(at))).collect();
                    let (from, param) = (self.path_of(call.from), call.param);
                    shape.calls.push(ParamCall { from, param, args });
                }
            }
            ShapeKind::Class | ShapeKind::Module => {
                shape.members.extend(self.members_out(at));
                let bases = match (&symbol.ty, symbol.kind) {
                    // An `impl` of a type of another file comes from that type.
                    (Some(ty), SymbolKind::Impl) => self.class_of(ty, symbol.parent),
                    _ => self.parents_of(at),
                };
                shape.bases = self.out_all(&bases, 0);
                if symbol.flags.has(Flags::DISTINCT) {
                    let made_like = self.underlying(at);
                    shape.returns = self.out_all(&made_like, 0);
                }
            }
            ShapeKind::Value => {
                let value = self.symbol(at, 0);
                shape.returns = self.out_all(&value, 0);
            }
        }
        Some(shape)
    }

    fn members_out(&mut self, class: u32) -> BTreeMap<String, Vec<Out>> {
        let mut all = self.embedded_out(class);
        let members = self.members.get(&class).cloned().unwrap_or_default();
        for (name, symbols) in members {
            let mut value = Vec::new();
            for symbol in self.best(&symbols) {
                if self.is_file_module(symbol) {
                    continue;
                }
                match self.kind(symbol) {
                    kind if kind.is_callable() || kind.is_type() || is_scope(kind) => {
                        value.push(Out::Sym(self.path_of(Some(symbol))));
                    }
                    _ => {
                        let worth = self.symbol(symbol, 0);
                        value.extend(self.out_all(&worth, 0));
                    }
                }
            }
            all.insert(name.to_owned(), value);
        }
        let mut held = Vec::new();
        for fields in [self.instance.get(&class), self.statics.get(&class)].into_iter().flatten() {
            for (name, cell) in fields {
                held.push((name.clone(), cell.read(&[])));
            }
        }
        for (name, value) in held {
            let out = self.out_all(&value, 0);
            let own: &mut Vec<Out> = all.entry(name).or_default();
            own.extend(out.into_iter().filter(|one| !own.contains(one)).collect::<Vec<_>>());
        }
        all
    }

    /// What names of the file mean to others.
    fn offer(&mut self, face: &mut Face) {
        match self.family {
            Family::JavaScript => self.offer_exports(face),
            Family::Python => {
                for at in 0..self.facts.flow.bindings.len() {
                    let binding = &self.facts.flow.bindings[at];
                    if binding.owner.is_none() && !binding.name.is_empty() {
                        if let Some(symbol) = binding.symbol {
                            let path = self.path_of(Some(symbol));
                            face.declared.insert(binding.name.clone(), path);
                        }
                        let value = self.read(super::number(at), 0);
                        let out = self.out_all(&value, 0);
                        face.names.entry(binding.name.clone()).or_default().extend(out);
                    }
                }
            }
            _ => {}
        }
        let facts = self.facts;
        for (at, symbol) in (0..).zip(&facts.symbols) {
            let is_own = symbol.parent.is_none_or(|parent| is_scope(self.kind(parent)));
            let is_offered = match self.family {
                Family::Python | Family::JavaScript => false,
                _ if self.is_loose_method(at) => false,
                _ => is_own && symbol.kind != SymbolKind::Impl && !self.is_file_module(at),
            };
            if is_offered {
                let module = symbol.parent.map(|parent| self.path_of(Some(parent)));
                let name = scoped(module.as_deref().unwrap_or_default(), &symbol.name);
                let out = match symbol.kind {
                    kind if kind.is_callable() || kind.is_type() || is_scope(kind) => {
                        vec![Out::Sym(symbol.path.clone())]
                    }
                    SymbolKind::Type if !symbol.flags.has(Flags::DISTINCT) => {
                        let value = self.symbol(at, 0);
                        match self.out_all(&value, 0) {
                            none if none.is_empty() => vec![Out::Sym(symbol.path.clone())],
                            some => some,
                        }
                    }
                    _ => vec![Out::Sym(symbol.path.clone())],
                };
                face.declared.entry(name.clone()).or_insert_with(|| symbol.path.clone());
                face.names.entry(name).or_default().extend(out);
            }
        }
        self.offer_imports(face);
    }

    fn offer_exports(&mut self, face: &mut Face) {
        let facts = self.facts;
        for export in &facts.exports {
            let from = export.from.map(|from| self.import_key(from as usize));
            match (export.kind, from) {
                (ExportKind::Star, Some(key)) => {
                    let term = Term { base: Base::Import(key, None), ops: Vec::new() };
                    face.stars.push((String::new(), term));
                }
                (ExportKind::StarAs, Some(key)) => {
                    let term = Term { base: Base::Import(key, None), ops: Vec::new() };
                    face.names.insert(export.name.clone(), vec![Out::Ext(term)]);
                }
                (_, Some(key)) => {
                    let name = export.local.clone().unwrap_or_else(|| export.name.clone());
                    let term = Term { base: Base::Import(key, Some(name)), ops: Vec::new() };
                    face.names.insert(export.name.clone(), vec![Out::Ext(term)]);
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
                        value = self.symbol(symbol, 0);
                    }
                    let mut out = self.out_all(&value, 0);
                    // What nothing is known of is still worth a mention.
                    if let (true, Some(symbol)) = (out.is_empty(), export.symbol) {
                        out = vec![Out::Sym(self.path_of(Some(symbol)))];
                    }
                    if kind == ExportKind::CommonJs && export.name == "default" {
                        for one in &out {
                            if let Out::Obj(fields) = one {
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
    fn offer_imports(&mut self, face: &mut Face) {
        let facts = self.facts;
        for (at, import) in facts.imports.iter().enumerate() {
            let module = self.module_path(import.owner);
            for name in &import.names {
                let is_crate = import.kind == ImportKind::ExternCrate;
                let own = if is_crate { &import.specifier } else { &name.name };
                let here = name.alias.as_ref().unwrap_or(own);
                let term = match import.kind {
                    ImportKind::Mod | ImportKind::ExternCrate => {
                        Term { base: Base::Import(self.import_key(at), None), ops: Vec::new() }
                    }
                    ImportKind::Use | ImportKind::PubUse => {
                        let parts = import.specifier.split("::").filter(|part| !part.is_empty());
                        let mut parts: Vec<String> = parts.map(str::to_owned).collect();
                        if name.name != "*" {
                            parts.push(name.name.clone());
                        }
                        Term { base: Base::Scope(module.clone(), parts), ops: Vec::new() }
                    }
                    ImportKind::Import if name.alias.as_deref() == Some(".") => {
                        Term { base: Base::Import(self.import_key(at), None), ops: Vec::new() }
                    }
                    ImportKind::From if name.name == "*" => {
                        Term { base: Base::Import(self.import_key(at), None), ops: Vec::new() }
                    }
                    _ => continue,
                };
                if name.name == "*" && !is_crate {
                    face.stars.push((module.clone(), term));
                } else {
                    let key = scoped(&module, here);
                    face.names.entry(key).or_default().push(Out::Ext(term));
                }
            }
        }
    }

    pub(super) fn out_all(&mut self, value: &[Atom], depth: usize) -> Vec<Out> {
        self.outs(value, None, depth)
    }

    fn out_of(&mut self, value: &[Atom], function: Owner) -> Vec<Out> {
        self.outs(value, function, 0)
    }

    fn outs(&mut self, value: &[Atom], function: Owner, depth: usize) -> Vec<Out> {
        let mut all: Vec<Out> = Vec::new();
        for atom in value {
            if let Some(out) = self.out(atom, function, depth)
                && !all.contains(&out)
            {
                all.push(out);
            }
        }
        all
    }

    fn out(&mut self, atom: &Atom, function: Owner, depth: usize) -> Option<Out> {
        Some(match atom {
            Atom::Fun(symbol, _) | Atom::Class(symbol) => Out::Sym(self.path_of(Some(*symbol))),
            Atom::Inst(class) => Out::New(self.path_of(Some(*class))),
            Atom::Bound(bound) => {
                let inner = bound.0.clone();
                return self.out(&inner, function, depth);
            }
            Atom::Many(inner) => {
                let inner = self.outs(&inner.clone(), function, depth + 1);
                if inner.is_empty() {
                    return None;
                }
                Out::Many(inner)
            }
            Atom::Obj(id) => {
                let object = &self.objects[*id as usize];
                if let Some(class) = object.class {
                    return Some(Out::New(self.path_of(Some(class))));
                }
                if depth >= DEEPEST {
                    return None;
                }
                let fields: Vec<_> = object
                    .fields
                    .iter()
                    .map(|(name, cell)| (name.clone(), cell.read(&[])))
                    .collect();
                let mut others = object.others.read(&[]);
                if object.kind == super::Kind::List && !fields.is_empty() {
                    for (_, value) in &fields {
                        join(&mut others, value.clone());
                    }
                    let others = self.outs(&others, function, depth + 1);
                    return (!others.is_empty()).then_some(Out::Many(others));
                }
                let mut outs = Vec::new();
                for (name, value) in fields {
                    let value = self.outs(&value, function, depth + 1);
                    if !value.is_empty() {
                        outs.push((name, value));
                    }
                }
                if outs.is_empty() {
                    return None;
                }
                Out::Obj(outs)
            }
            Atom::Ext(term) => Out::Ext((**term).clone()),
            Atom::Param(of, param) if Some(*of) == function => Out::Param(*param),
            Atom::Text(text) if text.len() < 40 => Out::Text(text.to_string()),
            _ => return None,
        })
    }
}

/// A name with the path of its module.
pub(crate) fn scoped(module: &str, name: &str) -> String {
    if module.is_empty() { name.to_owned() } else { format!("{module}.{name}") }
}
