//! Literals: text, numbers, lists, objects, templates and JSX.

use oxc_ast::ast::{
    ArrayExpression, ArrayExpressionElement, Expression, JSXAttributeItem, JSXAttributeValue,
    JSXChild, JSXElement, JSXElementName, JSXExpression, JSXMemberExpression,
    JSXMemberExpressionObject, ObjectExpression, ObjectProperty, ObjectPropertyKind, PropertyKind,
    TemplateLiteral,
};

use super::function::is_function_or_class;
use super::span;
use super::walk::{DeclarationHeader, JavaScriptWalker};
use crate::model::{
    Arg, CallKind, Expr, LiteralItem, LiteralKind, SymbolFlags, SymbolKind, SymbolOwner, Visibility,
};

/// Longer texts are not keys or names.
const MAX_TEXT_LITERAL_LEN: usize = 80;

/// A text literal, if it is short enough to be a key or a name.
pub(super) fn text(value: &str) -> Expr {
    if value.len() <= MAX_TEXT_LITERAL_LEN { Expr::Text(value.into()) } else { Expr::Unknown }
}

/// A whole number.
#[expect(clippy::cast_possible_truncation, reason = "the guard keeps it in range")]
pub(super) fn number(value: f64) -> Expr {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        Expr::Number(value as i64)
    } else {
        Expr::Unknown
    }
}

