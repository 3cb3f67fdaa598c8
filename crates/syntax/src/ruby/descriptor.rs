//! What is particular to Ruby, as data.

#[cfg(feature = "ruby")]
use super::grammar;
use crate::descriptor::{
    CommentSyntax, DocCommentForms, FileConventions, FileImports, ImportResolver,
    LanguageDescriptor, LanguageParser, LanguageSemantics, optional_grammar,
};
use crate::file_role::TestFileNames;

const PARSER: LanguageParser = optional_grammar!("ruby", grammar::Ruby);

/// Ruby.
pub(crate) static DESCRIPTOR: LanguageDescriptor = LanguageDescriptor {
    name: "Ruby",
    extensions: &["rb", "rake"],
    file_names: &["Gemfile", "Rakefile"],
    lsp_id: "ruby",
    parser: PARSER,
    comments: CommentSyntax::HASH,
    doc_forms: DocCommentForms::HASH,
    files: FileConventions {
        tests: TestFileNames { has_prefix: true, ..TestFileNames::NONE },
        ..FileConventions::NONE
    },
    semantics: LanguageSemantics {
        imports: ImportResolver::Files,
        file_imports: FileImports {
            suffixes: &["", ".rb"],
            search_folders: &["", "include/", "src/"],
            search_suffixes: &[""],
            ..FileImports::NONE
        },
        has_mixins: true,
        ..LanguageSemantics::CLASSES
    },
    ..LanguageDescriptor::CODE
};
