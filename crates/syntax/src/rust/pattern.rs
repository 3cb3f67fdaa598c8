//! Patterns taken apart: each name gets its piece of the value.

use super::RustWalker;
use super::expr::is_comment;
use crate::model::{AssignTarget, BindingKind, Expr, TypeRef};
use crate::treesitter::{Node, NodeExt, named_children, span};

/// Patterns that unwrap a value with a single part.
const WRAPPERS: [&str; 3] = ["Some", "Ok", "Box"];

impl RustWalker<'_> {
    /// Declares the names of a pattern.
    pub(super) fn bind(&mut self, pattern: Node<'_>, value: Expr) {
        self.bind_typed(pattern, value, None);
    }

    /// Declares the names of a pattern, whose type may be written beside it.
    pub(super) fn bind_typed(&mut self, pattern: Node<'_>, value: Expr, ty: Option<TypeRef>) {
        match pattern.kind() {
            "identifier" | "shorthand_field_identifier" => self.declare(pattern, value, ty),
            "mut_pattern" | "ref_pattern" | "reference_pattern" | "match_pattern" => {
                let inner = named_children(pattern);
                let inner = inner.into_iter().rfind(|part| part.kind() != "mutable_specifier");
                if let Some(inner) = inner {
                    self.bind_typed(inner, value, ty);
                }
            }
            "captured_pattern" => {
                for part in named_children(pattern) {
                    self.bind(part, value.clone());
                }
            }
            "tuple_pattern" => {
                let parts = named_children(pattern).into_iter().filter(|part| !is_comment(*part));
                for (at, part) in parts.enumerate() {
                    let at = Expr::Number(i64::try_from(at).unwrap_or_default());
                    self.bind(part, value.clone().index(at));
                }
            }
            "tuple_struct_pattern" => self.bind_variant(pattern, &value),
            "struct_pattern" => self.bind_fields(pattern, &value),
            "slice_pattern" => {
                for part in named_children(pattern) {
                    self.bind(part, value.clone().each());
                }
            }
            "or_pattern" => {
                if let Some(first) = named_children(pattern).first() {
                    self.bind(*first, value);
                }
            }
            _ => {}
        }
    }

    fn declare(&mut self, pattern: Node<'_>, value: Expr, ty: Option<TypeRef>) {
        let name = self.text(pattern);
        // A constant or a variant without fields is compared with, not bound.
        if name.starts_with(|c: char| c.is_ascii_uppercase()) {
            self.builder.add_mention(&Expr::Name(name), false, span(pattern).start);
            return;
        }
        let local = self.builder.add_binding(name.clone(), BindingKind::Variable);
        self.builder.facts.flow.bindings[local as usize].ty = ty;
        self.builder.add_assignment(AssignTarget::Local(local), value);
        self.names.push((name, local));
    }

    fn bind_variant(&mut self, pattern: Node<'_>, value: &Expr) {
        let ty = pattern.field("type");
        let path = ty.map(|ty| self.path(ty)).unwrap_or_default();
        let name = path.last().cloned().unwrap_or_default();
        if path.len() > 1 {
            let at = span(pattern).start;
            self.builder.add_mention(&Expr::Path(path), false, at);
        }
        let parts = named_children(pattern)
            .into_iter()
            .filter(|part| Some(*part) != ty && !is_comment(*part));
        for (at, part) in parts.enumerate() {
            let piece = if WRAPPERS.contains(&name.as_str()) {
                value.clone().each()
            } else {
                // A field of the variant: `A::B(x)` is the value's `B.0`.
                value.clone().member(format!("{name}.{at}"))
            };
            self.bind(part, piece);
        }
    }

    fn bind_fields(&mut self, pattern: Node<'_>, value: &Expr) {
        let path = pattern.field("type").map(|ty| self.path(ty)).unwrap_or_default();
        if !path.is_empty() {
            let target =
                if path.len() > 1 { Expr::Path(path) } else { Expr::Name(path[0].clone()) };
            self.builder.add_mention(&target, true, span(pattern).start);
        }
        for part in named_children(pattern) {
            if part.kind() != "field_pattern" {
                continue;
            }
            let Some(name) = part.field("name") else { continue };
            let piece = value.clone().member(self.text(name));
            self.bind(part.field("pattern").unwrap_or(name), piece);
        }
    }

    /// The name that a parameter's pattern is, if it is one.
    pub(super) fn pattern_name(&self, pattern: Node<'_>) -> String {
        match pattern.kind() {
            "identifier" => self.text(pattern),
            "mut_pattern" | "ref_pattern" => {
                let inner =
                    named_children(pattern).into_iter().rfind(|part| part.kind() == "identifier");
                inner.map(|inner| self.text(inner)).unwrap_or_default()
            }
            _ => String::new(),
        }
    }
}
