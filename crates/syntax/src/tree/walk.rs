//! The walk that languages without one of their own share.

use base::Span;

use super::{Dialect, Grown, Node, Pending, Rule, children, named, span, written};
use crate::build::{Builder, Draft};
use crate::lines::offset;
use crate::model::{
    Action, Arg, BindingKind, BlockKind, CallKind, Decorator, Expr, FileFacts, Flags, Heritage,
    HeritageKind, Owner, Param, ParamKind, Place, SymbolKind, TypeRef,
};

/// Longer texts are not keys or names.
const LONGEST_TEXT: usize = 80;

/// A walk over one file.
pub(crate) struct Walk<'t> {
    pub b: Builder<'t>,
    dialect: &'static dyn Dialect,
    /// Local names, innermost last
    names: Vec<(String, u32)>,
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

impl<'t> Walk<'t> {
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
                    if is_top && text.starts_with("#!") {
                        continue;
                    }
                    match self.dialect.doc(text) {
                        Some(style) => self.comment(&mut pending, child, style, is_top),
                        None => continue,
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
    fn wrap<'n>(&mut self, node: Node<'n>, pending: Pending<'n>) {
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
                Rule::Comment => {
                    if let Some(style) = self.dialect.doc(child.text(&self.b)) {
                        waiting.comment(&self.b, child, style);
                    }
                }
                Rule::Symbol(kind) => {
                    self.symbol(kind, child, &std::mem::take(&mut waiting));
                }
                Rule::Wrap => self.wrap(child, std::mem::take(&mut waiting)),
                Rule::Attribute => waiting.attributes.push(child),
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
        let notes = self.annotations(node);
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
        let more: Vec<_> =
            self.dialect.more(node).iter().map(|name| self.beside(&draft, *name)).collect();
        let symbol = self.b.symbol(draft);
        self.dialect.after(self, node, symbol);
        self.enter(symbol, node);
        for draft in more {
            self.b.symbol(draft);
        }
        Some(symbol)
    }

