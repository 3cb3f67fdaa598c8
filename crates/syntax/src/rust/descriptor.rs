//! What is particular to Rust, as data.

use crate::descriptor::{
    CallModel, DocCommentForm, DocCommentForms, ExportedNames, FileConventions, ImportResolver,
    LanguageDescriptor, LanguageParser, LanguageSemantics,
};
use crate::file_role::{EntryFile, EntryPattern};
use crate::lexical::LexicalRules;
use crate::tools::{Formatter, LanguageTools, LintReportFormat, LintScope, Linter, ServerSpec};

#[cfg(feature = "rust")]
const PARSER: LanguageParser =
    LanguageParser::TreeSitter { grammar: || tree_sitter_rust::LANGUAGE, extract: super::extract };
#[cfg(not(feature = "rust"))]
const PARSER: LanguageParser = LanguageParser::LeftOut;

/// Rust.
pub(crate) static DESCRIPTOR: LanguageDescriptor = LanguageDescriptor {
    name: "Rust",
    extensions: &["rs"],
    lsp_id: "rust",
    tools: TOOLS,
    parser: PARSER,
    lexical: LexicalRules {
        keywords: KEYWORDS,
        has_characters: true,
        has_long_texts: true,
        has_raw_texts: true,
        ..LexicalRules::NONE
    },
    doc_forms: DocCommentForms {
        module: DocCommentForm::Lines("//!"),
        ..DocCommentForms::TRIPLE_SLASH
    },
    files: FileConventions {
        index_stems: &["mod"],
        package_manifests: &["Cargo.toml"],
        entry_files: &[
            EntryFile {
                pattern: EntryPattern::Folders(&["benches/", "examples/"]),
                started_by: "target of its own",
            },
            EntryFile { pattern: EntryPattern::Stems(&["build"]), started_by: "target of its own" },
        ],
        ..FileConventions::NONE
    },
    semantics: LanguageSemantics {
        imports: ImportResolver::Rust,
        calls: CallModel::Rust,
        exported_names: ExportedNames::ModuleItems,
        dispatches_to_overrides: false,
        reports_unused_exports: true,
        is_named_in_templates: false,
        has_macros: true,
        ..LanguageSemantics::CLASSES
    },
    ..LanguageDescriptor::CODE
};

const TOOLS: LanguageTools = LanguageTools {
    servers: &[ServerSpec {
        program: "rust-analyzer",
        args: &[],
        install: "rustup component add rust-analyzer",
        project_files: &[],
    }],
    formatters: &[Formatter {
        program: "rustfmt",
        args: &["--emit", "stdout", "--quiet"],
        settings: &[],
    }],
    linters: &[Linter {
        name: "clippy",
        program: "cargo",
        args: &["clippy", "--offline", "--quiet", "--message-format", "json"],
        companion: None,
        checks_types: true,
        scope: LintScope::Package,
        install: "rustup component add clippy",
        report_format: LintReportFormat::Cargo,
    }],
};

const KEYWORDS: &str = "Self as async await break const continue crate dyn else enum extern false fn \
    for if impl in let loop match mod move mut pub ref return self static struct \
    super trait true type unsafe use where while";
