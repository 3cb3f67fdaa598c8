//! Where the user stands, and who they are.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use base::{Call, Problem, RepoPath, Result};
use clap::ArgMatches;
use engine::{AREAS, Workspace, WorkspaceMode, WorkspaceOptions};
use tree::DiskWriter;

use crate::perform::now;

/// Opens the repository around the folder that was named.
pub(super) fn open(matches: &ArgMatches, mode: WorkspaceMode) -> Result<Workspace> {
    let folder = start_folder(matches);
    if !folder.exists() {
        return Err(Problem::not_found(format!("no folder {}", folder.display()))
            .hint("-C names the folder to work in"));
    }
    open_at(&folder, mode)
}

/// Opens the repository around a folder, as this process may.
pub fn open_at(start: &Path, mode: WorkspaceMode) -> Result<Workspace> {
    let env = env_vars();
    // Without git there is still a tree to read; the answers say what is missing.
    let host = git::GitHost::find(env.iter().cloned()).ok();
    let (disk, scratch, trusted) =
        (DiskWriter::default(), std::env::temp_dir(), trusted_list_path());
    Workspace::open(WorkspaceOptions {
        start,
        host,
        env,
        scratch,
        trust_folder: trusted,
        mode,
        disk,
        areas: AREAS,
    })
}

/// Where the user keeps which repositories they trust: with the rest of their settings.
fn trusted_list_path() -> Option<PathBuf> {
    let named = |name| env_var(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let settings = if cfg!(windows) { named("APPDATA") } else { named("XDG_CONFIG_HOME") };
    let settings = settings.or_else(|| Some(named("HOME")?.join(".config")));
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

fn start_folder(matches: &ArgMatches) -> PathBuf {
    matches.get_one::<PathBuf>("dir").expect("it has a default").clone()
}

/// The folder the user stands in, as the repository names it: the root unless it is inside.
pub(super) fn current_folder(matches: &ArgMatches, workspace: &Workspace) -> RepoPath {
    let here = start_folder(matches).canonicalize().ok();
    let inside = here.as_deref().and_then(|here| here.strip_prefix(workspace.tree.root()).ok());
    inside.and_then(|path| RepoPath::from_relative(path).ok()).unwrap_or(RepoPath::ROOT)
}

/// Who asks: as they say, else git's email; only a write is worth asking git for it.
pub(super) fn actor(matches: &ArgMatches, workspace: &Workspace, writes: bool) -> String {
    let said = matches.get_one::<String>("actor").cloned();
    let known = || {
        let git = workspace.git.as_ref().filter(|_| writes)?;
        git.user_email(&Call::new("cli", now())).ok()?
    };
    said.or_else(known).unwrap_or_else(|| "cli".into())
}
