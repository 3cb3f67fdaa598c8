//! The client side: a command asks the background process, and starts one for the next command.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use engine::{Door, Workspace};

use super::protocol::{
    AnswerForm, AnswerRequest, BackgroundReply, BackgroundRequest, RequestKind, program_identity,
};
use super::socket::BackgroundPaths;
use super::{BackgroundCall, BackgroundStatus, COMMAND, INDEX, SERVE, may_run_in, refusal};

/// How long a process may take to reply about its own state. Answers of operations have no limit
/// here.
const STATUS_TIMEOUT: Duration = Duration::from_secs(5);

/// The printed answer of the background process and its exit code. `None` if the command must
/// answer by itself: it writes, no process runs, or the process is of another build. If a process
/// may run here, one is started for the next command.
pub(crate) fn answer(call: &BackgroundCall<'_>) -> Option<(String, u8)> {
    // Operations that only the command line has, such as `hook`, depend on this process.
    let is_question = call.op.is_read_only() && call.op.is_reachable_from(Door::Http);
    if !is_question || refusal().is_some() || !may_run_in(call.workspace) {
        return None;
    }
    let paths = paths(call.workspace)?;
    if paths.off.exists() {
        return None;
    }
    let wanted = RequestKind::Answer(AnswerRequest {
        operation: call.op.name.to_owned(),
        args: call.args.clone(),
        actor: call.actor.to_owned(),
        session: call.session.to_owned(),
        folder: call.folder.to_string(),
        form: call.colors.map_or(AnswerForm::Json, AnswerForm::text),
    });
    match ask(&paths, wanted, None) {
        Some(BackgroundReply::Answered { text, exit }) => Some((text, exit)),
        Some(_) => None,
        None => {
            start(call.workspace);
            None
        }
    }
}

fn paths(workspace: &Workspace) -> Option<BackgroundPaths> {
    BackgroundPaths::of(workspace.tree.root(), &workspace.data_folders.local).ok()
}

/// The state of the process, if one runs.
pub(crate) fn status(workspace: &Workspace) -> Option<BackgroundStatus> {
    match ask(&paths(workspace)?, RequestKind::Status, Some(STATUS_TIMEOUT))? {
        BackgroundReply::Status(status) => Some(status),
        _ => None,
    }
}

/// Ends the process; false if none runs.
pub(crate) fn stop(workspace: &Workspace) -> bool {
    let asked = |paths| ask(&paths, RequestKind::Stop, Some(STATUS_TIMEOUT));
    paths(workspace).and_then(asked).is_some()
}

/// Switches the process on or off for a working tree. One that runs ends when it is switched off.
pub(crate) fn switch(workspace: &Workspace, is_on: bool) -> std::io::Result<()> {
    let paths = BackgroundPaths::of(workspace.tree.root(), &workspace.data_folders.local)?;
    if is_on {
        return match std::fs::remove_file(&paths.off) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        };
    }
    std::fs::create_dir_all(&workspace.data_folders.local)?;
    std::fs::write(&paths.off, "")?;
    stop(workspace);
    Ok(())
}

/// Starts a process for a working tree, which outlives this command. If one runs, the new one ends at once.
pub(crate) fn start(workspace: &Workspace) {
    start_detached(workspace, SERVE);
}

/// Builds the index of a working tree in a process that outlives this command.
pub(crate) fn build_index(workspace: &Workspace) {
    start_detached(workspace, INDEX);
}

/// Starts this program once more, without a terminal and in a group of its own.
#[expect(clippy::disallowed_methods, reason = "it starts itself, by the path of this program")]
fn start_detached(workspace: &Workspace, what: &str) {
    let Ok(program) = std::env::current_exe() else { return };
    let mut command = Command::new(program);
    command.args([COMMAND, what, "--dir"]).arg(workspace.tree.root());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.current_dir(workspace.tree.root()).process_group(0);
    // If it cannot be started, the command still answers.
    let _ = command.spawn();
}

fn ask(
    paths: &BackgroundPaths,
    wanted: RequestKind,
    timeout: Option<Duration>,
) -> Option<BackgroundReply> {
    let mut stream = UnixStream::connect(&paths.socket).ok()?;
    stream.set_write_timeout(Some(STATUS_TIMEOUT)).ok()?;
    stream.set_read_timeout(timeout).ok()?;
    let request = BackgroundRequest { program: program_identity()?, wanted };
    let mut line = serde_json::to_vec(&request).ok()?;
    line.push(b'\n');
    stream.write_all(&line).ok()?;
    let mut reply = String::new();
    BufReader::new(&stream).read_line(&mut reply).ok()?;
    // A reply that was cut off, because the process ended, counts as no reply.
    serde_json::from_str(&reply).ok().or(Some(BackgroundReply::Refused))
}
