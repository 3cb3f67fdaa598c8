//! Values of Lua: names, calls, tables, assignments, and what a file returns.

use crate::model::{
    Arg, AssignTarget, BindingKind, CallKind, Export, ExportKind, Expr, FlowAction, ImportKind,
    ImportedName, LiteralItem, LiteralKind, ParamKind, SymbolKind, Visibility,
};
use crate::treesitter::{
    GrammarRules, GrammarWalker, Node, NodeExt, PendingTrivia, children, named_children, span,
};

/// Functions of test frameworks whose callbacks are tests.
const TEST_FUNCTIONS: [&str; 4] = ["describe", "it", "context", "pending"];

/// The value of a node with `NodeRule::Custom`.
pub(super) fn read(walk: &mut GrammarWalker<'_>, node: Node<'_>) -> Expr {
    match node.kind() {
        "identifier" => return name(walk, node),
        "dot_index_expression" | "method_index_expression" | "bracket_index_expression" => {
            let value = read_target(walk, node);
            walk.builder.add_mention(&value, false, span(node).start);
            return value;
        }
        "function_call" => return call(walk, node),
        "table_constructor" => return table(walk, node),
        "binary_expression" => return binary(walk, node),
        "variable_declaration" | "assignment_statement" => assign(walk, node, None),
        "parameters" => parameters(walk, node),
        "for_generic_clause" => for_each(walk, node),
        "for_numeric_clause" => {
            for field in ["start", "end", "step"] {
                node.field(field).map(|limit| walk.expr(limit));
            }
            if let Some(name) = node.field("name") {
                walk.declare(name, None, Expr::Unknown);
            }
        }
        "return_statement" => returned(walk, node),
        _ => walk.walk_children(node),
    }
    Expr::Unknown
}

/// A name; `self` is the table of the method around it.
fn name(walk: &GrammarWalker<'_>, node: Node<'_>) -> Expr {
    let name = walk.text(node);
    match walk.name(&name) {
        Expr::Name(_) if name == "self" => receiver(walk),
        value => value,
    }
}

/// The table of the method around the walk. An instance is taken for the table of its methods.
fn receiver(walk: &GrammarWalker<'_>) -> Expr {
    let symbols = &walk.builder.facts.symbols;
    let mut owner = walk.builder.position.owner;
    while let Some(symbol) = owner.and_then(|owner| symbols.get(owner as usize)) {
        if symbol.kind == SymbolKind::Method
            && let Some((table, _)) = symbol.path.rsplit_once('.')
        {
            let mut parts = table.split('.');
            let root = walk.name(parts.next().unwrap_or_default());
            return parts.fold(root, Expr::member);
        }
        owner = symbol.parent;
    }
    Expr::This
}

/// An index expression as a value or as the target of an assignment.
pub(super) fn read_target(walk: &mut GrammarWalker<'_>, node: Node<'_>) -> Expr {
    let Some(table) = node.field("table") else { return walk.expr(node) };
    let table = walk.expr(table);
    let Some(field) = node.field("field").or_else(|| node.field("method")) else {
        return Expr::Unknown;
    };
    if node.kind() != "bracket_index_expression" {
        return table.member(walk.text(field));
    }
    match walk.expr(field) {
        Expr::Text(key) => table.member(key),
        key => Expr::Index(Box::new(table), Box::new(key)),
    }
}

fn call(walk: &mut GrammarWalker<'_>, node: Node<'_>) -> Expr {
    let Some(callee) = node.field("name") else { return Expr::Unknown };
    let list = node.field("arguments");
    let args = list.map(named_children).unwrap_or_default();
    let function = walk.text(callee);
    if let Some(import) = required(walk, node, &function, &args) {
        return import;
    }
    let target = walk.expr(callee);
    let values: Vec<Arg> = args
        .iter()
        .filter(|arg| arg.kind() != "comment")
        .map(|arg| Arg::positional(walk.expr(*arg)))
        .collect();
    if TEST_FUNCTIONS.contains(&function.as_str()) {
        for value in &values {
            if let Expr::Symbol(symbol) = value.value {
                walk.builder.symbol_mut(symbol).is_test = true;
            }
        }
    }
    let metatable = (function == "setmetatable").then(|| values.get(1).cloned()).flatten();
    let last = callee.field("method").or_else(|| callee.field("field")).unwrap_or(callee);
    let made = walk.builder.add_call(CallKind::Call, target, values, span(node), span(last).start);
    metatable.map_or(made, |metatable| indexed_by(metatable.value))
}

/// Where an object with this metatable finds its members.
fn indexed_by(metatable: Expr) -> Expr {
    let Expr::Items(_, items) = &metatable else { return metatable };
    let is_index = |item: &&LiteralItem| item.key == Some(Expr::Text("__index".into()));
    items.iter().find(is_index).map_or(Expr::Unknown, |item| item.value.clone())
}

