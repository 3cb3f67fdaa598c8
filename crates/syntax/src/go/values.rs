//! Values of Go: calls, literals, assignments, what a statement declares.

use super::predeclared::is_predeclared;
use super::types;
use crate::model::{Arg, AssignTarget, CallKind, Expr, TypeRef};
use crate::treesitter::{GrammarWalker, Node, NodeExt, named_children, span};

/// Built-in functions whose result is not followed.
const BUILTINS_WITHOUT_RESULT: [&str; 7] =
    ["len", "cap", "panic", "recover", "complex", "real", "imag"];

/// The value of a node with `NodeRule::Custom`.
pub(super) fn read(walk: &mut GrammarWalker<'_>, node: Node<'_>) -> Expr {
    match node.kind() {
        "identifier" => return name(walk, node),
        "selector_expression" => return selector(walk, node, true),
        "call_expression" => return call(walk, node),
        "composite_literal" => return literal(walk, node),
        "unary_expression" => return unary(walk, node),
        "index_expression" => {
            let many = value(walk, node, "operand");
            value(walk, node, "index");
            return many.each();
        }
        "slice_expression" => return first_child_expr(walk, node),
        "type_assertion_expression" => {
            value(walk, node, "operand");
            return typed(walk, node);
        }
        "type_conversion_expression" => return conversion(walk, node),
        "type_instantiation_expression" => {
            return node.field("type").map_or(Expr::Unknown, |ty| generic_callee(walk, ty));
        }
        "short_var_declaration" | "assignment_statement" => assign(walk, node),
        "receive_statement" => receive(walk, node),
        "var_spec" | "const_spec" => locals(walk, node),
        "expression_list" => return value_list(walk, node),
        "keyed_element" => drop(element(walk, node)),
        "range_clause" => range(walk, node),
        "type_switch_statement" => type_switch(walk, node),
        _ => walk.walk_children(node),
    }
    Expr::Unknown
}

fn value(walk: &mut GrammarWalker<'_>, node: Node<'_>, field: &str) -> Expr {
    node.field(field).map_or(Expr::Unknown, |inner| walk.expr(inner))
}

/// The type in an expression, as a value of that type.
fn typed(walk: &mut GrammarWalker<'_>, node: Node<'_>) -> Expr {
    let ty = node.field("type").map_or(TypeRef::Unknown, |ty| types::read(walk, ty));
    Expr::Unknown.typed(ty)
}

fn first_child_expr(walk: &mut GrammarWalker<'_>, node: Node<'_>) -> Expr {
    let mut values = named_children(node).into_iter().map(|part| walk.expr(part));
    let first = values.next().unwrap_or_default();
    values.for_each(drop);
    first
}

/// A name that is not called: a mention, if the file's own scopes do not declare it.
fn name(walk: &mut GrammarWalker<'_>, node: Node<'_>) -> Expr {
    let found = walk.name(&walk.text(node));
    if node.parent().is_some_and(|parent| matches!(parent.kind(), "var_spec" | "const_spec")) {
        return Expr::Unknown; // it is declared here
    }
    if let Expr::Name(name) = &found
        && name != "_"
        && !is_predeclared(name)
    {
        walk.builder.add_mention(&found, false, span(node).start);
    }
    found
}

/// A member. Of a package it is a mention, unless it is called.
fn selector(walk: &mut GrammarWalker<'_>, node: Node<'_>, is_mention: bool) -> Expr {
    let Some((operand, field)) = node.field("operand").zip(node.field("field")) else {
        walk.walk_children(node);
        return Expr::Unknown;
    };
    let member = walk.text(field);
    if operand.kind() == "identifier"
        && let package @ Expr::Name(_) = walk.name(&walk.text(operand))
        && super::grammar::is_package(walk, &walk.text(operand))
    {
        let found = package.member(member);
        if is_mention {
            walk.builder.add_mention(&found, false, span(node).start);
        }
        return found;
    }
    let object = walk.expr(operand);
    Expr::Member(Box::new(object), member)
}

fn call(walk: &mut GrammarWalker<'_>, node: Node<'_>) -> Expr {
    let Some((function, list)) = node.field("function").zip(node.field("arguments")) else {
        walk.walk_children(node);
        return Expr::Unknown;
    };
    let text = walk.text(function);
    if function.kind() == "identifier" && matches!(walk.name(&text), Expr::Name(_)) {
        if matches!(text.as_str(), "make" | "new")
            && let Some(ty) = named_children(list).first()
        {
            let ty = types::read(walk, *ty);
            named_children(list).into_iter().skip(1).for_each(|arg| drop(walk.expr(arg)));
            return Expr::Unknown.typed(ty);
        }
        if BUILTINS_WITHOUT_RESULT.contains(&text.as_str()) || is_predeclared(&text) {
            walk.args(list);
            return Expr::Unknown;
        }
        if text == "append" {
            return walk.args(list).into_iter().next().map(|arg| arg.value).unwrap_or_default();
        }
    }
    let callee = callee(walk, function);
    let args = args(walk, list);
    let at = function.field("field").unwrap_or(function);
    walk.builder.add_call(CallKind::Call, callee, args, span(node), span(at).start)
}

