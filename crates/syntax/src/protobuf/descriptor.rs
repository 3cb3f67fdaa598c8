//! What is particular to protocol buffers, as data.

#[cfg(feature = "protobuf")]
use super::grammar;
use crate::descriptor::{
    DocCommentForm, DocCommentForms, FileImports, ImportResolver, LanguageDescriptor,
    LanguageParser, LanguageSemantics, optional_grammar,
};
use crate::lexical::LexicalRules;
use crate::schema;

const PARSER: LanguageParser = optional_grammar!("protobuf", grammar::Protobuf);

/// Protocol buffers.
pub(crate) static DESCRIPTOR: LanguageDescriptor = LanguageDescriptor {
    name: "Protobuf",
    extensions: &["proto"],
    lsp_id: "proto",
    parser: PARSER,
    lexical: LexicalRules { keywords: KEYWORDS, ..LexicalRules::NONE },
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

const KEYWORDS: &str = "bool bytes double edition enum extend extensions false fixed32 fixed64 float import int32 \
    int64 map message oneof option optional package public repeated required reserved returns rpc \
    service sfixed32 sfixed64 sint32 sint64 stream string syntax to true uint32 uint64 weak";
