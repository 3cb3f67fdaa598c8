//! Targets taken apart: each name gets its piece of the value.

use oxc_ast::ast::{
    AssignmentTarget, AssignmentTargetMaybeDefault, AssignmentTargetProperty, BindingPattern,
    Expression, PropertyKey, SimpleAssignmentTarget,
};
use oxc_span::GetSpan;

use super::span;
use super::walk::{DeclarationContext, JavaScriptWalker};
use crate::model::{
    AssignTarget, BindingKind, Expr, FlowBlockKind, LiteralItem, LiteralKind, SymbolKind,
};

impl<'a> JavaScriptWalker<'_, '_> {
    /// Declares the names of a pattern and gives them their pieces of a value.
    pub(super) fn bind(&mut self, pattern: &BindingPattern<'a>, value: Expr, kind: BindingKind) {
        self.bind_with(pattern, value, kind, None);
    }

    /// The same for a declaration whose names may be symbols.
    pub(super) fn bind_declared(
        &mut self,
        pattern: &BindingPattern<'a>,
        value: Expr,
        around: DeclarationContext,
    ) {
        let is_import = matches!(value, Expr::Import(_));
        let around = (self.variables_are_symbols() && !is_import).then_some(around);
        self.bind_with(pattern, value, BindingKind::Variable, around);
    }

    fn bind_with(
        &mut self,
        pattern: &BindingPattern<'a>,
        value: Expr,
        kind: BindingKind,
        around: Option<DeclarationContext>,
    ) {
        match pattern {
            BindingPattern::BindingIdentifier(id) => {
                let symbol = around.map(|around| {
                    let target = self.declared_header(SymbolKind::Constant, id, around);
                    let mut draft = self.draft_from_header(target);
                    draft.signature = id.name.to_string();
                    draft.span = span(id.span);
                    draft.declaration = draft.span;
                    self.builder.add_symbol(draft)
                });
                let local = self.declare(id, kind);
                if symbol.is_some() {
                    self.builder.facts.flow.bindings[local as usize].symbol = symbol;
                }
                self.builder.add_assignment(AssignTarget::Local(local), value);
            }
            BindingPattern::ObjectPattern(object) => {
                let value = self.builder.bind_if_shared(value, object.properties.len());
                for property in &object.properties {
                    let piece = self.property_of(&property.key, property.computed, value.clone());
                    self.bind_with(&property.value, piece, kind, around);
                }
                if let Some(rest) = &object.rest {
                    self.bind_with(&rest.argument, value, kind, around);
                }
            }
            BindingPattern::ArrayPattern(array) => {
                let value = self.builder.bind_if_shared(value, array.elements.len());
                for (at, element) in array.elements.iter().enumerate() {
                    if let Some(element) = element {
                        self.bind_with(element, list_element(value.clone(), at), kind, around);
                    }
                }
                if let Some(rest) = &array.rest {
                    self.bind_with(&rest.argument, rest_of(value), kind, around);
                }
            }
            BindingPattern::AssignmentPattern(inner) => {
                let default = self.fallback(&inner.right);
                self.bind_with(&inner.left, Expr::either([value, default]), kind, around);
            }
        }
    }

    /// Gives a value to an assignment target.
    pub(super) fn assign_to(&mut self, target: &AssignmentTarget<'a>, value: Expr) {
        match target {
            AssignmentTarget::ArrayAssignmentTarget(array) => {
                let value = self.builder.bind_if_shared(value, array.elements.len());
                for (at, element) in array.elements.iter().enumerate() {
                    if let Some(element) = element {
                        self.assign_with_default(element, list_element(value.clone(), at));
                    }
                }
                if let Some(rest) = &array.rest {
                    self.assign_to(&rest.target, rest_of(value));
                }
            }
            AssignmentTarget::ObjectAssignmentTarget(object) => {
                let value = self.builder.bind_if_shared(value, object.properties.len());
                for property in &object.properties {
                    self.assign_property(property, &value);
                }
                if let Some(rest) = &object.rest {
                    self.assign_to(&rest.target, value);
                }
            }
            simple => {
                if let Some(place) = self.place(simple.to_simple_assignment_target()) {
                    self.builder.add_assignment(place, value);
                }
            }
        }
    }

    fn assign_property(&mut self, property: &AssignmentTargetProperty<'a>, value: &Expr) {
        match property {
            AssignmentTargetProperty::AssignmentTargetPropertyIdentifier(inner) => {
                let piece = value.clone().member(inner.binding.name.as_str());
                let default = inner.init.as_ref().map(|init| self.fallback(init));
                let piece = Expr::either([piece].into_iter().chain(default));
                let place = self.place_of_name(&inner.binding);
                self.builder.add_assignment(place, piece);
            }
            AssignmentTargetProperty::AssignmentTargetPropertyProperty(inner) => {
                let piece = self.property_of(&inner.name, inner.computed, value.clone());
                self.assign_with_default(&inner.binding, piece);
            }
        }
    }

    fn assign_with_default(&mut self, target: &AssignmentTargetMaybeDefault<'a>, value: Expr) {
        match target {
            AssignmentTargetMaybeDefault::AssignmentTargetWithDefault(inner) => {
                let default = self.fallback(&inner.init);
                self.assign_to(&inner.binding, Expr::either([value, default]));
            }
            target => self.assign_to(target.to_assignment_target(), value),
        }
    }

    /// A value that is only used when there is no other.
    fn fallback(&mut self, value: &Expression<'a>) -> Expr {
        let back = self.builder.enter_block(FlowBlockKind::Branch);
        let value = self.expr(value);
        self.builder.restore_position(back);
        value
    }

    /// The piece of a value under a key.
    fn property_of(&mut self, key: &PropertyKey<'a>, computed: bool, value: Expr) -> Expr {
        match key.static_name() {
            Some(name) => value.member(name),
            None if computed => {
                let key = self.expr(key.to_expression());
                value.index(key)
            }
            None => Expr::Unknown,
        }
    }

    /// Where a simple target is.
    pub(super) fn place(&mut self, target: &SimpleAssignmentTarget<'a>) -> Option<AssignTarget> {
        match target {
            SimpleAssignmentTarget::AssignmentTargetIdentifier(name) => {
                Some(self.place_of_name(name))
            }
            SimpleAssignmentTarget::StaticMemberExpression(member) => {
                let object = self.expr(&member.object);
                Some(AssignTarget::Member(object, member.property.name.to_string()))
            }
            SimpleAssignmentTarget::PrivateFieldExpression(member) => {
                let object = self.expr(&member.object);
                Some(AssignTarget::Member(object, format!("#{}", member.field.name)))
            }
            SimpleAssignmentTarget::ComputedMemberExpression(member) => {
                let object = self.expr(&member.object);
                let key = self.expr(&member.expression);
                Some(AssignTarget::Index(object, key))
            }
            SimpleAssignmentTarget::TSAsExpression(inner) => self.place_of(&inner.expression),
            SimpleAssignmentTarget::TSNonNullExpression(inner) => self.place_of(&inner.expression),
            SimpleAssignmentTarget::TSSatisfiesExpression(inner) => {
                self.place_of(&inner.expression)
            }
            SimpleAssignmentTarget::TSTypeAssertion(inner) => self.place_of(&inner.expression),
        }
    }

    fn place_of_name(&mut self, name: &oxc_ast::ast::IdentifierReference<'a>) -> AssignTarget {
        match self.name(name) {
            Expr::Local(local) => AssignTarget::Local(local),
            _ => AssignTarget::Name(name.name.to_string()),
        }
    }

    fn place_of(&mut self, value: &Expression<'a>) -> Option<AssignTarget> {
        match self.expr(value) {
            Expr::Local(local) => Some(AssignTarget::Local(local)),
            Expr::Name(name) => Some(AssignTarget::Name(name)),
            Expr::Member(object, name) => Some(AssignTarget::Member(*object, name)),
            Expr::Index(object, key) => Some(AssignTarget::Index(*object, *key)),
            _ => None,
        }
    }

    /// The name of a key and its span; for a computed key, its source.
    pub(super) fn key(&self, key: &PropertyKey<'a>) -> (String, base::Span) {
        let at = span(key.span());
        let name = match key {
            PropertyKey::PrivateIdentifier(name) => format!("#{}", name.name),
            key => match key.static_name() {
                Some(name) => name.into_owned(),
                None => format!("[{}]", self.builder.one_line_signature(at)),
            },
        };
        (name, at)
    }
}

fn list_element(value: Expr, at: usize) -> Expr {
    value.index(Expr::Number(i64::try_from(at).unwrap_or_default()))
}

/// What is left of a list.
fn rest_of(value: Expr) -> Expr {
    match value {
        Expr::Unknown => Expr::Unknown,
        value => {
            Expr::Items(LiteralKind::List, vec![LiteralItem { key: None, value, spread: true }])
        }
    }
}
