//! What is particular to Swift, as data.

#[cfg(feature = "swift")]
use super::grammar;
use crate::descriptor::{
    DocCommentForms, FileConventions, LanguageDescriptor, LanguageParser, optional_grammar,
};
use crate::file_role::TestFileNames;
use crate::lexical::LexicalRules;

const PARSER: LanguageParser = optional_grammar!("swift", grammar::Swift);

/// Swift.
pub(crate) static DESCRIPTOR: LanguageDescriptor = LanguageDescriptor {
    name: "Swift",
    extensions: &["swift"],
    lsp_id: "swift",
    parser: PARSER,
    lexical: LexicalRules { has_triple_quotes: true, ..LexicalRules::TYPED },
    doc_forms: DocCommentForms::TRIPLE_SLASH,
    files: FileConventions {
        tests: TestFileNames { is_camel_case: true, ..TestFileNames::NONE },
        package_manifests: &["Package.swift"],
        ..FileConventions::NONE
    },
    ..LanguageDescriptor::CODE
};
