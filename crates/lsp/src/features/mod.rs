//! One file for each feature of an editor, and the table of requests that the server walks.

pub(crate) mod code_action;
mod code_lens;
mod definition;
pub(crate) mod diagnostics;
mod hover;

use base::Result;
use serde_json::Value;

use crate::operation_client::OperationClient;

/// Answers one request from its parameters.
pub(crate) type RequestHandler = fn(&OperationClient, &Value) -> Result<Value>;

/// Every request with its handler.
pub(crate) const REQUESTS: &[(&str, RequestHandler)] = &[
    ("textDocument/hover", hover::hover),
    ("textDocument/definition", definition::definition),
    ("textDocument/references", definition::references),
    ("textDocument/codeLens", code_lens::code_lens),
    ("textDocument/codeAction", code_action::code_action),
];

/// What the server offers, for the reply to `initialize`.
pub(crate) fn capabilities() -> Value {
    serde_json::json!({
        "positionEncoding": "utf-16",
        // Contents are read from disk; changes are reported so that unsaved files are known.
        "textDocumentSync": { "openClose": true, "change": 2, "save": true },
        "hoverProvider": true,
        "definitionProvider": true,
        "referencesProvider": true,
        "codeLensProvider": { "resolveProvider": false },
        "codeActionProvider": { "codeActionKinds": ["quickfix", "refactor"] },
        "executeCommandProvider": { "commands": code_action::COMMANDS },
    })
}

/// An empty range at the beginning of a line, from 0.
fn line_range(line: u32) -> Value {
    let place = serde_json::json!({"line": line, "character": 0});
    serde_json::json!({"start": place, "end": place})
}
