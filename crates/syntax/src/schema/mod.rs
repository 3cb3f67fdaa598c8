//! Schemas: what files in GraphQL, protobuf and SQL declare for others, and where code names it in
//! a text literal or by the name that a generator gives.
//!
//! A schema exports keys such as `sql users`; code that names one uses that key. Which file has the
//! key is left to others. A key that no schema of the repository has leads nowhere.

mod embedded_graphql;
mod generated;
mod literals;

#[cfg(test)]
mod tests;

use crate::Language;
use crate::line_index::LineIndex;
use crate::model::{FileFacts, SchemaUse, SymbolKind, SymbolOwner};

/// The kinds of schemas, as keys start.
pub(crate) const GRAPHQL: &str = "graphql";
pub(crate) const PROTOBUF: &str = "protobuf";
pub(crate) const SQL: &str = "sql";
/// A schema file by its name.
const FILE: &str = "file";

/// Extensions of schema files.
const EXTENSIONS: [&str; 4] = ["graphql", "gql", "proto", "sql"];

/// The types of GraphQL whose fields are what clients ask for.
const ROOT_TYPES: [&str; 3] = ["Query", "Mutation", "Subscription"];

/// The key of a name of SQL, which does not distinguish case.
pub(crate) fn sql_key(name: &str) -> String {
    format!("{SQL} {}", name.to_lowercase())
}

/// The key of a name of GraphQL or protobuf.
pub(crate) fn key(schema: &str, name: &str) -> String {
    format!("{schema} {name}")
}

/// What a schema declares for other files: keys, each with the symbol that has it.
pub fn exported_keys(language: Language, facts: &FileFacts) -> Vec<(String, u32)> {
    let Some(schema) = language.semantics().schema else { return Vec::new() };
    let mut keys = Vec::new();
    for (at, symbol) in (0..).zip(&facts.symbols) {
        let parent = symbol.parent.map(|parent| &facts.symbols[parent as usize]);
        match (schema, symbol.kind, parent) {
            (SQL, _, None) => keys.push((sql_key(&symbol.name), at)),
            (GRAPHQL, SymbolKind::Field, Some(of)) if ROOT_TYPES.contains(&of.name.as_str()) => {
                keys.push((format!("{schema} {}:{}", of.name, symbol.name), at));
            }
            (PROTOBUF, SymbolKind::Method, Some(of)) => {
                keys.push((format!("{schema} {}:{}", of.name, symbol.name), at));
            }
            (SQL, ..) | (_, SymbolKind::Field | SymbolKind::Variant, _) => {}
            _ => keys.push((key(schema, &symbol.name), at)),
        }
    }
    keys
}

/// The key that a schema file has as a whole.
pub fn file_key(file_name: &str) -> Option<String> {
    let extension = file_name.rsplit_once('.')?.1;
    EXTENSIONS.contains(&extension).then(|| format!("{FILE} {file_name}"))
}

/// Whether a key is that of a schema file as a whole.
pub fn names_file(key: &str) -> bool {
    key.strip_prefix(FILE).is_some_and(|rest| rest.starts_with(' '))
}

/// Adds the schema names that a file of code uses.
pub(crate) fn add_uses(language: Language, text: &str, facts: &mut FileFacts) {
    if !language.is_code() || language.semantics().schema.is_some() {
        return;
    }
    let mut uses = UseCollector { lines: None, text, found: Vec::new() };
    literals::collect(facts, &mut uses);
    generated::collect(facts, &mut uses);
    let mut found = uses.found;
    found.sort_by(|one, other| {
        (one.owner, &one.key, one.line).cmp(&(other.owner, &other.key, other.line))
    });
    found.dedup_by(|later, first| later.owner == first.owner && later.key == first.key);
    facts.schema_uses = found;
}

/// Collects uses; lines are counted only if there are any.
struct UseCollector<'t> {
    lines: Option<LineIndex>,
    text: &'t str,
    found: Vec<SchemaUse>,
}

impl UseCollector<'_> {
    /// Adds a use at an offset.
    fn add_at(&mut self, facts: &FileFacts, at: usize, key: String) {
        let lines = self.lines.get_or_insert_with(|| LineIndex::new(self.text));
        let at = crate::line_index::offset(at);
        let line = lines.line(at);
        self.add(innermost_symbol(facts, at), line, key);
    }

    fn add(&mut self, owner: SymbolOwner, line: u32, key: String) {
        self.found.push(SchemaUse { owner, key, is_own_language: false, line });
    }
}

/// The smallest symbol around an offset.
fn innermost_symbol(facts: &FileFacts, at: u32) -> SymbolOwner {
    let around = (0..).zip(&facts.symbols).filter(|(_, symbol)| {
        symbol.span.start <= at && at < symbol.span.end && !symbol.is_anonymous()
    });
    around.min_by_key(|(_, symbol)| symbol.span.end - symbol.span.start).map(|(at, _)| at)
}
