//! Finding a key in the schema by any of its spellings, and checking whether it takes a value.

use base::similarity::{did_you_mean, most_similar};
use serde_json::{Map, Value};

use crate::Config;
use crate::finding::FindingCode;

/// Keys of early versions, which took one text; the key that replaced each takes a list.
const SINGULAR_KEYS: [(&str, &str); 2] = [("source_dir", "source_dirs"), ("entry", "entries")];

/// A key that exists.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SchemaKey<'s> {
    /// How the model spells it
    pub(crate) name: &'s str,
    /// What it takes
    pub(crate) schema: &'s Value,
    /// Whether the key is written in the singular, so that its value is the only element of the
    /// list
    pub(crate) singular: bool,
}

/// What a part of the schema holds.
pub(crate) enum SchemaNode<'s> {
    /// Keys with fixed names
    Group(&'s Map<String, Value>),
    /// Keys that the user names, all alike
    UserNamed(&'s Value),
    /// A value
    Leaf,
}

pub(crate) fn schema_node(schema: &Value) -> SchemaNode<'_> {
    match (schema.get("properties"), schema.get("additionalProperties")) {
        (Some(Value::Object(properties)), _) => SchemaNode::Group(properties),
        (_, Some(inner @ Value::Object(_))) => SchemaNode::UserNamed(inner),
        _ => SchemaNode::Leaf,
    }
}

/// The key that `written` names inside `schema`, which is the root when `top`.
pub(crate) fn find_key<'s>(
    schema: &'s Value,
    top: bool,
    written: &'s str,
) -> Option<SchemaKey<'s>> {
    match schema_node(schema) {
        SchemaNode::UserNamed(schema) => Some(SchemaKey { name: written, schema, singular: false }),
        SchemaNode::Leaf => None,
        SchemaNode::Group(properties) => {
            let snake = to_snake_case(written);
            let plural = SINGULAR_KEYS.into_iter().find(|(one, _)| top && *one == snake);
            let wanted = plural.map_or(snake.as_str(), |(_, many)| many);
            let (name, schema) = properties.iter().find(|(name, _)| *name == wanted)?;
            Some(SchemaKey { name, schema, singular: plural.is_some() })
        }
    }
}

/// `stopTags` as `stop_tags`.
fn to_snake_case(text: &str) -> String {
    let mut snake = String::with_capacity(text.len() + 4);
    for c in text.chars() {
        if c.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

/// A hint after an unknown key: the key that was probably meant, or all keys of the group.
pub(crate) fn suggestion(root: &Value, schema: &Value, path: &[&str], written: &str) -> String {
    let SchemaNode::Group(properties) = schema_node(schema) else { return String::new() };
    let full = |name: &str| [path, &[name]].concat().join(".");
    let snake = to_snake_case(written);
    if let [near] = most_similar(&snake, properties.keys().map(String::as_str), 1)[..] {
        return did_you_mean(&full(near));
    }
    if let Some(elsewhere) = find_in_other_group(root, &snake) {
        return did_you_mean(&elsewhere);
    }
    let known: Vec<&str> = properties.keys().map(String::as_str).collect();
    format!("known keys: {}", known.join(", "))
}

/// The group that has a key of this name.
fn find_in_other_group(root: &Value, name: &str) -> Option<String> {
    let SchemaNode::Group(groups) = schema_node(root) else { return None };
    let holds =
        |schema| matches!(schema_node(schema), SchemaNode::Group(keys) if keys.contains_key(name));
    groups.iter().find(|(_, schema)| holds(schema)).map(|(group, _)| format!("{group}.{name}"))
}

/// Why a value does not fit its key.
pub(crate) struct ValueError {
    pub(crate) code: FindingCode,
    pub(crate) message: String,
    /// The element of a list that does not fit, counted from 0; `None` for the whole value
    pub(crate) element: Option<usize>,
}

impl ValueError {
    /// The message with the name of the key, as the file writes it.
    pub(crate) fn about(&self, key: &str) -> String {
        let separator = if self.code == FindingCode::WrongType { "" } else { ":" };
        format!("`{key}`{separator} {}", self.message)
    }
}

/// Checks whether the key at `path` takes `value`.
pub(crate) fn check_value(schema: &Value, path: &[&str], value: &Value) -> Result<(), ValueError> {
    let wrong_type =
        |message, element| Err(ValueError { code: FindingCode::WrongType, message, element });
    if let Some(expected) = type_mismatch(schema, value) {
        return wrong_type(expected, None);
    }
    let elements = value.as_array().map_or(&[][..], Vec::as_slice);
    for (index, element) in elements.iter().enumerate() {
        if let Some(expected) = type_mismatch(&schema["items"], element) {
            return wrong_type(expected, Some(index));
        }
    }
    let Err(message) = try_deserialize(path, value.clone()) else { return Ok(()) };
    // An error of the list as a whole occurs for an empty list too, and belongs to no element.
    let fails = |list: Vec<Value>| {
        try_deserialize(path, Value::Array(list)).err().as_ref() == Some(&message)
    };
    let is_wrong = |element: &Value| fails(vec![element.clone()]) && !fails(Vec::new());
    let element = elements.iter().position(is_wrong);
    Err(ValueError { code: FindingCode::InvalidValue, message, element })
}

/// Deserializes a file that has only this key, to get the error of the model.
fn try_deserialize(path: &[&str], value: Value) -> Result<(), String> {
    let nest = |inner, name: &&str| Value::Object(Map::from_iter([((*name).into(), inner)]));
    let whole = path.iter().rev().fold(value, nest);
    serde_json::from_value::<Config>(whole).map(drop).map_err(|error| error.to_string())
}

fn type_mismatch(schema: &Value, value: &Value) -> Option<String> {
    let expected = schema.get("type")?.as_str()?;
    let is = json_type(value);
    (expected != is)
        .then(|| format!("takes {}, not {}", describe_type(expected), describe_type(is)))
}

pub(crate) fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The type with its article, for messages.
pub(crate) fn describe_type(kind: &str) -> &'static str {
    match kind {
        "boolean" => "true or false",
        "number" => "a number",
        "integer" => "an integer",
        "string" => "a string",
        "array" => "a list",
        "object" => "an object",
        _ => "null",
    }
}
