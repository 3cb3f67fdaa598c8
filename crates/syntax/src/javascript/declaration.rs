//! Declarations: variables, and what only TypeScript has.

use base::Span;
use oxc_ast::ast::{
    BindingIdentifier, Declaration, TSEnumDeclaration, TSInterfaceDeclaration, TSModuleBlock,
    TSNamespaceDeclaration, TSNamespaceDeclarationBody, TSSignature, TSType,
    TSTypeAliasDeclaration, TSTypeLiteral, VariableDeclaration, VariableDeclarator,
};
use oxc_span::GetSpan;

use super::span;
use super::walk::{DeclarationContext, DeclarationHeader, JavaScriptWalker};
use crate::facts_builder::SymbolDraft;
use crate::model::{
    AssignTarget, BindingKind, Expr, Heritage, HeritageKind, SymbolFlags, SymbolKind, TypeRef,
    Visibility,
};

impl JavaScriptWalker<'_, '_> {
    /// A declaration.
    pub(super) fn declaration(
        &mut self,
        declaration: &Declaration<'_>,
        around: DeclarationContext,
    ) {
        match declaration {
            Declaration::VariableDeclaration(inner) => self.variables(inner, around),
            Declaration::FunctionDeclaration(inner) => {
                self.function_declaration(inner, around);
            }
            Declaration::ClassDeclaration(inner) => {
                let target =
                    inner.id.as_ref().map(|id| self.declared_header(SymbolKind::Class, id, around));
                self.class(inner, target);
            }
            Declaration::TSTypeAliasDeclaration(inner) => self.alias(inner, around),
            Declaration::TSInterfaceDeclaration(inner) => self.declaration_interface(inner, around),
            Declaration::TSEnumDeclaration(inner) => self.enumeration(inner, around),
            Declaration::TSNamespaceDeclaration(inner) => self.namespace(inner, around),
            Declaration::TSExternalModuleDeclaration(inner) => {
                let at = span(inner.id.span);
                let mut draft = SymbolDraft::new(
                    SymbolKind::Module,
                    inner.id.value.as_str(),
                    around.statement,
                    at,
                );
                draft.signature = format!("declare module {}", self.builder.slice(at));
                draft.doc = self.doc(&[around.statement.start]);
                draft.flags = SymbolFlags::DECLARATION_ONLY;
                let symbol = self.builder.add_symbol(draft);
                if let Some(body) = &inner.body {
                    self.module_block(symbol, body);
                }
            }
            Declaration::TSGlobalDeclaration(inner) => self.statements(&inner.body.body),
            Declaration::TSImportEqualsDeclaration(inner) => self.import_equals(inner, around),
        }
    }

    /// The header of a declaration that has a name.
    pub(super) fn declared_header(
        &self,
        kind: SymbolKind,
        id: &BindingIdentifier<'_>,
        around: DeclarationContext,
    ) -> DeclarationHeader {
        DeclarationHeader {
            name: id.name.to_string(),
            name_span: span(id.span),
            kind,
            parent: self.builder.position.owner,
            declaration: around.statement,
            doc_offsets: vec![around.statement.start, around.inner],
            visibility: if around.exported { Visibility::Public } else { Visibility::Private },
            flags: SymbolFlags::default(),
            exported: around.exported,
        }
    }

    /// The draft of a symbol with this header.
    pub(super) fn draft_from_header(&self, target: DeclarationHeader) -> SymbolDraft {
        let mut draft =
            SymbolDraft::new(target.kind, target.name, target.declaration, target.name_span);
        draft.parent = target.parent;
        draft.doc = self.doc(&target.doc_offsets);
        let first = target.doc_offsets.iter().copied().min().unwrap_or(target.declaration.start);
        let first = first.min(target.declaration.start);
        let start = draft.doc.map_or(first, |(doc, _)| doc.start.min(first));
        draft.span = Span::new(start, target.declaration.end);
        draft.visibility = target.visibility;
        draft.flags = target.flags;
        draft.exported = target.exported;
        draft
    }

