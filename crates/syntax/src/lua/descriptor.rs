//! What is particular to Lua, as data.

#[cfg(feature = "lua")]
use super::grammar;
use crate::descriptor::{
    BlockComment, CallModel, CommentSyntax, DocCommentForm, DocCommentForms, ExportedNames,
    FileConventions, FileImports, ImportResolver, LanguageDescriptor, LanguageParser,
    LanguageSemantics, LayoutRules, optional_grammar,
};
use crate::file_role::TestFileNames;
use crate::lexical::LexicalRules;
use crate::tools::{FILE_PLACEHOLDER, Formatter, LanguageTools, ServerSpec};

const PARSER: LanguageParser = optional_grammar!("lua", grammar::Lua);

/// Lua.
pub(crate) static DESCRIPTOR: LanguageDescriptor = LanguageDescriptor {
    name: "Lua",
    extensions: &["lua"],
    lsp_id: "lua",
    tools: TOOLS,
    parser: PARSER,
    lexical: LexicalRules { keywords: KEYWORDS, ..LexicalRules::NONE },
    comments: CommentSyntax {
        line: "--",
        other_line: None,
        block: Some(BlockComment { open: "--[[", close: "]]", doc_open: None }),
        doc_lines: &["---"],
        file_lines: &["#!"],
    },
    doc_forms: DocCommentForms {
        symbol: DocCommentForm::Lines("---"),
        module: DocCommentForm::Lines("---"),
        inline: None,
        line_markers: &["---", "--"],
    },
    layout: LayoutRules {
        has_members_outside_type: true,
        member_operators: &[".", ":"],
        ..LayoutRules::BRACKETS
    },
    files: FileConventions {
        tests: TestFileNames { has_prefix: true, ..TestFileNames::NONE },
        index_stems: &["init"],
        ..FileConventions::NONE
    },
    semantics: LanguageSemantics {
        imports: ImportResolver::Files,
        file_imports: FileImports {
            separator: Some('.'),
            suffixes: &[".lua", "/init.lua"],
            search_folders: &["", "lua/", "src/", "lib/"],
            search_suffixes: &[".lua", "/init.lua"],
        },
        // Tables are open objects, and `require` gives what a file returns, as in CommonJS.
        calls: CallModel::JavaScript,
        exported_names: ExportedNames::Exports,
        has_static_types: false,
        follows_all_scopes: true,
        ..LanguageSemantics::CLASSES
    },
    ..LanguageDescriptor::CODE
};

const TOOLS: LanguageTools = LanguageTools {
    servers: &[ServerSpec {
        program: "lua-language-server",
        args: &[],
        install: "install the package `lua-language-server` of your system",
        project_files: &[],
    }],
    formatters: &[Formatter {
        program: "stylua",
        args: &["--stdin-filepath", FILE_PLACEHOLDER, "-"],
        settings: &["stylua.toml", ".stylua.toml"],
    }],
    ..LanguageTools::NONE
};

const KEYWORDS: &str = "and break do else elseif end false for function goto if in local nil not or \
    repeat return then true until while";
