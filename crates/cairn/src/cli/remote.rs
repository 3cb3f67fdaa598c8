//! `--server URL`: the same command line, answered by a server.
//!
//! The token comes from `CAIRN_TOKEN` or the file that `CAIRN_TOKEN_FILE` names. A server that is not on this
//! machine is asked over TLS, whose certificate is verified.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use base::{Problem, ProblemCode, Result};
use clap::ArgMatches;
use engine::Door;
use operations::ops;
use serde_json::Value;
use ureq::Agent;
use ureq::tls::{RootCerts, TlsConfig};

use super::{env_var, exit_code, json_args, print_answer, terminal};
use crate::http::{EXIT_HEADER, TEXT};
use crate::perform::check_allowed;
use crate::session::{self, SESSION_HEADER};

/// The variable with the token.
const TOKEN: &str = "CAIRN_TOKEN";

/// The variable that names a file with the token.
const TOKEN_FILE: &str = "CAIRN_TOKEN_FILE";

/// How long to wait for a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long to wait for an answer.
const TIMEOUT: Duration = Duration::from_mins(2);

/// The longest answer, in bytes.
const MAX_ANSWER_BYTES: u64 = 64 * 1024 * 1024;

/// What a server answered.
struct RemoteAnswer {
    text: String,
    exit: u8,
}

/// Asks the server, prints what it answers, and returns the exit code.
pub(super) fn run(server: &str, name: &str, matches: &ArgMatches, json: bool) -> ExitCode {
    match ask(server, name, matches, json) {
        Ok(answer) => print_answer(&answer.text, answer.exit, json),
        Err(problem) => {
            let outcome = Err(problem);
            terminal::print_outcome(&outcome, json);
            ExitCode::from(exit_code(&outcome))
        }
    }
}

fn ask(server: &str, name: &str, matches: &ArgMatches, json: bool) -> Result<RemoteAnswer> {
    let op = ops::find(name)?;
    check_allowed(op, Door::Http, false)?;
    let mut args = (op.from_cli)(matches).map_err(|error| Problem::invalid(error.to_string()))?;
    json_args::read_json_args(&mut args, &(op.command)())?;
    let url = format!("{}/api/{}", checked_url(server)?, op.name);
    let mut request = agent()
        .post(&url)
        .header("authorization", format!("Bearer {}", token()?))
        .header("accept", if json { "application/json" } else { TEXT })
        .header("content-type", "application/json")
        .header(SESSION_HEADER, session::for_header());
    if let Some(actor) = matches.get_one::<String>("actor") {
        request = request.header(crate::http::ACTOR_HEADER, actor);
    }
    let body = Value::Object(args).to_string();
    let mut response = request.send(body).map_err(|error| unreachable_server(server, &error))?;
    let exit =
        response.headers().get(EXIT_HEADER).and_then(|value| value.to_str().ok()?.parse().ok());
    let status = response.status();
    let text = response.body_mut().with_config().limit(MAX_ANSWER_BYTES).read_to_string();
    let text = text.map_err(|error| unreachable_server(server, &error))?;
    // A refusal by the server's guard or by a proxy has no exit code.
    let Some(exit) = exit else { return Err(refusal(status.as_u16(), &text)) };
    let text = match json {
        true => pretty(&text),
        false => text,
    };
    Ok(RemoteAnswer { text, exit })
}

/// The problem of a request that never reached an operation.
fn refusal(status: u16, text: &str) -> Problem {
    let body: Value = serde_json::from_str(text).unwrap_or_default();
    let code = serde_json::from_value(body["error"]["code"].clone());
    let said = body["error"]["message"].as_str().map(ToOwned::to_owned);
    let message = said.unwrap_or_else(|| format!("the server answered with status {status}"));
    let problem = Problem::new(code.unwrap_or(ProblemCode::Unavailable), message);
    let hints = body["error"]["hints"].as_array().into_iter().flatten();
    let hints: Vec<&str> = hints.filter_map(Value::as_str).collect();
    // The server's hint on how to send a token does not help on the command line.
    if status == UNAUTHORIZED || hints.is_empty() {
        return problem.hint(format!("check the address, and the token in {TOKEN}"));
    }
    hints.into_iter().fold(problem, Problem::hint)
}

