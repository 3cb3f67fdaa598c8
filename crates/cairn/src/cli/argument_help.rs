//! What an argument accepts, as part of its help: the words of a closed list, and how several values
//! are given. The schema of the operation says it, so the command line and tools say the same.

use std::ffi::OsString;

use clap::builder::StyledStr;
use clap::{Arg, ArgAction, Command};
use engine::Door;
use operations::ops;
use serde_json::Value;

/// Whether a command line asks for help. The schemas of all operations are read only then.
pub(super) fn is_asked(args: &[OsString]) -> bool {
    let mut flags = args.iter().take_while(|arg| *arg != "--");
    flags.any(|arg| arg == "--help" || arg == "-h")
}

/// The command line with what each argument accepts in its help.
pub(super) fn with_accepted_values(root: Command) -> Command {
    ops::ALL.iter().filter(|op| op.is_reachable_from(Door::Cli)).fold(root, |root, op| {
        let schema = (op.input_schema)();
        let Some(fields) = schema.get("properties") else { return root };
        let explained = |command: Command| command.mut_args(|arg| with_accepted_value(arg, fields));
        match op.name.split_once('.') {
            None => root.mut_subcommand(op.name.replace('_', "-"), explained),
            Some((group, verb)) => root.mut_subcommand(group, |command| {
                command.mut_subcommand(verb.replace('_', "-"), explained)
            }),
        }
    })
}

fn with_accepted_value(arg: Arg, fields: &Value) -> Arg {
    let Some(field) = fields.get(arg.get_id().as_str()) else { return arg };
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let notes: Vec<String> =
        [missing_words(&arg, field, &help), list_form(&arg, field)].into_iter().flatten().collect();
    if notes.is_empty() {
        return arg;
    }
    let notes = format!(" [{}]", notes.join("; "));
    let long = arg.get_long_help().map(|long| StyledStr::from(format!("{long}{notes}")));
    let arg = arg.help(format!("{help}{notes}"));
    match long {
        Some(long) => arg.long_help(long),
        None => arg,
    }
}

/// The words that an argument accepts, unless its help names them already.
fn missing_words(arg: &Arg, field: &Value, help: &str) -> Option<String> {
    let words = field.get("enum").or_else(|| field["items"].get("enum"))?.as_array()?;
    let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
    let is_listed = arg.get_possible_values().iter().any(|value| !value.is_hide_set());
    let is_named = words.iter().all(|word| help.contains(word));
    (!is_listed && !is_named && !words.is_empty()).then(|| format!("one of: {}", words.join(", ")))
}

/// How a flag takes several values.
fn list_form(arg: &Arg, field: &Value) -> Option<String> {
    if field["type"] == "object" {
        return Some("JSON".into());
    }
    if field["type"] != "array" || arg.is_positional() {
        return None;
    }
    let is_nested = field["items"]["type"] != "string";
    let is_repeated =
        matches!(arg.get_action(), ArgAction::Append) && arg.get_value_delimiter().is_none();
    Some(match (is_nested, is_repeated) {
        (true, _) => "a list, as JSON".into(),
        (false, true) => "may be repeated".into(),
        (false, false) => "several with commas".into(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::command;
    use super::*;

    fn help_of(words: &[&str]) -> String {
        let root = with_accepted_values(command());
        let leaf = words.iter().fold(root, |command, word| {
            command.find_subcommand(word).expect("a subcommand").clone()
        });
        leaf.clone().render_long_help().to_string()
    }

    #[test]
    fn every_closed_list_is_in_the_help() {
        for op in ops::ALL.iter().filter(|op| op.is_reachable_from(Door::Cli)) {
            let words = op.words();
            let help = help_of(&words.split(' ').collect::<Vec<_>>());
            let plain = help.split_whitespace().collect::<Vec<_>>().join(" ");
            let schema = (op.input_schema)();
            let fields = schema.get("properties").and_then(Value::as_object);
            for (name, field) in fields.into_iter().flatten() {
                let list = field.get("enum").or_else(|| field["items"].get("enum"));
                for word in list.and_then(Value::as_array).into_iter().flatten() {
                    let word = word.as_str().unwrap_or_default();
                    assert!(plain.contains(word), "{words} {name}: {word}");
                }
            }
        }
    }

    #[test]
    fn a_list_says_how_it_is_written() {
        let help = help_of(&["work", "section-edit"]);
        assert!(help.contains("Labels of the section [several with commas]"), "{help}");
        assert!(help.contains("Several sections to add at once [a list, as JSON]"), "{help}");
        assert!(help.contains("[one of: add, update, update_text, delete, reorder]"), "{help}");
    }

    #[test]
    fn help_is_asked_for_by_a_flag() {
        let asked = |line: &str| is_asked(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert!(asked("cairn card list --help") && asked("cairn -h"));
        assert!(!asked("cairn search -- --help") && !asked("cairn card list"));
    }
}
