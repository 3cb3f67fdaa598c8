//! What is particular to POSIX shell and Bash, as data.

#[cfg(feature = "bash")]
use super::grammar;
use crate::descriptor::{
    CommentSyntax, DocCommentForms, FileConventions, FileImports, ImportResolver,
    LanguageDescriptor, LanguageParser, LanguageSemantics, optional_grammar,
};
use crate::file_role::TestFileNames;
use crate::lexical::LexicalRules;

const PARSER: LanguageParser = optional_grammar!("bash", grammar::Bash);

/// POSIX shell and Bash.
pub(crate) static DESCRIPTOR: LanguageDescriptor = LanguageDescriptor {
    name: "Bash",
    extensions: &["sh", "bash"],
    file_names: &[".bashrc", ".profile"],
    lsp_id: "shellscript",
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
            suffixes: &[""],
            search_folders: &["", "include/", "src/"],
            search_suffixes: &[""],
            ..FileImports::NONE
        },
        dispatches_to_overrides: false,
        ..LanguageSemantics::CLASSES
    },
    ..LanguageDescriptor::CODE
};

const KEYWORDS: &str = "case do done elif else esac exit export fi for function if in local readonly \
    return set shift then until while";
