//! `cairn token`: makes a named token for `cairn mcp --http --tokens`.

use std::process::ExitCode;

use base::{Problem, Result};
use clap::{Arg, ArgMatches, Command};

use super::terminal;
use crate::http::{TokenScope, parse_scope};

/// Its arguments.
pub(super) fn command() -> Command {
    Command::new("token")
        .about("Create a named token for a server that is started with --tokens FILE")
        .arg(
            Arg::new("name")
                .required(true)
                .help("Whose token it is; changes are attributed to this name"),
        )
        .arg(
            Arg::new("scope")
                .long("scope")
                .default_value("write")
                .help("What the token may do: read or write"),
        )
}

/// Prints a new token, and the line that the server's file needs. The token is not stored.
pub(super) fn make(matches: &ArgMatches) -> Result<ExitCode> {
    let text = |id: &str| matches.get_one::<String>(id).map(String::as_str).unwrap_or_default();
    let name = text("name");
    if name.contains(':') || name.contains(char::is_control) || name.trim().is_empty() {
        return Err(Problem::invalid(
            "a token's name must not contain colons or control characters",
        ));
    }
    let scope = match parse_scope(text("scope")).map_err(Problem::invalid)? {
        TokenScope::Read => "read",
        TokenScope::Write => "write",
    };
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| {
        Problem::internal("no source of randomness").with_source(error.to_string())
    })?;
    let token = hex::encode(bytes);
    let line = format!("{name}:{scope}:{}", blake3::hash(token.as_bytes()));
    let shown = format!(
        "token for {name}, which is shown once: {token}\nline for the server's file:  {line}\n"
    );
    Ok(if terminal::print_text(&shown) { ExitCode::SUCCESS } else { ExitCode::from(3) })
}
