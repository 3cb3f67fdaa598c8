//! `init`: sets cairn up in a repository, overwriting nothing.

use std::sync::Arc;

use base::{Call, NextCall, Problem, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use setup::{Client, SetupRequest};

use crate::agents::{self, FoundAgent};

use super::install::{self, HookChange, InstalledFiles, InstalledHookRow, SkippedFile};
use engine::contract::alias::OpAlias;
use engine::contract::args::comma_list;
use engine::contract::op::{Action, Door, Effect, OpExample};
use engine::contract::page::{Page, Render};
use engine::contract::schema_choices;
use engine::layout_version;
use engine::workspace::Workspace;

/// Set cairn up in this repository: files, git hooks, agents' settings
///
/// Creates what is missing and overwrites nothing; a second run changes no byte.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own on the command line")]
pub struct Init {
    /// Agents to set up: claude, codex, cursor, vscode, gemini, opencode, found or all; none if left out
    #[arg(long, value_delimiter = ',')]
    #[serde(default, deserialize_with = "comma_list")]
    #[schemars(schema_with = "schema_choices::clients")]
    pub agents: Vec<String>,
    /// Also install hooks that tell these agents about the repository, about a file before an edit, and about what broke (Claude Code and Codex)
    #[arg(long)]
    #[serde(default)]
    pub agent_hooks: bool,
    /// Do not install git hooks
    #[arg(long)]
    #[serde(default)]
    pub no_hooks: bool,
    /// Let git merge cards, shared records and confirmations by field
    #[arg(long)]
    #[serde(default)]
    pub merge_driver: bool,
    /// Show what would change, write nothing
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
}

/// What was set up
#[derive(Debug, Serialize, JsonSchema)]
pub struct InitAnswer {
    /// What happened to files of the repository
    pub files: InstalledFiles,
    /// What happened to git's hooks
    pub hooks: Vec<InstalledHookRow>,
    /// Files and hooks that were not touched, and why
    pub left: Vec<SkippedFile>,
    /// Agents that were found on this machine or in this repository
    pub agents: Vec<FoundAgent>,
    /// Agents for which hooks were asked for and have no file that cairn writes
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub without_hooks: Vec<String>,
    /// Whether nothing was written
    pub dry_run: bool,
}

impl Action for Init {
    const NAME: &'static str = "init";
    const EFFECT: Effect = Effect::REBUILDS;
    const DOORS: &'static [Door] = Door::PERSON;
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("kb.init")];
    const EXAMPLES: &'static [OpExample] = &[
        OpExample {
            args: "--agents claude,codex",
            shows: "files, hooks, and two agents' settings",
        },
        OpExample { args: "--agents found", shows: "the same for the agents that are installed" },
        OpExample { args: "--dry-run", shows: "what would be written, as a diff" },
    ];
    type Answer = InitAnswer;

    fn run(self, workspace: &Workspace, call: &Arc<Call>) -> Result<InitAnswer> {
        let request = SetupRequest { clients: self.clients(workspace)?, hooks: self.agent_hooks };
        let plan = || {
            let existing = install::existing_file_reader(workspace);
            let driver = self.merge_driver.then(|| existing(".gitattributes"));
            let mut plan = setup::plan_init(existing, &request);
            if let Some(attributes) = driver {
                install::add_planned(&mut plan, setup::plan_merge_driver(attributes));
            }
            plan
        };
        if !self.dry_run {
            layout_version::refuse_newer(&workspace.tree)?;
            workspace.make_cache()?;
            let locations = workspace.store_locations(call)?;
            workspace.stores().create_branch_stores_if_written(&locations, call)?;
            workspace.stores().create_branch_stores(&locations, call)?;
        }
        let (files, mut left) = install::write_files(workspace, plan, "init", self.dry_run, call)?;
        let hooks = match self.no_hooks {
            true => Vec::new(),
            false => install::change_hooks(
                workspace,
                HookChange::Install,
                self.dry_run,
                &mut left,
                call,
            )?,
        };
        if self.merge_driver && !self.dry_run {
            install::set_merge_driver(workspace, Some(setup::MERGE_COMMAND), call)?;
        }
        let agents = agents::find(workspace);
        let lacks_hooks = |client: &&Client| request.hooks && !client.has_hooks();
        let without_hooks = request.clients.iter().filter(lacks_hooks).map(ToString::to_string);
        let without_hooks = without_hooks.collect();
        Ok(InitAnswer { files, hooks, left, agents, without_hooks, dry_run: self.dry_run })
    }
}

impl Init {
    /// The requested agents; `found` stands for those that were found on this machine.
    fn clients(&self, workspace: &Workspace) -> Result<Vec<Client>> {
        let mut clients = Vec::new();
        for name in &self.agents {
            match name.trim() {
                "found" => {
                    clients.extend(agents::find(workspace).into_iter().map(|one| one.client));
                }
                other => clients.extend(setup::parse_clients(other).map_err(Problem::invalid)?),
            }
        }
        clients.sort_unstable();
        clients.dedup();
        Ok(clients)
    }
}

impl Render for InitAnswer {
    fn render(&self, page: &mut Page) {
        let both = install::counted_files_and_hooks(&self.files, &self.hooks);
        match (both.is_empty(), self.dry_run) {
            (true, _) => page.answer("Nothing to do: cairn is already set up here"),
            (_, true) => page.answer(format!("Would write {both}")),
            (_, false) => page.answer(format!("Wrote {both}")),
        }
        install::render(page, &self.files, &self.hooks, &self.left);
        if !self.without_hooks.is_empty() {
            page.say(format!(
                "no hooks for {}: cairn has none for it",
                self.without_hooks.join(", ")
            ));
        }
        let waiting: Vec<&FoundAgent> =
            self.agents.iter().filter(|agent| !agent.uses_cairn && !self.dry_run).collect();
        if waiting.is_empty() {
            return;
        }
        let found: Vec<String> =
            waiting.iter().map(|one| format!("{} ({})", one.agent, one.found)).collect();
        let names: Vec<&str> = waiting.iter().map(|one| one.agent.as_str()).collect();
        page.say_call(
            format!("found, but not set up yet: {}", found.join(", ")),
            NextCall::new("init").with("agents", names.join(",")),
        );
    }
}
