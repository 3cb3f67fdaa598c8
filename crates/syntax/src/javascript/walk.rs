//! Names and statements.

use std::collections::{HashMap, HashSet};

use base::Span;
use oxc_ast::ast::{
    BindingIdentifier, ForStatementInit, ForStatementLeft, IdentifierReference, Program, Statement,
};
use oxc_semantic::Scoping;
use oxc_span::GetSpan;
use oxc_syntax::symbol::SymbolId;

use super::comments::DocCommentIndex;
use super::span;
use crate::doc_comments::DocCommentStyle;
use crate::facts_builder::FactsBuilder;
use crate::model::{
    BindingKind, Expr, FileFacts, FlowAction, FlowBlockKind, SymbolFlags, SymbolKind, SymbolOwner,
    Visibility,
};

/// Visits the syntax tree of one program.
pub(super) struct JavaScriptWalker<'t, 's> {
    pub builder: FactsBuilder<'t>,
    scoping: &'s Scoping,
    comments: DocCommentIndex,
    bindings: HashMap<SymbolId, u32>,
    /// Where type literals start whose members are symbols already
    pub declared_literals: HashSet<u32>,
}

/// The name and attributes that a function or class gets from its context.
#[derive(Debug, Clone)]
pub(super) struct DeclarationHeader {
    pub name: String,
    pub name_span: Span,
    pub kind: SymbolKind,
    pub parent: SymbolOwner,
    /// Where its signature starts
    pub declaration: Span,
    /// Offsets that its doc comment may precede
    pub doc_offsets: Vec<u32>,
    pub visibility: Visibility,
    pub flags: SymbolFlags,
    pub exported: bool,
}

/// The context of a declaration: `export`, and the statement it is in.
#[derive(Debug, Clone, Copy)]
pub(super) struct DeclarationContext {
    pub statement: Span,
    /// Where the declaration itself starts
    pub inner: u32,
    pub exported: bool,
}

impl<'t, 's> JavaScriptWalker<'t, 's> {
    pub fn new(builder: FactsBuilder<'t>, scoping: &'s Scoping, program: &Program<'_>) -> Self {
        let comments = DocCommentIndex::new(program, builder.text);
        Self {
            builder,
            scoping,
            comments,
            bindings: HashMap::new(),
            declared_literals: HashSet::new(),
        }
    }

    /// Walks over the program.
    pub fn run(mut self, program: &Program<'_>) -> FileFacts {
        if let Some(header) = self.comments.header {
            self.builder.set_module_doc(header, DocCommentStyle::Block);
        }
        self.statements(&program.body);
        self.mark_exported();
        self.builder.finish()
    }

    /// The comment about the whole file.
    pub(super) fn header_comment(&self) -> Option<Span> {
        self.comments.header
    }

    /// The doc comment before one of these offsets.
    pub(super) fn doc(&self, leads: &[u32]) -> Option<(Span, DocCommentStyle)> {
        self.comments.before(leads).map(|span| (span, DocCommentStyle::Block))
    }

