//! `kb.gc`: removes the stores of branches that are gone. Lists them unless it is forced.

use std::sync::Arc;

use base::{Call, Problem, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::branches::cells;
use crate::contract::op::{Action, Door, Effect, Example};
use crate::contract::page::{Page, Render};
use crate::layers::kb::branch::{self, BranchRow};
use crate::layers::kb::show::number;
use crate::workspace::Workspace;

/// Remove the knowledge bases of branches that no longer exist
///
/// Only lists them, with what would be lost, unless forced. Those of the current and the default
/// branch always stay.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KbGc {
    /// Really remove them
    #[arg(long)]
    #[serde(default)]
    pub force: bool,
}

/// The stores of branches that are gone
#[derive(Debug, Serialize, JsonSchema)]
pub struct Collected {
    /// One row a store
    pub stores: Vec<BranchRow>,
    /// Whether they were removed
    pub removed: bool,
}

impl Action for KbGc {
    const NAME: &'static str = "kb.gc";
    const EFFECT: Effect = Effect::OVERWRITES;
    const DOORS: &'static [Door] = Door::PERSON;
    const EXAMPLES: &'static [Example] = &[
        Example { args: "", shows: "what could go, and what would be lost" },
        Example { args: "--force", shows: "removes them" },
    ];
    type Answer = Collected;

    fn run(self, workspace: &Workspace, call: &Arc<Call>) -> Result<Collected> {
        let place = workspace.place(call)?;
        let all = branch::all(&place, workspace.git.as_ref(), call)?;
        let gone = all.into_iter().filter(|(row, _)| !row.exists && !row.current && !row.default);
        let mut stores = Vec::new();
        for (row, kept) in gone {
            if self.force {
                let failed = Problem::io(format!("remove the store of {}", row.branch));
                std::fs::remove_dir_all(&kept.folder).map_err(failed)?;
            }
            stores.push(row);
        }
        Ok(Collected { stores, removed: self.force })
    }
}

impl Render for Collected {
    fn render(&self, page: &mut Page) {
        let lost: u64 = self.stores.iter().map(|row| row.unmerged).sum();
        page.answer(match (self.stores.len(), self.removed) {
            (0, _) => "Every store belongs to a branch that exists; nothing to remove".to_owned(),
            (count, true) => {
                let stores = number(count as u64, ["store", "stores"]);
                let lost = number(lost, ["changeset", "changesets"]);
                format!("{stores} removed, with {lost} that the default branch had not")
            }
            (count, false) => {
                let stores = number(count as u64, ["store", "stores"]);
                let lost = number(lost, ["changeset", "changesets"]);
                format!("{stores} would go, with {lost} that the default branch has not")
            }
        });
        page.table(0, self.stores.iter().map(cells).collect());
        if !self.removed && !self.stores.is_empty() {
            page.say_next("bring one over first", "kb merge BRANCH");
            page.say_next("remove them", "kb gc --force");
        }
    }
}
