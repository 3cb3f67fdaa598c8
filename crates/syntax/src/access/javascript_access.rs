//! The use of a name in JavaScript and its relatives.

use std::collections::{HashMap, HashSet};

use oxc_ast::ast::{
    BindingIdentifier, BindingProperty, CallExpression, Class, ComputedMemberExpression,
    ExportSpecifier, Expression, ImportDeclaration, JSXAttributeName, JSXElementName,
    MethodDefinition, NewExpression, ObjectProperty, PropertyDefinition, PropertyKey,
    SimpleAssignmentTarget, StringLiteral, TSClassImplements, TSInterfaceHeritage,
    TSMethodSignature, TSPropertySignature, TSType, TaggedTemplateExpression, UnaryExpression,
    UnaryOperator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span as Place};

use super::{AccessForm, AccessKind, AccessUse, MemberText};
use crate::descriptor::JavaScriptDialect;
use crate::javascript;

/// What is done with a name in a text.
#[derive(Default)]
pub(super) struct JavaScriptAccesses {
    /// By the byte at which a mention starts; a mention without an entry is read
    pub uses: HashMap<u32, AccessUse>,
    /// Where a text names a member
    pub texts: Vec<MemberText>,
}

/// What is done with a name in a text.
pub(super) fn collect_accesses(
    dialect: JavaScriptDialect,
    text: &str,
    name: &str,
) -> JavaScriptAccesses {
    let mut collector = AccessCollector {
        name,
        text,
        found: JavaScriptAccesses::default(),
        seen_texts: HashSet::new(),
        in_type: false,
    };
    javascript::with_program(dialect, text, |program| collector.visit_program(program));
    collector.found
}

struct AccessCollector<'n> {
    name: &'n str,
    text: &'n str,
    found: JavaScriptAccesses,
    /// Where the texts start that are noted already
    seen_texts: HashSet<u32>,
    in_type: bool,
}

impl AccessCollector<'_> {
    /// Notes what is done at a place, if the name is there. Later notes about the same place are
    /// ignored.
    fn note(&mut self, place: Place, kind: AccessKind) {
        self.note_form(place, kind, AccessForm::Plain);
    }

    fn note_form(&mut self, place: Place, kind: AccessKind, form: AccessForm) {
        let at = self.text.get(place.start as usize..);
        if at.is_some_and(|text| text.starts_with(self.name)) {
            self.found.uses.entry(place.start).or_insert(AccessUse { kind, form });
        }
    }

    /// Notes a text that names a member.
    fn note_text(&mut self, literal: &StringLiteral<'_>, kind: AccessKind, owner_end: Option<u32>) {
        let span = base::Span::new(literal.span.start + 1, literal.span.end.saturating_sub(1));
        // A text with escapes is longer than its value.
        let is_plain = self.text.get(span.range()) == Some(self.name);
        if is_plain && self.seen_texts.insert(span.start) {
            let owner_end = owner_end.map(|end| end as usize);
            self.found.texts.push(MemberText { span, kind, owner_end });
        }
    }

    /// Notes what is done with `owner[key]`.
    fn note_computed(&mut self, member: &ComputedMemberExpression<'_>, kind: AccessKind) {
        match &member.expression {
            Expression::Identifier(key) => self.note_form(key.span, kind, AccessForm::Key),
            Expression::StringLiteral(key) => {
                self.note_text(key, kind, Some(member.object.span().end));
            }
            _ => {}
        }
    }

    fn note_key(&mut self, key: &PropertyKey<'_>, kind: AccessKind) {
        match key {
            PropertyKey::StaticIdentifier(name) => self.note(name.span, kind),
            PropertyKey::PrivateIdentifier(name) => {
                self.note(Place::new(name.span.start + 1, name.span.end), kind);
                self.note(name.span, kind);
            }
            // `[name]: value`, which no declaration has: it gives the member no name of its own.
            PropertyKey::Identifier(name) if kind != AccessKind::Declaration => {
                self.note_form(name.span, kind, AccessForm::Key);
            }
            PropertyKey::StringLiteral(name) => self.note_text(name, kind, None),
            _ => {}
        }
    }

    /// Notes what is done with the value of an expression.
    fn note_value(&mut self, value: &Expression<'_>, kind: AccessKind) {
        match value.get_inner_expression() {
            Expression::Identifier(name) => self.note(name.span, kind),
            Expression::StaticMemberExpression(member) => self.note(member.property.span, kind),
            Expression::PrivateFieldExpression(member) => self.note(member.field.span, kind),
            Expression::ComputedMemberExpression(member) => self.note_computed(member, kind),
            Expression::ChainExpression(chain) => {
                if let Some(member) = chain.expression.as_member_expression()
                    && let Some((place, _)) = member.static_property_info()
                {
                    self.note(place, kind);
                }
            }
            _ => {}
        }
    }
}

