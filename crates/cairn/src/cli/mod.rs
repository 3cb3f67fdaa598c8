//! The command line, built from the table of operations. Only this module uses the terminal.

mod argument_help;
mod background;
mod command;
mod html_report;
mod interactive;
mod invocation;
mod json_args;
mod legacy_commands;
mod lsp;
mod named_args;
mod remote;
mod serve;
mod stderr_log;
mod terminal;
mod token;
mod ui;
mod watch;

use std::ffi::OsString;
use std::process::ExitCode;

use base::{Call, Problem, ProblemCode, Result};
use clap::ArgMatches;
use engine::{Outcome, WorkspaceMode};
use operations::ops;

pub use command::command;
pub use invocation::open_at;
pub(crate) use invocation::{UNKNOWN_ACTOR, env_var};

use crate::background::BackgroundCall;
use crate::perform::now;
use crate::session;

/// Exit code when stdout cannot be written.
const EXIT_OUTPUT_FAILED: u8 = 3;

/// Runs one command line and returns its exit code.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args = legacy_commands::replace_legacy_spelling(args.into_iter().collect());
    let root = command();
    let args = named_args::reorder_named_args(&root, args);
    let root = match argument_help::is_asked(&args) {
        true => argument_help::with_accepted_values(root),
        false => root,
    };
    let typed = root.try_get_matches_from(&args);
    let matches = match typed.or_else(|error| interactive::prompt_for_missing(&args, error)) {
        Ok(matches) => matches,
        Err(error) => {
            return terminal::print_usage_error(&error, args.iter().any(|arg| arg == "--json"));
        }
    };
    let json = matches.get_flag("json");
    if matches.subcommand().is_none() && !invocation::is_in_repository(&matches) {
        return terminal::print_help_outside_of_a_repository(json);
    }
    let (name, inner) = operation_name(&matches);
    let outcome = match command::builtin_handler(&name) {
        Some(extra) => match extra(inner) {
            Ok(code) => return code,
            Err(problem) => Err(problem),
        },
        None => match inner.get_one::<String>("server") {
            Some(server) => return remote::run(server, &name, inner, json),
            None => match run_operation(&name, inner, json) {
                OperationResult::Outcome(outcome) => *outcome,
                OperationResult::Printed { text, exit } => return print_answer(&text, exit, json),
            },
        },
    };
    if !terminal::print_outcome(&outcome, json) {
        return ExitCode::from(EXIT_OUTPUT_FAILED);
    }
    ExitCode::from(exit_code(&outcome))
}

/// The name of the operation and its matches, from the innermost subcommand. Without words it is
/// the overview of the repository.
fn operation_name(matches: &ArgMatches) -> (String, &ArgMatches) {
    let mut names = Vec::new();
    let mut inner = matches;
    while let Some((name, next)) = inner.subcommand() {
        names.push(name.replace('-', "_"));
        inner = next;
    }
    let name = if names.is_empty() { ops::DEFAULT_OPERATION.into() } else { names.join(".") };
    (name, inner)
}

/// The result of an operation.
enum OperationResult {
    /// Its outcome, still to be printed
    Outcome(Box<Outcome>),
    /// The text of the background process
    Printed { text: String, exit: u8 },
}

fn run_operation(name: &str, matches: &ArgMatches, json: bool) -> OperationResult {
    match try_operation(name, matches, json) {
        Ok(result) => result,
        Err(problem) => OperationResult::Outcome(Box::new(Err(problem))),
    }
}

fn try_operation(name: &str, matches: &ArgMatches, json: bool) -> Result<OperationResult> {
    let op = ops::find(name)?;
    let mut args = (op.from_cli)(matches).map_err(|error| Problem::invalid(error.to_string()))?;
    json_args::read_json_args(&mut args, &(op.command)())?;
    let mut workspace = invocation::open(matches, WorkspaceMode::Once)?;
    if crate::background::refusal().is_none() {
        workspace = workspace.with_index_builder();
    }
    let actor = invocation::actor(matches, &workspace, op.needs_actor);
    let session = session::for_command(&actor, &workspace);
    let folder = invocation::current_folder(matches, &workspace);
    if !html_report::is_asked(op, matches) {
        let asked = BackgroundCall {
            op,
            args: &args,
            workspace: &workspace,
            actor: &actor,
            session: &session,
            folder: &folder,
            colors: (!json).then(terminal::stdout_colors),
        };
        if let Some((text, exit)) = crate::background::answer(&asked) {
            return Ok(OperationResult::Printed { text, exit });
        }
    }
    let call = Call::new(actor, now())
        .in_session(session)
        .from_folder(folder)
        .with_progress_sink(terminal::progress());
    html_report::write_if_asked(op, matches, &workspace, &call, &args)?;
    let outcome = op.call(&workspace, call, args);
    if workspace.needs_index_builder(&Call::new(UNKNOWN_ACTOR, now())) {
        crate::background::build_index(&workspace);
    }
    Ok(OperationResult::Outcome(Box::new(outcome)))
}

/// Prints an answer that another process made: problems of people's commands go to stderr.
fn print_answer(text: &str, exit: u8, json: bool) -> ExitCode {
    let printed = match json || exit < 2 {
        true => terminal::print_text(text),
        false => terminal::print_error_text(text),
    };
    ExitCode::from(if printed { exit } else { EXIT_OUTPUT_FAILED })
}

/// The exit code of an outcome.
pub(crate) fn exit_code(outcome: &Outcome) -> u8 {
    match outcome {
        Ok(answer) => u8::from(answer.has_findings),
        Err(problem) => match problem.code {
            ProblemCode::ValidationError
            | ProblemCode::NotFound
            | ProblemCode::Ambiguous
            | ProblemCode::Conflict
            | ProblemCode::InvariantViolation
            | ProblemCode::InvalidOperation
            | ProblemCode::Blocked
            | ProblemCode::HasChildren
            | ProblemCode::SyntaxError
            | ProblemCode::OutsideRepository
            | ProblemCode::WrongWorktree
            | ProblemCode::Untrusted => 2,
            ProblemCode::Unavailable
            | ProblemCode::Busy
            | ProblemCode::StoreDamaged
            | ProblemCode::Io
            | ProblemCode::Timeout
            | ProblemCode::Cancelled => 3,
            ProblemCode::Internal => 70,
        },
    }
}
