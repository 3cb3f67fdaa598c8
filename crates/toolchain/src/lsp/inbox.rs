//! What a server says without being asked: how far it is, what it complains about.

use std::collections::BTreeMap;
use std::time::Instant;

use serde_json::Value;

use crate::dead::shown;

/// Files whose reports are kept; beyond it the oldest names go.
const MOST_REPORTED: usize = 2000;

/// What a server last reported about one file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// The version of the text it is about, if it says
    pub version: Option<i64>,
    /// Its diagnostics, as the protocol writes them
    pub diagnostics: Vec<Value>,
}

/// What was heard so far.
#[derive(Debug)]
pub(crate) struct Inbox {
    /// Work in progress, by token: how it was announced
    work: BTreeMap<String, String>,
    /// When work last began or ended
    moved: Instant,
    /// Whether all is read, for servers that say so outright
    quiescent: Option<bool>,
    /// Whether it said how many files it found, as pyright does before it can answer about them
    has_listed: bool,
    /// What is wrong with the project, in the server's words
    complaint: Option<String>,
    /// The token under which the complaint was announced as work
    failure: Option<String>,
    reports: BTreeMap<String, Report>,
}

impl Default for Inbox {
    fn default() -> Self {
        Self {
            work: BTreeMap::new(),
            moved: Instant::now(),
            quiescent: None,
            has_listed: false,
            complaint: None,
            failure: None,
            reports: BTreeMap::new(),
        }
    }
}

impl Inbox {
    /// Takes in a notification.
    pub(crate) fn hear(&mut self, method: &str, params: &Value) {
        match method {
            "$/progress" => self.progress(params),
            // Pyright's own form, from before the protocol had one.
            "pyright/beginProgress" => self.begin("pyright", "reading the project"),
            "pyright/endProgress" => self.end("pyright"),
            "experimental/serverStatus" => self.status(params),
            "window/logMessage" => {
                let said = params["message"].as_str().unwrap_or_default();
                self.has_listed |= said.contains("source file")
                    && ["Found ", "No source files found"].iter().any(|one| said.starts_with(one));
            }
            "textDocument/publishDiagnostics" => self.report(params),
            _ => {}
        }
    }

    fn progress(&mut self, params: &Value) {
        let token = params["token"].to_string();
        let value = &params["value"];
        let said = value["message"].as_str().or(value["title"].as_str()).unwrap_or_default();
        match value["kind"].as_str() {
            // gopls announces that it cannot load the project as work that never ends.
            Some("begin") if is_failure(value) => {
                self.complaint = Some(shown(said));
                self.failure = Some(token);
                self.moved = Instant::now();
            }
            Some("end") if self.failure.as_ref() == Some(&token) => {
                (self.complaint, self.failure) = (None, None);
                self.moved = Instant::now();
            }
            Some("begin") => self.begin(&token, said),
            Some("report") => {
                let percent = value["percentage"].as_u64().map(|percent| format!("{percent} %"));
                let parts = [percent.as_deref(), value["message"].as_str()];
                let text = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
                if let Some(known) = self.work.get_mut(&token).filter(|_| !text.is_empty()) {
                    *known = shown(&text);
                }
            }
            Some("end") => self.end(&token),
            _ => {}
        }
    }

    fn begin(&mut self, token: &str, said: &str) {
        self.work.insert(token.to_owned(), shown(said));
        self.moved = Instant::now();
    }

    fn end(&mut self, token: &str) {
        self.work.remove(token);
        self.moved = Instant::now();
    }

    fn status(&mut self, params: &Value) {
        self.quiescent = params["quiescent"].as_bool();
        let is_fine = params["health"].as_str().is_none_or(|health| health == "ok");
        let said = params["message"].as_str().map(shown);
        self.complaint = if is_fine { None } else { said };
        self.moved = Instant::now();
    }

    fn report(&mut self, params: &Value) {
        let Some(uri) = params["uri"].as_str() else { return };
        if self.reports.len() >= MOST_REPORTED && !self.reports.contains_key(uri) {
            self.reports.pop_first();
        }
        let diagnostics = params["diagnostics"].as_array().cloned().unwrap_or_default();
        let report = Report { version: params["version"].as_i64(), diagnostics };
        self.reports.insert(uri.to_owned(), report);
    }

    /// Whether it said outright that all is read; nothing if it never does.
    pub(crate) fn quiescent(&self) -> Option<bool> {
        self.quiescent
    }

    /// Whether it said which files there are.
    pub(crate) fn has_listed(&self) -> bool {
        self.has_listed
    }

    /// Whether no work is in progress, and since when.
    pub(crate) fn quiet_since(&self) -> Option<Instant> {
        self.work.is_empty().then_some(self.moved)
    }

    /// What it is doing, in its own words.
    pub(crate) fn doing(&self) -> Option<String> {
        self.work.values().find(|said| !said.is_empty()).cloned()
    }

    /// What is wrong with the project.
    pub(crate) fn complaint(&self) -> Option<&str> {
        self.complaint.as_deref()
    }

    /// What it last reported about a file.
    pub(crate) fn report_on(&self, uri: &str) -> Option<Report> {
        self.reports.get(uri).cloned()
    }
}

/// Whether work is announced that is none: the project could not be loaded.
fn is_failure(value: &Value) -> bool {
    value["title"].as_str().is_some_and(|title| title.starts_with("Error"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn work_begins_and_ends_by_its_token() {
        let mut inbox = Inbox::default();
        let mut say = |kind: &str, token: Value, extra: Value| {
            let mut value = json!({"kind": kind});
            value.as_object_mut().unwrap().extend(extra.as_object().cloned().unwrap());
            inbox.hear("$/progress", &json!({"token": token, "value": value}));
            (inbox.quiet_since().is_some(), inbox.doing())
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
        let mut inbox = Inbox::default();
        let mut say = |value: Value| {
            inbox.hear("$/progress", &json!({"token": "1", "value": value}));
            (inbox.quiet_since().is_some(), inbox.complaint().map(ToOwned::to_owned))
        };
        let begin =
            json!({"kind": "begin", "title": "Error loading workspace", "message": "no go.mod"});
        assert_eq!(say(begin), (true, Some("no go.mod".into())));
        assert_eq!(say(json!({"kind": "end"})), (true, None));
    }

    #[test]
    fn a_list_of_files_is_heard_in_the_log() {
        let mut inbox = Inbox::default();
        for (said, listed) in [("Searching for source files", false), ("Found 1 source file", true)]
        {
            inbox.hear("window/logMessage", &json!({"type": 3, "message": said}));
            assert_eq!(inbox.has_listed(), listed, "{said}");
        }
    }

    #[test]
    fn a_status_says_whether_all_is_read_and_what_is_wrong() {
        let mut inbox = Inbox::default();
        assert_eq!(inbox.quiescent(), None);
        let status = json!({"health": "error", "quiescent": false, "message": "no Cargo.toml"});
        inbox.hear("experimental/serverStatus", &status);
        assert_eq!((inbox.quiescent(), inbox.complaint()), (Some(false), Some("no Cargo.toml")));
        inbox.hear("experimental/serverStatus", &json!({"health": "ok", "quiescent": true}));
        assert_eq!((inbox.quiescent(), inbox.complaint()), (Some(true), None));
    }
}
