//! Types of text in records, each with its limit.

use std::fmt::Display;
use std::str::FromStr;

use base::text_type;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// The largest knowledge or description, in bytes.
pub const MAX_KNOWLEDGE_BYTES: usize = 32 * 1024;

/// The largest summary, in bytes.
const MAX_SUMMARY_BYTES: usize = 4 * 1024;

/// The largest content of a section, in bytes.
const MAX_CONTENT_BYTES: usize = 128 * 1024;

/// The longest name, in characters.
const MAX_NAME_CHARS: usize = 255;

/// The longest tag, in characters.
const MAX_TAG_CHARS: usize = 64;

text_type!(
    /// A name: not empty, at most 255 characters.
    RecordName,
    |text| match text.trim().chars().count() {
        0 => Err("a name must not be empty".into()),
        long if long > MAX_NAME_CHARS => Err(format!("{long} characters are more than {MAX_NAME_CHARS}")),
        _ if text.trim().contains(char::is_control) => Err("a name must be one line".into()),
        _ => Ok(()),
    }
);

text_type!(
    /// Knowledge or a description: at most 32 KB.
    KnowledgeText,
    |text| at_most(text, MAX_KNOWLEDGE_BYTES)
);

text_type!(
    /// A summary: at most 4 KB.
    SummaryText,
    |text| at_most(text, MAX_SUMMARY_BYTES)
);

text_type!(
    /// The summary of a change: not empty, at most 4 KB.
    ChangelogSummary,
    |text| match text.trim() {
        "" => Err("it is empty".into()),
        _ => at_most(text, MAX_SUMMARY_BYTES),
    }
);

text_type!(
    /// The content of a section: at most 128 KB.
    SectionContent,
    |text| match text.len() {
        long if long > MAX_CONTENT_BYTES => Err(format!("{long} bytes are more than {MAX_CONTENT_BYTES}")),
        _ => Ok(()),
    }
);

text_type!(
    /// A tag: one or more words without commas.
    Tag,
    |text| match text.trim() {
        "" => Err("a tag must not be empty".into()),
        tag if tag.chars().count() > MAX_TAG_CHARS => {
            Err(format!("a tag must have at most {MAX_TAG_CHARS} characters"))
        }
        tag if tag.contains(|c: char| c == ',' || c.is_control()) => {
            Err(format!("`{}` is not a tag", tag.escape_debug()))
        }
        _ => Ok(()),
    }
);

text_type!(
    /// The name of a person or agent: one line, at most 255 characters.
    PersonName,
    |text| match text.trim().chars().count() {
        0 => Err("a person's name must not be empty".into()),
        long if long > MAX_NAME_CHARS => Err(format!("{long} characters are more than {MAX_NAME_CHARS}")),
        _ if text.trim().contains(|c: char| c == ',' || c.is_control()) => {
            Err("a person's name must be one line without commas".into())
        }
        _ => Ok(()),
    }
);

text_type!(
    /// Words to search for; `-word` excludes one. Two hyphens are a mistyped option.
    SearchWords,
    |text| match text.split_whitespace().find(|word| word.starts_with("--")) {
        Some(word) => {
            let bare = word.trim_start_matches('-');
            Err(format!("`{word}` is not an option; `-{bare}` excludes a word, `{bare}` searches for it"))
        }
        None => Ok(()),
    }
);

/// The day by which work is due, written as `2026-03-31`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct DueDate(jiff::civil::Date);

impl FromStr for DueDate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let day = text.trim().split(['T', ' ']).next().unwrap_or_default();
        let refused = |_| format!("`{}` is not a day such as 2026-03-31", text.escape_debug());
        day.parse().map(Self).map_err(refused)
    }
}

impl Display for DueDate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for DueDate {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// How long work is expected to take: `30m`, `2h`, `3d` or `1w`. A day has eight hours, a week five
/// days.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Estimate(u32);

/// The units of an estimate, with their minutes, largest first.
const ESTIMATE_UNITS: [(char, u32); 4] = [('w', 5 * 8 * 60), ('d', 8 * 60), ('h', 60), ('m', 1)];

impl Estimate {
    /// An estimate of some minutes.
    pub const fn of_minutes(minutes: u32) -> Self {
        Self(minutes)
    }

    /// Its minutes.
    pub const fn minutes(self) -> u32 {
        self.0
    }
}

impl FromStr for Estimate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refused =
            || format!("`{}` is not an estimate such as 30m, 2h, 3d or 1w", text.escape_debug());
        let text = text.trim();
        let unit = text.chars().last().ok_or_else(refused)?;
        let (number, minutes) = match ESTIMATE_UNITS.iter().find(|(name, _)| *name == unit) {
            Some((_, minutes)) => (&text[..text.len() - 1], *minutes),
            None => (text, 1),
        };
        let number: u32 = number.trim().parse().map_err(|_| refused())?;
        number.checked_mul(minutes).map(Self).ok_or_else(refused)
    }
}

impl Display for Estimate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let fits = |unit: &&(char, u32)| self.0 != 0 && self.0.is_multiple_of(unit.1);
        let (name, minutes) = ESTIMATE_UNITS.iter().find(fits).copied().unwrap_or(('m', 1));
        write!(f, "{}{name}", self.0 / minutes)
    }
}

impl Serialize for Estimate {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

fn at_most(text: &str, most: usize) -> Result<(), String> {
    match text.trim().len() {
        long if long > most => Err(format!("{long} bytes are more than {most}")),
        _ => Ok(()),
    }
}

/// A list of values: an array, a JSON array in a string, or a string with commas.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct ListArg<T>(pub Vec<T>);

impl<T> Default for ListArg<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: FromStr<Err: Display>> FromStr for ListArg<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // A glob may start with a bracket or a brace too, so the text counts as JSON only if it
        // parses.
        if text.trim_start().starts_with(['[', '{'])
            && let Ok(json) = serde_json::from_str::<Value>(text)
        {
            let texts = serde_json::from_value::<Vec<String>>(json)
                .map_err(|_| format!("`{}` is not a list of texts", text.escape_debug()))?;
            return Self::parse(texts.iter().map(String::as_str));
        }
        Self::parse(split(text))
    }
}

