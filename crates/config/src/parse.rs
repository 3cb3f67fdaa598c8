//! Bytes to a [`Config`] and what is wrong with them.
//!
//! The file is walked along the schema. Each value is tried alone, so that one mistake costs one
//! key.

use base::TextPosition;
use base::text::without_byte_order_mark;
use jsonc_parser::ast::{Object, Value as Ast};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Map, Value};

use crate::Config;
use crate::finding::{ConfigFinding, FindingCode};
use crate::keys::{self, SchemaNode};
use crate::schema::published_schema;

/// A larger file is not read: no configuration that people write comes near it.
pub const MAX_BYTES: usize = 1024 * 1024;

/// The most findings that are reported for a file.
pub const MAX_FINDINGS: usize = 100;

/// The settings in a `cairn.jsonc`, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ParsedConfig {
    /// What is in force: the file's good values over the defaults
    pub config: Config,
    /// What is wrong, in the order of the file
    pub findings: Vec<ConfigFinding>,
}

/// Reads the text of a `cairn.jsonc`. An empty text is a file without settings.
pub fn parse(text: &[u8]) -> ParsedConfig {
    let text = match decode(text) {
        Ok(text) => text,
        Err(finding) => return ParsedConfig { findings: vec![finding], ..ParsedConfig::default() },
    };
    let root = match parse_to_ast(text, &CollectOptions::default(), &jsonc()) {
        Ok(parsed) => parsed.value,
        Err(error) => return syntax_error(text, error.range().start, &error.kind().to_string()),
    };
    let mut reader =
        ConfigReader { text, findings: Vec::new(), accepted: Value::Object(Map::new()) };
    match root {
        None => {}
        Some(Ast::Object(root)) => reader.read_group(root, published_schema(), &[], ""),
        Some(other) => {
            return syntax_error(
                text,
                other.range().start,
                "the file must contain one JSON object",
            );
        }
    }
    let config = serde_json::from_value(reader.accepted).unwrap_or_default();
    ParsedConfig { config, findings: reader.findings }
}

/// The dialect: JSON with comments and trailing commas, and no other extensions.
pub fn jsonc() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// The text without its byte order mark; an error if it is not UTF-8 or too long.
pub(crate) fn decode(bytes: &[u8]) -> Result<&str, ConfigFinding> {
    if bytes.len() > MAX_BYTES {
        let message = format!("the file is larger than {MAX_BYTES} bytes and was not read");
        return Err(whole_file_finding(TextPosition::START, message));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(without_byte_order_mark(text)),
        Err(error) => {
            let good = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            let position = TextPosition::of_byte(&good, good.len());
            Err(whole_file_finding(position, "the file is not UTF-8".into()))
        }
    }
}

fn syntax_error(text: &str, offset: usize, message: &str) -> ParsedConfig {
    let mut letters = message.chars();
    let lower = letters.next().map(|first| first.to_lowercase().chain(letters).collect());
    let position = TextPosition::of_byte(text, offset);
    let finding = whole_file_finding(position, lower.unwrap_or_default());
    ParsedConfig { config: Config::default(), findings: vec![finding] }
}

fn whole_file_finding(position: TextPosition, message: String) -> ConfigFinding {
    let hint = Some("until this is fixed, every key has its default value".into());
    let TextPosition { line, column } = position;
    ConfigFinding { code: FindingCode::Syntax, key: String::new(), line, column, message, hint }
}

struct ConfigReader<'a> {
    text: &'a str,
    findings: Vec<ConfigFinding>,
    accepted: Value,
}

impl ConfigReader<'_> {
    /// Reads the keys of one object. `path` is its path in the model, `written` its path as spelled
    /// in the file.
    fn read_group(&mut self, object: Object, schema: &Value, path: &[&str], written: &str) {
        for property in object.properties {
            let (at, name) = (property.range.start, property.name.as_str());
            let shown = if written.is_empty() { name.into() } else { format!("{written}.{name}") };
            let Some(key) = keys::find_key(schema, path.is_empty(), name) else {
                self.report_unknown_key(at, schema, path, &shown, name);
                continue;
            };
            let path = [path, &[key.name]].concat();
            match (keys::schema_node(key.schema), property.value) {
                (SchemaNode::Leaf, value) => {
                    let value = if key.singular { as_list(value) } else { value };
                    self.read_leaf(at, key.schema, &path, &shown, value);
                }
                (_, Ast::Object(inner)) => self.read_group(inner, key.schema, &path, &shown),
                (_, value) => {
                    let is = keys::describe_type(keys::json_type(&value.into()));
                    let message = format!("`{shown}` must be an object, not {is}");
                    self.report(FindingCode::WrongType, at, &shown, message, None);
                }
            }
        }
    }

    fn read_leaf(&mut self, at: usize, schema: &Value, path: &[&str], shown: &str, value: Ast) {
        let whole = value.range().start;
        let elements = value.as_array().map_or(&[][..], |array| array.elements.as_slice());
        let places: Vec<usize> = elements.iter().map(|element| element.range().start).collect();
        let value = Value::from(value);
        if let Err(error) = keys::check_value(schema, path, &value) {
            let place = error.element.and_then(|index| places.get(index)).copied().unwrap_or(whole);
            let shown = error.element.map_or(shown.into(), |index| format!("{shown}[{index}]"));
            self.report(error.code, place, &shown, error.about(&shown), None);
        } else if !insert(&mut self.accepted, path, value) {
            let message = format!("duplicate key `{shown}`; the first one is used");
            self.report(FindingCode::InvalidValue, at, shown, message, None);
        }
    }

    fn report_unknown_key(
        &mut self,
        at: usize,
        schema: &Value,
        path: &[&str],
        shown: &str,
        name: &str,
    ) {
        if self.findings.len() < MAX_FINDINGS {
            let hint = keys::suggestion(published_schema(), schema, path, name);
            let message = format!("no key `{}`", shown.escape_debug());
            self.report(FindingCode::UnknownKey, at, shown, message, Some(hint));
        }
    }

    fn report(
        &mut self,
        code: FindingCode,
        at: usize,
        key: &str,
        message: String,
        hint: Option<String>,
    ) {
        if self.findings.len() < MAX_FINDINGS {
            let TextPosition { line, column } = TextPosition::of_byte(self.text, at);
            self.findings.push(ConfigFinding {
                code,
                key: key.into(),
                line,
                column,
                message,
                hint,
            });
        }
    }
}

/// The value of a singular key, such as `stop_tag`, as a list of one.
fn as_list(value: Ast) -> Ast {
    match value {
        Ast::StringLit(text) => {
            let range = text.range;
            Ast::Array(jsonc_parser::ast::Array { range, elements: vec![Ast::StringLit(text)] })
        }
        other => other,
    }
}

/// Puts `value` at `path` unless there is a value already; returns whether it did.
fn insert(root: &mut Value, path: &[&str], value: Value) -> bool {
    let slot = path.iter().fold(root, |inner, name| &mut inner[*name]);
    let free = slot.is_null();
    if free {
        *slot = value;
    }
    free
}
