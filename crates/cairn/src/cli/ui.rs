//! `ui`: serves the page of the repository to browsers of this machine.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use base::{Problem, ProblemCode, Result};
use clap::{ArgMatches, Args, Command, FromArgMatches};
use engine::{Workspace, WorkspaceMode};
use tokio_util::sync::CancellationToken;

use super::serve::{cancel_on_signal, index_in_background};
use super::{invocation, stderr_log};
use crate::ui::{self, UiConfig};

/// How long running requests may take at shutdown.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(800);

/// The ports of repositories. They are below those that systems assign automatically.
const FIRST_PORT: u16 = 20_000;
const PORT_COUNT: u16 = 12_000;

/// Show the repository in a browser: files, cards, tasks, history and gaps
///
/// Serves a page on this machine only and prints its address, which works once. It opens no
/// browser. Changes go through a plan that is shown first, and can be undone.
#[derive(Debug, Args)]
pub(super) struct UiOptions {
    /// Port to listen on; without it, one that stays the same for this repository
    #[arg(long)]
    port: Option<u16>,
    /// Offer no changes, and refuse them
    #[arg(long)]
    read_only: bool,
    /// Also answer to this host name, under which the port is forwarded
    #[arg(long, value_name = "HOST")]
    allow_host: Vec<String>,
    /// Timeout of a request, in seconds
    #[arg(long, default_value_t = 60)]
    timeout: u64,
}

/// Its words on the command line.
pub(super) fn command() -> Command {
    UiOptions::augment_args(Command::new("ui"))
}

/// Serves until the process gets a signal.
pub(super) fn ui(matches: &ArgMatches) -> Result<ExitCode> {
    let options = UiOptions::from_arg_matches(matches)
        .map_err(|error| Problem::invalid(error.to_string()))?;
    let workspace = Arc::new(invocation::open(matches, WorkspaceMode::Serving)?);
    stderr_log::log_panics();
    let listener = listen(options.port, &workspace)?;
    let config = UiConfig {
        actor: invocation::actor(matches, &workspace, true),
        workspace: workspace.clone(),
        read_only: options.read_only,
        allowed_hosts: options.allow_host,
        timeout: Duration::from_secs(options.timeout),
    };
    let gone = CancellationToken::new();
    let runtime = tokio::runtime::Runtime::new().map_err(Problem::io("start the server"))?;
    index_in_background(workspace.clone(), gone.clone());
    let served = runtime.block_on(async {
        tokio::spawn(cancel_on_signal(gone.clone()));
        ui::serve(config, listener, gone.clone(), stderr_log::log_line).await
    });
    gone.cancel();
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    workspace.stop_servers();
    stderr_log::flush();
    served.map_err(Problem::io("serve the page"))?;
    Ok(ExitCode::SUCCESS)
}

/// Listens on loopback: on the given port, otherwise on the repository's own, otherwise on any.
fn listen(port: Option<u16>, workspace: &Workspace) -> Result<TcpListener> {
    let bind = |port: u16| TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    let bound = match port {
        Some(port) => bind(port),
        None => bind(own_port(workspace)).or_else(|_| bind(0)),
    };
    bound.map_err(|error| {
        let port = port.unwrap_or(0);
        Problem::new(ProblemCode::Unavailable, format!("cannot listen on 127.0.0.1:{port}"))
            .hint("choose another port with  --port PORT  (0 picks one)")
            .with_source(error)
    })
}

/// A port that only depends on the path of the repository, so that bookmarks stay valid.
fn own_port(workspace: &Workspace) -> u16 {
    let hash = blake3::hash(workspace.tree.root().as_os_str().as_encoded_bytes());
    let [first, second, ..] = hash.as_bytes();
    FIRST_PORT + u16::from_be_bytes([*first, *second]) % PORT_COUNT
}
