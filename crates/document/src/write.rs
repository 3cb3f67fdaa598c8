//! Values as text, in the style of what stands there already.

use crate::data::Data;
use crate::node::{Style, Value};
use crate::read;

/// Where a value will stand: in brackets, commas and braces have a meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Around {
    Lines,
    Brackets,
}

/// A value on one line, quoted like its neighbour where that can say it.
pub(crate) fn inline(value: &Data, like: Style, around: Around) -> String {
    match value {
        Data::Null => "null".into(),
        Data::Bool(yes) => yes.to_string(),
        Data::Int(number) => number.to_string(),
        Data::Text(text) => quoted(text, like, around),
        Data::List(items) => {
            let items = items.iter().map(|item| inline(item, Style::Plain, Around::Brackets));
            format!("[{}]", items.collect::<Vec<_>>().join(", "))
        }
        Data::Map(fields) => {
            let field = |(name, value): &(String, Data)| {
                let name = quoted(name, Style::Plain, Around::Brackets);
                format!("{name}: {}", inline(value, Style::Plain, Around::Brackets))
            };
            format!("{{ {} }}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
        }
    }
}

/// A value after `name:`, with the blank or the line break before it.
pub(crate) fn after_colon(value: &Data, like: Style, indent: &str, newline: &str) -> String {
    match value {
        Data::Null => String::new(),
        Data::List(items) if items.is_empty() => " []".into(),
        Data::List(items) if like != Style::Flow => {
            let line = |item| {
                format!("{newline}{indent}  - {}", inline(item, Style::Plain, Around::Lines))
            };
            items.iter().map(line).collect()
        }
        value => format!(" {}", inline(value, like, Around::Lines)),
    }
}

fn quoted(text: &str, like: Style, around: Around) -> String {
    match like {
        Style::Single if !text.contains(char::is_control) => {
            format!("'{}'", text.replace('\'', "''"))
        }
        Style::Double => doubled(text),
        _ if is_plain(text, around) => text.into(),
        _ => doubled(text),
    }
}

/// Whether a text without quotes is read back as the same text.
fn is_plain(text: &str, around: Around) -> bool {
    let starts =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '/' | '(' | '.' | '<' | '$' | '+');
    let odd = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}');
    let in_brackets = |c: char| matches!(c, ',' | '[' | ']' | '{' | '}');
    text.starts_with(starts)
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.contains(odd)
        && (around == Around::Lines || !text.contains(in_brackets))
        && !matches!(text, "..." | "---")
        && matches!(read::resolve(text), Value::Text(_))
}

fn doubled(text: &str) -> String {
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
