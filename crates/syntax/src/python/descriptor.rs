//! What is particular to Python, as data.

use crate::descriptor::{
    CallModel, CommentSyntax, DocCommentForm, DocCommentForms, ExportedNames, FileConventions,
    ImportResolver, LanguageDescriptor, LanguageParser, LanguageSemantics, LayoutRules,
    OverloadGrouping,
};
use crate::file_role::{EntryFile, EntryPattern, TestFileNames};
use crate::lexical::LexicalRules;
use crate::tools::{
    FILE_PLACEHOLDER, Formatter, LanguageTools, LintReportFormat, LintScope, Linter, ServerSpec,
};

#[cfg(feature = "python")]
const PARSER: LanguageParser = LanguageParser::TreeSitter {
    grammar: || tree_sitter_python::LANGUAGE,
    extract: super::extract,
};
#[cfg(not(feature = "python"))]
const PARSER: LanguageParser = LanguageParser::LeftOut;

/// Python.
pub(crate) static DESCRIPTOR: LanguageDescriptor = LanguageDescriptor {
    name: "Python",
    extensions: &["py", "pyi"],
    lsp_id: "python",
    tools: TOOLS,
    parser: PARSER,
    lexical: LEXICAL,
    comments: COMMENTS,
    doc_forms: DocCommentForms {
        symbol: DocCommentForm::Docstring,
        module: DocCommentForm::Docstring,
        inline: None,
        line_markers: &["#:", "#"],
    },
    layout: LAYOUT,
    files: FileConventions {
        tests: TestFileNames { has_prefix: true, may_be_package: true, ..TestFileNames::NONE },
        generated_suffixes: &["_pb2.py", "_pb2_grpc.py"],
        index_stems: &["__init__"],
        package_manifests: &["pyproject.toml", "setup.py"],
        entry_files: ENTRY_FILES,
        ..FileConventions::NONE
    },
    semantics: SEMANTICS,
    ..LanguageDescriptor::CODE
};

/// How comments of Python are marked.
pub(crate) const COMMENTS: CommentSyntax = CommentSyntax::HASH;

/// How Python is laid out.
pub(crate) const LAYOUT: LayoutRules = LayoutRules {
    is_indented: true,
    top_level_line_breaks: 3,
    empty_body: Some("pass"),
    ..LayoutRules::BRACKETS
};

/// How names, imports and calls of Python work.
pub(crate) const SEMANTICS: LanguageSemantics = LanguageSemantics {
    imports: ImportResolver::Python,
    calls: CallModel::Python,
    exported_names: ExportedNames::TopLevelAndImports,
    overloads: OverloadGrouping::OverloadDecorator,
    reports_unused_exports: true,
    follows_all_scopes: true,
    reserved_prefix: Some("__"),
    ..LanguageSemantics::CLASSES
};

const ENTRY_FILES: &[EntryFile] = &[
    EntryFile {
        pattern: EntryPattern::Folders(&["migrations/", "management/commands/"]),
        started_by: "Django",
    },
    EntryFile {
        pattern: EntryPattern::Stems(&[
            "setup", "conftest", "manage", "wsgi", "asgi", "settings", "urls", "admin", "apps",
            "models", "tasks", "noxfile", "tests", "__main__", "conf", "fabfile", "gunicorn",
        ]),
        started_by: "read by a tool",
    },
];

const TOOLS: LanguageTools = LanguageTools {
    servers: &[
        ServerSpec {
            program: "pyright-langserver",
            args: &["--stdio"],
            install: "npm install --global pyright",
            project_files: &[],
        },
        ServerSpec {
            program: "basedpyright-langserver",
            args: &["--stdio"],
            install: "pip install basedpyright",
            project_files: &[],
        },
    ],
    formatters: &[
        Formatter {
            program: "ruff",
            args: &["format", "--stdin-filename", FILE_PLACEHOLDER, "-"],
            settings: &["ruff.toml", ".ruff.toml"],
        },
        Formatter {
            program: "black",
            args: &["--quiet", "--stdin-filename", FILE_PLACEHOLDER, "-"],
            settings: &[],
        },
    ],
    linters: &[Linter {
        name: "ruff",
        program: "ruff",
        args: &["check", "--output-format", "json", "--no-cache"],
        companion: None,
        checks_types: false,
        scope: LintScope::Paths,
        install: "pip install ruff",
        report_format: LintReportFormat::Ruff,
    }],
};

/// Keywords and quotes.
pub(crate) const LEXICAL: LexicalRules =
    LexicalRules { keywords: KEYWORDS, has_triple_quotes: true, ..LexicalRules::NONE };

const KEYWORDS: &str = "False None True and as assert async await break class continue def del elif \
    else except finally for from global if import in is lambda nonlocal not or \
    pass raise return self try while with yield";
