//! What is particular to Ruby, as data.

#[cfg(feature = "ruby")]
use super::grammar;
use crate::descriptor::{
    CommentSyntax, DocCommentForms, FileConventions, FileImports, ImportResolver,
    LanguageDescriptor, LanguageParser, LanguageSemantics, optional_grammar,
};
use crate::file_role::TestFileNames;
use crate::lexical::LexicalRules;

const PARSER: LanguageParser = optional_grammar!("ruby", grammar::Ruby);

/// Ruby.
pub(crate) static DESCRIPTOR: LanguageDescriptor = LanguageDescriptor {
    name: "Ruby",
    extensions: &["rb", "rake"],
    file_names: &["Gemfile", "Rakefile"],
    lsp_id: "ruby",
    parser: PARSER,
    lexical: LexicalRules { keywords: KEYWORDS, has_long_texts: true, ..LexicalRules::NONE },
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

const KEYWORDS: &str = "alias and begin break case class def do else elsif end ensure extend false for \
    if in include module next nil not or private protected public raise require \
    require_relative rescue retry return self super then true unless until when \
    while yield";
