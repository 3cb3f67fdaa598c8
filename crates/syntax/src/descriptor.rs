//! What a language is, as data: one [`LanguageDescriptor`] per language.
//!
//! Each language declares its descriptor in its own folder, starting from
//! [`LanguageDescriptor::CODE`] and stating only what differs. Other crates never compare
//! languages; they ask the descriptor.

use std::borrow::Cow;

use base::RepoPath;

use crate::Language;
use crate::component::ComponentFormat;
use crate::file_role::{EntryFile, TestFileNames};
use crate::lexical::LexicalRules;
use crate::model::{FileFacts, Manifest};
use crate::notebook;
use crate::tools::LanguageTools;
use crate::treesitter::{self, GrammarRules, LanguageFn, Tree};

/// Everything about a language that is data.
pub struct LanguageDescriptor {
    /// The display name, as in answers: `C++`. In lower case it is the key in `cairn.jsonc`
    pub name: &'static str,
    /// What files in it contain
    pub kind: LanguageKind,
    /// File name extensions, lower case, without the dot
    pub extensions: &'static [&'static str],
    /// Whole file names
    pub file_names: &'static [&'static str],
    /// Recognizes further files by their path
    pub(crate) matches_path: fn(&RepoPath) -> bool,
    /// The language that represents its family: files of one family import and call each other,
    /// and one language server serves them. `None`: a family of its own
    pub(crate) family: Option<Language>,
    /// The language whose entry in `cairn.jsonc` and whose linters serve this one too
    pub(crate) shares_tools_of: Option<Language>,
    /// The `languageId` of the Language Server Protocol
    pub lsp_id: &'static str,
    /// Servers, formatters and linters that are known without configuration
    pub tools: LanguageTools,
    /// What turns a text into facts
    pub(crate) parser: LanguageParser,
    /// How comments are marked
    pub(crate) comments: CommentSyntax,
    /// Keywords and quotes, for readers of a source text
    pub(crate) lexical: LexicalRules,
    /// How new doc comments are written
    pub(crate) doc_forms: DocCommentForms,
    /// What edits of declarations have to respect
    pub(crate) layout: LayoutRules,
    /// What file names and folders mean
    pub files: FileConventions,
    /// How names, imports and calls work
    pub semantics: LanguageSemantics,
}

/// What files in a language contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LanguageKind {
    /// Code; such files are modules
    Code,
    /// Text for readers
    Prose,
    /// The description of a package, which import resolution reads
    Manifest,
}

/// What turns a text into facts.
pub(crate) enum LanguageParser {
    /// Only its length and opening comment are known
    PlainText,
    /// The same, because the feature of the language is off
    #[cfg_attr(feature = "default", expect(dead_code, reason = "by default nothing is left out"))]
    LeftOut,
    /// Markdown
    Markdown,
    /// A reader of manifests
    Manifest(fn(&str) -> Option<Manifest>),
    /// oxc, for JavaScript and its relatives
    Oxc(JavaScriptDialect),
    /// Scripts and expressions in the markup of a component
    Component(ComponentFormat),
    /// The Python of a Jupyter notebook
    #[cfg_attr(
        not(feature = "python"),
        expect(dead_code, reason = "notebooks are left out with Python")
    )]
    Notebook { grammar: fn() -> LanguageFn, extract: fn(&str) -> FileFacts },
    /// A reader of its own, without a grammar
    Reader(fn(&str) -> FileFacts),
    /// A tree-sitter grammar with a walker of its own
    TreeSitter { grammar: fn() -> LanguageFn, extract: fn(&str) -> FileFacts },
    /// A tree-sitter grammar that the shared walker reads by these rules
    Grammar(&'static dyn GrammarRules),
}

impl LanguageParser {
    /// The tree-sitter grammar, where there is one.
    pub fn grammar(&self) -> Option<LanguageFn> {
        match self {
            Self::TreeSitter { grammar, .. } | Self::Notebook { grammar, .. } => Some(grammar()),
            Self::Grammar(rules) => Some(rules.grammar()),
            Self::LeftOut
            | Self::PlainText
            | Self::Markdown
            | Self::Manifest(_)
            | Self::Oxc(_)
            | Self::Component(_)
            | Self::Reader(_) => None,
        }
    }

    /// The text that the grammar reads, as long as the file: what is not in the language is blank.
    pub fn code_text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self {
            Self::Notebook { .. } => Cow::Owned(notebook::code_text(text)),
            _ => Cow::Borrowed(text),
        }
    }

    /// The syntax tree of a file, where there is a grammar that can read it.
    pub fn syntax_tree(&self, text: &str) -> Option<Tree> {
        treesitter::parse(&self.code_text(text), self.grammar()?).ok()
    }
}

