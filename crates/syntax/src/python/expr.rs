//! Values and calls.

use super::Walk;
use super::scope::Kind;
use crate::model::{Action, BindingKind, BlockKind, CallKind, Expr, ImportKind, Item, ItemsKind};
use crate::tree::{Grown, Node, named, span};

/// Longer texts are not keys or names.
const LONGEST_TEXT: usize = 80;

impl Walk<'_> {
    /// A value. What has none is walked over all the same.
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
            "list" => self.list(node, ItemsKind::List),
            "tuple" | "expression_list" => self.list(node, ItemsKind::Tuple),
            "set" => self.list(node, ItemsKind::Set),
            "dictionary" => self.dictionary(node),
            "list_comprehension" | "generator_expression" => {
                self.comprehension(node, ItemsKind::List)
            }
            "set_comprehension" => self.comprehension(node, ItemsKind::Set),
            "dictionary_comprehension" => self.comprehension(node, ItemsKind::Dict),
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
            "yield" => self.give(node),
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
                for child in named(node) {
                    self.expr(child);
                }
                Expr::Unknown
            }
        }
    }

    fn first(&mut self, node: Node<'_>) -> Expr {
        let child = named(node).into_iter().find(|child| child.kind() != "comment");
        child.map_or(Expr::Unknown, |child| self.expr(child))
    }

    fn name(&mut self, node: Node<'_>) -> Expr {
        let found = self.resolve(node.text(&self.b));
        if let Expr::Local(local) = found
            && self.b.facts.flow.bindings[local as usize].owner.is_none()
        {
            self.b.mention(&found, false, span(node).start);
        }
        found
    }

    fn attribute(&mut self, node: Node<'_>) -> Expr {
        let object = node.field("object").map_or(Expr::Unknown, |object| self.expr(object));
        let Some(name) = node.field("attribute") else { return Expr::Unknown };
        let text = self.text(name);
        if let Expr::Local(local) = object
            && matches!(self.b.facts.flow.bindings[local as usize].kind, BindingKind::Import(..))
        {
            self.b.mention(&object.clone().member(text.clone()), false, span(name).start);
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
            return Expr::Import(self.b.import(ImportKind::Dynamic, module, span(node)));
        }
        let at = function.field("attribute").unwrap_or(function);
        self.b.call(CallKind::Call, callee, args, span(node), span(at).start)
    }

    /// A plain string without its quotes.
    fn string(&mut self, node: Node<'_>) -> Expr {
        let mut content = None;
        for part in named(node) {
            match part.kind() {
                "interpolation" => {
                    self.first(part);
                    content = None;
                }
                "string_content" => content = Some(part),
                _ => {}
            }
        }
        let text = content.map(|content| self.text(content));
        match text {
            Some(text) if text.len() <= LONGEST_TEXT => Expr::Text(text),
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

    fn list(&mut self, node: Node<'_>, kind: ItemsKind) -> Expr {
        let mut items = Vec::new();
        for part in named(node) {
            match part.kind() {
                "comment" => {}
                "list_splat" => {
                    let value = self.first(part);
                    items.push(Item { key: None, value, spread: true });
                }
                _ => {
                    let value = self.expr(part);
                    items.push(Item { key: None, value, spread: false });
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
        for part in named(node) {
            if part.kind() == "pair" {
                let key = part.field("key").map(|key| self.expr(key));
                let value = part.field("value").map_or(Expr::Unknown, |value| self.expr(value));
                items.push(Item { key, value, spread: false });
            } else if part.kind() == "dictionary_splat" {
                let value = self.first(part);
                items.push(Item { key: None, value, spread: true });
            }
        }
        items.retain(|item| item.value != Expr::Unknown);
        if items.len() > 64 && items.iter().all(|item| is_plain(&item.value)) {
            items.clear();
        }
        Expr::Items(ItemsKind::Dict, items)
    }

    /// A comprehension gives its body under any key.
    fn comprehension(&mut self, node: Node<'_>, kind: ItemsKind) -> Expr {
        let clauses: Vec<_> =
            named(node).into_iter().filter(|part| part.kind() == "for_in_clause").collect();
        let back = self.b.block(BlockKind::Loop);
        self.open(Kind::Open, &[]);
        for clause in &clauses {
            let over = clause.field("right").map_or(Expr::Unknown, |over| self.expr(over));
            if let Some(left) = clause.field("left") {
                self.declare_all(left);
                self.assign_to(left, over.each());
            }
        }
        let conditions = named(node).into_iter().filter(|part| part.kind() == "if_clause");
        for condition in conditions {
            self.first(condition);
        }
        let item = node.field("body").map(|body| self.comprehended(body));
        self.close();
        self.b.back(back);
        Expr::Items(kind, item.into_iter().collect())
    }

    fn comprehended(&mut self, body: Node<'_>) -> Item {
        if body.kind() != "pair" {
            return Item { key: Some(Expr::Unknown), value: self.expr(body), spread: false };
        }
        let key = body.field("key").map_or(Expr::Unknown, |key| self.expr(key));
        let value = body.field("value").map_or(Expr::Unknown, |value| self.expr(value));
        Item { key: Some(key), value, spread: false }
    }

    fn declare_all(&mut self, target: Node<'_>) {
        if target.kind() == "identifier" {
            let name = self.text(target);
            self.declare(&name, BindingKind::Variable);
        } else {
            for part in named(target) {
                self.declare_all(part);
            }
        }
    }

    fn conditional(&mut self, node: Node<'_>) -> Expr {
        let parts = named(node);
        let [yes, test, no] = parts.as_slice() else { return Expr::Unknown };
        self.expr(*test);
        let mut values = Vec::new();
        for part in [yes, no] {
            let back = self.b.block(BlockKind::Branch);
            values.push(self.expr(*part));
            self.b.back(back);
        }
        Expr::either(values)
    }

    fn boolean(&mut self, node: Node<'_>) -> Expr {
        let left = node.field("left").map_or(Expr::Unknown, |left| self.expr(left));
        let back = self.b.block(BlockKind::Branch);
        let right = node.field("right").map_or(Expr::Unknown, |right| self.expr(right));
        self.b.back(back);
        if node.has_token("and") { right } else { Expr::either([left, right]) }
    }

    fn give(&mut self, node: Node<'_>) -> Expr {
        let value = self.first(node);
        if value != Expr::Unknown {
            let from = node.has_token("from");
            self.b.step(if from { Action::YieldFrom(value) } else { Action::Yield(value) });
        }
        Expr::Unknown
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
