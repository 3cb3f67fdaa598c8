//! What is particular to C#, as data.

#[cfg(feature = "csharp")]
use super::grammar;
use crate::descriptor::{
    DeclaratorLists, DocCommentForms, FileConventions, LanguageDescriptor, LanguageParser,
    LayoutRules, optional_grammar,
};
use crate::file_role::TestFileNames;
use crate::lexical::LexicalRules;

const PARSER: LanguageParser = optional_grammar!("csharp", grammar::CSharp);

/// C#.
pub(crate) static DESCRIPTOR: LanguageDescriptor = LanguageDescriptor {
    name: "C#",
    extensions: &["cs"],
    lsp_id: "csharp",
    parser: PARSER,
    lexical: LexicalRules { has_triple_quotes: true, ..LexicalRules::TYPED },
    doc_forms: DocCommentForms::TRIPLE_SLASH,
    layout: LayoutRules { declarator_lists: DeclaratorLists::AfterType, ..LayoutRules::BRACKETS },
    files: FileConventions {
        tests: TestFileNames { is_camel_case: true, ..TestFileNames::NONE },
        ..FileConventions::NONE
    },
    ..LanguageDescriptor::CODE
};