impl<T: FromStr<Err: Display>> ListArg<T> {
    fn parse<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        let parse = |text: &str| text.trim().parse().map_err(|error: T::Err| error.to_string());
        texts.into_iter().map(parse).collect::<Result<_, _>>().map(Self)
    }
}

impl<'de, T: FromStr<Err: Display>> Deserialize<'de> for ListArg<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let refused = serde::de::Error::custom;
        match Value::deserialize(deserializer)? {
            Value::String(text) => text.parse().map_err(refused),
            Value::Array(items) => {
                let text = |item: &Value| {
                    let text = item.as_str().map(ToOwned::to_owned);
                    text.ok_or_else(|| refused(format!("{item} is not text")))
                };
                let texts = items.iter().map(text).collect::<Result<Vec<String>, D::Error>>()?;
                Self::parse(texts.iter().map(String::as_str)).map_err(refused)
            }
            other => Err(refused(format!("{other} is not a list"))),
        }
    }
}

impl<T> JsonSchema for ListArg<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Many".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<String>::json_schema(generator)
    }
}

/// The parts between commas. Commas inside braces belong to a glob.
fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0_usize, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' | '\n' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// A structure that callers send as JSON, or as a string that contains JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct JsonArg<T>(pub T);

impl<T: serde::de::DeserializeOwned> FromStr for JsonArg<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map(Self).map_err(|error| error.to_string())
    }
}

impl<'de, T: serde::de::DeserializeOwned> Deserialize<'de> for JsonArg<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => text.parse(),
            value => serde_json::from_value(value).map(Self).map_err(|error| error.to_string()),
        }
        .map_err(serde::de::Error::custom)
    }
}

impl<T: JsonSchema> JsonSchema for JsonArg<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::schema_name()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// A value that can be cleared: by an empty text, `none` or null.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct ClearableArg<T>(pub Option<T>);

impl<T: FromStr> FromStr for ClearableArg<T> {
    type Err = T::Err;

    fn from_str(text: &str) -> Result<Self, T::Err> {
        match text.trim() {
            "" | "none" | "null" => Ok(Self(None)),
            text => text.parse().map(|value| Self(Some(value))),
        }
    }
}

impl<'de, T: FromStr<Err: Display>> Deserialize<'de> for ClearableArg<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Option::<String>::deserialize(deserializer)? {
            None => Ok(Self(None)),
            Some(text) => text.parse().map_err(serde::de::Error::custom),
        }
    }
}

impl<T> JsonSchema for ClearableArg<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "OrNone".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

/// Distinguishes a null field from an absent one; for `deserialize_with` on an `Option<ClearableArg<T>>`.
pub fn deserialize_given<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}

/// Tags without repeats, sorted.
pub fn tags(many: &ListArg<Tag>) -> Vec<String> {
    let mut tags: Vec<String> = many.0.iter().map(|tag| tag.as_str().trim().to_owned()).collect();
    tags.sort();
    tags.dedup();
    tags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_taken_in_every_shape() {
        let read = |json: &str| serde_json::from_str::<ListArg<Tag>>(json).map(|many| tags(&many));
        for same in [r#"["a","b"]"#, r#""b, a""#, r#""[\"a\", \"b\"]""#, r#""a\nb,a""#] {
            assert_eq!(read(same).unwrap(), ["a", "b"], "{same}");
        }
        for bad in ["[1]", "1", r#"[""]"#, "null", r#""[5]""#, r#""{\"a\":1}""#, r#""[[\"a\"]]""#] {
            assert!(read(bad).is_err(), "{bad}");
        }
        assert_eq!(split("src/{a,b}/*.ts, [ab]*.rs"), ["src/{a,b}/*.ts", "[ab]*.rs"]);
    }

    #[test]
    fn estimates_and_days_are_printed_as_they_are_read() {
        for (text, minutes) in [("30m", 30), ("2h", 120), ("3d", 1440), ("1w", 2400), ("0m", 0)] {
            let read: Estimate = text.parse().unwrap();
            assert_eq!((read.minutes(), read.to_string().as_str()), (minutes, text));
        }
        assert_eq!("90".parse::<Estimate>().unwrap().to_string(), "90m");
        assert_eq!("2026-03-31T10:00:00Z".parse::<DueDate>().unwrap().to_string(), "2026-03-31");
        for bad in ["", "h", "1x", "99999999w", "-1h"] {
            assert!(bad.parse::<Estimate>().is_err(), "{bad}");
        }
        assert!("tomorrow".parse::<DueDate>().is_err());
    }

    #[test]
    fn limits_hold_after_trimming() {
        let name = |text: &str| text.parse::<RecordName>().is_ok();
        assert!(name(&"ä".repeat(255)) && !name(&"ä".repeat(256)) && !name("  "));
        let knowledge = |text: &str| text.parse::<KnowledgeText>().is_ok();
        assert!(knowledge(&"x".repeat(MAX_KNOWLEDGE_BYTES)) && !knowledge(&"x".repeat(33 * 1024)));
        assert!(knowledge(&format!("{} \n", "x".repeat(MAX_KNOWLEDGE_BYTES))));
        assert!(
            "".parse::<ChangelogSummary>().is_err()
                && "x".repeat(5000).parse::<ChangelogSummary>().is_err()
        );
    }
}
