//! Changing one key of a `cairn.jsonc`; comments, order and formatting stay.

use base::text::BYTE_ORDER_MARK;
use base::{Hint, NextCall, Problem, ProblemCode, Result};
use jsonc_parser::cst::{CstInputValue, CstObject, CstObjectProp, CstRootNode};
use serde_json::Value;

use crate::finding::FindingCode;
use crate::keys::{self, SchemaKey, SchemaNode};
use crate::parse::{decode, jsonc, parse};
use crate::schema::published_schema;

/// Sets the key at `key_path`, such as `history.stop_tags`, in the text of a `cairn.jsonc`.
pub fn set(text: &[u8], key_path: &str, value: &Value) -> Result<Vec<u8>> {
    let keys = resolve(key_path)?;
    check(&keys, key_path, value)?;
    let plain =
        decode(text).map_err(|finding| Problem::new(ProblemCode::SyntaxError, finding.message))?;
    let root = CstRootNode::parse(plain, &jsonc()).map_err(|error| {
        Problem::new(ProblemCode::SyntaxError, format!("cairn.jsonc does not parse: {error}"))
            .hint_call("correct it by hand; the position is shown by", NextCall::new("doctor"))
    })?;
    let top = root
        .object_value_or_create()
        .ok_or_else(|| Problem::invalid("cairn.jsonc is not an object"))?;
    set_value(&top, &keys, value)?;
    let mark = if text.starts_with(BYTE_ORDER_MARK.as_bytes()) { BYTE_ORDER_MARK } else { "" };
    verify_parses(format!("{mark}{root}").into_bytes())
}

/// The keys along a path, outermost first.
fn resolve(key_path: &str) -> Result<Vec<SchemaKey<'_>>> {
    let (mut schema, mut keys) = (published_schema(), Vec::<SchemaKey>::new());
    for part in key_path.split('.') {
        let path: Vec<&str> = keys.iter().map(|key| key.name).collect();
        let Some(key) = keys::find_key(schema, keys.is_empty(), part).filter(|_| !part.is_empty())
        else {
            let hint = keys::suggestion(published_schema(), schema, &path, part);
            let hint = match hint.is_empty() {
                true => Hint::from("cairn.schema.json lists all keys"),
                false => hint.into(),
            };
            return Err(
                Problem::invalid(format!("no key `{}`", key_path.escape_debug())).hint(hint)
            );
        };
        schema = key.schema;
        keys.push(key);
    }
    Ok(keys)
}

fn check(keys: &[SchemaKey], key_path: &str, value: &Value) -> Result<()> {
    let Some(last) = keys.last() else { return Err(Problem::invalid("no key was named")) };
    if !matches!(keys::schema_node(last.schema), SchemaNode::Leaf) {
        let hint = "name one key in it, such as `history.stop_tags`";
        return Err(Problem::invalid(format!("`{key_path}` is a group of keys")).hint(hint));
    }
    let path: Vec<&str> = keys.iter().map(|key| key.name).collect();
    keys::check_value(last.schema, &path, value)
        .map_err(|error| Problem::invalid(error.about(key_path)))
}

/// Walks down to the key, making the groups that are missing.
fn set_value(top: &CstObject, keys: &[SchemaKey], value: &Value) -> Result<()> {
    let Some((last, groups)) = keys.split_last() else { return Ok(()) };
    let mut object = top.clone();
    let mut schema = published_schema();
    for group in groups {
        let property = find_property(&object, schema, group)
            .unwrap_or_else(|| object.append(group.name, CstInputValue::Object(Vec::new())));
        object = property.object_value().ok_or_else(|| {
            Problem::invalid(format!("`{}` in cairn.jsonc is not an object", group.name))
        })?;
        schema = group.schema;
    }
    match find_property(&object, schema, last) {
        None => drop(object.append(last.name, to_cst_value(value))),
        Some(property) if is_singular(&property, schema) => {
            drop(property.replace_with(last.name, to_cst_value(value)));
        }
        Some(property) => property.set_value(to_cst_value(value)),
    }
    Ok(())
}

/// The property for `key`, in any of its spellings.
fn find_property(object: &CstObject, schema: &Value, key: &SchemaKey) -> Option<CstObjectProp> {
    let top = std::ptr::eq(schema, published_schema());
    object.properties().into_iter().find(|property| {
        let name = property.decoded_name().unwrap_or_default();
        keys::find_key(schema, top, &name).is_some_and(|found| found.name == key.name)
    })
}

fn is_singular(property: &CstObjectProp, schema: &Value) -> bool {
    let top = std::ptr::eq(schema, published_schema());
    let name = property.decoded_name().unwrap_or_default();
    keys::find_key(schema, top, &name).is_some_and(|found| found.singular)
}

fn to_cst_value(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(truth) => CstInputValue::Bool(*truth),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(list) => CstInputValue::Array(list.iter().map(to_cst_value).collect()),
        Value::Object(map) => CstInputValue::Object(
            map.iter().map(|(name, inner)| (name.clone(), to_cst_value(inner))).collect(),
        ),
    }
}

/// Fails if the edited text does not parse, which would be a bug in this crate.
fn verify_parses(text: Vec<u8>) -> Result<Vec<u8>> {
    let broken = parse(&text).findings.into_iter().find(|f| f.code == FindingCode::Syntax);
    broken.map_or(Ok(text), |f| {
        Err(Problem::internal(format!("the edit would break cairn.jsonc: {f}")))
    })
}
