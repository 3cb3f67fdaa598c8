//! Values and calls.

use base::Span;

use super::RustWalker;
use super::made_functions::macro_callee;
use crate::facts_builder::SymbolDraft;
use crate::model::{
    Arg, AssignTarget, CallKind, Expr, FlowAction, FlowBlockKind, LiteralItem, LiteralKind,
    SymbolFlags, SymbolKind,
};
use crate::treesitter::{Node, NodeExt, PendingTrivia, children, named_children, span};

impl RustWalker<'_> {
    /// The value of an expression. A node without a value is walked too.
    pub(super) fn expr(&mut self, node: Node<'_>) -> Expr {
        match node.kind() {
            "identifier" | "shorthand_field_identifier" => self.name(node),
            "self" => Expr::This,
            "scoped_identifier" => {
                let path = Expr::Path(self.path(node));
                self.builder.add_mention(&path, false, span(node).start);
                path
            }
            "generic_function" => node.field("function").map_or(Expr::Unknown, |f| self.expr(f)),
            "field_expression" => self.member(node),
            "call_expression" => self.call(node),
            "macro_invocation" => self.macro_call(node),
            "struct_expression" => self.construct(node),
            "closure_expression" => self.closure(node),
            "block" | "unsafe_block" | "async_block" | "const_block" | "gen_block" => {
                self.block(node)
            }
            "expression_statement" => {
                self.first(node);
                Expr::Unknown
            }
            "let_declaration" => self.let_declaration(node),
            "if_expression" => self.if_expression(node),
            "match_expression" => self.match_expression(node),
            "for_expression" => self.for_expression(node),
            "while_expression" | "loop_expression" => self.walk_loop(node),
            "return_expression" => {
                let value = self.first(node);
                if value != Expr::Unknown {
                    self.builder.add_step(FlowAction::Return(value));
                }
                Expr::Unknown
            }
            "parenthesized_expression" | "await_expression" | "reference_expression" => {
                self.last(node)
            }
            "try_expression" => self.first(node).each(),
            "unary_expression" => {
                let value = self.last(node);
                if node.has_token("*") { value } else { Expr::Unknown }
            }
            other => self.uncommon_expr(other, node),
        }
    }

    fn uncommon_expr(&mut self, kind: &str, node: Node<'_>) -> Expr {
        match kind {
            "assignment_expression" => {
                let value = node.field("right").map_or(Expr::Unknown, |right| self.expr(right));
                if let Some(place) = node.field("left").and_then(|left| self.place(left)) {
                    self.builder.add_assignment(place, value);
                }
                Expr::Unknown
            }
            "type_cast_expression" => {
                let value = node.field("value").map_or(Expr::Unknown, |value| self.expr(value));
                let ty = node.field("type").map(|ty| self.ty(ty));
                ty.map_or(Expr::Unknown, |ty| value.typed(ty))
            }
            "tuple_expression" => self.list(node, LiteralKind::Tuple),
            "array_expression" => self.list(node, LiteralKind::List),
            "index_expression" => {
                let parts = named_children(node);
                let values: Vec<_> = parts.into_iter().map(|part| self.expr(part)).collect();
                let object = values.into_iter().next().unwrap_or_default();
                object.each()
            }
            "let_condition" => {
                let value = node.field("value").map_or(Expr::Unknown, |value| self.expr(value));
                if let Some(pattern) = node.field("pattern") {
                    self.bind(pattern, value);
                }
                Expr::Unknown
            }
            "break_expression" => self.last(node),
            "integer_literal" | "string_literal" | "char_literal" | "boolean_literal"
            | "float_literal" | "raw_string_literal" | "line_comment" | "block_comment"
            | "attribute_item" | "label" | "lifetime" | "type_arguments" => Expr::Unknown,
            _ => {
                for child in named_children(node) {
                    self.expr(child);
                }
                Expr::Unknown
            }
        }
    }

    fn first(&mut self, node: Node<'_>) -> Expr {
        let child = named_children(node).into_iter().find(|child| !is_comment(*child));
        child.map_or(Expr::Unknown, |child| self.expr(child))
    }

    fn last(&mut self, node: Node<'_>) -> Expr {
        let child = named_children(node).into_iter().rfind(|child| !is_comment(*child));
        child.map_or(Expr::Unknown, |child| self.expr(child))
    }

    fn name(&mut self, node: Node<'_>) -> Expr {
        let text = node.text(&self.builder);
        if let Some((_, local)) = self.names.iter().rev().find(|(name, _)| name == text) {
            return Expr::Local(*local);
        }
        let name = Expr::Name(text.to_owned());
        self.builder.add_mention(&name, false, span(node).start);
        name
    }

    fn member(&mut self, node: Node<'_>) -> Expr {
        let object = node.field("value").map_or(Expr::Unknown, |value| self.expr(value));
        let Some(field) = node.field("field") else { return Expr::Unknown };
        // The name of a method is kept even if its receiver is unknown.
        Expr::Member(Box::new(object), self.text(field))
    }

    fn call(&mut self, node: Node<'_>) -> Expr {
        let Some(function) = node.field("function") else { return Expr::Unknown };
        let callee = self.expr(function);
        let args = node.field("arguments").map(|list| self.args(list)).unwrap_or_default();
        let at = callee_name_offset(function);
        self.builder.add_call(CallKind::Call, callee, args, span(node), at)
    }

    fn args(&mut self, list: Node<'_>) -> Vec<Arg> {
        let parts = named_children(list).into_iter().filter(|part| !is_comment(*part));
        parts.map(|part| Arg::positional(self.expr(part))).collect()
    }

    /// Records the call of a macro whose arguments are part of what it makes.
    pub(super) fn macro_mention(&mut self, node: Node<'_>) {
        let Some(name) = node.field("macro") else { return };
        let callee = macro_callee(self.path(name));
        self.builder.add_mention(&callee, false, span(name).start);
        self.builder.add_call(CallKind::Macro, callee, Vec::new(), span(node), span(name).start);
    }

    fn macro_call(&mut self, node: Node<'_>) -> Expr {
        let Some(name) = node.field("macro") else { return Expr::Unknown };
        let callee = macro_callee(self.path(name));
        self.builder.add_mention(&callee, false, span(name).start);
        let args = match node.child_of_kind(&["token_tree"]) {
            Some(tokens) => self.token_args(tokens),
            None => Vec::new(),
        };
        let is_list = callee == Expr::Name("vec".into());
        let items = is_list.then(|| args.clone());
        let call =
            self.builder.add_call(CallKind::Macro, callee, args, span(node), span(name).start);
        match items {
            Some(items) => {
                let items = items.into_iter();
                let items =
                    items.map(|arg| LiteralItem { key: None, value: arg.value, spread: false });
                Expr::Items(LiteralKind::List, items.collect())
            }
            None => call,
        }
    }

    /// `Type { field: value }`, which makes one.
    fn construct(&mut self, node: Node<'_>) -> Expr {
        let Some(name) = node.field("name") else { return Expr::Unknown };
        let path = self.path(name);
        let callee = match path.as_slice() {
            [one] => Expr::Name(one.clone()),
            _ => Expr::Path(path),
        };
        self.builder.add_mention(&callee, true, span(name).start);
        let mut args = Vec::new();
        for part in node.field("body").map(named_children).unwrap_or_default() {
            match part.kind() {
                "field_initializer" => {
                    let key = part.field("field").or_else(|| part.field("name"));
                    let name = key.map(|key| self.text(key));
                    let value = part.field("value").map_or(Expr::Unknown, |value| self.expr(value));
                    args.push(Arg { value, name, spread: false });
                }
                "shorthand_field_initializer" => {
                    let name =
                        named_children(part).into_iter().rfind(|one| one.kind() == "identifier");
                    if let Some(name) = name {
                        let value = self.name(name);
                        args.push(Arg { value, name: Some(self.text(name)), spread: false });
                    }
                }
                "base_field_initializer" => {
                    let value = self.first(part);
                    args.push(Arg { value, name: None, spread: true });
                }
                _ => {}
            }
        }
        args.retain(|arg| arg.value != Expr::Unknown);
        self.builder.add_call(CallKind::New, callee, args, span(node), callee_name_offset(name))
    }

    fn closure(&mut self, node: Node<'_>) -> Expr {
        let whole = span(node);
        let name = self.builder.next_anonymous_name("closure");
        let at = Span::new(whole.start, whole.start);
        let mut draft = SymbolDraft::new(SymbolKind::Function, name, whole, at);
        let body = node.field("body");
        draft.parent = self.builder.position.owner;
        draft.body = body.map(span);
        let end = draft.body.map_or(whole.end, |body| body.start);
        draft.signature = self.builder.one_line_signature(Span::new(whole.start, end));
        draft.flags = SymbolFlags::ANONYMOUS | SymbolFlags::FUNCTION_VALUE | SymbolFlags::ARROW;
        draft.ty = node.field("return_type").map(|ty| self.ty(ty));
        let symbol = self.builder.add_symbol(draft);
        let back = self.builder.enter_symbol(symbol);
        let known = self.names.len();
        let params = node.field("parameters").map(named_children).unwrap_or_default();
        self.params(symbol, &params);
        if let Some(body) = body {
            let value = self.expr(body);
            if value != Expr::Unknown {
                self.builder.add_step(FlowAction::Return(value));
            }
        }
        self.names.truncate(known);
        self.builder.restore_position(back);
        Expr::Symbol(symbol)
    }

    fn block(&mut self, node: Node<'_>) -> Expr {
        let known = self.names.len();
        let mut value = Expr::Unknown;
        let mut pending = PendingTrivia::default();
        for child in children(node) {
            match child.kind() {
                "block" => value = self.block(child),
                "{" | "}" | ";" | "unsafe" | "async" | "const" | "move" | "label" | ":" | "gen" => {
                }
                "attribute_item" => pending.attributes.push(child),
                "line_comment" | "block_comment" => {
                    self.comment(child, &mut pending, &mut PendingTrivia::default());
                }
                kind => {
                    let waiting = std::mem::take(&mut pending);
                    value = self.item(kind, child, &waiting);
                }
            }
        }
        self.names.truncate(known);
        value
    }

    fn let_declaration(&mut self, node: Node<'_>) -> Expr {
        let value = node.field("value").map_or(Expr::Unknown, |value| self.expr(value));
        if let Some(other) = node.field("alternative") {
            self.branch(other);
        }
        let ty = node.field("type").map(|ty| self.ty(ty));
        if let Some(pattern) = node.field("pattern") {
            self.bind_typed(pattern, value, ty);
        }
        Expr::Unknown
    }

    fn branch(&mut self, node: Node<'_>) -> Expr {
        let back = self.builder.enter_block(FlowBlockKind::Branch);
        let known = self.names.len();
        let value = self.expr(node);
        self.names.truncate(known);
        self.builder.restore_position(back);
        value
    }

    fn if_expression(&mut self, node: Node<'_>) -> Expr {
        let known = self.names.len();
        if let Some(condition) = node.field("condition") {
            self.expr(condition);
        }
        let yes = node.field("consequence").map_or(Expr::Unknown, |block| self.branch(block));
        self.names.truncate(known);
        let no = node.field("alternative").and_then(|other| named_children(other).last().copied());
        let no = no.map_or(Expr::Unknown, |other| self.branch(other));
        Expr::either([yes, no])
    }

    fn match_expression(&mut self, node: Node<'_>) -> Expr {
        let value = node.field("value").map_or(Expr::Unknown, |value| self.expr(value));
        let mut results = Vec::new();
        for arm in node.field("body").map(named_children).unwrap_or_default() {
            if arm.kind() != "match_arm" {
                continue;
            }
            let back = self.builder.enter_block(FlowBlockKind::Branch);
            let known = self.names.len();
            if let Some(pattern) = arm.field("pattern") {
                if let Some(inner) = named_children(pattern).first() {
                    self.bind(*inner, value.clone());
                }
                if let Some(condition) = pattern.field("condition") {
                    self.expr(condition);
                }
            }
            if let Some(result) = arm.field("value") {
                results.push(self.expr(result));
            }
            self.names.truncate(known);
            self.builder.restore_position(back);
        }
        Expr::either(results)
    }

    fn for_expression(&mut self, node: Node<'_>) -> Expr {
        let over = node.field("value").map_or(Expr::Unknown, |value| self.expr(value)).each();
        let back = self.builder.enter_block(FlowBlockKind::Loop);
        let known = self.names.len();
        if let Some(pattern) = node.field("pattern") {
            self.bind(pattern, over);
        }
        if let Some(body) = node.field("body") {
            self.expr(body);
        }
        self.names.truncate(known);
        self.builder.restore_position(back);
        Expr::Unknown
    }

    fn walk_loop(&mut self, node: Node<'_>) -> Expr {
        let back = self.builder.enter_block(FlowBlockKind::Loop);
        let known = self.names.len();
        if let Some(condition) = node.field("condition") {
            self.expr(condition);
        }
        if let Some(body) = node.field("body") {
            self.expr(body);
        }
        self.names.truncate(known);
        self.builder.restore_position(back);
        Expr::Unknown
    }

    fn list(&mut self, node: Node<'_>, kind: LiteralKind) -> Expr {
        let parts = named_children(node).into_iter().filter(|part| !is_comment(*part));
        let items =
            parts.map(|part| LiteralItem { key: None, value: self.expr(part), spread: false });
        let items: Vec<_> = items.collect();
        if items.iter().all(|item| item.value == Expr::Unknown) {
            return Expr::Unknown;
        }
        Expr::Items(kind, items)
    }

    fn place(&mut self, node: Node<'_>) -> Option<AssignTarget> {
        match self.expr(node) {
            Expr::Local(local) => Some(AssignTarget::Local(local)),
            Expr::Name(name) => Some(AssignTarget::Name(name)),
            Expr::Member(object, name) => Some(AssignTarget::Member(*object, name)),
            Expr::Each(object) => Some(AssignTarget::Index(*object, Expr::Unknown)),
            _ => None,
        }
    }
}

pub(super) fn is_comment(node: Node<'_>) -> bool {
    matches!(node.kind(), "line_comment" | "block_comment" | "attribute_item")
}

/// The offset of the called name.
fn callee_name_offset(function: Node<'_>) -> u32 {
    let inner = match function.kind() {
        "generic_function" => function.field("function"),
        "generic_type_with_turbofish" => function.field("type"),
        _ => None,
    };
    let function = inner.unwrap_or(function);
    let last = function.field("field").or_else(|| function.field("name"));
    span(last.unwrap_or(function)).start
}
