//! What is particular to C, as data.

#[cfg(feature = "c")]
use super::grammar;
use crate::Language;
use crate::descriptor::{
    DeclaratorLists, FileConventions, FileImports, ImportResolver, LanguageDescriptor,
    LanguageParser, LanguageSemantics, LayoutRules, OverloadGrouping, optional_grammar,
};
use crate::file_role::TestFileNames;
use crate::lexical::LexicalRules;
use crate::tools::{FILE_PLACEHOLDER, Formatter, LanguageTools, ServerSpec};

/// Ends of the names of generated files in C and C++.
pub(crate) const GENERATED_SUFFIXES: &[&str] = &[".pb.cc", ".pb.h"];

/// The tools of C and C++.
pub(crate) const TOOLS: LanguageTools = LanguageTools {
    servers: &[ServerSpec {
        program: "clangd",
        args: &[],
        install: "install the package `clangd` of your system",
        project_files: &[
            "compile_commands.json",
            "build/compile_commands.json",
            "compile_flags.txt",
        ],
    }],
    formatters: &[Formatter {
        program: "clang-format",
        args: &["--assume-filename", FILE_PLACEHOLDER],
        settings: &[".clang-format", "_clang-format"],
    }],
    ..LanguageTools::NONE
};

/// What holds in C and in C++.
pub(crate) const SEMANTICS: LanguageSemantics = LanguageSemantics {
    imports: ImportResolver::Files,
    file_imports: FileImports {
        suffixes: &[""],
        search_folders: &["", "include/", "src/"],
        search_suffixes: &[""],
        ..FileImports::NONE
    },
    has_headers: true,
    ..LanguageSemantics::CLASSES
};

const PARSER: LanguageParser = optional_grammar!("c", grammar::C);

/// C.
pub(crate) static DESCRIPTOR: LanguageDescriptor = LanguageDescriptor {
    name: "C",
    extensions: &["c", "h"],
    family: Some(Language::Cpp),
    lsp_id: "c",
    tools: TOOLS,
    parser: PARSER,
    lexical: LexicalRules::TYPED,
    layout: LayoutRules { declarator_lists: DeclaratorLists::AfterType, ..LayoutRules::BRACKETS },
    files: FileConventions {
        tests: TestFileNames { has_prefix: true, ..TestFileNames::NONE },
        generated_suffixes: GENERATED_SUFFIXES,
        ..FileConventions::NONE
    },
    semantics: LanguageSemantics {
        overloads: OverloadGrouping::OneBody,
        dispatches_to_overrides: false,
        ..SEMANTICS
    },
    ..LanguageDescriptor::CODE
};
