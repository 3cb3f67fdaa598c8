//! Types as Go writes them.

use super::predeclared::is_predeclared;
use crate::facts_builder::SymbolDraft;
use crate::line_index::offset;
use crate::model::{Expr, SymbolFlags, SymbolKind, TypeParam, TypeRef};
use crate::treesitter::{GrammarWalker, Node, NodeExt, named_children, span};

/// A written type; pointers are looked through. What it names is mentioned.
pub(super) fn read(walk: &mut GrammarWalker<'_>, node: Node<'_>) -> TypeRef {
    match node.kind() {
        "type_identifier" | "identifier" | "qualified_type" | "selector_expression" => {
            let path: String = walk.text(node).split_whitespace().collect();
            if !is_predeclared(&path) && !is_type_param(walk, &path) {
                let target = value_of(&path);
                walk.builder.add_mention(&target, true, span(node).start);
            }
            TypeRef::named(path)
        }
        "generic_type" => generic(walk, node),
        "type_elem" | "type_constraint" if named_children(node).len() > 1 => TypeRef::Unknown,
        "pointer_type" | "parenthesized_type" | "negated_type" | "type_elem"
        | "type_constraint" => {
            named_children(node).first().map_or(TypeRef::Unknown, |inner| read(walk, *inner))
        }
        "slice_type" | "array_type" | "implicit_length_array_type" => {
            TypeRef::List(Box::new(field_type(walk, node, "element")))
        }
        "map_type" => {
            let (key, value) = (field_type(walk, node, "key"), field_type(walk, node, "value"));
            container_type("map", vec![key, value])
        }
        "channel_type" => container_type("chan", vec![field_type(walk, node, "value")]),
        "function_type" => {
            let params = node.field("parameters").map(|list| list_of(walk, list));
            let result = result(walk, node).unwrap_or(TypeRef::Unknown);
            TypeRef::Function(params.unwrap_or_default(), Box::new(result))
        }
        "struct_type" => structure(walk, node),
        _ => TypeRef::Unknown,
    }
}

fn field_type(walk: &mut GrammarWalker<'_>, node: Node<'_>, field: &str) -> TypeRef {
    node.field(field).map_or(TypeRef::Unknown, |inner| read(walk, inner))
}

fn container_type(name: &str, args: Vec<TypeRef>) -> TypeRef {
    TypeRef::Named { path: name.into(), binding: None, args }
}

fn generic(walk: &mut GrammarWalker<'_>, node: Node<'_>) -> TypeRef {
    let base = field_type(walk, node, "type");
    let list = node.field("type_arguments").map(named_children).unwrap_or_default();
    let args: Vec<TypeRef> = list.into_iter().map(|arg| read(walk, arg)).collect();
    match base {
        // Ranging over these gives the same as ranging over a channel or a map.
        TypeRef::Named { path, .. } if path == "iter.Seq" => container_type("chan", args),
        TypeRef::Named { path, .. } if path == "iter.Seq2" => container_type("map", args),
        TypeRef::Named { path, binding, .. } => TypeRef::Named { path, binding, args },
        other => other,
    }
}

/// What a function returns; several values are a tuple.
pub(super) fn result(walk: &mut GrammarWalker<'_>, function: Node<'_>) -> Option<TypeRef> {
    let result = function.field("result")?;
    if result.kind() != "parameter_list" {
        return Some(read(walk, result));
    }
    let mut all = list_of(walk, result);
    Some(if all.len() == 1 { all.swap_remove(0) } else { TypeRef::Tuple(all) })
}

