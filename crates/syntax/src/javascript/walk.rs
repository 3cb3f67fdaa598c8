//! Names and statements.

use std::collections::HashMap;

use base::Span;
use oxc_ast::ast::{
    BindingIdentifier, ForStatementInit, ForStatementLeft, IdentifierReference, Program, Statement,
};
use oxc_semantic::Scoping;
use oxc_span::GetSpan;
use oxc_syntax::symbol::SymbolId;

use super::comments::Comments;
use super::span;
use crate::build::Builder;
use crate::docs::Style;
use crate::model::{
    Action, BindingKind, BlockKind, Expr, FileFacts, Flags, Owner, SymbolKind, Visibility,
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
}

impl Around {
    /// A declaration on its own.
    pub fn at(at: oxc_span::Span) -> Self {
        Self { statement: span(at), inner: at.start, exported: false }
    }
}