    /// What a mentioned name means.
    pub(super) fn name(&mut self, name: &IdentifierReference<'_>) -> Expr {
        let found = self.resolve(name);
        if let Expr::Local(local) = found
            && self.is_top(local)
        {
            self.builder.add_mention(&found, false, name.span.start);
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
        let local = self.builder.add_binding(name, BindingKind::Variable);
        if self.scoping.symbol_scope_id(symbol) == self.scoping.root_scope_id() {
            self.builder.facts.flow.bindings[local as usize].owner = None;
        }
        self.bindings.insert(symbol, local);
        local
    }

    /// Declares a name.
    pub(super) fn declare(&mut self, name: &BindingIdentifier<'_>, kind: BindingKind) -> u32 {
        let local = match name.symbol_id.get() {
            Some(symbol) => self.local(symbol, name.name.as_str()),
            None => self.builder.add_binding(name.name.as_str(), kind),
        };
        let owner = self.builder.position.owner;
        let binding = &mut self.builder.facts.flow.bindings[local as usize];
        if kind != BindingKind::Variable {
            binding.kind = kind;
        }
        if let BindingKind::Symbol(symbol) = kind {
            binding.symbol = Some(symbol);
        }
        binding.owner = owner;
        local
    }

    /// Declares the name of a type or a namespace. A value with the same name keeps it.
    pub(super) fn declare_type(&mut self, name: &BindingIdentifier<'_>, symbol: u32) {
        let local = self.declare(name, BindingKind::Variable);
        let binding = &mut self.builder.facts.flow.bindings[local as usize];
        if binding.symbol.is_none() {
            binding.symbol = Some(symbol);
            binding.kind = BindingKind::Symbol(symbol);
        }
    }

    /// Declares the name of a variable, which a type with the same name may have declared before.
    pub(super) fn declare_variable(&mut self, name: &BindingIdentifier<'_>) -> u32 {
        let local = self.declare(name, BindingKind::Variable);
        let binding = &mut self.builder.facts.flow.bindings[local as usize];
        if let BindingKind::Symbol(symbol) = binding.kind
            && matches!(
                self.builder.facts.symbols[symbol as usize].kind,
                SymbolKind::Interface | SymbolKind::Type
            )
        {
            binding.kind = BindingKind::Variable;
        }
        local
    }

    /// Whether a binding is an imported namespace.
    pub(super) fn is_namespace(&self, local: u32) -> bool {
        match self.builder.facts.flow.bindings[local as usize].kind {
            BindingKind::Import(import, Some(name)) => {
                self.builder.facts.imports[import as usize].names[name as usize].name == "*"
            }
            BindingKind::Import(_, None) => true,
            _ => false,
        }
    }

    /// Whether a binding belongs to the module and not to a function.
    pub(super) fn is_top(&self, local: u32) -> bool {
        self.builder.facts.flow.bindings[local as usize].owner.is_none()
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
                        self.builder.add_step(FlowAction::Return(value));
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
                    let back = self.builder.enter_block(FlowBlockKind::Handler);
                    if let Some(caught) = &handler.param {
                        self.bind(&caught.pattern, Expr::Unknown, BindingKind::Opaque);
                    }
                    self.statements(&handler.body.body);
                    self.builder.restore_position(back);
                }
                if let Some(last) = &inner.finalizer {
                    self.statements(&last.body);
                }
            }
            Statement::SwitchStatement(inner) => {
                self.expr(&inner.discriminant);
                for case in &inner.cases {
                    let back = self.builder.enter_block(FlowBlockKind::Branch);
                    if let Some(test) = &case.test {
                        self.expr(test);
                    }
                    self.statements(&case.consequent);
                    self.builder.restore_position(back);
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
            other => self.other_statement(other),
        }
    }

    fn other_statement(&mut self, statement: &Statement<'_>) {
        if let Some(declaration) = statement.as_declaration() {
            let around = DeclarationContext::standalone(statement.span());
            self.declaration(declaration, around);
        } else if let Some(module) = statement.as_module_declaration() {
            self.module_declaration(module);
        } else {
            self.loop_statement(statement);
        }
    }

    fn branch(&mut self, statement: &Statement<'_>) {
        let back = self.builder.enter_block(FlowBlockKind::Branch);
        self.statement(statement);
        self.builder.restore_position(back);
    }

    /// Loops.
    fn loop_statement(&mut self, statement: &Statement<'_>) {
        match statement {
            Statement::WhileStatement(inner) => {
                let back = self.builder.enter_block(FlowBlockKind::Loop);
                self.expr(&inner.test);
                self.statement(&inner.body);
                self.builder.restore_position(back);
            }
            Statement::DoWhileStatement(inner) => {
                let back = self.builder.enter_block(FlowBlockKind::Loop);
                self.statement(&inner.body);
                self.expr(&inner.test);
                self.builder.restore_position(back);
            }
            Statement::ForStatement(inner) => {
                match &inner.init {
                    Some(ForStatementInit::VariableDeclaration(declared)) => {
                        self.variables(declared, DeclarationContext::standalone(declared.span()));
                    }
                    Some(init) => {
                        self.expr(init.to_expression());
                    }
                    None => {}
                }
                let back = self.builder.enter_block(FlowBlockKind::Loop);
                if let Some(test) = &inner.test {
                    self.expr(test);
                }
                self.statement(&inner.body);
                if let Some(update) = &inner.update {
                    self.expr(update);
                }
                self.builder.restore_position(back);
            }
            Statement::ForOfStatement(inner) => {
                let over = self.expr(&inner.right).each();
                self.for_each_statement(&inner.left, over, &inner.body);
            }
            Statement::ForInStatement(inner) => {
                self.expr(&inner.right);
                self.for_each_statement(&inner.left, Expr::Unknown, &inner.body);
            }
            _ => {}
        }
    }

    fn for_each_statement(
        &mut self,
        left: &ForStatementLeft<'_>,
        value: Expr,
        body: &Statement<'_>,
    ) {
        let back = self.builder.enter_block(FlowBlockKind::Loop);
        match left {
            ForStatementLeft::VariableDeclaration(declared) => {
                if let Some(first) = declared.declarations.first() {
                    self.bind(&first.id, value, BindingKind::Variable);
                }
            }
            left => self.assign_to(left.to_assignment_target(), value),
        }
        self.statement(body);
        self.builder.restore_position(back);
    }
}

impl DeclarationContext {
    /// A declaration on its own.
    pub fn standalone(at: oxc_span::Span) -> Self {
        Self { statement: span(at), inner: at.start, exported: false }
    }
}
