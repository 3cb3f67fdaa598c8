//! What language servers find wrong with files: asked, or waited for where they only report by
//! themselves.

use std::time::{Duration, Instant};

use base::words::counted;
use base::{Code, RepoPath, Result};
use serde_json::{Value, json};
use toolchain::lsp::{Position, offset_at};

use super::lint::{Diagnosis, Wanted};
use super::{Absent, Server};
use crate::view::View;

/// Files that a server is asked about, at most.
const MOST_ASKED: usize = 200;

/// How long a server that reports by itself is waited for, and how long it must then be silent:
/// some report syntax first and the rest a moment later.
const REPORT: Duration = Duration::from_secs(20);
const LAST_WORD: Duration = Duration::from_millis(700);

/// A server's name, and what it found.
pub(super) type ServerReport = (String, Vec<Diagnosis>);

/// Checks by the language server, file by file.
pub(super) fn by_server(view: &View, wanted: &Wanted<'_>) -> Result<Result<ServerReport, Absent>> {
    let mut by = String::new();
    let mut all = Vec::new();
    for path in wanted.files.iter().take(MOST_ASKED) {
        view.call().go_on()?;
        let server = match Server::open(view, (path, wanted.language))? {
            Ok(server) => server,
            Err(absent) => return Ok(Err(absent)),
        };
        by = server.session().title();
        match reported(view, &server, path)? {
            Ok(items) => {
                let text = view.tree().read(path)?.map(|blob| blob.bytes).unwrap_or_default();
                let text = String::from_utf8_lossy(&text).into_owned();
                all.extend(items.iter().filter_map(|item| said(item, path, &text, &server)));
            }
            Err(absent) => return Ok(Err(absent)),
        }
    }
    if wanted.files.len() > MOST_ASKED {
        let left = wanted.files.len() - MOST_ASKED;
        view.doubt(format!("not checked: {}; name fewer paths", counted(left, "file")));
    }
    all.sort();
    all.dedup();
    Ok(Ok((by, all)))
}

/// What a server says about a file: asked, or waited for where it only reports by itself.
fn reported(
    view: &View,
    server: &Server<'_>,
    path: &RepoPath,
) -> Result<Result<Vec<Value>, Absent>> {
    if server.offers("diagnosticProvider") {
        let params = json!({"textDocument": {"uri": server.uri(path)}});
        let method = ("textDocument/diagnostic", "diagnosticProvider");
        let answer = server.ask(method, &params)?;
        return Ok(answer.map(|answer| answer["items"].as_array().cloned().unwrap_or_default()));
    }
    let file = view.tree().root().join(path.to_relative());
    let since = Instant::now();
    let mut last: Option<(Vec<Value>, Instant)> = None;
    while since.elapsed() < REPORT {
        view.call().go_on()?;
        let now = server.session().report(&file).map(|report| report.diagnostics);
        last = match (now, last) {
            (Some(now), Some((before, at))) if now == before => Some((before, at)),
            (Some(now), _) => Some((now, Instant::now())),
            (None, last) => last,
        };
        if let Some((items, at)) = &last
            && at.elapsed() >= LAST_WORD
        {
            return Ok(Ok(items.clone()));
        }
        if !server.session().is_running() {
            break;
        }
        server.session().pause();
    }
    let why = format!("{} reported nothing about {path}", server.session().title());
    Ok(Err(Absent::new(Code::Unavailable, why).hint("ask again in a moment")))
}

fn said(item: &Value, path: &RepoPath, text: &str, server: &Server<'_>) -> Option<Diagnosis> {
    let at = Position::from_json(&item["range"]["start"])?;
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
    Some(Diagnosis { path: path.clone(), line: at.line + 1, column, severity, rule, message })
}
