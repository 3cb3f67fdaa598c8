//! `kb.compact`: frees unused space of the branch's store. Never runs by itself.

use std::sync::Arc;

use base::words::counted;
use base::{Call, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use engine::areas::kb::DURABLE;
use engine::contract::op::{Action, Door, Effect, OpExample};
use engine::contract::page::{Page, Render};
use engine::workspace::Workspace;

/// Compact this branch's knowledge base; facts and the audit log stay
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KbCompact {}

/// The size before and after
#[derive(Debug, Serialize, JsonSchema)]
pub struct KbCompactAnswer {
    /// Bytes before
    pub before: u64,
    /// Bytes afterwards
    pub after: u64,
}

impl Action for KbCompact {
    const NAME: &'static str = "kb.compact";
    const EFFECT: Effect = Effect::REBUILDS;
    const DOORS: &'static [Door] = Door::PERSON;
    const EXAMPLES: &'static [OpExample] = &[OpExample { args: "", shows: "this branch's store" }];
    type Answer = KbCompactAnswer;

    fn run(self, workspace: &Workspace, call: &Arc<Call>) -> Result<KbCompactAnswer> {
        let file = workspace.store_locations(call)?.write_path(&DURABLE);
        let log = file.with_extension("sqlite-wal");
        let size = || [&file, &log].iter().filter_map(|f| f.metadata().ok()).map(|m| m.len()).sum();
        let before = size();
        if file.exists() {
            let store = DURABLE.open(&file)?;
            kb::vacuum(store.connection())?;
            store.checkpoint()?;
        }
        Ok(KbCompactAnswer { before, after: size() })
    }
}

impl Render for KbCompactAnswer {
    fn render(&self, page: &mut Page) {
        page.answer(match self.before {
            0 => "This branch has no knowledge base of its own yet".to_owned(),
            before => format!(
                "Compacted from {} to {}",
                counted(before, "byte"),
                counted(self.after, "byte")
            ),
        });
    }
}
