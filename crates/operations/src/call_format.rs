//! Answers in the form of the door that sends them: a suggested call is a shell line on the command
//! line, a tool call for an agent, and a request over HTTP.

use base::NextCall;
use clap::{Arg, ArgAction, Command};
use serde_json::{Value, json};

use crate::ops;
use engine::contract::answer::{self, Outcome};
use engine::contract::page::ColorMode;
use engine::contract::schema::JsonObject;
use engine::contract::spec::OpSpec;

/// How a door writes a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallFormat {
    /// A line for a shell
    CommandLine,
    /// A tool call; these tools are listed, the others are reached by `ask` and `run`
    ToolCall(Vec<String>),
    /// A request to the HTTP API
    Http,
}

impl CallFormat {
    /// An answer as text.
    pub fn text(&self, outcome: &Outcome, paint: ColorMode) -> String {
        answer::to_text(outcome, paint, &|call| self.call(call))
    }

    /// An answer as JSON.
    pub fn json(&self, outcome: &Outcome) -> Value {
        answer::to_json(outcome, &|call| self.call(call))
    }

    /// A call, as this door takes it.
    pub fn call(&self, call: &NextCall) -> String {
        let Some(op) = ops::ALL.iter().find(|op| op.name == call.operation) else {
            // `cairn mcp` and similar commands exist only on the command line.
            return format!("cairn {}", call.operation.replace('.', " "));
        };
        let args = without_defaults(op, &call.args);
        match self {
            Self::CommandLine => command_line(op, &args),
            // A call that only a person may make is written as that person types it.
            _ if !op.is_reachable_from(self.door()) => command_line(op, &args),
            Self::ToolCall(listed) => tool_call(op, &args, listed),
            Self::Http => format!("POST /api/{} {}", op.name, Value::Object(args)),
        }
    }

    fn door(&self) -> engine::contract::op::Door {
        use engine::contract::op::Door;
        match self {
            Self::CommandLine => Door::Cli,
            Self::ToolCall(_) => Door::Mcp,
            Self::Http => Door::Http,
        }
    }
}

/// A call as a person types it, for reports that people read outside of any door.
pub(crate) fn as_typed(call: &NextCall) -> String {
    CallFormat::CommandLine.call(call)
}

/// The arguments that are given and differ from their defaults.
fn without_defaults(op: &OpSpec, args: &JsonObject) -> JsonObject {
    let schema = (op.input_schema)();
    let default =
        |name: &str| schema["properties"].get(name).and_then(|field| field.get("default"));
    let says = |(name, value): &(&String, &Value)| match value {
        Value::Null => false,
        Value::Array(items) if items.is_empty() => false,
        Value::Bool(false) => default(name).is_some_and(|default| *default == json!(true)),
        value => default(name) != Some(*value),
    };
    args.iter().filter(says).map(|(name, value)| (name.clone(), value.clone())).collect()
}

fn tool_call(op: &OpSpec, args: &JsonObject, listed: &[String]) -> String {
    let name = op.tool_name();
    if listed.contains(&name) {
        return format!("{name} {}", Value::Object(args.clone()));
    }
    let indirect = if op.is_read_only() { "ask" } else { "run" };
    let arguments = match args.is_empty() {
        true => String::new(),
        false => format!(r#","arguments":{}"#, Value::Object(args.clone())),
    };
    format!(r#"{indirect} {{"operation":"{}"{arguments}}}"#, op.name)
}

/// The words that a person types, quoted for a shell: positional arguments first, then flags.
fn command_line(op: &OpSpec, args: &JsonObject) -> String {
    let shape = clap_command(op);
    let mut words = vec!["cairn".to_owned(), op.words()];
    let (alone, flags): (Vec<&Arg>, Vec<&Arg>) =
        shape.get_arguments().partition(|arg| arg.is_positional());
    let given = |arg: &Arg| args.get(arg.get_id().as_str());
    let alone = alone.into_iter().filter_map(|arg| Some(value_words(given(arg)?)));
    let alone: Vec<String> = alone.flatten().collect();
    let behind = alone.iter().any(|word| word.starts_with('-'));
    if !behind {
        words.extend(alone.iter().map(|word| shell_quoted(word)));
    }
    words.extend(flags.into_iter().filter_map(|arg| Some(flag_words(arg, given(arg)?))).flatten());
    if behind {
        words.push("--".into());
        words.extend(alone.iter().map(|word| shell_quoted(word)));
    }
    words.join(" ")
}

/// The operation's arguments, with the numbers that clap gives to those without a flag.
fn clap_command(op: &OpSpec) -> Command {
    let mut command = (op.command)();
    command.build();
    command
}

fn flag_words(arg: &Arg, value: &Value) -> Vec<String> {
    let Some(long) = arg.get_long() else { return Vec::new() };
    match arg.get_action() {
        ArgAction::SetTrue => vec![format!("--{long}")],
        ArgAction::Append if arg.get_value_delimiter().is_none() => value_words(value)
            .iter()
            .map(|text| format!("--{long} {}", shell_quoted(text)))
            .collect(),
        _ => vec![format!("--{long} {}", shell_quoted(&value_words(value).join(",")))],
    }
}

/// A value as words; what is nested is JSON.
fn value_words(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().flat_map(value_words).collect(),
        Value::String(text) => vec![text.clone()],
        other => vec![other.to_string()],
    }
}

fn shell_quoted(word: &str) -> String {
    // A text with a null byte cannot be quoted, but such a text cannot have been typed.
    shlex::try_quote(word).map_or_else(|_| format!("{word:?}"), Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_written_as_each_door_takes_it() {
        let call = NextCall::new("code.grep")
            .with("pattern", "a b's")
            .with("glob", json!(["*.rs"]))
            .with("limit", 20)
            .with("offset", 20);
        let line = CallFormat::CommandLine.call(&call);
        assert!(line.starts_with("cairn code grep \"a b's\" "), "{line}");
        assert!(line.contains("--glob '*.rs'") && line.contains("--offset 20"), "{line}");
        let listed = CallFormat::ToolCall(vec!["code_grep".into()]).call(&call);
        assert!(listed.starts_with("code_grep {"), "{listed}");
        let indirect = CallFormat::ToolCall(Vec::new()).call(&call);
        assert!(indirect.starts_with(r#"ask {"operation":"code.grep""#), "{indirect}");
        assert!(CallFormat::Http.call(&call).starts_with("POST /api/code.grep {"));
    }

    #[test]
    fn what_is_assumed_anyway_is_left_out() {
        let call = NextCall::new("impact").with("target", "a.rs").with("depth", 3);
        assert_eq!(CallFormat::CommandLine.call(&call), "cairn impact a.rs");
    }

    #[test]
    fn what_only_a_person_may_do_is_a_shell_line_everywhere() {
        let words = CallFormat::ToolCall(Vec::new()).call(&NextCall::new("trust"));
        assert_eq!(words, "cairn trust");
    }

    #[test]
    fn a_word_that_looks_like_a_flag_stands_behind_two_dashes() {
        let call = NextCall::new("search").with("query", "-x").with("offset", 9);
        assert_eq!(CallFormat::CommandLine.call(&call), "cairn search --offset 9 -- -x");
    }
}
