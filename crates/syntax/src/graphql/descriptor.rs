//! What is particular to GraphQL, as data.

#[cfg(feature = "graphql")]
use super::grammar;
use crate::descriptor::{
    CommentSyntax, DocCommentForms, LanguageDescriptor, LanguageParser, LanguageSemantics,
    optional_grammar,
};
use crate::lexical::LexicalRules;
use crate::schema;

const PARSER: LanguageParser = optional_grammar!("graphql", grammar::GraphQl);

/// GraphQL.
pub(crate) static DESCRIPTOR: LanguageDescriptor = LanguageDescriptor {
    name: "GraphQL",
    extensions: &["graphql", "gql", "graphqls"],
    lsp_id: "graphql",
    parser: PARSER,
    comments: CommentSyntax::HASH,
    lexical: LexicalRules { keywords: KEYWORDS, has_triple_quotes: true, ..LexicalRules::NONE },
    doc_forms: DocCommentForms::HASH,
    semantics: LanguageSemantics {
        schema: Some(schema::GRAPHQL),
        dispatches_to_overrides: false,
        ..LanguageSemantics::CLASSES
    },
    ..LanguageDescriptor::CODE
};

const KEYWORDS: &str = "directive enum extend fragment implements input interface mutation on query repeatable \
    scalar schema subscription type union";
