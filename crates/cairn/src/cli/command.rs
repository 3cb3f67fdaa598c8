//! The clap command tree: one subcommand per operation, plus a few built-in commands.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use base::{Problem, Result};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, value_parser};
use clap_complete::Shell;
use engine::{Door, OLDER_AREAS, OpSpec};
use operations::ops;

use super::argument_help::with_accepted_values;
use super::{background, html_report, lsp, serve, terminal, token, ui, watch};
use crate::mcp::ServerOptions;

type BuiltinHandler = fn(&ArgMatches) -> Result<ExitCode>;

/// A command that is not an operation.
struct BuiltinCommand {
    name: &'static str,
    command: fn() -> Command,
    run: BuiltinHandler,
}

const BUILTIN_COMMANDS: &[BuiltinCommand] = &[
    BuiltinCommand { name: "mcp", command: mcp_command, run: serve::serve },
    BuiltinCommand { name: "ui", command: ui::command, run: ui::ui },
    BuiltinCommand { name: "lsp", command: lsp::command, run: lsp::serve },
    BuiltinCommand { name: "watch", command: watch::command, run: watch::watch },
    BuiltinCommand {
        name: crate::background::COMMAND,
        command: background::command,
        run: background::control,
    },
    BuiltinCommand { name: "token", command: token::command, run: token::make },
    BuiltinCommand { name: "completions", command: completions_command, run: completions },
    BuiltinCommand { name: "man", command: man_command, run: man },
];

/// The handler of a command that is not an operation.
pub(super) fn builtin_handler(name: &str) -> Option<BuiltinHandler> {
    BUILTIN_COMMANDS.iter().find(|builtin| builtin.name == name).map(|builtin| builtin.run)
}

fn mcp_command() -> Command {
    ServerOptions::augment_args(Command::new("mcp"))
}

/// The end of `cairn --help`, the part that remains visible on a terminal.
const FIRST_COMMANDS: &str = "\
Start here:
  cairn                                    what this repository is
  cairn context \"how is a login retried\"   the code, tests and documents for a question or task
  cairn impact 'src/auth/login.ts#login'   what may break if this changes
  cairn review                             what your edits break or forget
  cairn init --dry-run                     how to set it up: settings, git hooks, agents

`cairn COMMAND --help` explains a command and shows examples.";

/// The whole command line: `group verb` for every operation of the CLI, and the built-in commands.
pub fn command() -> Command {
    let root = Command::new("cairn")
        .about("Gives a repository a memory, for coding agents and the people who work with them")
        .version(env!("CARGO_PKG_VERSION"))
        .disable_help_subcommand(true)
        .max_term_width(100)
        .after_help(FIRST_COMMANDS)
        .arg(global_flag("json", "Print the answer as JSON").action(ArgAction::SetTrue))
        .arg(global_flag("actor", "Author recorded with changes; defaults to git's user.email"))
        .arg(server_arg())
        .arg(dir_arg().short('C'));
    let root =
        ops::ALL.iter().filter(|op| op.is_reachable_from(Door::Cli)).fold(root, with_operation);
    BUILTIN_COMMANDS.iter().fold(root, |root, builtin| root.subcommand((builtin.command)()))
}

fn server_arg() -> Arg {
    global_flag("server", "Ask the cairn server at this URL instead of this machine")
        .value_name("URL")
}

fn global_flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).help(help).global(true).help_heading("Global options")
}

fn with_operation(root: Command, op: &OpSpec) -> Command {
    let own = |name: &str| {
        let command = (op.command)().name(name.replace('_', "-")).mut_args(with_json_alias);
        // JSON and the reference write the name with `_`.
        let command = if name.contains('_') { command.alias(name.to_owned()) } else { command };
        with_examples(html_report::with_html_arg(with_dir_arg(command), op), op)
    };
    match op.name.split_once('.') {
        None => root.subcommand(own(op.name)),
        Some((group, verb)) if root.find_subcommand(group).is_some() => {
            root.mut_subcommand(group, |command| command.subcommand(own(verb)))
        }
        Some((group, verb)) => {
            let older = OLDER_AREAS.iter().filter(|(_, present)| *present == group);
            let command = Command::new(group).about(group_summary(group));
            let command = command.aliases(older.map(|(older, _)| *older));
            root.subcommand(command.subcommand_required(true).subcommand(own(verb)))
        }
    }
}

/// The help text of each group of operations.
const GROUP_SUMMARIES: &[(&str, &str)] = &[
    ("code", "Find, read and change code by symbol; who imports, uses and calls what"),
    ("card", "Specification cards: files in git that say what the code must do"),
    ("link", "Links from code to the cards that it implements"),
    ("relation", "Relations between cards, such as `depends_on`"),
    ("kb", "The branch's knowledge base: requirements, scenarios, tests, decisions, facts"),
    ("history", "The history of files: commits, tags, co-change, snapshots"),
    ("work", "Projects, features and tasks: plan, claim, block, advance"),
    ("knowledge", "Architectural knowledge: molecules and atoms, matched to paths"),
    ("changelog", "The history of a molecule or an atom"),
    ("team", "Durable records shared with other machines through PostgreSQL"),
];

