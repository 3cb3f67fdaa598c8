//! What a server was told about files: which are open, and with which text.
//!
//! A server that reads files by itself may do so late, and answer from an earlier state. So a file
//! that changed on disk is opened with its new text before the next request, because a server
//! handles messages in order. A deleted file is opened with an empty text and closed.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::position::uri_from_path;

/// Maximum number of open documents. Beyond it, the least recently used one is closed.
const MAX_OPEN: usize = 48;

/// A file as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileUpdate {
    /// The file, absolute
    pub path: PathBuf,
    /// What the protocol calls its language
    pub language: &'static str,
    /// The text; `None` if the file was deleted
    pub text: Option<String>,
    /// What happened to it since the server was last told
    pub kind: FileUpdateKind,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileUpdateKind {
    /// It is new
    Created,
    /// Its text changed
    Changed,
    /// The file was deleted
    Deleted,
    /// Nothing; it is only asked about
    Unchanged,
}

/// A message to send: its method and its parameters.
pub(crate) type LspMessage = (&'static str, Value);

/// The open documents.
#[derive(Debug, Default)]
pub(crate) struct OpenDocuments {
    open: BTreeMap<PathBuf, OpenDocument>,
    clock: u64,
}

#[derive(Debug)]
struct OpenDocument {
    version: i64,
    text: String,
    last_used: u64,
}

impl OpenDocuments {
    /// The messages after which the server sees these files as they are.
    pub(crate) fn sync(&mut self, news: &[FileUpdate]) -> Vec<LspMessage> {
        let mut messages = Vec::new();
        let watched: Vec<Value> = news.iter().filter_map(watched_file_event).collect();
        if !watched.is_empty() {
            messages.push(("workspace/didChangeWatchedFiles", json!({"changes": watched})));
        }
        for one in news {
            self.sync_file(one, &mut messages);
        }
        while self.open.len() > MAX_OPEN.max(news.len()) {
            let oldest = self.open.iter().min_by_key(|(_, open)| open.last_used);
            let Some(path) = oldest.map(|(path, _)| path.clone()) else { break };
            messages.push(self.close(&path));
        }
        messages
    }

    /// The version of an open document.
    pub(crate) fn version(&self, path: &std::path::Path) -> Option<i64> {
        self.open.get(path).map(|open| open.version)
    }

    fn sync_file(&mut self, news: &FileUpdate, messages: &mut Vec<LspMessage>) {
        self.clock += 1;
        let used = self.clock;
        let Some(text) = &news.text else {
            if news.kind == FileUpdateKind::Deleted {
                self.open_or_change(news, "", used, messages);
                messages.push(self.close(&news.path));
            }
            return;
        };
        self.open_or_change(news, text, used, messages);
    }

    fn open_or_change(
        &mut self,
        news: &FileUpdate,
        text: &str,
        used: u64,
        messages: &mut Vec<LspMessage>,
    ) {
        let uri = uri_from_path(&news.path);
        if let Some(open) = self.open.get_mut(&news.path) {
            open.last_used = used;
            if open.text != text {
                open.version += 1;
                text.clone_into(&mut open.text);
                let document = json!({"uri": uri, "version": open.version});
                let params = json!({"textDocument": document, "contentChanges": [{"text": text}]});
                messages.push(("textDocument/didChange", params));
            }
            return;
        }
        self.open.insert(
            news.path.clone(),
            OpenDocument { version: 1, text: text.to_owned(), last_used: used },
        );
        let document = json!({"uri": uri, "languageId": news.language, "version": 1, "text": text});
        messages.push(("textDocument/didOpen", json!({"textDocument": document})));
    }

    fn close(&mut self, path: &std::path::Path) -> LspMessage {
        self.open.remove(path);
        ("textDocument/didClose", json!({"textDocument": {"uri": uri_from_path(path)}}))
    }
}

fn watched_file_event(news: &FileUpdate) -> Option<Value> {
    let kind = match news.kind {
        FileUpdateKind::Created => 1,
        FileUpdateKind::Changed => 2,
        FileUpdateKind::Deleted => 3,
        FileUpdateKind::Unchanged => return None,
    };
    Some(json!({"uri": uri_from_path(&news.path), "type": kind}))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn news(path: &str, text: Option<&str>, change: FileUpdateKind) -> FileUpdate {
        FileUpdate {
            path: path.into(),
            language: "rust",
            text: text.map(ToOwned::to_owned),
            kind: change,
        }
    }

    fn methods(messages: &[LspMessage]) -> Vec<&'static str> {
        messages.iter().map(|(method, _)| method.rsplit('/').next().unwrap()).collect()
    }

    #[test]
    fn a_document_is_opened_once_changed_when_it_did_and_emptied_before_it_goes() {
        let mut documents = OpenDocuments::default();
        let mut tell = |text, change| methods(&documents.sync(&[news("/p/a.rs", text, change)]));
        assert_eq!(tell(Some("a"), FileUpdateKind::Unchanged), ["didOpen"]);
        assert_eq!(tell(Some("a"), FileUpdateKind::Unchanged), [""; 0]);
        assert_eq!(
            tell(Some("b"), FileUpdateKind::Changed),
            ["didChangeWatchedFiles", "didChange"]
        );
        assert_eq!(
            tell(None, FileUpdateKind::Deleted),
            ["didChangeWatchedFiles", "didChange", "didClose"]
        );
        assert_eq!(
            tell(None, FileUpdateKind::Deleted),
            ["didChangeWatchedFiles", "didOpen", "didClose"]
        );
        assert_eq!(tell(Some("a"), FileUpdateKind::Created), ["didChangeWatchedFiles", "didOpen"]);
    }

    #[test]
    fn what_was_not_used_for_long_is_closed() {
        let mut documents = OpenDocuments::default();
        for number in 0..MAX_OPEN {
            documents.sync(&[news(
                &format!("/p/{number}.rs"),
                Some("a"),
                FileUpdateKind::Unchanged,
            )]);
        }
        documents.sync(&[news("/p/0.rs", Some("a"), FileUpdateKind::Unchanged)]);
        let messages = documents.sync(&[news("/p/new.rs", Some("a"), FileUpdateKind::Unchanged)]);
        assert_eq!(methods(&messages), ["didOpen", "didClose"]);
        assert_eq!(messages[1].1["textDocument"]["uri"], "file:///p/1.rs");
    }
}
