//! JSON Schemas that every MCP client takes: no `$schema`, `$defs`, `format`, nulls or `oneOf`.

use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

/// A JSON object: a schema, an input, or one side of an envelope.
pub type JsonObject = Map<String, Value>;

/// What an operation accepts.
pub fn input<T: JsonSchema>() -> JsonObject {
    generate::<T>(SchemaSettings::draft2020_12().for_deserialize())
}

/// The mark of an argument that is taken and shown by `help`, and not listed with the tool: every
/// listed word costs each client a part of its context.
const RARE_MARKER: &str = "x-rare";

/// The part of an input schema that is worth its place in a list of tools: the usual arguments,
/// each with the first line of its help. Of the fields of items only the enumerations are listed.
pub fn listed_input(mut schema: JsonObject) -> JsonObject {
    let Some(Value::Object(fields)) = schema.get_mut("properties") else { return schema };
    let all = fields.len();
    fields.retain(|_, field| field.get(RARE_MARKER).is_none());
    for field in fields.values_mut() {
        if let Some(Value::Object(items)) = field.get_mut("items") {
            items.remove("description"); // the field has one of its own
            list_item_fields(items);
        }
        let first = field["description"].as_str().and_then(|text| text.lines().next());
        if let Some(first) = first.map(ToOwned::to_owned) {
            field["description"] = first.into();
        }
    }
    if fields.len() < all {
        schema.remove("additionalProperties"); // arguments that are not listed are accepted too
    }
    schema
}

/// Leaves the enumerations among the fields of an item.
fn list_item_fields(items: &mut JsonObject) {
    let Some(Value::Object(fields)) = items.get_mut("properties") else { return };
    fields.retain(|_, field| field.get("enum").is_some() && field.get(RARE_MARKER).is_none());
    for field in fields.values_mut().filter_map(Value::as_object_mut) {
        field.remove("description");
    }
    if fields.is_empty() {
        items.remove("properties");
    }
}

/// What an operation answers.
pub fn output<T: JsonSchema>() -> JsonObject {
    generate::<T>(SchemaSettings::draft2020_12().for_serialize())
}

fn generate<T: JsonSchema>(settings: SchemaSettings) -> JsonObject {
    let settings = settings.with(|s| (s.meta_schema, s.inline_subschemas) = (None, true));
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    RecursiveTransform(simplify).transform(&mut schema);
    let mut object = schema.as_object().expect("a struct's schema is an object").clone();
    // The tool carries its own name and description: sending them twice costs tokens.
    object.remove("title");
    object.remove("description");
    // An operation without arguments still has properties: none.
    object.entry("properties").or_insert_with(|| Map::new().into());
    object
}

fn simplify(schema: &mut Schema) {
    let Some(object) = schema.as_object_mut() else { return };
    object.remove("format");
    // The lower bound of an unsigned number is obvious.
    object.retain(|key, value| !(key == "minimum" && *value == 0));
    object.retain(|key, value| !(key == "default" && (value.is_null() || *value == empty_list())));
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".into(), only);
        }
    }
    // A list whose items have no type is a list of objects: every other item has a type.
    if object.get("items").is_some_and(|items| *items == json!(true) || *items == json!({})) {
        object.insert("items".into(), json!({"type": "object"}));
    }
    unwrap_nullable(object);
    fold_choices(object);
}

fn empty_list() -> Value {
    Value::Array(Vec::new())
}

/// `anyOf: [T, null]` becomes T, keeping the field's own description.
fn unwrap_nullable(object: &mut JsonObject) {
    let Some(Value::Array(options)) = object.get_mut("anyOf") else { return };
    options.retain(|option| option["type"] != "null");
    if let [Value::Object(only)] = options.as_slice() {
        let only = only.clone();
        object.remove("anyOf");
        only.into_iter().for_each(|(key, value)| {
            object.entry(key).or_insert(value);
        });
    }
}

/// A documented enum is a `oneOf` of constants; a plain `enum` says the same to every client.
fn fold_choices(object: &mut JsonObject) {
    let Some(Value::Array(options)) = object.get("oneOf") else { return };
    let names: Option<Vec<Value>> = options.iter().map(|o| o.get("const").cloned()).collect();
    if let Some(names) = names {
        object.remove("oneOf");
        object.insert("type".into(), "string".into());
        object.insert("enum".into(), names.into());
    }
}
