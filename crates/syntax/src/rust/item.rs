//! Declarations.

use base::Span;

use super::Walk;
use crate::build::Draft;
use crate::docs::Style;
use crate::lines::offset;
use crate::model::{
    Action, BindingKind, Decorator, Expr, Flags, Heritage, HeritageKind, Param, ParamKind,
    SymbolKind, TypeRef, Visibility,
};
use crate::tree::{Grown, Node, Pending, children, named, span};

const OUTER: Style = Style::Lines(&["///"]);
const INNER: Style = Style::Lines(&["//!"]);

/// Attributes whose function is a test.
const TESTS: [&str; 5] = ["test", "rstest", "test_case", "proptest", "bench"];

impl Walk<'_> {
    /// The items of a file, a module or a block.
    pub(super) fn items(&mut self, node: Node<'_>) {
        let mut pending = Pending::default();
        let mut header = Pending::default();
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

    /// Sorts a comment: `///` waits for what follows, `//!` is about what is around it.
    pub(super) fn comment<'n>(
        &mut self,
        node: Node<'n>,
        pending: &mut Pending<'n>,
        header: &mut Pending<'n>,
    ) {
        let text = node.text(&self.b);
        let is_line = node.kind() == "line_comment";
        if text.starts_with("//!") || text.starts_with("/*!") {
            header.comment(&self.b, node, if is_line { INNER } else { Style::Block });
        } else if text.starts_with("///") && !text.starts_with("////") {
            pending.comment(&self.b, node, OUTER);
        } else if text.starts_with("/**") && !text.starts_with("/***") && text.len() > 4 {
            pending.comment(&self.b, node, Style::Block);
        }
    }

    fn inner_doc(&mut self, at: Span, style: Style) {
        match self.b.at.owner {
            None => self.b.module_doc(at, style),
            Some(owner) => {
                if self.b.facts.symbols[owner as usize].doc.is_none() {
                    let doc = self.b.doc(Some(owner), at, style);
                    self.b.symbol_mut(owner).doc = Some(doc);
                }
            }
        }
    }

    /// One item, or a statement that is none.
    pub(super) fn item(&mut self, kind: &str, node: Node<'_>, pending: &Pending<'_>) -> Expr {
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
            _ => return self.expr(node),
        }
        Expr::Unknown
    }

    /// A draft with what all items have.
    fn draft(&mut self, kind: SymbolKind, node: Node<'_>, pending: &Pending<'_>) -> Option<Draft> {
        let name = node.field("name")?;
        let whole = span(node);
        let mut draft = Draft::new(kind, self.text(name), whole, span(name));
        self.dress(&mut draft, node, pending);
        Some(draft)
    }

    fn dress(&mut self, draft: &mut Draft, node: Node<'_>, pending: &Pending<'_>) {
        let whole = span(node);
        let body =
            node.field("body").filter(|body| body.kind() != "ordered_field_declaration_list");
        let body = body.map(span);
        draft.parent = self.b.at.owner;
        draft.doc = pending.doc;
        draft.span = Span::new(pending.start(whole.start), whole.end);
        draft.body = body;
        draft.signature = self.b.fold(Span::new(whole.start, body.map_or(whole.end, |b| b.start)));
        draft.visibility = self.visibility(node);
        draft.exported = draft.visibility != Visibility::Private;
        draft.generics = self.generics(node);
        for attribute in &pending.attributes {
            let written = named(*attribute).first().copied().unwrap_or(*attribute);
            let name = named(written).first().map(|name| self.text(*name)).unwrap_or_default();
            let is_test = name.rsplit("::").next().is_some_and(|last| TESTS.contains(&last));
            let text = self.b.slice(span(written));
            let cfg_test = name == "cfg" && text.contains("test") && !text.contains("not(test");
            draft.is_test |= is_test || cfg_test;
            let span = span(*attribute);
            draft.decorators.push(Decorator { name, value: Expr::Unknown, span });
        }
        draft.is_test |= self.in_test;
    }

    /// Who may use an item.
    pub(super) fn visibility(&self, node: Node<'_>) -> Visibility {
        match node.child_of(&["visibility_modifier"]).map(|written| self.text(written)) {
            None => Visibility::Private,
            Some(text) if text == "pub" => Visibility::Public,
            Some(text) => Visibility::Restricted(text),
        }
    }

    fn parent_kind(&self) -> Option<SymbolKind> {
        self.b.at.owner.map(|owner| self.b.facts.symbols[owner as usize].kind)
    }

    fn function(&mut self, node: Node<'_>, pending: &Pending<'_>) {
        let around = self.parent_kind();
        let is_member = matches!(around, Some(SymbolKind::Impl | SymbolKind::Trait));
        let kind = if is_member { SymbolKind::Method } else { SymbolKind::Function };
        let Some(mut draft) = self.draft(kind, node, pending) else { return };
        self.belong(&mut draft);
        let params = node.field("parameters").map(named).unwrap_or_default();
        let takes_self = params.iter().any(|param| param.kind() == "self_parameter");
        let modifiers = node.child_of(&["function_modifiers"]);
        let is_async = modifiers.is_some_and(|list| list.has_token("async"));
        draft.flags = Flags::default()
            .with(Flags::STATIC, is_member && !takes_self)
            .with(Flags::ASYNC, is_async)
            .with(Flags::ABSTRACT, draft.body.is_none());
        let symbol = self.b.symbol(draft);
        let result = node.field("return_type").map(|result| self.ty(result));
        self.b.symbol_mut(symbol).ty = result;
        self.run(symbol, &params, node.field("body"));
    }

    /// Members of traits and trait impls have the visibility of those.
    fn belong(&mut self, draft: &mut Draft) {
        let Some(owner) = self.b.at.owner else { return };
        let around = &self.b.facts.symbols[owner as usize];
        match around.kind {
            SymbolKind::Trait => {
                draft.visibility = around.visibility.clone();
                draft.exported = around.exported;
            }
            SymbolKind::Impl => {
                let of = self.b.facts.heritage.iter().rev().find(|step| step.symbol == owner);
                if let Some(of) = of {
                    draft.visibility = Visibility::Public;
                    draft.exported = false;
                    let name = base_name(&of.target);
                    draft.path = Some(format!("{}.{}@{name}", self.b.prefix(owner), draft.name));
                }
            }
            _ => {}
        }
    }

    /// The parameters and body of a function.
    pub(super) fn run(&mut self, symbol: u32, params: &[Node<'_>], body: Option<Node<'_>>) {
        let back = self.b.enter(symbol);
        let outer = std::mem::take(&mut self.names);
        self.params(symbol, params);
        if let Some(body) = body {
            let value = self.expr(body);
            if value != Expr::Unknown {
                self.b.step(Action::Return(value));
            }
        }
        self.names = outer;
        self.b.back(back);
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
            let at = offset(self.b.facts.flow.params.len());
            let kept = Param { function, name: name.clone(), position, kind, default: None, ty };
            let ty = kept.ty.clone();
            self.b.facts.flow.params.push(kept);
            position += 1;
            if is_self {
                continue;
            }
            let local = self.b.binding(name.clone(), BindingKind::Param(at));
            self.b.facts.flow.bindings[local as usize].ty = ty;
            if name.is_empty() {
                self.bind(pattern, Expr::Local(local));
            } else {
                self.names.push((name, local));
            }
        }
    }

    fn type_item(&mut self, kind: SymbolKind, node: Node<'_>, pending: &Pending<'_>) {
        let Some(draft) = self.draft(kind, node, pending) else { return };
        let symbol = self.b.symbol(draft);
        let Some(body) = node.field("body") else { return };
        let back = self.b.enter(symbol);
        self.fields(body);
        self.b.back(back);
    }

    /// The fields or variants of a type.
    fn fields(&mut self, body: Node<'_>) {
        let mut pending = Pending::default();
        let mut header = Pending::default();
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

    fn field(&mut self, node: Node<'_>, pending: &Pending<'_>) {
        let Some(mut draft) = self.draft(SymbolKind::Field, node, pending) else { return };
        self.show(&mut draft);
        draft.ty = node.field("type").map(|ty| self.ty(ty));
        self.b.symbol(draft);
    }

    fn tuple_field(
        &mut self,
        node: Node<'_>,
        at: u32,
        public: Option<Node<'_>>,
        pending: &Pending<'_>,
    ) {
        let whole = span(node);
        let mut draft = Draft::new(SymbolKind::Field, at.to_string(), whole, whole);
        self.dress(&mut draft, node, pending);
        if let Some(public) = public {
            draft.visibility = match self.text(public).as_str() {
                "pub" => Visibility::Public,
                other => Visibility::Restricted(other.into()),
            };
            draft.exported = true;
        }
        self.show(&mut draft);
        draft.ty = Some(self.ty(node));
        self.b.symbol(draft);
    }

    /// The fields of a variant are as visible as it is.
    fn show(&self, draft: &mut Draft) {
        let Some(owner) = self.b.at.owner else { return };
        let around = &self.b.facts.symbols[owner as usize];
        if around.kind == SymbolKind::Variant {
            draft.visibility = Visibility::Public;
            draft.exported = around.exported;
        }
    }

    fn variant(&mut self, node: Node<'_>, pending: &Pending<'_>) {
        let Some(mut draft) = self.draft(SymbolKind::Variant, node, pending) else { return };
        draft.signature = self.b.fold(span(node));
        draft.visibility = Visibility::Public;
        let owner = self.b.at.owner;
        draft.exported = owner.is_some_and(|owner| self.b.facts.symbols[owner as usize].exported);
        let symbol = self.b.symbol(draft);
        if let Some(body) = node.field("body") {
            let back = self.b.enter(symbol);
            self.fields(body);
            self.b.back(back);
        }
    }

    fn trait_item(&mut self, node: Node<'_>, pending: &Pending<'_>) {
        let Some(draft) = self.draft(SymbolKind::Trait, node, pending) else { return };
        let symbol = self.b.symbol(draft);
        if let Some(list) = node.field("bounds") {
            for target in self.bounds(list) {
                self.heritage(symbol, HeritageKind::Extends, target, span(list));
            }
        }
        self.inside(symbol, node);
    }

    fn heritage(&mut self, symbol: u32, kind: HeritageKind, target: TypeRef, span: Span) {
        let line = self.b.lines.line(span.start);
        let value = Expr::Unknown;
        self.b.facts.heritage.push(Heritage { symbol, kind, target, value, span, line });
    }

    fn inside(&mut self, symbol: u32, node: Node<'_>) {
        let Some(body) = node.field("body") else { return };
        let back = self.b.enter(symbol);
        let was =
            std::mem::replace(&mut self.in_test, self.b.facts.symbols[symbol as usize].is_test);
        let names = std::mem::take(&mut self.names);
        self.items(body);
        self.names = names;
        self.in_test = was;
        self.b.back(back);
    }

    fn impl_item(&mut self, node: Node<'_>, pending: &Pending<'_>) {
        let Some(of) = node.field("type") else { return };
        let ty = self.ty(of);
        let name = match base_name(&ty) {
            name if name.is_empty() => self.text(of),
            name => name,
        };
        let mut draft = Draft::new(SymbolKind::Impl, name.clone(), span(node), span(of));
        self.dress(&mut draft, node, pending);
        let around = self.b.at.owner.map(|owner| format!("{}.", self.b.prefix(owner)));
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
        let symbol = self.b.symbol(draft);
        if let (Some(target), Some(at)) = (what, node.field("trait")) {
            self.heritage(symbol, HeritageKind::Implements, target, span(at));
        }
        self.inside(symbol, node);
    }

    fn module(&mut self, node: Node<'_>, pending: &Pending<'_>) {
        let Some(draft) = self.draft(SymbolKind::Module, node, pending) else { return };
        let name = draft.name.clone();
        let symbol = self.b.symbol(draft);
        if node.field("body").is_some() {
            return self.inside(symbol, node);
        }
        let path = pending.attributes.iter().find_map(|attribute| self.path_attribute(*attribute));
        self.mod_file(node, &name, path);
    }

    /// The file that `#[path = "…"]` names.
    fn path_attribute(&self, attribute: Node<'_>) -> Option<String> {
        let written = named(attribute).first().copied()?;
        let name = named(written).first().map(|name| self.text(*name))?;
        let value = written.field("value")?;
        (name == "path").then(|| self.text(value).trim_matches('"').to_owned())
    }

    fn constant(&mut self, node: Node<'_>, pending: &Pending<'_>) {
        let kind = if node.has_token("mutable_specifier") {
            SymbolKind::Variable
        } else {
            SymbolKind::Constant
        };
        let Some(mut draft) = self.draft(kind, node, pending) else { return };
        self.belong(&mut draft);
        let value = node.field("value");
        if draft.signature.len() > 100
            && let Some(value) = value
        {
            draft.signature = self.b.fold(Span::new(span(node).start, span(value).start));
        }
        draft.body = value.map(span);
        draft.ty = node.field("type").map(|ty| self.ty(ty));
        let symbol = self.b.symbol(draft);
        if let Some(value) = value {
            let back = self.b.enter(symbol);
            let value = self.expr(value);
            if value != Expr::Unknown {
                self.b.step(Action::Return(value));
            }
            self.b.back(back);
        }
    }

    fn alias(&mut self, node: Node<'_>, pending: &Pending<'_>) {
        let Some(mut draft) = self.draft(SymbolKind::Type, node, pending) else { return };
        self.belong(&mut draft);
        draft.ty = node.field("type").map(|ty| self.ty(ty));
        self.b.symbol(draft);
    }

    fn macro_rules(&mut self, node: Node<'_>, pending: &Pending<'_>) {
        let Some(mut draft) = self.draft(SymbolKind::Macro, node, pending) else { return };
        draft.signature = format!("macro_rules! {}", draft.name);
        draft.body = Some(span(node));
        draft.exported = draft.decorators.iter().any(|one| one.name == "macro_export");
        if draft.exported {
            draft.visibility = Visibility::Public;
        }
        self.b.symbol(draft);
    }
}

/// The last name of a type's path.
pub(super) fn base_name(ty: &TypeRef) -> String {
    match ty {
        TypeRef::Named { path, .. } => path.rsplit("::").next().unwrap_or_default().to_owned(),
        _ => String::new(),
    }
}
