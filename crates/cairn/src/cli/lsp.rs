//! `lsp`: the language server for editors, on stdin and stdout.

use std::process::ExitCode;

use base::Result;
use clap::{Arg, ArgAction, ArgMatches, Command};
use engine::{Workspace, WorkspaceMode};
use lsp::{EditorAuthor, EditorServer, ServerStart};

use super::{invocation, stderr_log};
use crate::perform::now;
use crate::session;

/// Its words on the command line.
pub(super) fn command() -> Command {
    Command::new("lsp")
        .about("Serve editors over the language server protocol, on stdin and stdout")
        .long_about(
            "Serve editors over the language server protocol, on stdin and stdout\n\nProblems of \
             `verify` as diagnostics, cards and knowledge on hover, what code implements as code \
             lens, from `@see` to its card and back, and actions to link code and write cards.",
        )
        .arg(
            Arg::new("stdio")
                .long("stdio")
                .action(ArgAction::SetTrue)
                .help("Use stdin and stdout; this is always the case, editors add the flag"),
        )
}

/// Serves until the editor ends the connection.
pub(super) fn serve(matches: &ArgMatches) -> Result<ExitCode> {
    stderr_log::log_panics();
    let author = |workspace: &Workspace| {
        let actor = invocation::actor(matches, workspace, true);
        EditorAuthor { session: session::for_command(&actor, workspace), actor }
    };
    let start = ServerStart {
        folder: invocation::start_folder(matches),
        open: |folder| invocation::open_at(folder, WorkspaceMode::Serving),
        author: &author,
        clock: now,
        version: env!("CARGO_PKG_VERSION"),
    };
    EditorServer::serve_stdio(&start)?;
    Ok(ExitCode::SUCCESS)
}
