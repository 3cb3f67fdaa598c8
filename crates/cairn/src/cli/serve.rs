//! Starting the servers: MCP on stdin and stdout, or everything over HTTP.

use std::collections::BTreeSet;
use std::io;
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use base::call::CallStopReason;
use base::{Call, Problem, ProblemCode, Result};
use clap::{ArgMatches, FromArgMatches};
use engine::{Workspace, WorkspaceMode};
use operations::ops;
use platform::UserAccess;
use tokio_util::sync::CancellationToken;

use super::{invocation, stderr_log};
use crate::http::{self, HttpServerConfig, TokenList};
use crate::mcp::{McpServer, ServerOptions};
use crate::perform::now;

/// How long running calls may take at shutdown.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(800);

/// Environment variable with the token, instead of a token file.
const TOKEN_VARIABLE: &str = "CAIRN_TOKEN";

/// How long to wait for a token from a pipe.
const PIPE_TIMEOUT: Duration = Duration::from_secs(10);

/// The shortest and the longest token that is accepted, in bytes.
const TOKEN_BYTES: RangeInclusive<usize> = 16..=4096;

/// Serves until the client disconnects or the process gets a signal.
pub(super) fn serve(matches: &ArgMatches) -> Result<ExitCode> {
    let mut options = ServerOptions::from_arg_matches(matches)
        .map_err(|error| Problem::invalid(error.to_string()))?;
    let workspace = invocation::open(matches, WorkspaceMode::Serving)?;
    let workspace = Arc::new(workspace.with_index_builder());
    if options.toolsets.is_empty() {
        let configured = &workspace.settings()?.config.mcp.toolsets;
        options.toolsets = configured.iter().map(ToString::to_string).collect();
    }
    check_toolsets(&options.toolsets)?;
    stderr_log::log_panics();
    let (gone, kept) = (CancellationToken::new(), workspace.clone());
    let runtime = tokio::runtime::Runtime::new().map_err(Problem::io("start the server"))?;
    index_in_background(workspace.clone(), gone.clone());
    follow_team_in_background(workspace.clone(), gone.clone());
    let server = McpServer::new(workspace.clone(), options.clone(), gone.clone());
    let served = match options.http {
        None => runtime.block_on(server.serve_stdio(stderr_log::log_line)),
        Some(address) => {
            let tokens = resolve_tokens(&options, address, &workspace)?;
            runtime
                .block_on(async {
                    tokio::spawn(cancel_on_signal(gone.clone()));
                    let config = HttpServerConfig { workspace, options, address, tokens };
                    http::serve(server, config, gone.clone(), announce).await
                })
                .map_err(cannot_serve(address))
        }
    };
    gone.cancel();
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    kept.stop_servers();
    stderr_log::flush();
    served.map(|()| ExitCode::SUCCESS)
}

/// Refuses an unknown toolset, which would otherwise be ignored silently.
fn check_toolsets(wanted: &[String]) -> Result<()> {
    let groups = ops::ALL.iter().map(engine::OpSpec::group).chain(["all"]);
    let known: Vec<&str> = groups.collect::<BTreeSet<&str>>().into_iter().collect();
    let Some(unknown) = wanted.iter().find(|name| !known.contains(&engine::current_area(name)))
    else {
        return Ok(());
    };
    let hint = base::similarity::suggestion(unknown, &known, "toolsets");
    Err(Problem::invalid(format!("unknown toolset `{unknown}`")).hint(hint))
}

/// Builds the index while the client already lists tools.
pub(super) fn index_in_background(workspace: Arc<Workspace>, gone: CancellationToken) {
    std::thread::spawn(move || {
        let stop = move || gone.is_cancelled().then_some(CallStopReason::Cancelled);
        workspace.refresh_in_background(&Call::new("server", now()).with_stop_check(stop));
    });
}

/// Keeps the replicas of a team up to date, so that reads need not ask its server.
fn follow_team_in_background(workspace: Arc<Workspace>, gone: CancellationToken) {
    std::thread::spawn(move || {
        let stop = move || gone.is_cancelled().then_some(CallStopReason::Cancelled);
        let call = Call::new("server", now()).with_stop_check(stop);
        engine::durable::team::follow(&workspace, &call, now);
    });
}

pub(super) async fn cancel_on_signal(gone: CancellationToken) {
    let _ = tokio::signal::ctrl_c().await;
    gone.cancel();
}

fn announce(address: SocketAddr) {
    stderr_log::log_line(&format!("serving http://{address}/mcp and http://{address}/api"));
}

fn cannot_serve(address: SocketAddr) -> impl FnOnce(io::Error) -> Problem {
    move |error| {
        Problem::new(ProblemCode::Unavailable, format!("cannot serve on {address}"))
            .hint("choose another address with  --http 127.0.0.1:PORT  (port 0 picks one)")
            .with_source(error)
    }
}

/// The tokens that are accepted: named ones from a file, or the one token.
fn resolve_tokens(
    options: &ServerOptions,
    address: SocketAddr,
    workspace: &Workspace,
) -> Result<TokenList> {
    let Some(file) = &options.tokens else {
        return resolve_token(options, address, workspace).map(|token| TokenList::of_one(&token));
    };
    let failed = || Problem::io(format!("read the tokens in {}", file.display()));
    let known = file.metadata().map_err(failed())?;
    let hint = format!("make it private:  chmod 600 '{}'", file.display());
    check_private(file, &known, &hint)?;
    TokenList::parse(&std::fs::read_to_string(file).map_err(failed())?)
}

