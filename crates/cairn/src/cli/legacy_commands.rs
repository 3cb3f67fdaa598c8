//! Older spellings of commands: `rebuild`, `index`, `card add`, `kiste query`; and names of
//! operations as answers show them, such as `card.create`.
//!
//! An alias whose arguments need no translation is accepted as a command; its preset arguments
//! become flags.

use std::ffi::OsString;

use engine::OpSpec;
use engine::contract::alias::OpAlias;
use operations::ops;

/// Flags before a command that take a value.
const FLAGS_WITH_VALUE: [&str; 4] = ["-C", "--dir", "--actor", "--server"];

/// Replaces an older spelling of a command by the current one.
pub(super) fn replace_legacy_spelling(args: Vec<OsString>) -> Vec<OsString> {
    let start = command_start(&args);
    let typed: Vec<&str> = args[start..].iter().map_while(|arg| arg.to_str()).collect();
    let is_named = |op: &&OpSpec| Some(&op.name) == typed.first() && op.name.contains('.');
    if let Some(op) = ops::ALL.iter().find(is_named) {
        let words = op.words();
        let words = words.split(' ').map(OsString::from);
        return [&args[..start], &words.collect::<Vec<_>>(), &args[start + 1..]].concat();
    }
    let aliases = ops::ALL.iter().flat_map(|op| op.aliases.iter().map(move |alias| (op, alias)));
    let mut plain = aliases.filter(|(_, alias)| needs_no_translation(alias));
    let Some((op, alias)) = plain.find(|(_, alias)| typed.starts_with(&split_words(alias.name)))
    else {
        return args;
    };
    let after = start + split_words(alias.name).len();
    let rest = &args[after..];
    let mut respelled = args[..start].to_vec();
    let ours = current_words(op, alias).into_iter().filter(|word| !is_given(rest, word));
    respelled.extend(ours.map(OsString::from));
    respelled.extend_from_slice(rest);
    respelled
}

/// Whether a flag is given, with the same value or another.
fn is_given(args: &[OsString], word: &str) -> bool {
    let name = |text: &str| text.split('=').next().unwrap_or_default().to_owned();
    let is_same = |arg: &OsString| arg.to_str().is_some_and(|arg| name(arg) == name(word));
    word.starts_with("--") && args.iter().any(is_same)
}

/// The index of the first word of the command.
pub(super) fn command_start(args: &[OsString]) -> usize {
    let mut at = 1;
    while let Some(arg) = args.get(at).and_then(|arg| arg.to_str()) {
        match arg {
            flag if FLAGS_WITH_VALUE.contains(&flag) => at += 2,
            flag if flag.starts_with('-') => at += 1,
            _ => break,
        }
    }
    at.min(args.len())
}

fn needs_no_translation(alias: &OpAlias) -> bool {
    alias.selector.is_none() && alias.join.is_none() && alias.lifts.is_empty()
}

fn split_words(name: &str) -> Vec<&str> {
    name.split(['_', '.']).collect()
}

fn current_words(op: &OpSpec, alias: &OpAlias) -> Vec<String> {
    let name = op.name.split('.').map(|word| word.replace('_', "-"));
    let preset = |(key, value): &(&str, &str)| match *value {
        "true" => format!("--{}", key.replace('_', "-")),
        value => format!("--{}={}", key.replace('_', "-"), value.trim_matches('"')),
    };
    name.chain(alias.presets.iter().map(preset)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_global_flag_with_a_value_is_listed() {
        let command = super::super::command();
        let flags = command.get_arguments().filter(|arg| arg.get_action().takes_values());
        for flag in flags {
            let long = flag.get_long().map(|long| format!("--{long}"));
            let short = flag.get_short().map(|short| format!("-{short}"));
            for name in long.into_iter().chain(short) {
                assert!(FLAGS_WITH_VALUE.contains(&name.as_str()), "{name}");
            }
        }
    }

    #[test]
    fn older_spellings_become_ours() {
        let ours = |line: &str| -> String {
            let args = line.split(' ').map(OsString::from).collect();
            let args: Vec<String> = replace_legacy_spelling(args)
                .into_iter()
                .map(|arg| arg.into_string().unwrap())
                .collect();
            args.join(" ")
        };
        assert_eq!(ours("cairn rebuild"), "cairn sync --full");
        assert_eq!(ours("cairn rebuild --full"), "cairn sync --full");
        assert_eq!(ours("cairn -C x --json index"), "cairn -C x --json sync");
        assert_eq!(ours("cairn card add spec::a"), "cairn card create spec::a");
        assert_eq!(ours("cairn kiste query --tags a"), "cairn history list --tags a");
        assert_eq!(ours("cairn card list"), "cairn card list");
        assert_eq!(ours("cairn -C x card.list --type spec"), "cairn -C x card list --type spec");
        assert_eq!(ours("cairn --dir x card.list"), "cairn --dir x card list");
        assert_eq!(ours("cairn --dir=x card.list"), "cairn --dir=x card list");
        assert_eq!(ours("cairn code.insert_after a.rs#f"), "cairn code insert-after a.rs#f");
        assert_eq!(ours("cairn"), "cairn");
    }
}
