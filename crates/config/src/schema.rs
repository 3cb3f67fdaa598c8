//! The published JSON schema, made from the model so that there is one list of keys.

use std::sync::LazyLock;

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::Config;

static PUBLISHED: LazyLock<Value> = LazyLock::new(|| {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<Config>().to_value();
    simplify(&mut schema);
    schema["title"] = json!("cairn.jsonc");
    schema
});

/// The JSON schema (draft 2020-12) of `cairn.jsonc`, with descriptions and defaults.
pub fn schema() -> Value {
    PUBLISHED.clone()
}

/// The same schema by reference, for validating a file against it.
pub(crate) fn published_schema() -> &'static Value {
    &PUBLISHED
}

/// Plain types that every editor understands: no `null` beside a type, no number formats, and
/// `enum` for a choice of words.
fn simplify(schema: &mut Value) {
    if let Value::Object(map) = schema {
        simplify_object(map);
        map.values_mut().for_each(simplify);
    } else if let Value::Array(list) = schema {
        list.iter_mut().for_each(simplify);
    }
}

fn simplify_object(map: &mut Map<String, Value>) {
    if map.get("format").is_some_and(Value::is_string) {
        map.remove("format");
    }
    if map.get("default").is_some_and(Value::is_null) {
        map.remove("default");
    }
    if let Some(Value::Array(types)) = map.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = &types[..] {
            let only = only.clone();
            map.insert("type".into(), only);
        }
    }
    if let Some(words) = map.get("oneOf").and_then(Value::as_array).and_then(|all| enum_values(all))
    {
        map.remove("oneOf");
        map.insert("type".into(), "string".into());
        map.insert("enum".into(), words);
    }
}

fn enum_values(choices: &[Value]) -> Option<Value> {
    choices.iter().map(|choice| choice.get("const").cloned()).collect()
}
