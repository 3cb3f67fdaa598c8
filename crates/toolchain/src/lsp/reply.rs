//! Answers to the requests of a server. Nothing that a server requests changes files.

use serde_json::{Value, json};

/// The error code of JSON-RPC for what we do not do.
const METHOD_NOT_FOUND: i32 = -32601;

/// What the answers depend on.
pub(crate) struct ReplyContext<'a> {
    /// The settings it was started with
    pub settings: &'a Value,
    /// The folder it serves
    pub folder: &'a Value,
}

/// The answer to a request of the server's, without its envelope: a result, or an error.
pub(crate) fn reply(
    method: &str,
    params: &Value,
    known: &ReplyContext<'_>,
) -> Result<Value, Value> {
    match method {
        "workspace/configuration" => {
            let items = params["items"].as_array().map_or(&[][..], Vec::as_slice);
            Ok(items.iter().map(|item| setting(known.settings, item["section"].as_str())).collect())
        }
        "workspace/workspaceFolders" => Ok(json!([known.folder])),
        "workspace/applyEdit" => {
            Ok(json!({"applied": false, "failureReason": "cairn applies edits itself"}))
        }
        "window/showDocument" => Ok(json!({"success": false})),
        "window/workDoneProgress/create"
        | "window/showMessageRequest"
        | "client/registerCapability"
        | "client/unregisterCapability" => Ok(Value::Null),
        _ if method.starts_with("workspace/") && method.ends_with("/refresh") => Ok(Value::Null),
        _ => Err(json!({"code": METHOD_NOT_FOUND, "message": "unsupported request"})),
    }
}

/// The settings under a dotted name; null if there are none.
fn setting(settings: &Value, section: Option<&str>) -> Value {
    let parts = section.unwrap_or_default().split('.').filter(|part| !part.is_empty());
    parts.fold(settings, |inner, part| &inner[part]).clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_question_is_answered_and_no_edit_applied() {
        let settings = json!({"python": {"analysis": {"a": 1}}});
        let known = ReplyContext { settings: &settings, folder: &json!({"uri": "file:///p"}) };
        let ask = |method: &str, params: Value| reply(method, &params, &known);
        let items = json!({"items": [{"section": "python.analysis"}, {"section": "go"}, {}]});
        assert_eq!(ask("workspace/configuration", items), Ok(json!([{"a": 1}, null, settings])));
        assert_eq!(ask("workspace/applyEdit", json!({})).unwrap()["applied"], false);
        assert_eq!(ask("workspace/inlayHint/refresh", json!({})), Ok(Value::Null));
        assert_eq!(ask("window/workDoneProgress/create", json!({})), Ok(Value::Null));
        assert_eq!(ask("workspace/workspaceFolders", json!({})), Ok(json!([{"uri": "file:///p"}])));
        assert_eq!(ask("custom/thing", json!({})).unwrap_err()["code"], METHOD_NOT_FOUND);
    }
}
