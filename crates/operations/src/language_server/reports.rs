//! Diagnostics of language servers: requested, or awaited if the server only publishes them.

use std::time::{Duration, Instant};

use base::words::counted;
use base::{ProblemCode, RepoPath, Result};
use serde_json::{Value, json};
use toolchain::lsp::{LspPosition, offset_at};

use super::lint::{CheckRequest, Diagnostic};
use super::{LanguageServer, LspRequest, MissingServer};
use engine::view::View;

/// Maximum number of files to ask a server about.
const MAX_FILES: usize = 200;

/// The report timeout of a server that publishes by itself, and the quiet period after a report:
/// some report syntax errors first and the rest a moment later.
const REPORT_TIMEOUT: Duration = Duration::from_secs(20);
const QUIET_PERIOD: Duration = Duration::from_millis(700);

/// A server's name, and what it found.
pub(crate) type ServerReport = (String, Vec<Diagnostic>);

/// Checks by the language server, file by file.
pub(crate) fn by_server(
    view: &View,
    wanted: &CheckRequest<'_>,
) -> Result<Result<ServerReport, MissingServer>> {
    let mut by = String::new();
    let mut all = Vec::new();
    for path in wanted.files.iter().take(MAX_FILES) {
        view.call().check_stopped()?;
        let server = match LanguageServer::open(view, path, wanted.language)? {
            Ok(server) => server,
            Err(absent) => return Ok(Err(absent)),
        };
        by = server.session().title();
        match file_diagnostics(view, &server, path)? {
            Ok(items) => {
                let text = view.tree().read(path)?.map(|blob| blob.bytes).unwrap_or_default();
                let text = String::from_utf8_lossy(&text).into_owned();
                all.extend(
                    items.iter().filter_map(|item| parse_diagnostic(item, path, &text, &server)),
                );
            }
            Err(absent) => return Ok(Err(absent)),
        }
    }
    if wanted.files.len() > MAX_FILES {
        let left = wanted.files.len() - MAX_FILES;
        view.mark_partial(format!("not checked: {}; name fewer paths", counted(left, "file")));
    }
    all.sort();
    all.dedup();
    Ok(Ok((by, all)))
}

/// The diagnostics of a file: requested, or awaited if the server only publishes them.
fn file_diagnostics(
    view: &View,
    server: &LanguageServer<'_>,
    path: &RepoPath,
) -> Result<Result<Vec<Value>, MissingServer>> {
    if server.offers("diagnosticProvider") {
        let params = json!({"textDocument": {"uri": server.uri(path)}});
        let method =
            LspRequest { method: "textDocument/diagnostic", capability: "diagnosticProvider" };
        let answer = server.ask(method, &params)?;
        return Ok(answer.map(|answer| answer["items"].as_array().cloned().unwrap_or_default()));
    }
    let file = view.tree().root().join(path.to_relative());
    let since = Instant::now();
    let mut last: Option<(Vec<Value>, Instant)> = None;
    while since.elapsed() < REPORT_TIMEOUT {
        view.call().check_stopped()?;
        let now = server.session().diagnostics_report(&file).map(|report| report.diagnostics);
        last = match (now, last) {
            (Some(now), Some((before, at))) if now == before => Some((before, at)),
            (Some(now), _) => Some((now, Instant::now())),
            (None, last) => last,
        };
        if let Some((items, at)) = &last
            && at.elapsed() >= QUIET_PERIOD
        {
            return Ok(Ok(items.clone()));
        }
        if !server.session().is_running() {
            break;
        }
        server.session().wait_briefly();
    }
    let why = format!("{} reported nothing about {path}", server.session().title());
    Ok(Err(MissingServer::new(ProblemCode::Unavailable, why).hint("ask again in a moment")))
}

fn parse_diagnostic(
    item: &Value,
    path: &RepoPath,
    text: &str,
    server: &LanguageServer<'_>,
) -> Option<Diagnostic> {
    let at = LspPosition::from_json(&item["range"]["start"])?;
    let offset = offset_at(text, at, server.encoding()).unwrap_or_default();
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let column = u32::try_from(text[start..offset].chars().count() + 1).unwrap_or(u32::MAX);
    let severity = match item["severity"].as_u64() {
        Some(1) | None => "error",
        Some(2) => "warning",
        Some(_) => "note",
    };
    let rule = match &item["code"] {
        Value::String(code) => Some(code.clone()),
        Value::Number(code) => Some(code.to_string()),
        _ => None,
    };
    let message = item["message"].as_str()?.to_owned();
    Some(Diagnostic { path: path.clone(), line: at.line + 1, column, severity, rule, message })
}
