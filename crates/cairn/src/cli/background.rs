//! `cairn background`: the process that keeps language servers and indexes loaded between commands.

use std::process::ExitCode;
use std::sync::Arc;

use base::words::counted;
use base::{Call, Problem, Result};
use clap::{Arg, ArgMatches, Command};
use engine::{Workspace, WorkspaceMode};

use super::{invocation, terminal};
use crate::background::{self, BackgroundStatus, COMMAND, INDEX, SERVE};
use crate::perform::now;

/// The choices of a user.
const CHOICES: [&str; 7] = ["status", "start", "stop", "on", "off", SERVE, INDEX];

/// Its arguments.
pub(super) fn command() -> Command {
    Command::new(COMMAND)
        .about("Control the process that keeps language servers loaded between commands")
        .long_about(
            "Control the process that keeps language servers loaded between commands\n\nIn a \
             repository that you trust (`cairn trust`), and in a clone that has joined a team, the \
             first command starts it. It answers the questions of the following commands, with the \
             same answers; writes are made by the commands themselves. It ends after 15 minutes \
             without a question, when cairn is upgraded and when the repository is no longer trusted. It is not used in CI, below git \
             or below hooks. CAIRN_BACKGROUND=off switches it off everywhere.",
        )
        .arg(
            Arg::new("what")
                .default_value("status")
                .value_parser(clap::builder::PossibleValuesParser::new(
                    CHOICES.map(|name| {
                        clap::builder::PossibleValue::new(name).hide([SERVE, INDEX].contains(&name))
                    }),
                ))
                .help("status; start or stop it; on or off switches it for this working tree"),
        )
}

/// Carries out the choice.
pub(super) fn control(matches: &ArgMatches) -> Result<ExitCode> {
    let what = matches.get_one::<String>("what").map(String::as_str).unwrap_or_default();
    let mode = if what == SERVE { WorkspaceMode::Serving } else { WorkspaceMode::Once };
    let workspace = invocation::open(matches, mode)?;
    let message = match what {
        SERVE => {
            background::serve(Arc::new(workspace.with_index_builder()))?;
            return Ok(ExitCode::SUCCESS);
        }
        INDEX => {
            workspace.sync(false, &Call::new("background", now()))?;
            return Ok(ExitCode::SUCCESS);
        }
        "start" => {
            if let Some(why) = background::refusal() {
                return Err(Problem::invalid(format!("it is not started: {why}")));
            }
            background::start(&workspace);
            "It starts if the repository is trusted or has joined a team. See  cairn background"
                .into()
        }
        "stop" if background::stop(&workspace) => "It ends.".into(),
        "stop" => "It is not running.".into(),
        "on" | "off" => {
            let failed = Problem::io("store the choice for this working tree");
            background::switch(&workspace, what == "on").map_err(failed)?;
            format!("The background process is {what} for this working tree.")
        }
        _ => status(&workspace),
    };
    let printed = terminal::print_text(&format!("{message}\n"));
    Ok(if printed { ExitCode::SUCCESS } else { ExitCode::from(3) })
}

fn status(workspace: &Workspace) -> String {
    let Some(BackgroundStatus { process, seconds, answered, idle_minutes }) =
        background::status(workspace)
    else {
        let why = background::refusal().map(|why| format!(" ({why})")).unwrap_or_default();
        return format!("It is not running{why}.");
    };
    let calls = counted(usize::try_from(answered).unwrap_or(usize::MAX), "question");
    let minutes = seconds / 60;
    format!(
        "It runs as process {process} for {minutes} minutes and answered {calls}. It ends after \
         {idle_minutes} minutes without one."
    )
}
