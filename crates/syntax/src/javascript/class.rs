//! Classes and their members.

use base::Span;
use oxc_ast::ast::{
    Class, ClassElement, Decorator as Written, Expression, MethodDefinition, MethodDefinitionKind,
    PropertyDefinition, PropertyKey, TSAccessibility,
};
use oxc_span::GetSpan;

use super::function::is_function_or_class;
use super::span;
use super::walk::{DeclarationHeader, JavaScriptWalker};
use crate::model::{
    Arg, AssignTarget, BindingKind, CallKind, Decorator, Expr, HeritageKind, SymbolFlags,
    SymbolKind, Visibility,
};

/// Who may use a member.
pub(super) fn visibility(access: Option<TSAccessibility>, name: &str) -> Visibility {
    match access {
        Some(TSAccessibility::Private) => Visibility::Private,
        Some(TSAccessibility::Protected) => Visibility::Restricted("protected".into()),
        _ if name.starts_with('#') => Visibility::Private,
        _ => Visibility::Public,
    }
}

impl<'a> JavaScriptWalker<'_, '_> {
    /// A class, with the name that its declaration or its place gives it.
    pub(super) fn class(&mut self, class: &Class<'a>, target: Option<DeclarationHeader>) -> u32 {
        let target = target.unwrap_or_else(|| self.class_header(class));
        let parent = class.heritage.as_ref().map(|heritage| {
            let value = self.expr(&heritage.expression);
            let args = self.type_arguments(heritage.type_arguments.as_deref());
            (value, self.heritage_type(&heritage.expression, args), heritage.expression.span())
        });
        let generics = self.generics(class.type_parameters.as_deref());
        let symbol = self.class_symbol(class, target);
        self.builder.symbol_mut(symbol).generics = generics;
        if let Some(id) = &class.id {
            self.declare(id, BindingKind::Symbol(symbol));
        }
        if let Some((value, target, at)) = parent {
            self.heritage(symbol, HeritageKind::Extends, target, value, at);
        }
        for implemented in &class.implements {
            let args = self.type_arguments(implemented.type_arguments.as_deref());
            let target = self.type_name(&implemented.expression, args);
            self.heritage(
                symbol,
                HeritageKind::Implements,
                target,
                Expr::Unknown,
                implemented.span,
            );
        }
        let back = self.builder.enter_symbol(symbol);
        for element in &class.body.body {
            self.class_element(symbol, element);
        }
        self.builder.restore_position(back);
        self.decorators(symbol, &class.decorators);
        symbol
    }

    fn class_header(&mut self, class: &Class<'a>) -> DeclarationHeader {
        let mut target = self.anonymous_header("class", span(class.span));
        if let Some(id) = &class.id {
            target.name = id.name.to_string();
            target.name_span = span(id.span);
            target.flags = SymbolFlags::FUNCTION_VALUE;
        }
        target.kind = SymbolKind::Class;
        target
    }

    fn class_symbol(&mut self, class: &Class<'a>, mut target: DeclarationHeader) -> u32 {
        let body = span(class.body.span);
        let start = after_decorators(&class.decorators, target.declaration.start);
        target.doc_offsets.extend(class.decorators.first().map(|first| first.span.start));
        target.doc_offsets.push(class.span.start);
        target.declaration.start = start.min(body.start);
        let signature =
            self.builder.one_line_signature(Span::new(target.declaration.start, body.start));
        let mut draft = self.draft_from_header(target);
        draft.signature = signature;
        draft.body = Some(body);
        draft.flags = draft
            .flags
            .with_if(SymbolFlags::ABSTRACT, class.r#abstract)
            .with_if(SymbolFlags::DECLARATION_ONLY, class.declare);
        self.builder.add_symbol(draft)
    }

    fn class_element(&mut self, class: u32, element: &ClassElement<'a>) {
        match element {
            ClassElement::MethodDefinition(method) => self.method(class, method),
            ClassElement::PropertyDefinition(property) => self.field(class, property),
            ClassElement::StaticBlock(block) => self.statements(&block.body),
            ClassElement::AccessorProperty(property) => {
                let target = self.member_header(
                    class,
                    &property.key,
                    property.accessibility,
                    span(property.span),
                    &property.decorators,
                );
                let mut draft = self
                    .draft_from_header(DeclarationHeader { kind: SymbolKind::Property, ..target });
                draft.signature = self.builder.one_line_signature(draft.declaration);
                self.builder.add_symbol(draft);
            }
            ClassElement::TSIndexSignature(inner) => {
                self.annotation(Some(&inner.type_annotation));
            }
        }
    }

    fn member_header(
        &mut self,
        class: u32,
        key: &PropertyKey<'a>,
        access: Option<TSAccessibility>,
        whole: Span,
        decorators: &[Written<'a>],
    ) -> DeclarationHeader {
        let (name, at) = self.key(key);
        let is_static = key.static_name().is_some() || key.is_private_identifier();
        let visibility = visibility(access, &name);
        let exported =
            visibility == Visibility::Public && self.builder.facts.symbols[class as usize].exported;
        let start = after_decorators(decorators, whole.start);
        let mut leads = vec![whole.start, start];
        leads.extend(decorators.first().map(|first| first.span.start));
        DeclarationHeader {
            name,
            name_span: at,
            kind: SymbolKind::Method,
            parent: Some(class),
            declaration: Span::new(start, whole.end),
            doc_offsets: leads,
            visibility,
            flags: SymbolFlags::default().with_if(SymbolFlags::COMPUTED, !is_static),
            exported,
        }
    }

    fn method(&mut self, class: u32, method: &MethodDefinition<'a>) {
        if method.computed && method.key.static_name().is_none() {
            self.expr(method.key.to_expression());
        }
        let mut target = self.member_header(
            class,
            &method.key,
            method.accessibility,
            span(method.span),
            &method.decorators,
        );
        target.kind = match method.kind {
            MethodDefinitionKind::Constructor => SymbolKind::Constructor,
            MethodDefinitionKind::Get => SymbolKind::Getter,
            MethodDefinitionKind::Set => SymbolKind::Setter,
            MethodDefinitionKind::Method => SymbolKind::Method,
        };
        target.flags = target
            .flags
            .with_if(SymbolFlags::STATIC, method.r#static)
            .with_if(SymbolFlags::ABSTRACT, method.r#type.is_abstract())
            .with_if(SymbolFlags::OVERRIDE, method.r#override)
            .with_if(SymbolFlags::OPTIONAL, method.optional);
        let symbol = self.function(&method.value, target);
        self.decorators(symbol, &method.decorators);
    }

    fn field(&mut self, class: u32, property: &PropertyDefinition<'a>) {
        let mut target = self.member_header(
            class,
            &property.key,
            property.accessibility,
            span(property.span),
            &property.decorators,
        );
        target.flags = target
            .flags
            .with_if(SymbolFlags::STATIC, property.r#static)
            .with_if(SymbolFlags::READONLY, property.readonly)
            .with_if(SymbolFlags::OPTIONAL, property.optional)
            .with_if(SymbolFlags::OVERRIDE, property.r#override);
        let ty = self.annotation(property.type_annotation.as_deref());
        let function = property.value.as_ref().filter(|value| is_function_or_class(value));
        let symbol = if let Some(function) = function {
            self.named_value(function, target)
        } else {
            self.plain_field(class, property.value.as_ref(), property.r#static, target)
        };
        self.builder.symbol_mut(symbol).ty = ty;
        self.decorators(symbol, &property.decorators);
    }

    fn plain_field(
        &mut self,
        class: u32,
        value: Option<&Expression<'a>>,
        is_static: bool,
        target: DeclarationHeader,
    ) -> u32 {
        let name = target.name.clone();
        let mut draft =
            self.draft_from_header(DeclarationHeader { kind: SymbolKind::Field, ..target });
        let whole = self.builder.one_line_signature(draft.declaration);
        let end = value.map_or(draft.declaration.end, |value| value.span().start);
        let head = self.builder.one_line_signature(Span::new(draft.declaration.start, end));
        draft.signature = if whole.len() <= 100 { whole } else { head };
        let symbol = self.builder.add_symbol(draft);
        if let Some(value) = value {
            let back = self.builder.enter_value_of(Some(symbol));
            let value = self.value(value, Some(symbol));
            self.builder.restore_position(back);
            let object = if is_static { Expr::Symbol(class) } else { Expr::This };
            self.builder.add_assignment(AssignTarget::Member(object, name), value);
        }
        symbol
    }

    /// Decorators are called with the declaration they decorate.
    fn decorators(&mut self, symbol: u32, written: &[Written<'a>]) {
        for decorator in written {
            let value = self.expr(&decorator.expression);
            let at = span(decorator.span);
            let text = self.builder.slice(at).trim_start_matches('@');
            let name = text.split(['(', '\n', ' ']).next().unwrap_or_default().to_owned();
            let arg = Arg::positional(Expr::Symbol(symbol));
            self.builder.add_call(CallKind::Decorator, value.clone(), vec![arg], at, at.start + 1);
            let kept = Decorator { name, value, span: at };
            self.builder.symbol_mut(symbol).decorators.push(kept);
        }
    }
}

/// Where a declaration starts, its decorators left out.
fn after_decorators(decorators: &[Written<'_>], start: u32) -> u32 {
    decorators
        .last()
        .map_or(start, |last| if last.span.start >= start { last.span.end + 1 } else { start })
}
