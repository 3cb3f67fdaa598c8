//! Declarations and statements.

use std::collections::HashMap;

use base::Span;
use oxc_ast::ast::{
    BindingIdentifier, Declaration, ForStatementInit, ForStatementLeft, IdentifierReference,
    Program, Statement, TSEnumDeclaration, TSInterfaceDeclaration, TSModuleBlock,
    TSNamespaceDeclaration, TSNamespaceDeclarationBody, TSSignature, TSTypeAliasDeclaration,
    VariableDeclaration, VariableDeclarator,
};
use oxc_semantic::Scoping;
use oxc_span::GetSpan;
use oxc_syntax::symbol::SymbolId;

use super::comments::Comments;
use super::span;
use crate::build::{Builder, Draft};
use crate::docs::Style;
use crate::model::{
    Action, BindingKind, BlockKind, Expr, FileFacts, Flags, Heritage, HeritageKind, Owner,
    SymbolKind, Visibility,
};

/// A walk over one program.
pub(super) struct Walk<'t, 's> {
    pub b: Builder<'t>,
    scoping: &'s Scoping,
    comments: Comments,
    bindings: HashMap<SymbolId, u32>,
}

/// How a value that turns out to be a function or class is called.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub name: String,
    pub name_span: Span,
    pub kind: SymbolKind,
    pub parent: Owner,
    /// Where its signature starts
    pub declaration: Span,
    /// Offsets that its doc comment may stand before
    pub leads: Vec<u32>,
    pub visibility: Visibility,
    pub flags: Flags,
    pub exported: bool,
}

/// What stands around a declaration: `export`, and the statement it is in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Around {
    pub statement: Span,
    /// Where the declaration itself starts
    pub inner: u32,
    pub exported: bool,
}

impl<'t, 's> Walk<'t, 's> {
    pub fn new(b: Builder<'t>, scoping: &'s Scoping, program: &Program<'_>) -> Self {
        let comments = Comments::new(program, b.text);
        Self { b, scoping, comments, bindings: HashMap::new() }
    }

    /// Walks over the program.
    pub fn run(mut self, program: &Program<'_>) -> FileFacts {
        if let Some(header) = self.comments.header {
            self.b.module_doc(header, Style::Block);
        }
        self.statements(&program.body);
        self.mark_exported();
        self.b.finish()
    }

    /// The doc comment before one of these offsets.
    pub(super) fn doc(&self, leads: &[u32]) -> Option<(Span, Style)> {
        self.comments.before(leads).map(|span| (span, Style::Block))
    }

    /// What a mentioned name is.
    pub(super) fn name(&mut self, name: &IdentifierReference<'_>) -> Expr {
        let found = self.resolve(name);
        if let Expr::Local(local) = found
            && self.is_top(local)
        {
            self.b.mention(&found, false, name.span.start);
        }
        found
    }

    /// What a name is bound to.
    pub(super) fn resolve(&mut self, name: &IdentifierReference<'_>) -> Expr {
        let reference = name.reference_id.get();
        let symbol = reference.and_then(|id| self.scoping.get_reference(id).symbol_id());
        match symbol {
            Some(symbol) => Expr::Local(self.local(symbol, name.name.as_str())),
            None => Expr::Name(name.name.to_string()),
        }
    }

    /// The binding of a declared name; made when it is first seen.
    fn local(&mut self, symbol: SymbolId, name: &str) -> u32 {
        if let Some(known) = self.bindings.get(&symbol) {
            return *known;
        }
        let local = self.b.binding(name, BindingKind::Variable);
        if self.scoping.symbol_scope_id(symbol) == self.scoping.root_scope_id() {
            self.b.facts.flow.bindings[local as usize].owner = None;
        }
        self.bindings.insert(symbol, local);
        local
    }

    /// Declares a name.
    pub(super) fn declare(&mut self, name: &BindingIdentifier<'_>, kind: BindingKind) -> u32 {
        let local = match name.symbol_id.get() {
            Some(symbol) => self.local(symbol, name.name.as_str()),
            None => self.b.binding(name.name.as_str(), kind),
        };
        let owner = self.b.at.owner;
        let binding = &mut self.b.facts.flow.bindings[local as usize];
        if kind != BindingKind::Variable {
            binding.kind = kind;
        }
        if let BindingKind::Symbol(symbol) = kind {
            binding.symbol = Some(symbol);
        }
        binding.owner = owner;
        local
    }

    /// Whether a binding is an imported namespace.
    pub(super) fn is_namespace(&self, local: u32) -> bool {
        match self.b.facts.flow.bindings[local as usize].kind {
            BindingKind::Import(import, Some(name)) => {
                self.b.facts.imports[import as usize].names[name as usize].name == "*"
            }
            BindingKind::Import(_, None) => true,
            _ => false,
        }
    }

