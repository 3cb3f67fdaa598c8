//! `uninstall`: removes what `init` wrote, byte for byte.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::words::counted;
use base::{Call, NextCall, Problem, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::install::{self, HookChange, InstalledFiles, InstalledHookRow, SkippedFile};
use engine::contract::op::{Action, Door, Effect, OpExample};
use engine::contract::page::{Page, Render};
use engine::workspace::Workspace;

/// Remove what `init` wrote: files, git hooks, agents' settings
///
/// The previous content of files is restored; your own edits stay. Cards, durable stores and the
/// journal are kept, so this can be undone. With `--purge` all that cairn keeps in git's folder is
/// deleted as well.
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
    /// With `--purge`, the folders that were deleted, with their sizes
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub purged: Vec<OwnFolder>,
    /// Without `--purge`, the folders in git's folder that are kept
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<OwnFolder>,
    /// Whether nothing was written
    pub dry_run: bool,
}

/// A folder of cairn's own in git's folder
#[derive(Debug, Serialize, JsonSchema)]
pub struct OwnFolder {
    /// Where it is or was, below the root if it is in it
    pub path: String,
    /// How many files are in it
    pub files: usize,
    /// How many bytes they hold
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
        let own = own_folders(workspace);
        let (mut purged, mut kept) = (Vec::new(), Vec::new());
        if self.purge {
            files.change = None; // the journal is deleted, so nothing can be undone
            if !self.dry_run {
                own.iter().try_for_each(|(path, _)| delete(workspace, path))?;
            }
            purged = own.into_iter().map(|(_, folder)| folder).collect();
        } else {
            kept = own.into_iter().map(|(_, folder)| folder).collect();
        }
        Ok(UninstallAnswer { files, hooks, left, purged, kept, dry_run: self.dry_run })
    }
}

/// Removes the cache, which can be rebuilt, and its folder if nothing else is in it.
fn remove_cache(workspace: &Workspace) -> Result<()> {
    let root = workspace.tree.root();
    if !tree::is_link_free(root, &workspace.data_folders.cache) || !root.join(".cairn").is_dir() {
        return Ok(()); // cairn does not create a link there
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

/// The folders in git's folder, with what is in them.
fn own_folders(workspace: &Workspace) -> Vec<(PathBuf, OwnFolder)> {
    let folders = &workspace.data_folders;
    let mut paths = vec![&folders.shared];
    if folders.local != folders.shared {
        paths.push(&folders.local);
    }
    let is_own = |path: &&PathBuf| {
        path.parent().is_some_and(|above| tree::is_link_free(above, path)) && path.is_dir()
    };
    let root = workspace.tree.root();
    let known = paths.into_iter().filter(is_own).map(|path| {
        let (files, bytes) = content_of(path);
        let shown = path.strip_prefix(root).unwrap_or(path).display().to_string();
        (path.clone(), OwnFolder { path: shown, files, bytes })
    });
    known.collect()
}

fn delete(workspace: &Workspace, path: &Path) -> Result<()> {
    let (Some(above), Some(name)) = (path.parent(), path.file_name()) else { return Ok(()) };
    let failed = || Problem::io(format!("delete {}", path.display()));
    let above = tree::open_folder(above).map_err(failed())?;
    workspace.disk().remove_dir_all(&above, name.as_ref()).map_err(failed())
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

impl OwnFolder {
    fn description(&self) -> String {
        format!("{} ({}, {} bytes)", self.path, counted(self.files, "file"), self.bytes)
    }
}

impl Render for UninstallAnswer {
    fn render(&self, page: &mut Page) {
        let both = install::counted_files_and_hooks(&self.files, &self.hooks);
        match (both.is_empty(), self.dry_run) {
            (true, _) => page.answer("Nothing to remove: cairn is not set up here"),
            (_, true) => page.answer(format!("Would remove cairn from {both}")),
            (_, false) => page.answer(format!("Removed cairn from {both}")),
        }
        install::render(page, &self.files, &self.hooks, &self.left);
        let verb = if self.dry_run { "would delete" } else { "deleted" };
        for folder in &self.purged {
            page.say(format!("{verb} {}", folder.description()));
        }
        for folder in &self.kept {
            let kept = format!("kept: {} (journal, knowledge, work)", folder.path);
            page.say_call(kept, NextCall::new("uninstall").with("purge", true));
        }
    }
}
