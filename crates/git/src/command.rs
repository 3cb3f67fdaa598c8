//! The one place that starts a process: git, hardened so that a repository chooses nothing.
//!
//! Settings, attributes and the environment can each name programs. Every call therefore clears
//! the environment, overrides the settings and flags below, and reads attributes from the empty
//! tree. Callers add `--end-of-options` before revisions, `--` before paths, and `-z`.
//!
//! @see spec::workspace/hostile-git

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use base::{Call, Result};

use crate::host::Host;
use crate::oid::Format;
use crate::platform::NULL_DEVICE;
use crate::run::{Done, Running};
use crate::{Layout, failure, files};

/// No lock, prompt, network, fetch of missing objects, replaced objects or translated message.
const ENVIRONMENT: [(&str, &str); 9] = [
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_FLUSH", "0"), // not after each commit; what is waited for is flushed on request
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", ""),
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("LC_ALL", "C"),
];

const FLAGS: [&str; 3] = ["--no-pager", "--no-optional-locks", "--literal-pathspecs"];

const SETTINGS: [&str; 5] = [
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "safe.bareRepository=explicit",
    "protocol.allow=never",
    "log.showSignature=false",
];

/// Where a call looks for hooks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum HooksPath {
    /// Nowhere
    Nowhere,
    /// Where the repository says, for the one call that asks for it and runs none
    Configured,
}

/// One call of git, not started yet.
pub(crate) struct Git {
    command: Command,
    about: About,
}

/// What a call was, for the problem it may end in.
#[derive(Debug, Clone)]
pub(crate) struct About {
    /// The git command, such as `ls-tree`
    pub(crate) verb: &'static str,
    /// Where it ran
    pub(crate) root: PathBuf,
    /// The folders whose files git opens; none for a call that needs no repository
    pub(crate) git_dirs: Vec<PathBuf>,
}

impl Git {
    /// A call in a repository.
    pub(crate) fn inside(
        host: &Host,
        layout: &Layout,
        format: Format,
        hooks: HooksPath,
        verb: &'static str,
    ) -> Result<Self> {
        files::check_before_git(layout)?;
        let mut git = Self::outside(host, &layout.root)?;
        git.about.verb = verb;
        git.about.git_dirs = vec![layout.git_dir.clone(), layout.common_dir.clone()];
        git.about.git_dirs.dedup();
        let command = &mut git.command;
        // Git finds the same repository as we did: it checks who owns it, looks no further up,
        // and does not follow `core.worktree` elsewhere.
        command.current_dir(&layout.root).env("GIT_WORK_TREE", &layout.root);
        command.env("GIT_CEILING_DIRECTORIES", layout.root.parent().unwrap_or(&layout.root));
        command.args(FLAGS).arg(format!("--attr-source={}", format.empty_tree()));
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        command.args(["-c", &format!("core.attributesFile={NULL_DEVICE}")]);
        if hooks == HooksPath::Nowhere {
            command.args(["-c", &format!("core.hooksPath={NULL_DEVICE}")]);
        }
        command.arg(verb);
        Ok(git)
    }

    /// A call that needs no repository, without a command yet.
    pub(crate) fn outside(host: &Host, root: &Path) -> Result<Self> {
        files::check_settings(host)?;
        #[expect(clippy::disallowed_methods, reason = "this is where git is started, hardened")]
        let mut command = Command::new(host.program()?);
        command.env_clear().envs(host.needed()).envs(ENVIRONMENT);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let about = About { verb: "version", root: root.to_owned(), git_dirs: Vec::new() };
        Ok(Self { command, about })
    }

    /// Adds arguments.
    pub(crate) fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.command.args(args);
        self
    }

    /// Looks at another index than the worktree's own.
    pub(crate) fn index(mut self, index: Option<&Path>) -> Self {
        self.command.envs(index.map(|index| ("GIT_INDEX_FILE", index)));
        self
    }

    /// Will be fed.
    pub(crate) fn fed(mut self) -> Self {
        self.command.stdin(Stdio::piped());
        self
    }

    /// Starts it.
    pub(crate) fn start(mut self) -> Result<Running> {
        let child =
            self.command.spawn().map_err(|error| failure::not_started(&self.about, error))?;
        Ok(Running::new(child, self.about))
    }

    /// Runs it to its end, or until the caller waits no longer.
    pub(crate) fn run(self, call: &Call) -> Result<Done> {
        call.go_on()?; // nothing starts for somebody who has left
        self.start()?.finish(call)
    }
}
