//! Annotations.

use super::PythonWalker;
use crate::model::{Expr, TypeRef};
use crate::treesitter::{Node, named_children, span};

impl PythonWalker<'_> {
    /// The type that an annotation writes, if it says something.
    pub(super) fn annotation(&mut self, node: Node<'_>) -> Option<TypeRef> {
        let inner =
            if node.kind() == "type" { named_children(node).first().copied()? } else { node };
        let ty = self.type_expr(inner);
        (ty != TypeRef::Unknown).then_some(ty)
    }

    /// A value that stands for a type.
    pub(super) fn type_expr(&mut self, node: Node<'_>) -> TypeRef {
        match node.kind() {
            "type" | "parenthesized_expression" => named_children(node)
                .first()
                .map_or(TypeRef::Unknown, |inner| self.type_expr(*inner)),
            "identifier" => {
                let name = self.text(node);
                self.type_named(&name, node)
            }
            "attribute" | "member_type" => {
                let path = self.dotted_name(node);
                self.type_named(&path, node)
            }
            "string" => {
                let text = self.text(node);
                let name = text.trim_matches(['"', '\'']).to_owned();
                let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
                if is_name && !name.is_empty() {
                    self.type_named(&name, node)
                } else {
                    TypeRef::Unknown
                }
            }
            "generic_type" | "subscript" => self.generic(node),
            "union_type" | "binary_operator" => {
                let parts: Vec<_> =
                    named_children(node).into_iter().map(|part| self.type_expr(part)).collect();
                one_of(parts)
            }
            _ => TypeRef::Unknown,
        }
    }

    fn type_named(&mut self, path: &str, node: Node<'_>) -> TypeRef {
        let root = path.split('.').next().unwrap_or_default();
        let binding = match self.resolve(root) {
            Expr::Local(local) => Some(local),
            _ => None,
        };
        if let Some(local) = binding
            && self.builder.facts.flow.bindings[local as usize].owner.is_none()
        {
            let mut target = Expr::Local(local);
            if let Some(member) = path.split('.').nth(1) {
                target = target.member(member);
            }
            self.builder.add_mention(&target, true, span(node).start);
        }
        TypeRef::Named { path: path.to_owned(), binding, args: Vec::new() }
    }

    fn generic(&mut self, node: Node<'_>) -> TypeRef {
        let parts = named_children(node);
        let Some((base, rest)) = parts.split_first() else { return TypeRef::Unknown };
        let base = self.type_expr(*base);
        let mut args = Vec::new();
        for part in rest {
            if part.kind() == "type_parameter" || part.kind() == "tuple" {
                args.extend(named_children(*part).into_iter().map(|arg| self.type_expr(arg)));
            } else {
                args.push(self.type_expr(*part));
            }
        }
        let TypeRef::Named { path, binding, .. } = base else { return TypeRef::Unknown };
        match path.rsplit('.').next().unwrap_or_default() {
            "Optional" | "Union" | "Annotated" | "Final" | "ClassVar" => one_of(args),
            _ => TypeRef::Named { path, binding, args },
        }
    }
}

fn one_of(parts: Vec<TypeRef>) -> TypeRef {
    let mut known: Vec<_> = parts.into_iter().filter(|part| *part != TypeRef::Unknown).collect();
    match known.len() {
        0 => TypeRef::Unknown,
        1 => known.swap_remove(0),
        _ => TypeRef::Union(known),
    }
}
