//! Imports and exports.

use base::Span;
use oxc_ast::ast::{
    BindingIdentifier, BindingPattern, Declaration, ExportDefaultDeclaration,
    ExportDefaultDeclarationKind, ExportSpecifier, Expression, ImportDeclaration,
    ImportDeclarationSpecifier, ImportExpression, ModuleDeclaration, ModuleExportName,
    TSImportEqualsDeclaration, TSModuleReference,
};
use oxc_span::GetSpan;

use super::function::is_function_or_class;
use super::span;
use super::walk::{DeclarationContext, JavaScriptWalker};
use crate::line_index::offset;
use crate::model::{
    AssignTarget, BindingKind, Export, ExportKind, Expr, ImportKind, ImportedName, LiteralKind,
    SymbolKind, Visibility,
};

/// Whether a value is a module that is imported here.
pub(super) fn is_require(value: &Expression<'_>) -> bool {
    match value {
        Expression::CallExpression(call) => {
            call.callee.is_specific_id("require") && call.arguments.len() == 1
        }
        Expression::AwaitExpression(inner) => {
            matches!(inner.argument, Expression::ImportExpression(_))
        }
        _ => false,
    }
}

impl<'a> JavaScriptWalker<'_, '_> {
    pub(super) fn module_declaration(&mut self, declaration: &ModuleDeclaration<'a>) {
        match declaration {
            ModuleDeclaration::ImportDeclaration(import) => self.import(import),
            ModuleDeclaration::ExportDeclaration(export) => {
                let inner = export.declaration.span().start;
                let around =
                    DeclarationContext { statement: span(export.span), inner, exported: true };
                self.declaration(&export.declaration, around);
                self.export_declared(&export.declaration, span(export.span));
            }
            ModuleDeclaration::ExportNamedDeclaration(export) => {
                for specifier in &export.specifiers {
                    let is_type = export.export_kind.is_type();
                    self.export_local(specifier, is_type);
                }
            }
            ModuleDeclaration::ExportFromDeclaration(export) => {
                let at = span(export.span);
                let from =
                    self.builder.add_import(ImportKind::ReExport, export.source.value.as_str(), at);
                let is_type = export.export_kind.is_type();
                self.builder.facts.imports[from as usize].is_type_only = is_type;
                for specifier in &export.specifiers {
                    self.export_from(specifier, from, is_type);
                }
            }
            ModuleDeclaration::ExportAllDeclaration(export) => {
                let at = span(export.span);
                let from =
                    self.builder.add_import(ImportKind::ReExport, export.source.value.as_str(), at);
                let is_type = export.export_kind.is_type();
                let alias = export.exported.as_ref().map(|name| name.name().to_string());
                let import = &mut self.builder.facts.imports[from as usize];
                import.is_type_only = is_type;
                let name = "*".to_owned();
                import.names.push(ImportedName { name, alias: alias.clone(), is_type, span: at });
                let kind = if alias.is_some() { ExportKind::StarAs } else { ExportKind::Star };
                let name = alias.unwrap_or_else(|| "*".into());
                let local = Some("*".to_owned());
                self.export(Export {
                    from: Some(from),
                    local,
                    is_type,
                    ..self.new_export(name, kind, at)
                });
            }
            ModuleDeclaration::ExportDefaultDeclaration(export) => self.export_default(export),
            ModuleDeclaration::TSExportAssignment(export) => {
                let value = self.expr(&export.expression);
                let at = span(export.span);
                let blank = self.new_export("default", ExportKind::CommonJs, at);
                self.export(Export { value, ..blank });
            }
            ModuleDeclaration::TSNamespaceExportDeclaration(_) => {}
        }
    }

    fn import(&mut self, import: &ImportDeclaration<'a>) {
        let at = span(import.span);
        let index = self.builder.add_import(ImportKind::Import, import.source.value.as_str(), at);
        let is_type = import.import_kind.is_type();
        self.builder.facts.imports[index as usize].is_type_only = is_type;
        for specifier in import.specifiers.iter().flatten() {
            let (name, local, is_type) = match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(one) => {
                    let is_type = is_type || one.import_kind.is_type();
                    (one.imported.name().to_string(), &one.local, is_type)
                }
                ImportDeclarationSpecifier::ImportDefaultSpecifier(one) => {
                    ("default".to_owned(), &one.local, is_type)
                }
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(one) => {
                    ("*".to_owned(), &one.local, is_type)
                }
            };
            self.add_imported_name(index, name, local, is_type, span(specifier.span()));
        }
    }

    fn add_imported_name(
        &mut self,
        import: u32,
        name: String,
        local: &BindingIdentifier<'a>,
        is_type: bool,
        span: Span,
    ) {
        let alias = (local.name.as_str() != name).then(|| local.name.to_string());
        let names = &mut self.builder.facts.imports[import as usize].names;
        names.push(ImportedName { name, alias, is_type, span });
        let at = offset(names.len() - 1);
        self.declare(local, BindingKind::Import(import, Some(at)));
    }

    pub(super) fn import_equals(
        &mut self,
        import: &TSImportEqualsDeclaration<'a>,
        around: DeclarationContext,
    ) {
        match &import.module_reference {
            TSModuleReference::ExternalModuleReference(external) => {
                let specifier = external.expression.value.as_str();
                let index =
                    self.builder.add_import(ImportKind::Require, specifier, around.statement);
                let is_type = import.import_kind.is_type();
                self.builder.facts.imports[index as usize].is_type_only = is_type;
                self.add_imported_name(index, "*".into(), &import.id, is_type, around.statement);
            }
            TSModuleReference::IdentifierReference(name) => {
                let value = self.name(name);
                let local = self.declare(&import.id, BindingKind::Variable);
                self.builder.add_assignment(AssignTarget::Local(local), value);
            }
            TSModuleReference::QualifiedName(name) => {
                let mut parts = vec![name.right.name.as_str()];
                let mut left = &name.left;
                let root = loop {
                    match left {
                        oxc_ast::ast::TSTypeName::QualifiedName(inner) => {
                            parts.push(inner.right.name.as_str());
                            left = &inner.left;
                        }
                        oxc_ast::ast::TSTypeName::IdentifierReference(first) => {
                            break self.name(first);
                        }
                        oxc_ast::ast::TSTypeName::ThisExpression(_) => break Expr::This,
                    }
                };
                let value = parts.iter().rev().fold(root, |object, part| object.member(*part));
                let local = self.declare(&import.id, BindingKind::Variable);
                self.builder.add_assignment(AssignTarget::Local(local), value);
            }
        }
    }

    /// Notes which names a variable takes from a module that it asks for.
    pub(super) fn record_required_names(&mut self, pattern: &BindingPattern<'a>, value: &Expr) {
        let Expr::Import(import) = value else { return };
        let names = &mut self.builder.facts.imports[*import as usize].names;
        let mut add = |name: String, alias: Option<String>, at: oxc_span::Span| {
            let alias = alias.filter(|alias| *alias != name);
            names.push(ImportedName { name, alias, is_type: false, span: span(at) });
        };
        match pattern {
            BindingPattern::BindingIdentifier(id) => {
                add("*".into(), Some(id.name.to_string()), id.span);
            }
            BindingPattern::ObjectPattern(object) => {
                for property in &object.properties {
                    if let Some(name) = property.key.static_name() {
                        let alias = property.value.get_identifier_name();
                        let alias = alias.map(|alias| alias.to_string());
                        add(name.into_owned(), alias, property.span);
                    }
                }
            }
            _ => {}
        }
    }

    /// Binds the names that a variable takes from a module to its import.
    pub(super) fn bind_required_names(&mut self, pattern: &BindingPattern<'a>, value: &Expr) {
        let Expr::Import(import) = value else { return };
        for id in pattern.get_binding_identifiers() {
            let names = &self.builder.facts.imports[*import as usize].names;
            let here =
                |one: &ImportedName| one.alias.as_deref().unwrap_or(&one.name) == id.name.as_str();
            if let Some(at) = names.iter().position(here) {
                self.declare(id, BindingKind::Import(*import, Some(offset(at))));
            }
        }
    }

    pub(super) fn dynamic_import(&mut self, import: &ImportExpression<'a>) -> Expr {
        let at = span(import.span);
        match self.expr(&import.source) {
            Expr::Text(specifier) => {
                Expr::Import(self.builder.add_import(ImportKind::Dynamic, specifier, at))
            }
            _ => Expr::Unknown,
        }
    }

    fn new_export(&self, name: impl Into<String>, kind: ExportKind, span: Span) -> Export {
        Export {
            name: name.into(),
            local: None,
            symbol: None,
            value: Expr::Unknown,
            from: None,
            is_type: false,
            kind,
            span,
            line: self.builder.lines.line(span.start),
        }
    }

    /// Adds an export of the module; what a namespace exports is a member of it.
    fn export(&mut self, export: Export) {
        if self.builder.position.owner.is_none() {
            self.builder.facts.exports.push(export);
        }
    }

    fn export_declared(&mut self, declaration: &Declaration<'a>, at: Span) {
        let is_type = matches!(
            declaration,
            Declaration::TSTypeAliasDeclaration(_) | Declaration::TSInterfaceDeclaration(_)
        );
        let mut names = Vec::new();
        if let Declaration::VariableDeclaration(declared) = declaration {
            for declarator in &declared.declarations {
                names.extend(declarator.id.get_binding_identifiers());
            }
        } else {
            names.extend(declaration.id());
        }
        for id in names {
            let local = self.declare(id, BindingKind::Variable);
            let name = id.name.to_string();
            let blank = self.new_export(name.clone(), ExportKind::Named, at);
            let value = Expr::Local(local);
            // A type and a value may have one name.
            let declared = match is_type {
                true => self.builder.facts.symbols.iter().rposition(|one| {
                    one.name == name && matches!(one.kind, SymbolKind::Interface | SymbolKind::Type)
                }),
                false => None,
            };
            let symbol =
                declared.map(offset).or(self.builder.facts.flow.bindings[local as usize].symbol);
            self.export(Export { local: Some(name), symbol, value, is_type, ..blank });
        }
    }

    fn export_local(&mut self, specifier: &ExportSpecifier<'a>, is_type: bool) {
        let value = match &specifier.local {
            ModuleExportName::IdentifierReference(name) => self.name(name),
            other => Expr::Name(other.name().to_string()),
        };
        let is_type = is_type || specifier.export_kind.is_type();
        let exported = specifier.exported.name().to_string();
        let kind = if exported == "default" { ExportKind::Default } else { ExportKind::Named };
        let blank = self.new_export(exported, kind, span(specifier.span));
        let local = Some(specifier.local.name().to_string());
        self.export(Export { local, value, is_type, ..blank });
    }

    fn export_from(&mut self, specifier: &ExportSpecifier<'a>, from: u32, is_type: bool) {
        let at = span(specifier.span);
        let name = specifier.local.name().to_string();
        let exported = specifier.exported.name().to_string();
        let is_type = is_type || specifier.export_kind.is_type();
        let alias = (exported != name).then(|| exported.clone());
        let names = &mut self.builder.facts.imports[from as usize].names;
        names.push(ImportedName { name: name.clone(), alias, is_type, span: at });
        let kind = if exported == "default" { ExportKind::Default } else { ExportKind::Named };
        let blank = self.new_export(exported, kind, at);
        self.export(Export { local: Some(name), from: Some(from), is_type, ..blank });
    }

    fn export_default(&mut self, export: &ExportDefaultDeclaration<'a>) {
        let at = span(export.span);
        let inner = export.declaration.span().start;
        let around = DeclarationContext { statement: at, inner, exported: true };
        let mut local = None;
        let (symbol, value) = match &export.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                local = function.id.as_ref().map(|id| id.name.to_string());
                let symbol = self.function_declaration(function, around);
                (Some(symbol), Expr::Symbol(symbol))
            }
            ExportDefaultDeclarationKind::ClassDeclaration(class) => {
                local = class.id.as_ref().map(|id| id.name.to_string());
                let target = match &class.id {
                    Some(id) => self.declared_header(SymbolKind::Class, id, around),
                    None => self.default_header(SymbolKind::Class, span(class.span), around),
                };
                let symbol = self.class(class, Some(target));
                (Some(symbol), Expr::Symbol(symbol))
            }
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(inner) => {
                local = Some(inner.id.name.to_string());
                self.declaration_interface(inner, around);
                (None, Expr::Local(self.declare(&inner.id, BindingKind::Variable)))
            }
            value => {
                let value = value.to_expression();
                if is_function_or_class(value) {
                    let at = span(value.span());
                    let target = self.default_header(SymbolKind::Function, at, around);
                    let symbol = self.named_value(value, target);
                    (Some(symbol), Expr::Symbol(symbol))
                } else {
                    let value = self.expr(value);
                    if let Expr::Local(bound) = value {
                        local = Some(self.builder.facts.flow.bindings[bound as usize].name.clone());
                    }
                    (None, value)
                }
            }
        };
        let blank = self.new_export("default", ExportKind::Default, at);
        self.export(Export { local, symbol, value, ..blank });
    }

    /// `module.exports = …`, `exports.x = …`. The value is given as it is written, and as what
    /// holds it.
    pub(super) fn export_assigned(
        &mut self,
        place: &AssignTarget,
        written: &Expr,
        value: &Expr,
        at: Span,
    ) {
        let AssignTarget::Member(object, name) = place else { return };
        let is_module = |expr: &Expr| *expr == Expr::Name("module".into());
        let is_exports = match object {
            Expr::Name(object) => object == "exports",
            Expr::Member(inner, member) => member == "exports" && is_module(inner),
            _ => false,
        };
        let symbol = if let Expr::Symbol(symbol) = value { Some(*symbol) } else { None };
        if is_exports {
            let blank = self.new_export(name.clone(), ExportKind::CommonJs, at);
            self.builder.facts.exports.push(Export { symbol, value: value.clone(), ..blank });
        } else if is_module(object) && name == "exports" {
            let blank = self.new_export("default", ExportKind::CommonJs, at);
            self.builder.facts.exports.push(Export { symbol, value: value.clone(), ..blank });
            let Expr::Items(LiteralKind::Object, items) = written else { return };
            for item in items {
                let Some(Expr::Text(key)) = &item.key else { continue };
                let symbol =
                    if let Expr::Symbol(symbol) = item.value { Some(symbol) } else { None };
                let blank = self.new_export(key.clone(), ExportKind::CommonJs, at);
                let value = item.value.clone();
                self.builder.facts.exports.push(Export { symbol, value, ..blank });
            }
        }
    }

    /// Marks what exports name, and the members of it.
    pub(super) fn mark_exported(&mut self) {
        for at in 0..self.builder.facts.exports.len() {
            let export = &self.builder.facts.exports[at];
            let symbol = export.symbol.or_else(|| match export.value {
                Expr::Local(local) => self.builder.facts.flow.bindings[local as usize].symbol,
                _ => None,
            });
            self.builder.facts.exports[at].symbol = symbol;
            if let Some(symbol) = symbol {
                let symbol = self.builder.symbol_mut(symbol);
                symbol.exported = true;
                symbol.visibility = Visibility::Public;
            }
        }
        for at in 0..self.builder.facts.symbols.len() {
            let symbol = &self.builder.facts.symbols[at];
            let Some(parent) = symbol.parent else { continue };
            let parent = &self.builder.facts.symbols[parent as usize];
            if parent.kind.is_type() && symbol.visibility == Visibility::Public {
                self.builder.facts.symbols[at].exported = parent.exported;
            } else if parent.kind == SymbolKind::Namespace && !parent.exported {
                self.builder.facts.symbols[at].exported = false;
            }
        }
    }
}
