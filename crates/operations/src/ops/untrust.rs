//! `untrust`: forbids a repository's language servers, linters and formatters to run.

use std::sync::Arc;

use base::{Call, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::trust::{TrustAnswer, subject};
use engine::contract::op::{Action, Door, Effect, OpExample};
use engine::workspace::Workspace;

/// Forbid this repository's language servers, linters and formatters to run
///
/// Running ones are ended by the next question to them.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Untrust {}

impl Action for Untrust {
    const NAME: &'static str = "untrust";
    const EFFECT: Effect = Effect::REBUILDS;
    const DOORS: &'static [Door] = Door::PERSON;
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "", shows: "no program of the repository is started any more" }];
    type Answer = TrustAnswer;

    fn run(self, workspace: &Workspace, _: &Arc<Call>) -> Result<TrustAnswer> {
        let changed = workspace.trust.revoke()?;
        let (subject, programs) = (subject(workspace), Vec::new());
        Ok(TrustAnswer { subject, trusted: false, changed, programs })
    }
}
