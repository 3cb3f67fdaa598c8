//! Functions and classes.

use base::Span;

use super::PythonWalker;
use super::scope::PythonScopeKind;
use crate::doc_comments::DocCommentStyle;
use crate::facts_builder::SymbolDraft;
use crate::line_index::offset;
use crate::model::{
    Arg, AssignTarget, BindingKind, CallKind, Decorator, Expr, FlowAction, Heritage, HeritageKind,
    Param, ParamKind, SymbolFlags, SymbolKind, TypeRef, Visibility,
};
use crate::treesitter::{Node, NodeExt, named_children, span};

/// Decorators that do not replace the function.
const TRANSPARENT_DECORATORS: [&str; 8] = [
    "staticmethod",
    "classmethod",
    "property",
    "abstractmethod",
    "abc.abstractmethod",
    "overload",
    "typing.overload",
    "override",
];

impl PythonWalker<'_> {
    /// The whole file.
    pub(super) fn module(&mut self, root: Node<'_>) {
        self.enter_scope(PythonScopeKind::Open, &named_children(root));
        if let Some(doc) = docstring(root) {
            self.builder.set_module_doc(doc, DocCommentStyle::Docstring);
        }
        self.block(root);
        self.leave_scope();
        self.narrow_exports();
    }

    pub(super) fn decorated(&mut self, node: Node<'_>) {
        let decorators: Vec<_> =
            named_children(node).into_iter().filter(|child| child.kind() == "decorator").collect();
        match node.field("definition") {
            Some(inner) if inner.kind() == "class_definition" => {
                self.class(inner, span(node), &decorators);
            }
            Some(inner) => self.function(inner, span(node), &decorators),
            None => {}
        }
    }

    fn draft(&mut self, kind: SymbolKind, node: Node<'_>, whole: Span) -> Option<SymbolDraft> {
        let name = node.field("name")?;
        let body = node.field("body");
        let mut draft = SymbolDraft::new(kind, self.text(name), span(node), span(name));
        draft.parent = self.builder.position.owner;
        draft.span = whole;
        draft.body = body.map(span);
        let end = body.map_or(span(node).end, |body| span(body).start);
        let signature = self.builder.one_line_signature(Span::new(span(node).start, end));
        draft.signature = signature.trim_end_matches(':').trim_end().into();
        draft.doc = body.and_then(docstring).map(|at| (at, DocCommentStyle::Docstring));
        draft.visibility = visibility(&draft.name);
        draft.exported = draft.visibility == Visibility::Public && self.is_exportable();
        draft.is_test = self.in_test;
        Some(draft)
    }

    /// Whether what is declared here can be reached from other files.
    pub(super) fn is_exportable(&self) -> bool {
        self.builder.position.owner.is_none_or(|owner| {
            let around = &self.builder.facts.symbols[owner as usize];
            around.kind == SymbolKind::Class && around.exported
        })
    }

    fn enclosing_class(&self) -> Option<u32> {
        match self.scopes.last().map(|scope| scope.kind) {
            Some(PythonScopeKind::Class(class)) => Some(class),
            _ => None,
        }
    }

    pub(super) fn function(&mut self, node: Node<'_>, whole: Span, decorators: &[Node<'_>]) {
        let class = self.enclosing_class();
        let kind = if class.is_some() { SymbolKind::Method } else { SymbolKind::Function };
        let Some(mut draft) = self.draft(kind, node, whole) else { return };
        if class.is_some() && draft.name == "__init__" {
            draft.kind = SymbolKind::Constructor;
        }
        let written = self.decorators(decorators);
        let is = |name: &str| written.iter().any(|one| one.name == name);
        let is_static = is("staticmethod") || is("classmethod");
        draft.flags = SymbolFlags::default()
            .with_if(SymbolFlags::ASYNC, node.has_token("async"))
            .with_if(SymbolFlags::STATIC, is_static)
            .with_if(SymbolFlags::ABSTRACT, is("abstractmethod") || is("abc.abstractmethod"));
        if written.iter().any(is_property) {
            draft.kind = SymbolKind::Getter;
        } else if written.iter().any(|one| one.name.ends_with(".setter")) {
            draft.kind = SymbolKind::Setter;
        }
        draft.is_test |= draft.name.starts_with("test");
        draft.ty = node.field("return_type").and_then(|ty| self.annotation(ty));
        draft.decorators.clone_from(&written);
        let name = draft.name.clone();
        let takes_self = class.is_some() && !is("staticmethod");
        let symbol = self.builder.add_symbol(draft);
        self.walk_function(symbol, node.field("parameters"), node.field("body"), takes_self);
        self.bind_definition(&name, symbol, &written);
    }

    /// Gives a definition to its name, through its decorators.
    fn bind_definition(&mut self, name: &str, symbol: u32, decorators: &[Decorator]) {
        let mut value = Expr::Symbol(symbol);
        for decorator in decorators.iter().rev() {
            let changes = !TRANSPARENT_DECORATORS.contains(&decorator.name.as_str())
                && !is_property(decorator);
            if changes {
                let callee = decorator.value.clone();
                let args = vec![Arg::positional(value)];
                let (at, begin) = (decorator.span, decorator.span.start + 1);
                value = self.builder.add_call(CallKind::Decorator, callee, args, at, begin);
            }
        }
        // The name means the definition, whatever its decorators make of it.
        if value != Expr::Symbol(symbol) {
            value = Expr::either([Expr::Symbol(symbol), value]);
        }
        self.declared.insert((self.builder.position.owner, name.to_owned()));
        // The name of a setter means the property that it belongs to.
        let is_accessor =
            |one: &Decorator| one.name.ends_with(".setter") || one.name.ends_with(".deleter");
        if decorators.iter().any(is_accessor) {
            return;
        }
        let place = self.assign_target(name);
        if let AssignTarget::Local(local) = place {
            let binding = &mut self.builder.facts.flow.bindings[local as usize];
            binding.symbol.get_or_insert(symbol);
        }
        self.builder.add_assignment(place, value);
    }

    fn decorators(&mut self, nodes: &[Node<'_>]) -> Vec<Decorator> {
        let mut written = Vec::new();
        for node in nodes {
            let Some(inner) = named_children(*node).first().copied() else { continue };
            let value = self.expr(inner);
            let text = self.builder.slice(span(inner));
            let name = text.split('(').next().unwrap_or_default().trim().to_owned();
            written.push(Decorator { name, value, span: span(*node) });
        }
        written
    }

    /// The parameters and body of a function.
    pub(super) fn walk_function(
        &mut self,
        symbol: u32,
        params: Option<Node<'_>>,
        body: Option<Node<'_>>,
        takes_self: bool,
    ) {
        // Defaults are evaluated where the function is defined.
        let params = params.map(named_children).unwrap_or_default();
        let defaults: Vec<_> =
            params.iter().map(|param| param.field("value").map(|value| self.expr(value))).collect();
        let back = self.builder.enter_symbol(symbol);
        self.enter_scope(PythonScopeKind::Open, body.as_slice());
        let (mut position, mut by_name) = (0, false);
        for (param, default) in params.into_iter().zip(defaults) {
            if param.kind() == "keyword_separator" {
                by_name = true;
                continue;
            }
            let Some((name, mut kind)) = self.param_name(param) else { continue };
            match kind {
                ParamKind::Plain if by_name => kind = ParamKind::Keyword,
                ParamKind::Plain if takes_self && position == 0 => kind = ParamKind::Receiver,
                ParamKind::Rest => by_name = true,
                _ => {}
            }
            let ty = param.field("type").and_then(|ty| self.annotation(ty));
            self.param(Param { function: symbol, name, position, kind, default, ty });
            position += 1;
        }
        if let Some(body) = body {
            if body.kind() == "block" {
                self.block(body);
            } else {
                let value = self.expr(body);
                if value != Expr::Unknown {
                    self.builder.add_step(FlowAction::Return(value));
                }
            }
        }
        self.leave_scope();
        self.builder.restore_position(back);
    }

    fn param(&mut self, param: Param) {
        let at = offset(self.builder.facts.flow.params.len());
        let local = self.declare(&param.name, BindingKind::Param(at));
        self.touched.insert(local);
        self.builder.facts.flow.bindings[local as usize].ty.clone_from(&param.ty);
        let default = param.default.filter(|value| *value != Expr::Unknown);
        self.builder.facts.flow.params.push(Param { default, ..param });
    }

    fn param_name(&self, param: Node<'_>) -> Option<(String, ParamKind)> {
        match param.kind() {
            "identifier" => Some((self.text(param), ParamKind::Plain)),
            "default_parameter" | "typed_default_parameter" => {
                Some((self.text(param.field("name")?), ParamKind::Plain))
            }
            "typed_parameter" => self.param_name(named_children(param).first().copied()?),
            "list_splat_pattern" => {
                Some((self.text(named_children(param).first().copied()?), ParamKind::Rest))
            }
            "dictionary_splat_pattern" => {
                Some((self.text(named_children(param).first().copied()?), ParamKind::KeywordRest))
            }
            _ => None,
        }
    }

    pub(super) fn class(&mut self, node: Node<'_>, whole: Span, decorators: &[Node<'_>]) {
        let Some(mut draft) = self.draft(SymbolKind::Class, node, whole) else { return };
        let written = self.decorators(decorators);
        draft.decorators.clone_from(&written);
        draft.is_test |= draft.name.starts_with("Test");
        let name = draft.name.clone();
        let mut parents = Vec::new();
        for base in node.field("superclasses").map(named_children).unwrap_or_default() {
            if base.kind() == "keyword_argument" {
                self.expr(base);
            } else if base.kind() != "comment" {
                let value = self.expr(base);
                parents.push((value, self.type_expr(base), span(base)));
            }
        }
        let symbol = self.builder.add_symbol(draft);
        for (value, target, span) in parents {
            let line = self.builder.lines.line(span.start);
            let kind = HeritageKind::Extends;
            self.builder.facts.heritage.push(Heritage { symbol, kind, target, value, span, line });
        }
        if let Some(body) = node.field("body") {
            let back = self.builder.enter_symbol(symbol);
            let was = self.in_test;
            self.in_test = self.builder.facts.symbols[symbol as usize].is_test;
            self.enter_scope(PythonScopeKind::Class(symbol), &[body]);
            self.block(body);
            self.leave_scope();
            self.in_test = was;
            self.builder.restore_position(back);
        }
        self.bind_definition(&name, symbol, &written);
    }

    pub(super) fn lambda(&mut self, node: Node<'_>) -> Expr {
        let whole = span(node);
        let name = self.builder.next_anonymous_name("lambda");
        let at = Span::new(whole.start, whole.start);
        let mut draft = SymbolDraft::new(SymbolKind::Function, name, whole, at);
        let body = node.field("body");
        draft.parent = self.builder.position.owner;
        draft.body = body.map(span);
        draft.signature = self.builder.one_line_signature(whole);
        draft.flags = SymbolFlags::ANONYMOUS | SymbolFlags::FUNCTION_VALUE;
        let symbol = self.builder.add_symbol(draft);
        self.walk_function(symbol, node.field("parameters"), body, false);
        Expr::Symbol(symbol)
    }

    /// A variable of the module or of a class is a symbol when it is first assigned.
    pub(super) fn variable(&mut self, name: Node<'_>, statement: Node<'_>, ty: Option<&TypeRef>) {
        let text = self.text(name);
        let class = self.enclosing_class();
        if !(self.is_at_top_level() || class.is_some()) || self.builder.position.block.is_some() {
            return;
        }
        let parent = self.builder.position.owner;
        if !self.declared.insert((parent, text.clone())) {
            return;
        }
        let is_constant = text.chars().all(|c| c.is_uppercase() || c == '_' || c.is_numeric());
        let kind = match (class, is_constant) {
            (Some(_), _) => SymbolKind::Field,
            (None, true) => SymbolKind::Constant,
            (None, false) => SymbolKind::Variable,
        };
        let mut draft = SymbolDraft::new(kind, text, span(statement), span(name));
        draft.parent = parent;
        if let Some(doc) = doc_lines_above(self.builder.text, span(statement).start) {
            draft.span.start = doc.start;
            draft.doc = Some((doc, DocCommentStyle::Lines(&["#:"])));
        }
        draft.visibility = visibility(&draft.name);
        draft.exported = draft.visibility == Visibility::Public && self.is_exportable();
        let whole = self.builder.one_line_signature(span(statement));
        let right = statement.field("right").map(|right| span(right).start);
        let head = Span::new(span(statement).start, right.unwrap_or(span(statement).end));
        draft.signature =
            if whole.len() <= 80 { whole } else { self.builder.one_line_signature(head) };
        draft.body = statement.field("right").map(span);
        draft.ty = ty.cloned();
        let symbol = self.builder.add_symbol(draft);
        if let Expr::Local(local) = self.resolve(&self.text(name)) {
            self.builder.facts.flow.bindings[local as usize].symbol.get_or_insert(symbol);
        }
    }
}

