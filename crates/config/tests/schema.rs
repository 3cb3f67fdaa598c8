//! The published schema, the model and the template say the same.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use config::{Config, parse, schema, template};
use serde_json::Value;

/// Validates the parts of JSON Schema that our schema uses. Returns each violation as a path and a
/// keyword.
fn violations(schema: &Value, value: &Value, path: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    if schema.get("type").is_some_and(|expected| expected != kind) {
        wrong.push(format!("{path}: type"));
    }
    if schema.get("enum").is_some_and(|words| !words.as_array().unwrap().contains(value)) {
        wrong.push(format!("{path}: enum"));
    }
    if schema.get("minimum").is_some_and(|least| value.as_i64() < least.as_i64()) {
        wrong.push(format!("{path}: minimum"));
    }
    for element in value.as_array().into_iter().flatten() {
        wrong.extend(violations(&schema["items"], element, &format!("{path}[]")));
    }
    for (name, inner) in value.as_object().into_iter().flatten() {
        let path = format!("{path}.{name}");
        match (schema["properties"].get(name), &schema["additionalProperties"]) {
            (None, Value::Bool(false)) => wrong.push(format!("{path}: unknown")),
            (Some(schema), _) | (None, schema) => wrong.extend(violations(schema, inner, &path)),
        }
    }
    wrong
}

/// The template with its commented keys in force.
fn full_template() -> String {
    let line = |line: &str| {
        let text = line.trim_start();
        let key = ["// \"", "//   ", "// }"].iter().any(|start| text.starts_with(start));
        if key { text.trim_start_matches("//").to_owned() } else { line.to_owned() }
    };
    let text: Vec<String> = template().lines().map(line).collect();
    text.join("\n")
}

fn json(text: &str) -> Value {
    let options = jsonc_parser::ParseOptions::default();
    jsonc_parser::parse_to_serde_value(text, &options).unwrap()
}

#[test]
fn the_template_conforms_and_is_the_default() {
    let parsed = parse(template().as_bytes());
    assert_eq!((parsed.config, parsed.findings), (Config::default(), vec![]));
    assert_eq!(violations(&schema(), &json(template()), ""), Vec::<String>::new());
}

#[test]
fn the_templates_comments_show_every_default() {
    let parsed = parse(full_template().as_bytes());
    let mut config = parsed.config;
    assert_eq!((config.languages.len(), parsed.findings), (1, vec![]));
    config.languages.clear();
    // The template has an empty id, to show where it is written.
    assert_eq!(config.team.project.take().as_deref(), Some(""));
    assert_eq!(config, Config::default());
    assert_eq!(violations(&schema(), &json(&full_template()), ""), Vec::<String>::new());
    let shown = json(&full_template());
    for name in schema()["properties"].as_object().unwrap().keys().filter(|name| *name != "$schema")
    {
        assert!(shown.get(name).is_some(), "the template does not show `{name}`");
    }
}

#[test]
fn any_key_of_the_template_can_be_put_in_force_alone() {
    let lines: Vec<&str> = template().lines().collect();
    let starts = lines.iter().enumerate().filter(|(_, line)| line.starts_with("  // \""));
    let mut keys = 0;
    for (start, _) in starts {
        let below = &lines[start + 1..];
        let more = |line: &&&str| line.starts_with("  //  ") || line.starts_with("  // }");
        let end = start + 1 + below.iter().take_while(more).count();
        let bare = |(at, line): (usize, &&str)| {
            if (start..end).contains(&at) {
                line.replacen("// ", "", 1)
            } else {
                (*line).to_owned()
            }
        };
        let text: Vec<String> = lines.iter().enumerate().map(bare).collect();
        assert_eq!(parse(text.join("\n").as_bytes()).findings, [], "{}", lines[start]);
        keys += 1;
    }
    assert_eq!(keys, 10);
}

#[test]
fn the_default_conforms() {
    let default = serde_json::to_value(Config::default()).unwrap();
    assert_eq!(violations(&schema(), &default, ""), Vec::<String>::new());
}

#[test]
fn what_does_not_conform_is_seen_by_the_check_itself() {
    let bad =
        json(r#"{ "code": { "max_file_bytes": 0 }, "x": 1, "kb": { "rules": { "a": "loud" } } }"#);
    assert_eq!(
        violations(&schema(), &bad, ""),
        [".code.max_file_bytes: minimum", ".kb.rules.a: enum", ".x: unknown"]
    );
}

#[test]
fn every_key_is_described_and_has_its_default() {
    fn walk(schema: &Value, path: &str) {
        for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
            let path = format!("{path}.{name}");
            assert!(inner["description"].is_string(), "{path} has no description");
            let optional =
                ["$schema", "default_branch", "server", "formatter", "linter", "project"];
            let has = inner.get("default").is_some() || optional.contains(&name.as_str());
            assert!(has, "{path} has no default");
            walk(inner, &path);
            walk(&inner["additionalProperties"], &path);
        }
    }
    let schema = schema();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!((&schema["title"], schema.get("$id")), (&"cairn.jsonc".into(), None));
    let text = schema.to_string();
    for odd in ["$ref", "$defs", "\"null\"", "\"format\"", "oneOf", "anyOf", "allOf"] {
        assert!(!text.contains(odd), "{odd}");
    }
    walk(&schema, "");
}
