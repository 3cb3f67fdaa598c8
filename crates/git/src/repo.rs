//! One worktree of one repository, ready to be asked.

use std::path::{Path, PathBuf};

use base::{Call, Code, Problem, Result};

use crate::command::{Git, HooksPath};
use crate::config::Config;
use crate::host::Host;
use crate::{Format, Layout, Oid};

/// One worktree of one repository. Cheap to clone; opening it runs nothing.
#[derive(Debug, Clone)]
pub struct Repo {
    host: Host,
    layout: Layout,
    format: Format,
    index: Option<PathBuf>,
}

impl Repo {
    /// Opens the worktree that [`discover`](crate::discover) found.
    pub fn open(host: Host, layout: Layout) -> Result<Self> {
        let config = Config::read(&layout.git_dir, &layout.common_dir)?;
        let format = format_of(&config)?;
        Ok(Self { host, layout, format, index: None })
    }

    /// Looks at the index a commit in progress has named in `GIT_INDEX_FILE`.
    #[must_use]
    pub fn with_index(mut self, index: PathBuf) -> Self {
        self.index = Some(index);
        self
    }

    /// Where its parts are.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// How it names objects.
    pub fn format(&self) -> Format {
        self.format
    }

    /// What git would name a blob with these bytes.
    pub fn object_id(&self, bytes: &[u8]) -> Oid {
        self.format.object_id(bytes)
    }

    /// Whether a file with these bytes is the blob `oid`, as it is or with LF for CRLF.
    pub fn same_content(&self, bytes: &[u8], oid: Oid) -> bool {
        self.format.same_content(bytes, oid)
    }

    /// The user's address, if git knows one.
    pub fn user_email(&self, call: &Call) -> Result<Option<String>> {
        let email = self.git("config")?.args(["-z", "--get", "user.email"]).run(call)?.answer()?;
        let email =
            email.map(|bytes| String::from_utf8_lossy(&bytes).trim_end_matches('\0').into());
        Ok(email.filter(|email: &String| !email.is_empty() && !email.contains(char::is_control)))
    }

    /// The same repository, seen from another of its worktrees.
    pub(crate) fn at(&self, layout: Layout) -> Self {
        Self { layout, ..self.clone() }
    }

    /// A hardened call in this worktree.
    pub(crate) fn git(&self, verb: &'static str) -> Result<Git> {
        self.git_with(HooksPath::Nowhere, verb)
    }

    /// A hardened call that sees where hooks are.
    pub(crate) fn git_with(&self, hooks: HooksPath, verb: &'static str) -> Result<Git> {
        let git = Git::inside(&self.host, &self.layout, self.format, hooks, verb)?;
        Ok(git.index(self.index.as_deref()))
    }

    pub(crate) fn git_dir(&self) -> &Path {
        &self.layout.git_dir
    }

    pub(crate) fn common_dir(&self) -> &Path {
        &self.layout.common_dir
    }
}

fn format_of(config: &Config) -> Result<Format> {
    match config.get("extensions.objectformat") {
        None | Some(b"sha1") => Ok(Format::Sha1),
        Some(b"sha256") => Ok(Format::Sha256),
        Some(other) => {
            let other = String::from_utf8_lossy(other).escape_debug().to_string();
            Err(Problem::new(Code::Unavailable, format!("unknown object format `{other}`"))
                .hint("git knows sha1 and sha256; see extensions.objectFormat in .git/config"))
        }
    }
}
