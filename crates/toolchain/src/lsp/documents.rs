//! What a server was told of files: which are open, with which text.
//!
//! A server that reads files by itself does so when it likes, and may answer from what was there
//! before. So whatever changed on disk is opened with its new text before the next question: that
//! is taken in in order. What is gone is opened empty and closed.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::place::uri_of;

/// Documents that stay open; beyond it the one that was used longest ago is closed.
const MOST_OPEN: usize = 48;

/// A file as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct News {
    /// The file, absolute
    pub path: PathBuf,
    /// What the protocol calls its language
    pub language: &'static str,
    /// Its text; none if it is gone
    pub text: Option<String>,
    /// Whether it was there before
    pub change: Change,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It is new
    Created,
    /// Its text is another
    Changed,
    /// It is gone
    Deleted,
    /// Nothing; it is only asked about
    Asked,
}

/// A message to send: its method and its parameters.
pub(crate) type Message = (&'static str, Value);

/// The open documents.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    open: BTreeMap<PathBuf, Open>,
    clock: u64,
}

#[derive(Debug)]
struct Open {
    version: i64,
    text: String,
    used: u64,
}

impl Documents {
    /// What to tell so that the server sees these files as they are.
    pub(crate) fn tell(&mut self, news: &[News]) -> Vec<Message> {
        let mut messages = Vec::new();
        let watched: Vec<Value> = news.iter().filter_map(watched).collect();
        if !watched.is_empty() {
            messages.push(("workspace/didChangeWatchedFiles", json!({"changes": watched})));
        }
        for one in news {
            self.tell_one(one, &mut messages);
        }
        while self.open.len() > MOST_OPEN.max(news.len()) {
            let oldest = self.open.iter().min_by_key(|(_, open)| open.used);
            let Some(path) = oldest.map(|(path, _)| path.clone()) else { break };
            messages.push(self.close(&path));
        }
        messages
    }

    /// The version of an open document.
    pub(crate) fn version(&self, path: &std::path::Path) -> Option<i64> {
        self.open.get(path).map(|open| open.version)
    }

    fn tell_one(&mut self, news: &News, messages: &mut Vec<Message>) {
        self.clock += 1;
        let used = self.clock;
        let Some(text) = &news.text else {
            if news.change == Change::Deleted {
                self.put(news, "", used, messages);
                messages.push(self.close(&news.path));
            }
            return;
        };
        self.put(news, text, used, messages);
    }

    fn put(&mut self, news: &News, text: &str, used: u64, messages: &mut Vec<Message>) {
        let uri = uri_of(&news.path);
        if let Some(open) = self.open.get_mut(&news.path) {
            open.used = used;
            if open.text != text {
                open.version += 1;
                text.clone_into(&mut open.text);
                let document = json!({"uri": uri, "version": open.version});
                let params = json!({"textDocument": document, "contentChanges": [{"text": text}]});
                messages.push(("textDocument/didChange", params));
            }
            return;
        }
        self.open.insert(news.path.clone(), Open { version: 1, text: text.to_owned(), used });
        let document = json!({"uri": uri, "languageId": news.language, "version": 1, "text": text});
        messages.push(("textDocument/didOpen", json!({"textDocument": document})));
    }

    fn close(&mut self, path: &std::path::Path) -> Message {
        self.open.remove(path);
        ("textDocument/didClose", json!({"textDocument": {"uri": uri_of(path)}}))
    }
}

fn watched(news: &News) -> Option<Value> {
    let kind = match news.change {
        Change::Created => 1,
        Change::Changed => 2,
        Change::Deleted => 3,
        Change::Asked => return None,
    };
    Some(json!({"uri": uri_of(&news.path), "type": kind}))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn news(path: &str, text: Option<&str>, change: Change) -> News {
        News { path: path.into(), language: "rust", text: text.map(ToOwned::to_owned), change }
    }

    fn methods(messages: &[Message]) -> Vec<&'static str> {
        messages.iter().map(|(method, _)| method.rsplit('/').next().unwrap()).collect()
    }

    #[test]
    fn a_document_is_opened_once_changed_when_it_did_and_emptied_before_it_goes() {
        let mut documents = Documents::default();
        let mut tell = |text, change| methods(&documents.tell(&[news("/p/a.rs", text, change)]));
        assert_eq!(tell(Some("a"), Change::Asked), ["didOpen"]);
        assert_eq!(tell(Some("a"), Change::Asked), [""; 0]);
        assert_eq!(tell(Some("b"), Change::Changed), ["didChangeWatchedFiles", "didChange"]);
        assert_eq!(tell(None, Change::Deleted), ["didChangeWatchedFiles", "didChange", "didClose"]);
        assert_eq!(tell(None, Change::Deleted), ["didChangeWatchedFiles", "didOpen", "didClose"]);
        assert_eq!(tell(Some("a"), Change::Created), ["didChangeWatchedFiles", "didOpen"]);
    }

    #[test]
    fn what_was_not_used_for_long_is_closed() {
        let mut documents = Documents::default();
        for number in 0..MOST_OPEN {
            documents.tell(&[news(&format!("/p/{number}.rs"), Some("a"), Change::Asked)]);
        }
        documents.tell(&[news("/p/0.rs", Some("a"), Change::Asked)]);
        let messages = documents.tell(&[news("/p/new.rs", Some("a"), Change::Asked)]);
        assert_eq!(methods(&messages), ["didOpen", "didClose"]);
        assert_eq!(messages[1].1["textDocument"]["uri"], "file:///p/1.rs");
    }
}
