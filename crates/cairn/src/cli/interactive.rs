//! Prompts for missing arguments: only on a terminal, only for the arguments that the operation
//! lists, and only if a required one is missing.

use std::ffi::OsString;
use std::io::{self, BufRead, IsTerminal, Write};

use clap::ArgMatches;
use clap::error::ErrorKind;
use engine::{Door, FieldPrompt, OpSpec};
use operations::ops;

use super::command;

/// Completes a command line that lacks required arguments by prompting for them, if possible.
pub(super) fn prompt_for_missing(
    args: &[OsString],
    error: clap::Error,
) -> Result<ArgMatches, clap::Error> {
    let is_person = io::stdin().is_terminal() && io::stderr().is_terminal();
    if error.kind() != ErrorKind::MissingRequiredArgument || !is_person {
        return Err(error);
    }
    let answers = |op| with_answers(args, op, &mut io::stdin().lock(), &mut io::stderr());
    match find_operation(args).and_then(answers) {
        Some(typed) => command().try_get_matches_from(typed),
        None => Err(error),
    }
}

/// The operation that a command line names, if it has prompts for missing arguments.
fn find_operation(args: &[OsString]) -> Option<&'static OpSpec> {
    let words: Vec<&str> = args.iter().skip(1).filter_map(|arg| arg.to_str()).collect();
    let asking =
        ops::ALL.iter().filter(|op| op.is_reachable_from(Door::Cli) && !op.prompts.is_empty());
    asking.into_iter().find(|op| {
        let name = op.words();
        let name: Vec<&str> = name.split(' ').collect();
        words.windows(name.len()).any(|part| part == name)
    })
}

/// The command line with an answer for each field that it does not name yet. An empty answer adds
/// nothing; the end of the input cancels.
fn with_answers(
    args: &[OsString],
    op: &OpSpec,
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> Option<Vec<OsString>> {
    let shape = (op.command)();
    let mut typed = args.to_vec();
    for FieldPrompt { field, question } in op.prompts {
        let arg = shape.get_arguments().find(|arg| arg.get_id() == field)?;
        if is_given(args, op, arg) {
            continue;
        }
        write!(output, "{question}: ").and_then(|()| output.flush()).ok()?;
        let mut line = String::new();
        if input.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let answer = line.trim();
        if !answer.is_empty() {
            typed.extend(arg.get_long().map(|long| OsString::from(format!("--{long}"))));
            typed.push(answer.into());
        }
    }
    Some(typed)
}

/// Whether a command line has a field: as its flag, or as a positional word.
fn is_given(args: &[OsString], op: &OpSpec, arg: &clap::Arg) -> bool {
    let Some(long) = arg.get_long() else {
        let verb = op.words().split(' ').next_back().unwrap_or_default().to_owned();
        let after = args.iter().skip_while(|word| word.to_str() != Some(&verb)).nth(1);
        return after.and_then(|word| word.to_str()).is_some_and(|word| !word.starts_with('-'));
    };
    let flag = format!("--{long}");
    let names = |word: &str| word == flag || word.starts_with(&format!("{flag}="));
    args.iter().filter_map(|word| word.to_str()).any(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(line: &str, input: &str) -> (Option<String>, String) {
        let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let op = find_operation(&args).unwrap();
        let mut output = Vec::new();
        let typed = with_answers(&args, op, &mut input.as_bytes(), &mut output);
        let typed = typed.map(|words| {
            words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join("|")
        });
        (typed, String::from_utf8(output).unwrap())
    }

    #[test]
    fn what_is_missing_is_asked_for_and_nothing_else() {
        let (typed, said) = asked("cairn card create", "spec::a\nWhat it is\n\n\n");
        assert_eq!(typed.as_deref(), Some("cairn|card|create|spec::a|--summary|What it is"));
        assert_eq!(said.matches(": ").count(), 4, "{said}");
        let (typed, said) = asked("cairn card create spec::a --tags=x", "Sum\nText\n");
        assert_eq!(
            typed.as_deref(),
            Some("cairn|card|create|spec::a|--tags=x|--summary|Sum|--body|Text")
        );
        assert!(!said.contains("Key"), "{said}");
        assert_eq!(asked("cairn card create", "spec::a\n").0, None, "the end of input gives up");
    }

    #[test]
    fn only_operations_that_ask_are_completed() {
        assert!(find_operation(&["cairn".into(), "card".into(), "show".into()]).is_none());
    }
}
