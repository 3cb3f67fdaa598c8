//! Repository, current folder and author of a command line.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use base::{Call, Problem, RepoPath, Result};
use clap::ArgMatches;
use engine::{AREAS, Workspace, WorkspaceMode, WorkspaceOptions};
use tree::DiskWriter;

use crate::perform::now;

/// Opens the repository that contains the named folder.
pub(super) fn open(matches: &ArgMatches, mode: WorkspaceMode) -> Result<Workspace> {
    let folder = start_folder(matches);
    if !folder.exists() {
        return Err(Problem::not_found(format!("no folder {}", folder.display()))
            .hint("name an existing folder with -C"));
    }
    open_at(&folder, mode)
}

/// Whether the named folder is in a repository, or in a folder that has settings for cairn. Any other
/// folder is read only if somebody asks for it: it may be a whole disk.
pub(super) fn is_in_repository(matches: &ArgMatches) -> bool {
    let opened = open(matches, WorkspaceMode::Once);
    opened.is_ok_and(|own| own.git.is_some() || own.tree.root().join("cairn.jsonc").is_file())
}

/// Opens the repository that contains a folder, with the environment of this process.
pub fn open_at(start: &Path, mode: WorkspaceMode) -> Result<Workspace> {
    let env = env_vars();
    // Without git there is still a tree to read; the answers say what is missing.
    let host = git::GitHost::find(env.iter().cloned()).ok();
    let (disk, scratch, trust_folder) =
        (DiskWriter::default(), std::env::temp_dir(), trust_folder());
    Workspace::open(WorkspaceOptions {
        start,
        host,
        env,
        scratch,
        trust_folder,
        mode,
        disk,
        areas: AREAS,
        find_operation: |name| operations::ops::find(name).ok(),
    })
}

/// The folder with a record for each trusted repository, among the user's settings.
fn trust_folder() -> Option<PathBuf> {
    let named = |name| env_var(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let settings =
        named(platform::SETTINGS_VARIABLE).or_else(|| Some(named("HOME")?.join(".config")));
    settings.map(|folder| folder.join("cairn/trusted"))
}

#[expect(clippy::disallowed_methods, reason = "the door reads the environment and hands it in")]
fn env_vars() -> Vec<(OsString, OsString)> {
    std::env::vars_os().collect()
}

/// The value of a variable of this process.
#[expect(clippy::disallowed_methods, reason = "the door reads the environment and hands it in")]
pub(crate) fn env_var(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// The folder that the command line names, or the current one.
pub(super) fn start_folder(matches: &ArgMatches) -> PathBuf {
    matches.get_one::<PathBuf>("dir").expect("it has a default").clone()
}

/// The current folder, relative to the root of the repository; the root if it is outside.
pub(super) fn current_folder(matches: &ArgMatches, workspace: &Workspace) -> RepoPath {
    let here = platform::canonicalize(&start_folder(matches)).ok();
    let inside = here.as_deref().and_then(|here| here.strip_prefix(workspace.tree.root()).ok());
    inside.and_then(|path| RepoPath::from_relative(path).ok()).unwrap_or(RepoPath::ROOT)
}

/// The author of a command whose user git does not know.
pub(crate) const UNKNOWN_ACTOR: &str = "cli";

/// The author: `--actor`, else git's user.email (looked up only if the operation needs it), else `cli`.
pub(super) fn actor(matches: &ArgMatches, workspace: &Workspace, is_needed: bool) -> String {
    let said = matches.get_one::<String>("actor").cloned();
    let known = || {
        let git = workspace.git.as_ref().filter(|_| is_needed)?;
        git.user_email(&Call::new(UNKNOWN_ACTOR, now())).ok()?
    };
    said.or_else(known).unwrap_or_else(|| UNKNOWN_ACTOR.into())
}
