//! The command line, built from the table. The only place that touches the terminal.

mod ask;
mod command;
mod named;
mod nested;
mod notes;
mod place;
mod serve;
mod spelling;
mod terminal;
mod watch;

use std::ffi::OsString;
use std::process::ExitCode;

use base::{Call, Code, Problem};
use clap::ArgMatches;
use engine::{Mode, Outcome, ops};

pub use command::command;
pub use place::open_at;
pub(crate) use place::variable;

use crate::perform::now;
use crate::session;

/// The exit code of an answer that could not be written.
const UNWRITTEN: u8 = 3;

/// Runs one command line and returns its exit code.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args = spelling::ours(args.into_iter().collect());
    let root = command();
    let args = named::in_place(&root, args);
    let typed = root.try_get_matches_from(&args);
    let matches = match typed.or_else(|error| ask::complete(&args, error)) {
        Ok(matches) => matches,
        Err(error) => return terminal::usage(&error, args.iter().any(|arg| arg == "--json")),
    };
    let json = matches.get_flag("json");
    let (name, inner) = verb(&matches);
    let outcome = match command::extra(&name) {
        Some(extra) => match extra(inner) {
            Ok(code) => return code,
            Err(problem) => Err(problem),
        },
        None => operate(&name, inner),
    };
    if !terminal::show(&outcome, json) {
        return ExitCode::from(UNWRITTEN);
    }
    exit_code(&outcome)
}

/// The operation's name and its matches, from however deep the subcommands go.
fn verb(matches: &ArgMatches) -> (String, &ArgMatches) {
    let mut names = Vec::new();
    let mut inner = matches;
    while let Some((name, next)) = inner.subcommand() {
        names.push(name.replace('-', "_"));
        inner = next;
    }
    (names.join("."), inner)
}

fn operate(name: &str, matches: &ArgMatches) -> Outcome {
    let op = ops::find(name)?;
    let mut args = (op.from_cli)(matches).map_err(|error| Problem::invalid(error.to_string()))?;
    nested::read(&mut args, &(op.command)())?;
    let workspace = place::open(matches, Mode::Once)?;
    let actor = place::actor(matches, &workspace, !op.reads());
    let session = session::of_actor(&actor);
    let call = Call::new(actor, now())
        .in_session(session)
        .from_folder(place::prefix(matches, &workspace))
        .telling(terminal::progress());
    op.call(&workspace, call, args)
}

/// What a shell gets to know.
fn exit_code(outcome: &Outcome) -> ExitCode {
    ExitCode::from(match outcome {
        Ok(answer) => u8::from(answer.has_findings),
        Err(problem) => match problem.code {
            Code::ValidationError
            | Code::NotFound
            | Code::Ambiguous
            | Code::Conflict
            | Code::InvariantViolation
            | Code::InvalidOperation
            | Code::Blocked
            | Code::HasChildren
            | Code::SyntaxError
            | Code::OutsideRepository
            | Code::WrongWorktree
            | Code::Untrusted => 2,
            Code::Unavailable
            | Code::Busy
            | Code::StoreDamaged
            | Code::Io
            | Code::Timeout
            | Code::Cancelled => 3,
            Code::Internal => 70,
        },
    })
}
