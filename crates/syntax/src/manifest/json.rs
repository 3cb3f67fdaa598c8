//! JSON with comments, as far as manifests need it.

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use crate::model::ConditionalTarget;

/// Deeper nesting than this is no manifest; reading it could exhaust the stack.
const MAX_DEPTH: usize = 100;

/// Parses an object and passes it to `read`; `None` if the text is not an object.
pub(super) fn with_object<T>(text: &str, read: impl FnOnce(&Object<'_>) -> T) -> Option<T> {
    if is_too_deep(text) {
        return None;
    }
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default()).ok()?;
    match parsed.value? {
        Value::Object(object) => Some(read(&object)),
        _ => None,
    }
}

fn is_too_deep(text: &str) -> bool {
    let mut depth = 0_usize;
    text.bytes().any(|byte| {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > MAX_DEPTH
    })
}

/// The text of a property.
pub(super) fn text(object: &Object<'_>, name: &str) -> Option<String> {
    object.get_string(name).map(|text| text.value.to_string())
}

/// A text, or a list of texts.
pub(super) fn texts(value: Option<&Value<'_>>) -> Vec<String> {
    match value {
        Some(Value::StringLit(text)) => vec![text.value.to_string()],
        Some(Value::Array(list)) => {
            let each = list.elements.iter().filter_map(Value::as_string_lit);
            each.map(|text| text.value.to_string()).collect()
        }
        _ => Vec::new(),
    }
}

/// The value of a property.
pub(super) fn value<'o, 'a>(object: &'o Object<'a>, name: &str) -> Option<&'o Value<'a>> {
    object.get(name).map(|property| &property.value)
}

/// The properties of an object whose values are texts.
pub(super) fn text_pairs(object: Option<&Object<'_>>) -> Vec<(String, String)> {
    let all = object.map(|object| object.properties.as_slice()).unwrap_or_default();
    let pair = |property: &jsonc_parser::ast::ObjectProp<'_>| {
        let text = property.value.as_string_lit()?;
        Some((property.name.as_str().to_owned(), text.value.to_string()))
    };
    all.iter().filter_map(pair).collect()
}

/// A value of `exports` or `imports`.
pub(super) fn conditional(value: &Value<'_>) -> ConditionalTarget {
    match value {
        Value::StringLit(text) => ConditionalTarget::File(text.value.to_string()),
        Value::Array(list) => {
            ConditionalTarget::First(list.elements.iter().map(conditional).collect())
        }
        Value::Object(object) => {
            let each = object.properties.iter();
            ConditionalTarget::Keyed(
                each.map(|p| (p.name.as_str().to_owned(), conditional(&p.value))).collect(),
            )
        }
        _ => ConditionalTarget::Nothing,
    }
}
