//! What is particular to PHP, as data.

#[cfg(feature = "php")]
use super::grammar;
use crate::descriptor::{
    CommentSyntax, FileConventions, FileImports, ImportResolver, LanguageDescriptor,
    LanguageParser, LanguageSemantics, LayoutRules, ModuleCommentPosition, optional_grammar,
};
use crate::file_role::TestFileNames;
use crate::lexical::LexicalRules;

const PARSER: LanguageParser = optional_grammar!("php", grammar::Php);

/// PHP.
pub(crate) static DESCRIPTOR: LanguageDescriptor = LanguageDescriptor {
    name: "PHP",
    extensions: &["php"],
    lsp_id: "php",
    parser: PARSER,
    lexical: LexicalRules { keywords: KEYWORDS, has_long_texts: true, ..LexicalRules::NONE },
    comments: CommentSyntax { other_line: Some("# "), ..CommentSyntax::C_STYLE },
    layout: LayoutRules {
        module_comment: ModuleCommentPosition::AfterTag("<?php"),
        ..LayoutRules::BRACKETS
    },
    files: FileConventions {
        tests: TestFileNames { has_prefix: true, is_camel_case: true, ..TestFileNames::NONE },
        package_manifests: &["composer.json"],
        ..FileConventions::NONE
    },
    semantics: LanguageSemantics {
        imports: ImportResolver::Namespaces,
        file_imports: FileImports {
            suffixes: &["", ".php"],
            search_folders: &["", "include/", "src/"],
            search_suffixes: &[""],
            ..FileImports::NONE
        },
        ..LanguageSemantics::CLASSES
    },
    ..LanguageDescriptor::CODE
};

const KEYWORDS: &str = "abstract array as break case catch class const continue declare default do \
    echo else elseif enum extends false final finally fn for foreach function if \
    implements instanceof interface match namespace new null private protected \
    public readonly return static switch this throw trait true try use while yield";
