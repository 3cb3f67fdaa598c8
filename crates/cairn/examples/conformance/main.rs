//! The HTTP server with the additional fixtures that the official MCP conformance suite needs.
//!
//! Only for tests: the suite expects some twenty tools, prompts and resources that no real server
//! has. They are served together with the real ones, by the same server and transport.

mod fixtures;

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use cairn::cli::open_at;
use cairn::http::{HttpServerConfig, TokenList};
use cairn::mcp::{McpServer, ServerOptions};
use clap::{Args, Command, FromArgMatches};
use engine::WorkspaceMode;
use fixtures::Fixtures;
use tokio_util::sync::CancellationToken;

#[tokio::main]
#[expect(clippy::disallowed_methods, reason = "it stands where the command line would")]
#[expect(clippy::print_stderr, reason = "the harness reads the address there")]
async fn main() -> ExitCode {
    let folder = std::env::args_os().nth(1).unwrap_or_else(|| ".".into());
    let tokens = TokenList::of_one(&std::env::var("CAIRN_TOKEN").unwrap_or_default());
    let command = ServerOptions::augment_args(Command::new("conformance").no_binary_name(true));
    let matches = command.get_matches_from(["--http", "127.0.0.1:0"]);
    let options = ServerOptions::from_arg_matches(&matches).expect("the flags are ours");
    let workspace =
        Arc::new(open_at(folder.as_ref(), WorkspaceMode::Serving).expect("a repository"));
    let gone = CancellationToken::new();
    let server = Fixtures::new(McpServer::new(workspace.clone(), options.clone(), gone.clone()));
    let address = SocketAddr::from(([127, 0, 0, 1], 0));
    let ready = |address: SocketAddr| eprintln!("serving http://{address}/mcp");
    let config = HttpServerConfig { workspace, options, address, tokens };
    let served = cairn::http::serve(server, config, gone, ready).await;
    if served.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