/// The callee of a call. It does not count as a mention.
fn callee(walk: &mut GrammarWalker<'_>, node: Node<'_>) -> Expr {
    match node.kind() {
        "identifier" => walk.name(&walk.text(node)),
        "selector_expression" => selector(walk, node, false),
        "parenthesized_expression" if named_children(node).len() == 1 => {
            callee(walk, named_children(node)[0])
        }
        // A function with its type arguments, or an element of many functions.
        "index_expression" => {
            let of = node.field("operand").map_or(Expr::Unknown, |of| callee(walk, of));
            value(walk, node, "index");
            of.each()
        }
        "type_instantiation_expression" => {
            node.field("type").map_or(Expr::Unknown, |ty| generic_callee(walk, ty))
        }
        _ => walk.expr(node),
    }
}

fn args(walk: &mut GrammarWalker<'_>, list: Node<'_>) -> Vec<Arg> {
    let mut all = Vec::new();
    for part in named_children(list).into_iter().filter(|part| part.kind() != "comment") {
        let spread = part.kind() == "variadic_argument";
        let inner = if spread { named_children(part).first().copied() } else { Some(part) };
        let value = inner.map_or(Expr::Unknown, |inner| walk.expr(inner));
        all.push(Arg { value, name: None, spread });
    }
    all
}

/// `T(x)`; the grammar reads `f[T](x)` like this too.
fn conversion(walk: &mut GrammarWalker<'_>, node: Node<'_>) -> Expr {
    let Some(ty) = node.field("type") else { return Expr::Unknown };
    let operand = value(walk, node, "operand");
    if ty.kind() == "generic_type" {
        let callee = generic_callee(walk, ty);
        let args = vec![Arg::positional(operand)];
        return walk.builder.add_call(CallKind::Call, callee, args, span(node), span(node).start);
    }
    Expr::Unknown.typed(types::read(walk, ty))
}

/// The function or type that type arguments are applied to.
fn generic_callee(walk: &mut GrammarWalker<'_>, ty: Node<'_>) -> Expr {
    let base = if ty.kind() == "generic_type" { ty.field("type").unwrap_or(ty) } else { ty };
    for arg in ty.field("type_arguments").map(named_children).unwrap_or_default() {
        types::read(walk, arg);
    }
    match base.kind() {
        "type_identifier" => walk.name(&walk.text(base)),
        _ => types::value_of(&walk.text(base)),
    }
}

/// A value of a type. Functions that its fields are given are kept with it.
fn literal(walk: &mut GrammarWalker<'_>, node: Node<'_>) -> Expr {
    let ty = node.field("type");
    let path = ty.map(|ty| ty.field("type").filter(|_| ty.kind() == "generic_type").unwrap_or(ty));
    let ty = ty.map_or(TypeRef::Unknown, |ty| types::read(walk, ty));
    let mut given = Vec::new();
    for part in node.field("body").map(named_children).unwrap_or_default() {
        let (name, value) = element(walk, part);
        if name.is_some() && matches!(value, Expr::Symbol(_) | Expr::Name(_) | Expr::Member(..)) {
            given.push(Arg { value, name, spread: false });
        }
    }
    let path = path.filter(|ty| matches!(ty.kind(), "type_identifier" | "qualified_type"));
    match path {
        Some(path) if !given.is_empty() => {
            let callee = types::value_of(&walk.text(path));
            walk.builder.add_call(CallKind::New, callee, given, span(node), span(node).start)
        }
        _ => Expr::Unknown.typed(ty),
    }
}

/// An element of a composite literal: its key if that can be a field name, and its value.
fn element(walk: &mut GrammarWalker<'_>, node: Node<'_>) -> (Option<String>, Expr) {
    if node.kind() != "keyed_element" {
        return (None, walk.expr(node));
    }
    let key = node.field("key").and_then(|key| named_children(key).first().copied());
    let name = key.filter(|key| key.kind() == "identifier").map(|key| walk.text(key));
    if name.is_none() {
        value(walk, node, "key");
    }
    (name, value(walk, node, "value"))
}

/// `*x` and `&x` have the value of `x`; `<-x` is an element of it.
fn unary(walk: &mut GrammarWalker<'_>, node: Node<'_>) -> Expr {
    let operand = value(walk, node, "operand");
    match node.field("operator").map(|operator| walk.text(operator)).as_deref() {
        Some("<-") => operand.each(),
        Some("*" | "&") => operand,
        _ => Expr::Unknown,
    }
}

