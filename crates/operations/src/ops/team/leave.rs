//! `team.leave`: leaves the team and keeps a full copy of the records.

use std::sync::Arc;

use base::words::counted;
use base::{Call, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use engine::contract::op::{Action, Door, Effect, OpExample};
use engine::contract::page::{Page, Render};
use engine::durable::team::{self, LeftTeam};
use engine::workspace::Workspace;

/// Leave the team and keep a full copy of its records on this machine
///
/// Nothing is removed from the server. Changes that wait for it have to be pushed or given up first.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TeamLeave {
    /// Leave even if changes wait for the server; those changes are discarded
    #[arg(long)]
    #[serde(default)]
    pub give_up_pending: bool,
}

/// What this clone keeps
#[derive(Debug, Serialize, JsonSchema)]
pub struct TeamLeaveAnswer {
    /// The address of the server that was left
    pub address: String,
    /// How many stores are local from now on
    pub stores: usize,
    /// Why they may lack what others wrote lately
    #[serde(skip_serializing_if = "Option::is_none")]
    pub behind: Option<String>,
}

impl Action for TeamLeave {
    const NAME: &'static str = "team.leave";
    const EFFECT: Effect = Effect::ADDS;
    const DOORS: &'static [Door] = Door::PERSON;
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "", shows: "continue with local stores only" }];
    type Answer = TeamLeaveAnswer;

    fn run(self, workspace: &Workspace, call: &Arc<Call>) -> Result<TeamLeaveAnswer> {
        let membership = workspace.stores().team().require_membership()?;
        let LeftTeam { stores, behind } = team::leave(workspace, self.give_up_pending, call)?;
        Ok(TeamLeaveAnswer { address: membership.address, stores, behind })
    }
}

impl Render for TeamLeaveAnswer {
    fn render(&self, page: &mut Page) {
        let stores = counted(self.stores, "store");
        let whole = if self.behind.is_none() { "whole" } else { "as last read here" };
        page.answer(format!(
            "Left {}; this clone keeps {stores}, {whole}, as its own",
            self.address
        ));
        if let Some(why) = &self.behind {
            page.item("what others wrote since may be missing", why);
        }
    }
}
