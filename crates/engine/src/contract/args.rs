//! Arguments that many operations share, each checked by its type.

use std::fmt::Display;
use std::str::FromStr;

use base::shared::MergePreference;
use base::text_type;
use clap::ValueEnum;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// Which side wins a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MergeSide {
    /// This store
    Ours,
    /// The other side
    Theirs,
}

impl MergeSide {
    /// The preference as a merge takes it.
    pub fn prefer(side: Option<Self>) -> MergePreference {
        match side {
            None => MergePreference::Neither,
            Some(Self::Ours) => MergePreference::Ours,
            Some(Self::Theirs) => MergePreference::Theirs,
        }
    }
}

/// Declares a number type whose values lie between two bounds.
#[macro_export]
macro_rules! number_type {
    ($(#[$doc:meta])* $name:ident, $least:literal ..= $most:literal, default $default:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(try_from = "u32", into = "u32")]
        #[schemars(with = "u32")]
        pub struct $name(u32);

        impl $name {
            /// The largest value.
            pub const MAX: usize = $most;

            /// The number.
            pub const fn get(self) -> usize {
                self.0 as usize
            }
        }
        impl Default for $name {
            fn default() -> Self {
                Self($default)
            }
        }
        impl TryFrom<u32> for $name {
            type Error = String;
            fn try_from(number: u32) -> Result<Self, String> {
                let good = ($least..=$most).contains(&number);
                let refused = || format!("{number} is not between {} and {}", $least, $most);
                good.then_some(Self(number)).ok_or_else(refused)
            }
        }
        impl std::str::FromStr for $name {
            type Err = String;
            fn from_str(text: &str) -> Result<Self, String> {
                text.parse::<u32>().map_err(|error| error.to_string())?.try_into()
            }
        }
        impl From<$name> for u32 {
            fn from(number: $name) -> u32 {
                number.0
            }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

pub use crate::number_type;

number_type!(
    /// Maximum number of rows in an answer.
    Limit, 1..=1000, default 50
);
number_type!(
    /// How many rows are skipped first.
    Offset, 0..=4_000_000, default 0
);
number_type!(
    /// How many hops a walk takes. A larger number is reduced to the maximum, and the answer says
    /// so.
    WalkDepth, 1..=1000, default 3
);
number_type!(
    /// How many hops around a centre are shown. A larger number is reduced to the maximum, and the
    /// answer says so.
    Hops, 1..=1000, default 2
);
number_type!(
    /// How many tokens an answer may cost.
    TokenBudget, 1..=100_000, default 1200
);

/// Maximum number of hops of a walk.
const MAX_HOPS: usize = 5;

/// A note that the requested number of hops exceeds the limit.
fn clamp_note(asked: usize) -> Option<String> {
    (asked > MAX_HOPS)
        .then(|| format!("{asked} hops were asked for; at most {MAX_HOPS} are followed"))
}

impl WalkDepth {
    /// How many hops are taken.
    pub fn clamped(self) -> usize {
        self.get().min(MAX_HOPS)
    }

    /// A note if more were asked for.
    pub fn note(self) -> Option<String> {
        clamp_note(self.get())
    }
}

impl Hops {
    /// How many hops are taken.
    pub fn clamped(self) -> usize {
        self.get().min(MAX_HOPS)
    }

    /// A note if more were asked for.
    pub fn note(self) -> Option<String> {
        clamp_note(self.get())
    }
}

/// The longest target or query, in bytes: the text of an issue with the log that was pasted into it.
const MAX_TEXT_BYTES: usize = 256 * 1024;

fn check_text(text: &str) -> Result<(), String> {
    match text.len() {
        _ if text.trim().is_empty() => Err("it is empty".into()),
        long if long > MAX_TEXT_BYTES => {
            Err(format!("{long} bytes are more than {MAX_TEXT_BYTES}"))
        }
        _ => Ok(()),
    }
}

text_type!(
    /// A day such as `2026-01-31`, which starts at midnight UTC, or a moment as RFC 3339 has it.
    Since, |text| parse_moment(text).map(drop)
);

impl Since {
    /// The moment it means.
    pub fn moment(&self) -> Timestamp {
        parse_moment(self.as_str()).unwrap_or(Timestamp::MIN)
    }
}

fn parse_moment(text: &str) -> Result<Timestamp, String> {
    let day = || text.parse::<Date>().ok()?.to_zoned(TimeZone::UTC).ok();
    let moment = text.parse().ok().or_else(|| Some(day()?.timestamp()));
    moment.ok_or_else(|| format!("`{text}` is not a date such as 2026-01-31, nor a timestamp"))
}

text_type!(
    /// A handle, or what a person would type instead: a path, a name, an id.
    NodeTarget, check_text
);

text_type!(
    /// Words to look for.
    Words, check_text
);

/// A list of objects. On the command line it is JSON, `@file`, or `-` for stdin; the door reads the
/// last two.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
#[serde(transparent)]
pub struct Objects(Vec<Value>);

impl Objects {
    /// The values.
    pub fn get(&self) -> &[Value] {
        &self.0
    }

    fn of(value: Value) -> Result<Self, String> {
        match value {
            Value::Null => Ok(Self::default()),
            Value::Array(items) => Ok(Self(items)),
            Value::String(text) if text.trim_start().starts_with(['[', '{']) => text.parse(),
            one => Ok(Self(vec![one])),
        }
    }
}

impl FromStr for Objects {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "-" || text.starts_with('@') {
            return Ok(Self(vec![text.into()]));
        }
        if !text.trim_start().starts_with(['[', '{', '"']) {
            return Ok(Self(text.split(',').map(|word| word.trim().into()).collect()));
        }
        Self::of(serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))?)
    }
}

impl<'de> Deserialize<'de> for Objects {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        Self::of(Value::deserialize(input)?).map_err(serde::de::Error::custom)
    }
}