/// One value for each of several targets: `a, b := f()`, `v, ok := m[k]`, `a, b = c, d`.
fn values(walk: &mut GrammarWalker<'_>, right: Option<Node<'_>>, count: usize) -> Vec<Expr> {
    let right = match right {
        Some(list) if list.kind() == "expression_list" => named_children(list),
        other => other.into_iter().collect(),
    };
    let right: Vec<_> = right.into_iter().filter(|one| one.kind() != "comment").collect();
    let kinds: Vec<_> = right.iter().map(Node::kind).collect();
    let mut values: Vec<Expr> = right.into_iter().map(|value| walk.expr(value)).collect();
    if let [kind] = kinds.as_slice()
        && count > 1
    {
        let whole = values.swap_remove(0);
        if *kind != "call_expression" && *kind != "type_conversion_expression" {
            return vec![whole]; // the second says whether there is a first
        }
        return (0..count).map(|at| whole.clone().index(types::position_key(at))).collect();
    }
    values
}

fn assign(walk: &mut GrammarWalker<'_>, node: Node<'_>) {
    let left = node.field("left").map(named_children).unwrap_or_default();
    let mut values = values(walk, node.field("right"), left.len()).into_iter();
    for target in left {
        let value = values.next().unwrap_or_default();
        assign_target(walk, target, value, node.kind() == "short_var_declaration");
    }
}

/// Gives a value to a target, which may be declared by that.
fn assign_target(walk: &mut GrammarWalker<'_>, target: Node<'_>, value: Expr, is_declared: bool) {
    if target.kind() == "identifier" && walk.text(target) == "_" {
        return;
    }
    if is_declared {
        walk.declare(target, None, value);
    } else {
        walk.assign_to(target, value);
    }
}

fn receive(walk: &mut GrammarWalker<'_>, node: Node<'_>) {
    let value = value(walk, node, "right");
    let left = node.field("left").map(named_children).unwrap_or_default();
    if let Some(target) = left.first() {
        assign_target(walk, *target, value, node.has_token(":="));
    }
}

/// `var a, b T = x, y` and `const` inside a function.
fn locals(walk: &mut GrammarWalker<'_>, node: Node<'_>) {
    let ty = node.field("type").map(|ty| types::read(walk, ty));
    let mut cursor = node.walk();
    let names: Vec<Node<'_>> =
        node.children_by_field_name("name", &mut cursor).filter(Node::is_named).collect();
    let mut values = values(walk, node.field("value"), names.len()).into_iter();
    for name in names {
        walk.declare(name, ty.clone(), values.next().unwrap_or_default());
    }
}

/// Several values. What variables and constants of the package are given is kept.
fn value_list(walk: &mut GrammarWalker<'_>, list: Node<'_>) -> Expr {
    let spec = list.parent().filter(|one| matches!(one.kind(), "var_spec" | "const_spec"));
    if let Some(spec) = spec {
        globals(walk, spec, list);
        return Expr::Unknown;
    }
    match values(walk, Some(list), 1).as_mut_slice() {
        [one] => std::mem::take(one),
        _ => Expr::Unknown,
    }
}

fn globals(walk: &mut GrammarWalker<'_>, spec: Node<'_>, list: Node<'_>) {
    let mut cursor = spec.walk();
    let names: Vec<Node<'_>> =
        spec.children_by_field_name("name", &mut cursor).filter(Node::is_named).collect();
    let values = values(walk, Some(list), names.len());
    for (name, value) in names.into_iter().zip(values) {
        let name = walk.text(name);
        walk.builder.add_assignment(AssignTarget::Name(name), value);
    }
}

/// `for k, v := range x`.
fn range(walk: &mut GrammarWalker<'_>, node: Node<'_>) {
    let over = value(walk, node, "right");
    let left = node.field("left").map(named_children).unwrap_or_default();
    let over = walk.builder.bind_if_shared(over, left.len());
    for (at, target) in left.into_iter().enumerate() {
        let value = match (at, over.clone()) {
            (_, Expr::Unknown) => Expr::Unknown,
            (0, over) => over.member(Expr::ITERATION_KEY),
            (_, over) => over.each(),
        };
        assign_target(walk, target, value, node.has_token(":="));
    }
}

/// `switch x := y.(type)`: in each case `x` has the type of that case.
fn type_switch(walk: &mut GrammarWalker<'_>, node: Node<'_>) {
    let known = walk.known_names();
    if let Some(before) = node.field("initializer") {
        walk.expr(before);
    }
    let value = value(walk, node, "value");
    let alias = node.field("alias").and_then(|alias| named_children(alias).first().copied());
    for case in named_children(node) {
        if !matches!(case.kind(), "type_case" | "default_case") {
            continue;
        }
        let mut cursor = case.walk();
        let listed: Vec<Node<'_>> =
            case.children_by_field_name("type", &mut cursor).filter(Node::is_named).collect();
        let types: Vec<TypeRef> = listed.into_iter().map(|ty| types::read(walk, ty)).collect();
        let value = match types.as_slice() {
            [one] => Expr::Unknown.typed(one.clone()),
            _ => value.clone(),
        };
        walk.branch(|walk| {
            if let Some(alias) = alias {
                walk.declare(alias, None, value);
            }
            for part in
                named_children(case).into_iter().filter(|part| part.kind() == "statement_list")
            {
                walk.walk_children(part);
            }
        });
    }
    walk.forget_names(known);
}