fn group_summary(group: &str) -> &'static str {
    GROUP_SUMMARIES
        .iter()
        .find(|(name, _)| *name == group)
        .map_or("More operations", |(_, about)| about)
}

/// Also accepts a flag in the spelling of JSON arguments, with `_`.
fn with_json_alias(arg: Arg) -> Arg {
    let field = arg.get_id().to_string();
    match arg.get_long() {
        Some(long) if long != field => arg.alias(field),
        _ => arg,
    }
}

/// An operation that has a `-C` of its own takes the folder only as `--dir`.
fn with_dir_arg(command: Command) -> Command {
    let has_own = command.get_arguments().any(|arg| arg.get_short() == Some('C'));
    if has_own { command.arg(dir_arg()) } else { command }
}

fn dir_arg() -> Arg {
    global_flag("dir", "Use the repository that contains this folder")
        .value_name("DIR")
        .default_value(".")
        .value_parser(value_parser!(PathBuf))
}

fn with_examples(command: Command, op: &OpSpec) -> Command {
    if op.examples.is_empty() {
        return command;
    }
    let line = |example: &engine::OpExample| {
        let typed = format!("cairn {} {}", op.words(), example.args);
        format!("  {}\n      {}\n", typed.trim_end(), example.shows)
    };
    let lines: String = op.examples.iter().map(line).collect();
    command.after_help(format!("Examples:\n{lines}"))
}

fn completions_command() -> Command {
    Command::new("completions").about("Print a completion script for a shell").arg(
        Arg::new("shell")
            .required(true)
            .value_parser(value_parser!(Shell))
            .help("Shell to print completions for"),
    )
}

fn completions(matches: &ArgMatches) -> Result<ExitCode> {
    let shell = *matches.get_one::<Shell>("shell").expect("clap requires it");
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command(), "cairn", &mut text);
    Ok(if terminal::print_bytes(&text) { ExitCode::SUCCESS } else { ExitCode::from(3) })
}

fn man_command() -> Command {
    Command::new("man").about("Write manual pages into a folder").arg(
        Arg::new("folder")
            .required(true)
            .value_parser(value_parser!(PathBuf))
            .help("Output folder, created if missing"),
    )
}

fn man(matches: &ArgMatches) -> Result<ExitCode> {
    let folder = matches.get_one::<PathBuf>("folder").expect("clap requires it");
    let write = |folder: &PathBuf| -> io::Result<()> {
        std::fs::create_dir_all(folder)?;
        clap_mangen::generate_to(with_accepted_values(command()), folder)
    };
    write(folder).map_err(Problem::io(format!("write manual pages to {}", folder.display())))?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn every_operation_is_reached_by_its_own_words() {
        for op in ops::ALL.iter().filter(|op| op.is_reachable_from(Door::Cli)) {
            let leaf = op.words().split(' ').fold(command(), |command, part| {
                command.find_subcommand(part).expect("a subcommand").clone()
            });
            assert_eq!(leaf.get_about().map(ToString::to_string), Some(op.summary()));
        }
    }

    #[test]
    fn a_group_is_reached_by_its_older_name() {
        for (older, present) in OLDER_AREAS {
            let group = command().find_subcommand(older).expect("a subcommand").clone();
            assert_eq!(group.get_name(), *present);
        }
        let typed = ["cairn", "graph", "context", "src/a.ts"];
        let parsed = command().try_get_matches_from(typed).expect("a command line");
        assert_eq!(parsed.subcommand_name(), Some("knowledge"));
    }

    #[test]
    fn every_group_says_what_it_is_for() {
        for op in ops::ALL.iter().filter(|op| op.name.contains('.')) {
            assert!(GROUP_SUMMARIES.iter().any(|(name, _)| *name == op.group()), "{}", op.group());
        }
    }

    #[test]
    fn every_example_is_a_command_line() {
        for op in ops::ALL {
            for example in op.examples {
                let words = op.words();
                let line = example.args.replace('"', "");
                let typed =
                    ["cairn"].into_iter().chain(words.split(' ')).chain(line.split_whitespace());
                let parsed = command().try_get_matches_from(typed);
                // Splitting at spaces breaks quoted words, so errors about superfluous words are
                // ignored.
                let kind = parsed.err().map(|error| error.kind());
                let fine = [None, Some(clap::error::ErrorKind::UnknownArgument)];
                assert!(fine.contains(&kind), "{words} {}: {kind:?}", example.args);
            }
        }
    }
}
