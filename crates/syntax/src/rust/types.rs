//! Written types and bounds.

use super::RustWalker;
use crate::model::{Expr, TypeParam, TypeRef};
use crate::treesitter::{Node, NodeExt, named_children, span};

impl RustWalker<'_> {
    /// A written type.
    pub(super) fn ty(&mut self, node: Node<'_>) -> TypeRef {
        match node.kind() {
            "type_identifier" | "identifier" | "shorthand_field_identifier" => {
                let name = self.text(node);
                if name == "Self" {
                    return TypeRef::This;
                }
                self.builder.add_mention(&Expr::Name(name.clone()), true, span(node).start);
                TypeRef::named(name)
            }
            "primitive_type" => TypeRef::named(self.text(node)),
            "scoped_type_identifier" | "scoped_identifier" => {
                let parts = self.path(node);
                self.builder.add_mention(&Expr::Path(parts.clone()), true, span(node).start);
                TypeRef::named(parts.join("::"))
            }
            "generic_type" | "generic_type_with_turbofish" => self.generic(node),
            "reference_type" | "pointer_type" => {
                node.field("type").map_or(TypeRef::Unknown, |inner| self.ty(inner))
            }
            "array_type" | "slice_type" => {
                let element =
                    node.field("element").or_else(|| named_children(node).first().copied());
                TypeRef::List(Box::new(element.map_or(TypeRef::Unknown, |inner| self.ty(inner))))
            }
            "tuple_type" => {
                TypeRef::Tuple(named_children(node).into_iter().map(|part| self.ty(part)).collect())
            }
            "dynamic_type" | "abstract_type" => {
                node.field("trait").map_or(TypeRef::Unknown, |inner| self.ty(inner))
            }
            "bounded_type" => {
                let parts =
                    named_children(node).into_iter().filter(|part| part.kind() != "lifetime");
                let parts: Vec<_> = parts.map(|part| self.ty(part)).collect();
                intersection(parts)
            }
            "higher_ranked_trait_bound" | "removed_trait_bound" => {
                node.field("type").map_or(TypeRef::Unknown, |inner| self.ty(inner))
            }
            "function_type" => {
                let result = node.field("return_type").map(|result| self.ty(result));
                TypeRef::Function(Vec::new(), Box::new(result.unwrap_or(TypeRef::Unknown)))
            }
            _ => TypeRef::Unknown,
        }
    }

    fn generic(&mut self, node: Node<'_>) -> TypeRef {
        let base = node.field("type").map_or(TypeRef::Unknown, |base| self.ty(base));
        let mut args = Vec::new();
        if let Some(list) = node.field("type_arguments") {
            for arg in named_children(list) {
                match arg.kind() {
                    "lifetime" => {}
                    "type_binding" => {
                        // In `Iterator<Item = T>` the item counts as a type argument.
                        args.extend(arg.field("type").map(|ty| self.ty(ty)));
                    }
                    _ => args.push(self.ty(arg)),
                }
            }
        }
        match base {
            TypeRef::Named { path, binding, .. } => TypeRef::Named { path, binding, args },
            other => other,
        }
    }

    /// The parts of a path, type arguments left out.
    pub(super) fn path(&self, node: Node<'_>) -> Vec<String> {
        match node.kind() {
            "scoped_identifier" | "scoped_type_identifier" => {
                let before = node.field("path").map(|path| self.path(path));
                let mut parts = before.unwrap_or_default();
                parts.extend(node.field("name").map(|name| self.text(name)));
                parts
            }
            "generic_type" | "generic_type_with_turbofish" => {
                node.field("type").map(|inner| self.path(inner)).unwrap_or_default()
            }
            "bracketed_type" => {
                let inner = named_children(node).first().copied();
                let inner = inner.map(|inner| match inner.kind() {
                    "qualified_type" => inner.field("type").unwrap_or(inner),
                    _ => inner,
                });
                inner.map(|inner| self.path(inner)).unwrap_or_default()
            }
            "reference_type" => node.field("type").map(|ty| self.path(ty)).unwrap_or_default(),
            _ => vec![self.text(node)],
        }
    }

    /// Type parameters with their bounds, those in the `where` clause too.
    pub(super) fn generics(&mut self, node: Node<'_>) -> Vec<TypeParam> {
        let mut params = Vec::new();
        for param in node.field("type_parameters").map(named_children).unwrap_or_default() {
            if let Some(name) = param.field("name")
                && param.kind() == "type_parameter"
            {
                let name = self.text(name);
                let bounds = param.field("bounds").map(|list| self.bounds(list));
                params.push(TypeParam { name, bounds: bounds.unwrap_or_default() });
            }
        }
        for rule in node.child_of_kind(&["where_clause"]).map(named_children).unwrap_or_default() {
            let (Some(left), Some(list)) = (rule.field("left"), rule.field("bounds")) else {
                continue;
            };
            let (name, bounds) = (self.text(left), self.bounds(list));
            match params.iter_mut().find(|param| param.name == name) {
                Some(param) => param.bounds.extend(bounds),
                None => params.push(TypeParam { name, bounds }),
            }
        }
        params
    }

    /// The traits of a list of bounds.
    pub(super) fn bounds(&mut self, node: Node<'_>) -> Vec<TypeRef> {
        let parts = named_children(node).into_iter().filter(|part| part.kind() != "lifetime");
        let parts: Vec<_> = parts.map(|part| self.ty(part)).collect();
        parts.into_iter().filter(|part| *part != TypeRef::Unknown).collect()
    }
}

fn intersection(mut parts: Vec<TypeRef>) -> TypeRef {
    parts.retain(|part| *part != TypeRef::Unknown);
    if parts.len() == 1 { parts.swap_remove(0) } else { TypeRef::Intersection(parts) }
}
