//! Suggested next steps: a call, and a hint that may end in one.
//!
//! Both name an operation and its arguments, not a command line: each door formats them, as a
//! shell line for a person and as a tool call for an agent.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// A call that is suggested to the reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextCall {
    /// The operation: `group.verb`, or one word
    pub operation: String,
    /// Its arguments, by their names in the schema
    pub args: Map<String, Value>,
}

impl NextCall {
    /// A call without arguments yet.
    pub fn new(operation: impl Into<String>) -> Self {
        Self { operation: operation.into(), args: Map::new() }
    }

    /// The current call, to be repeated with other arguments. The engine fills it in.
    pub fn repeat() -> Self {
        Self::new("")
    }

    /// Replaces [`NextCall::repeat`] by the current call; any other call stays the same.
    #[must_use]
    pub fn resolve_repeat(self, asked: &Self) -> Self {
        if !self.operation.is_empty() {
            return self;
        }
        let mut call = asked.clone();
        call.args.extend(self.args);
        call
    }

    /// Adds an argument, or replaces it.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.args.insert(name.into(), value.into());
        self
    }

    /// Removes an argument.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.args.remove(name);
        self
    }
}

/// The operation and its arguments as JSON, used where no door formats it.
impl fmt::Display for NextCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.operation)?;
        if self.args.is_empty() {
            return Ok(());
        }
        write!(f, " {}", Value::Object(self.args.clone()))
    }
}

/// What to do about a problem, in a fragment that may end in a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// What to do
    pub text: String,
    /// The call that does it
    pub call: Option<NextCall>,
}

impl Hint {
    /// A hint that ends in a call.
    pub fn call(text: impl Into<String>, call: NextCall) -> Self {
        Self { text: text.into(), call: Some(call) }
    }

    /// The hint with its call formatted by `write`.
    pub fn render(&self, write: impl FnOnce(&NextCall) -> String) -> String {
        match &self.call {
            Some(call) if self.text.is_empty() => write(call),
            Some(call) => format!("{}  {}", self.text, write(call)),
            None => self.text.clone(),
        }
    }

    /// Whether its text contains something.
    pub fn contains(&self, part: &str) -> bool {
        self.to_string().contains(part)
    }
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(ToString::to_string))
    }
}

/// Programs get the operation and its arguments, whatever door they use.
impl Serialize for Hint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for Hint {
    fn schema_name() -> Cow<'static, str> {
        "Hint".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

impl From<NextCall> for Hint {
    fn from(call: NextCall) -> Self {
        Self { text: String::new(), call: Some(call) }
    }
}

impl From<&str> for Hint {
    fn from(text: &str) -> Self {
        Self { text: text.into(), call: None }
    }
}

impl From<String> for Hint {
    fn from(text: String) -> Self {
        Self { text, call: None }
    }
}

impl PartialEq<String> for Hint {
    fn eq(&self, other: &String) -> bool {
        *self == other.as_str()
    }
}

impl PartialEq<&str> for Hint {
    fn eq(&self, other: &&str) -> bool {
        let written = self.to_string();
        written.as_str() == *other
    }
}
