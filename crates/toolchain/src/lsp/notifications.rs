//! The notifications of a server: its progress, its diagnostics and its errors.

use std::collections::BTreeMap;
use std::time::Instant;

use serde_json::Value;

use crate::program_failure::escape_for_display;

/// Maximum number of files whose diagnostics are kept. Beyond it, those with the alphabetically
/// first paths are dropped.
const MAX_REPORTS: usize = 2000;

/// The last diagnostics of one file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DiagnosticsReport {
    /// The version of the text that they are about, if the server names it
    pub version: Option<i64>,
    /// The diagnostics in the form of the protocol
    pub diagnostics: Vec<Value>,
}

/// What the server has reported so far.
#[derive(Debug)]
pub(crate) struct NotificationState {
    /// Work in progress: its message, by its token
    work: BTreeMap<String, String>,
    /// When work last began or ended
    last_activity: Instant,
    /// Whether the server has loaded everything, for servers that report it
    quiescent: Option<bool>,
    /// Whether the server reported how many files it found, as pyright does before it can answer
    /// about them
    has_listed_files: bool,
    /// The server's message about an error of the project
    project_error: Option<String>,
    /// The token of the work that reported this error
    project_error_token: Option<String>,
    reports: BTreeMap<String, DiagnosticsReport>,
}

impl Default for NotificationState {
    fn default() -> Self {
        Self {
            work: BTreeMap::new(),
            last_activity: Instant::now(),
            quiescent: None,
            has_listed_files: false,
            project_error: None,
            project_error_token: None,
            reports: BTreeMap::new(),
        }
    }
}

impl NotificationState {
    /// Processes a notification.
    pub(crate) fn handle(&mut self, method: &str, params: &Value) {
        match method {
            "$/progress" => self.progress(params),
            // Pyright's own form, from before the protocol had one.
            "pyright/beginProgress" => self.begin("pyright", "reading the project"),
            "pyright/endProgress" => self.end("pyright"),
            "experimental/serverStatus" => self.status(params),
            "window/logMessage" => {
                let said = params["message"].as_str().unwrap_or_default();
                self.has_listed_files |= said.contains("source file")
                    && ["Found ", "No source files found"].iter().any(|one| said.starts_with(one));
            }
            "textDocument/publishDiagnostics" => self.record_diagnostics(params),
            _ => {}
        }
    }

    fn progress(&mut self, params: &Value) {
        let token = params["token"].to_string();
        let value = &params["value"];
        let said = value["message"].as_str().or(value["title"].as_str()).unwrap_or_default();
        match value["kind"].as_str() {
            // gopls announces that it cannot load the project as work that never ends.
            Some("begin") if is_project_error(value) => {
                self.project_error = Some(escape_for_display(said));
                self.project_error_token = Some(token);
                self.last_activity = Instant::now();
            }
            Some("end") if self.project_error_token.as_ref() == Some(&token) => {
                (self.project_error, self.project_error_token) = (None, None);
                self.last_activity = Instant::now();
            }
            Some("begin") => self.begin(&token, said),
            Some("report") => {
                let percent = value["percentage"].as_u64().map(|percent| format!("{percent} %"));
                let parts = [percent.as_deref(), value["message"].as_str()];
                let text = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
                if let Some(known) = self.work.get_mut(&token).filter(|_| !text.is_empty()) {
                    *known = escape_for_display(&text);
                }
            }
            Some("end") => self.end(&token),
            _ => {}
        }
    }

    fn begin(&mut self, token: &str, said: &str) {
        self.work.insert(token.to_owned(), escape_for_display(said));
        self.last_activity = Instant::now();
    }

    fn end(&mut self, token: &str) {
        self.work.remove(token);
        self.last_activity = Instant::now();
    }

    fn status(&mut self, params: &Value) {
        self.quiescent = params["quiescent"].as_bool();
        let is_fine = params["health"].as_str().is_none_or(|health| health == "ok");
        let said = params["message"].as_str().map(escape_for_display);
        self.project_error = if is_fine { None } else { said };
        self.last_activity = Instant::now();
    }