/// The parser of a language whose grammar is behind a feature of this crate.
macro_rules! optional_grammar {
    ($feature:tt, $rules:expr) => {{
        #[cfg(feature = $feature)]
        {
            $crate::descriptor::LanguageParser::Grammar(&$rules)
        }
        #[cfg(not(feature = $feature))]
        {
            $crate::descriptor::LanguageParser::LeftOut
        }
    }};
}
pub(crate) use optional_grammar;

/// The variants of JavaScript that oxc distinguishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JavaScriptDialect {
    /// TypeScript without JSX
    TypeScript,
    /// TypeScript with JSX
    Tsx,
    /// JavaScript with JSX
    JavaScript,
}

/// How comments are marked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CommentSyntax {
    /// What starts a comment that ends with its line
    pub line: &'static str,
    /// A second marker of such comments, on lines of their own
    pub other_line: Option<&'static str>,
    /// What opens and closes a comment of several lines
    pub block: Option<BlockComment>,
    /// Starts of line comments that document what follows them
    pub doc_lines: &'static [&'static str],
    /// Starts of line comments that are about the whole file
    pub file_lines: &'static [&'static str],
}

/// What opens and closes a comment of several lines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlockComment {
    /// `/*`
    pub open: &'static str,
    /// `*/`
    pub close: &'static str,
    /// What opens one that documents what follows it, where that differs: `/**`
    pub doc_open: Option<&'static str>,
}

impl CommentSyntax {
    /// `//` and `/* */`, as in C.
    pub const C_STYLE: Self = Self {
        line: "//",
        other_line: None,
        block: Some(BlockComment { open: "/*", close: "*/", doc_open: Some("/**") }),
        doc_lines: &["///"],
        file_lines: &["//!"],
    };

    /// `#` to the end of the line.
    pub const HASH: Self =
        Self { line: "#", other_line: None, block: None, doc_lines: &[], file_lines: &["#!"] };

    /// The length of the comment that a text starts with, 0 if it starts with none.
    pub fn comment_len(&self, text: &str) -> usize {
        // In Lua a block comment starts like a line comment, so it is tried first.
        if let Some(block) = self.block.filter(|block| text.starts_with(block.open)) {
            return text.find(block.close).map_or(text.len(), |end| end + block.close.len());
        }
        if text.starts_with(self.line) {
            return text.find('\n').unwrap_or(text.len());
        }
        0
    }

    /// The length of the marker of the doc comment that a text starts with, 0 if it starts with
    /// none.
    pub fn doc_marker_len(&self, text: &str) -> usize {
        let block = self.block.and_then(|block| block.doc_open);
        let mut markers = self.doc_lines.iter().copied().chain(block);
        markers.find(|marker| text.starts_with(marker)).map_or(0, str::len)
    }

    /// Whether a line, without its indentation, is a comment about the declaration below it.
    pub fn is_leading_line(&self, line: &str) -> bool {
        let mut markers = [Some(self.line), self.other_line].into_iter().flatten();
        markers.any(|marker| line.starts_with(marker))
            && !self.file_lines.iter().any(|marker| line.starts_with(marker))
    }

    /// Whether a line, without its indentation, is a line comment that documents nothing.
    pub fn is_plain_line(&self, line: &str) -> bool {
        let special = self.doc_lines.iter().chain(self.file_lines);
        line.starts_with(self.line) && !special.into_iter().any(|marker| line.starts_with(marker))
    }
}

/// The written form of a doc comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DocCommentForm {
    /// A block comment with this opening: `/** … */`; Go writes `/* … */`
    Block(&'static str),
    /// Lines that each start with this marker
    Lines(&'static str),
    /// A Python string
    Docstring,
}

/// The written forms of doc comments by what they document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DocCommentForms {
    /// A symbol
    pub symbol: DocCommentForm,
    /// A file
    pub module: DocCommentForm,
    /// Something in the middle of a line
    pub inline: Option<DocCommentForm>,
    /// Markers that an existing doc comment of lines may have, longest first
    pub line_markers: &'static [&'static str],
}

impl DocCommentForms {
    /// `/** … */` for everything.
    pub const BLOCK: Self = Self {
        symbol: DocCommentForm::Block("/**"),
        module: DocCommentForm::Block("/**"),
        inline: Some(DocCommentForm::Block("/**")),
        line_markers: &["///", "//!", "//"],
    };

    /// `///` above a declaration, `/** … */` inside a line.
    pub const TRIPLE_SLASH: Self = Self {
        symbol: DocCommentForm::Lines("///"),
        module: DocCommentForm::Lines("///"),
        ..Self::BLOCK
    };

