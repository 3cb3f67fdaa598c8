//! Values and calls.

use super::PythonWalker;
use super::scope::PythonScopeKind;
use crate::facts_builder::without_filler;
use crate::model::{
    BindingKind, CallKind, Expr, FlowAction, FlowBlockKind, ImportKind, LiteralItem, LiteralKind,
    TypeRef,
};
use crate::treesitter::{Node, NodeExt, named_children, span};

/// Longer texts are not keys or names.
const MAX_TEXT_LITERAL_LEN: usize = 80;

impl PythonWalker<'_> {
    /// The value of an expression. A node without a value is walked too.
    pub(super) fn expr(&mut self, node: Node<'_>) -> Expr {
        match node.kind() {
            "identifier" => self.name(node),
            "attribute" => self.attribute(node),
            "call" => self.call(node),
            "string" => self.string(node),
            "integer" => self.text(node).parse().map_or(Expr::Unknown, Expr::Number),
            "assignment" | "augmented_assignment" => self.assignment(node),
            "subscript" => self.subscript(node),
            "lambda" => self.lambda(node),
            "list" => self.list(node, LiteralKind::List),
            "tuple" | "expression_list" => self.list(node, LiteralKind::Tuple),
            "set" => self.list(node, LiteralKind::Set),
            "dictionary" => self.dictionary(node),
            "list_comprehension" | "generator_expression" => {
                self.comprehension(node, LiteralKind::List)
            }
            "set_comprehension" => self.comprehension(node, LiteralKind::Set),
            "dictionary_comprehension" => self.comprehension(node, LiteralKind::Dict),
            "parenthesized_expression" | "await" => self.first(node),
            "conditional_expression" => self.conditional(node),
            "boolean_operator" => self.boolean(node),
            "named_expression" => {
                let value = node.field("value").map_or(Expr::Unknown, |value| self.expr(value));
                if let Some(name) = node.field("name") {
                    self.assign_to(name, value.clone());
                }
                value
            }
            "yield" => self.yield_expr(node),
            "unary_operator" => match self.first(node) {
                Expr::Number(number) if node.has_token("-") => Expr::Number(-number),
                _ => Expr::Unknown,
            },
            "true" | "false" | "none" | "float" | "comment" | "ellipsis" => Expr::Unknown,
            "keyword_argument" => {
                let value = node.field("value");
                value.map_or(Expr::Unknown, |value| self.expr(value))
            }
            _ => {
                for child in named_children(node) {
                    self.expr(child);
                }
                Expr::Unknown
            }
        }
    }

    fn first(&mut self, node: Node<'_>) -> Expr {
        let child = named_children(node).into_iter().find(|child| child.kind() != "comment");
        child.map_or(Expr::Unknown, |child| self.expr(child))
    }

    fn name(&mut self, node: Node<'_>) -> Expr {
        let found = self.resolve(node.text(&self.builder));
        if let Expr::Local(local) = found
            && self.builder.facts.flow.bindings[local as usize].owner.is_none()
        {
            self.builder.add_mention(&found, false, span(node).start);
        }
        found
    }

    fn attribute(&mut self, node: Node<'_>) -> Expr {
        let object = node.field("object").map_or(Expr::Unknown, |object| self.expr(object));
        let Some(name) = node.field("attribute") else { return Expr::Unknown };
        let text = self.text(name);
        if let Expr::Local(local) = object
            && matches!(
                self.builder.facts.flow.bindings[local as usize].kind,
                BindingKind::Import(..)
            )
        {
            self.builder.add_mention(&object.clone().member(text.clone()), false, span(name).start);
        }
        Expr::Member(Box::new(object), text)
    }

    fn call(&mut self, node: Node<'_>) -> Expr {
        let Some(function) = node.field("function") else { return Expr::Unknown };
        if function.kind() == "identifier" && self.text(function) == "super" {
            if let Some(list) = node.field("arguments") {
                self.args(list);
            }
            return Expr::Super;
        }
        let callee = self.expr(function);
        let args = node.field("arguments").map(|list| self.args(list)).unwrap_or_default();
        let by_text = |at: usize| match args.get(at).map(|arg| &arg.value) {
            Some(Expr::Text(text)) => Some(text.clone()),
            _ => None,
        };
        if callee == Expr::Name("getattr".into())
            && let Some(name) = by_text(1)
        {
            return args[0].value.clone().member(name);
        }
        if is_import_call(&callee)
            && let Some(module) = by_text(0)
        {
            return Expr::Import(self.builder.add_import(ImportKind::Dynamic, module, span(node)));
        }
        let at = function.field("attribute").unwrap_or(function);
        self.builder.add_call(CallKind::Call, callee, args, span(node), span(at).start)
    }

    /// A plain string without its quotes.
    fn string(&mut self, node: Node<'_>) -> Expr {
        let mut content = None;
        for part in named_children(node) {
            match part.kind() {
                "interpolation" => {
                    self.first(part);
                    content = None;
                }
                "string_content" => content = Some(part),
                _ => {}
            }
        }
        let text = content.map(|content| without_filler(&self.text(content)).into_owned());
        match text {
            Some(text) if text.len() <= MAX_TEXT_LITERAL_LEN => Expr::Text(text),
            _ => Expr::Unknown,
        }
    }

    fn subscript(&mut self, node: Node<'_>) -> Expr {
        let object = node.field("value").map_or(Expr::Unknown, |value| self.expr(value));
        let Some(key) = node.field("subscript") else { return object };
        if key.kind() == "slice" {
            self.expr(key);
            return object;
        }
        let key = self.expr(key);
        object.index(key)
    }

    fn list(&mut self, node: Node<'_>, kind: LiteralKind) -> Expr {
        let mut items = Vec::new();
        for part in named_children(node) {
            match part.kind() {
                "comment" => {}
                "list_splat" => {
                    let value = self.first(part);
                    items.push(LiteralItem { key: None, value, spread: true });
                }
                _ => {
                    let value = self.expr(part);
                    items.push(LiteralItem { key: None, value, spread: false });
                }
            }
        }
        if items.len() > 16 && items.iter().all(|item| is_plain(&item.value)) {
            items.clear();
        }
        Expr::Items(kind, items)
    }

    fn dictionary(&mut self, node: Node<'_>) -> Expr {
        let mut items = Vec::new();
        for part in named_children(node) {
            if part.kind() == "pair" {
                let key = part.field("key").map(|key| self.expr(key));
                let value = part.field("value").map_or(Expr::Unknown, |value| self.expr(value));
                items.push(LiteralItem { key, value, spread: false });
            } else if part.kind() == "dictionary_splat" {
                let value = self.first(part);
                items.push(LiteralItem { key: None, value, spread: true });
            }
        }
        items.retain(|item| item.value != Expr::Unknown);
        if items.len() > 64 && items.iter().all(|item| is_plain(&item.value)) {
            items.clear();
        }
        Expr::Items(LiteralKind::Dict, items)
    }

    /// A comprehension gives its body under any key.
    fn comprehension(&mut self, node: Node<'_>, kind: LiteralKind) -> Expr {
        let clauses: Vec<_> = named_children(node)
            .into_iter()
            .filter(|part| part.kind() == "for_in_clause")
            .collect();
        let back = self.builder.enter_block(FlowBlockKind::Loop);
        self.enter_scope(PythonScopeKind::Open, &[]);
        for clause in &clauses {
            let over = clause.field("right").map_or(Expr::Unknown, |over| self.expr(over));
            if let Some(left) = clause.field("left") {
                self.declare_all(left);
                self.assign_to(left, over.each());
            }
        }
        let conditions = named_children(node).into_iter().filter(|part| part.kind() == "if_clause");
        for condition in conditions {
            self.first(condition);
        }
        let item = node.field("body").map(|body| self.comprehension_item(body));
        self.leave_scope();
        self.builder.restore_position(back);
        Expr::Items(kind, item.into_iter().collect())
    }

    fn comprehension_item(&mut self, body: Node<'_>) -> LiteralItem {
        if body.kind() != "pair" {
            return LiteralItem { key: Some(Expr::Unknown), value: self.expr(body), spread: false };
        }
        let key = body.field("key").map_or(Expr::Unknown, |key| self.expr(key));
        let value = body.field("value").map_or(Expr::Unknown, |value| self.expr(value));
        LiteralItem { key: Some(key), value, spread: false }
    }

    fn declare_all(&mut self, target: Node<'_>) {
        if target.kind() == "identifier" {
            let name = self.text(target);
            self.declare(&name, BindingKind::Variable);
        } else {
            for part in named_children(target) {
                self.declare_all(part);
            }
        }
    }

    fn conditional(&mut self, node: Node<'_>) -> Expr {
        let parts = named_children(node);
        let [yes, test, no] = parts.as_slice() else { return Expr::Unknown };
        self.expr(*test);
        let mut values = Vec::new();
        for part in [yes, no] {
            let back = self.builder.enter_block(FlowBlockKind::Branch);
            values.push(self.expr(*part));
            self.builder.restore_position(back);
        }
        Expr::either(values)
    }

    fn boolean(&mut self, node: Node<'_>) -> Expr {
        let left = node.field("left").map_or(Expr::Unknown, |left| self.expr(left));
        let back = self.builder.enter_block(FlowBlockKind::Branch);
        let right = node.field("right").map_or(Expr::Unknown, |right| self.expr(right));
        self.builder.restore_position(back);
        if node.has_token("and") { right } else { Expr::either([left, right]) }
    }

    fn yield_expr(&mut self, node: Node<'_>) -> Expr {
        let value = self.first(node);
        if value != Expr::Unknown {
            let from = node.has_token("from");
            self.builder.add_step(if from {
                FlowAction::YieldFrom(value)
            } else {
                FlowAction::Yield(value)
            });
        }
        self.sent_type().map_or(Expr::Unknown, |ty| Expr::Unknown.typed(ty))
    }

    /// The type of what is sent to a generator: `R` in `Generator[Y, R, …]`.
    fn sent_type(&self) -> Option<TypeRef> {
        let function = self.builder.position.owner?;
        match &self.builder.facts.symbols[function as usize].ty {
            Some(TypeRef::Named { path, args, .. }) => {
                let last = path.rsplit('.').next().unwrap_or_default();
                let is_generator = matches!(last, "Generator" | "AsyncGenerator");
                args.get(1).filter(|ty| is_generator && **ty != TypeRef::Unknown).cloned()
            }
            _ => None,
        }
    }
}

fn is_plain(value: &Expr) -> bool {
    matches!(value, Expr::Unknown | Expr::Text(_) | Expr::Number(_))
}

/// `__import__` and `importlib.import_module`.
fn is_import_call(callee: &Expr) -> bool {
    match callee {
        Expr::Name(name) => name == "__import__",
        Expr::Member(_, name) => name == "import_module",
        _ => false,
    }
}
