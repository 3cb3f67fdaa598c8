//! Command lines of git, hardened so that no repository decides what runs.
//!
//! Settings, attributes and the environment can each name programs. Every call therefore starts
//! with an empty environment, overrides the settings and flags below, and reads attributes from
//! the empty tree. Callers add `--end-of-options` before revisions, `--` before paths, and `-z`.
//!
//! @see spec::workspace/hostile-git

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use base::{Call, Result};
use process::ProcessCommand;

use crate::host::GitHost;
use crate::oid::ObjectFormat;
use crate::run::{GitOutput, GitProcess};
use crate::{RepoLayout, failure, files};
use platform::NULL_DEVICE;

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

/// Where git looks for hooks during a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum HooksPath {
    /// Nowhere
    Disabled,
    /// Where the repository configures it, for the one call that asks for the path and runs no hook
    Configured,
}

/// A call of git that was not started yet.
pub(crate) struct GitCommand {
    command: ProcessCommand,
    info: GitCallInfo,
}

/// Describes a call in error messages.
#[derive(Debug, Clone)]
pub(crate) struct GitCallInfo {
    /// The git command, such as `ls-tree`
    pub(crate) verb: &'static str,
    /// Where it ran
    pub(crate) root: PathBuf,
    /// The git folders whose files are opened; empty for a call that needs no repository
    pub(crate) git_dirs: Vec<PathBuf>,
}

impl GitCommand {
    /// A call in a repository.
    pub(crate) fn in_repository(
        host: &GitHost,
        layout: &RepoLayout,
        format: ObjectFormat,
        hooks: HooksPath,
        verb: &'static str,
    ) -> Result<Self> {
        files::check_before_git(layout)?;
        let mut git = Self::without_repository(host, &layout.root)?;
        git.info.verb = verb;
        git.info.git_dirs = vec![layout.git_dir.clone(), layout.common_dir.clone()];
        git.info.git_dirs.dedup();
        let command = &mut git.command;
        // Git finds the same repository as we did: it checks who owns it, looks no further up,
        // and does not follow `core.worktree` elsewhere.
        command.current_dir(&layout.root).env("GIT_WORK_TREE", &layout.root);
        command.env("GIT_CEILING_DIRECTORIES", layout.root.parent().unwrap_or(&layout.root));
        command.args(FLAGS).args([format!("--attr-source={}", format.empty_tree())]);
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        command.args(["-c", &format!("core.attributesFile={NULL_DEVICE}")]);
        if hooks == HooksPath::Disabled {
            command.args(["-c", &format!("core.hooksPath={NULL_DEVICE}")]);
        }
        command.args([verb]);
        Ok(git)
    }

    /// A call that needs no repository. Its command is still to be added.
    pub(crate) fn without_repository(host: &GitHost, root: &Path) -> Result<Self> {
        files::check_settings(host)?;
        let info = GitCallInfo { verb: "version", root: root.to_owned(), git_dirs: Vec::new() };
        let refused = |error| failure::start_failed(&info, error);
        let mut command = ProcessCommand::new(host.program()?).map_err(refused)?;
        command.envs(host.environment()).envs(ENVIRONMENT);
        Ok(Self { command, info })
    }

    /// Adds arguments.
    pub(crate) fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.command.args(args);
        self
    }

    /// Uses another index than that of the worktree.
    pub(crate) fn with_index_file(mut self, index: Option<&Path>) -> Self {
        self.command.envs(index.map(|index| ("GIT_INDEX_FILE", index)));
        self
    }

    /// Opens a pipe to git's input.
    pub(crate) fn with_stdin(mut self) -> Self {
        self.command.with_stdin();
        self
    }

    /// Starts git.
    pub(crate) fn start(mut self) -> Result<GitProcess> {
        let failed = |error| failure::start_failed(&self.info, error);
        let process = self.command.spawn().map_err(failed)?;
        Ok(GitProcess::new(process, self.info))
    }

    /// Runs git to its end, or until the call is stopped.
    pub(crate) fn run(self, call: &Call) -> Result<GitOutput> {
        call.check_stopped()?; // nothing starts for a call that was stopped
        self.start()?.finish(call)
    }
}