    pub(super) fn variables(
        &mut self,
        declared: &VariableDeclaration<'_>,
        around: DeclarationContext,
    ) {
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
        around: DeclarationContext,
        leads: Vec<u32>,
    ) {
        let ty = self.annotation(declarator.type_annotation.as_deref());
        let Some(id) = declarator.id.get_binding_identifier() else {
            let value = declarator.init.as_ref().map_or(Expr::Unknown, |init| self.expr(init));
            self.record_required_names(&declarator.id, &value);
            self.bind_declared(&declarator.id, value.clone(), around);
            self.bind_required_names(&declarator.id, &value);
            return;
        };
        let mut target = self.declared_header(SymbolKind::Function, id, around);
        target.doc_offsets = leads;
        let is_const = declared.kind.is_const();
        if let Some(init) = &declarator.init
            && super::function::is_function_or_class(init)
        {
            let symbol = self.named_value(init, target);
            let kind = if is_const { BindingKind::Symbol(symbol) } else { BindingKind::Variable };
            let local = self.declare(id, kind);
            let binding = &mut self.builder.facts.flow.bindings[local as usize];
            binding.symbol = Some(symbol);
            binding.ty = ty;
            if !is_const {
                self.builder.add_assignment(AssignTarget::Local(local), Expr::Symbol(symbol));
            }
            return;
        }
        let is_import = declarator.init.as_ref().is_some_and(super::module::is_require);
        let symbol = (self.variables_are_symbols() && !is_import).then(|| {
            target.kind = if is_const { SymbolKind::Constant } else { SymbolKind::Variable };
            self.variable_symbol(declared, declarator, target, ty.clone())
        });
        let back = self.builder.enter_value_of(symbol);
        let value = match &declarator.init {
            Some(init) => self.value(init, symbol),
            None => Expr::Unknown,
        };
        self.builder.restore_position(back);
        self.record_required_names(&declarator.id, &value);
        let local = self.declare_variable(id);
        let binding = &mut self.builder.facts.flow.bindings[local as usize];
        binding.symbol = symbol;
        binding.ty = ty;
        self.builder.add_assignment(AssignTarget::Local(local), value.clone());
        self.bind_required_names(&declarator.id, &value);
    }

    /// Whether variables here are symbols: at the top, and in namespaces.
    pub(super) fn variables_are_symbols(&self) -> bool {
        let kinds = [SymbolKind::Namespace, SymbolKind::Module];
        self.builder.position.block.is_none()
            && self.builder.position.owner.is_none_or(|owner| {
                kinds.contains(&self.builder.facts.symbols[owner as usize].kind)
            })
    }

    fn variable_symbol(
        &mut self,
        declared: &VariableDeclaration<'_>,
        declarator: &VariableDeclarator<'_>,
        target: DeclarationHeader,
        ty: Option<TypeRef>,
    ) -> u32 {
        let mut draft = self.draft_from_header(target);
        let keyword = declared.kind.as_str();
        let end = declarator.init.as_ref().map_or(declarator.span.end, |init| init.span().start);
        let named = self.builder.one_line_signature(Span::new(declarator.span.start, end));
        let named = named.trim_end_matches('=').trim_end();
        let value =
            declarator.init.as_ref().map(|init| self.builder.one_line_signature(span(init.span())));
        let export = if draft.exported { "export " } else { "" };
        draft.signature = match value {
            Some(value) if value.len() <= 60 => format!("{export}{keyword} {named} = {value}"),
            _ => format!("{export}{keyword} {named}"),
        };
        draft.body = declarator.init.as_ref().map(|init| span(init.span()));
        draft.ty = ty;
        self.builder.add_symbol(draft)
    }

