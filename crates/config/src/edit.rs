//! Changing one key of a `cairn.jsonc`; comments, order and formatting stay.

use base::{Code, Hint, NextCall, Problem, Result};
use jsonc_parser::cst::{CstInputValue, CstObject, CstObjectProp, CstRootNode};
use serde_json::Value;

use crate::finding::FindingCode;
use crate::keys::{self, Key, Node};
use crate::parse::{jsonc, parse, readable};
use crate::schema::published;

const BOM: &str = "\u{feff}";

/// Sets the key at `key_path`, such as `history.stop_tags`, in the text of a `cairn.jsonc`.
pub fn set(text: &[u8], key_path: &str, value: &Value) -> Result<Vec<u8>> {
    let keys = resolve(key_path)?;
    check(&keys, key_path, value)?;
    let plain =
        readable(text).map_err(|finding| Problem::new(Code::SyntaxError, finding.message))?;
    let root = CstRootNode::parse(plain, &jsonc()).map_err(|error| {
        Problem::new(Code::SyntaxError, format!("cairn.jsonc does not parse: {error}"))
            .hint_call("correct it by hand; the place is shown by", NextCall::to("doctor"))
    })?;
    let top = root
        .object_value_or_create()
        .ok_or_else(|| Problem::invalid("cairn.jsonc is not an object"))?;
    put(&top, &keys, value)?;
    let bom = if text.starts_with(BOM.as_bytes()) { BOM } else { "" };
    proven(format!("{bom}{root}").into_bytes())
}

/// The keys along a path, outermost first.
fn resolve(key_path: &str) -> Result<Vec<Key<'_>>> {
    let (mut schema, mut keys) = (published(), Vec::<Key>::new());
    for part in key_path.split('.') {
        let path: Vec<&str> = keys.iter().map(|key| key.name).collect();
        let Some(key) = keys::find(schema, keys.is_empty(), part).filter(|_| !part.is_empty())
        else {
            let hint = keys::suggestion(published(), schema, &path, part);
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

fn check(keys: &[Key], key_path: &str, value: &Value) -> Result<()> {
    let Some(last) = keys.last() else { return Err(Problem::invalid("no key was named")) };
    if !matches!(keys::node(last.schema), Node::Leaf) {
        let hint = "name one key in it, such as `history.stop_tags`";
        return Err(Problem::invalid(format!("`{key_path}` is a group of keys")).hint(hint));
    }
    let path: Vec<&str> = keys.iter().map(|key| key.name).collect();
    keys::accepts(last.schema, &path, value).map_err(|(code, why, _)| {
        let joint = if code == FindingCode::WrongType { "" } else { ":" };
        Problem::invalid(format!("`{key_path}`{joint} {why}"))
    })
}

/// Walks down to the key, making the groups that are missing.
fn put(top: &CstObject, keys: &[Key], value: &Value) -> Result<()> {
    let Some((last, groups)) = keys.split_last() else { return Ok(()) };
    let mut object = top.clone();
    let mut schema = published();
    for group in groups {
        let property = written(&object, schema, group)
            .unwrap_or_else(|| object.append(group.name, CstInputValue::Object(Vec::new())));
        object = property.object_value().ok_or_else(|| {
            Problem::invalid(format!("`{}` in cairn.jsonc is not an object", group.name))
        })?;
        schema = group.schema;
    }
    match written(&object, schema, last) {
        None => drop(object.append(last.name, input(value))),
        Some(property) if is_singular(&property, schema) => {
            drop(property.replace_with(last.name, input(value)));
        }
        Some(property) => property.set_value(input(value)),
    }
    Ok(())
}

/// The property that spells `key` in whatever way.
fn written(object: &CstObject, schema: &Value, key: &Key) -> Option<CstObjectProp> {
    let top = std::ptr::eq(schema, published());
    object.properties().into_iter().find(|property| {
        let name = property.decoded_name().unwrap_or_default();
        keys::find(schema, top, &name).is_some_and(|found| found.name == key.name)
    })
}

fn is_singular(property: &CstObjectProp, schema: &Value) -> bool {
    let top = std::ptr::eq(schema, published());
    let name = property.decoded_name().unwrap_or_default();
    keys::find(schema, top, &name).is_some_and(|found| found.singular)
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(truth) => CstInputValue::Bool(*truth),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(list) => CstInputValue::Array(list.iter().map(input).collect()),
        Value::Object(map) => CstInputValue::Object(
            map.iter().map(|(name, inner)| (name.clone(), input(inner))).collect(),
        ),
    }
}

/// An edit that does not parse is our mistake and never leaves this crate.
fn proven(text: Vec<u8>) -> Result<Vec<u8>> {
    let broken = parse(&text).findings.into_iter().find(|f| f.code == FindingCode::Syntax);
    broken.map_or(Ok(text), |f| {
        Err(Problem::internal(format!("the edit would break cairn.jsonc: {f}")))
    })
}
