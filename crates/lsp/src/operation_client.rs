//! Asks operations for a request of the editor.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::{Call, Problem, RepoPath, Result};
use engine::Workspace;
use jiff::Timestamp;
use operations::{CallFormat, ops};
use serde_json::Value;
use toolchain::lsp::{path_from_uri, uri_from_path};

/// Who uses the editor. It is the author that the command line records as well, so that
/// `cairn undo` takes back what an action did.
#[derive(Debug, Clone)]
pub struct EditorAuthor {
    /// The author of changes
    pub actor: String,
    /// The session that changes belong to
    pub session: String,
}

/// One open repository, who asks, and the clock.
pub(crate) struct OperationClient {
    pub(crate) workspace: Arc<Workspace>,
    pub(crate) author: EditorAuthor,
    pub(crate) clock: fn() -> Timestamp,
}

impl OperationClient {
    /// The data of an operation's answer.
    pub(crate) fn ask(&self, operation: &str, args: Value) -> Result<Value> {
        let Value::Object(args) = args else {
            return Err(Problem::internal("arguments are an object"));
        };
        let EditorAuthor { actor, session } = self.author.clone();
        let call = Call::new(actor, (self.clock)()).in_session(session);
        let outcome = ops::find(operation)?.call(&self.workspace, call, args);
        if let Err(problem) = outcome {
            return Err(problem);
        }
        Ok(CallFormat::CommandLine.json(&outcome)["data"].take())
    }

    /// The root of the repository.
    pub(crate) fn root(&self) -> &Path {
        self.workspace.tree.root()
    }

    /// The file of the repository that a URI names.
    pub(crate) fn repo_path(&self, uri: &str) -> Option<RepoPath> {
        let path = path_from_uri(uri)?;
        let path = platform::canonicalize(&path).unwrap_or(path);
        RepoPath::from_relative(path.strip_prefix(self.root()).ok()?).ok()
    }

    /// The URI of a file of the repository.
    pub(crate) fn uri(&self, path: &str) -> String {
        uri_from_path(&self.root().join(PathBuf::from(path)))
    }

    /// The text of a file, as it is on disk.
    pub(crate) fn text(&self, path: &RepoPath) -> Result<String> {
        let content = self.workspace.tree.read(path)?;
        let bytes = content.map(|content| content.bytes).unwrap_or_default();
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}