/// Whether a decorator makes a method one that is read like a field.
fn is_property(decorator: &Decorator) -> bool {
    let last = decorator.name.rsplit('.').next().unwrap_or_default();
    matches!(last, "property" | "cached_property" | "abstractproperty")
}

/// A name with an underscore is private; one with two around it is not.
fn visibility(name: &str) -> Visibility {
    let dunder = name.starts_with("__") && name.ends_with("__") && name.len() > 4;
    if name.starts_with('_') && !dunder { Visibility::Private } else { Visibility::Public }
}

/// The `#:` lines right above a statement: how a variable, which has no docstring, is documented.
fn doc_lines_above(text: &str, at: u32) -> Option<Span> {
    let mut first = None;
    let mut rest = text.get(..at as usize)?.trim_end_matches([' ', '\t']);
    while let Some(before) = rest.strip_suffix('\n') {
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.get(start..)?.trim_start_matches('\u{feff}').trim();
        if !line.starts_with("#:") {
            break;
        }
        let begin = start + before.get(start..)?.find('#')?;
        let end = first.map_or(begin + line.len(), |known: Span| known.end as usize);
        first = Some(Span::new(offset(begin), offset(end)));
        rest = before.get(..start)?;
    }
    first
}

/// The string that a body opens with.
fn docstring(body: Node<'_>) -> Option<Span> {
    let first = named_children(body).into_iter().find(|child| child.kind() != "comment")?;
    let text = named_children(first).first().copied()?;
    (first.kind() == "expression_statement" && text.kind() == "string").then(|| span(text))
}
