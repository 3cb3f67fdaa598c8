//! Collects the facts of one file while a language's walk goes over it.

use std::collections::{HashMap, HashSet};

use base::Span;

use crate::docs::{self, Style};
use crate::fold::{self, Comments};
use crate::lines::{Lines, offset};
use crate::model::{
    Action, Arg, Binding, BindingKind, Block, BlockKind, CallKind, CallSite, Decorator, Doc,
    DocLink, Expr, FileFacts, Flags, Import, ImportKind, Owner, Place, Step, Symbol, SymbolKind,
    SyntaxError, TypeParam, TypeRef, Use, Visibility,
};
use crate::plain;

/// How many syntax errors are kept of one file.
const MOST_ERRORS: usize = 50;

/// A symbol as a language describes it; the builder adds what follows from that.
pub(crate) struct Draft {
    pub name: String,
    /// The path, where it is not the parent's and the name
    pub path: Option<String>,
    /// What the paths of its members start with, where it is not its own path
    pub prefix: Option<String>,
    pub kind: SymbolKind,
    pub parent: Owner,
    pub signature: String,
    pub doc: Option<(Span, Style)>,
    pub visibility: Visibility,
    pub exported: bool,
    pub is_test: bool,
    pub flags: Flags,
    pub span: Span,
    pub declaration: Span,
    pub name_span: Span,
    pub body: Option<Span>,
    pub ty: Option<TypeRef>,
    pub generics: Vec<TypeParam>,
    pub decorators: Vec<Decorator>,
}

impl Draft {
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
            flags: Flags::default(),
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

/// Where the walk is: the function or class around it, and the block in that.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Position {
    pub owner: Owner,
    pub block: Option<u32>,
}

/// The facts of one file so far.
pub(crate) struct Builder<'a> {
    pub text: &'a str,
    pub lines: Lines,
    pub facts: FileFacts,
    pub at: Position,
    comments: Comments,
    paths: HashSet<String>,
    /// How often a path was wanted again
    rounds: HashMap<String, u32>,
    prefixes: Vec<String>,
    counters: HashMap<(Owner, &'static str), u32>,
    used: HashSet<(Owner, Expr, bool)>,
}

impl<'a> Builder<'a> {
    /// Nothing is known yet.
    pub fn new(text: &'a str, comments: Comments) -> Self {
        let facts = FileFacts { lines: plain::lines(text), ..FileFacts::default() };
        Self {
            text,
            lines: Lines::new(text),
            facts,
            at: Position::default(),
            comments,
            paths: HashSet::new(),
            rounds: HashMap::new(),
            prefixes: Vec::new(),
            counters: HashMap::new(),
            used: HashSet::new(),
        }
    }

    /// The text of a span.
    pub fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// A span on one line.
    pub fn fold(&self, span: Span) -> String {
        fold::signature(self.slice(span), self.comments)
    }

