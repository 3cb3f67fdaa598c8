//! What is particular to Go, as data.

#[cfg(feature = "go")]
use super::grammar;
use crate::descriptor::{
    CallModel, DeclaratorLists, DocCommentForm, DocCommentForms, FileConventions, ImportResolver,
    LanguageDescriptor, LanguageParser, LanguageSemantics, LayoutRules, ModuleCommentPosition,
    optional_grammar,
};
use crate::file_role::TestFileNames;
use crate::lexical::LexicalRules;
use crate::tools::{Formatter, LanguageTools, ServerSpec};

const TOOLS: LanguageTools = LanguageTools {
    servers: &[ServerSpec {
        program: "gopls",
        args: &[],
        install: "go install golang.org/x/tools/gopls@latest",
        project_files: &[],
    }],
    formatters: &[Formatter { program: "gofmt", args: &[], settings: &[] }],
    ..LanguageTools::NONE
};

const PARSER: LanguageParser = optional_grammar!("go", grammar::Go);

/// Go.
pub(crate) static DESCRIPTOR: LanguageDescriptor = LanguageDescriptor {
    name: "Go",
    extensions: &["go"],
    lsp_id: "go",
    tools: TOOLS,
    parser: PARSER,
    lexical: LexicalRules {
        keywords: KEYWORDS,
        has_characters: true,
        has_back_ticks: true,
        ..LexicalRules::NONE
    },
    doc_forms: DocCommentForms {
        symbol: DocCommentForm::Lines("//"),
        module: DocCommentForm::Lines("//"),
        inline: Some(DocCommentForm::Block("/*")),
        ..DocCommentForms::BLOCK
    },
    layout: LayoutRules {
        module_comment: ModuleCommentPosition::AboveFirstStatement,
        declarator_lists: DeclaratorLists::InParentheses,
        has_members_outside_type: true,
        ..LayoutRules::BRACKETS
    },
    files: FileConventions {
        tests: TestFileNames { package_private_suffix: Some("_test.go"), ..TestFileNames::NONE },
        generated_suffixes: &[".pb.go", "go.sum"],
        package_manifests: &["go.mod"],
        ..FileConventions::NONE
    },
    semantics: LanguageSemantics {
        imports: ImportResolver::Go,
        calls: CallModel::Go,
        extending_overrides: false,
        imports_folders: true,
        follows_all_scopes: true,
        ..LanguageSemantics::CLASSES
    },
    ..LanguageDescriptor::CODE
};

const KEYWORDS: &str = "break case chan const continue default defer else fallthrough false for func \
    go goto if import interface map nil package range return select struct switch \
    true type var";
