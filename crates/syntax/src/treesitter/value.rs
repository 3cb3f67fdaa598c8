//! Values and calls, for the languages that share a walker.

use base::Span;

use super::walk::GrammarWalker;
use super::{Node, NodeExt, NodeRule, PendingTrivia, named_children, parse_type_text, span};
use crate::facts_builder::SymbolDraft;
use crate::line_index::offset;
use crate::model::{
    Arg, AssignTarget, BindingKind, CallKind, Expr, FlowAction, FlowBlockKind, Param, ParamKind,
    SymbolFlags, SymbolKind, TypeRef,
};

/// Longer string literals are not kept, since they are not keys or names.
const MAX_TEXT_LITERAL_LEN: usize = 80;

impl GrammarWalker<'_> {
    /// A value.
    pub fn expr(&mut self, node: Node<'_>) -> Expr {
        let rule = self.rules.rule(self, node);
        self.expr_with(node, rule)
    }

    fn field_expr(&mut self, node: Node<'_>, field: &str) -> Expr {
        node.field(field).map_or(Expr::Unknown, |inner| self.expr(inner))
    }

    pub(super) fn expr_with(&mut self, node: Node<'_>, rule: NodeRule) -> Expr {
        match rule {
            NodeRule::Name => self.name(&self.text(node)),
            NodeRule::This => Expr::This,
            NodeRule::Super => Expr::Super,
            NodeRule::Path => {
                let text: String = self.text(node).split_whitespace().collect();
                let parts = text.split("::").filter(|part| !part.is_empty());
                Expr::Path(
                    parts.map(|part| part.split('<').next().unwrap_or(part).into()).collect(),
                )
            }
            NodeRule::Text => {
                let text = self.text(node);
                let text = text.trim_matches(['"', '\'', '`']);
                self.walk_children(node);
                if text.len() <= MAX_TEXT_LITERAL_LEN {
                    Expr::Text(text.into())
                } else {
                    Expr::Unknown
                }
            }
            NodeRule::Member(object, name) => {
                let object = self.field_expr(node, object);
                match node.field(name) {
                    Some(name) => Expr::Member(Box::new(object), self.name_without_type_args(name)),
                    None => Expr::Unknown,
                }
            }
            NodeRule::Call(function, args) => {
                let callee = self.field_expr(node, function);
                let args = node.field(args).map(|list| self.args(list)).unwrap_or_default();
                let at = node.field(function).map_or(span(node).start, last_name_start);
                self.builder.add_call(CallKind::Call, callee, args, span(node), at)
            }
            NodeRule::Method(object, name, args) => self.method(node, object, name, args),
            NodeRule::New(ty, args) => {
                let callee = node.field(ty).map_or(Expr::Unknown, |ty| self.type_value(ty));
                let args = node.field(args).map(|list| self.args(list)).unwrap_or_default();
                let at = node.field(ty).map_or(span(node).start, |ty| span(ty).start);
                let made = self.builder.add_call(CallKind::New, callee, args, span(node), at);
                for rest in
                    named_children(node).into_iter().filter(|one| one.kind().ends_with("body"))
                {
                    self.walk_children(rest);
                }
                made
            }
            other => self.statement(node, other),
        }
    }

    fn statement(&mut self, node: Node<'_>, rule: NodeRule) -> Expr {
        match rule {
            NodeRule::Lambda(sort) => return Expr::Symbol(self.lambda(sort, node)),
            NodeRule::LastChild => {
                let mut last = Expr::Unknown;
                for child in named_children(node) {
                    last = self.expr(child);
                }
                return last;
            }
            NodeRule::Assign(left, right) => {
                let value = self.field_expr(node, right);
                if let Some(target) = node.field(left) {
                    self.assign_to(target, value.clone());
                }
                return value;
            }
            NodeRule::Custom => {
                let dialect = self.rules;
                return dialect.custom_expr(self, node);
            }
            NodeRule::Return => {
                let value =
                    named_children(node).last().map_or(Expr::Unknown, |value| self.expr(*value));
                if value != Expr::Unknown {
                    self.builder.add_step(FlowAction::Return(value));
                }
            }
            NodeRule::Branch => self.walk_block(FlowBlockKind::Branch, node),
            NodeRule::Loop => self.walk_block(FlowBlockKind::Loop, node),
            NodeRule::Block => {
                let known = self.names.len();
                self.walk_children(node);
                self.names.truncate(known);
            }
            NodeRule::Param(name, ty) => self.param(node.field(name), node.field(ty)),
            NodeRule::Symbol(kind) => {
                self.declare_symbol(kind, node, &PendingTrivia::default());
            }
            NodeRule::Wrap => self.walk_wrapper(node, PendingTrivia::default()),
            NodeRule::Skip | NodeRule::Comment | NodeRule::Attribute => {}
            _ => self.walk_children(node),
        }
        Expr::Unknown
    }

    fn walk_block(&mut self, kind: FlowBlockKind, node: Node<'_>) {
        self.in_block(kind, |walk| walk.walk_children(node));
    }

    /// Walks a conditional branch in its own scope.
    pub fn branch(&mut self, read: impl FnOnce(&mut Self)) {
        self.in_block(FlowBlockKind::Branch, read);
    }

    fn in_block(&mut self, kind: FlowBlockKind, read: impl FnOnce(&mut Self)) {
        let back = self.builder.enter_block(kind);
        let known = self.names.len();
        read(self);
        self.names.truncate(known);
        self.builder.restore_position(back);
    }

    /// How many local names are known.
    pub const fn known_names(&self) -> usize {
        self.names.len()
    }

    /// Removes the local names after the first `known`.
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
    pub fn name_without_type_args(&self, node: Node<'_>) -> String {
        let text = self.text(node);
        text.split('<').next().unwrap_or_default().trim().trim_start_matches('$').to_owned()
    }

    /// A type as a value: what `new` constructs.
    pub fn type_value(&self, node: Node<'_>) -> Expr {
        match parse_type_text(&self.text(node)) {
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
            self.walk_children(node);
            return Expr::Unknown;
        };
        let name = self.name_without_type_args(method);
        let callee = match receiver {
            Some(receiver) => Expr::Member(Box::new(receiver), name),
            None => self.name(&name),
        };
        let args = node.field(args).map(|list| self.args(list)).unwrap_or_default();
        self.builder.add_call(CallKind::Call, callee, args, span(node), span(method).start)
    }

    /// The arguments of a call.
    pub fn args(&mut self, list: Node<'_>) -> Vec<Arg> {
        let mut args = Vec::new();
        for part in named_children(list) {
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
            Expr::Local(local) => AssignTarget::Local(local),
            Expr::Name(name) => AssignTarget::Name(name),
            Expr::Member(object, name) => AssignTarget::Member(*object, name),
            _ => return,
        };
        self.builder.add_assignment(place, value);
    }

    /// Declares a local name.
    pub fn declare(&mut self, name: Node<'_>, ty: Option<TypeRef>, value: Expr) {
        let name = self.text(name).trim_start_matches('$').to_owned();
        let local = self.builder.add_binding(name.clone(), BindingKind::Variable);
        self.builder.facts.flow.bindings[local as usize].ty =
            ty.filter(|ty| *ty != TypeRef::Unknown);
        self.builder.add_assignment(AssignTarget::Local(local), value);
        self.names.push((name, local));
    }

    /// Declares a local name for something other than a variable.
    pub fn bind(&mut self, name: Node<'_>, kind: BindingKind) {
        let name = self.text(name);
        let local = self.builder.add_binding(name.clone(), kind);
        self.names.push((name, local));
    }

    /// Declares a parameter of the function around it.
    pub fn param(&mut self, name: Option<Node<'_>>, ty: Option<Node<'_>>) {
        self.param_with_kind(ParamKind::Plain, name, ty);
    }

    /// Declares a parameter that arguments reach in some way.
    pub fn param_with_kind(
        &mut self,
        kind: ParamKind,
        name: Option<Node<'_>>,
        ty: Option<Node<'_>>,
    ) {
        let ty = ty.map(|ty| parse_type_text(&self.text(ty)));
        self.param_with_type(kind, name, ty);
    }

    /// Declares a parameter whose type was read. A receiver has no place among the arguments.
    pub fn param_with_type(
        &mut self,
        kind: ParamKind,
        name: Option<Node<'_>>,
        ty: Option<TypeRef>,
    ) {
        let Some(function) = self.builder.position.owner else { return };
        let name = name.map(|name| self.name_without_type_args(name)).unwrap_or_default();
        let ty = ty.filter(|ty| *ty != TypeRef::Unknown);
        let before = self.builder.facts.flow.params.iter().rev();
        let before = before.take_while(|param| param.function == function);
        let before = before.filter(|param| param.kind != ParamKind::Receiver);
        let position = offset(before.count());
        let at = offset(self.builder.facts.flow.params.len());
        let kept =
            Param { function, name: name.clone(), position, kind, default: None, ty: ty.clone() };
        self.builder.facts.flow.params.push(kept);
        if !name.is_empty() {
            let local = self.builder.add_binding(name.clone(), BindingKind::Param(at));
            self.builder.facts.flow.bindings[local as usize].ty = ty;
            self.names.push((name, local));
        }
    }

    fn lambda(&mut self, sort: &'static str, node: Node<'_>) -> u32 {
        let whole = span(node);
        let name = self.builder.next_anonymous_name(sort);
        let at = Span::new(whole.start, whole.start);
        let mut draft = SymbolDraft::new(SymbolKind::Function, name, whole, at);
        draft.parent = self.builder.position.owner;
        draft.body = self.rules.body(node).map(span);
        let end = draft.body.map_or(whole.end, |body| body.start);
        let signature = self.builder.one_line_signature(Span::new(whole.start, end));
        draft.signature = signature.trim_end_matches("=>").trim_end_matches("->").trim_end().into();
        draft.flags = SymbolFlags::ANONYMOUS | SymbolFlags::FUNCTION_VALUE | SymbolFlags::ARROW;
        let symbol = self.builder.add_symbol(draft);
        let back = self.builder.enter_symbol(symbol);
        let known = self.names.len();
        self.rules.lambda_params(self, node);
        self.walk_children(node);
        self.names.truncate(known);
        self.builder.restore_position(back);
        symbol
    }
}

/// Where the last name of a callee starts.
fn last_name_start(node: Node<'_>) -> u32 {
    let last = ["field", "name", "suffix", "attribute"].iter().find_map(|one| node.field(one));
    span(last.unwrap_or(node)).start
}