/// The bearer token: from the environment, from a file, or generated once into a private file.
fn resolve_token(
    options: &ServerOptions,
    address: SocketAddr,
    workspace: &Workspace,
) -> Result<String> {
    if let Some(token) = invocation::env_var(TOKEN_VARIABLE) {
        return check_token_length(&token.to_string_lossy(), TOKEN_VARIABLE);
    }
    if let Some(file) = &options.token_file {
        return read_named_token(file);
    }
    if !address.ip().is_loopback() {
        let message =
            format!("{address} is reachable from other machines, and no token is configured");
        return Err(Problem::new(ProblemCode::InvalidOperation, message)
            .hint(format!("set {TOKEN_VARIABLE} or --token-file, or bind to 127.0.0.1")));
    }
    let file = workspace.data_folders.local.join("http-token");
    match file.symlink_metadata() {
        Ok(known) => check_private(
            &file,
            &known,
            &format!("remove it to get a new one:  rm '{}'", file.display()),
        )?,
        Err(_) => make_token(&file)?,
    }
    stderr_log::log_line(&format!("the bearer token is in {}", file.display()));
    read_token(&file)
}

/// Refuses a token that another user can read or has created; `hint` says what to do.
fn check_private(file: &Path, known: &std::fs::Metadata, hint: &str) -> Result<()> {
    let name = file.display();
    let refused = |why: &str| {
        Problem::new(ProblemCode::Untrusted, format!("the token in {name} is not used: {why}"))
            .hint(hint)
    };
    if !known.is_file() {
        return Err(refused("it is not a regular file"));
    }
    match platform::foreign_access(known) {
        Some(UserAccess::OthersCan(mode)) => {
            Err(refused(&format!("other users can read it (mode {mode:03o})")))
        }
        Some(UserAccess::OwnedByAnother) => Err(refused("it belongs to another user")),
        None => Ok(()),
    }
}

/// The token in a file that the user names: a file that no other user can read, or a pipe, as a
/// shell creates for `<(command)`. A pipe has to be written within [`PIPE_TIMEOUT`].
fn read_named_token(file: &Path) -> Result<String> {
    let failed = || Problem::io(format!("read the token in {}", file.display()));
    let known = file.metadata().map_err(failed())?;
    if !platform::is_pipe(&known) {
        let hint =
            format!("make it private:  chmod 600 '{}';  or set {TOKEN_VARIABLE}", file.display());
        check_private(file, &known, &hint)?;
        return read_token(file);
    }
    let (sender, token) = std::sync::mpsc::channel();
    let path = file.to_path_buf();
    // If no token is ever written, the thread ends with the process.
    std::thread::spawn(move || sender.send(read_token(&path)));
    token.recv_timeout(PIPE_TIMEOUT).unwrap_or_else(|_| {
        let seconds = PIPE_TIMEOUT.as_secs();
        let name = file.display();
        Err(Problem::new(
            ProblemCode::Timeout,
            format!("no token was written to {name} within {seconds} s"),
        )
        .hint("another process has to write the token to the pipe and close it"))
    })
}

/// The token in a file.
fn read_token(file: &Path) -> Result<String> {
    use io::Read as _;
    let mut text = String::new();
    // One byte and a newline more than a token may have, so that a longer one is noticed.
    let limit = *TOKEN_BYTES.end() as u64 + 2;
    let read =
        std::fs::File::open(file).and_then(|file| file.take(limit).read_to_string(&mut text));
    read.map_err(Problem::io(format!("read the token in {}", file.display())))?;
    check_token_length(text.trim(), &file.display().to_string())
}

fn check_token_length(token: &str, source: &str) -> Result<String> {
    let fault = match token.len() {
        0 => format!("{source} holds no token"),
        length if length < *TOKEN_BYTES.start() => format!("the token in {source} is too short"),
        length if length > *TOKEN_BYTES.end() => format!("the token in {source} is too long"),
        _ => return Ok(token.to_owned()),
    };
    let (shortest, longest) = (TOKEN_BYTES.start(), TOKEN_BYTES.end());
    Err(Problem::invalid(fault).hint(format!("a token must have {shortest} to {longest} bytes")))
}

fn make_token(file: &Path) -> Result<()> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| {
        Problem::internal("no source of randomness").with_source(error.to_string())
    })?;
    let token = format!("{}\n", blake3::hash(&bytes).to_hex());
    write_private(file, token.as_bytes()).map_err(Problem::io("write the token"))
}

/// Writes a file that only its owner can read, atomically: the process may be killed here, or
/// another one may create a token at the same time.
fn write_private(file: &Path, bytes: &[u8]) -> io::Result<()> {
    use io::Write as _;
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let temp = file.with_extension(format!("{}.tmp", std::process::id()));
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    platform::set_owner_only(&mut options);
    let _ = std::fs::remove_file(&temp); // left over from a killed process with the same process id
    let mut written = options.open(&temp)?;
    written.write_all(bytes)?;
    written.sync_all()?;
    let given = match std::fs::hard_link(&temp, file) {
        // Another server created its token meanwhile; that token is used.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        // Not every file system has hard links.
        Err(_) => std::fs::rename(&temp, file),
        linked => linked,
    };
    let _ = std::fs::remove_file(temp);
    given
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_of_the_wrong_length_is_refused_for_that_reason() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("token");
        let name = file.display();
        let read = |length: usize| {
            std::fs::write(&file, format!("{}\n", "x".repeat(length))).unwrap();
            read_token(&file).map(|token| token.len()).map_err(|problem| problem.message)
        };
        assert_eq!(read(0), Err(format!("{name} holds no token")));
        assert_eq!(read(15), Err(format!("the token in {name} is too short")));
        assert_eq!(read(16), Ok(16));
        assert_eq!(read(4096), Ok(4096));
        assert_eq!(read(4097), Err(format!("the token in {name} is too long")));
        assert_eq!(read(9000), Err(format!("the token in {name} is too long")));
    }
}
