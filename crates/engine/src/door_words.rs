//! Answers in the words of the door they leave through: a suggested call is a shell line on the
//! command line, a tool call for an agent, a request over HTTP.

use base::NextCall;
use clap::{Arg, ArgAction, Command};
use serde_json::{Value, json};

use crate::contract::answer::{self, Outcome};
use crate::contract::page::Paint;
use crate::contract::schema::Object;
use crate::contract::spec::OpSpec;
use crate::ops;

/// How a door writes a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DoorWords {
    /// A line for a shell
    CommandLine,
    /// A tool call; these tools are listed, the others are reached by `ask` and `run`
    Tools(Vec<String>),
    /// A request to the HTTP API
    Requests,
}

impl DoorWords {
    /// An answer as text.
    pub fn text(&self, outcome: &Outcome, paint: Paint) -> String {
        answer::to_text(outcome, paint, &|call| self.call(call))
    }

    /// An answer as JSON.
    pub fn json(&self, outcome: &Outcome) -> Value {
        answer::to_json(outcome, &|call| self.call(call))
    }

    /// A call, as this door takes it.
    pub fn call(&self, call: &NextCall) -> String {
        let Some(op) = ops::ALL.iter().find(|op| op.name == call.operation) else {
            // `cairn mcp` and its like are words of the command line alone.
            return format!("cairn {}", call.operation.replace('.', " "));
        };
        let args = without_defaults(op, &call.args);
        match self {
            Self::CommandLine => command_line(op, &args),
            // What only a person may do is written as that person types it.
            _ if !op.opens(self.door()) => command_line(op, &args),
            Self::Tools(listed) => tool_call(op, &args, listed),
            Self::Requests => format!("POST /api/{} {}", op.name, Value::Object(args)),
        }
    }

    fn door(&self) -> crate::contract::op::Door {
        use crate::contract::op::Door;
        match self {
            Self::CommandLine => Door::Cli,
            Self::Tools(_) => Door::Mcp,
            Self::Requests => Door::Http,
        }
    }
}

/// The arguments that say something: neither absent, nor what is assumed without them.
fn without_defaults(op: &OpSpec, args: &Object) -> Object {
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

fn tool_call(op: &OpSpec, args: &Object, listed: &[String]) -> String {
    let name = op.tool_name();
    if listed.contains(&name) {
        return format!("{name} {}", Value::Object(args.clone()));
    }
    let indirect = if op.reads() { "ask" } else { "run" };
    let arguments = match args.is_empty() {
        true => String::new(),
        false => format!(r#","arguments":{}"#, Value::Object(args.clone())),
    };
    format!(r#"{indirect} {{"operation":"{}"{arguments}}}"#, op.name)
}

/// The words that a person types, quoted for a shell: what stands alone first, flags after it.
fn command_line(op: &OpSpec, args: &Object) -> String {
    let shape = shape(op);
    let mut words = vec!["cairn".to_owned(), op.words()];
    let (alone, flags): (Vec<&Arg>, Vec<&Arg>) =
        shape.get_arguments().partition(|arg| arg.is_positional());
    let given = |arg: &Arg| args.get(arg.get_id().as_str());
    let alone = alone.into_iter().filter_map(|arg| Some(texts(given(arg)?)));
    let alone: Vec<String> = alone.flatten().collect();
    let behind = alone.iter().any(|word| word.starts_with('-'));
    if !behind {
        words.extend(alone.iter().map(|word| quoted(word)));
    }
    words.extend(flags.into_iter().filter_map(|arg| Some(flag(arg, given(arg)?))).flatten());
    if behind {
        words.push("--".into());
        words.extend(alone.iter().map(|word| quoted(word)));
    }
    words.join(" ")
}

/// The operation's arguments, with the numbers that clap gives to those without a flag.
fn shape(op: &OpSpec) -> Command {
    let mut command = (op.command)();
    command.build();
    command
}

fn flag(arg: &Arg, value: &Value) -> Vec<String> {
    let Some(long) = arg.get_long() else { return Vec::new() };
    match arg.get_action() {
        ArgAction::SetTrue => vec![format!("--{long}")],
        ArgAction::Append if arg.get_value_delimiter().is_none() => {
            texts(value).iter().map(|text| format!("--{long} {}", quoted(text))).collect()
        }
        _ => vec![format!("--{long} {}", quoted(&texts(value).join(",")))],
    }
}

/// A value as words; what is nested is JSON.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::String(text) => vec![text.clone()],
        other => vec![other.to_string()],
    }
}

fn quoted(word: &str) -> String {
    // A null byte cannot be typed; nothing that was typed has one.
    shlex::try_quote(word).map_or_else(|_| format!("{word:?}"), Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_written_as_each_door_takes_it() {
        let call = NextCall::to("code.grep")
            .with("pattern", "a b's")
            .with("glob", json!(["*.rs"]))
            .with("limit", 20)
            .with("offset", 20);
        let line = DoorWords::CommandLine.call(&call);
        assert!(line.starts_with("cairn code grep \"a b's\" "), "{line}");
        assert!(line.contains("--glob '*.rs'") && line.contains("--offset 20"), "{line}");
        let listed = DoorWords::Tools(vec!["code_grep".into()]).call(&call);
        assert!(listed.starts_with("code_grep {"), "{listed}");
        let indirect = DoorWords::Tools(Vec::new()).call(&call);
        assert!(indirect.starts_with(r#"ask {"operation":"code.grep""#), "{indirect}");
        assert!(DoorWords::Requests.call(&call).starts_with("POST /api/code.grep {"));
    }

    #[test]
    fn what_is_assumed_anyway_is_left_out() {
        let call = NextCall::to("impact").with("target", "a.rs").with("depth", 3);
        assert_eq!(DoorWords::CommandLine.call(&call), "cairn impact a.rs");
    }

    #[test]
    fn what_only_a_person_may_do_is_a_shell_line_everywhere() {
        let words = DoorWords::Tools(Vec::new()).call(&NextCall::to("trust"));
        assert_eq!(words, "cairn trust");
    }

    #[test]
    fn a_word_that_looks_like_a_flag_stands_behind_two_dashes() {
        let call = NextCall::to("search").with("query", "-x").with("offset", 9);
        assert_eq!(DoorWords::CommandLine.call(&call), "cairn search --offset 9 -- -x");
    }
}
