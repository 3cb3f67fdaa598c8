//! `backup`: checked copies of the durable stores.

use std::sync::Arc;

use base::words::counted;
use base::{Call, NextCall, Problem, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use engine::backup::{Backup, BackupFolder, BackupKind, BackupOrigin};
use engine::contract::op::{Action, Effect, OpExample};
use engine::contract::page::{Page, PageCell, Render};
use engine::workspace::Workspace;

/// Copy every durable store, check the copies, and list them
///
/// Durable stores hold data that agents wrote and that cannot be rebuilt from other files. Copies
/// are stored beside them; copy them to another disk as well.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TakeBackup {
    /// List the existing backups without making one
    #[arg(long)]
    #[serde(default)]
    pub list: bool,
    /// How many backups of each store to keep; older ones are removed
    #[arg(long, default_value_t = KEEP)]
    #[serde(default = "keep")]
    pub keep: usize,
}

pub(super) const KEEP: usize = 10;

const fn keep() -> usize {
    KEEP
}

/// The existing backups
#[derive(Debug, Serialize, JsonSchema)]
pub struct BackupAnswer {
    /// Names of the backups that were just made
    pub taken: Vec<String>,
    /// Every existing backup
    pub backups: Vec<Backup>,
}

impl Action for TakeBackup {
    const NAME: &'static str = "backup";
    const EFFECT: Effect = Effect::ADDS;
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "", shows: "a copy of every durable store" },
        OpExample { args: "--list", shows: "the existing backups" },
    ];
    type Answer = BackupAnswer;

    fn run(self, workspace: &Workspace, call: &Arc<Call>) -> Result<BackupAnswer> {
        if self.keep == 0 {
            return Err(Problem::invalid("`keep` must be at least 1"));
        }
        let folder = BackupFolder::of(workspace, call)?;
        let stores = if self.list { Vec::new() } else { folder.stores() };
        let mut taken = Vec::new();
        for (done, store) in stores.iter().enumerate() {
            call.step("copying stores", done, stores.len())?;
            taken.push(folder.take(store, self.keep, call)?.name);
        }
        Ok(BackupAnswer { taken, backups: folder.list() })
    }
}

impl Render for BackupAnswer {
    fn render(&self, page: &mut Page) {
        match (self.taken.len(), self.backups.len()) {
            (0, 0) => page.answer("No backups: no durable store exists here yet"),
            (0, all) => page.answer(counted(all, "backup")),
            (taken, all) => {
                let (taken, all) = (counted(taken, "store"), counted(all, "backup"));
                page.answer(format!("{taken} copied and checked; {all}"));
            }
        }
        render_table(page, &self.backups);
        if let Some(newest) = self.backups.first() {
            let restore = NextCall::new("restore").with("backup", newest.name.as_str());
            page.say_call("To restore one", restore);
        }
    }
}

pub(super) fn render_table(page: &mut Page, backups: &[Backup]) {
    let row = |copy: &Backup| {
        let at = match (copy.kind, &copy.at) {
            (BackupKind::Backup, Some(at)) => at.clone(),
            (BackupKind::Replaced, Some(at)) => format!("replaced by a restore at {at}"),
            _ => "before a migration".into(),
        };
        let holds = match copy.revision {
            Some(revision) => PageCell::text(format!("up to change {revision}")),
            None => PageCell::bad("cannot be read"),
        };
        let origin = match copy.repository {
            BackupOrigin::Other => PageCell::bad("from another repository"),
            _ => PageCell::text(""),
        };
        let size = PageCell::text(format!("{} KB", copy.bytes / 1024));
        vec![
            PageCell::text(&copy.store),
            PageCell::text(at),
            holds,
            size,
            PageCell::handle(&copy.name),
            origin,
        ]
    };
    page.table(0, backups.iter().map(row).collect());
}
