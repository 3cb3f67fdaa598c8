//! What a name is: Python decides that for a whole function at once.

use std::collections::HashMap;

use super::Walk;
use crate::model::{BindingKind, Expr, Place};
use crate::tree::{Grown, Node, children, named, span};

/// What a scope belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A module, function, lambda or comprehension
    Open,
    /// A class, whose names only its own body sees, as its members
    Class(u32),
}

/// The names of a scope.
#[derive(Debug)]
pub(super) struct Scope {
    pub kind: Kind,
    /// Names with their bindings; a class has none
    names: HashMap<String, Option<u32>>,
}

impl Walk<'_> {
    /// Enters a scope whose names are bound somewhere in these nodes.
    pub(super) fn open(&mut self, kind: Kind, bodies: &[Node<'_>]) {
        let mut found = Found::default();
        for body in bodies {
            collect(self, *body, &mut found);
        }
        let mut names = HashMap::new();
        for name in &found.bound {
            if found.outer.contains(name) || found.global.contains(name) || names.contains_key(name)
            {
                continue;
            }
            let binding = match kind {
                Kind::Open => Some(self.b.binding(name.clone(), BindingKind::Variable)),
                Kind::Class(_) => None,
            };
            names.insert(name.clone(), binding);
        }
        self.scopes.push(Scope { kind, names });
        for name in found.global {
            let top = self.global(&name);
            let scope = self.scopes.last_mut().expect("it was just pushed");
            scope.names.insert(name, Some(top));
        }
    }

    /// Leaves the innermost scope.
    pub(super) fn close(&mut self) {
        self.scopes.pop();
    }

    /// Declares one more name in the innermost scope.
    pub(super) fn declare(&mut self, name: &str, kind: BindingKind) -> u32 {
        let known = self.scopes.last().and_then(|scope| scope.names.get(name).copied().flatten());
        let local = known.unwrap_or_else(|| self.b.binding(name, kind));
        self.b.facts.flow.bindings[local as usize].kind = kind;
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(name.to_owned(), Some(local));
        }
        local
    }

    fn global(&mut self, name: &str) -> u32 {
        if let Some(Some(known)) = self.scopes.first().and_then(|scope| scope.names.get(name)) {
            return *known;
        }
        let local = self.b.binding(name, BindingKind::Variable);
        self.b.facts.flow.bindings[local as usize].owner = None;
        if let Some(scope) = self.scopes.first_mut() {
            scope.names.insert(name.to_owned(), Some(local));
        }
        local
    }

    /// What a name is where the walk is.
    pub(super) fn resolve(&self, name: &str) -> Expr {
        let last = self.scopes.len().saturating_sub(1);
        for (at, scope) in self.scopes.iter().enumerate().rev() {
            match (scope.kind, scope.names.get(name)) {
                (Kind::Class(class), Some(None)) if at == last => {
                    return Expr::Symbol(class).member(name);
                }
                (_, Some(Some(local))) => return Expr::Local(*local),
                _ => {}
            }
        }
        Expr::Name(name.to_owned())
    }

    /// Where a name is stored.
    pub(super) fn place(&mut self, name: &str) -> Place {
        match self.resolve(name) {
            Expr::Local(local) => {
                self.touched.insert(local);
                Place::Local(local)
            }
            Expr::Member(object, name) => Place::Member(*object, name),
            _ => Place::Name(name.to_owned()),
        }
    }

    /// Whether the walk is at the top of the module, or of a class.
    pub(super) fn is_top(&self) -> bool {
        self.b.at.owner.is_none()
    }
}

/// The names that a scope binds.
#[derive(Default)]
struct Found {
    bound: Vec<String>,
    global: Vec<String>,
    outer: Vec<String>,
}

/// Finds the names that are bound here, nested functions and classes left out.
fn collect(walk: &Walk<'_>, node: Node<'_>, found: &mut Found) {
    match node.kind() {
        "function_definition" | "class_definition" => {
            found.bound.extend(node.field("name").map(|name| walk.text(name)));
        }
        "list_comprehension"
        | "set_comprehension"
        | "dictionary_comprehension"
        | "generator_expression" => walrus(walk, node, found),
        "global_statement" => found.global.extend(named(node).iter().map(|name| walk.text(*name))),
        "nonlocal_statement" => found.outer.extend(named(node).iter().map(|name| walk.text(*name))),
        "import_statement" | "import_from_statement" => imported(walk, node, found),
        "assignment" | "augmented_assignment" | "for_statement" => {
            if let Some(left) = node.field("left") {
                targets(walk, left, found);
            }
            descend(walk, node, found);
        }
        "named_expression" => {
            found.bound.extend(node.field("name").map(|name| walk.text(name)));
            descend(walk, node, found);
        }
        "as_pattern" => {
            if let Some(alias) = node.field("alias") {
                targets(walk, alias, found);
            }
            descend(walk, node, found);
        }
        "case_pattern" => targets(walk, node, found),
        "lambda" | "identifier" | "string" | "integer" | "comment" | "attribute" | "float" => {}
        _ => descend(walk, node, found),
    }
}

fn descend(walk: &Walk<'_>, node: Node<'_>, found: &mut Found) {
    for child in named(node) {
        collect(walk, child, found);
    }
}

/// `:=` in a comprehension binds outside of it.
fn walrus(walk: &Walk<'_>, node: Node<'_>, found: &mut Found) {
    for child in named(node) {
        if child.kind() == "named_expression" {
            found.bound.extend(child.field("name").map(|name| walk.text(name)));
        }
        if child.kind() != "lambda" {
            walrus(walk, child, found);
        }
    }
}

fn imported(walk: &Walk<'_>, node: Node<'_>, found: &mut Found) {
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
fn targets(walk: &Walk<'_>, node: Node<'_>, found: &mut Found) {
    match node.kind() {
        "identifier" => found.bound.push(walk.text(node)),
        "attribute" | "subscript" | "call" => {}
        _ => {
            for child in named(node) {
                targets(walk, child, found);
            }
        }
    }
}
