//! `team.join`: makes a PostgreSQL database the home of this repository's durable records.

use std::sync::Arc;

use base::words::counted;
use base::{Call, Hash, NextCall, Problem, RepoPath, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tree::FileEdit;

use super::status;
use engine::contract::op::{Action, Door, Effect, OpExample};
use engine::contract::page::{Page, PageCell, Render};
use engine::durable::team::{self, JoinedTeam, ProjectId, StoreComparison, TeamAddress};
use engine::plan::{Plan, PlannedChange};
use engine::workspace::Workspace;

/// The file that holds the project's id.
const CONFIG: &str = "cairn.jsonc";

/// Share this repository's durable records with a team, through PostgreSQL
///
/// Finds the project that `cairn.jsonc` names, or creates one and writes its id there. Local
/// records are compared with those on the server; none are written before `team push`. The password
/// comes from PGPASSWORD, ~/.pgpass or the private file that CAIRN_TEAM_PASSWORD_FILE names.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TeamJoin {
    /// Address of the database, without a password: postgres://USER@HOST:PORT/DATABASE
    pub address: String,
}

/// What joining found
#[derive(Debug, Serialize, JsonSchema)]
pub struct TeamJoinAnswer {
    /// The project's id, which `cairn.jsonc` holds
    pub project: String,
    /// Whether the project was made now
    pub created: bool,
    /// The database role that is logged in
    pub role: String,
    /// Whether that role may write
    pub can_write: bool,
    /// The number of the team's last change
    pub last_change: i64,
    /// Whether everything local is on the server
    pub pushed: bool,
    /// Stores with local records, compared with the server's
    pub stores: Vec<StoreComparison>,
}

impl Action for TeamJoin {
    const NAME: &'static str = "team.join";
    const EFFECT: Effect = Effect::ADDS;
    const DOORS: &'static [Door] = Door::PERSON;
    const EXAMPLES: &'static [OpExample] = &[OpExample {
        args: "postgres://ada@db.example.com/cairn",
        shows: "joins the team whose records are in that database",
    }];
    type Answer = TeamJoinAnswer;

    fn run(self, workspace: &Workspace, call: &Arc<Call>) -> Result<TeamJoinAnswer> {
        let address: TeamAddress = self.address.parse()?;
        let configured = workspace.settings()?.config.team.project.clone();
        let known = configured.as_deref().map(str::parse::<ProjectId>).transpose();
        let known = known.map_err(|why| {
            Problem::invalid(format!("`team.project` in {CONFIG}: {why}"))
                .hint("remove the key to make a new project")
        })?;
        refuse_other_project(workspace, known.as_ref())?;
        let project = known.clone().map_or_else(|| team::proposed_project(workspace), Ok)?;
        let joined = team::join(workspace, &address, &project, known.is_none(), call)?;
        if known.is_none() {
            workspace.write(call, |_| write_project(workspace, &project))?;
            team::forget_proposed_project(workspace);
        }
        Ok(answer(joined))
    }
}

/// Refuses another project id in the configuration than that of the project that this clone has
/// joined.
fn refuse_other_project(workspace: &Workspace, project: Option<&ProjectId>) -> Result<()> {
    let Some(joined) = workspace.stores().team().membership()? else { return Ok(()) };
    if project == Some(&joined.project) {
        return Ok(());
    }
    Err(Problem::new(
        base::ProblemCode::Conflict,
        format!("this clone has joined project {}, which {CONFIG} does not name", joined.project),
    )
    .hint_call("leave that team first with", NextCall::new("team.leave")))
}

/// The edit that writes the project's id.
fn write_project(workspace: &Workspace, project: &ProjectId) -> Result<Plan<()>> {
    let path: RepoPath = CONFIG.parse().map_err(Problem::internal)?;
    let before = workspace.tree.read(&path)?.map(|file| file.bytes);
    let text = config::set(before.as_deref().unwrap_or(b"{}\n"), "team.project", &json!(project))?;
    let edit = FileEdit { path, expected: before.as_deref().map(Hash::of), content: Some(text) };
    Ok(Plan {
        summary: "team join".into(),
        change: PlannedChange::Files(vec![edit]),
        answer: (),
        retry_on_conflict: true,
    })
}

fn answer(joined: JoinedTeam) -> TeamJoinAnswer {
    let JoinedTeam { project, is_new, stores, is_pushed } = joined;
    TeamJoinAnswer {
        project: project.id.to_string(),
        created: is_new,
        role: project.user,
        can_write: project.can_write,
        last_change: project.seq,
        pushed: is_pushed,
        stores,
    }
}

/// The comparison of a store of this clone with the server's, as a row.
pub(super) fn comparison_cells(store: &StoreComparison) -> Vec<PageCell> {
    vec![
        PageCell::text(&store.store),
        PageCell::text(format!("{} only here", store.only_here)),
        PageCell::text(format!("{} only on the server", store.only_there)),
        PageCell::text(format!("{} equal", store.equal)),
        PageCell::text(counted(store.differing, "conflict")),
    ]
}

impl Render for TeamJoinAnswer {
    fn render(&self, page: &mut Page) {
        let what = match self.created {
            true => format!(
                "Joined: created project {}; its id is now in {CONFIG}, commit that file",
                self.project
            ),
            false => format!("Joined project {} at change {}", self.project, self.last_change),
        };
        page.answer(what);
        let may = if self.can_write { "may write" } else { "may only read" };
        page.item("role", format!("{}, which {may}", self.role));
        page.table(0, self.stores.iter().map(comparison_cells).collect());
        let conflicts = self.stores.iter().flat_map(|store| &store.conflicts);
        conflicts.for_each(|conflict| status::render_sides(page, conflict));
        if !self.pushed {
            page.say_call(
                "Nothing local was written to the server; until it is, writes are refused",
                NextCall::new("team.push"),
            );
        }
    }
}
