//! The facts of one file.

use base::Span;
use serde::{Deserialize, Serialize};

use super::{Export, FileFlow, Heritage, Import, Manifest, SchemaUse, Symbol, SymbolOwner};

/// Facts of one file. They depend on its text alone, so they are shared between branches.
///
/// Offsets count bytes of the text after invalid UTF-8 was replaced; a byte order mark counts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFacts {
    /// How many lines it has
    pub lines: u32,
    /// What it is about: its first heading, or the first sentence of its header comment
    pub title: Option<String>,
    /// Its headings, in order
    pub headings: Vec<MarkdownHeading>,
    /// Its links, in order
    pub links: Vec<MarkdownLink>,
    /// The package or namespace that it says it belongs to
    pub namespace: Option<String>,
    /// The condition under which it is part of a build, as it is written
    pub build: Option<String>,
    /// What it says about packages, if it is a manifest
    pub manifest: Option<Manifest>,
    /// The doc comment of the module itself
    pub doc: Option<DocComment>,
    /// What it declares, in source order, parents before children
    pub symbols: Vec<Symbol>,
    /// Its imports, in source order
    pub imports: Vec<Import>,
    /// Its exports, in source order
    pub exports: Vec<Export>,
    /// What its types extend and implement
    pub heritage: Vec<Heritage>,
    /// Tags of doc comments that name something elsewhere
    pub doc_links: Vec<DocLink>,
    /// Calls and the values that reach them
    pub flow: FileFlow,
    /// Names of schemas that it uses
    pub schema_uses: Vec<SchemaUse>,
    /// Its syntax errors
    pub errors: Vec<SyntaxError>,
}

impl FileFacts {
    /// All declarations of a symbol: itself, and its other signatures.
    pub fn declarations<'f>(&'f self, symbol: &'f Symbol) -> impl Iterator<Item = &'f Symbol> {
        let is_one = |one: &&Symbol| one.is_overload() && one.path == symbol.path;
        std::iter::once(symbol).chain(self.symbols.iter().filter(is_one))
    }
}

/// A heading of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkdownHeading {
    /// Heading level, from 1
    pub level: u8,
    /// Its text, without markup
    pub text: String,
    /// The line it is on, from 1
    pub line: u32,
}

/// A link from a document to something else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkdownLink {
    /// Where it points, as it is written
    pub target: String,
    /// The line it is on, from 1
    pub line: u32,
}

/// A doc comment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocComment {
    /// What it says, without the marks of the comment
    pub text: String,
    /// The comment with its marks
    pub span: Span,
}

/// A tag in a doc comment that names something elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocLink {
    /// The symbol that the comment documents
    pub owner: SymbolOwner,
    /// The tag
    pub tag: DocTag,
    /// What it names, as it is written
    pub target: String,
    /// The span of the target
    pub span: Span,
    /// The line it is on, from 1
    pub line: u32,
}

/// Tags of doc comments that name something elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum DocTag {
    /// `@see target`
    See,
    /// `implements REQ-001`
    Implements,
}

/// A syntax error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyntaxError {
    /// From 1
    pub line: u32,
    /// From 1, in characters
    pub column: u32,
    /// What is wrong
    pub message: String,
}
