//! A value of a document with its type, its position and the bytes that it is written in.

use std::borrow::Cow;
use std::ops::Range;

use base::TextPosition;
use serde_json::Number;

/// A value and where it is written.
#[derive(Debug, Clone, PartialEq)]
pub struct YamlNode {
    /// What it is
    pub value: YamlValue,
    /// Where it starts
    pub position: TextPosition,
    /// The bytes that it is written in; for an alias, those of the alias itself
    pub span: Range<usize>,
    /// How it is written
    pub style: YamlStyle,
    /// The source of a plain scalar that is not a text, such as `007` or `1.50`
    pub(crate) source_text: Option<Box<str>>,
}

/// What a value is. Only `true` and `false` are booleans; a date is text.
#[derive(Debug, Clone, PartialEq)]
pub enum YamlValue {
    /// Nothing, `~` or `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// An integer or a fraction
    Number(Number),
    /// Text
    Text(String),
    /// Values in order
    List(Vec<YamlNode>),
    /// Values by name, in order
    Map(YamlMap),
}

/// How a value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum YamlStyle {
    /// Not written at all, as the value of `tags:`
    Absent,
    /// Without quotes
    Plain,
    /// In single quotes
    SingleQuoted,
    /// In double quotes
    DoubleQuoted,
    /// As a literal or folded block of lines
    BlockScalar,
    /// A list or map in brackets
    Flow,
    /// A list or map with one entry per line
    Block,
    /// As an alias of a value above
    Alias,
}

/// Values by name, in the order of the text. Names are unique.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct YamlMap(pub(crate) Vec<YamlField>);

/// One entry of a map.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct YamlField {
    /// Its name, which is a text
    pub key: YamlNode,
    pub value: YamlNode,
}

impl YamlMap {
    /// The value called `name`.
    pub fn get(&self, name: &str) -> Option<&YamlNode> {
        self.iter().find(|(key, _)| *key == name).map(|(_, value)| value)
    }

    /// The position of the name itself.
    pub fn position_of(&self, name: &str) -> Option<TextPosition> {
        self.entry(name).map(|field| field.key.position)
    }

    /// Names and values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &YamlNode)> {
        self.0.iter().map(|field| (field.key.as_str().unwrap_or_default(), &field.value))
    }

    /// Whether it has no entries.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn entry(&self, name: &str) -> Option<&YamlField> {
        self.0.iter().find(|field| field.key.as_str() == Some(name))
    }
}

impl YamlNode {
    /// Its text, if it is a text.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            YamlValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A single value as it is written, for callers that want text: `1.0` of `status: 1.0`.
    pub fn scalar(&self) -> Option<Cow<'_, str>> {
        match &self.value {
            YamlValue::Text(text) => Some(text.into()),
            YamlValue::Null | YamlValue::List(_) | YamlValue::Map(_) => None,
            YamlValue::Bool(yes) => {
                Some(self.source_text.as_deref().map_or(yes.to_string().into(), Cow::from))
            }
            YamlValue::Number(number) => {
                Some(self.source_text.as_deref().map_or(number.to_string().into(), Cow::from))
            }
        }
    }

    /// Its items, if it is a list; an absent value is an empty list.
    pub fn as_list(&self) -> Option<&[YamlNode]> {
        match &self.value {
            YamlValue::List(items) => Some(items),
            YamlValue::Null => Some(&[]),
            _ => None,
        }
    }

    /// Its fields, if it is a map.
    pub fn as_map(&self) -> Option<&YamlMap> {
        match &self.value {
            YamlValue::Map(fields) => Some(fields),
            _ => None,
        }
    }

    /// Whether it is null or absent.
    pub fn is_null(&self) -> bool {
        self.value == YamlValue::Null
    }

    /// Its type with an article, for messages.
    pub const fn kind_name(&self) -> &'static str {
        match self.value {
            YamlValue::Null => "nothing",
            YamlValue::Bool(_) => "a boolean",
            YamlValue::Number(_) => "a number",
            YamlValue::Text(_) => "a string",
            YamlValue::List(_) => "a list",
            YamlValue::Map(_) => "a map",
        }
    }

    /// The value without its position and style.
    pub fn to_json(&self) -> serde_json::Value {
        match &self.value {
            YamlValue::Null => serde_json::Value::Null,
            YamlValue::Bool(yes) => (*yes).into(),
            YamlValue::Number(number) => number.clone().into(),
            YamlValue::Text(text) => text.as_str().into(),
            YamlValue::List(items) => items.iter().map(Self::to_json).collect(),
            YamlValue::Map(fields) => {
                fields.iter().map(|(name, value)| (name.to_owned(), value.to_json())).collect()
            }
        }
    }

    /// The offset after its last byte, trailing white space excluded.
    pub(crate) fn end(&self, text: &str) -> usize {
        let inner = match (&self.value, self.style) {
            (YamlValue::List(items), YamlStyle::Block) => items.last().map(|item| item.end(text)),
            (YamlValue::Map(fields), YamlStyle::Block) => {
                fields.0.last().map(|field| field.key.end(text).max(field.value.end(text)))
            }
            _ => None,
        };
        let end = inner.unwrap_or(self.span.end);
        let start = self.span.start.min(end);
        start + text[start..end].trim_end().len()
    }
}