    /// `#` above a declaration.
    pub const HASH: Self = Self {
        symbol: DocCommentForm::Lines("#"),
        module: DocCommentForm::Lines("#"),
        inline: None,
        line_markers: &["#"],
    };
}

/// What edits of declarations have to respect.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LayoutRules {
    /// Where a comment about the whole file goes
    pub module_comment: ModuleCommentPosition,
    /// How one statement declares several names
    pub declarator_lists: DeclaratorLists,
    /// Whether indentation decides what a line belongs to, as in Python
    pub is_indented: bool,
    /// Line breaks between two long declarations at the top of a file
    pub top_level_line_breaks: usize,
    /// The statement of a body that would otherwise be empty, where that is not allowed
    pub empty_body: Option<&'static str>,
    /// Whether members are declared outside of their type, so that the next declaration may have
    /// another owner
    pub has_members_outside_type: bool,
    /// What separates an object from the name of its member
    pub member_operators: &'static [&'static str],
    /// Why declarations are not edited as text, where they are not
    pub not_editable: Option<&'static str>,
}

impl LayoutRules {
    /// Blocks in brackets, one name per declaration.
    pub const BRACKETS: Self = Self {
        module_comment: ModuleCommentPosition::Top,
        declarator_lists: DeclaratorLists::None,
        is_indented: false,
        top_level_line_breaks: 2,
        empty_body: None,
        has_members_outside_type: false,
        member_operators: &[".", "->"],
        not_editable: None,
    };
}

/// Where a comment about the whole file goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ModuleCommentPosition {
    /// At the top, after what has to be first
    Top,
    /// After the line with this tag
    AfterTag(&'static str),
    /// Right above the first statement, which it documents
    AboveFirstStatement,
}

/// How one statement declares several names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeclaratorLists {
    /// It does not
    None,
    /// After one of these keywords, with commas: `let a = 1, b = 2`
    AfterKeyword(&'static [&'static str]),
    /// After a type, with commas: `int a, b;`
    AfterType,
    /// In parentheses: `var ( … )`
    InParentheses,
}

/// What file names and folders mean.
pub struct FileConventions {
    /// How test files are recognized
    pub(crate) tests: TestFileNames,
    /// Ends of the names of generated files
    pub(crate) generated_suffixes: &'static [&'static str],
    /// Stems of files that represent their folder: `mod`, `__init__`
    pub(crate) index_stems: &'static [&'static str],
    /// Files that make their folder a package
    pub package_manifests: &'static [&'static str],
    /// Files that something other than an import starts
    pub entry_files: &'static [EntryFile],
    /// Extensions of other formats that contain this language and are not parsed: `vue`
    pub embedded_in: &'static [&'static str],
}

impl FileConventions {
    /// No conventions.
    pub const NONE: Self = Self {
        tests: TestFileNames::NONE,
        generated_suffixes: &[],
        index_stems: &[],
        package_manifests: &[],
        entry_files: &[],
        embedded_in: &[],
    };
}

/// How names, imports and calls of a language work.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is a property of its own")]
pub struct LanguageSemantics {
    /// How an import finds its file
    pub imports: ImportResolver,
    /// Where [`ImportResolver::Files`] and [`ImportResolver::Namespaces`] look for a file
    pub file_imports: FileImports,
    /// How calls are interpreted
    pub calls: CallModel,
    /// Which names of a file other files can import
    pub exported_names: ExportedNames,
    /// Which declarations of one name are one symbol
    pub(crate) overloads: OverloadGrouping,
    /// Whether a call of a parent's method usually reaches the methods that override it
    pub dispatches_to_overrides: bool,
    /// Whether a method replaces that of a type it extends; false in Go, where embedding only adds
    pub extending_overrides: bool,
    /// Whether uses are followed well enough to report unused exports
    pub reports_unused_exports: bool,
    /// Whether all scopes are followed, so that a name without a declaration in the file is known
    /// to be one
    pub follows_all_scopes: bool,
    /// Whether a template or a setting can name its symbols at run time
    pub is_named_in_templates: bool,
    /// Names with this prefix are called by the language itself
    pub reserved_prefix: Option<&'static str>,
    /// Whether there are types that a linter can check
    pub has_static_types: bool,
    /// Whether a language server can expand its macros
    pub has_macros: bool,
    /// Whether an import names a folder of files, as a Go package does
    pub imports_folders: bool,
    /// Whether a module can be mixed into a class, which then has its members
    pub has_mixins: bool,
    /// Whether a function may be declared in a header and defined in another file
    pub has_headers: bool,
    /// The kind of schema that files in it are, if code of other languages names what they declare
    pub schema: Option<&'static str>,
}

