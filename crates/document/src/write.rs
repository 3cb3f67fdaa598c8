//! Values as YAML text, formatted like the text around them.

use crate::new_value::NewValue;
use crate::node::{YamlStyle, YamlValue};
use crate::read;

/// Where a value is written: commas and braces have a meaning inside of brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum YamlContext {
    Block,
    Flow,
}

/// A value on one line, quoted like its neighbour where that is possible.
pub(crate) fn inline(value: &NewValue, like: YamlStyle, around: YamlContext) -> String {
    match value {
        NewValue::Null => "null".into(),
        NewValue::Bool(yes) => yes.to_string(),
        NewValue::Int(number) => number.to_string(),
        NewValue::Text(text) => quote(text, like, around),
        NewValue::List(items) => {
            let items = items.iter().map(|item| inline(item, YamlStyle::Plain, YamlContext::Flow));
            format!("[{}]", items.collect::<Vec<_>>().join(", "))
        }
        NewValue::Map(fields) => {
            let field = |(name, value): &(String, NewValue)| {
                let name = quote(name, YamlStyle::Plain, YamlContext::Flow);
                format!("{name}: {}", inline(value, YamlStyle::Plain, YamlContext::Flow))
            };
            format!("{{ {} }}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
        }
    }
}

/// A value after `name:`, with the space or the line break before it.
pub(crate) fn after_colon(
    value: &NewValue,
    like: YamlStyle,
    indent: &str,
    newline: &str,
) -> String {
    match value {
        NewValue::Null => String::new(),
        NewValue::List(items) if items.is_empty() => " []".into(),
        NewValue::List(items) if like != YamlStyle::Flow => {
            let line = |item| {
                format!(
                    "{newline}{indent}  - {}",
                    inline(item, YamlStyle::Plain, YamlContext::Block)
                )
            };
            items.iter().map(line).collect()
        }
        value => format!(" {}", inline(value, like, YamlContext::Block)),
    }
}

fn quote(text: &str, like: YamlStyle, around: YamlContext) -> String {
    match like {
        YamlStyle::SingleQuoted if !text.contains(char::is_control) => {
            format!("'{}'", text.replace('\'', "''"))
        }
        YamlStyle::DoubleQuoted => double_quote(text),
        _ if is_plain(text, around) => text.into(),
        _ => double_quote(text),
    }
}

/// Whether a text without quotes is read back as the same text.
fn is_plain(text: &str, around: YamlContext) -> bool {
    let starts =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '/' | '(' | '.' | '<' | '$' | '+');
    let odd = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}');
    let in_brackets = |c: char| matches!(c, ',' | '[' | ']' | '{' | '}');
    text.starts_with(starts)
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.contains(odd)
        && (around == YamlContext::Block || !text.contains(in_brackets))
        && !matches!(text, "..." | "---")
        && matches!(read::resolve_plain_scalar(text), YamlValue::Text(_))
}

fn double_quote(text: &str) -> String {
    let escape = |c: char| match c {
        '"' => "\\\"".into(),
        '\\' => "\\\\".into(),
        '\n' => "\\n".into(),
        '\r' => "\\r".into(),
        '\t' => "\\t".into(),
        c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
            format!("\\u{:04x}", u32::from(c))
        }
        c => c.to_string(),
    };
    format!("\"{}\"", text.chars().map(escape).collect::<String>())
}
