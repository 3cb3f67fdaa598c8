//! Functions: declared, named by where they go, or anonymous.

use base::Span;
use oxc_ast::ast::{
    ArrowFunctionBody, ArrowFunctionExpression, BindingPattern, Expression, FormalParameters,
    Function, Statement, TSAccessibility,
};
use oxc_span::GetSpan;

use super::span;
use super::walk::{DeclarationContext, DeclarationHeader, JavaScriptWalker};
use crate::facts_builder::SymbolDraft;
use crate::line_index::offset;
use crate::model::{
    AssignTarget, BindingKind, Expr, FlowAction, Param, ParamKind, SymbolFlags, SymbolKind,
    Visibility,
};

/// What a function runs.
enum FunctionBodyRef<'a, 'b> {
    Block(&'b [Statement<'a>]),
    Value(&'b Expression<'a>),
    Absent,
}

/// Whether a value is a function or a class, which then takes the name of its variable.
pub(super) fn is_function_or_class(value: &Expression<'_>) -> bool {
    matches!(
        value.get_inner_expression(),
        Expression::ArrowFunctionExpression(_)
            | Expression::FunctionExpression(_)
            | Expression::ClassExpression(_)
    )
}

impl<'a> JavaScriptWalker<'_, '_> {
    pub(super) fn function_declaration(
        &mut self,
        function: &Function<'a>,
        around: DeclarationContext,
    ) -> u32 {
        let target = match &function.id {
            Some(id) => self.declared_header(SymbolKind::Function, id, around),
            None => self.default_header(SymbolKind::Function, span(function.span), around),
        };
        let symbol = self.function(function, target);
        if let Some(id) = &function.id {
            let known = id.symbol_id.get().is_some() && function.body.is_none();
            let local = self.declare(id, BindingKind::Variable);
            let binding = &mut self.builder.facts.flow.bindings[local as usize];
            if !known || binding.symbol.is_none() {
                binding.symbol = Some(symbol);
                binding.kind = BindingKind::Symbol(symbol);
            }
        }
        symbol
    }

    /// What `export default` without a name is called.
    pub(super) fn default_header(
        &self,
        kind: SymbolKind,
        at: Span,
        around: DeclarationContext,
    ) -> DeclarationHeader {
        DeclarationHeader {
            name: "default".into(),
            name_span: Span::new(at.start, at.start),
            kind,
            parent: self.builder.position.owner,
            declaration: around.statement,
            doc_offsets: vec![around.statement.start],
            visibility: Visibility::Public,
            flags: SymbolFlags::default(),
            exported: true,
        }
    }

    /// A function or class that is the value of something with a name.
    pub(super) fn named_value(
        &mut self,
        value: &Expression<'a>,
        mut target: DeclarationHeader,
    ) -> u32 {
        target.flags = target.flags | SymbolFlags::FUNCTION_VALUE;
        match value.get_inner_expression() {
            Expression::ArrowFunctionExpression(arrow) => self.arrow(arrow, target),
            Expression::FunctionExpression(function) => self.function(function, target),
            Expression::ClassExpression(class) => {
                target.kind = SymbolKind::Class;
                self.class(class, Some(target))
            }
            _ => unreachable!("callers ask `is_function_or_class` first"),
        }
    }

    /// A function that gets no name from its context.
    pub(super) fn anonymous_function(&mut self, function: &Function<'a>) -> Expr {
        let at = span(function.span);
        let target = match &function.id {
            Some(id) => DeclarationHeader {
                flags: SymbolFlags::FUNCTION_VALUE,
                parent: self.builder.position.nearest(),
                ..self.declared_header(
                    SymbolKind::Function,
                    id,
                    DeclarationContext::standalone(function.span),
                )
            },
            None => self.anonymous_header("function", at),
        };
        Expr::Symbol(self.function(function, target))
    }

    pub(super) fn anonymous_arrow(&mut self, arrow: &ArrowFunctionExpression<'a>) -> Expr {
        let target = self.anonymous_header("arrow", span(arrow.span));
        Expr::Symbol(self.arrow(arrow, target))
    }

    pub(super) fn anonymous_header(&mut self, sort: &'static str, at: Span) -> DeclarationHeader {
        DeclarationHeader {
            name: self.builder.next_anonymous_name(sort),
            name_span: Span::new(at.start, at.start),
            kind: SymbolKind::Function,
            parent: self.builder.position.nearest(),
            declaration: at,
            doc_offsets: vec![at.start],
            visibility: Visibility::Private,
            flags: SymbolFlags::ANONYMOUS | SymbolFlags::FUNCTION_VALUE,
            exported: false,
        }
    }

    /// A function with its name.
    pub(super) fn function(&mut self, function: &Function<'a>, target: DeclarationHeader) -> u32 {
        let body = function.body.as_deref();
        let flags = SymbolFlags::default()
            .with_if(SymbolFlags::ASYNC, function.r#async)
            .with_if(SymbolFlags::GENERATOR, function.generator)
            .with_if(SymbolFlags::DECLARATION_ONLY, body.is_none());
        let generics = self.generics(function.type_parameters.as_deref());
        let mut draft = self.function_draft(target, body.map(|body| span(body.span)), flags);
        draft.generics = generics;
        let symbol = self.builder.add_symbol(draft);
        if let Some(id) = &function.id
            && !function.is_declaration()
        {
            let back = self.builder.enter_symbol(symbol);
            self.declare(id, BindingKind::Symbol(symbol));
            self.builder.restore_position(back);
        }
        let ty = self.annotation(function.return_type.as_deref());
        self.builder.symbol_mut(symbol).ty = ty;
        let body =
            body.map_or(FunctionBodyRef::Absent, |body| FunctionBodyRef::Block(&body.statements));
        self.run_function(symbol, &function.params, &body);
        symbol
    }

    fn arrow(&mut self, arrow: &ArrowFunctionExpression<'a>, target: DeclarationHeader) -> u32 {
        let flags = SymbolFlags::ARROW.with_if(SymbolFlags::ASYNC, arrow.r#async);
        let generics = self.generics(arrow.type_parameters.as_deref());
        let mut draft = self.function_draft(target, Some(span(arrow.body.span())), flags);
        draft.generics = generics;
        let symbol = self.builder.add_symbol(draft);
        let ty = self.annotation(arrow.return_type.as_deref());
        self.builder.symbol_mut(symbol).ty = ty;
        let body = match &arrow.body {
            ArrowFunctionBody::FunctionBody(body) => FunctionBodyRef::Block(&body.statements),
            value => FunctionBodyRef::Value(value.to_expression()),
        };
        self.run_function(symbol, &arrow.params, &body);
        symbol
    }

    fn function_draft(
        &mut self,
        target: DeclarationHeader,
        body: Option<Span>,
        flags: SymbolFlags,
    ) -> SymbolDraft {
        let start = target.declaration.start;
        let end = body.map_or(target.declaration.end, |body| body.start);
        let mut draft = self.draft_from_header(target);
        let signature = self.builder.one_line_signature(Span::new(start, end));
        draft.signature = signature.trim_end_matches(" =>").into();
        draft.body = body;
        draft.flags = draft.flags | flags;
        draft
    }

    fn run_function(
        &mut self,
        symbol: u32,
        params: &FormalParameters<'a>,
        body: &FunctionBodyRef<'a, '_>,
    ) {
        let back = self.builder.enter_symbol(symbol);
        self.params(symbol, params);
        match body {
            FunctionBodyRef::Block(statements) => self.statements(statements),
            FunctionBodyRef::Value(value) => {
                let value = self.expr(value);
                if value != Expr::Unknown {
                    self.builder.add_step(FlowAction::Return(value));
                }
            }
            FunctionBodyRef::Absent => {}
        }
        self.builder.restore_position(back);
    }

    pub(super) fn params(&mut self, function: u32, params: &FormalParameters<'a>) {
        for (at, param) in params.items.iter().enumerate() {
            let ty = self.annotation(param.type_annotation.as_deref());
            let default = param.initializer.as_ref().map(|value| self.expr(value));
            let (pattern, inner) = default_of(&param.pattern);
            let default = default.or_else(|| inner.map(|value| self.expr(value)));
            let index = self.param(function, pattern, at, ParamKind::Plain);
            let kept = &mut self.builder.facts.flow.params[index as usize];
            kept.default = default.filter(|value| *value != Expr::Unknown);
            kept.ty.clone_from(&ty);
            for decorator in &param.decorators {
                self.expr(&decorator.expression);
            }
            let local = self.bind_param(pattern, index, ty.clone());
            if param.accessibility.is_some() || param.readonly {
                self.param_property(function, param.accessibility, pattern, local, ty);
            }
        }
        if let Some(rest) = &params.rest {
            let ty = self.annotation(rest.type_annotation.as_deref());
            let at = params.items.len();
            let index = self.param(function, &rest.rest.argument, at, ParamKind::Rest);
            self.builder.facts.flow.params[index as usize].ty.clone_from(&ty);
            self.bind_param(&rest.rest.argument, index, ty);
        }
    }

    fn param(
        &mut self,
        function: u32,
        pattern: &BindingPattern<'a>,
        at: usize,
        kind: ParamKind,
    ) -> u32 {
        let name = pattern.get_identifier_name().map(|name| name.to_string()).unwrap_or_default();
        let position = offset(at);
        let param = Param { function, name, position, kind, default: None, ty: None };
        self.builder.facts.flow.params.push(param);
        offset(self.builder.facts.flow.params.len() - 1)
    }

    /// Declares the names of a parameter.
    fn bind_param(
        &mut self,
        pattern: &BindingPattern<'a>,
        index: u32,
        ty: Option<crate::model::TypeRef>,
    ) -> u32 {
        if let BindingPattern::BindingIdentifier(id) = pattern {
            let local = self.declare(id, BindingKind::Param(index));
            self.builder.facts.flow.bindings[local as usize].ty = ty;
            return local;
        }
        let local = self.builder.add_binding("", BindingKind::Param(index));
        self.builder.facts.flow.bindings[local as usize].ty = ty;
        self.bind(pattern, Expr::Local(local), BindingKind::Variable);
        local
    }

    /// `constructor(private name: Type)` declares a field too.
    fn param_property(
        &mut self,
        constructor: u32,
        access: Option<TSAccessibility>,
        pattern: &BindingPattern<'a>,
        local: u32,
        ty: Option<crate::model::TypeRef>,
    ) {
        let BindingPattern::BindingIdentifier(id) = pattern else { return };
        let class = self.builder.facts.symbols[constructor as usize].parent;
        let at = span(id.span);
        let mut draft = SymbolDraft::new(SymbolKind::Field, id.name.as_str(), at, at);
        draft.parent = class;
        draft.visibility = super::class::visibility(access, id.name.as_str());
        draft.signature = self.builder.one_line_signature(at);
        draft.exported = draft.visibility == Visibility::Public
            && class.is_some_and(|class| self.builder.facts.symbols[class as usize].exported);
        draft.ty = ty;
        self.builder.add_symbol(draft);
        self.builder.add_assignment(
            AssignTarget::Member(Expr::This, id.name.to_string()),
            Expr::Local(local),
        );
    }
}

/// A pattern and its default value.
fn default_of<'a, 'b>(
    pattern: &'b BindingPattern<'a>,
) -> (&'b BindingPattern<'a>, Option<&'b Expression<'a>>) {
    match pattern {
        BindingPattern::AssignmentPattern(inner) => (&inner.left, Some(&inner.right)),
        other => (other, None),
    }
}
