//! Collects the facts of one file while a language's walker visits it.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use base::Span;

use crate::descriptor::CommentSyntax;
use crate::doc_comments::{self, DocCommentStyle, DocTagOccurrence};
use crate::line_index::{LineIndex, offset};
use crate::model::{
    Arg, AssignTarget, Binding, BindingKind, CallKind, CallSite, Decorator, DocComment, DocLink,
    Expr, FileFacts, FlowAction, FlowBlock, FlowBlockKind, FlowStep, Import, ImportKind, NameUse,
    Symbol, SymbolFlags, SymbolKind, SymbolOwner, SyntaxError, TypeParam, TypeRef, Visibility,
};
use crate::plain_text;
use crate::signature;

/// How many syntax errors are kept of one file.
const MAX_ERRORS: usize = 50;

/// A symbol as a language's walker describes it; the builder derives the rest.
pub(crate) struct SymbolDraft {
    pub name: String,
    /// The path, if it is not the parent's path and the name
    pub path: Option<String>,
    /// What the paths of its members start with, where it is not its own path
    pub prefix: Option<String>,
    pub kind: SymbolKind,
    pub parent: SymbolOwner,
    pub signature: String,
    pub doc: Option<(Span, DocCommentStyle)>,
    pub visibility: Visibility,
    pub exported: bool,
    pub is_test: bool,
    pub flags: SymbolFlags,
    pub span: Span,
    pub declaration: Span,
    pub name_span: Span,
    pub body: Option<Span>,
    pub ty: Option<TypeRef>,
    pub generics: Vec<TypeParam>,
    pub decorators: Vec<Decorator>,
}

impl SymbolDraft {
    /// A symbol that is declared here.
    pub fn new(kind: SymbolKind, name: impl Into<String>, declaration: Span, at: Span) -> Self {
        Self {
            name: name.into(),
            path: None,
            prefix: None,
            kind,
            parent: None,
            signature: String::new(),
            doc: None,
            visibility: Visibility::Private,
            exported: false,
            is_test: false,
            flags: SymbolFlags::default(),
            span: declaration,
            declaration,
            name_span: at,
            body: None,
            ty: None,
            generics: Vec::new(),
            decorators: Vec::new(),
        }
    }
}

/// A text without the form feeds that fill the place of longer escapes in a notebook. Elsewhere
/// they are white space.
pub(crate) fn without_filler(text: &str) -> Cow<'_, str> {
    match text.contains('\x0c') {
        true => Cow::Owned(text.replace('\x0c', "")),
        false => Cow::Borrowed(text),
    }
}

/// Where the walk is: the function or class around it, and the block in that.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct WalkPosition {
    pub owner: SymbolOwner,
    pub block: Option<u32>,
    /// The variable or field whose first value is walked
    pub holder: SymbolOwner,
}

impl WalkPosition {
    /// The nearest symbol around: the variable or field whose value this is part of, else the
    /// owner.
    pub fn nearest(self) -> SymbolOwner {
        self.holder.or(self.owner)
    }
}

/// The facts of one file so far.
pub(crate) struct FactsBuilder<'a> {
    pub text: &'a str,
    pub lines: LineIndex,
    pub facts: FileFacts,
    pub position: WalkPosition,
    comments: CommentSyntax,
    paths: HashSet<String>,
    /// How often each path was requested again
    path_collisions: HashMap<String, u32>,
    prefixes: Vec<String>,
    counters: HashMap<(SymbolOwner, &'static str), u32>,
    seen_uses: HashSet<(SymbolOwner, Expr, bool)>,
}

impl<'a> FactsBuilder<'a> {
    /// Creates a builder without facts.
    pub fn new(text: &'a str, comments: CommentSyntax) -> Self {
        Self::with_lines_of(text, text, comments)
    }

    /// Creates a builder for code inside a file of another format, as a text of the same length.
    pub fn with_lines_of(text: &'a str, file: &str, comments: CommentSyntax) -> Self {
        let facts = FileFacts { lines: plain_text::count_lines(file), ..FileFacts::default() };
        Self {
            text,
            lines: LineIndex::new(file),
            facts,
            position: WalkPosition::default(),
            comments,
            paths: HashSet::new(),
            path_collisions: HashMap::new(),
            prefixes: Vec::new(),
            counters: HashMap::new(),
            seen_uses: HashSet::new(),
        }
    }

