//! The values of an argument as an `enum` in its schema, where a table knows all of them.
//!
//! The operation still checks the value: its error lists the same words.

use base::{Problem, Result};
use schemars::{Schema, SchemaGenerator, json_schema};
use syntax::Language;

use crate::graph::edge_names;

/// Types of edges, as [`crate::graph::EdgeFilter`] takes them.
pub fn edge_types(_: &mut SchemaGenerator) -> Schema {
    list_of(&edge_names())
}

/// Languages that have code, by name.
pub fn code_language(_: &mut SchemaGenerator) -> Schema {
    let all = Language::ALL.iter().copied().filter(|language| language.is_code());
    let names: Vec<&str> = all.map(Language::name).collect();
    json_schema!({"type": "string", "enum": names})
}

/// All languages that files are read in, by name.
pub fn languages(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<&str> = Language::ALL.iter().map(|language| language.name()).collect();
    list_of(&names)
}

/// The language that a name means, in any case.
pub fn language(name: &str) -> Result<Language> {
    let known = Language::ALL;
    let found = known.iter().find(|language| language.name().eq_ignore_ascii_case(name));
    found.copied().ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|language| language.name()).collect();
        Problem::invalid(format!("no language is called `{}`", name.escape_debug()))
            .hint(format!("the languages are {}", names.join(", ")))
    })
}

/// Formats of reports that can be imported.
pub fn report_format(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<&str> = kb::IMPORTERS.iter().map(|importer| importer.name()).collect();
    json_schema!({"type": "string", "enum": names})
}

/// Agents' clients that `init` sets up.
pub fn clients(_: &mut SchemaGenerator) -> Schema {
    let names = setup::Client::ALL.iter().map(ToString::to_string);
    let names: Vec<String> = names.chain(["found".into(), "all".into(), "none".into()]).collect();
    json_schema!({"type": "array", "items": {"type": "string", "enum": names}})
}

/// Hooks of git and of agents that call cairn.
pub fn hook(_: &mut SchemaGenerator) -> Schema {
    let agents = setup::AgentHook::ALL.iter().map(ToString::to_string);
    let git = setup::GitHook::ALL.iter().map(ToString::to_string);
    let names: Vec<String> = git.chain(agents).collect();
    json_schema!({"type": "string", "enum": names})
}

fn list_of(names: &[&str]) -> Schema {
    json_schema!({"type": "array", "items": {"type": "string", "enum": names}})
}
