//! `hook`: the operation that the hooks of git and of agents call. It is quick, and silent if there
//! is nothing to say. Only `pre-commit` can stop anything.

use std::sync::Arc;

use base::{Call, Problem, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::agent_hook::{self, AgentEvent};
use crate::ops::verify::VerifyAnswer;
use engine::contract::args::Objects;
use engine::contract::op::{Action, Door, Effect};
use engine::contract::page::{Page, Render};
use engine::contract::schema_choices;
use engine::workspace::Workspace;

/// Run cairn's part of a hook of git or of an agent; `init` writes the hooks that call this
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hook {
    /// Name of the hook, such as `post-commit` or `before-edit`
    #[schemars(schema_with = "schema_choices::hook")]
    pub name: String,
    /// Arguments that git gives to the hook
    #[serde(default)]
    pub args: Vec<String>,
    /// Event that an agent's program reports, as JSON; `-` reads it from standard input
    #[arg(long, value_name = "JSON")]
    #[serde(default)]
    pub event: Option<Objects>,
}

/// The result of a hook
#[derive(Debug, Serialize, JsonSchema)]
pub struct HookAnswer {
    /// The hook
    pub name: String,
    /// The result of the check before a commit
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified: Option<VerifyAnswer>,
    /// What the agent is told, in the form that its program reads
    #[serde(skip_serializing_if = "Option::is_none")]
    pub told: Option<String>,
}

impl Action for Hook {
    const NAME: &'static str = "hook";
    const EFFECT: Effect = Effect::REBUILDS;
    const DOORS: &'static [Door] = Door::PERSON;
    type Answer = HookAnswer;

    fn run(self, workspace: &Workspace, call: &Arc<Call>) -> Result<HookAnswer> {
        if let Ok(hook) = self.name.parse::<setup::AgentHook>() {
            let event = self.event.as_ref().and_then(|event| event.get().first());
            let event = AgentEvent::read(event, hook);
            let told = agent_hook::tell(workspace, call, &event);
            return Ok(HookAnswer { name: self.name, verified: None, told });
        }
        let hook: setup::GitHook = self.name.parse().map_err(Problem::invalid)?;
        // Rules only judge a commit; every other hook changes the tree, so the index is refreshed.
        if hook == setup::GitHook::PreCommit {
            let (verified, _) = workspace.read(call, VerifyAnswer::staged)?;
            return Ok(HookAnswer { name: self.name, verified: Some(verified), told: None });
        }
        // A checkout of single files does not change the branch.
        let files_only =
            hook == setup::GitHook::PostCheckout && self.args.get(2).is_some_and(|f| f == "0");
        if !files_only {
            let locations = workspace.store_locations(call)?;
            workspace.stores().create_branch_stores_if_written(&locations, call)?;
        }
        workspace.sync(false, call)?;
        Ok(HookAnswer { name: self.name, verified: None, told: None })
    }
}

impl Render for HookAnswer {
    /// Renders nothing, unless a commit must be stopped or an agent is told something.
    fn render(&self, page: &mut Page) {
        if let Some(told) = &self.told {
            return page.document(told);
        }
        if let Some(verified) = self.verified.as_ref().filter(|found| found.has_findings()) {
            page.heading("cairn stopped this commit (git's pre-commit hook)");
            verified.render(page);
            page.say(
                "fix the problems above, or commit without this check:  git commit --no-verify",
            );
        }
    }

    fn has_findings(&self) -> bool {
        self.verified.as_ref().is_some_and(Render::has_findings)
    }
}
