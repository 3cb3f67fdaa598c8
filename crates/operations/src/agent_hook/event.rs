//! The event that an agent's program reports, and the form in which it reads the reply.
//!
//! Claude Code and Codex send `{hook_event_name: "PreToolUse", tool_input, session_id}` and read
//! `{hookSpecificOutput: {hookEventName, additionalContext}}`. Cursor writes event names in lower
//! case and reads `{additional_context}`. Without an event the reply is plain text.

use std::path::{Path, PathBuf};

use base::RepoPath;
use serde_json::{Value, json};
use setup::AgentHook;

/// The names under which programs report the file of an edit.
const PATH_FIELDS: [&str; 4] = ["file_path", "path", "notebook_path", "target_file"];

/// How lines of a patch name its files.
const PATCH_LINES: [&str; 3] = ["*** Update File: ", "*** Add File: ", "*** Delete File: "];

/// An event of an agent's program.
#[derive(Debug)]
pub(crate) struct AgentEvent {
    hook: AgentHook,
    session: Option<String>,
    /// The folder that the program is in, if it says so
    folder: Option<PathBuf>,
    /// Paths as the program writes them
    named: Vec<String>,
    reply: ReplyForm,
}

/// How a reply is written.
#[derive(Debug, PartialEq, Eq)]
enum ReplyForm {
    /// For a person who tries the hook
    Plain,
    /// With the name of the event
    Nested(String),
    /// `additional_context`
    Flat,
}

impl AgentEvent {
    /// Reads an event. Fields that are missing or have another form are left out.
    pub(crate) fn read(event: Option<&Value>, hook: AgentHook) -> Self {
        let text = |key: &str| event.and_then(|event| event[key].as_str()).map(str::to_owned);
        let reply = match text("hook_event_name") {
            None => ReplyForm::Plain,
            Some(name) if name.starts_with(|first: char| first.is_lowercase()) => ReplyForm::Flat,
            Some(name) => ReplyForm::Nested(name),
        };
        let session = text("session_id").or_else(|| text("conversation_id"));
        let named = event.map(|event| named_paths(&event["tool_input"])).unwrap_or_default();
        let folder = text("cwd").map(PathBuf::from);
        Self { hook, session, folder, named, reply }
    }

    pub(crate) const fn hook(&self) -> AgentHook {
        self.hook
    }

    pub(crate) fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    /// The files of the repository that the event is about. `root` is a real path.
    pub(crate) fn paths(&self, root: &Path) -> Vec<RepoPath> {
        self.named.iter().filter_map(|named| self.path(root, Path::new(named))).collect()
    }

    /// A path relative to the program's folder or, if nothing is there, to the root.
    fn path(&self, root: &Path, named: &Path) -> Option<RepoPath> {
        let below = |folder: &Path| path_in_repository(root, &folder.join(named));
        let from_here = self.folder.as_deref().and_then(below);
        from_here.filter(|path| root.join(path.to_relative()).exists()).or_else(|| below(root))
    }

    /// A text in the form that the program reads.
    pub(crate) fn wrap(&self, text: &str) -> String {
        match &self.reply {
            ReplyForm::Plain => text.to_owned(),
            ReplyForm::Flat => json!({ "additional_context": text }).to_string(),
            ReplyForm::Nested(name) => {
                let output = json!({ "hookEventName": name, "additionalContext": text });
                json!({ "hookSpecificOutput": output }).to_string()
            }
        }
    }
}

/// A path below the root. Programs also name files through links to the repository, and files that
/// they are about to create.
fn path_in_repository(root: &Path, named: &Path) -> Option<RepoPath> {
    if let Ok(relative) = named.strip_prefix(root) {
        return RepoPath::from_relative(relative).ok();
    }
    let (existing, real) =
        named.ancestors().find_map(|part| Some((part, platform::canonicalize(part).ok()?)))?;
    let rest = named.strip_prefix(existing).ok()?;
    RepoPath::from_relative(real.join(rest).strip_prefix(root).ok()?).ok()
}

/// The files that the input of a tool names, by a field or in the lines of a patch.
fn named_paths(input: &Value) -> Vec<String> {
    let by_field = PATH_FIELDS.iter().find_map(|field| input[*field].as_str());
    if let Some(path) = by_field {
        return vec![path.to_owned()];
    }
    let texts = match input {
        Value::String(text) => vec![text.as_str()],
        Value::Object(fields) => fields.values().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let lines = texts.into_iter().flat_map(str::lines);
    lines.filter_map(patched_file).map(str::to_owned).collect()
}

/// The file that a line of a patch names.
fn patched_file(line: &str) -> Option<&str> {
    PATCH_LINES.iter().find_map(|start| line.strip_prefix(start)).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(value: &Value) -> AgentEvent {
        AgentEvent::read(Some(value), AgentHook::BeforeEdit)
    }

    #[test]
    fn files_are_found_in_fields_and_patches() {
        let root = Path::new("/repo");
        let edit = event(&json!({"tool_input": {"file_path": "/repo/src/a.ts"}}));
        assert_eq!(edit.paths(root), ["src/a.ts".parse().unwrap()]);
        let patch = "*** Begin Patch\n*** Update File: src/a.ts\n@@\n*** Add File: b.ts\n";
        let patch = event(&json!({"tool_input": {"command": patch}}));
        assert_eq!(patch.paths(root), ["src/a.ts".parse().unwrap(), "b.ts".parse().unwrap()]);
        let outside = event(&json!({"tool_input": {"file_path": "/etc/passwd"}}));
        assert_eq!(outside.paths(root), []);
        assert_eq!(event(&json!({"tool_input": 3})).paths(root), []);
    }

    #[test]
    fn a_reply_has_the_form_that_the_program_reads() {
        let claude = event(&json!({"hook_event_name": "PreToolUse"})).wrap("x");
        let nested =
            r#"{"hookSpecificOutput":{"additionalContext":"x","hookEventName":"PreToolUse"}}"#;
        assert_eq!(claude, nested);
        let cursor = event(&json!({"hook_event_name": "postToolUse"})).wrap("x");
        assert_eq!(cursor, r#"{"additional_context":"x"}"#);
        assert_eq!(AgentEvent::read(None, AgentHook::AfterEdit).wrap("x"), "x");
    }
}
