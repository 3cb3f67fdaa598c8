//! Names of schemas that other files use.

use serde::{Deserialize, Serialize};

use super::SymbolOwner;

/// A mention of something that a schema declares: a table, a GraphQL type or operation, a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SchemaUse {
    /// Where it is mentioned
    pub owner: SymbolOwner,
    /// The kind of schema and the name, as schemas export it: `sql users`, `graphql Query:user`
    pub key: String,
    /// Whether it is mentioned in the schema's own language, rather than in a text literal or by a
    /// generated name
    pub is_own_language: bool,
    /// The line, from 1
    pub line: u32,
}