    /// The text of a span.
    pub fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// A span on one line.
    pub fn one_line_signature(&self, span: Span) -> String {
        signature::one_line(&without_filler(self.slice(span)), self.comments)
    }

    /// Adds a symbol.
    pub fn add_symbol(&mut self, draft: SymbolDraft) -> u32 {
        let index = offset(self.facts.symbols.len());
        let path = draft.path.unwrap_or_else(|| match draft.parent {
            Some(parent) => format!("{}.{}", self.prefixes[parent as usize], draft.name),
            None => draft.name.clone(),
        });
        let path = self.unique_path(path, &draft.signature);
        self.prefixes.push(draft.prefix.unwrap_or_else(|| path.clone()));
        let doc = draft.doc.map(|(span, style)| self.add_doc(Some(index), span, style));
        let body = draft.body.map(|span| self.slice(span));
        self.facts.symbols.push(Symbol {
            fingerprint: signature::fingerprint(&draft.name, draft.kind, &draft.signature, body),
            start_line: self.lines.line(draft.span.start),
            line: self.lines.line(draft.name_span.start),
            end_line: self.lines.line(draft.span.end.saturating_sub(1).max(draft.span.start)),
            name: draft.name,
            path,
            kind: draft.kind,
            parent: draft.parent,
            signature: draft.signature,
            doc,
            visibility: draft.visibility,
            exported: draft.exported,
            is_test: draft.is_test,
            flags: draft.flags,
            span: draft.span,
            declaration: draft.declaration,
            name_span: draft.name_span,
            body: draft.body,
            ty: draft.ty,
            generics: draft.generics,
            decorators: draft.decorators,
        });
        index
    }

    /// What the paths of a symbol's members start with.
    pub fn member_prefix(&self, symbol: u32) -> &str {
        &self.prefixes[symbol as usize]
    }

    /// A symbol that was added.
    pub fn symbol_mut(&mut self, symbol: u32) -> &mut Symbol {
        &mut self.facts.symbols[symbol as usize]
    }

    /// The name of the next anonymous function of this sort in this scope: `<arrow1>`.
    pub fn next_anonymous_name(&mut self, sort: &'static str) -> String {
        let count = self.counters.entry((self.position.nearest(), sort)).or_insert(0);
        *count += 1;
        format!("<{sort}{count}>")
    }

    fn unique_path(&mut self, path: String, signature: &str) -> String {
        if self.paths.insert(path.clone()) {
            return path;
        }
        let mut other = format!("{path}~{}", signature::hash_suffix(signature, 0));
        while !self.paths.insert(other.clone()) {
            let round = self.path_collisions.entry(path.clone()).or_insert(0);
            *round += 1;
            other = format!("{path}~{}", signature::hash_suffix(signature, *round));
        }
        other
    }

    /// Parses a doc comment and adds the links in it.
    pub fn add_doc(
        &mut self,
        owner: SymbolOwner,
        span: Span,
        style: DocCommentStyle,
    ) -> DocComment {
        let said = doc_comments::parse_doc_comment(self.slice(span), span.start, style);
        for DocTagOccurrence { tag, target, span: at } in said.links {
            let line = self.lines.line(at.start);
            self.facts.doc_links.push(DocLink { owner, tag, target, span: at, line });
        }
        DocComment { text: without_filler(&said.text).into_owned(), span }
    }

    /// Sets the module's doc comment, replacing a licence header.
    pub fn set_module_doc(&mut self, span: Span, style: DocCommentStyle) {
        let known = self.facts.doc.as_ref();
        if known.is_none_or(|doc| doc_comments::is_notice(self.slice(doc.span))) {
            self.facts.doc = Some(self.add_doc(None, span, style));
        }
    }

    /// Adds an import.
    pub fn add_import(
        &mut self,
        kind: ImportKind,
        specifier: impl Into<String>,
        span: Span,
    ) -> u32 {
        self.facts.imports.push(Import {
            specifier: specifier.into(),
            names: Vec::new(),
            is_type_only: false,
            kind,
            level: 0,
            is_path: false,
            owner: self.position.owner,
            span,
            line: self.lines.line(span.start),
        });
        offset(self.facts.imports.len() - 1)
    }

