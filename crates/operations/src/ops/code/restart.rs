//! `code.restart`: ends all language servers.

use std::sync::Arc;

use base::{Call, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use engine::contract::alias::OpAlias;
use engine::contract::op::{Action, Effect, OpExample};
use engine::contract::page::{Page, Render};
use engine::workspace::Workspace;

/// End all language servers; the next question restarts them
///
/// Use when one answers wrongly or was just installed. The index needs no restart.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Restart {}

/// The servers that were ended
#[derive(Debug, Serialize, JsonSchema)]
pub struct RestartAnswer {
    /// The servers that ran
    pub servers: Vec<String>,
}

impl Action for Restart {
    const NAME: &'static str = "code.restart";
    const EFFECT: Effect = Effect::REBUILDS;
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("kart_restart")];
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "", shows: "which servers were ended" }];
    type Answer = RestartAnswer;

    fn run(self, workspace: &Workspace, _: &Arc<Call>) -> Result<RestartAnswer> {
        let stopped = workspace.servers.stop();
        Ok(RestartAnswer { servers: stopped.into_iter().map(|one| one.title).collect() })
    }
}

impl Render for RestartAnswer {
    fn render(&self, page: &mut Page) {
        match self.servers.as_slice() {
            [] => page.answer("No language server was running; the next question starts one"),
            servers => {
                let all = servers.join(", ");
                page.answer(format!("Ended {all}; the next question restarts what it needs"));
            }
        }
    }
}
