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
use super::walk::{Around, Walk};
use crate::lines::offset;
use crate::model::{
    BindingKind, Export, ExportKind, Expr, ImportKind, ImportedName, ItemsKind, Place, SymbolKind,
    Visibility,
};

/// Whether a value is a module that is asked for here.
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

impl<'a> Walk<'_, '_> {
    pub(super) fn module_declaration(&mut self, declaration: &ModuleDeclaration<'a>) {
        match declaration {
            ModuleDeclaration::ImportDeclaration(import) => self.import(import),
            ModuleDeclaration::ExportDeclaration(export) => {
                let inner = export.declaration.span().start;
                let around = Around { statement: span(export.span), inner, exported: true };
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
                let from = self.b.import(ImportKind::ReExport, export.source.value.as_str(), at);
                let is_type = export.export_kind.is_type();
                self.b.facts.imports[from as usize].is_type_only = is_type;
                for specifier in &export.specifiers {
                    self.export_from(specifier, from, is_type);
                }
            }
            ModuleDeclaration::ExportAllDeclaration(export) => {
                let at = span(export.span);
                let from = self.b.import(ImportKind::ReExport, export.source.value.as_str(), at);
                let is_type = export.export_kind.is_type();
                let alias = export.exported.as_ref().map(|name| name.name().to_string());
                let import = &mut self.b.facts.imports[from as usize];
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
                    ..self.blank(name, kind, at)
                });
            }
            ModuleDeclaration::ExportDefaultDeclaration(export) => self.export_default(export),
            ModuleDeclaration::TSExportAssignment(export) => {
                let value = self.expr(&export.expression);
                let at = span(export.span);
                let blank = self.blank("default", ExportKind::CommonJs, at);
                self.export(Export { value, ..blank });
            }
            ModuleDeclaration::TSNamespaceExportDeclaration(_) => {}
        }
    }

    fn import(&mut self, import: &ImportDeclaration<'a>) {
        let at = span(import.span);
        let index = self.b.import(ImportKind::Import, import.source.value.as_str(), at);
        let is_type = import.import_kind.is_type();
        self.b.facts.imports[index as usize].is_type_only = is_type;
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
            self.imported(index, name, local, is_type, span(specifier.span()));
        }
    }

    fn imported(
        &mut self,
        import: u32,
        name: String,
        local: &BindingIdentifier<'a>,
        is_type: bool,
        span: Span,
    ) {
        let alias = (local.name.as_str() != name).then(|| local.name.to_string());
        let names = &mut self.b.facts.imports[import as usize].names;
        names.push(ImportedName { name, alias, is_type, span });
        let at = offset(names.len() - 1);
        self.declare(local, BindingKind::Import(import, Some(at)));
    }

    pub(super) fn import_equals(&mut self, import: &TSImportEqualsDeclaration<'a>, around: Around) {
        match &import.module_reference {
            TSModuleReference::ExternalModuleReference(external) => {
                let specifier = external.expression.value.as_str();
                let index = self.b.import(ImportKind::Require, specifier, around.statement);
                let is_type = import.import_kind.is_type();
                self.b.facts.imports[index as usize].is_type_only = is_type;
                self.imported(index, "*".into(), &import.id, is_type, around.statement);
            }
            TSModuleReference::IdentifierReference(name) => {
                let value = self.name(name);
                let local = self.declare(&import.id, BindingKind::Variable);
                self.b.assign(Place::Local(local), value);
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
                self.b.assign(Place::Local(local), value);
            }
        }
    }

    /// Notes which names a variable takes from a module that it asks for.
    pub(super) fn name_required(&mut self, pattern: &BindingPattern<'a>, value: &Expr) {
        let Expr::Import(import) = value else { return };
        let names = &mut self.b.facts.imports[*import as usize].names;
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

    pub(super) fn dynamic_import(&mut self, import: &ImportExpression<'a>) -> Expr {
        let at = span(import.span);
        match self.expr(&import.source) {
            Expr::Text(specifier) => {
                Expr::Import(self.b.import(ImportKind::Dynamic, specifier, at))
            }
            _ => Expr::Unknown,
        }
    }

    fn blank(&self, name: impl Into<String>, kind: ExportKind, span: Span) -> Export {
        Export {
            name: name.into(),
            local: None,
            symbol: None,
            value: Expr::Unknown,
            from: None,
            is_type: false,
            kind,
            span,
            line: self.b.lines.line(span.start),
        }
    }

    /// Keeps an export of the module; what a namespace exports is a member of it.
    fn export(&mut self, export: Export) {
        if self.b.at.owner.is_none() {
            self.b.facts.exports.push(export);
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
            let blank = self.blank(name.clone(), ExportKind::Named, at);
            let value = Expr::Local(local);
            let symbol = self.b.facts.flow.bindings[local as usize].symbol;
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
        let blank = self.blank(exported, kind, span(specifier.span));
        let local = Some(specifier.local.name().to_string());
        self.export(Export { local, value, is_type, ..blank });
    }

    fn export_from(&mut self, specifier: &ExportSpecifier<'a>, from: u32, is_type: bool) {
        let at = span(specifier.span);
        let name = specifier.local.name().to_string();
        let exported = specifier.exported.name().to_string();
        let is_type = is_type || specifier.export_kind.is_type();
        let alias = (exported != name).then(|| exported.clone());
        let names = &mut self.b.facts.imports[from as usize].names;
        names.push(ImportedName { name: name.clone(), alias, is_type, span: at });
        let kind = if exported == "default" { ExportKind::Default } else { ExportKind::Named };
        let blank = self.blank(exported, kind, at);
        self.export(Export { local: Some(name), from: Some(from), is_type, ..blank });
    }

    fn export_default(&mut self, export: &ExportDefaultDeclaration<'a>) {
        let at = span(export.span);
        let inner = export.declaration.span().start;
        let around = Around { statement: at, inner, exported: true };
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
                    Some(id) => self.declared(SymbolKind::Class, id, around),
                    None => self.default_target(SymbolKind::Class, span(class.span), around),
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
                    let target = self.default_target(SymbolKind::Function, at, around);
                    let symbol = self.named_value(value, target);
                    (Some(symbol), Expr::Symbol(symbol))
                } else {
                    let value = self.expr(value);
                    if let Expr::Local(bound) = value {
                        local = Some(self.b.facts.flow.bindings[bound as usize].name.clone());
                    }
                    (None, value)
                }
            }
        };
        let blank = self.blank("default", ExportKind::Default, at);
        self.export(Export { local, symbol, value, ..blank });
    }

    /// `module.exports = …`, `exports.x = …`.
    pub(super) fn export_assigned(&mut self, place: &Place, value: &Expr, at: Span) {
        let Place::Member(object, name) = place else { return };
        let is_module = |expr: &Expr| *expr == Expr::Name("module".into());
        let is_exports = match object {
            Expr::Name(object) => object == "exports",
            Expr::Member(inner, member) => member == "exports" && is_module(inner),
            _ => false,
        };
        let symbol = if let Expr::Symbol(symbol) = value { Some(*symbol) } else { None };
        if is_exports {
            let blank = self.blank(name.clone(), ExportKind::CommonJs, at);
            self.b.facts.exports.push(Export { symbol, value: value.clone(), ..blank });
        } else if is_module(object) && name == "exports" {
            let blank = self.blank("default", ExportKind::CommonJs, at);
            self.b.facts.exports.push(Export { symbol, value: value.clone(), ..blank });
            let Expr::Items(ItemsKind::Object, items) = value else { return };
            for item in items {
                let Some(Expr::Text(key)) = &item.key else { continue };
                let symbol =
                    if let Expr::Symbol(symbol) = item.value { Some(symbol) } else { None };
                let blank = self.blank(key.clone(), ExportKind::CommonJs, at);
                let value = item.value.clone();
                self.b.facts.exports.push(Export { symbol, value, ..blank });
            }
        }
    }

    /// Marks what exports name, and the members of it.
    pub(super) fn mark_exported(&mut self) {
        for at in 0..self.b.facts.exports.len() {
            let export = &self.b.facts.exports[at];
            let symbol = export.symbol.or_else(|| match export.value {
                Expr::Local(local) => self.b.facts.flow.bindings[local as usize].symbol,
                _ => None,
            });
            self.b.facts.exports[at].symbol = symbol;
            if let Some(symbol) = symbol {
                let symbol = self.b.symbol_mut(symbol);
                symbol.exported = true;
                symbol.visibility = Visibility::Public;
            }
        }
        for at in 0..self.b.facts.symbols.len() {
            let symbol = &self.b.facts.symbols[at];
            let Some(parent) = symbol.parent else { continue };
            let parent = &self.b.facts.symbols[parent as usize];
            if parent.kind.is_type() && symbol.visibility == Visibility::Public {
                self.b.facts.symbols[at].exported = parent.exported;
            } else if parent.kind == SymbolKind::Namespace && !parent.exported {
                self.b.facts.symbols[at].exported = false;
            }
        }
    }
}
