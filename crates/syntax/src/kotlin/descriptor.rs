//! What is particular to Kotlin, as data.

#[cfg(feature = "kotlin")]
use super::grammar;
use crate::descriptor::{
    FileConventions, ImportResolver, LanguageDescriptor, LanguageParser, LanguageSemantics,
    optional_grammar,
};
use crate::file_role::TestFileNames;
use crate::lexical::LexicalRules;

const PARSER: LanguageParser = optional_grammar!("kotlin", grammar::Kotlin);

/// Kotlin.
pub(crate) static DESCRIPTOR: LanguageDescriptor = LanguageDescriptor {
    name: "Kotlin",
    extensions: &["kt", "kts"],
    lsp_id: "kotlin",
    parser: PARSER,
    lexical: LexicalRules { has_triple_quotes: true, ..LexicalRules::TYPED },
    files: FileConventions {
        tests: TestFileNames { is_camel_case: true, ..TestFileNames::NONE },
        package_manifests: &["build.gradle.kts"],
        ..FileConventions::NONE
    },
    semantics: LanguageSemantics {
        imports: ImportResolver::Packages,
        ..LanguageSemantics::CLASSES
    },
    ..LanguageDescriptor::CODE
};