/// The status of a request whose token the server does not know.
const UNAUTHORIZED: u16 = 401;

fn agent() -> Agent {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = TlsConfig::builder()
        .root_certs(RootCerts::PlatformVerifier)
        .unversioned_rustls_crypto_provider(provider)
        .build();
    let config = Agent::config_builder()
        .tls_config(tls)
        .http_status_as_error(false)
        .max_redirects(0)
        .timeout_connect(Some(CONNECT_TIMEOUT))
        .timeout_global(Some(TIMEOUT));
    config.build().into()
}

/// The URL without a slash at its end. Without TLS it must be on this machine.
fn checked_url(server: &str) -> Result<&str> {
    let url = server.trim_end_matches('/');
    if url.starts_with("https://") {
        return Ok(url);
    }
    let hint = "write it as  https://HOST  or  http://127.0.0.1:PORT";
    let rest = url
        .strip_prefix("http://")
        .ok_or_else(|| Problem::invalid("the server is not a URL").hint(hint))?;
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    // The part before an `@` is a user; the host comes after it.
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = host.rsplit_once(':').map_or(host, |(host, _)| host);
    match ["127.0.0.1", "localhost", "[::1]"].contains(&host) {
        true => Ok(url),
        false => Err(Problem::new(
            ProblemCode::Untrusted,
            format!("`{host}` is another machine, and http:// would show it the token unencrypted"),
        )
        .hint(hint)),
    }
}

fn token() -> Result<String> {
    if let Some(token) = env_var(TOKEN) {
        return Ok(token.to_string_lossy().trim().to_owned());
    }
    let missing = || {
        Problem::new(ProblemCode::Untrusted, "no token for the server")
            .hint(format!("set {TOKEN}, or name a file with it in {TOKEN_FILE}"))
    };
    let file = env_var(TOKEN_FILE).ok_or_else(missing)?;
    let text = std::fs::read_to_string(&file)
        .map_err(Problem::io(format!("read the token in {}", file.to_string_lossy())))?;
    Ok(text.trim().to_owned())
}

fn unreachable_server(server: &str, error: &ureq::Error) -> Problem {
    Problem::new(ProblemCode::Unavailable, format!("{server} does not answer: {error}"))
        .hint("check the address, and that the server runs:  cairn mcp --http")
}

fn pretty(text: &str) -> String {
    serde_json::from_str::<Value>(text)
        .map_or_else(|_| text.to_owned(), |json| format!("{json:#}\n"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_refusal_keeps_the_hint_of_the_server() {
        let body = |hint: &str| {
            json!({"error": {"code": "UNTRUSTED", "message": "m", "hints": [hint]}}).to_string()
        };
        let host = refusal(403, &body("start it with  --allow-host NAME"));
        assert_eq!(host.hints, ["start it with  --allow-host NAME"]);
        let token = refusal(UNAUTHORIZED, &body("send  Authorization: Bearer TOKEN"));
        assert_eq!(token.hints, ["check the address, and the token in CAIRN_TOKEN"]);
        let proxy = refusal(502, "<html>");
        assert_eq!(proxy.hints, ["check the address, and the token in CAIRN_TOKEN"]);
    }

    #[test]
    fn a_token_goes_over_tls_or_stays_on_this_machine() {
        for fine in
            ["https://a.example", "http://127.0.0.1:80", "http://localhost", "http://[::1]:80/"]
        {
            assert_eq!(checked_url(fine).unwrap(), fine.trim_end_matches('/'));
        }
        for other in [
            "http://a.example",
            "http://127.0.0.1@a.example",
            "http://127.0.0.1:80@a.example",
            "http://localhost:80@a.example:80/x",
            "http://a.example?@127.0.0.1:80",
        ] {
            assert_eq!(checked_url(other).unwrap_err().code, ProblemCode::Untrusted, "{other}");
        }
        assert_eq!(checked_url("127.0.0.1:80").unwrap_err().code, ProblemCode::ValidationError);
    }
}
