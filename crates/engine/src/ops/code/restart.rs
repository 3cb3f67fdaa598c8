//! `code.restart`: language servers begin anew.

use std::sync::Arc;

use base::{Call, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::alias::Alias;
use crate::contract::op::{Action, Effect, Example};
use crate::contract::page::{Page, Render};
use crate::workspace::Workspace;

/// End all language servers; the next question starts them anew
///
/// Use when one answers wrongly or was installed meanwhile. The index needs no restart.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Restart {}

/// What was ended
#[derive(Debug, Serialize, JsonSchema)]
pub struct Restarted {
    /// The servers that ran
    pub servers: Vec<String>,
}

impl Action for Restart {
    const NAME: &'static str = "code.restart";
    const EFFECT: Effect = Effect::REBUILDS;
    const ALIASES: &'static [Alias] = &[Alias::of("kart_restart")];
    const EXAMPLES: &'static [Example] = &[Example { args: "", shows: "which servers were ended" }];
    type Answer = Restarted;

    fn run(self, workspace: &Workspace, _: &Arc<Call>) -> Result<Restarted> {
        let stopped = workspace.servers.stop();
        Ok(Restarted { servers: stopped.into_iter().map(|one| one.title).collect() })
    }
}

impl Render for Restarted {
    fn render(&self, page: &mut Page) {
        match self.servers.as_slice() {
            [] => page.answer("No language server ran; the next question starts one"),
            servers => {
                let all = servers.join(", ");
                page.answer(format!("Ended {all}; the next question starts what it needs"));
            }
        }
    }
}