    /// Whether a binding belongs to the module and not to a function.
    pub(super) fn is_top(&self, local: u32) -> bool {
        self.b.facts.flow.bindings[local as usize].owner.is_none()
    }

    /// Walks over statements.
    pub(super) fn statements(&mut self, statements: &[Statement<'_>]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    pub(super) fn statement(&mut self, statement: &Statement<'_>) {
        match statement {
            Statement::ExpressionStatement(inner) => {
                self.expr(&inner.expression);
            }
            Statement::BlockStatement(block) => self.statements(&block.body),
            Statement::ReturnStatement(inner) => {
                if let Some(value) = &inner.argument {
                    let value = self.expr(value);
                    if value != Expr::Unknown {
                        self.b.step(Action::Return(value));
                    }
                }
            }
            Statement::ThrowStatement(inner) => {
                self.expr(&inner.argument);
            }
            Statement::IfStatement(inner) => {
                self.expr(&inner.test);
                self.branch(&inner.consequent);
                if let Some(other) = &inner.alternate {
                    self.branch(other);
                }
            }
            Statement::LabeledStatement(inner) => self.statement(&inner.body),
            Statement::TryStatement(inner) => {
                self.statements(&inner.block.body);
                if let Some(handler) = &inner.handler {
                    let back = self.b.block(BlockKind::Handler);
                    if let Some(caught) = &handler.param {
                        self.bind(&caught.pattern, Expr::Unknown, BindingKind::Opaque);
                    }
                    self.statements(&handler.body.body);
                    self.b.back(back);
                }
                if let Some(last) = &inner.finalizer {
                    self.statements(&last.body);
                }
            }
            Statement::SwitchStatement(inner) => {
                self.expr(&inner.discriminant);
                for case in &inner.cases {
                    let back = self.b.block(BlockKind::Branch);
                    if let Some(test) = &case.test {
                        self.expr(test);
                    }
                    self.statements(&case.consequent);
                    self.b.back(back);
                }
            }
            Statement::WithStatement(inner) => {
                self.expr(&inner.object);
                self.statement(&inner.body);
            }
            Statement::BreakStatement(_)
            | Statement::ContinueStatement(_)
            | Statement::DebuggerStatement(_)
            | Statement::EmptyStatement(_) => {}
            other => self.other(other),
        }
    }

    fn other(&mut self, statement: &Statement<'_>) {
        if let Some(declaration) = statement.as_declaration() {
            let around = Around::at(statement.span());
            self.declaration(declaration, around);
        } else if let Some(module) = statement.as_module_declaration() {
            self.module_declaration(module);
        } else {
            self.repeat(statement);
        }
    }

    fn branch(&mut self, statement: &Statement<'_>) {
        let back = self.b.block(BlockKind::Branch);
        self.statement(statement);
        self.b.back(back);
    }

    /// Loops.
    fn repeat(&mut self, statement: &Statement<'_>) {
        match statement {
            Statement::WhileStatement(inner) => {
                let back = self.b.block(BlockKind::Loop);
                self.expr(&inner.test);
                self.statement(&inner.body);
                self.b.back(back);
            }
            Statement::DoWhileStatement(inner) => {
                let back = self.b.block(BlockKind::Loop);
                self.statement(&inner.body);
                self.expr(&inner.test);
                self.b.back(back);
            }
            Statement::ForStatement(inner) => {
                match &inner.init {
                    Some(ForStatementInit::VariableDeclaration(declared)) => {
                        self.variables(declared, Around::at(declared.span()));
                    }
                    Some(init) => {
                        self.expr(init.to_expression());
                    }
                    None => {}
                }
                let back = self.b.block(BlockKind::Loop);
                if let Some(test) = &inner.test {
                    self.expr(test);
                }
                self.statement(&inner.body);
                if let Some(update) = &inner.update {
                    self.expr(update);
                }
                self.b.back(back);
            }
            Statement::ForOfStatement(inner) => {
                let over = self.expr(&inner.right).each();
                self.each(&inner.left, over, &inner.body);
            }
            Statement::ForInStatement(inner) => {
                self.expr(&inner.right);
                self.each(&inner.left, Expr::Unknown, &inner.body);
            }
            _ => {}
        }
    }

    fn each(&mut self, left: &ForStatementLeft<'_>, value: Expr, body: &Statement<'_>) {
        let back = self.b.block(BlockKind::Loop);
        match left {
            ForStatementLeft::VariableDeclaration(declared) => {
                if let Some(first) = declared.declarations.first() {
                    self.bind(&first.id, value, BindingKind::Variable);
                }
            }
            left => self.assign_to(left.to_assignment_target(), value),
        }
        self.statement(body);
        self.b.back(back);
    }

    /// A declaration; gives the names that it declares in this scope.
    pub(super) fn declaration(&mut self, declaration: &Declaration<'_>, around: Around) {
        match declaration {
            Declaration::VariableDeclaration(inner) => self.variables(inner, around),
            Declaration::FunctionDeclaration(inner) => {
                self.function_declaration(inner, around);
            }
            Declaration::ClassDeclaration(inner) => {
                let target =
                    inner.id.as_ref().map(|id| self.declared(SymbolKind::Class, id, around));
                self.class(inner, target);
            }
            Declaration::TSTypeAliasDeclaration(inner) => self.alias(inner, around),
            Declaration::TSInterfaceDeclaration(inner) => self.declaration_interface(inner, around),
            Declaration::TSEnumDeclaration(inner) => self.enumeration(inner, around),
            Declaration::TSNamespaceDeclaration(inner) => self.namespace(inner, around),
            Declaration::TSExternalModuleDeclaration(inner) => {
                let at = span(inner.id.span);
                let mut draft =
                    Draft::new(SymbolKind::Module, inner.id.value.as_str(), around.statement, at);
                draft.signature = format!("declare module {}", self.b.slice(at));
                draft.doc = self.doc(&[around.statement.start]);
                draft.flags = Flags::DECLARED;
                let symbol = self.b.symbol(draft);
                if let Some(body) = &inner.body {
                    self.module_block(symbol, body);
                }
            }
            Declaration::TSGlobalDeclaration(inner) => self.statements(&inner.body.body),
            Declaration::TSImportEqualsDeclaration(inner) => self.import_equals(inner, around),
        }
    }

    /// A target for what a declaration calls by a name.
    pub(super) fn declared(
        &self,
        kind: SymbolKind,
        id: &BindingIdentifier<'_>,
        around: Around,
    ) -> Target {
        Target {
            name: id.name.to_string(),
            name_span: span(id.span),
            kind,
            parent: self.b.at.owner,
            declaration: around.statement,
            leads: vec![around.statement.start, around.inner],
            visibility: if around.exported { Visibility::Public } else { Visibility::Private },
            flags: Flags::default(),
            exported: around.exported,
        }
    }

    /// A draft from its target.
    pub(super) fn draft(&self, target: Target) -> Draft {
        let mut draft = Draft::new(target.kind, target.name, target.declaration, target.name_span);
        draft.parent = target.parent;
        draft.doc = self.doc(&target.leads);
        let first = target.leads.iter().copied().min().unwrap_or(target.declaration.start);
        let first = first.min(target.declaration.start);
        let start = draft.doc.map_or(first, |(doc, _)| doc.start.min(first));
        draft.span = Span::new(start, target.declaration.end);
        draft.visibility = target.visibility;
        draft.flags = target.flags;
        draft.exported = target.exported;
        draft
    }

    fn variables(&mut self, declared: &VariableDeclaration<'_>, around: Around) {
        let several = declared.declarations.len() > 1;
        for (at, declarator) in declared.declarations.iter().enumerate() {
            let mut around = around;
            let mut leads = vec![declarator.span.start];
            if at == 0 {
                leads.push(around.statement.start);
            }
            if several {
                around.statement = span(declarator.span);
            }
            self.declarator(declared, declarator, around, leads);
        }
    }

    fn declarator(
        &mut self,
        declared: &VariableDeclaration<'_>,
        declarator: &VariableDeclarator<'_>,
        around: Around,
        leads: Vec<u32>,
    ) {
        let ty = self.annotation(declarator.type_annotation.as_deref());
        let Some(id) = declarator.id.get_binding_identifier() else {
            let value = declarator.init.as_ref().map_or(Expr::Unknown, |init| self.expr(init));
            self.name_required(&declarator.id, &value);
            self.bind_declared(&declarator.id, value, around);
            return;
        };
        let mut target = self.declared(SymbolKind::Function, id, around);
        target.leads = leads;
        let is_const = declared.kind.is_const();
        if let Some(init) = &declarator.init
            && super::function::is_function_or_class(init)
        {
            let symbol = self.named_value(init, target);
            let kind = if is_const { BindingKind::Symbol(symbol) } else { BindingKind::Variable };
            let local = self.declare(id, kind);
            let binding = &mut self.b.facts.flow.bindings[local as usize];
            binding.symbol = Some(symbol);
            binding.ty = ty;
            if !is_const {
                self.b.assign(crate::model::Place::Local(local), Expr::Symbol(symbol));
            }
            return;
        }
        let is_import = declarator.init.as_ref().is_some_and(super::module::is_require);
        let symbol = (self.is_listed() && !is_import).then(|| {
            target.kind = if is_const { SymbolKind::Constant } else { SymbolKind::Variable };
            self.variable_symbol(declared, declarator, target, ty.clone())
        });
        let value = match &declarator.init {
            Some(init) => self.value(init, symbol),
            None => Expr::Unknown,
        };
        self.name_required(&declarator.id, &value);
        let local = self.declare(id, BindingKind::Variable);
        let binding = &mut self.b.facts.flow.bindings[local as usize];
        binding.symbol = symbol;
        binding.ty = ty;
        self.b.assign(crate::model::Place::Local(local), value);
    }

    /// Whether variables here are symbols: at the top, and in namespaces.
    pub(super) fn is_listed(&self) -> bool {
        let kinds = [SymbolKind::Namespace, SymbolKind::Module];
        self.b.at.block.is_none()
            && self
                .b
                .at
                .owner
                .is_none_or(|owner| kinds.contains(&self.b.facts.symbols[owner as usize].kind))
    }

    fn variable_symbol(
        &mut self,
        declared: &VariableDeclaration<'_>,
        declarator: &VariableDeclarator<'_>,
        target: Target,
        ty: Option<crate::model::TypeRef>,
    ) -> u32 {
        let mut draft = self.draft(target);
        let keyword = declared.kind.as_str();
        let end = declarator.init.as_ref().map_or(declarator.span.end, |init| init.span().start);
        let named = self.b.fold(Span::new(declarator.span.start, end));
        let value = declarator.init.as_ref().map(|init| self.b.fold(span(init.span())));
        let export = if draft.exported { "export " } else { "" };
        draft.signature = match value {
            Some(value) if value.len() <= 60 => format!("{export}{keyword} {named} = {value}"),
            _ => format!("{export}{keyword} {named}"),
        };
        draft.body = declarator.init.as_ref().map(|init| span(init.span()));
        draft.ty = ty;
        self.b.symbol(draft)
    }

    fn alias(&mut self, alias: &TSTypeAliasDeclaration<'_>, around: Around) {
        let target = self.declared(SymbolKind::Type, &alias.id, around);
        let generics = self.generics(alias.type_parameters.as_deref());
        let mut draft = self.draft(target);
        draft.signature = self.b.fold(around.statement);
        draft.generics = generics;
        let symbol = self.b.symbol(draft);
        self.declare(&alias.id, BindingKind::Symbol(symbol));
        let back = self.b.enter(symbol);
        let ty = self.ty(&alias.type_annotation);
        self.b.back(back);
        self.b.symbol_mut(symbol).ty = Some(ty);
    }

    pub(super) fn declaration_interface(
        &mut self,
        interface: &TSInterfaceDeclaration<'_>,
        around: Around,
    ) {
        let target = self.declared(SymbolKind::Interface, &interface.id, around);
        let generics = self.generics(interface.type_parameters.as_deref());
        let mut draft = self.draft(target);
        let body = span(interface.body.span);
        draft.signature = self.b.fold(Span::new(around.statement.start, body.start));
        draft.body = Some(body);
        draft.generics = generics;
        let symbol = self.b.symbol(draft);
        self.declare(&interface.id, BindingKind::Symbol(symbol));
        for parent in &interface.extends {
            let args = self.type_arguments(parent.type_arguments.as_deref());
            let target = self.type_name(&parent.type_name, args);
            self.heritage(symbol, HeritageKind::Extends, target, Expr::Unknown, parent.span);
        }
        let back = self.b.enter(symbol);
        for member in &interface.body.body {
            self.signature(symbol, member, around.exported);
        }
        self.b.back(back);
    }

    pub(super) fn heritage(
        &mut self,
        symbol: u32,
        kind: HeritageKind,
        target: crate::model::TypeRef,
        value: Expr,
        at: oxc_span::Span,
    ) {
        let line = self.b.lines.line(at.start);
        let span = span(at);
        self.b.facts.heritage.push(Heritage { symbol, kind, target, value, span, line });
    }

    /// A member of an interface.
    fn signature(&mut self, parent: u32, member: &TSSignature<'_>, exported: bool) {
        let whole = span(member.span());
        let (kind, key, ty, flags) = match member {
            TSSignature::TSPropertySignature(property) => {
                let ty = self.annotation(property.type_annotation.as_deref());
                let flags = Flags::default()
                    .with(Flags::OPTIONAL, property.optional)
                    .with(Flags::READONLY, property.readonly);
                (SymbolKind::Property, &property.key, ty, flags)
            }
            TSSignature::TSMethodSignature(method) => {
                self.generics(method.type_parameters.as_deref());
                for param in &method.params.items {
                    self.annotation(param.type_annotation.as_deref());
                }
                let ty = self.annotation(method.return_type.as_deref());
                let flags = Flags::ABSTRACT.with(Flags::OPTIONAL, method.optional);
                (SymbolKind::Method, &method.key, ty, flags)
            }
            other => return self.mention_signature(other),
        };
        let (name, at) = self.key(key);
        let mut draft = Draft::new(kind, name, whole, at);
        draft.parent = Some(parent);
        draft.signature = self.b.fold(whole);
        draft.doc = self.doc(&[whole.start]);
        draft.span.start = draft.doc.map_or(whole.start, |(doc, _)| doc.start);
        draft.visibility = Visibility::Public;
        draft.exported = exported;
        draft.flags = flags;
        draft.ty = ty;
        self.b.symbol(draft);
    }

    /// Notes the types that a signature mentions.
    pub(super) fn mention_signature(&mut self, member: &TSSignature<'_>) {
        match member {
            TSSignature::TSIndexSignature(inner) => {
                self.annotation(Some(&inner.type_annotation));
            }
            TSSignature::TSPropertySignature(inner) => {
                self.annotation(inner.type_annotation.as_deref());
            }
            TSSignature::TSCallSignatureDeclaration(inner) => {
                for param in &inner.params.items {
                    self.annotation(param.type_annotation.as_deref());
                }
                self.annotation(inner.return_type.as_deref());
            }
            TSSignature::TSConstructSignatureDeclaration(inner) => {
                for param in &inner.params.items {
                    self.annotation(param.type_annotation.as_deref());
                }
                self.annotation(inner.return_type.as_deref());
            }
            TSSignature::TSMethodSignature(inner) => {
                for param in &inner.params.items {
                    self.annotation(param.type_annotation.as_deref());
                }
                self.annotation(inner.return_type.as_deref());
            }
        }
    }

    fn enumeration(&mut self, inner: &TSEnumDeclaration<'_>, around: Around) {
        let target = self.declared(SymbolKind::Enum, &inner.id, around);
        let mut draft = self.draft(target);
        let body = span(inner.body.span);
        draft.signature = self.b.fold(Span::new(around.statement.start, body.start));
        draft.body = Some(body);
        let symbol = self.b.symbol(draft);
        self.declare(&inner.id, BindingKind::Symbol(symbol));
        let back = self.b.enter(symbol);
        for member in &inner.body.members {
            let at = span(member.id.span());
            let name = member.id.static_name().to_string();
            let mut draft = Draft::new(SymbolKind::Variant, name, span(member.span), at);
            draft.parent = Some(symbol);
            draft.signature = self.b.fold(span(member.span));
            draft.doc = self.doc(&[member.span.start]);
            draft.span.start = draft.doc.map_or(draft.span.start, |(doc, _)| doc.start);
            draft.visibility = Visibility::Public;
            draft.exported = around.exported;
            self.b.symbol(draft);
            if let Some(value) = &member.initializer {
                self.expr(value);
            }
        }
        self.b.back(back);
    }

    fn namespace(&mut self, inner: &TSNamespaceDeclaration<'_>, around: Around) {
        let target = self.declared(SymbolKind::Namespace, &inner.id, around);
        let mut draft = self.draft(target);
        let body = inner.body.span();
        draft.signature = self.b.fold(Span::new(around.statement.start, body.start));
        draft.body = Some(span(body));
        let symbol = self.b.symbol(draft);
        self.declare(&inner.id, BindingKind::Symbol(symbol));
        match &inner.body {
            TSNamespaceDeclarationBody::TSModuleBlock(block) => self.module_block(symbol, block),
            TSNamespaceDeclarationBody::TSNamespaceDeclaration(nested) => {
                let back = self.b.enter(symbol);
                let exported = around.exported;
                self.namespace(nested, Around { exported, ..Around::at(nested.span) });
                self.b.back(back);
            }
        }
    }

    fn module_block(&mut self, symbol: u32, block: &TSModuleBlock<'_>) {
        let back = self.b.enter(symbol);
        self.statements(&block.body);
        self.b.back(back);
    }
}

impl Around {
    /// A declaration on its own.
    pub fn at(at: oxc_span::Span) -> Self {
        Self { statement: span(at), inner: at.start, exported: false }
    }
}
