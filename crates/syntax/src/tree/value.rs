//! Values and calls, for the languages that share a walk.

use base::Span;

use super::walk::Walk;
use super::{Grown, Node, Pending, Rule, named, span, written};
use crate::build::Draft;
use crate::lines::offset;
use crate::model::{
    Action, Arg, BindingKind, BlockKind, CallKind, Expr, Flags, Param, ParamKind, Place,
    SymbolKind, TypeRef,
};

/// Longer texts are not keys or names.
const LONGEST_TEXT: usize = 80;

impl Walk<'_> {
    /// A value.
    pub fn expr(&mut self, node: Node<'_>) -> Expr {
        let rule = self.dialect.rule(self, node);
        self.expr_with(node, rule)
    }

    fn field_expr(&mut self, node: Node<'_>, field: &str) -> Expr {
        node.field(field).map_or(Expr::Unknown, |inner| self.expr(inner))
    }

    pub(super) fn expr_with(&mut self, node: Node<'_>, rule: Rule) -> Expr {
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
        self.within(kind, |walk| walk.inside(node));
    }

    /// Reads something that may not run, with names of its own.
    pub fn branch(&mut self, read: impl FnOnce(&mut Self)) {
        self.within(BlockKind::Branch, read);
    }

    fn within(&mut self, kind: BlockKind, read: impl FnOnce(&mut Self)) {
        let back = self.b.block(kind);
        let known = self.names.len();
        read(self);
        self.names.truncate(known);
        self.b.back(back);
    }

    /// How many local names are known.
    pub const fn known_names(&self) -> usize {
        self.names.len()
    }

    /// Forgets the local names that came after so many.
    pub fn forget_names(&mut self, known: usize) {
        self.names.truncate(known);
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
                parts.fold(root, Expr::member)
            }
            _ => Expr::Unknown,
        }
    }

    fn method(&mut self, node: Node<'_>, object: &str, name: &str, args: &str) -> Expr {
        let receiver = node.field(object).map(|object| self.expr(object));
        let Some(method) = node.field(name) else {
            self.inside(node);
            return Expr::Unknown;
        };
        let name = self.plain(method);
        let callee = match receiver {
            Some(receiver) => Expr::Member(Box::new(receiver), name),
            None => self.name(&name),
        };
        let args = node.field(args).map(|list| self.args(list)).unwrap_or_default();
        self.b.call(CallKind::Call, callee, args, span(node), span(method).start)
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
        let ty = ty.map(|ty| written(&self.text(ty)));
        self.param_of(kind, name, ty);
    }

    /// Declares a parameter whose type was read. A receiver has no place among the arguments.
    pub fn param_of(&mut self, kind: ParamKind, name: Option<Node<'_>>, ty: Option<TypeRef>) {
        let Some(function) = self.b.at.owner else { return };
        let name = name.map(|name| self.plain(name)).unwrap_or_default();
        let ty = ty.filter(|ty| *ty != TypeRef::Unknown);
        let before = self.b.facts.flow.params.iter().rev();
        let before = before.take_while(|param| param.function == function);
        let before = before.filter(|param| param.kind != ParamKind::Receiver);
        let position = offset(before.count());
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
        draft.signature = signature.trim_end_matches("=>").trim_end_matches("->").trim_end().into();
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
}

/// Where the last name of a callee starts.
fn last_name(node: Node<'_>) -> u32 {
    let last = ["field", "name", "suffix", "attribute"].iter().find_map(|one| node.field(one));
    span(last.unwrap_or(node)).start
}
