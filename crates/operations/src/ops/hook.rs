//! `hook`: what git's hooks call. Quick and silent; only `pre-commit` can stop a git command.

use std::sync::Arc;

use base::{Call, Problem, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ops::verify::VerifyAnswer;
use engine::contract::op::{Action, Door, Effect};
use engine::contract::page::{Page, Render};
use engine::contract::schema_choices;
use engine::workspace::Workspace;

/// Run cairn's part of a git hook; `init` writes the hooks that call this
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hook {
    /// Name of the hook, such as `post-commit`
    #[schemars(schema_with = "schema_choices::git_hook")]
    pub name: String,
    /// Arguments that git gives to the hook
    #[serde(default)]
    pub args: Vec<String>,
}

/// The result of a hook
#[derive(Debug, Serialize, JsonSchema)]
pub struct HookAnswer {
    /// The hook
    pub name: String,
    /// What the commit would break
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified: Option<VerifyAnswer>,
}

impl Action for Hook {
    const NAME: &'static str = "hook";
    const EFFECT: Effect = Effect::REBUILDS;
    const DOORS: &'static [Door] = Door::PERSON;
    type Answer = HookAnswer;

    fn run(self, workspace: &Workspace, call: &Arc<Call>) -> Result<HookAnswer> {
        let hook: setup::GitHook = self.name.parse().map_err(Problem::invalid)?;
        // Rules only judge a commit; every other hook changes the tree, so the index is refreshed.
        if hook == setup::GitHook::PreCommit {
            let (verified, _) = workspace.read(call, VerifyAnswer::staged)?;
            return Ok(HookAnswer { name: self.name, verified: Some(verified) });
        }
        // Checking out single files changes no branch.
        let files_only =
            hook == setup::GitHook::PostCheckout && self.args.get(2).is_some_and(|f| f == "0");
        if !files_only {
            let locations = workspace.store_locations(call)?;
            workspace.stores().create_branch_stores_if_written(&locations, call)?;
        }
        workspace.sync(false, call)?;
        Ok(HookAnswer { name: self.name, verified: None })
    }
}

impl Render for HookAnswer {
    /// Silent, unless a commit has to be stopped.
    fn render(&self, page: &mut Page) {
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
