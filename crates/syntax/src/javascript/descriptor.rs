//! What is particular to JavaScript and TypeScript, as data.

use crate::Language;
use crate::descriptor::{
    CallModel, CommentSyntax, DeclaratorLists, ExportedNames, FileConventions, ImportResolver,
    JavaScriptDialect, LanguageDescriptor, LanguageParser, LanguageSemantics, LayoutRules,
    OverloadGrouping,
};
use crate::file_role::{EntryFile, EntryPattern, TestFileNames};
use crate::lexical::LexicalRules;
use crate::tools::{
    Companion, FILE_PLACEHOLDER, Formatter, LanguageTools, LintReportFormat, LintScope, Linter,
    ServerSpec,
};

/// TypeScript.
pub(crate) static TYPESCRIPT: LanguageDescriptor = LanguageDescriptor {
    name: "TypeScript",
    extensions: &["ts", "mts", "cts"],
    lsp_id: "typescript",
    parser: LanguageParser::Oxc(JavaScriptDialect::TypeScript),
    ..SHARED
};

/// TypeScript with JSX.
pub(crate) static TSX: LanguageDescriptor = LanguageDescriptor {
    name: "TSX",
    extensions: &["tsx"],
    lsp_id: "typescriptreact",
    parser: LanguageParser::Oxc(JavaScriptDialect::Tsx),
    shares_tools_of: Some(Language::TypeScript),
    ..SHARED
};

/// JavaScript.
pub(crate) static JAVASCRIPT: LanguageDescriptor = LanguageDescriptor {
    name: "JavaScript",
    extensions: &["js", "mjs", "cjs", "jsx"],
    lsp_id: "javascript",
    parser: LanguageParser::Oxc(JavaScriptDialect::JavaScript),
    shares_tools_of: Some(Language::TypeScript),
    files: FileConventions {
        generated_suffixes: &[".min.js", ".js.map"],
        embedded_in: &["mdx"],
        ..FILES
    },
    semantics: LanguageSemantics { has_static_types: false, ..SEMANTICS },
    ..SHARED
};

/// What all of them have in common.
pub(crate) const SHARED: LanguageDescriptor = LanguageDescriptor {
    family: Some(Language::TypeScript),
    tools: TOOLS,
    // `///` is a directive to the compiler.
    comments: CommentSyntax { doc_lines: &[], ..CommentSyntax::C_STYLE },
    lexical: LexicalRules { keywords: KEYWORDS, has_back_ticks: true, ..LexicalRules::NONE },
    layout: LayoutRules {
        declarator_lists: DeclaratorLists::AfterKeyword(&["const", "let", "var", "using"]),
        ..LayoutRules::BRACKETS
    },
    files: FILES,
    semantics: SEMANTICS,
    ..LanguageDescriptor::CODE
};

const SEMANTICS: LanguageSemantics = LanguageSemantics {
    imports: ImportResolver::JavaScript,
    calls: CallModel::JavaScript,
    exported_names: ExportedNames::Exports,
    overloads: OverloadGrouping::SignaturesBeforeBody,
    reports_unused_exports: true,
    follows_all_scopes: true,
    ..LanguageSemantics::CLASSES
};

const FILES: FileConventions = FileConventions {
    tests: TestFileNames {
        has_prefix: true,
        markers: &[".e2e.", ".bench."],
        folders: &["cypress"],
        declaring_calls: &["it", "test", "describe", "suite", "bench", "tap", "QUnit"],
        ..TestFileNames::NONE
    },
    generated_suffixes: &[".d.ts.map"],
    package_manifests: &["package.json"],
    entry_files: ENTRY_FILES,
    ..FileConventions::NONE
};

const ENTRY_FILES: &[EntryFile] = &[
    EntryFile { pattern: EntryPattern::Contains(&[".stories."]), started_by: "Storybook" },
    EntryFile { pattern: EntryPattern::Folders(&[".storybook/"]), started_by: "Storybook" },
    EntryFile {
        pattern: EntryPattern::Contains(&[".config.", ".conf."]),
        started_by: "read by a tool",
    },
    EntryFile { pattern: EntryPattern::Prefix("."), started_by: "read by a tool" },
    EntryFile {
        pattern: EntryPattern::Stems(&[
            "gulpfile",
            "Gruntfile",
            "webpackfile",
            "setupTests",
            "setup-tests",
            "karma.conf",
            "service-worker",
            "sw",
            "middleware",
            "instrumentation",
            "conftest",
            "manage",
        ]),
        started_by: "read by a tool",
    },
    EntryFile { pattern: EntryPattern::Suffixes(&[".d.ts", ".d.mts"]), started_by: "declarations" },
];

const TOOLS: LanguageTools = LanguageTools {
    servers: &[
        // Only TypeScript 7 and newer is its own server: an older `tsc` does not know the option.
        ServerSpec {
            program: "tsc",
            args: &["--lsp", "--stdio"],
            install: "npm install --save-dev typescript@7",
            project_files: &[],
        },
        ServerSpec {
            program: "typescript-language-server",
            args: &["--stdio"],
            install: "npm install --save-dev typescript-language-server typescript@5",
            project_files: &[],
        },
    ],
    formatters: &[
        Formatter {
            program: "oxfmt",
            args: &["--stdin-filepath", FILE_PLACEHOLDER],
            settings: &[".oxfmtrc.json", ".oxfmtrc.jsonc"],
        },
        Formatter {
            program: "prettier",
            args: &["--stdin-filepath", FILE_PLACEHOLDER],
            settings: &[
                ".prettierrc",
                ".prettierrc.json",
                ".prettierrc.json5",
                ".prettierrc.yaml",
                ".prettierrc.yml",
                ".prettierrc.toml",
                ".prettierrc.js",
                ".prettierrc.cjs",
                ".prettierrc.mjs",
                ".prettierrc.ts",
                "prettier.config.js",
                "prettier.config.cjs",
                "prettier.config.mjs",
                "prettier.config.ts",
            ],
        },
        Formatter {
            program: "biome",
            args: &["format", "--stdin-file-path", FILE_PLACEHOLDER],
            settings: &["biome.json", "biome.jsonc"],
        },
    ],
    linters: &[
        Linter {
            name: "oxlint",
            program: "oxlint",
            args: &["--format", "json"],
            companion: Some(Companion {
                program: "tsgolint",
                install: "npm install --save-dev oxlint-tsgolint",
                args: &["--type-aware"],
                type_check_args: &["--type-check"],
            }),
            checks_types: false,
            scope: LintScope::Paths,
            install: "npm install --save-dev oxlint",
            report_format: LintReportFormat::Oxlint,
        },
        Linter {
            name: "eslint",
            program: "eslint",
            args: &["--format", "json"],
            companion: None,
            checks_types: false,
            scope: LintScope::Paths,
            install: "npm install --save-dev eslint",
            report_format: LintReportFormat::Eslint,
        },
    ],
};

const KEYWORDS: &str = "abstract as async await break case catch class const continue declare default \
    delete do else enum export extends false finally for from function if \
    implements import in instanceof interface let new null of private protected \
    public readonly return satisfies static super switch this throw true try type \
    typeof undefined var void while yield";
