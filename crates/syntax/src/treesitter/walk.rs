//! The tree-sitter walker that most languages share.

use base::Span;

use super::grammar_rules::annotations;
use super::{
    GrammarRules, Node, NodeExt, NodeRule, PendingTrivia, children, named_children,
    parse_type_text, span,
};
use crate::descriptor::CommentSyntax;
use crate::facts_builder::{FactsBuilder, SymbolDraft};
use crate::line_index::offset;
use crate::model::{Decorator, Expr, FileFacts, Heritage, HeritageKind, SymbolKind, SymbolOwner};

/// Visits the syntax tree of one file.
pub(crate) struct GrammarWalker<'t> {
    pub builder: FactsBuilder<'t>,
    pub(super) rules: &'static dyn GrammarRules,
    /// Local names, innermost last
    pub(super) names: Vec<(String, u32)>,
    /// The statement around a declaration, when it declares one thing
    enclosing_statement: Option<Span>,
    /// The name of the declaration that is being read, which is not one of its parts
    skipped_name: Option<Span>,
    /// What a language remembers between declarations, such as `private:`
    pub modifier_state: Option<String>,
}

/// The facts of a file in a language.
pub(crate) fn extract(
    rules: &'static dyn GrammarRules,
    comments: CommentSyntax,
    text: &str,
) -> FileFacts {
    super::parse_and_walk(text, rules.grammar(), comments, |builder, root| {
        let mut walk = GrammarWalker {
            builder,
            rules,
            names: Vec::new(),
            enclosing_statement: None,
            skipped_name: None,
            modifier_state: None,
        };
        walk.walk_children(root);
        let mut facts = walk.builder.finish();
        rules.complete_file(text, &mut facts);
        facts
    })
}

