//! The problems that `verify` finds, as diagnostics by file.

use std::collections::BTreeMap;

use base::Result;
use serde_json::{Value, json};

use crate::operation_client::OperationClient;

/// The most problems that are shown in an editor.
const MAX_PROBLEMS: usize = 500;

/// The diagnostics of every file that has any, by URI.
pub(crate) fn all(client: &OperationClient) -> Result<BTreeMap<String, Vec<Value>>> {
    let data = client.ask("verify", json!({"limit": MAX_PROBLEMS}))?;
    let mut by_file: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for finding in data["findings"].as_array().into_iter().flatten() {
        let Some(path) = finding["path"].as_str() else { continue };
        by_file.entry(client.uri(path)).or_default().push(diagnostic(client, path, finding));
    }
    Ok(by_file)
}

fn diagnostic(client: &OperationClient, path: &str, finding: &Value) -> Value {
    let line = finding["line"].as_u64().unwrap_or(1).saturating_sub(1);
    let text = |key: &str| finding[key].as_str().unwrap_or_default();
    let severity = match text("severity") {
        "error" => 1,
        "warning" => 2,
        _ => 3,
    };
    json!({
        "range": whole_line(client, path, line),
        "severity": severity,
        "source": "cairn",
        "code": text("code"),
        "message": format!("{}\n{}", text("message"), text("fix")),
    })
}

/// The text of a line without the white space around it.
fn whole_line(client: &OperationClient, path: &str, line: u64) -> Value {
    let content = path.parse().ok().and_then(|path| client.text(&path).ok()).unwrap_or_default();
    let at = usize::try_from(line).unwrap_or_default();
    let text = content.lines().nth(at).unwrap_or_default();
    let length = |text: &str| text.encode_utf16().count();
    let start = length(text) - length(text.trim_start());
    let end = length(text.trim_end()).max(start);
    json!({
        "start": {"line": line, "character": start},
        "end": {"line": line, "character": end},
    })
}
