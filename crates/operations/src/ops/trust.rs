//! `trust`: allows a repository's language servers, linters and formatters to run.

use std::sync::Arc;

use base::{Call, NextCall, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use engine::contract::op::{Action, Door, Effect, OpExample};
use engine::contract::page::{Page, Render};
use engine::workspace::Workspace;

/// Allow this repository's language servers, linters and formatters to run
///
/// They run the project's own code. The permission is kept outside the repository, for all of its
/// worktrees. It is asked for again when another repository takes its place, or when a program that
/// the repository contains, or a setting that names one, is new or has changed.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trust {}

/// Whether a repository is trusted from now on
#[derive(Debug, Serialize, JsonSchema)]
pub struct TrustAnswer {
    /// The repository, or the folder without git
    pub subject: String,
    /// Whether its programs may run
    pub trusted: bool,
    /// Whether this call changed it
    pub changed: bool,
    /// The trusted programs that the repository contains, and settings that name programs
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<String>,
}

impl Action for Trust {
    const NAME: &'static str = "trust";
    const EFFECT: Effect = Effect::REBUILDS;
    const DOORS: &'static [Door] = Door::PERSON;
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "", shows: "language servers are used from now on" }];
    type Answer = TrustAnswer;

    fn run(self, workspace: &Workspace, call: &Arc<Call>) -> Result<TrustAnswer> {
        let (programs, changed) = workspace.grant_trust(call)?;
        let programs = programs.into_keys().collect();
        Ok(TrustAnswer { subject: subject(workspace), trusted: true, changed, programs })
    }
}

/// The noun for what is trusted.
pub(super) fn subject(workspace: &Workspace) -> String {
    workspace.trust.subject().display().to_string()
}

impl Render for TrustAnswer {
    fn render(&self, page: &mut Page) {
        let Self { subject, trusted, changed, programs } = self;
        let already = if *changed { "" } else { " already" };
        if *trusted {
            page.answer(format!("{subject} is{already} trusted: its language servers, linters and formatters may run"));
            for program in programs {
                page.item("from this repository", program);
            }
            page.say_call("To withdraw this:", NextCall::new("untrust"));
        } else {
            let was = if *changed { "is no longer trusted" } else { "was not trusted" };
            page.answer(format!("{subject} {was}: none of its programs will be started"));
        }
    }
}