impl GrammarWalker<'_> {
    /// The text of a node.
    pub fn text(&self, node: Node<'_>) -> String {
        self.builder.slice(span(node)).to_owned()
    }

    /// Visits all children of a node.
    pub fn walk_children(&mut self, node: Node<'_>) {
        self.walk_children_with(node, PendingTrivia::default());
    }

    fn walk_children_with<'n>(&mut self, node: Node<'n>, mut pending: PendingTrivia<'n>) {
        let is_top = node.parent().is_none();
        let skip = self.skipped_name.take();
        for child in children(node) {
            if skip == Some(span(child)) {
                continue;
            }
            match self.rules.rule(self, child) {
                NodeRule::Comment => {
                    let text = child.text(&self.builder);
                    if is_top && text.starts_with("#!") || child.is_trailing() {
                        continue;
                    }
                    if let Some(style) = self.rules.doc_style(text) {
                        self.add_comment(&mut pending, child, style, is_top);
                    }
                }
                NodeRule::Attribute => pending.attributes.push(child),
                rule if child.is_named() => {
                    let waiting = std::mem::take(&mut pending);
                    self.visit(child, rule, waiting, is_top);
                }
                _ => {}
            }
        }
        if is_top {
            self.add_header_comment(&pending);
        }
    }

    /// If this comment starts a new comment, the previous one becomes the module doc.
    fn add_comment<'n>(
        &mut self,
        pending: &mut PendingTrivia<'n>,
        node: Node<'n>,
        style: crate::doc_comments::DocCommentStyle,
        is_top: bool,
    ) {
        let before = pending.doc.map(|(doc, style)| (doc.start, doc, style));
        pending.add_doc_comment(&self.builder, node, style);
        let replaced =
            before.filter(|(start, ..)| pending.doc.is_some_and(|(now, _)| now.start != *start));
        if let Some((_, doc, style)) = replaced
            && is_top
            && self.builder.facts.symbols.is_empty()
        {
            self.builder.set_module_doc(doc, style);
        }
    }

    /// A comment before anything is declared may be about the file.
    fn add_header_comment(&mut self, pending: &PendingTrivia<'_>) {
        if let Some((at, style)) = pending.doc
            && self.builder.facts.symbols.is_empty()
            && self.builder.facts.imports.is_empty()
        {
            self.builder.set_module_doc(at, style);
        }
    }

    fn visit<'n>(
        &mut self,
        node: Node<'n>,
        rule: NodeRule,
        mut pending: PendingTrivia<'n>,
        is_top: bool,
    ) {
        match rule {
            NodeRule::Symbol(_) | NodeRule::Wrap => {
                let unsettled = pending.doc;
                pending.drop_detached_doc(&self.builder, span(node).start);
                if pending.doc.is_none()
                    && is_top
                    && self.builder.facts.symbols.is_empty()
                    && let Some((at, style)) = unsettled
                {
                    self.builder.set_module_doc(at, style);
                }
                match rule {
                    NodeRule::Symbol(kind) => {
                        self.declare_symbol(kind, node, &pending);
                    }
                    _ => self.walk_wrapper(node, pending),
                }
            }
            NodeRule::Walk if !is_top => self.walk_children_with(node, pending),
            _ => {
                if is_top {
                    self.add_header_comment(&pending);
                }
                self.expr_with(node, rule);
            }
        }
    }

    /// Visits a wrapper of declarations; with one inside, the whole wrapper is that declaration.
    pub(super) fn walk_wrapper<'n>(&mut self, node: Node<'n>, pending: PendingTrivia<'n>) {
        let declares = |rule| matches!(rule, NodeRule::Symbol(_) | NodeRule::Wrap);
        let inner = named_children(node);
        let count = inner.iter().filter(|one| declares(self.rules.rule(self, **one))).count();
        let around = (count == 1).then(|| self.enclosing_statement.unwrap_or(span(node)));
        let was = std::mem::replace(&mut self.enclosing_statement, around);
        self.walk_wrapped_children(node, pending);
        self.enclosing_statement = was;
    }

    fn walk_wrapped_children<'n>(&mut self, node: Node<'n>, pending: PendingTrivia<'n>) {
        let mut waiting = pending;
        for child in children(node) {
            match self.rules.rule(self, child) {
                NodeRule::Comment if child.is_trailing() => {}
                NodeRule::Comment => {
                    if let Some(style) = self.rules.doc_style(child.text(&self.builder)) {
                        waiting.add_doc_comment(&self.builder, child, style);
                    }
                }
                NodeRule::Symbol(kind) => {
                    self.declare_symbol(kind, child, &std::mem::take(&mut waiting));
                }
                NodeRule::Wrap => self.walk_wrapper(child, std::mem::take(&mut waiting)),
                rule if child.is_named() => {
                    self.expr_with(child, rule);
                }
                _ => {}
            }
        }
    }

    /// Adds a symbol and visits its children.
    pub fn declare_symbol(
        &mut self,
        kind: SymbolKind,
        node: Node<'_>,
        pending: &PendingTrivia<'_>,
    ) -> SymbolOwner {
        let Some(name) = self.rules.name(node) else {
            self.walk_children(node);
            return None;
        };
        let whole = self.enclosing_statement.take().unwrap_or(span(node));
        let body = self.rules.body(node).map(span);
        let mut draft = SymbolDraft::new(kind, self.text(name), whole, span(name));
        let notes = annotations(node);
        let start = notes.iter().map(|note| span(*note).end).max();
        let start = start.filter(|start| *start < span(name).start).unwrap_or(whole.start);
        draft.declaration.start =
            start + leading_whitespace_len(self.builder.slice(Span::new(start, whole.end)));
        draft.parent = self.builder.position.owner;
        draft.doc = pending.doc;
        draft.span = Span::new(pending.start_with_trivia(whole.start), whole.end);
        draft.body = body;
        let end = body.map_or(whole.end, |body| body.start);
        draft.signature =
            self.builder.one_line_signature(Span::new(draft.declaration.start, end.max(start)));
        let before = pending.attributes.iter().copied();
        draft.decorators = before.chain(notes).map(|note| self.decorator(note)).collect();
        if !self.rules.complete_draft(self, node, &mut draft) {
            self.walk_children(node);
            return None;
        }
        let more: Vec<_> = self
            .rules
            .further_names(node)
            .iter()
            .map(|other| self.sibling_draft(&draft, *other, declarator_span(node, *other)))
            .collect();
        if !more.is_empty() {
            draft.declaration = declarator_span(node, name).unwrap_or(draft.declaration);
            draft.span.end = draft.declaration.end;
        }
        let symbol = self.builder.add_symbol(draft);
        self.rules.after_symbol(self, node, symbol);
        self.walk_declaration(symbol, node);
        for draft in more {
            self.builder.add_symbol(draft);
        }
        Some(symbol)
    }

    /// Another name of the same declaration.
    fn sibling_draft(
        &self,
        first: &SymbolDraft,
        name: Node<'_>,
        whole: Option<Span>,
    ) -> SymbolDraft {
        let whole = whole.unwrap_or(first.declaration);
        let mut draft =
            SymbolDraft::new(first.kind, self.name_without_type_args(name), whole, span(name));
        draft.parent = first.parent;
        draft.signature.clone_from(&first.signature);
        draft.visibility = first.visibility.clone();
        draft.exported = first.exported;
        draft.flags = first.flags;
        draft.ty.clone_from(&first.ty);
        draft
    }

    fn decorator(&self, node: Node<'_>) -> Decorator {
        let text = self.text(node);
        let name = text.trim_start_matches(['@', '[', '#']).trim();
        let name = name.split(['(', ']', ' ', ',', '\n']).next().unwrap_or_default().to_owned();
        Decorator { name, value: Expr::Unknown, span: span(node) }
    }

    /// Visits the children of a declaration.
    fn walk_declaration(&mut self, symbol: u32, node: Node<'_>) {
        let back = self.builder.enter_symbol(symbol);
        let is_function = self.builder.facts.symbols[symbol as usize].kind.is_callable();
        let hides_names = is_function && !self.rules.captures_locals();
        let known = self.names.len();
        let names = if hides_names { std::mem::take(&mut self.names) } else { Vec::new() };
        let state = self.modifier_state.take();
        self.skipped_name = self.rules.name(node).map(span);
        self.walk_children(node);
        self.modifier_state = state;
        if hides_names {
            self.names = names;
        } else if is_function {
            self.names.truncate(known);
        }
        self.builder.restore_position(back);
    }

    /// Adds what a type inherits from.
    pub fn add_heritage(&mut self, symbol: u32, kind: HeritageKind, node: Node<'_>) {
        let (target, at) = (parse_type_text(&self.text(node)), span(node));
        let line = self.builder.lines.line(at.start);
        let value = Expr::Unknown;
        self.builder.facts.heritage.push(Heritage { symbol, kind, target, value, span: at, line });
    }

    /// The kind of the declaration around the walk.
    pub fn owner_kind(&self) -> Option<SymbolKind> {
        self.builder.position.owner.map(|owner| self.builder.facts.symbols[owner as usize].kind)
    }

    /// Whether the walk is in a function.
    pub fn in_function(&self) -> bool {
        self.owner_kind().is_some_and(SymbolKind::is_callable)
    }

    /// Whether the declaration around the walk is exported, or there is none.
    pub fn owner_exported(&self) -> bool {
        self.builder
            .position
            .owner
            .is_none_or(|owner| self.builder.facts.symbols[owner as usize].exported)
    }

    /// The declared type of this name in this file.
    pub fn find_type(&self, name: &str) -> SymbolOwner {
        let symbols = self.builder.facts.symbols.iter();
        let found = symbols.enumerate().find(|(_, one)| {
            one.name == name && (one.kind.is_type() || one.kind == SymbolKind::Type)
        });
        found.map(|(at, _)| offset(at))
    }
}

/// The declarator of one of several names; a list of bare names has none.
fn declarator_span(declaration: Node<'_>, name: Node<'_>) -> Option<Span> {
    let parts = children(declaration).into_iter();
    let part = parts.map(|part| (part, span(part))).find(|(_, at)| at.contains(span(name)))?;
    (part.0.kind().ends_with("declarator")
        || part.0.kind() == "identifier" && declaration.kind() == "declaration")
        .then_some(part.1)
}

/// How much white space a text starts with.
fn leading_whitespace_len(text: &str) -> u32 {
    offset(text.len() - text.trim_start().len())
}