    fn alias(&mut self, alias: &TSTypeAliasDeclaration<'_>, around: DeclarationContext) {
        let target = self.declared_header(SymbolKind::Type, &alias.id, around);
        let generics = self.generics(alias.type_parameters.as_deref());
        let mut draft = self.draft_from_header(target);
        draft.signature = self.builder.one_line_signature(around.statement);
        draft.generics = generics;
        let symbol = self.builder.add_symbol(draft);
        self.declare_type(&alias.id, symbol);
        let back = self.builder.enter_symbol(symbol);
        for literal in type_literals(&alias.type_annotation) {
            self.declared_literals.insert(literal.span.start);
            for member in &literal.members {
                self.interface_member(symbol, member, around.exported);
            }
        }
        let ty = self.ty(&alias.type_annotation);
        self.builder.restore_position(back);
        self.builder.symbol_mut(symbol).ty = Some(ty);
    }

    pub(super) fn declaration_interface(
        &mut self,
        interface: &TSInterfaceDeclaration<'_>,
        around: DeclarationContext,
    ) {
        let target = self.declared_header(SymbolKind::Interface, &interface.id, around);
        let generics = self.generics(interface.type_parameters.as_deref());
        let mut draft = self.draft_from_header(target);
        let body = span(interface.body.span);
        draft.signature =
            self.builder.one_line_signature(Span::new(around.statement.start, body.start));
        draft.body = Some(body);
        draft.generics = generics;
        let symbol = self.builder.add_symbol(draft);
        self.declare_type(&interface.id, symbol);
        for parent in &interface.extends {
            let args = self.type_arguments(parent.type_arguments.as_deref());
            let target = self.type_name(&parent.type_name, args);
            self.heritage(symbol, HeritageKind::Extends, target, Expr::Unknown, parent.span);
        }
        let back = self.builder.enter_symbol(symbol);
        for member in &interface.body.body {
            self.interface_member(symbol, member, around.exported);
        }
        self.builder.restore_position(back);
    }

    pub(super) fn heritage(
        &mut self,
        symbol: u32,
        kind: HeritageKind,
        target: TypeRef,
        value: Expr,
        at: oxc_span::Span,
    ) {
        let line = self.builder.lines.line(at.start);
        let span = span(at);
        self.builder.facts.heritage.push(Heritage { symbol, kind, target, value, span, line });
    }

