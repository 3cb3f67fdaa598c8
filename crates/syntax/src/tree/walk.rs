//! The walk that languages without one of their own share.

use base::Span;

use super::dialect::annotations;
use super::{Dialect, Grown, Node, Pending, Rule, children, named, span, written};
use crate::build::{Builder, Draft};
use crate::lines::offset;
use crate::model::{Decorator, Expr, FileFacts, Heritage, HeritageKind, Owner, SymbolKind};

/// A walk over one file.
pub(crate) struct Walk<'t> {
    pub b: Builder<'t>,
    pub(super) dialect: &'static dyn Dialect,
    /// Local names, innermost last
    pub(super) names: Vec<(String, u32)>,
    /// The statement around a declaration, when it declares one thing
    around: Option<Span>,
    /// The name of the declaration that is being read, which is not one of its parts
    skip: Option<Span>,
    /// What a language remembers between declarations, such as `private:`
    pub state: Option<String>,
}

/// The facts of a file in a language.
pub(crate) fn extract(dialect: &'static dyn Dialect, text: &str) -> FileFacts {
    super::read(text, dialect.grammar(), dialect.comments(), |b, root| {
        let mut walk =
            Walk { b, dialect, names: Vec::new(), around: None, skip: None, state: None };
        walk.inside(root);
        walk.b.finish()
    })
}