    fn record_diagnostics(&mut self, params: &Value) {
        let Some(uri) = params["uri"].as_str() else { return };
        if self.reports.len() >= MAX_REPORTS && !self.reports.contains_key(uri) {
            self.reports.pop_first();
        }
        let diagnostics = params["diagnostics"].as_array().cloned().unwrap_or_default();
        let report = DiagnosticsReport { version: params["version"].as_i64(), diagnostics };
        self.reports.insert(uri.to_owned(), report);
    }

    /// Whether the server has loaded everything; `None` if it never reports it.
    pub(crate) fn quiescent(&self) -> Option<bool> {
        self.quiescent
    }

    /// Whether the server reported which files exist.
    pub(crate) fn has_listed_files(&self) -> bool {
        self.has_listed_files
    }

    /// Since when no work is in progress; `None` if work is.
    pub(crate) fn quiet_since(&self) -> Option<Instant> {
        self.work.is_empty().then_some(self.last_activity)
    }

    /// The work in progress, in the server's words.
    pub(crate) fn current_work(&self) -> Option<String> {
        self.work.values().find(|said| !said.is_empty()).cloned()
    }

    /// The error of the project, in the server's words.
    pub(crate) fn project_error(&self) -> Option<&str> {
        self.project_error.as_deref()
    }

    /// The last diagnostics of a file.
    pub(crate) fn report_for(&self, uri: &str) -> Option<DiagnosticsReport> {
        self.reports.get(uri).cloned()
    }
}

/// Whether the announced work is in fact the message that the project could not be loaded.
fn is_project_error(value: &Value) -> bool {
    value["title"].as_str().is_some_and(|title| title.starts_with("Error"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn work_begins_and_ends_by_its_token() {
        let mut inbox = NotificationState::default();
        let mut say = |kind: &str, token: Value, extra: Value| {
            let mut value = json!({"kind": kind});
            value.as_object_mut().unwrap().extend(extra.as_object().cloned().unwrap());
            inbox.handle("$/progress", &json!({"token": token, "value": value}));
            (inbox.quiet_since().is_some(), inbox.current_work())
        };
        assert_eq!(
            say("begin", json!(1), json!({"title": "Indexing"})),
            (false, Some("Indexing".into()))
        );
        assert_eq!(
            say("begin", json!("a"), json!({"title": ""})),
            (false, Some("Indexing".into()))
        );
        let report = json!({"message": "3/9", "percentage": 33});
        assert_eq!(say("report", json!(1), report), (false, Some("33 % 3/9".into())));
        assert_eq!(say("end", json!(1), json!({})), (false, None));
        assert_eq!(say("end", json!("a"), json!({})), (true, None));
    }

    #[test]
    fn a_project_that_cannot_be_loaded_is_a_complaint_and_no_work() {
        let mut inbox = NotificationState::default();
        let mut say = |value: Value| {
            inbox.handle("$/progress", &json!({"token": "1", "value": value}));
            (inbox.quiet_since().is_some(), inbox.project_error().map(ToOwned::to_owned))
        };
        let begin =
            json!({"kind": "begin", "title": "Error loading workspace", "message": "no go.mod"});
        assert_eq!(say(begin), (true, Some("no go.mod".into())));
        assert_eq!(say(json!({"kind": "end"})), (true, None));
    }

    #[test]
    fn a_list_of_files_is_heard_in_the_log() {
        let mut inbox = NotificationState::default();
        for (said, listed) in [("Searching for source files", false), ("Found 1 source file", true)]
        {
            inbox.handle("window/logMessage", &json!({"type": 3, "message": said}));
            assert_eq!(inbox.has_listed_files(), listed, "{said}");
        }
    }

    #[test]
    fn a_status_says_whether_all_is_read_and_what_is_wrong() {
        let mut inbox = NotificationState::default();
        assert_eq!(inbox.quiescent(), None);
        let status = json!({"health": "error", "quiescent": false, "message": "no Cargo.toml"});
        inbox.handle("experimental/serverStatus", &status);
        assert_eq!(
            (inbox.quiescent(), inbox.project_error()),
            (Some(false), Some("no Cargo.toml"))
        );
        inbox.handle("experimental/serverStatus", &json!({"health": "ok", "quiescent": true}));
        assert_eq!((inbox.quiescent(), inbox.project_error()), (Some(true), None));
    }
}