    /// A member of an interface.
    fn interface_member(&mut self, parent: u32, member: &TSSignature<'_>, exported: bool) {
        let whole = span(member.span());
        let (kind, key, ty, flags, generics) = match member {
            TSSignature::TSPropertySignature(property) => {
                let ty = self.annotation(property.type_annotation.as_deref());
                let flags = SymbolFlags::default()
                    .with_if(SymbolFlags::OPTIONAL, property.optional)
                    .with_if(SymbolFlags::READONLY, property.readonly);
                (SymbolKind::Property, &property.key, ty, flags, Vec::new())
            }
            TSSignature::TSMethodSignature(method) => {
                let generics = self.generics(method.type_parameters.as_deref());
                let ty = self.annotation(method.return_type.as_deref());
                let flags = SymbolFlags::ABSTRACT.with_if(SymbolFlags::OPTIONAL, method.optional);
                (SymbolKind::Method, &method.key, ty, flags, generics)
            }
            TSSignature::TSCallSignatureDeclaration(call) => {
                self.generics(call.type_parameters.as_deref());
                let params = self.param_types(&call.params);
                let result = self.annotation(call.return_type.as_deref());
                let ty = TypeRef::Function(params, Box::new(result.unwrap_or(TypeRef::Unknown)));
                let own = &mut self.builder.facts.symbols[parent as usize].ty;
                *own = Some(match own.take() {
                    None => ty,
                    Some(TypeRef::Union(mut all)) => {
                        all.push(ty);
                        TypeRef::Union(all)
                    }
                    Some(first) => TypeRef::Union(vec![first, ty]),
                });
                return;
            }
            other => return self.mention_signature(other),
        };
        let (name, at) = self.key(key);
        let mut draft = SymbolDraft::new(kind, name, whole, at);
        draft.parent = Some(parent);
        draft.signature = self.builder.one_line_signature(whole);
        draft.doc = self.doc(&[whole.start]);
        draft.span.start = draft.doc.map_or(whole.start, |(doc, _)| doc.start);
        draft.visibility = Visibility::Public;
        draft.exported = exported;
        draft.flags = flags;
        draft.ty = ty;
        draft.generics = generics;
        let symbol = self.builder.add_symbol(draft);
        if let TSSignature::TSMethodSignature(method) = member {
            let back = self.builder.enter_symbol(symbol);
            self.params(symbol, &method.params);
            self.builder.restore_position(back);
        }
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

    fn enumeration(&mut self, inner: &TSEnumDeclaration<'_>, around: DeclarationContext) {
        let target = self.declared_header(SymbolKind::Enum, &inner.id, around);
        let mut draft = self.draft_from_header(target);
        let body = span(inner.body.span);
        draft.signature =
            self.builder.one_line_signature(Span::new(around.statement.start, body.start));
        draft.body = Some(body);
        let symbol = self.builder.add_symbol(draft);
        self.declare(&inner.id, BindingKind::Symbol(symbol));
        let back = self.builder.enter_symbol(symbol);
        for member in &inner.body.members {
            let at = span(member.id.span());
            let name = member.id.static_name().to_string();
            let mut draft = SymbolDraft::new(SymbolKind::Variant, name, span(member.span), at);
            draft.parent = Some(symbol);
            draft.signature = self.builder.one_line_signature(span(member.span));
            draft.doc = self.doc(&[member.span.start]);
            draft.span.start = draft.doc.map_or(draft.span.start, |(doc, _)| doc.start);
            draft.visibility = Visibility::Public;
            draft.exported = around.exported;
            self.builder.add_symbol(draft);
            if let Some(value) = &member.initializer {
                self.expr(value);
            }
        }
        self.builder.restore_position(back);
    }

    fn namespace(&mut self, inner: &TSNamespaceDeclaration<'_>, around: DeclarationContext) {
        let target = self.declared_header(SymbolKind::Namespace, &inner.id, around);
        let mut draft = self.draft_from_header(target);
        let body = inner.body.span();
        draft.signature =
            self.builder.one_line_signature(Span::new(around.statement.start, body.start));
        draft.body = Some(span(body));
        let symbol = self.builder.add_symbol(draft);
        self.declare_type(&inner.id, symbol);
        match &inner.body {
            TSNamespaceDeclarationBody::TSModuleBlock(block) => self.module_block(symbol, block),
            TSNamespaceDeclarationBody::TSNamespaceDeclaration(nested) => {
                let back = self.builder.enter_symbol(symbol);
                let exported = around.exported;
                self.namespace(
                    nested,
                    DeclarationContext { exported, ..DeclarationContext::standalone(nested.span) },
                );
                self.builder.restore_position(back);
            }
        }
    }

    fn module_block(&mut self, symbol: u32, block: &TSModuleBlock<'_>) {
        let back = self.builder.enter_symbol(symbol);
        self.statements(&block.body);
        self.builder.restore_position(back);
    }
}

/// The literals whose members are members of an alias of this type.
fn type_literals<'b, 'a>(ty: &'b TSType<'a>) -> Vec<&'b TSTypeLiteral<'a>> {
    match ty {
        TSType::TSTypeLiteral(literal) => vec![literal],
        TSType::TSParenthesizedType(inner) => type_literals(&inner.type_annotation),
        TSType::TSUnionType(union) => union.types.iter().flat_map(type_literals).collect(),
        TSType::TSIntersectionType(meet) => meet.types.iter().flat_map(type_literals).collect(),
        _ => Vec::new(),
    }
}
