//! The reference page of `cairn.jsonc`, written from the schema of its model.

use std::fmt::Write as _;

use serde_json::{Map, Value};

/// What the page says before the keys.
const INTRODUCTION: &str = "\
`cairn.jsonc` in the root of a repository holds its settings. The file and every key in it are optional. It is JSON with
comments and trailing commas. `cairn init` writes one that shows every key with its default, most of them as comments. `cairn
doctor` checks the file, and mistakes in it are named in the basis of every answer. A key with a mistake keeps its default.

Keys may also be written in camel case (`maxFileBytes`). Editors can use the [JSON schema](cairn.schema.json).
";

/// The page, with a heading for each group of keys.
pub(crate) fn page() -> String {
    let mut text = format!("\n# `cairn.jsonc`\n\n{INTRODUCTION}");
    write_group(&mut text, "", &config::schema());
    text
}

/// A table of the keys of one group, then the groups inside it.
fn write_group(text: &mut String, path: &str, schema: &Value) {
    let Some(keys) = schema["properties"].as_object() else { return };
    let heading = if path.is_empty() { "Top level".to_owned() } else { format!("`{path}`") };
    let _ = write!(text, "\n## {heading}\n\n");
    if let (false, Some(meaning)) = (path.is_empty(), schema["description"].as_str()) {
        let _ = write!(text, "{meaning}.\n\n");
    }
    write_table(text, keys);
    for (name, schema) in keys {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        write_group(text, &path, schema);
        write_group(text, &format!("{path}.NAME"), &schema["additionalProperties"]);
    }
}

/// A row for each key that is not a group.
fn write_table(text: &mut String, keys: &Map<String, Value>) {
    let mut values = keys.iter().filter(|(_, schema)| !is_group(schema)).peekable();
    if values.peek().is_some() {
        text.push_str("| key | type | default | meaning |\n|---|---|---|---|\n");
    }
    for (name, schema) in values {
        let default = schema.get("default").map(|default| format!("`{default}`"));
        let meaning = schema["description"].as_str().unwrap_or_default();
        let _ = writeln!(
            text,
            "| `{name}` | {} | {} | {meaning} |",
            type_words(schema),
            default.unwrap_or_default()
        );
    }
}

/// Whether a key holds other keys with names and meanings of their own.
fn is_group(schema: &Value) -> bool {
    schema["properties"].is_object() || schema["additionalProperties"]["properties"].is_object()
}

/// The type of a value in words, with the values that it is limited to.
fn type_words(schema: &Value) -> String {
    if let Some(values) = schema["enum"].as_array() {
        let values: Vec<String> = values.iter().map(|value| format!("`{value}`")).collect();
        return values.join(", ");
    }
    match schema["type"].as_str() {
        Some("array") if schema["items"]["enum"].is_array() => {
            format!("list of {}", type_words(&schema["items"]))
        }
        Some("array") => format!("list of {}s", type_words(&schema["items"])),
        Some("object") => {
            format!("object with values {}", type_words(&schema["additionalProperties"]))
        }
        Some("integer") => match schema["minimum"].as_u64() {
            Some(minimum) => format!("integer, at least {minimum}"),
            None => "integer".into(),
        },
        Some(name) => name.to_owned(),
        None => "any".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_of_the_model_is_on_the_page() {
        let page = page();
        for key in ["card_types", "max_file_bytes", "work.pipelines", "languages.NAME", "formatter"]
        {
            assert!(page.contains(key), "{key}");
        }
        assert!(page.contains("| `max_commit_files` | integer, at least 1 | `50` |"), "{page}");
        assert!(!page.contains("| any |"), "{page}");
    }
}
