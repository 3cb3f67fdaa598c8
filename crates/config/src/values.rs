//! The types of the values that keys take, each with its check.

use std::fmt;

use base::text_type;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

text_type!(
    /// A path, folder or glob pattern; `*` does not cross a `/`.
    PathPattern,
    |text| {
        let glob = text.strip_prefix('!').unwrap_or(text);
        if glob.trim().is_empty() {
            return Err("a pattern must not be empty".into());
        }
        let built = globset::GlobBuilder::new(glob).literal_separator(true).build();
        built.map(drop).map_err(|error| format!("`{text}` is not a pattern: {}", error.kind()))
    }
);

text_type!(
    /// A kind of card: the part of its key before the `::`.
    CardType,
    |text| {
        let inner = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        let good = text.starts_with(char::is_alphabetic) && text.chars().all(inner);
        good.then_some(()).ok_or_else(|| {
            format!("`{}` is not a card type: letters, digits, `-` and `_`", text.escape_debug())
        })
    }
);

text_type!(
    /// The name of a git branch.
    BranchName,
    |text| {
        let odd = |c: char| {
            c.is_whitespace() || c.is_control() || matches!(c, '~' | '^' | ':' | '?' | '*' | '[' | '\\')
        };
        let bad = text.is_empty() || text.starts_with(['-', '/']) || text.ends_with(['/', '.']);
        let good = !bad && !text.contains(odd) && !text.contains("..") && !text.contains("@{");
        good.then_some(()).ok_or_else(|| format!("`{}` is not a branch name", text.escape_debug()))
    }
);

text_type!(
    /// The name of a program, looked up in the project's tools and then on `PATH`.
    ProgramName,
    |text| {
        let good = !text.trim().is_empty() && !text.contains(char::is_control);
        good.then_some(()).ok_or_else(|| "the name of a program must be one line of text".into())
    }
);

text_type!(
    /// A set of tools: an area such as `code`, or `all`.
    Toolset,
    |text| check_word(text, "a toolset such as `code` or `all`")
);

text_type!(
    /// Something that has to be there before a task may be closed, such as `links` or `tests`.
    EvidenceKind,
    |text| check_word(text, "a kind of evidence such as `links` or `tests`")
);

fn check_word(text: &str, what: &str) -> Result<(), String> {
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let good = text.starts_with(|c: char| c.is_ascii_lowercase()) && text.chars().all(inner);
    good.then_some(()).ok_or_else(|| format!("`{}` is not {what}", text.escape_debug()))
}

/// Whether a rule is checked, and with what severity it reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Value", into = "Value")]
pub enum RuleLevel {
    /// `"off"` or `false`: the rule is not checked
    Off,
    /// `"warning"`
    Warning,
    /// `"error"`
    Error,
    /// `true`: at the rule's own severity
    On,
}

impl TryFrom<Value> for RuleLevel {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        match (value.as_str(), value.as_bool()) {
            (Some("off"), _) | (_, Some(false)) => Ok(Self::Off),
            (Some("warning"), _) => Ok(Self::Warning),
            (Some("error"), _) => Ok(Self::Error),
            (_, Some(true)) => Ok(Self::On),
            _ => Err(format!("expected `off`, `warning`, `error`, true or false, not {value}")),
        }
    }
}

impl From<RuleLevel> for Value {
    fn from(level: RuleLevel) -> Value {
        match level {
            RuleLevel::Off => "off".into(),
            RuleLevel::Warning => "warning".into(),
            RuleLevel::Error => "error".into(),
            RuleLevel::On => true.into(),
        }
    }
}

impl JsonSchema for RuleLevel {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Level".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "enum": ["off", "warning", "error", true, false] })
    }
}

/// A state of work that a pipeline may pass through.
pub trait Stage: Copy + Ord + fmt::Debug + 'static {
    /// Every state, in the order work passes through them.
    const ALL: &'static [Self];
    /// The states no pipeline may leave out: its start, the middle and its end.
    const REQUIRED: [Self; 3];
}

macro_rules! stages {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
        pub enum $name { $($(#[$variant_doc])* $variant),* }

        impl Stage for $name {
            const ALL: &'static [Self] = &[$(Self::$variant),*];
            const REQUIRED: [Self; 3] = [Self::New, Self::Active, Self::Closed];
        }
    };
}

stages!(
    /// The status of a feature.
    FeatureState {
        /// Not begun
        New,
        /// Being worked on
        Active,
        /// Done, not yet released
        ReadyToProd,
        /// Done
        Closed,
    }
);

stages!(
    /// The status of a task.
    TaskState {
        /// Not begun
        New,
        /// Being worked on
        Active,
        /// Written, not yet tested
        ToBeTested,
        /// Done, not yet released
        ReadyToProd,
        /// Done
        Closed,
    }
);

/// The states that work passes through, in order: from `NEW` through `ACTIVE` to `CLOSED`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Vec<S>", into = "Vec<S>")]
#[serde(bound(deserialize = "S: Stage + Deserialize<'de>", serialize = "S: Stage + Serialize"))]
#[schemars(with = "Vec<S>")]
pub struct Pipeline<S: Stage> {
    stages: Vec<S>,
    is_set: bool,
}

impl<S: Stage> Pipeline<S> {
    /// The states, first to last.
    pub fn stages(&self) -> &[S] {
        &self.stages
    }

    /// Whether the configuration names them; otherwise they are the default.
    pub const fn is_set(&self) -> bool {
        self.is_set
    }
}

/// Pipelines are equal if their states are, whether they are configured or the default.
impl<S: Stage> PartialEq for Pipeline<S> {
    fn eq(&self, other: &Self) -> bool {
        self.stages == other.stages
    }
}

impl<S: Stage> Eq for Pipeline<S> {}

impl<S: Stage> Default for Pipeline<S> {
    fn default() -> Self {
        Self { stages: S::REQUIRED.to_vec(), is_set: false }
    }
}

impl<S: Stage> TryFrom<Vec<S>> for Pipeline<S> {
    type Error = String;

    fn try_from(stages: Vec<S>) -> Result<Self, String> {
        if !S::REQUIRED.iter().all(|stage| stages.contains(stage)) {
            return Err("a pipeline must contain the states `NEW`, `ACTIVE` and `CLOSED`".into());
        }
        if !stages.is_sorted_by(|a, b| a < b) {
            return Err("a pipeline must name each state once, in order".into());
        }
        Ok(Self { stages, is_set: true })
    }
}

impl<S: Stage> From<Pipeline<S>> for Vec<S> {
    fn from(pipeline: Pipeline<S>) -> Vec<S> {
        pipeline.stages
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipeline_is_an_ordered_subset_with_its_three_fixed_states() {
        use TaskState::{Active, Closed, New, ReadyToProd, ToBeTested};
        for good in [vec![New, Active, Closed], TaskState::ALL.to_vec()] {
            assert_eq!(Pipeline::try_from(good.clone()).unwrap().stages(), good);
        }
        for bad in [
            vec![],
            vec![New, Closed],
            vec![Active, New, Closed],
            vec![New, Active, Active, Closed],
            vec![New, Active, ReadyToProd, ToBeTested, Closed],
        ] {
            assert!(Pipeline::try_from(bad.clone()).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn names_that_git_would_read_as_options_or_ranges_are_no_branches() {
        for bad in ["", "-f", "a..b", "a b", "a^", "x@{1}", "a/", "\n"] {
            assert!(bad.parse::<BranchName>().is_err(), "{bad}");
        }
        assert!("feature/ü-1".parse::<BranchName>().is_ok());
    }
}
