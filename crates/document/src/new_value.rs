//! A value to be written into a document.

use serde_json::Value;

use crate::node::{YamlNode, YamlValue};

/// A value that has no position in a text yet.
#[derive(Debug, Clone, PartialEq)]
pub enum NewValue {
    /// Nothing
    Null,
    /// `true` or `false`
    Bool(bool),
    /// An integer
    Int(i64),
    /// Text
    Text(String),
    /// Values in order
    List(Vec<NewValue>),
    /// Values by name, in order
    Map(Vec<(String, NewValue)>),
}

impl NewValue {
    /// The value that a JSON value stands for. A fraction is written as text.
    pub fn from_json(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(yes) => Self::Bool(*yes),
            Value::Number(number) => {
                number.as_i64().map_or_else(|| Self::Text(number.to_string()), Self::Int)
            }
            Value::String(text) => Self::Text(text.clone()),
            Value::Array(items) => Self::List(items.iter().map(Self::from_json).collect()),
            Value::Object(fields) => {
                let field =
                    |(name, value): (&String, &Value)| (name.clone(), Self::from_json(value));
                Self::Map(fields.iter().map(field).collect())
            }
        }
    }

    /// Whether a parsed node has the same value.
    pub fn equals_node(&self, node: &YamlNode) -> bool {
        match (self, &node.value) {
            (Self::Null, YamlValue::Null) => true,
            (Self::Bool(a), YamlValue::Bool(b)) => a == b,
            (Self::Int(a), YamlValue::Number(b)) => b.as_i64() == Some(*a),
            (Self::Text(a), YamlValue::Text(b)) => a == b,
            (Self::List(a), YamlValue::List(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.equals_node(b))
            }
            (Self::List(a), YamlValue::Null) => a.is_empty(),
            (Self::Map(a), YamlValue::Map(b)) => {
                let same =
                    |(name, a): &(String, Self)| b.get(name).is_some_and(|b| a.equals_node(b));
                a.len() == b.0.len() && a.iter().all(same)
            }
            _ => false,
        }
    }
}

impl From<&str> for NewValue {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for NewValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl<T: Into<Self>> FromIterator<T> for NewValue {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }
}
