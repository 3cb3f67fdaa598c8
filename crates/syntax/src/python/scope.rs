//! Name resolution. In Python a name's scope is fixed for the whole function.

use std::collections::HashMap;

use super::PythonWalker;
use crate::model::{AssignTarget, BindingKind, Expr};
use crate::treesitter::{Node, NodeExt, children, named_children, span};

/// What a scope belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PythonScopeKind {
    /// A module, function, lambda or comprehension
    Open,
    /// A class, whose names only its own body sees, as its members
    Class(u32),
}

/// The names of a scope.
#[derive(Debug)]
pub(super) struct PythonScope {
    pub kind: PythonScopeKind,
    /// Names with their bindings; a class has none
    names: HashMap<String, Option<u32>>,
}

impl PythonWalker<'_> {
    /// Enters a scope whose names are bound somewhere in these nodes.
    pub(super) fn enter_scope(&mut self, kind: PythonScopeKind, bodies: &[Node<'_>]) {
        let mut found = BoundNames::default();
        for body in bodies {
            collect_bound_names(self, *body, &mut found);
        }
        let mut names = HashMap::new();
        for name in &found.bound {
            if found.outer.contains(name) || found.global.contains(name) || names.contains_key(name)
            {
                continue;
            }
            let binding = match kind {
                PythonScopeKind::Open => {
                    Some(self.builder.add_binding(name.clone(), BindingKind::Variable))
                }
                PythonScopeKind::Class(_) => None,
            };
            names.insert(name.clone(), binding);
        }
        self.scopes.push(PythonScope { kind, names });
        for name in found.global {
            let top = self.global(&name);
            let scope = self.scopes.last_mut().expect("it was just pushed");
            scope.names.insert(name, Some(top));
        }
    }

    /// Leaves the innermost scope.
    pub(super) fn leave_scope(&mut self) {
        self.scopes.pop();
    }

    /// Declares one more name in the innermost scope.
    pub(super) fn declare(&mut self, name: &str, kind: BindingKind) -> u32 {
        let known = self.scopes.last().and_then(|scope| scope.names.get(name).copied().flatten());
        let local = known.unwrap_or_else(|| self.builder.add_binding(name, kind));
        self.builder.facts.flow.bindings[local as usize].kind = kind;
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(name.to_owned(), Some(local));
        }
        local
    }

    fn global(&mut self, name: &str) -> u32 {
        if let Some(Some(known)) = self.scopes.first().and_then(|scope| scope.names.get(name)) {
            return *known;
        }
        let local = self.builder.add_binding(name, BindingKind::Variable);
        self.builder.facts.flow.bindings[local as usize].owner = None;
        if let Some(scope) = self.scopes.first_mut() {
            scope.names.insert(name.to_owned(), Some(local));
        }
        local
    }

    /// What a name means at the current position of the walk.
    pub(super) fn resolve(&self, name: &str) -> Expr {
        let last = self.scopes.len().saturating_sub(1);
        for (at, scope) in self.scopes.iter().enumerate().rev() {
            match (scope.kind, scope.names.get(name)) {
                (PythonScopeKind::Class(class), Some(None)) if at == last => {
                    return Expr::Symbol(class).member(name);
                }
                (_, Some(Some(local))) => return Expr::Local(*local),
                _ => {}
            }
        }
        Expr::Name(name.to_owned())
    }

    /// Where a name is stored.
    pub(super) fn assign_target(&mut self, name: &str) -> AssignTarget {
        match self.resolve(name) {
            Expr::Local(local) => {
                self.touched.insert(local);
                AssignTarget::Local(local)
            }
            Expr::Member(object, name) => AssignTarget::Member(*object, name),
            _ => AssignTarget::Name(name.to_owned()),
        }
    }

    /// Whether the walk is at the top of the module, or of a class.
    pub(super) fn is_at_top_level(&self) -> bool {
        self.builder.position.owner.is_none()
    }
}

/// The names that a scope binds.
#[derive(Default)]
struct BoundNames {
    bound: Vec<String>,
    global: Vec<String>,
    outer: Vec<String>,
}

/// Finds the names that are bound here, nested functions and classes left out.
fn collect_bound_names(walk: &PythonWalker<'_>, node: Node<'_>, found: &mut BoundNames) {
    match node.kind() {
        "function_definition" | "class_definition" => {
            found.bound.extend(node.field("name").map(|name| walk.text(name)));
        }
        "list_comprehension"
        | "set_comprehension"
        | "dictionary_comprehension"
        | "generator_expression" => collect_walrus_names(walk, node, found),
        "global_statement" => {
            found.global.extend(named_children(node).iter().map(|name| walk.text(*name)));
        }
        "nonlocal_statement" => {
            found.outer.extend(named_children(node).iter().map(|name| walk.text(*name)));
        }
        "import_statement" | "import_from_statement" => collect_imported_names(walk, node, found),
        "assignment" | "augmented_assignment" | "for_statement" => {
            if let Some(left) = node.field("left") {
                collect_target_names(walk, left, found);
            }
            collect_in_children(walk, node, found);
        }
        "named_expression" => {
            found.bound.extend(node.field("name").map(|name| walk.text(name)));
            collect_in_children(walk, node, found);
        }
        "as_pattern" => {
            if let Some(alias) = node.field("alias") {
                collect_target_names(walk, alias, found);
            }
            collect_in_children(walk, node, found);
        }
        "case_pattern" => collect_target_names(walk, node, found),
        "lambda" | "identifier" | "string" | "integer" | "comment" | "attribute" | "float" => {}
        _ => collect_in_children(walk, node, found),
    }
}

fn collect_in_children(walk: &PythonWalker<'_>, node: Node<'_>, found: &mut BoundNames) {
    for child in named_children(node) {
        collect_bound_names(walk, child, found);
    }
}

/// `:=` in a comprehension binds outside of it.
fn collect_walrus_names(walk: &PythonWalker<'_>, node: Node<'_>, found: &mut BoundNames) {
    for child in named_children(node) {
        if child.kind() == "named_expression" {
            found.bound.extend(child.field("name").map(|name| walk.text(name)));
        }
        if child.kind() != "lambda" {
            collect_walrus_names(walk, child, found);
        }
    }
}

fn collect_imported_names(walk: &PythonWalker<'_>, node: Node<'_>, found: &mut BoundNames) {
    let module = node.field("module_name").map(|module| span(module).start);
    for part in children(node) {
        let name = match part.kind() {
            "dotted_name" if Some(span(part).start) != module => {
                walk.text(part).split('.').next().unwrap_or_default().trim().to_owned()
            }
            "aliased_import" => {
                part.field("alias").map(|alias| walk.text(alias)).unwrap_or_default()
            }
            _ => continue,
        };
        found.bound.push(name);
    }
}

/// The names of an assignment target.
fn collect_target_names(walk: &PythonWalker<'_>, node: Node<'_>, found: &mut BoundNames) {
    match node.kind() {
        "identifier" => found.bound.push(walk.text(node)),
        "attribute" | "subscript" | "call" => {}
        _ => {
            for child in named_children(node) {
                collect_target_names(walk, child, found);
            }
        }
    }
}
