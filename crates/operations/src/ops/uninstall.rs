//! `uninstall`: removes what `init` wrote, byte for byte.

use std::path::Path;
use std::sync::Arc;

use base::words::counted;
use base::{Call, Problem, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::install::{self, HookChange, InstalledFiles, InstalledHookRow, SkippedFile};
use engine::contract::op::{Action, Door, Effect, OpExample};
use engine::contract::page::{Page, Render};
use engine::workspace::Workspace;

/// Remove what `init` wrote: files, git hooks, agents' settings
///
/// Files get the bytes back that they had; your own edits stay. Cards and durable stores
/// are kept, and so is the journal, so that it can be undone. With `--purge` all that cairn keeps
/// in git's folder is deleted as well.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Uninstall {
    /// Show what would change, write nothing
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
    /// Also delete caches, the journal, the knowledge base and work; cannot be undone
    #[arg(long)]
    #[serde(default)]
    pub purge: bool,
}

/// What was removed
#[derive(Debug, Serialize, JsonSchema)]
pub struct UninstallAnswer {
    /// What happened to files of the repository
    pub files: InstalledFiles,
    /// What happened to git's hooks
    pub hooks: Vec<InstalledHookRow>,
    /// What was not touched, and why
    pub left: Vec<SkippedFile>,
    /// With `--purge`, the folders that were deleted, with what they held
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub purged: Vec<PurgedFolder>,
    /// Whether nothing was written
    pub dry_run: bool,
}

/// A folder of cairn's own that was deleted
#[derive(Debug, Serialize, JsonSchema)]
pub struct PurgedFolder {
    /// Where it was
    pub path: String,
    /// How many files were in it
    pub files: usize,
    /// How many bytes they held
    pub bytes: u64,
}

impl Action for Uninstall {
    const NAME: &'static str = "uninstall";
    const EFFECT: Effect = Effect::OVERWRITES;
    const DOORS: &'static [Door] = Door::PERSON;
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "--dry-run", shows: "what would be removed" },
        OpExample { args: "--purge --dry-run", shows: "what would be deleted for good" },
    ];
    type Answer = UninstallAnswer;

    fn run(self, workspace: &Workspace, call: &Arc<Call>) -> Result<UninstallAnswer> {
        let plan = || {
            let existing = install::existing_file_reader(workspace);
            let attributes = existing(".gitattributes");
            let mut plan = setup::plan_uninstall(existing);
            install::add_planned(&mut plan, setup::plan_merge_driver_removal(attributes));
            plan
        };
        let (mut files, mut left) =
            install::write_files(workspace, plan, "uninstall", self.dry_run, call)?;
        let hooks =
            install::change_hooks(workspace, HookChange::Remove, self.dry_run, &mut left, call)?;
        if !self.dry_run {
            install::set_merge_driver(workspace, None, call)?;
            remove_cache(workspace)?;
        }
        let purged = if self.purge { purge(workspace, self.dry_run)? } else { Vec::new() };
        if self.purge {
            files.change = None; // the journal is gone, so nothing can be undone
        }
        Ok(UninstallAnswer { files, hooks, left, purged, dry_run: self.dry_run })
    }
}

/// Removes the cache, which can be rebuilt, and its folder if nothing else is in it.
fn remove_cache(workspace: &Workspace) -> Result<()> {
    let root = workspace.tree.root();
    if !tree::is_link_free(root, &workspace.data_folders.cache) || !root.join(".cairn").is_dir() {
        return Ok(()); // a link to somewhere else is nothing we made
    }
    let folder = tree::open_private_folder(&workspace.tree, ".cairn")?;
    match workspace.disk().remove_dir_all(&folder, "cache".as_ref()) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(Problem::io("remove the cache .cairn/cache")(error));
        }
        _ => {}
    }
    drop(folder);
    // The folder stays if cards or shared knowledge are in it.
    let _ = workspace.disk().remove_if_empty(workspace.tree.dir(), ".cairn".as_ref());
    Ok(())
}

/// Deletes the folders in git's folder, or counts what is in them.
fn purge(workspace: &Workspace, dry_run: bool) -> Result<Vec<PurgedFolder>> {
    let folders = &workspace.data_folders;
    let mut paths = vec![folders.shared.as_path()];
    if folders.local != folders.shared {
        paths.push(&folders.local);
    }
    let mut purged = Vec::new();
    for path in paths {
        let (Some(above), Some(name)) = (path.parent(), path.file_name()) else { continue };
        if !tree::is_link_free(above, path) || !path.is_dir() {
            continue;
        }
        let (files, bytes) = content_of(path);
        if !dry_run {
            let failed = || Problem::io(format!("delete {}", path.display()));
            let above = tree::open_folder(above).map_err(failed())?;
            workspace.disk().remove_dir_all(&above, name.as_ref()).map_err(failed())?;
        }
        purged.push(PurgedFolder { path: path.display().to_string(), files, bytes });
    }
    Ok(purged)
}

/// How many files are below a folder, and how many bytes they hold. Links are not followed.
fn content_of(folder: &Path) -> (usize, u64) {
    let (mut files, mut bytes) = (0, 0);
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(known) if known.is_dir() => folders.push(entry.path()),
                Ok(known) => (files, bytes) = (files + 1, bytes + known.len()),
                Err(_) => {}
            }
        }
    }
    (files, bytes)
}

impl Render for UninstallAnswer {
    fn render(&self, page: &mut Page) {
        let (files, hooks) = (self.files.rows.len(), self.hooks.len());
        let both = format!("{} and {}", counted(files, "file"), counted(hooks, "hook"));
        match (files + hooks, self.dry_run) {
            (0, _) => page.answer("Nothing to remove: cairn is not set up here"),
            (_, true) => page.answer(format!("Would remove cairn from {both}")),
            (_, false) => page.answer(format!("Removed cairn from {both}")),
        }
        install::render(page, &self.files, &self.hooks, &self.left);
        let verb = if self.dry_run { "would delete" } else { "deleted" };
        for folder in &self.purged {
            let held = format!("{}, {} bytes", counted(folder.files, "file"), folder.bytes);
            page.say(format!("{verb} {} ({held})", folder.path));
        }
    }
}