/// `require "a.b"` and `pcall(require, "a.b")`.
fn required(
    walk: &mut GrammarWalker<'_>,
    node: Node<'_>,
    function: &str,
    args: &[Node<'_>],
) -> Option<Expr> {
    let specifier = match (function, args) {
        ("require", [specifier]) => specifier,
        ("pcall", [require, specifier]) if walk.text(*require) == "require" => specifier,
        _ => return None,
    };
    let specifier = specifier.field("content").filter(|_| specifier.kind() == "string")?;
    let text = walk.text(specifier);
    Some(Expr::Import(walk.builder.add_import(ImportKind::Require, text, span(node))))
}

/// A table; functions in it that have a name are symbols.
fn table(walk: &mut GrammarWalker<'_>, node: Node<'_>) -> Expr {
    let mut items = Vec::new();
    let mut pending = PendingTrivia::default();
    let is_list = named_children(node).iter().all(|field| field.field("name").is_none());
    for child in children(node) {
        match child.kind() {
            "comment" if !child.is_trailing() => {
                let text = child.text(&walk.builder);
                if let Some(style) = super::grammar::Lua.doc_style(text) {
                    pending.add_doc_comment(&walk.builder, child, style);
                }
            }
            "field" => items.push(field(walk, child, &std::mem::take(&mut pending))),
            _ => {}
        }
    }
    Expr::Items(if is_list { LiteralKind::List } else { LiteralKind::Object }, items)
}

fn field(walk: &mut GrammarWalker<'_>, node: Node<'_>, pending: &PendingTrivia<'_>) -> LiteralItem {
    let key = node.field("name").map(|name| match name.kind() {
        "identifier" => Expr::Text(walk.text(name)),
        _ => walk.expr(name),
    });
    let rule = super::grammar::Lua.rule(walk, node);
    let value = match (rule, node.field("value")) {
        (crate::treesitter::NodeRule::Symbol(kind), _) => {
            walk.declare_symbol(kind, node, pending).map_or(Expr::Unknown, Expr::Symbol)
        }
        (_, Some(value)) => walk.expr(value),
        _ => Expr::Unknown,
    };
    LiteralItem { key, value, spread: false }
}

/// `a or b` and `a and b` are one of the two.
fn binary(walk: &mut GrammarWalker<'_>, node: Node<'_>) -> Expr {
    let sides = ["left", "right"].map(|side| node.field(side).map(|side| walk.expr(side)));
    let is_choice = node.has_token("or") || node.has_token("and");
    let values = sides.into_iter().flatten().filter(|value| *value != Expr::Unknown);
    if is_choice { Expr::Either(values.collect()) } else { Expr::Unknown }
}

/// Reads a declaration or assignment; `symbol` is what its first name declares.
pub(super) fn assign(walk: &mut GrammarWalker<'_>, node: Node<'_>, symbol: Option<u32>) {
    let statement = node.child_of_kind(&["assignment_statement"]).unwrap_or(node);
    let targets = statement.child_of_kind(&["variable_list"]).map(named_children);
    let mut targets = targets.unwrap_or_default();
    targets.retain(|target| target.kind() != "attribute");
    let values = statement.child_of_kind(&["expression_list"]).map(named_children);
    let mut values: Vec<Expr> =
        values.unwrap_or_default().into_iter().map(|value| walk.expr(value)).collect();
    // `local ok, module = pcall(require, "a")`
    if targets.len() == 2 && matches!(values.as_slice(), [Expr::Import(_)]) {
        values.insert(0, Expr::Unknown);
    }
    let is_local = node.has_token("local");
    for (at, target) in targets.into_iter().enumerate() {
        let value = values.get(at).cloned().unwrap_or_default();
        let own = symbol.filter(|_| at == 0);
        if is_local || own.is_some() && target.kind() == "identifier" {
            declare(walk, target, value, own);
        } else if let Some(place) = place(walk, target) {
            walk.builder.add_assignment(place, value);
        }
    }
}

fn declare(walk: &mut GrammarWalker<'_>, target: Node<'_>, value: Expr, symbol: Option<u32>) {
    if let Expr::Import(import) = value {
        let alias = Some(walk.text(target));
        let name = ImportedName { name: "*".into(), alias, is_type: false, span: span(target) };
        walk.builder.facts.imports[import as usize].names.push(name);
        walk.bind(target, BindingKind::Import(import, Some(0)));
        return;
    }
    walk.declare(target, None, value);
    if let (Some(symbol), Some(binding)) = (symbol, walk.builder.facts.flow.bindings.last_mut()) {
        binding.symbol = Some(symbol);
    }
}

fn place(walk: &mut GrammarWalker<'_>, target: Node<'_>) -> Option<AssignTarget> {
    let target = match target.kind() {
        "identifier" => walk.expr(target),
        _ => read_target(walk, target),
    };
    Some(match target {
        Expr::Local(local) => AssignTarget::Local(local),
        Expr::Name(name) => AssignTarget::Name(name),
        Expr::Member(table, name) => AssignTarget::Member(*table, name),
        Expr::Index(table, key) => AssignTarget::Index(*table, *key),
        _ => return None,
    })
}

fn parameters(walk: &mut GrammarWalker<'_>, node: Node<'_>) {
    let names = named_children(node).into_iter().filter(|one| one.kind() == "identifier");
    for (at, name) in names.enumerate() {
        // `self` stays a name of the method's table.
        if at > 0 || walk.text(name) != "self" {
            walk.param_with_kind(ParamKind::Plain, Some(name), None);
        }
    }
}

/// `for key, value in pairs(list)`.
fn for_each(walk: &mut GrammarWalker<'_>, node: Node<'_>) {
    let names = node.child_of_kind(&["variable_list"]).map(named_children).unwrap_or_default();
    let many = node.child_of_kind(&["expression_list"]).map(named_children).unwrap_or_default();
    let mut element = Expr::Unknown;
    for value in many {
        let read = walk.expr(value);
        let is_iterator = value
            .field("name")
            .is_some_and(|name| matches!(walk.text(name).as_str(), "pairs" | "ipairs"));
        if let Expr::Call(call) = read
            && is_iterator
            && let Some(list) = walk.builder.facts.flow.calls[call as usize].args.first()
        {
            element = Expr::Each(Box::new(list.value.clone()));
        }
    }
    for (at, name) in names.into_iter().enumerate() {
        let value = if at == 1 { element.clone() } else { Expr::Unknown };
        walk.declare(name, None, value);
    }
}

/// The result of a function, or what a file offers to others.
fn returned(walk: &mut GrammarWalker<'_>, node: Node<'_>) {
    let values = node.child_of_kind(&["expression_list"]).map(named_children).unwrap_or_default();
    let values: Vec<Expr> = values.into_iter().map(|value| walk.expr(value)).collect();
    let Some(value) = values.into_iter().next() else { return };
    if node.parent().is_some_and(|parent| parent.kind() == "chunk") {
        export(walk, node, &value);
    } else if value != Expr::Unknown {
        walk.builder.add_step(FlowAction::Return(value));
    }
}

/// Adds the exports of a file that returns a value: the value itself, and its members by name.
fn export(walk: &mut GrammarWalker<'_>, node: Node<'_>, value: &Expr) {
    let at = span(node);
    let line = walk.builder.lines.line(at.start);
    let new = |name: String, symbol: Option<u32>, value: Expr| Export {
        name,
        local: None,
        symbol,
        value,
        from: None,
        is_type: false,
        kind: ExportKind::CommonJs,
        span: at,
        line,
    };
    let mut exports = Vec::new();
    match value {
        Expr::Local(local) => {
            let binding = &walk.builder.facts.flow.bindings[*local as usize];
            let prefix = format!("{}.", binding.name);
            exports.push(new("default".into(), binding.symbol, value.clone()));
            for (at, symbol) in (0..).zip(&walk.builder.facts.symbols) {
                let member = symbol.path.strip_prefix(&prefix);
                if let Some(name) = member.filter(|name| *name == symbol.name) {
                    exports.push(new(name.into(), Some(at), Expr::Symbol(at)));
                }
            }
        }
        Expr::Items(_, items) => {
            exports.push(new("default".into(), None, value.clone()));
            for item in items {
                let Some(Expr::Text(key)) = &item.key else { continue };
                let symbol = match &item.value {
                    Expr::Symbol(symbol) => Some(*symbol),
                    Expr::Local(local) => walk.builder.facts.flow.bindings[*local as usize].symbol,
                    value => member_symbol(walk, value),
                };
                exports.push(new(key.clone(), symbol, item.value.clone()));
            }
        }
        Expr::Symbol(symbol) => exports.push(new("default".into(), Some(*symbol), value.clone())),
        _ => exports.push(new("default".into(), None, value.clone())),
    }
    for symbol in exports.iter().filter_map(|export| export.symbol) {
        let symbol = walk.builder.symbol_mut(symbol);
        symbol.exported = true;
        symbol.visibility = Visibility::Public;
    }
    walk.builder.facts.exports.extend(exports);
}

/// The symbol that `M.f` names, where `M` is a table of this file.
fn member_symbol(walk: &GrammarWalker<'_>, value: &Expr) -> Option<u32> {
    let Expr::Member(table, name) = value else { return None };
    let Expr::Local(local) = **table else { return None };
    let path = format!("{}.{name}", walk.builder.facts.flow.bindings[local as usize].name);
    let mut symbols = (0..).zip(&walk.builder.facts.symbols);
    symbols.find(|(_, symbol)| symbol.path == path).map(|(at, _)| at)
}
