//! The questions that are asked after every step, and the parts of their answers that are compared.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::McpClient;
use crate::soak::SeededRng;

/// Number of files that are asked about individually.
const SAMPLED_FILES: usize = 5;

/// Operations with their arguments.
pub(super) struct QuestionSet(Vec<(String, Value)>);

/// The answers, in the order of the questions.
pub(super) struct AnswerSet(Vec<(String, ComparedAnswer)>);

/// One answer.
pub(super) struct ComparedAnswer {
    pub(super) content: String,
    /// Whether it claims to be up to date
    pub(super) is_fresh: bool,
}

impl QuestionSet {
    /// Questions about the whole repository and about some of its files.
    pub(super) fn sample(root: &Path, dice: &mut SeededRng) -> Self {
        let mut all: Vec<(String, Value)> = [
            ("status", json!({})),
            ("code.list", json!({"recursive": true, "limit": 1000})),
            ("verify", json!({"limit": 1000})),
            ("history.list", json!({"limit": 1000})),
            ("card.list", json!({})),
            ("kb.query", json!({})),
            ("search", json!({"query": "alpha"})),
            ("review", json!({})),
        ]
        .map(|(name, args)| (name.to_owned(), args))
        .into();
        let files = files_below(root, root);
        for _ in 0..SAMPLED_FILES.min(files.len()) {
            let path = &files[dice.below(files.len())];
            all.push(("code.zoom".into(), json!({"path": path, "level": 1})));
            all.push(("deps".into(), json!({"target": path, "depth": 1})));
        }
        Self(all)
    }

    /// Asks a server all questions.
    pub(super) fn ask(&self, server: &mut McpClient, root: &Path) -> AnswerSet {
        let root = root.to_string_lossy().into_owned();
        let one = |(name, args): &(String, Value)| {
            let params =
                json!({"name": "ask", "arguments": {"operation": name, "arguments": args}});
            let response = server.request("tools/call", params);
            (
                format!("{name} {args}"),
                ComparedAnswer::of(&response["result"]["structuredContent"], &root),
            )
        };
        AnswerSet(self.0.iter().map(one).collect())
    }
}

impl AnswerSet {
    /// Pairs each question with its two answers.
    pub(super) fn zip<'a>(
        &'a self,
        other: &'a Self,
    ) -> impl Iterator<Item = (&'a str, &'a ComparedAnswer, &'a ComparedAnswer)> {
        self.0.iter().zip(&other.0).map(|(one, other)| (one.0.as_str(), &one.1, &other.1))
    }
}

impl ComparedAnswer {
    fn of(answer: &Value, root: &str) -> Self {
        let basis = &answer["basis"];
        let mut data = answer["data"].clone();
        // The paths and sizes of stores differ, and so does the number of the last change.
        if let Some(status) = data.as_object_mut() {
            status.remove("stores");
            status.remove("last_change");
        }
        let said = json!({
            "data": data,
            "error": answer["error"]["code"],
            "branch": basis["branch"],
            "commit": basis["commit"],
            "edited": basis["edited"],
        });
        let is_fresh = basis["state"] == "fresh" || !answer["error"].is_null();
        Self { content: said.to_string().replace(root, "ROOT"), is_fresh }
    }
}

/// All files below a folder by their paths from the root, without those of git and cairn.
pub(super) fn files_below(root: &Path, folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name();
        if name == ".git" || path == root.join(".cairn/cache") {
            continue;
        }
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => found.extend(files_below(root, &path)),
            Ok(kind) if kind.is_file() => {
                let name = path.strip_prefix(root).map(|name| name.to_string_lossy().into_owned());
                found.extend(name.ok());
            }
            _ => {}
        }
    }
    found.sort();
    found
}
