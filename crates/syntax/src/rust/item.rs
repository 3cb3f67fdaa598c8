//! Declarations.

use base::Span;

use super::RustWalker;
use crate::doc_comments::DocCommentStyle;
use crate::facts_builder::SymbolDraft;
use crate::line_index::offset;
use crate::model::{
    BindingKind, Decorator, Expr, FlowAction, Heritage, HeritageKind, Param, ParamKind,
    SymbolFlags, SymbolKind, TypeRef, Visibility,
};
use crate::treesitter::{Node, NodeExt, PendingTrivia, children, named_children, span};

const OUTER_DOC_STYLE: DocCommentStyle = DocCommentStyle::Lines(&["///"]);
const INNER_DOC_STYLE: DocCommentStyle = DocCommentStyle::Lines(&["//!"]);

/// Attributes whose function is a test.
const TEST_ATTRIBUTES: [&str; 5] = ["test", "rstest", "test_case", "proptest", "bench"];

impl RustWalker<'_> {
    /// The items of a file, a module or a block.
    pub(super) fn items(&mut self, node: Node<'_>) {
        let mut pending = PendingTrivia::default();
        let mut header = PendingTrivia::default();
        for child in children(node) {
            match child.kind() {
                "line_comment" | "block_comment" => self.comment(child, &mut pending, &mut header),
                "attribute_item" => pending.attributes.push(child),
                "inner_attribute_item" | "{" | "}" | ";" | "shebang" => {}
                kind => {
                    if let Some((at, style)) = header.doc.take() {
                        self.inner_doc(at, style);
                    }
                    let waiting = std::mem::take(&mut pending);
                    self.item(kind, child, &waiting);
                }
            }
        }
        if let Some((at, style)) = header.doc.take() {
            self.inner_doc(at, style);
        }
    }

    /// Sorts a comment: `///` documents what follows it, `//!` what is around it.
    pub(super) fn comment<'n>(
        &mut self,
        node: Node<'n>,
        pending: &mut PendingTrivia<'n>,
        header: &mut PendingTrivia<'n>,
    ) {
        let text = node.text(&self.builder);
        let is_line = node.kind() == "line_comment";
        if text.starts_with("//!") || text.starts_with("/*!") {
            header.add_doc_comment(
                &self.builder,
                node,
                if is_line { INNER_DOC_STYLE } else { DocCommentStyle::Block },
            );
        } else if text.starts_with("///") && !text.starts_with("////") {
            pending.add_doc_comment(&self.builder, node, OUTER_DOC_STYLE);
        } else if text.starts_with("/**") && !text.starts_with("/***") && text.len() > 4 {
            pending.add_doc_comment(&self.builder, node, DocCommentStyle::Block);
        }
    }

    fn inner_doc(&mut self, at: Span, style: DocCommentStyle) {
        match self.builder.position.owner {
            None => self.builder.set_module_doc(at, style),
            Some(owner) => {
                if self.builder.facts.symbols[owner as usize].doc.is_none() {
                    let doc = self.builder.add_doc(Some(owner), at, style);
                    self.builder.symbol_mut(owner).doc = Some(doc);
                }
            }
        }
    }

    /// One item, or a statement that is not an item.
    pub(super) fn item(&mut self, kind: &str, node: Node<'_>, pending: &PendingTrivia<'_>) -> Expr {
        match kind {
            "function_item" | "function_signature_item" => self.function(node, pending),
            "struct_item" => self.type_item(SymbolKind::Struct, node, pending),
            "union_item" => self.type_item(SymbolKind::Union, node, pending),
            "enum_item" => self.type_item(SymbolKind::Enum, node, pending),
            "trait_item" => self.trait_item(node, pending),
            "impl_item" => self.impl_item(node, pending),
            "mod_item" => self.module(node, pending),
            "const_item" | "static_item" => self.constant(node, pending),
            "type_item" | "associated_type" => self.alias(node, pending),
            "macro_definition" => self.macro_rules(node, pending),
            "use_declaration" => self.use_declaration(node),
            "extern_crate_declaration" => self.extern_crate(node),
            "ERROR" => self.items(node),
            "foreign_mod_item" => {
                if let Some(body) = node.field("body") {
                    self.items(body);
                }
            }
            "macro_invocation" | "expression_statement"
                if self.is_among_items() && self.made_function(node, pending) => {}
            _ => return self.expr(node),
        }
        Expr::Unknown
    }

    /// A draft with what all items have.
    fn draft(
        &mut self,
        kind: SymbolKind,
        node: Node<'_>,
        pending: &PendingTrivia<'_>,
    ) -> Option<SymbolDraft> {
        let name = node.field("name")?;
        let whole = span(node);
        let mut draft = SymbolDraft::new(kind, self.text(name), whole, span(name));
        self.fill_draft(&mut draft, node, pending);
        Some(draft)
    }

    fn fill_draft(&mut self, draft: &mut SymbolDraft, node: Node<'_>, pending: &PendingTrivia<'_>) {
        let whole = span(node);
        let body =
            node.field("body").filter(|body| body.kind() != "ordered_field_declaration_list");
        let body = body.map(span);
        draft.parent = self.builder.position.owner;
        draft.doc = pending.doc;
        draft.span = Span::new(pending.start_with_trivia(whole.start), whole.end);
        draft.body = body;
        draft.signature = self
            .builder
            .one_line_signature(Span::new(whole.start, body.map_or(whole.end, |b| b.start)));
        draft.visibility = self.visibility(node);
        draft.exported = draft.visibility != Visibility::Private;
        draft.generics = self.generics(node);
        for attribute in &pending.attributes {
            let written = named_children(*attribute).first().copied().unwrap_or(*attribute);
            let name =
                named_children(written).first().map(|name| self.text(*name)).unwrap_or_default();
            let is_test =
                name.rsplit("::").next().is_some_and(|last| TEST_ATTRIBUTES.contains(&last));
            let text = self.builder.slice(span(written));
            let cfg_test = name == "cfg" && text.contains("test") && !text.contains("not(test");
            draft.is_test |= is_test || cfg_test;
            let span = span(*attribute);
            draft.decorators.push(Decorator { name, value: Expr::Unknown, span });
        }
        draft.is_test |= self.in_test;
    }

    /// Who may use an item.
    pub(super) fn visibility(&self, node: Node<'_>) -> Visibility {
        match node.child_of_kind(&["visibility_modifier"]).map(|written| self.text(written)) {
            None => Visibility::Private,
            Some(text) if text == "pub" => Visibility::Public,
            Some(text) => Visibility::Restricted(text),
        }
    }

    /// Whether the walk is at the items of a file, a module, a trait or an `impl`.
    fn is_among_items(&self) -> bool {
        matches!(
            self.parent_kind(),
            None | Some(SymbolKind::Module | SymbolKind::Impl | SymbolKind::Trait)
        )
    }

    pub(super) fn parent_kind(&self) -> Option<SymbolKind> {
        self.builder.position.owner.map(|owner| self.builder.facts.symbols[owner as usize].kind)
    }

    fn function(&mut self, node: Node<'_>, pending: &PendingTrivia<'_>) {
        let around = self.parent_kind();
        let is_member = matches!(around, Some(SymbolKind::Impl | SymbolKind::Trait));
        let kind = if is_member { SymbolKind::Method } else { SymbolKind::Function };
        let Some(mut draft) = self.draft(kind, node, pending) else { return };
        self.inherit_visibility(&mut draft);
        let params = node.field("parameters").map(named_children).unwrap_or_default();
        let takes_self = params.iter().any(|param| param.kind() == "self_parameter");
        let modifiers = node.child_of_kind(&["function_modifiers"]);
        let is_async = modifiers.is_some_and(|list| list.has_token("async"));
        draft.flags = SymbolFlags::default()
            .with_if(SymbolFlags::STATIC, is_member && !takes_self)
            .with_if(SymbolFlags::ASYNC, is_async)
            .with_if(SymbolFlags::ABSTRACT, draft.body.is_none());
        let symbol = self.builder.add_symbol(draft);
        let result = node.field("return_type").map(|result| self.ty(result));
        self.builder.symbol_mut(symbol).ty = result;
        self.walk_function(symbol, &params, node.field("body"));
    }

    /// Members of traits and trait impls have the visibility of those.
    fn inherit_visibility(&mut self, draft: &mut SymbolDraft) {
        let Some(owner) = self.builder.position.owner else { return };
        let around = &self.builder.facts.symbols[owner as usize];
        match around.kind {
            SymbolKind::Trait => {
                draft.visibility = around.visibility.clone();
                draft.exported = around.exported;
            }
            SymbolKind::Impl => {
                let of = self.builder.facts.heritage.iter().rev().find(|step| step.symbol == owner);
                if let Some(of) = of {
                    draft.visibility = Visibility::Public;
                    draft.exported = false;
                    let name = base_name(&of.target);
                    draft.path = Some(format!(
                        "{}.{}@{name}",
                        self.builder.member_prefix(owner),
                        draft.name
                    ));
                }
            }
            _ => {}
        }
    }

    /// The parameters and body of a function.
    pub(super) fn walk_function(
        &mut self,
        symbol: u32,
        params: &[Node<'_>],
        body: Option<Node<'_>>,
    ) {
        let back = self.builder.enter_symbol(symbol);
        let outer = std::mem::take(&mut self.names);
        self.params(symbol, params);
        if let Some(body) = body {
            let value = self.expr(body);
            if value != Expr::Unknown {
                self.builder.add_step(FlowAction::Return(value));
            }
        }
        self.names = outer;
        self.builder.restore_position(back);
    }

    /// Declares parameters; closures' have no type more often than not.
    pub(super) fn params(&mut self, function: u32, params: &[Node<'_>]) {
        let mut position = 0;
        for param in params {
            if matches!(param.kind(), "attribute_item" | "line_comment" | "block_comment") {
                continue;
            }
            let is_self = param.kind() == "self_parameter";
            let pattern = param.field("pattern").unwrap_or(*param);
            let ty = param.field("type").map(|ty| self.ty(ty));
            let name = if is_self { "self".into() } else { self.pattern_name(pattern) };
            let kind = if is_self { ParamKind::Receiver } else { ParamKind::Plain };
            let at = offset(self.builder.facts.flow.params.len());
            let kept = Param { function, name: name.clone(), position, kind, default: None, ty };
            let ty = kept.ty.clone();
            self.builder.facts.flow.params.push(kept);
            position += 1;
            if is_self {
                continue;
            }
            let local = self.builder.add_binding(name.clone(), BindingKind::Param(at));
            self.builder.facts.flow.bindings[local as usize].ty = ty;
            if name.is_empty() {
                self.bind(pattern, Expr::Local(local));
            } else {
                self.names.push((name, local));
            }
        }
    }

    fn type_item(&mut self, kind: SymbolKind, node: Node<'_>, pending: &PendingTrivia<'_>) {
        let Some(draft) = self.draft(kind, node, pending) else { return };
        let symbol = self.builder.add_symbol(draft);
        let Some(body) = node.field("body") else { return };
        let back = self.builder.enter_symbol(symbol);
        self.fields(body);
        self.builder.restore_position(back);
    }

    /// The fields or variants of a type.
    fn fields(&mut self, body: Node<'_>) {
        let mut pending = PendingTrivia::default();
        let mut header = PendingTrivia::default();
        let mut count = 0;
        let mut public = None;
        for child in children(body) {
            match child.kind() {
                "line_comment" | "block_comment" => self.comment(child, &mut pending, &mut header),
                "attribute_item" => pending.attributes.push(child),
                "visibility_modifier" => public = Some(child),
                "field_declaration" => self.field(child, &std::mem::take(&mut pending)),
                "enum_variant" => self.variant(child, &std::mem::take(&mut pending)),
                "," | "{" | "}" | "(" | ")" => {}
                _ => {
                    self.tuple_field(child, count, public.take(), &std::mem::take(&mut pending));
                    count += 1;
                }
            }
        }
    }

    fn field(&mut self, node: Node<'_>, pending: &PendingTrivia<'_>) {
        let Some(mut draft) = self.draft(SymbolKind::Field, node, pending) else { return };
        self.apply_variant_visibility(&mut draft);
        draft.ty = node.field("type").map(|ty| self.ty(ty));
        self.builder.add_symbol(draft);
    }

    fn tuple_field(
        &mut self,
        node: Node<'_>,
        at: u32,
        public: Option<Node<'_>>,
        pending: &PendingTrivia<'_>,
    ) {
        let whole = span(node);
        let mut draft = SymbolDraft::new(SymbolKind::Field, at.to_string(), whole, whole);
        self.fill_draft(&mut draft, node, pending);
        if let Some(public) = public {
            draft.visibility = match self.text(public).as_str() {
                "pub" => Visibility::Public,
                other => Visibility::Restricted(other.into()),
            };
            draft.exported = true;
        }
        self.apply_variant_visibility(&mut draft);
        draft.ty = Some(self.ty(node));
        self.builder.add_symbol(draft);
    }

    /// The fields of a variant are as visible as it is.
    fn apply_variant_visibility(&self, draft: &mut SymbolDraft) {
        let Some(owner) = self.builder.position.owner else { return };
        let around = &self.builder.facts.symbols[owner as usize];
        if around.kind == SymbolKind::Variant {
            draft.visibility = Visibility::Public;
            draft.exported = around.exported;
        }
    }

    fn variant(&mut self, node: Node<'_>, pending: &PendingTrivia<'_>) {
        let Some(mut draft) = self.draft(SymbolKind::Variant, node, pending) else { return };
        draft.signature = self.builder.one_line_signature(span(node));
        draft.visibility = Visibility::Public;
        let owner = self.builder.position.owner;
        draft.exported =
            owner.is_some_and(|owner| self.builder.facts.symbols[owner as usize].exported);
        let symbol = self.builder.add_symbol(draft);
        if let Some(body) = node.field("body") {
            let back = self.builder.enter_symbol(symbol);
            self.fields(body);
            self.builder.restore_position(back);
        }
    }

    fn trait_item(&mut self, node: Node<'_>, pending: &PendingTrivia<'_>) {
        let Some(draft) = self.draft(SymbolKind::Trait, node, pending) else { return };
        let symbol = self.builder.add_symbol(draft);
        if let Some(list) = node.field("bounds") {
            for target in self.bounds(list) {
                self.heritage(symbol, HeritageKind::Extends, target, span(list));
            }
        }
        self.walk_members(symbol, node);
    }

    fn heritage(&mut self, symbol: u32, kind: HeritageKind, target: TypeRef, span: Span) {
        let line = self.builder.lines.line(span.start);
        let value = Expr::Unknown;
        self.builder.facts.heritage.push(Heritage { symbol, kind, target, value, span, line });
    }

    fn walk_members(&mut self, symbol: u32, node: Node<'_>) {
        let Some(body) = node.field("body") else { return };
        let back = self.builder.enter_symbol(symbol);
        let was = std::mem::replace(
            &mut self.in_test,
            self.builder.facts.symbols[symbol as usize].is_test,
        );
        let names = std::mem::take(&mut self.names);
        self.items(body);
        self.names = names;
        self.in_test = was;
        self.builder.restore_position(back);
    }

    fn impl_item(&mut self, node: Node<'_>, pending: &PendingTrivia<'_>) {
        let Some(of) = node.field("type") else { return };
        let ty = self.ty(of);
        let name = match base_name(&ty) {
            name if name.is_empty() => self.text(of),
            name => name,
        };
        let mut draft = SymbolDraft::new(SymbolKind::Impl, name.clone(), span(node), span(of));
        self.fill_draft(&mut draft, node, pending);
        let around = self
            .builder
            .position
            .owner
            .map(|owner| format!("{}.", self.builder.member_prefix(owner)));
        let around = around.unwrap_or_default();
        let what = node.field("trait").map(|of| self.ty(of));
        let title = match &what {
            Some(what) => format!("impl {} for {name}", base_name(what)),
            None => format!("impl {name}"),
        };
        draft.path = Some(format!("{around}{title}"));
        draft.prefix = Some(format!("{around}{name}"));
        draft.ty = Some(ty);
        draft.exported = false;
        let symbol = self.builder.add_symbol(draft);
        if let (Some(target), Some(at)) = (what, node.field("trait")) {
            self.heritage(symbol, HeritageKind::Implements, target, span(at));
        }
        self.walk_members(symbol, node);
    }

    fn module(&mut self, node: Node<'_>, pending: &PendingTrivia<'_>) {
        let Some(draft) = self.draft(SymbolKind::Module, node, pending) else { return };
        let name = draft.name.clone();
        let symbol = self.builder.add_symbol(draft);
        if node.field("body").is_some() {
            return self.walk_members(symbol, node);
        }
        let path = pending.attributes.iter().find_map(|attribute| self.path_attribute(*attribute));
        self.mod_file(node, &name, path);
    }

    /// The file that `#[path = "…"]` names.
    fn path_attribute(&self, attribute: Node<'_>) -> Option<String> {
        let written = named_children(attribute).first().copied()?;
        let name = named_children(written).first().map(|name| self.text(*name))?;
        let value = written.field("value")?;
        (name == "path").then(|| self.text(value).trim_matches('"').to_owned())
    }

    fn constant(&mut self, node: Node<'_>, pending: &PendingTrivia<'_>) {
        let kind = if node.has_token("mutable_specifier") {
            SymbolKind::Variable
        } else {
            SymbolKind::Constant
        };
        let Some(mut draft) = self.draft(kind, node, pending) else { return };
        self.inherit_visibility(&mut draft);
        let value = node.field("value");
        if draft.signature.len() > 100
            && let Some(value) = value
        {
            draft.signature =
                self.builder.one_line_signature(Span::new(span(node).start, span(value).start));
        }
        draft.body = value.map(span);
        draft.ty = node.field("type").map(|ty| self.ty(ty));
        let symbol = self.builder.add_symbol(draft);
        if let Some(value) = value {
            let back = self.builder.enter_symbol(symbol);
            let value = self.expr(value);
            if value != Expr::Unknown {
                self.builder.add_step(FlowAction::Return(value));
            }
            self.builder.restore_position(back);
        }
    }

    fn alias(&mut self, node: Node<'_>, pending: &PendingTrivia<'_>) {
        let Some(mut draft) = self.draft(SymbolKind::Type, node, pending) else { return };
        self.inherit_visibility(&mut draft);
        draft.ty = node.field("type").map(|ty| self.ty(ty));
        self.builder.add_symbol(draft);
    }

    fn macro_rules(&mut self, node: Node<'_>, pending: &PendingTrivia<'_>) {
        let Some(mut draft) = self.draft(SymbolKind::Macro, node, pending) else { return };
        self.remember_made_function(&draft.name, node);
        draft.signature = format!("macro_rules! {}", draft.name);
        draft.body = Some(span(node));
        draft.exported = draft.decorators.iter().any(|one| one.name == "macro_export");
        if draft.exported {
            draft.visibility = Visibility::Public;
        }
        self.builder.add_symbol(draft);
    }
}

/// The last name of a type's path.
pub(super) fn base_name(ty: &TypeRef) -> String {
    match ty {
        TypeRef::Named { path, .. } => path.rsplit("::").next().unwrap_or_default().to_owned(),
        _ => String::new(),
    }
}
