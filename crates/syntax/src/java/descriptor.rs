//! What is particular to Java, as data.

#[cfg(feature = "java")]
use super::grammar;
use crate::descriptor::{
    DeclaratorLists, FileConventions, ImportResolver, LanguageDescriptor, LanguageParser,
    LanguageSemantics, LayoutRules, optional_grammar,
};
use crate::file_role::TestFileNames;
use crate::lexical::LexicalRules;

const PARSER: LanguageParser = optional_grammar!("java", grammar::Java);

/// Java.
pub(crate) static DESCRIPTOR: LanguageDescriptor = LanguageDescriptor {
    name: "Java",
    extensions: &["java"],
    lsp_id: "java",
    parser: PARSER,
    lexical: LexicalRules { has_triple_quotes: true, ..LexicalRules::TYPED },
    layout: LayoutRules { declarator_lists: DeclaratorLists::AfterType, ..LayoutRules::BRACKETS },
    files: FileConventions {
        tests: TestFileNames { is_camel_case: true, ..TestFileNames::NONE },
        package_manifests: &["pom.xml", "build.gradle"],
        ..FileConventions::NONE
    },
    semantics: LanguageSemantics {
        imports: ImportResolver::Packages,
        ..LanguageSemantics::CLASSES
    },
    ..LanguageDescriptor::CODE
};