    /// Adds a declared name.
    pub fn add_binding(&mut self, name: impl Into<String>, kind: BindingKind) -> u32 {
        let symbol = if let BindingKind::Symbol(symbol) = kind { Some(symbol) } else { None };
        let (name, owner) = (name.into(), self.position.owner);
        self.facts.flow.bindings.push(Binding { name, owner, kind, symbol, ty: None });
        offset(self.facts.flow.bindings.len() - 1)
    }

    /// Adds a step.
    pub fn add_step(&mut self, action: FlowAction) {
        let WalkPosition { owner, block, .. } = self.position;
        self.facts.flow.steps.push(FlowStep { owner, block, action });
    }

    /// Adds an assignment, unless the value is unknown.
    pub fn add_assignment(&mut self, place: AssignTarget, value: Expr) {
        if value != Expr::Unknown {
            self.add_step(FlowAction::Assign(place, value));
        }
    }

    /// Binds a value to a temporary when several names destructure it, so that it is stored once.
    pub fn bind_if_shared(&mut self, value: Expr, pieces: usize) -> Expr {
        let is_small = matches!(
            value,
            Expr::Unknown
                | Expr::Local(_)
                | Expr::Call(_)
                | Expr::Name(_)
                | Expr::Import(_)
                | Expr::This
        );
        if is_small || pieces < 2 {
            return value;
        }
        let local = self.add_binding("", BindingKind::Variable);
        self.add_assignment(AssignTarget::Local(local), value);
        Expr::Local(local)
    }

    /// Adds a call.
    pub fn add_call(
        &mut self,
        kind: CallKind,
        callee: Expr,
        mut args: Vec<Arg>,
        span: Span,
        at: u32,
    ) -> Expr {
        let trivial = |arg: &Arg| arg.value == Expr::Unknown && !arg.spread && arg.name.is_none();
        while args.last().is_some_and(trivial) {
            args.pop();
        }
        let (owner, line) = (self.position.nearest(), self.lines.line(at));
        self.facts.flow.calls.push(CallSite { owner, callee, args, kind, span, line });
        let index = offset(self.facts.flow.calls.len() - 1);
        self.add_step(FlowAction::Call(index));
        Expr::Call(index)
    }

    /// Records that a name is mentioned here.
    pub fn add_mention(&mut self, target: &Expr, is_type: bool, at: u32) {
        let owner = self.position.nearest();
        if self.seen_uses.insert((owner, target.clone(), is_type)) {
            let line = self.lines.line(at);
            self.facts.flow.uses.push(NameUse { owner, target: target.clone(), is_type, line });
        }
    }

    /// Enters a function or class. Pass the returned position to [`Self::restore_position`].
    pub fn enter_symbol(&mut self, owner: u32) -> WalkPosition {
        let inside = WalkPosition { owner: Some(owner), ..WalkPosition::default() };
        std::mem::replace(&mut self.position, inside)
    }

    /// Enters the value of a variable or field. Pass the returned position to
    /// [`Self::restore_position`].
    pub fn enter_value_of(&mut self, holder: SymbolOwner) -> WalkPosition {
        let inside = WalkPosition { holder: holder.or(self.position.holder), ..self.position };
        std::mem::replace(&mut self.position, inside)
    }

    /// Enters a block. Pass the returned position to [`Self::restore_position`].
    pub fn enter_block(&mut self, kind: FlowBlockKind) -> WalkPosition {
        let parent = self.position.block;
        self.facts.flow.blocks.push(FlowBlock { parent, kind });
        let block = Some(offset(self.facts.flow.blocks.len() - 1));
        let inside = WalkPosition { block, ..self.position };
        std::mem::replace(&mut self.position, inside)
    }

    /// Restores an earlier position.
    pub fn restore_position(&mut self, to: WalkPosition) {
        self.position = to;
    }

    /// Adds a syntax error.
    pub fn add_error(&mut self, at: u32, message: impl Into<String>) {
        if self.facts.errors.len() < MAX_ERRORS {
            let (line, column) = self.lines.line_and_column(self.text, at);
            self.facts.errors.push(SyntaxError { line, column, message: message.into() });
        }
    }

    /// Returns the collected facts.
    pub fn finish(mut self) -> FileFacts {
        let doc = self.facts.doc.as_ref();
        let title = doc.and_then(|doc| doc_comments::first_sentence(&doc.text));
        self.facts.title = title.or_else(|| plain_text::opening_comment_sentence(self.text));
        self.facts
    }
}
