//! Other names that callers give to arguments: `file` for `path`, `id` for `key`.
//!
//! A name that an operation declares always means itself. Any other one means the field of its
//! group that the operation has and the caller did not give, if there is exactly one.

use serde_json::Value;

use super::schema::JsonObject;

/// Names for the same thing. The first group that fits is taken.
const SYNONYM_GROUPS: &[&[&str]] = &[
    &["path", "paths", "file", "files", "file_path", "folder", "dir", "directory"],
    &["key", "card", "card_key", "slug"],
    &["query", "text", "pattern", "q", "words", "regex"],
    &["name", "query"],
    &["operation", "command", "tool"],
    &["new_name", "to_name", "rename_to"],
    &["content", "body", "code", "source_text"],
    &["budget", "max_tokens", "tokens"],
    &["limit", "max_results", "top", "count"],
    &["kind", "kinds", "type", "types"],
    &["tags", "tag", "labels", "label"],
    &["glob", "globs", "include"],
    &["status", "statuses", "state", "states"],
    &["rules", "rule"],
    &["change", "change_id", "number"],
    &["entry", "changeset", "changeset_id", "change", "number"],
    &[
        "target", "targets", "node", "nodes", "handle", "symbol", "id", "ids", "name", "center",
        "key", "path", "paths", "file", "query",
    ],
];

/// The field that a name means, among the fields of an operation that were not given.
pub fn field_for<'a>(
    name: &str,
    fields: &'a [String],
    given: &dyn Fn(&str) -> bool,
) -> Option<&'a str> {
    let groups = SYNONYM_GROUPS.iter().filter(|group| group.contains(&name));
    groups.into_iter().find_map(|group| {
        let open = |field: &&String| group.contains(&field.as_str()) && !given(field);
        let mut open = fields.iter().filter(open);
        match (open.next(), open.next()) {
            (Some(only), None) => Some(only.as_str()),
            _ => None,
        }
    })
}

/// Arguments under the names that the operation declares, as lists where it wants lists.
pub fn with_declared_names(args: JsonObject, schema: &JsonObject) -> JsonObject {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return args };
    let fields: Vec<String> = properties.keys().cloned().collect();
    let args = join_path_and_symbol(args, &fields);
    let unknown = |key: &str| !fields.iter().any(|field| field == key);
    if !args.keys().any(|key| unknown(key)) {
        return args;
    }
    let given: Vec<String> = args.keys().cloned().collect();
    let is_given = |field: &str| given.iter().any(|key| key == field);
    let mut ours = JsonObject::new();
    for (key, value) in args {
        let meant = if unknown(&key) { field_for(&key, &fields, &is_given) } else { None };
        match meant.filter(|field| !ours.contains_key(*field)) {
            Some(field) => ours.insert(field.into(), to_field_shape(value, &properties[field])),
            None => ours.insert(key, value),
        };
    }
    ours
}

/// A path and a symbol in it are one target, where the operation takes one.
fn join_path_and_symbol(mut args: JsonObject, fields: &[String]) -> JsonObject {
    let has = |name: &str| fields.iter().any(|field| field == name);
    let Some(field) = ["target", "path"].into_iter().find(|name| has(name)) else { return args };
    if has("symbol") || (field == "target" && has("path")) {
        return args;
    }
    let paths = ["path", "file", "file_path"];
    let found = paths.into_iter().find(|name| args.get(*name).is_some_and(Value::is_string));
    let (Some(path), Some(Value::String(symbol))) = (found, args.get("symbol")) else {
        return args;
    };
    let whole = format!("{}#{symbol}", args[path].as_str().unwrap_or_default());
    args.remove(path);
    args.remove("symbol");
    args.insert(field.into(), whole.into());
    args
}

/// Turns a single value into a list of one, or a list of one into its value, as the field's type
/// requires.
fn to_field_shape(value: Value, field: &Value) -> Value {
    let wants_list = field["type"] == "array";
    match value {
        Value::Array(mut items) if !wants_list && items.len() == 1 => items.remove(0),
        value if wants_list && !value.is_array() => Value::Array(vec![value]),
        value => value,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ours(args: Value, fields: &Value) -> Value {
        let Value::Object(args) = args else { unreachable!() };
        let Value::Object(schema) = json!({"properties": fields}) else { unreachable!() };
        with_declared_names(args, &schema).into()
    }

    #[test]
    fn other_names_mean_the_one_field_that_fits() {
        let one = json!({"target": {"type": "string"}, "limit": {"type": "integer"}});
        assert_eq!(ours(json!({"id": "a"}), &one), json!({"target": "a"}));
        assert_eq!(ours(json!({"file": "a", "symbol": "b"}), &one), json!({"target": "a#b"}));
        let list = json!({"paths": {"type": "array"}});
        assert_eq!(ours(json!({"path": "a"}), &list), json!({"paths": ["a"]}));
        let find = json!({"name": {"type": "string"}, "path": {"type": "string"}});
        assert_eq!(ours(json!({"query": "a"}), &find), json!({"name": "a"}));
        let rollback = json!({"entry": {"type": "integer"}});
        assert_eq!(ours(json!({"changeset": 1}), &rollback), json!({"entry": 1}));
    }

    #[test]
    fn a_declared_name_means_itself_and_two_that_fit_mean_neither() {
        let two = json!({"from": {"type": "string"}, "id": {"type": "string"},
            "name": {"type": "string"}});
        assert_eq!(ours(json!({"name": "a"}), &two), json!({"name": "a"}));
        assert_eq!(ours(json!({"target": "a"}), &two), json!({"target": "a"}));
        assert_eq!(ours(json!({"id": "x", "target": "a"}), &two), json!({"id": "x", "name": "a"}));
    }
}