    /// Another name of the same declaration.
    fn beside(&self, first: &Draft, name: Node<'_>) -> Draft {
        let mut draft = Draft::new(first.kind, self.plain(name), first.declaration, span(name));
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

    /// A value.
    pub fn expr(&mut self, node: Node<'_>) -> Expr {
        let rule = self.dialect.rule(self, node);
        self.expr_with(node, rule)
    }

    fn field_expr(&mut self, node: Node<'_>, field: &str) -> Expr {
        node.field(field).map_or(Expr::Unknown, |inner| self.expr(inner))
    }

    fn expr_with(&mut self, node: Node<'_>, rule: Rule) -> Expr {
        match rule {
            Rule::Name => self.name(&self.text(node)),
            Rule::This => Expr::This,
            Rule::Super => Expr::Super,
            Rule::Path => {
                let text: String = self.text(node).split_whitespace().collect();
                let parts = text.split("::").filter(|part| !part.is_empty());
                Expr::Path(
                    parts.map(|part| part.split('<').next().unwrap_or(part).into()).collect(),
                )
            }
            Rule::Text => {
                let text = self.text(node);
                let text = text.trim_matches(['"', '\'', '`']);
                self.inside(node);
                if text.len() <= LONGEST_TEXT { Expr::Text(text.into()) } else { Expr::Unknown }
            }
            Rule::Member(object, name) => {
                let object = self.field_expr(node, object);
                match node.field(name) {
                    Some(name) => Expr::Member(Box::new(object), self.plain(name)),
                    None => Expr::Unknown,
                }
            }
            Rule::Call(function, args) => {
                let callee = self.field_expr(node, function);
                let args = node.field(args).map(|list| self.args(list)).unwrap_or_default();
                let at = node.field(function).map_or(span(node).start, last_name);
                self.b.call(CallKind::Call, callee, args, span(node), at)
            }
            Rule::Method(object, name, args) => self.method(node, object, name, args),
            Rule::New(ty, args) => {
                let callee = node.field(ty).map_or(Expr::Unknown, |ty| self.type_value(ty));
                let args = node.field(args).map(|list| self.args(list)).unwrap_or_default();
                let at = node.field(ty).map_or(span(node).start, |ty| span(ty).start);
                let made = self.b.call(CallKind::New, callee, args, span(node), at);
                for rest in named(node).into_iter().filter(|one| one.kind().ends_with("body")) {
                    self.inside(rest);
                }
                made
            }
            other => self.statement(node, other),
        }
    }

    fn statement(&mut self, node: Node<'_>, rule: Rule) -> Expr {
        match rule {
            Rule::Lambda(sort) => return Expr::Symbol(self.lambda(sort, node)),
            Rule::Inner => {
                let mut last = Expr::Unknown;
                for child in named(node) {
                    last = self.expr(child);
                }
                return last;
            }
            Rule::Assign(left, right) => {
                let value = self.field_expr(node, right);
                if let Some(target) = node.field(left) {
                    self.assign_to(target, value.clone());
                }
                return value;
            }
            Rule::Own => {
                let dialect = self.dialect;
                return dialect.own(self, node);
            }
            Rule::Return => {
                let value = named(node).last().map_or(Expr::Unknown, |value| self.expr(*value));
                if value != Expr::Unknown {
                    self.b.step(Action::Return(value));
                }
            }
            Rule::Branch => self.block(BlockKind::Branch, node),
            Rule::Loop => self.block(BlockKind::Loop, node),
            Rule::Block => {
                let known = self.names.len();
                self.inside(node);
                self.names.truncate(known);
            }
            Rule::Param(name, ty) => self.param(node.field(name), node.field(ty)),
            Rule::Local(name, ty, value) => {
                let ty = node.field(ty).map(|ty| written(&self.text(ty)));
                let value = self.field_expr(node, value);
                if let Some(name) = node.field(name) {
                    self.declare(name, ty, value);
                }
            }
            Rule::Symbol(kind) => {
                self.symbol(kind, node, &Pending::default());
            }
            Rule::Wrap => self.wrap(node, Pending::default()),
            Rule::Skip | Rule::Comment | Rule::Attribute => {}
            _ => self.inside(node),
        }
        Expr::Unknown
    }

    fn block(&mut self, kind: BlockKind, node: Node<'_>) {
        let back = self.b.block(kind);
        let known = self.names.len();
        self.inside(node);
        self.names.truncate(known);
        self.b.back(back);
    }

    /// A name, local or not.
    pub fn name(&self, name: &str) -> Expr {
        match self.names.iter().rev().find(|(known, _)| known == name) {
            Some((_, local)) => Expr::Local(*local),
            None => Expr::Name(name.to_owned()),
        }
    }

    /// A name without type arguments.
    pub fn plain(&self, node: Node<'_>) -> String {
        let text = self.text(node);
        text.split('<').next().unwrap_or_default().trim().trim_start_matches('$').to_owned()
    }

    /// A type where a value is wanted: what `new` makes.
    pub fn type_value(&self, node: Node<'_>) -> Expr {
        match written(&self.text(node)) {
            TypeRef::Named { path, .. } => {
                let mut parts = path.split(['.', ':', '\\']).filter(|part| !part.is_empty());
                let root = parts.next().map_or(Expr::Unknown, |root| Expr::Name(root.into()));
                parts.fold(root, |object, part| object.member(part))
            }
            _ => Expr::Unknown,
        }
    }

    fn method(&mut self, node: Node<'_>, object: &str, name: &str, args: &str) -> Expr {
        let receiver = node.field(object).map(|object| self.expr(object));
        let Some(called) = node.field(name) else {
            self.inside(node);
            return Expr::Unknown;
        };
        let name = self.plain(called);
        let callee = match receiver {
            Some(receiver) => Expr::Member(Box::new(receiver), name),
            None => self.name(&name),
        };
        let args = node.field(args).map(|list| self.args(list)).unwrap_or_default();
        self.b.call(CallKind::Call, callee, args, span(node), span(called).start)
    }

    /// The arguments of a call.
    pub fn args(&mut self, list: Node<'_>) -> Vec<Arg> {
        let mut args = Vec::new();
        for part in named(list) {
            if part.kind().ends_with("comment") {
                continue;
            }
            let name = part.field("name").filter(|_| part.kind().contains("argument"));
            let name = name.map(|name| self.text(name).trim_end_matches(':').to_owned());
            let value = match part.field("value").filter(|_| part.kind().contains("argument")) {
                Some(value) => self.expr(value),
                None => self.expr(part),
            };
            args.push(Arg { value, name, spread: false });
        }
        args
    }

    /// Gives a value to a target.
    pub fn assign_to(&mut self, target: Node<'_>, value: Expr) {
        let place = match self.expr(target) {
            Expr::Local(local) => Place::Local(local),
            Expr::Name(name) => Place::Name(name),
            Expr::Member(object, name) => Place::Member(*object, name),
            _ => return,
        };
        self.b.assign(place, value);
    }

    /// Declares a local name.
    pub fn declare(&mut self, name: Node<'_>, ty: Option<TypeRef>, value: Expr) {
        let name = self.text(name).trim_start_matches('$').to_owned();
        let local = self.b.binding(name.clone(), BindingKind::Variable);
        self.b.facts.flow.bindings[local as usize].ty = ty.filter(|ty| *ty != TypeRef::Unknown);
        self.b.assign(Place::Local(local), value);
        self.names.push((name, local));
    }

    /// Declares a parameter of the function around it.
    pub fn param(&mut self, name: Option<Node<'_>>, ty: Option<Node<'_>>) {
        self.param_as(ParamKind::Plain, name, ty);
    }

    /// Declares a parameter that arguments reach in some way.
    pub fn param_as(&mut self, kind: ParamKind, name: Option<Node<'_>>, ty: Option<Node<'_>>) {
        let Some(function) = self.b.at.owner else { return };
        let name = name.map(|name| self.plain(name)).unwrap_or_default();
        let ty = ty.map(|ty| written(&self.text(ty))).filter(|ty| *ty != TypeRef::Unknown);
        let before = self.b.facts.flow.params.iter().rev();
        let position = offset(before.take_while(|param| param.function == function).count());
        let at = offset(self.b.facts.flow.params.len());
        let kept =
            Param { function, name: name.clone(), position, kind, default: None, ty: ty.clone() };
        self.b.facts.flow.params.push(kept);
        if !name.is_empty() {
            let local = self.b.binding(name.clone(), BindingKind::Param(at));
            self.b.facts.flow.bindings[local as usize].ty = ty;
            self.names.push((name, local));
        }
    }

    fn lambda(&mut self, sort: &'static str, node: Node<'_>) -> u32 {
        let whole = span(node);
        let name = self.b.anonymous(sort);
        let at = Span::new(whole.start, whole.start);
        let mut draft = Draft::new(SymbolKind::Function, name, whole, at);
        draft.parent = self.b.at.owner;
        draft.body = self.dialect.body(node).map(span);
        let end = draft.body.map_or(whole.end, |body| body.start);
        let signature = self.b.fold(Span::new(whole.start, end));
        draft.signature =
            signature.trim_end_matches("=>").trim_end_matches("->").trim_end().to_owned();
        draft.flags = Flags::ANONYMOUS | Flags::VALUE | Flags::ARROW;
        let symbol = self.b.symbol(draft);
        let back = self.b.enter(symbol);
        let known = self.names.len();
        self.dialect.params(self, node);
        self.inside(node);
        self.names.truncate(known);
        self.b.back(back);
        symbol
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

/// Where the last name of a callee starts.
fn last_name(node: Node<'_>) -> u32 {
    let last = ["field", "name", "suffix", "attribute"].iter().find_map(|one| node.field(one));
    span(last.unwrap_or(node)).start
}

/// How much white space a text starts with.
fn blank(text: &str) -> u32 {
    offset(text.len() - text.trim_start().len())
}
