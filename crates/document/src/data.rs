//! A value that is to be written.

use crate::node::{Node, Value};

/// A value without a place yet.
#[derive(Debug, Clone, PartialEq)]
pub enum Data {
    /// Nothing
    Null,
    /// A yes or no
    Bool(bool),
    /// A whole number
    Int(i64),
    /// Text
    Text(String),
    /// Values in order
    List(Vec<Data>),
    /// Values by name, in order
    Map(Vec<(String, Data)>),
}

impl Data {
    /// Whether a value that is written says this.
    pub fn is_said_by(&self, node: &Node) -> bool {
        match (self, &node.value) {
            (Self::Null, Value::Null) => true,
            (Self::Bool(a), Value::Bool(b)) => a == b,
            (Self::Int(a), Value::Number(b)) => b.as_i64() == Some(*a),
            (Self::Text(a), Value::Text(b)) => a == b,
            (Self::List(a), Value::List(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_said_by(b))
            }
            (Self::List(a), Value::Null) => a.is_empty(),
            (Self::Map(a), Value::Map(b)) => {
                let same =
                    |(name, a): &(String, Self)| b.get(name).is_some_and(|b| a.is_said_by(b));
                a.len() == b.0.len() && a.iter().all(same)
            }
            _ => false,
        }
    }
}

impl From<&str> for Data {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Data {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl<T: Into<Self>> FromIterator<T> for Data {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }
}