impl schemars::JsonSchema for Objects {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Objects".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "array", "items": {"type": "object"}})
    }
}

/// Takes a list, or one value: callers send both.
pub fn one_or_many<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: Display>,
{
    many(Value::deserialize(deserializer)?)
}

/// Takes a list, or values with commas between them: callers send both.
pub fn comma_list<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: Display>,
{
    many(match Value::deserialize(deserializer)? {
        Value::String(text) => text.split(',').map(str::trim).collect(),
        other => other,
    })
}

fn many<T: FromStr<Err: Display>, E: serde::de::Error>(value: Value) -> Result<Vec<T>, E> {
    let items = match value {
        Value::Array(items) => items,
        Value::Null => Vec::new(),
        one => vec![one],
    };
    let parse = |item: Value| match item {
        Value::String(text) => text.parse().map_err(E::custom),
        other => Err(E::custom(format!("{other} is not text"))),
    };
    items.into_iter().map(parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Input {
        #[serde(default, deserialize_with = "one_or_many")]
        targets: Vec<NodeTarget>,
        #[serde(default, deserialize_with = "comma_list")]
        kinds: Vec<NodeTarget>,
    }

    #[test]
    fn lists_are_taken_in_every_shape() {
        let read = |json: &str| {
            let input: Result<Input, _> = serde_json::from_str(json);
            input.map(|input| {
                let all = input.targets.iter().chain(&input.kinds);
                all.map(ToString::to_string).collect::<Vec<_>>()
            })
        };
        assert_eq!(read(r#"{"targets": "first a, then b"}"#).unwrap(), ["first a, then b"]);
        assert_eq!(read(r#"{"kinds": "a, b"}"#).unwrap(), ["a", "b"]);
        assert_eq!(read(r#"{"kinds": ["a, b", "c"]}"#).unwrap(), ["a, b", "c"]);
        assert!(read(r#"{"targets": [1]}"#).is_err());
        assert!(read(r#"{"targets": ""}"#).is_err());
    }

    #[test]
    fn bounds_hold_on_both_sides() {
        assert!("0".parse::<Limit>().is_err());
        assert!(serde_json::from_str::<Limit>("1001").is_err());
        assert!(serde_json::from_str::<Limit>("-1").is_err());
        assert_eq!("7".parse::<Limit>().map(Limit::get), Ok(7));
    }
}