impl<'a> Visit<'a> for AccessCollector<'_> {
    fn visit_simple_assignment_target(&mut self, it: &SimpleAssignmentTarget<'a>) {
        match it {
            SimpleAssignmentTarget::AssignmentTargetIdentifier(name) => {
                self.note(name.span, AccessKind::Write);
            }
            SimpleAssignmentTarget::StaticMemberExpression(member) => {
                self.note(member.property.span, AccessKind::Write);
            }
            SimpleAssignmentTarget::PrivateFieldExpression(member) => {
                self.note(member.field.span, AccessKind::Write);
            }
            SimpleAssignmentTarget::ComputedMemberExpression(member) => {
                self.note_computed(member, AccessKind::Write);
            }
            _ => {}
        }
        walk::walk_simple_assignment_target(self, it);
    }

    fn visit_computed_member_expression(&mut self, it: &ComputedMemberExpression<'a>) {
        self.note_computed(it, AccessKind::Read);
        walk::walk_computed_member_expression(self, it);
    }

    fn visit_unary_expression(&mut self, it: &UnaryExpression<'a>) {
        if it.operator == UnaryOperator::Delete {
            self.note_value(&it.argument, AccessKind::Write);
        }
        walk::walk_unary_expression(self, it);
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        self.note_value(&it.callee, AccessKind::Call);
        walk::walk_call_expression(self, it);
    }

    fn visit_tagged_template_expression(&mut self, it: &TaggedTemplateExpression<'a>) {
        self.note_value(&it.tag, AccessKind::Call);
        walk::walk_tagged_template_expression(self, it);
    }

    fn visit_new_expression(&mut self, it: &NewExpression<'a>) {
        self.note_value(&it.callee, AccessKind::Construct);
        walk::walk_new_expression(self, it);
    }

    fn visit_jsx_element_name(&mut self, it: &JSXElementName<'a>) {
        self.note(it.span(), AccessKind::Call);
        walk::walk_jsx_element_name(self, it);
    }

    fn visit_jsx_attribute_name(&mut self, it: &JSXAttributeName<'a>) {
        self.note(it.span(), AccessKind::Write);
        walk::walk_jsx_attribute_name(self, it);
    }

    fn visit_object_property(&mut self, it: &ObjectProperty<'a>) {
        if it.shorthand {
            self.note_form(it.span, AccessKind::Write, AccessForm::Shorthand);
        }
        self.note_key(&it.key, AccessKind::Write);
        walk::walk_object_property(self, it);
    }

    fn visit_binding_property(&mut self, it: &BindingProperty<'a>) {
        self.note_key(&it.key, AccessKind::Read);
        walk::walk_binding_property(self, it);
    }

    fn visit_binding_identifier(&mut self, it: &BindingIdentifier<'a>) {
        self.note(it.span, AccessKind::Declaration);
    }

    fn visit_property_definition(&mut self, it: &PropertyDefinition<'a>) {
        self.note_key(&it.key, AccessKind::Declaration);
        walk::walk_property_definition(self, it);
    }

    fn visit_method_definition(&mut self, it: &MethodDefinition<'a>) {
        self.note_key(&it.key, AccessKind::Declaration);
        walk::walk_method_definition(self, it);
    }

    fn visit_ts_property_signature(&mut self, it: &TSPropertySignature<'a>) {
        self.note_key(&it.key, AccessKind::Declaration);
        walk::walk_ts_property_signature(self, it);
    }

    fn visit_ts_method_signature(&mut self, it: &TSMethodSignature<'a>) {
        self.note_key(&it.key, AccessKind::Declaration);
        walk::walk_ts_method_signature(self, it);
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        if let Some(parent) = &it.heritage {
            self.note_value(&parent.expression, AccessKind::Type);
        }
        walk::walk_class(self, it);
    }

    fn visit_ts_class_implements(&mut self, it: &TSClassImplements<'a>) {
        self.within_type(|this| walk::walk_ts_class_implements(this, it));
    }

    fn visit_ts_interface_heritage(&mut self, it: &TSInterfaceHeritage<'a>) {
        self.within_type(|this| walk::walk_ts_interface_heritage(this, it));
    }

    fn visit_ts_type(&mut self, it: &TSType<'a>) {
        self.within_type(|this| walk::walk_ts_type(this, it));
    }

    fn visit_identifier_reference(&mut self, it: &oxc_ast::ast::IdentifierReference<'a>) {
        if self.in_type {
            self.note(it.span, AccessKind::Type);
        }
    }

    fn visit_import_declaration(&mut self, it: &ImportDeclaration<'a>) {
        for specifier in it.specifiers.iter().flatten() {
            self.note(specifier.span(), AccessKind::Import);
            self.note(specifier.local().span, AccessKind::Import);
        }
    }

    fn visit_export_specifier(&mut self, it: &ExportSpecifier<'a>) {
        self.note(it.local.span(), AccessKind::Import);
        self.note(it.exported.span(), AccessKind::Import);
    }
}

impl AccessCollector<'_> {
    fn within_type(&mut self, walk: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.in_type, true);
        walk(self);
        self.in_type = before;
    }
}