    /// Keeps a symbol.
    pub fn symbol(&mut self, draft: Draft) -> u32 {
        let index = offset(self.facts.symbols.len());
        let path = draft.path.unwrap_or_else(|| match draft.parent {
            Some(parent) => format!("{}.{}", self.prefixes[parent as usize], draft.name),
            None => draft.name.clone(),
        });
        let path = self.unique(path, &draft.signature);
        self.prefixes.push(draft.prefix.unwrap_or_else(|| path.clone()));
        let doc = draft.doc.map(|(span, style)| self.doc(Some(index), span, style));
        let body = draft.body.map(|span| self.slice(span));
        self.facts.symbols.push(Symbol {
            fingerprint: fold::fingerprint(&draft.name, draft.kind, &draft.signature, body),
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
    pub fn prefix(&self, symbol: u32) -> &str {
        &self.prefixes[symbol as usize]
    }

    /// A kept symbol.
    pub fn symbol_mut(&mut self, symbol: u32) -> &mut Symbol {
        &mut self.facts.symbols[symbol as usize]
    }

    /// The name of the next anonymous function of this sort in this scope: `<arrow1>`.
    pub fn anonymous(&mut self, sort: &'static str) -> String {
        let count = self.counters.entry((self.at.owner, sort)).or_insert(0);
        *count += 1;
        format!("<{sort}{count}>")
    }

    fn unique(&mut self, path: String, signature: &str) -> String {
        if self.paths.insert(path.clone()) {
            return path;
        }
        let mut other = format!("{path}~{}", fold::digits(signature, 0));
        while !self.paths.insert(other.clone()) {
            let round = self.rounds.entry(path.clone()).or_insert(0);
            *round += 1;
            other = format!("{path}~{}", fold::digits(signature, *round));
        }
        other
    }

    /// Reads a doc comment and keeps the links in it.
    pub fn doc(&mut self, owner: Owner, span: Span, style: Style) -> Doc {
        let said = docs::read(self.slice(span), span.start, style);
        for (tag, target, at) in said.links {
            let line = self.lines.line(at.start);
            self.facts.doc_links.push(DocLink { owner, tag, target, span: at, line });
        }
        Doc { text: said.text, span }
    }

    /// Keeps the module's own doc comment. A licence above it gives way.
    pub fn module_doc(&mut self, span: Span, style: Style) {
        let known = self.facts.doc.as_ref();
        if known.is_none_or(|doc| docs::is_notice(self.slice(doc.span))) {
            self.facts.doc = Some(self.doc(None, span, style));
        }
    }

    /// Keeps an import.
    pub fn import(&mut self, kind: ImportKind, specifier: impl Into<String>, span: Span) -> u32 {
        self.facts.imports.push(Import {
            specifier: specifier.into(),
            names: Vec::new(),
            is_type_only: false,
            kind,
            level: 0,
            is_path: false,
            owner: self.at.owner,
            span,
            line: self.lines.line(span.start),
        });
        offset(self.facts.imports.len() - 1)
    }

    /// Keeps a declared name.
    pub fn binding(&mut self, name: impl Into<String>, kind: BindingKind) -> u32 {
        let symbol = if let BindingKind::Symbol(symbol) = kind { Some(symbol) } else { None };
        let (name, owner) = (name.into(), self.at.owner);
        self.facts.flow.bindings.push(Binding { name, owner, kind, symbol, ty: None });
        offset(self.facts.flow.bindings.len() - 1)
    }

    /// Keeps a step.
    pub fn step(&mut self, action: Action) {
        let Position { owner, block } = self.at;
        self.facts.flow.steps.push(Step { owner, block, action });
    }

    /// Keeps an assignment, unless it leads nowhere.
    pub fn assign(&mut self, place: Place, value: Expr) {
        if value != Expr::Unknown {
            self.step(Action::Assign(place, value));
        }
    }

    /// Keeps a value that several names take pieces of, so that it is written once.
    pub fn hold(&mut self, value: Expr, pieces: usize) -> Expr {
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
        let local = self.binding("", BindingKind::Variable);
        self.assign(Place::Local(local), value);
        Expr::Local(local)
    }

    /// Keeps a call.
    pub fn call(
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
        let (owner, line) = (self.at.owner, self.lines.line(at));
        self.facts.flow.calls.push(CallSite { owner, callee, args, kind, span, line });
        let index = offset(self.facts.flow.calls.len() - 1);
        self.step(Action::Call(index));
        Expr::Call(index)
    }

    /// Notes that a name is mentioned here.
    pub fn mention(&mut self, target: &Expr, is_type: bool, at: u32) {
        let owner = self.at.owner;
        if self.used.insert((owner, target.clone(), is_type)) {
            let line = self.lines.line(at);
            self.facts.flow.uses.push(Use { owner, target: target.clone(), is_type, line });
        }
    }

    /// Goes into a function or class; give the answer back to [`Self::back`].
    pub fn enter(&mut self, owner: u32) -> Position {
        std::mem::replace(&mut self.at, Position { owner: Some(owner), block: None })
    }

    /// Goes into a block; give the answer back to [`Self::back`].
    pub fn block(&mut self, kind: BlockKind) -> Position {
        let parent = self.at.block;
        self.facts.flow.blocks.push(Block { parent, kind });
        let block = Some(offset(self.facts.flow.blocks.len() - 1));
        let owner = self.at.owner;
        std::mem::replace(&mut self.at, Position { owner, block })
    }

    /// Goes back to where it was.
    pub fn back(&mut self, to: Position) {
        self.at = to;
    }

    /// Reports a place that could not be read.
    pub fn error(&mut self, at: u32, message: impl Into<String>) {
        if self.facts.errors.len() < MOST_ERRORS {
            let (line, column) = self.lines.place(self.text, at);
            self.facts.errors.push(SyntaxError { line, column, message: message.into() });
        }
    }

    /// The facts, all told.
    pub fn finish(mut self) -> FileFacts {
        let doc = self.facts.doc.as_ref();
        let title = doc.and_then(|doc| docs::sentence(&doc.text));
        self.facts.title = title.or_else(|| plain::opening(self.text));
        self.facts
    }
}
