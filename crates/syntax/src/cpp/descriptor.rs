//! What is particular to C++, as data.

#[cfg(feature = "cpp")]
use super::grammar;
use crate::c;
use crate::descriptor::{
    DeclaratorLists, FileConventions, LanguageDescriptor, LanguageParser, LanguageSemantics,
    LayoutRules, OverloadGrouping, optional_grammar,
};
use crate::file_role::TestFileNames;
use crate::lexical::LexicalRules;

const PARSER: LanguageParser = optional_grammar!("cpp", grammar::Cpp);

/// C++.
pub(crate) static DESCRIPTOR: LanguageDescriptor = LanguageDescriptor {
    name: "C++",
    extensions: &["cc", "cpp", "cxx", "hh", "hpp", "hxx"],
    lsp_id: "cpp",
    tools: c::TOOLS,
    parser: PARSER,
    lexical: LexicalRules::TYPED,
    layout: LayoutRules {
        declarator_lists: DeclaratorLists::AfterType,
        has_members_outside_type: true,
        ..LayoutRules::BRACKETS
    },
    files: FileConventions {
        tests: TestFileNames { has_prefix: true, is_camel_case: true, ..TestFileNames::NONE },
        generated_suffixes: c::GENERATED_SUFFIXES,
        ..FileConventions::NONE
    },
    semantics: LanguageSemantics { overloads: OverloadGrouping::OnlyBody, ..c::SEMANTICS },
    ..LanguageDescriptor::CODE
};