impl LanguageSemantics {
    /// Classes with methods; imports are listed and not resolved.
    pub const CLASSES: Self = Self {
        imports: ImportResolver::None,
        file_imports: FileImports::NONE,
        calls: CallModel::Classes,
        exported_names: ExportedNames::TopLevel,
        overloads: OverloadGrouping::None,
        dispatches_to_overrides: true,
        extending_overrides: true,
        reports_unused_exports: false,
        follows_all_scopes: false,
        is_named_in_templates: true,
        reserved_prefix: None,
        has_static_types: true,
        has_macros: false,
        imports_folders: false,
        has_mixins: false,
        has_headers: false,
        schema: None,
    };
}

/// How an import finds its file. Each is an algorithm of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportResolver {
    /// Imports are listed as written
    None,
    /// Node and TypeScript: relative paths, `paths`, packages, `exports`
    JavaScript,
    /// Packages and modules, relative by dots
    Python,
    /// Module trees of crates
    Rust,
    /// Modules of `go.mod` and packages as folders
    Go,
    /// Packages are folders: `import com.shop.Repo`
    Packages,
    /// Namespaces are folders below some prefix, and files are included by path: PHP
    Namespaces,
    /// Files named by their path, by the rules of [`FileImports`]
    Files,
}

impl ImportResolver {
    /// The resolver of a file's imports; `None` where its language is not known.
    pub fn of_file(path: &RepoPath) -> Self {
        Language::from_path(path).map_or(Self::None, |language| language.semantics().imports)
    }
}

/// Where an import that names a file is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileImports {
    /// What separates the parts of a name, where it is not `/`: `.` in Lua
    pub separator: Option<char>,
    /// What is appended to the name beside the importing file, in this order
    pub suffixes: &'static [&'static str],
    /// Folders to look in, below each folder above the importing file
    pub search_folders: &'static [&'static str],
    /// What is appended to the name there. With the empty suffix, a name has to have an extension
    pub search_suffixes: &'static [&'static str],
}

impl FileImports {
    /// Nothing is looked for.
    pub const NONE: Self =
        Self { separator: None, suffixes: &[], search_folders: &[], search_suffixes: &[] };
}

/// How calls are interpreted. Each is an algorithm of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallModel {
    /// Definitions are statements that run; members are looked up on the receiver
    Python,
    /// Declarations are hoisted; members can be added to any object
    JavaScript,
    /// Names are paths through modules; declared types decide what a member means
    Rust,
    /// Names may be members of the enclosing class; declared types decide what a member means
    Classes,
    /// A name belongs to the function, the package or an import, never to the receiver; declared
    /// types decide what a member means
    Go,
}

impl CallModel {
    /// The model of a file's language, if it is known.
    pub fn of_file(path: &RepoPath) -> Option<Self> {
        Language::from_path(path).map(|language| language.semantics().calls)
    }
}

/// Which names of a file other files can import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportedNames {
    /// Those that are exported
    Exports,
    /// The items of its modules, re-exports included
    ModuleItems,
    /// Declarations at the top level, and names that it imported
    TopLevelAndImports,
    /// Declarations at the top level
    TopLevel,
}

/// Which declarations of one name are one symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OverloadGrouping {
    /// Each is a symbol
    None,
    /// Signatures belong to the body that follows them
    SignaturesBeforeBody,
    /// Declarations with `@overload` belong to the one that follows them
    OverloadDecorator,
    /// There is one body; signatures belong to it, and further bodies are symbols
    OneBody,
    /// Signatures belong to a body if it is the only one
    OnlyBody,
}

impl LanguageDescriptor {
    /// A language of code with C-like comments, from which descriptors start.
    pub(crate) const CODE: Self = Self {
        name: "",
        kind: LanguageKind::Code,
        extensions: &[],
        file_names: &[],
        matches_path: |_| false,
        family: None,
        shares_tools_of: None,
        lsp_id: "plaintext",
        tools: LanguageTools::NONE,
        parser: LanguageParser::PlainText,
        comments: CommentSyntax::C_STYLE,
        lexical: LexicalRules::NONE,
        doc_forms: DocCommentForms::BLOCK,
        layout: LayoutRules::BRACKETS,
        files: FileConventions::NONE,
        semantics: LanguageSemantics::CLASSES,
    };

    /// A manifest, from which descriptors of manifests start.
    pub(crate) const MANIFEST: Self = Self { kind: LanguageKind::Manifest, ..Self::CODE };
}