/// The types of parameters or results, one for each name.
fn list_of(walk: &mut GrammarWalker<'_>, list: Node<'_>) -> Vec<TypeRef> {
    let mut all = Vec::new();
    for one in named_children(list) {
        let is_rest = one.kind() == "variadic_parameter_declaration";
        if one.kind() != "parameter_declaration" && !is_rest {
            continue;
        }
        let ty = field_type(walk, one, "type");
        let ty = if is_rest { TypeRef::List(Box::new(ty)) } else { ty };
        let mut cursor = one.walk();
        let count = one.children_by_field_name("name", &mut cursor).filter(Node::is_named).count();
        all.extend(std::iter::repeat_n(ty, count.max(1)));
    }
    all
}

/// A structure without a name: a symbol that listings leave out has its fields.
fn structure(walk: &mut GrammarWalker<'_>, node: Node<'_>) -> TypeRef {
    let name = walk.builder.next_anonymous_name("struct");
    let at = span(node);
    let mut draft =
        SymbolDraft::new(SymbolKind::Struct, name.clone(), at, base::Span::new(at.start, at.start));
    draft.parent = walk.builder.position.owner;
    draft.prefix = draft.parent.map(|owner| walk.builder.member_prefix(owner).to_owned());
    draft.flags = SymbolFlags::ANONYMOUS;
    let symbol = walk.builder.add_symbol(draft);
    super::grammar::add_embedded(walk, node, symbol);
    let back = walk.builder.enter_symbol(symbol);
    walk.walk_children(node);
    walk.builder.restore_position(back);
    TypeRef::named(name)
}

/// The type parameters of a declaration. Those of a method are in its receiver.
pub(super) fn generics(walk: &mut GrammarWalker<'_>, node: Node<'_>) -> Vec<TypeParam> {
    let mut all = Vec::new();
    for list in node.field("type_parameters").map(named_children).unwrap_or_default() {
        let bound = field_type(walk, list, "type");
        let mut cursor = list.walk();
        let names: Vec<Node<'_>> = list.children_by_field_name("name", &mut cursor).collect();
        for name in names.into_iter().filter(Node::is_named) {
            let bounds = [bound.clone()].into_iter().filter(|one| *one != TypeRef::Unknown);
            all.push(TypeParam { name: walk.text(name), bounds: bounds.collect() });
        }
    }
    all
}

/// The type parameters that a receiver names, with the bounds that the type declares.
pub(super) fn receiver_generics(walk: &GrammarWalker<'_>, receiver: Node<'_>) -> Vec<TypeParam> {
    let generic = if receiver.kind() == "pointer_type" {
        receiver.child_of_kind(&["generic_type"])
    } else {
        Some(receiver).filter(|one| one.kind() == "generic_type")
    };
    let Some(generic) = generic else { return Vec::new() };
    let of = generic.field("type").map(|of| walk.text(of)).unwrap_or_default();
    let declared = walk.find_type(&of);
    let declared = declared
        .map(|at| walk.builder.facts.symbols[at as usize].generics.clone())
        .unwrap_or_default();
    let names = generic.field("type_arguments").map(named_children).unwrap_or_default();
    let param = |(at, name): (usize, Node<'_>)| TypeParam {
        name: walk.text(name),
        bounds: declared.get(at).map(|param| param.bounds.clone()).unwrap_or_default(),
    };
    names.into_iter().enumerate().map(param).collect()
}

fn is_type_param(walk: &GrammarWalker<'_>, name: &str) -> bool {
    let mut at = walk.builder.position.owner;
    while let Some(owner) = at {
        let symbol = &walk.builder.facts.symbols[owner as usize];
        if symbol.generics.iter().any(|param| param.name == name) {
            return true;
        }
        at = symbol.parent;
    }
    false
}

/// A type's name where a value is wanted.
pub(super) fn value_of(path: &str) -> Expr {
    let mut parts = path.split('.');
    let root = parts.next().map_or(Expr::Unknown, |root| Expr::Name(root.into()));
    parts.fold(root, Expr::member)
}

/// The number of a name among those of a declaration, as an index of a tuple.
pub(super) fn position_key(at: usize) -> Expr {
    Expr::Number(i64::from(offset(at)))
}
