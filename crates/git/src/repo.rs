//! One worktree of a repository.

use std::path::{Path, PathBuf};

use base::{Call, Problem, ProblemCode, Result};

use crate::command::{GitCommand, HooksPath};
use crate::config::GitConfig;
use crate::host::GitHost;
use crate::{ObjectFormat, Oid, RepoLayout};

/// One worktree of a repository. It is cheap to clone, and opening it starts no process.
#[derive(Debug, Clone)]
pub struct Repo {
    host: GitHost,
    layout: RepoLayout,
    format: ObjectFormat,
    index: Option<PathBuf>,
}

impl Repo {
    /// Opens a worktree that [`discover`](crate::discover) found.
    pub fn open(host: GitHost, layout: RepoLayout) -> Result<Self> {
        let config = GitConfig::read(&layout.git_dir, &layout.common_dir)?;
        let format = object_format(&config)?;
        Ok(Self { host, layout, format, index: None })
    }

    /// Uses another index, such as the one that a commit in progress names in `GIT_INDEX_FILE`.
    #[must_use]
    pub fn with_index(mut self, index: PathBuf) -> Self {
        self.index = Some(index);
        self
    }

    /// The folders of the repository.
    pub fn layout(&self) -> &RepoLayout {
        &self.layout
    }

    /// The format of object ids.
    pub fn format(&self) -> ObjectFormat {
        self.format
    }

    /// The object id of a blob with these bytes.
    pub fn blob_id(&self, bytes: &[u8]) -> Oid {
        self.format.blob_id(bytes)
    }

    /// Whether a file with these bytes is the blob `oid`, either as it is or with LF line ends.
    pub fn same_content(&self, bytes: &[u8], oid: Oid) -> bool {
        self.format.same_content(bytes, oid)
    }

    /// The user's mail address, if it is configured.
    pub fn user_email(&self, call: &Call) -> Result<Option<String>> {
        let email =
            self.git("config")?.args(["-z", "--get", "user.email"]).run(call)?.optional_output()?;
        let email =
            email.map(|bytes| String::from_utf8_lossy(&bytes).trim_end_matches('\0').into());
        Ok(email.filter(|email: &String| !email.is_empty() && !email.contains(char::is_control)))
    }

    /// Sets the command of a merge driver in the repository's settings. `None` removes it.
    pub fn set_merge_driver(&self, call: &Call, name: &str, command: Option<&str>) -> Result<()> {
        let key = format!("merge.{name}.driver");
        let git = self.git("config")?;
        if let Some(command) = command {
            return git.args(["--local", &key, command]).run(call)?.output().map(drop);
        }
        let section = format!("merge.{name}");
        let gone = git.args(["--local", "--remove-section", &section]).run(call)?;
        // A section that is not there is gone already.
        gone.output().map(drop).or(Ok(()))
    }

    /// The same repository, seen from another worktree.
    pub(crate) fn with_layout(&self, layout: RepoLayout) -> Self {
        Self { layout, ..self.clone() }
    }

    /// A hardened call in this worktree.
    pub(crate) fn git(&self, verb: &'static str) -> Result<GitCommand> {
        self.git_with_hooks_path(HooksPath::Disabled, verb)
    }

    /// A hardened call that sees where hooks are.
    pub(crate) fn git_with_hooks_path(
        &self,
        hooks: HooksPath,
        verb: &'static str,
    ) -> Result<GitCommand> {
        let git = GitCommand::in_repository(&self.host, &self.layout, self.format, hooks, verb)?;
        Ok(git.with_index_file(self.index.as_deref()))
    }

    pub(crate) fn git_dir(&self) -> &Path {
        &self.layout.git_dir
    }

    pub(crate) fn common_dir(&self) -> &Path {
        &self.layout.common_dir
    }
}

fn object_format(config: &GitConfig) -> Result<ObjectFormat> {
    match config.get("extensions.objectformat") {
        None | Some(b"sha1") => Ok(ObjectFormat::Sha1),
        Some(b"sha256") => Ok(ObjectFormat::Sha256),
        Some(other) => {
            let other = String::from_utf8_lossy(other).escape_debug().to_string();
            Err(Problem::new(ProblemCode::Unavailable, format!("unknown object format `{other}`"))
                .hint("the supported formats are sha1 and sha256; see extensions.objectFormat in .git/config"))
        }
    }
}
