//! What is particular to protocol buffers, as data.

#[cfg(feature = "protobuf")]
use super::grammar;
use crate::descriptor::{
    DocCommentForm, DocCommentForms, FileImports, ImportResolver, LanguageDescriptor,
    LanguageParser, LanguageSemantics, optional_grammar,
};
use crate::schema;

const PARSER: LanguageParser = optional_grammar!("protobuf", grammar::Protobuf);

/// Protocol buffers.
pub(crate) static DESCRIPTOR: LanguageDescriptor = LanguageDescriptor {
    name: "Protobuf",
    extensions: &["proto"],
    lsp_id: "proto",
    parser: PARSER,
    doc_forms: DocCommentForms {
        symbol: DocCommentForm::Lines("//"),
        module: DocCommentForm::Lines("//"),
        ..DocCommentForms::BLOCK
    },
    semantics: LanguageSemantics {
        imports: ImportResolver::Files,
        // Paths are relative to folders that are given to the compiler on its command line.
        file_imports: FileImports {
            suffixes: &[""],
            search_folders: &["", "proto/", "protos/", "src/", "src/main/proto/", "api/"],
            search_suffixes: &[""],
            ..FileImports::NONE
        },
        schema: Some(schema::PROTOBUF),
        dispatches_to_overrides: false,
        ..LanguageSemantics::CLASSES
    },
    ..LanguageDescriptor::CODE
};
