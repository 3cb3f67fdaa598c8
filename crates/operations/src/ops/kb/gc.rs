//! `kb.gc`: removes the stores of deleted branches. Never runs by itself.

use std::sync::Arc;

use base::words::counted;
use base::{Call, NextCall, Problem, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::branches::cells;
use crate::ops::backup::KEEP;
use engine::areas::kb::DURABLE;
use engine::areas::kb::branch_stores::{self, BranchRow};
use engine::backup::BackupFolder;
use engine::contract::op::{Action, Door, Effect, OpExample};
use engine::contract::page::{Page, Render};
use engine::durable::StoreManager;
use engine::durable::locations::{self, BranchStoreFolder};
use engine::layout_version;
use engine::workspace::Workspace;

/// Remove the knowledge bases of branches that no longer exist
///
/// Only lists them, with what would be lost, unless forced. Each is backed up first, and `restore`
/// restores it. Those of the current and the default branch always stay.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KbGc {
    /// Remove them, after a backup of each; otherwise they are only listed
    #[arg(long)]
    #[serde(default)]
    pub force: bool,
}

/// The stores of deleted branches
#[derive(Debug, Serialize, JsonSchema)]
pub struct KbGcAnswer {
    /// One row per store that was removed, or would be
    pub stores: Vec<BranchRow>,
    /// Whether they were removed
    pub removed: bool,
    /// The copy of each store that was removed, in the same order
    pub backups: Vec<String>,
    /// Stores that stay because they could not be copied or a newer cairn wrote them
    pub failed: Vec<StoreNotRemoved>,
}

/// A store that was not removed
#[derive(Debug, Serialize, JsonSchema)]
pub struct StoreNotRemoved {
    /// The branch
    pub branch: String,
    /// Why it was not removed
    pub reason: String,
}

impl Action for KbGc {
    const NAME: &'static str = "kb.gc";
    const EFFECT: Effect = Effect::OVERWRITES;
    const DOORS: &'static [Door] = Door::PERSON;
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "", shows: "what could be removed, and what would be lost" },
        OpExample { args: "--force", shows: "removes them; each stays as a backup" },
    ];
    type Answer = KbGcAnswer;

    fn run(self, workspace: &Workspace, call: &Arc<Call>) -> Result<KbGcAnswer> {
        let place = workspace.store_locations(call)?;
        let all = branch_stores::all_branch_stores(&place, workspace.git.as_ref(), call)?;
        let gone = all.into_iter().filter(|(row, _)| !row.exists && !row.current && !row.default);
        let (backups, failed) = (Vec::new(), Vec::new());
        let mut done = KbGcAnswer { stores: Vec::new(), removed: self.force, backups, failed };
        if !self.force {
            done.stores = gone.map(|(row, _)| row).collect();
            return Ok(done);
        }
        layout_version::refuse_newer(&workspace.tree)?;
        let _lock = locations::lock(&workspace.data_folders.shared, call)?;
        workspace.stores().open_stores().close_idle();
        for (row, kept) in gone {
            match remove(workspace, &kept, call) {
                Ok(backup) => {
                    done.stores.push(row);
                    done.backups.push(backup);
                }
                Err(problem) => {
                    let (branch, reason) = (row.branch, problem.to_string());
                    done.failed.push(StoreNotRemoved { branch, reason });
                }
            }
        }
        Ok(done)
    }
}

/// Backs a store up, then removes it, under its lock.
fn remove(workspace: &Workspace, kept: &BranchStoreFolder, call: &Call) -> Result<String> {
    let file = kept.file(&DURABLE);
    let _lock = StoreManager::lock(&file, call)?;
    DURABLE.refuse_newer(&file)?;
    let backup = BackupFolder::of(workspace, call)?.take(&kept.store_name(&DURABLE), KEEP, call)?;
    kept.remove(&DURABLE).map_err(Problem::io(format!("remove {}", file.display())))?;
    Ok(backup.name)
}

impl Render for KbGcAnswer {
    fn render(&self, page: &mut Page) {
        let lost: u64 = self.stores.iter().map(|row| row.unmerged).sum();
        let lost = counted(lost, "changeset");
        let stores = counted(self.stores.len(), "store");
        page.answer(match (self.stores.len(), self.removed) {
            (0, _) if !self.failed.is_empty() => "Nothing was removed".to_owned(),
            (0, _) => "Nothing to remove: every store belongs to an existing branch".to_owned(),
            (_, true) => format!(
                "{stores} removed, with {lost} that the default branch did not have; \
                 a copy of each is kept as a backup"
            ),
            (_, false) => {
                format!(
                    "{stores} would be removed, with {lost} that the default branch does not have"
                )
            }
        });
        page.table(0, self.stores.iter().map(cells).collect());
        for StoreNotRemoved { branch, reason } in &self.failed {
            page.item(format!("{branch} stays"), reason);
        }
        for (row, backup) in self.stores.iter().zip(&self.backups) {
            let restore = NextCall::new("restore").with("backup", backup.as_str());
            page.say_call(format!("to restore {}", row.branch), restore);
        }
        if !self.removed && !self.stores.is_empty() {
            page.say_call("to merge one first", NextCall::new("kb.merge").with("branch", "BRANCH"));
            page.say_call(
                "to remove them after a backup of each",
                NextCall::new("kb.gc").with("force", true),
            );
        }
    }
}