impl<'a> JavaScriptWalker<'_, '_> {
    pub(super) fn array(&mut self, array: &ArrayExpression<'a>) -> Expr {
        let items = array.elements.iter().map(|element| match element {
            ArrayExpressionElement::SpreadElement(spread) => {
                LiteralItem { key: None, value: self.expr(&spread.argument), spread: true }
            }
            ArrayExpressionElement::Elision(_) => {
                LiteralItem { key: None, value: Expr::Unknown, spread: false }
            }
            element => {
                LiteralItem { key: None, value: self.expr(element.to_expression()), spread: false }
            }
        });
        let items: Vec<_> = items.collect();
        let is_data = items.iter().all(|item| is_data(&item.value));
        // A long table of plain data leads to no call.
        let items = if is_data && items.len() > 16 { Vec::new() } else { items };
        Expr::Items(LiteralKind::List, items)
    }

    /// An object; its functions are members of `inside`.
    pub(super) fn object(&mut self, object: &ObjectExpression<'a>, inside: SymbolOwner) -> Expr {
        let mut items = Vec::with_capacity(object.properties.len());
        for property in &object.properties {
            match property {
                ObjectPropertyKind::SpreadProperty(spread) => {
                    let value = self.expr(&spread.argument);
                    items.push(LiteralItem { key: None, value, spread: true });
                }
                ObjectPropertyKind::ObjectProperty(property) => {
                    let item = self.property(property, inside);
                    if item.value != Expr::Unknown {
                        items.push(item);
                    }
                }
            }
        }
        let is_data = items.iter().all(|item| is_data(&item.value));
        let items = if is_data && items.len() > 64 { Vec::new() } else { items };
        Expr::Items(LiteralKind::Object, items)
    }

    fn property(&mut self, property: &ObjectProperty<'a>, inside: SymbolOwner) -> LiteralItem {
        let (name, at) = self.key(&property.key);
        let is_static = property.key.static_name().is_some();
        let key = if is_static {
            Expr::Text(name.clone())
        } else {
            property.key.as_expression().map_or(Expr::Unknown, |key| self.expr(key))
        };
        let value = if is_function_or_class(&property.value) {
            let kind = match property.kind {
                PropertyKind::Get => SymbolKind::Getter,
                PropertyKind::Set => SymbolKind::Setter,
                PropertyKind::Init => SymbolKind::Method,
            };
            let target = DeclarationHeader {
                name,
                name_span: at,
                kind,
                parent: inside.or(self.builder.position.nearest()),
                declaration: span(property.span),
                doc_offsets: vec![property.span.start],
                visibility: Visibility::Private,
                flags: SymbolFlags::default().with_if(SymbolFlags::COMPUTED, !is_static),
                exported: false,
            };
            Expr::Symbol(self.named_value(&property.value, target))
        } else {
            let nested = matches!(property.value, Expression::ObjectExpression(_));
            let inside = if nested { inside } else { None };
            self.value(&property.value, inside)
        };
        LiteralItem { key: Some(key), value, spread: false }
    }

    pub(super) fn template(&mut self, template: &TemplateLiteral<'a>) -> Expr {
        if let [whole] = template.quasis.as_slice() {
            return whole.value.cooked.as_ref().map_or(Expr::Unknown, |value| text(value));
        }
        for part in &template.expressions {
            self.expr(part);
        }
        Expr::Unknown
    }

    pub(super) fn element(&mut self, element: &JSXElement<'a>) -> Expr {
        let opening = &element.opening_element;
        let (callee, at) = match &opening.name {
            JSXElementName::IdentifierReference(name) => (self.name(name), name.span.start),
            JSXElementName::MemberExpression(member) => {
                (self.jsx_member(member), member.property.span.start)
            }
            _ => (Expr::Unknown, 0),
        };
        let mut items = Vec::new();
        for attribute in &opening.attributes {
            match attribute {
                JSXAttributeItem::SpreadAttribute(spread) => {
                    let value = self.expr(&spread.argument);
                    items.push(LiteralItem { key: None, value, spread: true });
                }
                JSXAttributeItem::Attribute(attribute) => {
                    let value = self.attribute(attribute.value.as_ref());
                    if value != Expr::Unknown
                        && let Some(name) = attribute.name.as_identifier()
                    {
                        let key = Some(Expr::Text(name.name.to_string()));
                        items.push(LiteralItem { key, value, spread: false });
                    }
                }
            }
        }
        self.children(&element.children);
        if callee == Expr::Unknown {
            return Expr::Unknown;
        }
        let args = vec![Arg::positional(Expr::Items(LiteralKind::Object, items))];
        self.builder.add_call(CallKind::Element, callee, args, span(element.span), at)
    }

    fn attribute(&mut self, value: Option<&JSXAttributeValue<'a>>) -> Expr {
        match value {
            Some(JSXAttributeValue::ExpressionContainer(inner)) => {
                self.jsx_expression(&inner.expression)
            }
            Some(JSXAttributeValue::Element(inner)) => self.element(inner),
            Some(JSXAttributeValue::Fragment(inner)) => {
                self.children(&inner.children);
                Expr::Unknown
            }
            Some(JSXAttributeValue::StringLiteral(_)) | None => Expr::Unknown,
        }
    }

    fn jsx_expression(&mut self, value: &JSXExpression<'a>) -> Expr {
        value.as_expression().map_or(Expr::Unknown, |value| self.expr(value))
    }

    pub(super) fn children(&mut self, children: &[JSXChild<'a>]) {
        for child in children {
            match child {
                JSXChild::Element(inner) => {
                    self.element(inner);
                }
                JSXChild::Fragment(inner) => self.children(&inner.children),
                JSXChild::ExpressionContainer(inner) => {
                    self.jsx_expression(&inner.expression);
                }
                JSXChild::Spread(inner) => {
                    self.expr(&inner.expression);
                }
                JSXChild::Text(_) => {}
            }
        }
    }

    fn jsx_member(&mut self, member: &JSXMemberExpression<'a>) -> Expr {
        let object = match &member.object {
            JSXMemberExpressionObject::IdentifierReference(name) => self.name(name),
            JSXMemberExpressionObject::MemberExpression(inner) => self.jsx_member(inner),
            JSXMemberExpressionObject::ThisExpression(_) => Expr::This,
        };
        object.member(member.property.name.as_str())
    }
}

/// Whether a value is plain data.
fn is_data(value: &Expr) -> bool {
    match value {
        Expr::Unknown | Expr::Text(_) | Expr::Number(_) => true,
        Expr::Items(_, items) => items.iter().all(|item| is_data(&item.value)),
        _ => false,
    }
}
