//! Statements.

use super::PythonWalker;
use crate::model::{
    Arg, AssignTarget, BindingKind, CallKind, Export, ExportKind, Expr, FlowAction, FlowBlockKind,
    LiteralItem, LiteralKind, TypeRef, Visibility,
};
use crate::treesitter::{Node, NodeExt, children, named_children, span};

impl PythonWalker<'_> {
    /// The statements of a body.
    pub(super) fn block(&mut self, node: Node<'_>) {
        for child in named_children(node) {
            self.statement(child);
        }
    }

    fn statement(&mut self, node: Node<'_>) {
        match node.kind() {
            "expression_statement" => {
                for child in named_children(node) {
                    self.expr(child);
                }
            }
            "function_definition" => self.function(node, span(node), &[]),
            "class_definition" => self.class(node, span(node), &[]),
            "decorated_definition" => self.decorated(node),
            "import_statement" => self.import(node),
            "import_from_statement" | "future_import_statement" => self.import_from(node),
            "return_statement" => {
                let value =
                    named_children(node).first().map_or(Expr::Unknown, |value| self.expr(*value));
                if value != Expr::Unknown {
                    self.builder.add_step(FlowAction::Return(value));
                }
            }
            "raise_statement" => self.raise(node),
            "if_statement" => self.if_statement(node),
            "for_statement" => self.for_statement(node),
            "while_statement" => {
                let back = self.builder.enter_block(FlowBlockKind::Loop);
                for child in named_children(node) {
                    self.walk_clause(child);
                }
                self.builder.restore_position(back);
            }
            "try_statement" => self.try_statement(node),
            "with_statement" => self.with_statement(node),
            "match_statement" => self.match_statement(node),
            "global_statement" | "nonlocal_statement" | "comment" | "pass_statement"
            | "break_statement" | "continue_statement" => {}
            "type_alias_statement" => {
                for child in named_children(node) {
                    self.annotation(child);
                }
            }
            "block" | "ERROR" => self.block(node),
            _ => {
                self.expr(node);
            }
        }
    }

    /// A class that is raised is called first; an error that is there already is not.
    fn raise(&mut self, node: Node<'_>) {
        for (at, child) in named_children(node).into_iter().enumerate() {
            let value = self.expr(child);
            let may_be_class = matches!(value, Expr::Local(_) | Expr::Name(_) | Expr::Member(..));
            if at == 0 && may_be_class {
                let last = child.field("attribute").unwrap_or(child);
                let (whole, at) = (span(child), span(last).start);
                self.builder.add_call(CallKind::Call, value, Vec::new(), whole, at);
            }
        }
    }

    /// A body or a value, whichever it is.
    fn walk_clause(&mut self, node: Node<'_>) {
        match node.kind() {
            "block" => self.block(node),
            "else_clause" | "finally_clause" => {
                for child in named_children(node) {
                    self.walk_clause(child);
                }
            }
            _ => {
                self.expr(node);
            }
        }
    }

    fn if_statement(&mut self, node: Node<'_>) {
        let condition = node.field("condition");
        let checks = condition.is_some_and(|test| self.text(test).ends_with("TYPE_CHECKING"));
        for child in named_children(node) {
            let is_test = Some(child) == condition;
            match child.kind() {
                "block" => {
                    let was = self.types_only;
                    self.types_only |= checks;
                    // Code that only runs for type checkers still declares names for what follows.
                    let back = self.builder.position;
                    if !checks {
                        self.builder.enter_block(FlowBlockKind::Branch);
                    }
                    self.block(child);
                    self.builder.restore_position(back);
                    self.types_only = was;
                }
                "elif_clause" | "else_clause" => {
                    let back = self.builder.enter_block(FlowBlockKind::Branch);
                    for part in named_children(child) {
                        self.walk_clause(part);
                    }
                    self.builder.restore_position(back);
                }
                _ if is_test => {
                    self.expr(child);
                }
                _ => {}
            }
        }
    }

    fn for_statement(&mut self, node: Node<'_>) {
        let over = node.field("right").map_or(Expr::Unknown, |over| self.expr(over)).each();
        let back = self.builder.enter_block(FlowBlockKind::Loop);
        if let Some(left) = node.field("left") {
            self.assign_to(left, over);
        }
        if let Some(body) = node.field("body") {
            self.block(body);
        }
        self.builder.restore_position(back);
        if let Some(other) = node.field("alternative") {
            self.walk_clause(other);
        }
    }

    fn try_statement(&mut self, node: Node<'_>) {
        for child in named_children(node) {
            if child.kind() == "except_clause" || child.kind() == "except_group_clause" {
                let back = self.builder.enter_block(FlowBlockKind::Handler);
                for part in named_children(child) {
                    match part.kind() {
                        "as_pattern" => self.walk_except_clause(part),
                        _ => self.walk_clause(part),
                    }
                }
                self.builder.restore_position(back);
            } else {
                self.walk_clause(child);
            }
        }
    }

    fn walk_except_clause(&mut self, node: Node<'_>) {
        let Some(what) = named_children(node).first().copied() else { return };
        self.expr(what);
        let ty = self.type_expr(what);
        let Some(alias) =
            node.field("alias").and_then(|alias| named_children(alias).first().copied())
        else {
            return;
        };
        if let AssignTarget::Local(local) = self.assign_target(&self.text(alias)) {
            let binding = &mut self.builder.facts.flow.bindings[local as usize];
            let is_new = binding.kind == BindingKind::Variable && binding.ty.is_none();
            if is_new && ty != TypeRef::Unknown {
                binding.ty = Some(ty);
            }
        }
    }

    fn with_statement(&mut self, node: Node<'_>) {
        let enter_name = if node.has_token("async") { "__aenter__" } else { "__enter__" };
        let items = node.child_of_kind(&["with_clause"]).map(named_children).unwrap_or_default();
        for item in items {
            let Some(value) = item.field("value") else { continue };
            let is_as = value.kind() == "as_pattern";
            let source = if is_as { named_children(value).first().copied() } else { Some(value) };
            let Some(source) = source else { continue };
            let held = self.expr(source);
            if held == Expr::Unknown {
                continue;
            }
            let held = self.builder.bind_if_shared(held, 2);
            let enter = held.clone().member(enter_name);
            let at = span(source);
            let entered = self.builder.add_call(CallKind::Call, enter, Vec::new(), at, at.start);
            if let Some(alias) = value.field("alias").filter(|_| is_as) {
                self.assign_to(alias, Expr::either([entered, held.each()]));
            }
        }
        if let Some(body) = node.field("body") {
            self.block(body);
        }
    }

    fn match_statement(&mut self, node: Node<'_>) {
        let subject = node.field("subject").map_or(Expr::Unknown, |subject| self.expr(subject));
        for case in node.field("body").map(named_children).unwrap_or_default() {
            let back = self.builder.enter_block(FlowBlockKind::Branch);
            for part in named_children(case) {
                match part.kind() {
                    "case_pattern" => {
                        if let [one] = named_children(part).as_slice()
                            && one.kind() == "dotted_name"
                        {
                            let name = self.text(*one);
                            let place = self.assign_target(&name);
                            self.builder.add_assignment(place, subject.clone());
                        }
                    }
                    _ => self.walk_clause(part),
                }
            }
            self.builder.restore_position(back);
        }
    }

    /// `a = b`, `a: T = b`, `a += b`.
    pub(super) fn assignment(&mut self, node: Node<'_>) -> Expr {
        let Some(left) = node.field("left") else { return Expr::Unknown };
        let ty = node.field("type").and_then(|ty| self.annotation(ty));
        let right = node.field("right");
        if node.kind() == "augmented_assignment" {
            let value = right.map_or(Expr::Unknown, |right| self.expr(right));
            return self.augmented(left, value);
        }
        if left.kind() == "identifier" {
            self.variable(left, node, ty.as_ref());
        }
        let value = right.map_or(Expr::Unknown, |right| self.expr(right));
        if left.kind() == "identifier" && self.text(left) == "__all__" && self.is_at_top_level() {
            self.export_all(&value, node);
        }
        self.annotate(left, ty);
        self.assign_to(left, value.clone());
        value
    }

    /// `list += [f]` adds to what is there.
    fn augmented(&mut self, left: Node<'_>, value: Expr) -> Expr {
        if left.kind() == "identifier" && self.text(left) == "__all__" && self.is_at_top_level() {
            self.export_all(&value, left);
        }
        if matches!(value, Expr::Items(..) | Expr::Call(_) | Expr::Local(_)) {
            let before = self.expr(left);
            let spread = |value| LiteralItem { key: None, value, spread: true };
            let items = vec![spread(before), spread(value)];
            self.assign_to(left, Expr::Items(LiteralKind::List, items));
        }
        Expr::Unknown
    }

    fn annotate(&mut self, left: Node<'_>, ty: Option<TypeRef>) {
        let Some(ty) = ty else { return };
        if left.kind() == "identifier" {
            if let AssignTarget::Local(local) = self.assign_target(&self.text(left)) {
                self.builder.facts.flow.bindings[local as usize].ty = Some(ty);
            }
        } else {
            self.assign_to(left, Expr::Unknown.typed(ty));
        }
    }

    /// Gives a value to a target.
    pub(super) fn assign_to(&mut self, target: Node<'_>, value: Expr) {
        match target.kind() {
            "identifier" => {
                let name = self.text(target);
                let place = self.assign_target(&name);
                self.builder.add_assignment(place, value);
            }
            "attribute" => {
                let object = target.field("object").map_or(Expr::Unknown, |one| self.expr(one));
                let name = target.field("attribute").map(|name| self.text(name));
                self.builder
                    .add_assignment(AssignTarget::Member(object, name.unwrap_or_default()), value);
            }
            "subscript" => {
                let object = target.field("value").map_or(Expr::Unknown, |one| self.expr(one));
                let key = target.field("subscript").map_or(Expr::Unknown, |key| self.expr(key));
                self.builder.add_assignment(AssignTarget::Index(object, key), value);
            }
            "list_splat_pattern" | "list_splat" => {
                let items = vec![LiteralItem { key: None, value, spread: true }];
                if let Some(inner) = named_children(target).first() {
                    self.assign_to(*inner, Expr::Items(LiteralKind::List, items));
                }
            }
            "parenthesized_expression" | "as_pattern_target" => {
                if let Some(inner) = named_children(target).first() {
                    self.assign_to(*inner, value);
                }
            }
            "pattern_list" | "tuple_pattern" | "list_pattern" | "tuple" | "list"
            | "expression_list" => {
                let parts = named_children(target);
                let value = self.builder.bind_if_shared(value, parts.len());
                for (at, part) in parts.into_iter().enumerate() {
                    let is_rest = part.kind().starts_with("list_splat");
                    let at = Expr::Number(i64::try_from(at).unwrap_or_default());
                    let piece = if is_rest { value.clone() } else { value.clone().index(at) };
                    self.assign_to(part, piece);
                }
            }
            _ => {}
        }
    }

    fn export_all(&mut self, value: &Expr, node: Node<'_>) {
        let Expr::Items(_, items) = value else { return };
        for item in items {
            let Expr::Text(name) = &item.value else { continue };
            let value = self.resolve(name);
            let symbol = match value {
                Expr::Local(local) => self.builder.facts.flow.bindings[local as usize].symbol,
                _ => None,
            };
            self.builder.facts.exports.push(Export {
                name: name.clone(),
                local: None,
                symbol,
                value,
                from: None,
                is_type: false,
                kind: ExportKind::All,
                span: span(node),
                line: self.builder.lines.line(span(node).start),
            });
        }
    }

    /// Where there is `__all__`, nothing else is exported.
    pub(super) fn narrow_exports(&mut self) {
        if !self.builder.facts.exports.iter().any(|export| export.kind == ExportKind::All) {
            return;
        }
        for at in 0..self.builder.facts.exports.len() {
            if let Expr::Local(local) = self.builder.facts.exports[at].value {
                let symbol = self.builder.facts.flow.bindings[local as usize].symbol;
                self.builder.facts.exports[at].symbol = symbol;
            }
        }
        for at in 0..self.builder.facts.symbols.len() {
            let symbol = &self.builder.facts.symbols[at];
            let exported = match symbol.parent {
                None => self.builder.facts.exports.iter().any(|export| export.name == symbol.name),
                Some(parent) => {
                    self.builder.facts.symbols[parent as usize].exported
                        && symbol.exported
                        && symbol.visibility == Visibility::Public
                }
            };
            self.builder.facts.symbols[at].exported = exported;
        }
    }

    /// The arguments of a call.
    pub(super) fn args(&mut self, list: Node<'_>) -> Vec<Arg> {
        if list.kind() == "generator_expression" {
            return vec![Arg::positional(self.expr(list))];
        }
        let mut args = Vec::new();
        for part in children(list) {
            match part.kind() {
                "keyword_argument" => {
                    let name = part.field("name").map(|name| self.text(name));
                    let value = part.field("value").map_or(Expr::Unknown, |value| self.expr(value));
                    args.push(Arg { value, name, spread: false });
                }
                "list_splat" | "dictionary_splat" => {
                    let value =
                        named_children(part).first().map_or(Expr::Unknown, |one| self.expr(*one));
                    let name = (part.kind() == "dictionary_splat").then(|| "**".to_owned());
                    args.push(Arg { value, name, spread: true });
                }
                "comment" => {}
                _ if part.is_named() => args.push(Arg::positional(self.expr(part))),
                _ => {}
            }
        }
        args
    }
}
