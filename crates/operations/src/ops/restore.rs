//! `restore`: replaces a durable store by a backup. Only a person at a terminal can call it.

use std::sync::Arc;

use base::words::counted;
use base::{Call, NextCall, Problem, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::backup::render_table;
use engine::backup::{Backup, BackupFolder, BackupKind, BackupOrigin};
use engine::contract::op::{Action, Door, Effect, OpExample};
use engine::contract::page::{Page, Render};
use engine::layout_version;
use engine::workspace::Workspace;

/// Replace a durable store by a backup, and keep the store that it replaces
///
/// Without a name it changes nothing and lists the backups.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Restore {
    /// Name of a backup, or of a store for its newest backup; `backup --list` shows them
    #[serde(default)]
    pub backup: Option<String>,
    /// Restore a backup even if another repository made it
    #[arg(long)]
    #[serde(default)]
    pub allow_other_repository: bool,
}

/// What was restored
#[derive(Debug, Serialize, JsonSchema)]
pub struct RestoreAnswer {
    /// The backup that was restored; none if backups were only listed
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backup: Option<Backup>,
    /// Where the replaced store is kept, in the folder of the stores
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
    /// Every existing backup
    pub backups: Vec<Backup>,
}

impl Action for Restore {
    const NAME: &'static str = "restore";
    const EFFECT: Effect = Effect::OVERWRITES;
    const DOORS: &'static [Door] = Door::PERSON;
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "", shows: "the existing backups" },
        OpExample { args: "work", shows: "the newest backup of a store, restored" },
    ];
    type Answer = RestoreAnswer;

    fn run(self, workspace: &Workspace, call: &Arc<Call>) -> Result<RestoreAnswer> {
        let folder = BackupFolder::of(workspace, call)?;
        let backups = folder.list();
        let Some(wanted) = self.backup else {
            return Ok(RestoreAnswer { backup: None, kept: None, backups });
        };
        let chosen = find(&backups, &wanted)?.clone();
        layout_version::refuse_newer(&workspace.tree)?;
        chosen.refuse_newer(workspace.areas)?;
        if !self.allow_other_repository {
            folder.check_origin(&chosen)?;
        }
        workspace.stores().open_stores().close_idle();
        let kept = folder.put_back(&chosen, call)?;
        Ok(RestoreAnswer { backup: Some(chosen), kept, backups: folder.list() })
    }
}

/// The backup with this name, or the newest readable one of this store that this repository made.
fn find<'a>(backups: &'a [Backup], wanted: &str) -> Result<&'a Backup> {
    let named = backups.iter().find(|backup| backup.name == wanted);
    let is_good = |backup: &&Backup| {
        let is_own = backup.repository != BackupOrigin::Other;
        is_own && backup.revision.is_some() && backup.kind != BackupKind::Replaced
    };
    let of_store = || backups.iter().filter(is_good).find(|backup| backup.store == wanted);
    named.or_else(of_store).ok_or_else(|| {
        let is_foreign =
            |backup: &&Backup| backup.store == wanted && backup.repository == BackupOrigin::Other;
        if let Some(foreign) = backups.iter().find(is_foreign) {
            let message = format!("every backup of {wanted} was made by another repository");
            return Problem::not_found(message).hint_call(
                "to use the newest all the same:",
                NextCall::new("restore")
                    .with("backup", foreign.name.as_str())
                    .with("allow_other_repository", true),
            );
        }
        let problem = Problem::not_found(format!("no backup is called `{wanted}`"));
        let names = backups.iter().flat_map(|backup| [backup.name.as_str(), &backup.store]);
        problem.hint_near(wanted, names).hint_call("all are listed by", NextCall::new("restore"))
    })
}

impl Render for RestoreAnswer {
    fn render(&self, page: &mut Page) {
        match (&self.backup, self.backups.len()) {
            (Some(backup), _) => {
                page.answer(format!("Restored {} from {}", backup.store, backup.name));
                if let Some(kept) = &self.kept {
                    page.item("the replaced store is kept as", kept);
                    let name = kept.trim_end_matches(".sqlite");
                    page.say_call(
                        "to restore that one instead",
                        NextCall::new("restore").with("backup", name),
                    );
                }
            }
            (None, 0) => {
                page.answer("No backups");
                page.say_call("backups are made by", NextCall::new("backup"));
            }
            (None, all) => {
                page.answer(format!("{}; nothing was changed", counted(all, "backup")));
                render_table(page, &self.backups);
            }
        }
    }
}