impl Walk<'_> {
    /// The text of a node.
    pub fn text(&self, node: Node<'_>) -> String {
        self.b.slice(span(node)).to_owned()
    }

    /// Reads everything in a node.
    pub fn inside(&mut self, node: Node<'_>) {
        self.inside_with(node, Pending::default());
    }

    fn inside_with<'n>(&mut self, node: Node<'n>, mut pending: Pending<'n>) {
        let is_top = node.parent().is_none();
        let skip = self.skip.take();
        for child in children(node) {
            if skip == Some(span(child)) {
                continue;
            }
            match self.dialect.rule(self, child) {
                Rule::Comment => {
                    let text = child.text(&self.b);
                    if is_top && text.starts_with("#!") || child.ends_line() {
                        continue;
                    }
                    if let Some(style) = self.dialect.doc(text) {
                        self.comment(&mut pending, child, style, is_top);
                    }
                }
                Rule::Attribute => pending.attributes.push(child),
                rule if child.is_named() => {
                    let waiting = std::mem::take(&mut pending);
                    self.visit(child, rule, waiting, is_top);
                }
                _ => {}
            }
        }
        if is_top {
            self.header(&pending);
        }
    }

    /// A comment that does not go on with the one before it leaves that to the module.
    fn comment<'n>(
        &mut self,
        pending: &mut Pending<'n>,
        node: Node<'n>,
        style: crate::docs::Style,
        is_top: bool,
    ) {
        let before = pending.doc.map(|(doc, style)| (doc.start, doc, style));
        pending.comment(&self.b, node, style);
        let replaced =
            before.filter(|(start, ..)| pending.doc.is_some_and(|(now, _)| now.start != *start));
        if let Some((_, doc, style)) = replaced
            && is_top
            && self.b.facts.symbols.is_empty()
        {
            self.b.module_doc(doc, style);
        }
    }

    /// A comment before anything is declared may be about the file.
    fn header(&mut self, pending: &Pending<'_>) {
        if let Some((at, style)) = pending.doc
            && self.b.facts.symbols.is_empty()
            && self.b.facts.imports.is_empty()
        {
            self.b.module_doc(at, style);
        }
    }

    fn visit<'n>(&mut self, node: Node<'n>, rule: Rule, mut pending: Pending<'n>, is_top: bool) {
        match rule {
            Rule::Symbol(_) | Rule::Wrap => {
                let unsettled = pending.doc;
                pending.settle(&self.b, span(node).start);
                if pending.doc.is_none()
                    && is_top
                    && self.b.facts.symbols.is_empty()
                    && let Some((at, style)) = unsettled
                {
                    self.b.module_doc(at, style);
                }
                match rule {
                    Rule::Symbol(kind) => {
                        self.symbol(kind, node, &pending);
                    }
                    _ => self.wrap(node, pending),
                }
            }
            Rule::Walk if !is_top => self.inside_with(node, pending),
            _ => {
                if is_top {
                    self.header(&pending);
                }
                self.expr_with(node, rule);
            }
        }
    }

    /// Something around declarations: with one inside, the whole is that declaration.
    pub(super) fn wrap<'n>(&mut self, node: Node<'n>, pending: Pending<'n>) {
        let declares = |rule| matches!(rule, Rule::Symbol(_) | Rule::Wrap);
        let inner = named(node);
        let count = inner.iter().filter(|one| declares(self.dialect.rule(self, **one))).count();
        let around = (count == 1).then(|| self.around.unwrap_or(span(node)));
        let was = std::mem::replace(&mut self.around, around);
        self.inside_wrapped(node, pending);
        self.around = was;
    }

    fn inside_wrapped<'n>(&mut self, node: Node<'n>, pending: Pending<'n>) {
        let mut waiting = pending;
        for child in children(node) {
            match self.dialect.rule(self, child) {
                Rule::Comment if child.ends_line() => {}
                Rule::Comment => {
                    if let Some(style) = self.dialect.doc(child.text(&self.b)) {
                        waiting.comment(&self.b, child, style);
                    }
                }
                Rule::Symbol(kind) => {
                    self.symbol(kind, child, &std::mem::take(&mut waiting));
                }
                Rule::Wrap => self.wrap(child, std::mem::take(&mut waiting)),
                rule if child.is_named() => {
                    self.expr_with(child, rule);
                }
                _ => {}
            }
        }
    }

    /// Declares a symbol and reads what is in it.
    pub fn symbol(&mut self, kind: SymbolKind, node: Node<'_>, pending: &Pending<'_>) -> Owner {
        let Some(name) = self.dialect.name(node) else {
            self.inside(node);
            return None;
        };
        let whole = self.around.take().unwrap_or(span(node));
        let body = self.dialect.body(node).map(span);
        let mut draft = Draft::new(kind, self.text(name), whole, span(name));
        let notes = annotations(node);
        let start = notes.iter().map(|note| span(*note).end).max();
        let start = start.filter(|start| *start < span(name).start).unwrap_or(whole.start);
        draft.declaration.start = start + blank(self.b.slice(Span::new(start, whole.end)));
        draft.parent = self.b.at.owner;
        draft.doc = pending.doc;
        draft.span = Span::new(pending.start(whole.start), whole.end);
        draft.body = body;
        let end = body.map_or(whole.end, |body| body.start);
        draft.signature = self.b.fold(Span::new(draft.declaration.start, end.max(start)));
        let before = pending.attributes.iter().copied();
        draft.decorators = before.chain(notes).map(|note| self.decorator(note)).collect();
        if !self.dialect.describe(self, node, &mut draft) {
            self.inside(node);
            return None;
        }
        let more: Vec<_> = self
            .dialect
            .more(node)
            .iter()
            .map(|other| self.beside(&draft, *other, piece(node, *other)))
            .collect();
        if !more.is_empty() {
            draft.declaration = piece(node, name).unwrap_or(draft.declaration);
            draft.span.end = draft.declaration.end;
        }
        let symbol = self.b.symbol(draft);
        self.dialect.after(self, node, symbol);
        self.enter(symbol, node);
        for draft in more {
            self.b.symbol(draft);
        }
        Some(symbol)
    }

    /// Another name of the same declaration.
    fn beside(&self, first: &Draft, name: Node<'_>, whole: Option<Span>) -> Draft {
        let whole = whole.unwrap_or(first.declaration);
        let mut draft = Draft::new(first.kind, self.plain(name), whole, span(name));
        draft.parent = first.parent;
        draft.signature.clone_from(&first.signature);
        draft.visibility = first.visibility.clone();
        draft.exported = first.exported;
        draft.flags = first.flags;
        draft.ty.clone_from(&first.ty);
        draft
    }

    fn decorator(&self, node: Node<'_>) -> Decorator {
        let text = self.text(node);
        let name = text.trim_start_matches(['@', '[', '#']).trim();
        let name = name.split(['(', ']', ' ', ',', '\n']).next().unwrap_or_default().to_owned();
        Decorator { name, value: Expr::Unknown, span: span(node) }
    }

    /// Reads what is in a declaration.
    fn enter(&mut self, symbol: u32, node: Node<'_>) {
        let back = self.b.enter(symbol);
        let is_function = self.b.facts.symbols[symbol as usize].kind.is_callable();
        let names = if is_function { std::mem::take(&mut self.names) } else { Vec::new() };
        let state = self.state.take();
        self.skip = self.dialect.name(node).map(span);
        self.inside(node);
        self.state = state;
        if is_function {
            self.names = names;
        }
        self.b.back(back);
    }

    /// Keeps what a type inherits from.
    pub fn heritage(&mut self, symbol: u32, kind: HeritageKind, node: Node<'_>) {
        let (target, at) = (written(&self.text(node)), span(node));
        let line = self.b.lines.line(at.start);
        let value = Expr::Unknown;
        self.b.facts.heritage.push(Heritage { symbol, kind, target, value, span: at, line });
    }

    /// The kind of the declaration around the walk.
    pub fn owner_kind(&self) -> Option<SymbolKind> {
        self.b.at.owner.map(|owner| self.b.facts.symbols[owner as usize].kind)
    }

    /// Whether the walk is in a function.
    pub fn in_function(&self) -> bool {
        self.owner_kind().is_some_and(SymbolKind::is_callable)
    }

    /// Whether the declaration around the walk is exported, or there is none.
    pub fn owner_exported(&self) -> bool {
        self.b.at.owner.is_none_or(|owner| self.b.facts.symbols[owner as usize].exported)
    }

    /// The declared type of this name in this file.
    pub fn find_type(&self, name: &str) -> Owner {
        let symbols = self.b.facts.symbols.iter();
        let found = symbols.enumerate().find(|(_, one)| {
            one.name == name && (one.kind.is_type() || one.kind == SymbolKind::Type)
        });
        found.map(|(at, _)| offset(at))
    }
}

/// The declarator of one of several names; a list of bare names has none.
fn piece(declaration: Node<'_>, name: Node<'_>) -> Option<Span> {
    let parts = children(declaration).into_iter();
    let part = parts.map(|part| (part, span(part))).find(|(_, at)| at.contains(span(name)))?;
    (part.0.kind().ends_with("declarator")
        || part.0.kind() == "identifier" && declaration.kind() == "declaration")
        .then_some(part.1)
}

/// How much white space a text starts with.
fn blank(text: &str) -> u32 {
    offset(text.len() - text.trim_start().len())
}
