//! What is particular to Swift, as data.

#[cfg(feature = "swift")]
use super::grammar;
use crate::descriptor::{
    DocCommentForms, FileConventions, LanguageDescriptor, LanguageParser, optional_grammar,
};
use crate::file_role::TestFileNames;

const PARSER: LanguageParser = optional_grammar!("swift", grammar::Swift);

/// Swift.
pub(crate) static DESCRIPTOR: LanguageDescriptor = LanguageDescriptor {
    name: "Swift",
    extensions: &["swift"],
    lsp_id: "swift",
    parser: PARSER,
    doc_forms: DocCommentForms::TRIPLE_SLASH,
    files: FileConventions {
        tests: TestFileNames { is_camel_case: true, ..TestFileNames::NONE },
        package_manifests: &["Package.swift"],
        ..FileConventions::NONE
    },
    ..LanguageDescriptor::CODE
};
