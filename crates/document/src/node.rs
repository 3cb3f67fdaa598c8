//! A value of a document, with its type, its place and the bytes it is written in.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::Number;

use crate::error::TextPosition;

/// A value and where it is written.
#[derive(Debug, Clone, PartialEq)]
pub struct YamlNode {
    /// What it is
    pub value: YamlValue,
    /// Where it starts
    pub position: TextPosition,
    /// The bytes of the text it is written in; where an alias stands, those of the alias
    pub span: Range<usize>,
    /// How it is written
    pub style: YamlStyle,
    /// A plain scalar that is no text, as it is written: `007`, `1.50`
    pub(crate) source_text: Option<Box<str>>,
}

/// What a value is. Only `true` and `false` are booleans; a date is text.
#[derive(Debug, Clone, PartialEq)]
pub enum YamlValue {
    /// Nothing, `~` or `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A whole or broken number
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
    /// Not written at all: the value of `tags:`
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
    /// A list or map with one entry a line
    Block,
    /// As an alias of something written above
    Alias,
}

/// Values by name, in the order of the text. No name is there twice.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct YamlMap(pub(crate) Vec<(YamlNode, YamlNode)>);

impl YamlMap {
    /// The value called `name`.
    pub fn get(&self, name: &str) -> Option<&YamlNode> {
        self.iter().find(|(key, _)| *key == name).map(|(_, value)| value)
    }

    /// Where the name itself is written.
    pub fn position_of(&self, name: &str) -> Option<TextPosition> {
        self.entry(name).map(|(key, _)| key.position)
    }

    /// Names and values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &YamlNode)> {
        self.0.iter().map(|(key, value)| (key.as_str().unwrap_or_default(), value))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn entry(&self, name: &str) -> Option<&(YamlNode, YamlNode)> {
        self.0.iter().find(|(key, _)| key.as_str() == Some(name))
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

    /// Any single value as it is written: `status: 1.0` is the text `1.0` to who wants text.
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

    /// Its items, if it is a list; nothing written is an empty list.
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

    /// Whether nothing is there.
    pub fn is_null(&self) -> bool {
        self.value == YamlValue::Null
    }

    /// What it is, as a person says it.
    pub const fn kind_name(&self) -> &'static str {
        match self.value {
            YamlValue::Null => "nothing",
            YamlValue::Bool(_) => "a yes or no",
            YamlValue::Number(_) => "a number",
            YamlValue::Text(_) => "a text",
            YamlValue::List(_) => "a list",
            YamlValue::Map(_) => "a map",
        }
    }

    /// The value alone, with its types.
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

    /// One past the last byte that is written of it, without the blank that follows.
    pub(crate) fn end(&self, text: &str) -> usize {
        let inner = match (&self.value, self.style) {
            (YamlValue::List(items), YamlStyle::Block) => items.last().map(|item| item.end(text)),
            (YamlValue::Map(fields), YamlStyle::Block) => {
                fields.0.last().map(|(key, value)| key.end(text).max(value.end(text)))
            }
            _ => None,
        };
        let end = inner.unwrap_or(self.span.end);
        let start = self.span.start.min(end);
        start + text[start..end].trim_end().len()
    }
}
