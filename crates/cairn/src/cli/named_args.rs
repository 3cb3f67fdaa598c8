//! Positional arguments given as flags: `card show --key spec::a` for `card show spec::a`.
//!
//! An argument has one name at every door, so its JSON name is accepted here too. The command
//! line is rewritten before clap parses it, so the help stays short.

use std::collections::BTreeMap;
use std::ffi::OsString;

use clap::{Arg, ArgAction, Command};
use engine::contract::synonyms;

/// Rewrites a command line so that its arguments are in the order that clap expects.
pub(super) fn reorder_named_args(root: &Command, args: Vec<OsString>) -> Vec<OsString> {
    let Some((command, start)) = find_leaf_command(root, &args) else { return args };
    let alone: Vec<&Arg> = command.get_positionals().collect();
    let fields: Vec<String> = alone.iter().map(|arg| arg.get_id().to_string()).collect();
    let mut sorted = ClassifiedArgs::default();
    let mut rest = args[start..].iter();
    while let Some(word) = rest.next() {
        let Some(text) = word.to_str() else {
            sorted.positionals.push(word.clone());
            continue;
        };
        if text == "--" {
            sorted.positionals.extend(rest.by_ref().cloned());
        } else if let Some(flag) = text.strip_prefix("--") {
            let (name, value) = match flag.split_once('=') {
                Some((name, value)) => (name, Some(OsString::from(value))),
                None => (flag, None),
            };
            let known = find_arg(root, command, |arg| has_name(arg, name));
            let field =
                known.is_none().then(|| resolve_field_name(name, &fields, &sorted)).flatten();
            let other = known.or_else(|| find_flag_by_synonym(command, name));
            match (field, other) {
                (Some(field), _) => {
                    let Some(value) = value.or_else(|| rest.next().cloned()) else { return args };
                    sorted.named.entry(field).or_default().push(value);
                }
                (None, Some(arg)) => {
                    sorted.respelled |= known.is_none();
                    sorted.flags.push(format_flag(arg, name, value.as_ref()));
                    if value.is_none() && takes_value(arg) {
                        sorted.flags.extend(rest.next().cloned());
                    }
                }
                (None, None) => return args, // clap says what is wrong
            }
        } else if text.len() > 1 && text.starts_with('-') {
            sorted.flags.push(word.clone());
            let short = text.chars().nth(1);
            let known = find_arg(root, command, |arg| arg.get_short() == short);
            if text.chars().count() == 2 && known.is_some_and(takes_value) {
                sorted.flags.extend(rest.next().cloned());
            }
        } else {
            sorted.positionals.push(word.clone());
        }
    }
    // clap takes a flag for the end of a list, and then misses what follows the list.
    let has_inner_list = alone.iter().rev().skip(1).any(|arg| is_list(arg));
    let is_list_parted = has_inner_list && !sorted.flags.is_empty();
    if sorted.named.is_empty() && !sorted.respelled && !is_list_parted {
        return args;
    }
    sorted.into_command_line(&args[..start], &fields)
}

/// The words of a command line by kind.
#[derive(Default)]
struct ClassifiedArgs {
    flags: Vec<OsString>,
    positionals: Vec<OsString>,
    named: BTreeMap<String, Vec<OsString>>,
    /// Whether a flag was given under another name
    respelled: bool,
}

impl ClassifiedArgs {
    /// The command line with named values at their positions. A field that was not named takes the
    /// next positional word; the last one takes all that are left.
    fn into_command_line(mut self, before: &[OsString], fields: &[String]) -> Vec<OsString> {
        let mut alone = self.positionals.into_iter();
        let mut values = Vec::new();
        for field in fields {
            match self.named.remove(field) {
                Some(named) => values.extend(named),
                None => values.extend(alone.next()),
            }
        }
        values.extend(alone);
        let mut args = before.to_vec();
        args.extend(self.flags);
        args.push("--".into());
        args.extend(values);
        args
    }
}

/// The innermost command, and the index of its first argument.
fn find_leaf_command<'c>(root: &'c Command, args: &[OsString]) -> Option<(&'c Command, usize)> {
    let (mut command, mut at) = (root, super::legacy_commands::command_start(args));
    while command.has_subcommands() {
        command = command.find_subcommand(args.get(at)?)?;
        at += 1;
    }
    Some((command, at))
}

fn is_list(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Append)
}

fn resolve_field_name(name: &str, fields: &[String], sorted: &ClassifiedArgs) -> Option<String> {
    let name = name.replace('-', "_");
    if fields.contains(&name) {
        return Some(name);
    }
    let given = |field: &str| sorted.named.contains_key(field);
    synonyms::field_for(&name, fields, &given).map(ToOwned::to_owned)
}

/// The flag that has this name as a synonym.
fn find_flag_by_synonym<'c>(command: &'c Command, name: &str) -> Option<&'c Arg> {
    let flags = command.get_arguments().filter(|arg| arg.get_long().is_some());
    let fields: Vec<String> = flags.map(|arg| arg.get_id().to_string()).collect();
    let field = synonyms::field_for(&name.replace('-', "_"), &fields, &|_| false)?;
    command.get_arguments().find(|arg| arg.get_id() == field)
}

/// A flag as clap spells it, with its value if it was given as `--flag=value`.
fn format_flag(arg: &Arg, name: &str, value: Option<&OsString>) -> OsString {
    let long = arg.get_long().unwrap_or(name);
    let mut word = OsString::from(format!("--{}", if has_name(arg, name) { name } else { long }));
    if let Some(value) = value {
        word.push("=");
        word.push(value);
    }
    word
}

fn find_arg<'c>(
    root: &'c Command,
    command: &'c Command,
    fits: impl Fn(&Arg) -> bool,
) -> Option<&'c Arg> {
    command.get_arguments().chain(root.get_arguments()).find(|arg| fits(arg))
}

fn has_name(arg: &Arg, name: &str) -> bool {
    let aliases = arg.get_all_aliases().unwrap_or_default();
    arg.get_long() == Some(name) || aliases.contains(&name) || name == "help" || name == "version"
}

fn takes_value(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Set | ArgAction::Append)
}

#[cfg(test)]
mod tests {
    use super::super::command;
    use super::*;

    fn written(line: &str) -> String {
        let args = line.split(' ').map(OsString::from).collect();
        let args = reorder_named_args(&command(), args);
        args.iter().map(|arg| arg.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_stands_alone_can_be_named() {
        assert_eq!(written("cairn card show --key spec::a"), "cairn card show -- spec::a");
        assert_eq!(
            written("cairn link add --card spec::a src/a.rs --json"),
            "cairn link add --json -- src/a.rs spec::a"
        );
        assert_eq!(
            written("cairn impact --target=a.rs --depth 2"),
            "cairn impact --depth 2 -- a.rs"
        );
    }

    #[test]
    fn a_flag_may_stand_between_a_list_and_what_follows_it() {
        assert_eq!(
            written("cairn link add src/a.rs --symbol login spec::a"),
            "cairn link add --symbol login -- src/a.rs spec::a"
        );
        assert_eq!(
            written("cairn link add src/a.rs src/b.rs spec::a --json"),
            "cairn link add --json -- src/a.rs src/b.rs spec::a"
        );
    }

    #[test]
    fn a_line_that_names_nothing_stays_as_it_was_typed() {
        for line in ["cairn card show spec::a", "cairn search -- --key", "cairn impact --nope x"] {
            assert_eq!(written(line), line);
        }
    }
}
