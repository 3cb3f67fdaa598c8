//! `history restore`: reads the commits of a snapshot. Only a person at a terminal can call it.

use std::sync::Arc;

use base::words::counted;
use base::{Call, NextCall, Problem, ProblemCode, Result};
use clap::Args;
use history::snapshot::{Snapshot, SnapshotHeader};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::snapshots::{SnapshotRow, store};
use engine::areas::history::HistoryReader;
use engine::areas::history::snapshot::{self, StoredSnapshot};
use engine::areas::history::snapshot_check::connects_to_repository;
use engine::contract::op::{Action, Door, Effect, OpExample};
use engine::contract::page::{Page, Render};
use engine::view::View;
use engine::workspace::Workspace;

/// Read the commits of a snapshot, so that history reaches beyond the end of `git log`
///
/// Known commits stay; commits that the snapshot lacks are read from git.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RestoreSnapshot {
    /// Name of a kept snapshot, or a file of the repository; the newest kept one if left out
    #[serde(default)]
    pub snapshot: Option<String>,
}

/// What was read from a snapshot
#[derive(Debug, Serialize, JsonSchema)]
pub struct RestoreSnapshotAnswer {
    /// The snapshot
    pub snapshot: SnapshotRow,
    /// Commits that were not known before
    pub new: usize,
    /// Commits that the history now covers
    pub commits: i64,
    /// Ancestors of the checked-out commit that are in this clone
    pub in_git: usize,
}

impl Action for RestoreSnapshot {
    const NAME: &'static str = "history.restore";
    const EFFECT: Effect = Effect::REBUILDS;
    const DOORS: &'static [Door] = Door::PERSON;
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "", shows: "the newest snapshot that is kept" },
        OpExample { args: "history.snapshot", shows: "a file that CI has kept" },
    ];
    type Answer = RestoreSnapshotAnswer;

    fn run(self, workspace: &Workspace, call: &Arc<Call>) -> Result<RestoreSnapshotAnswer> {
        let view = workspace.view(call.clone())?;
        let git = view.git().ok_or_else(no_git)?;
        workspace.make_cache()?;
        let (name, bytes) = find_snapshot(&view, self.snapshot.as_deref())?;
        let snapshot =
            history::snapshot::read(&bytes).map_err(|problem| with_name(&name, problem))?;
        if !connects_to_repository(git.repo(), &snapshot, call)
            .map_err(|problem| with_name(&name, problem))?
        {
            return Err(unrelated_snapshot(&name, &snapshot.header));
        }
        let new = import_snapshot(workspace, &snapshot, call)?;
        let commits = HistoryReader::open(&workspace.view(call.clone())?)?.commits()?;
        let head = git.head(call)?.commit.ok_or_else(no_git)?;
        let in_git = git.repo().reachable(call, &head, None)?.len();
        let row = SnapshotRow::of(name, bytes.len() as u64, &snapshot.header);
        Ok(RestoreSnapshotAnswer { snapshot: row, new, commits, in_git })
    }
}

fn import_snapshot(workspace: &Workspace, found: &Snapshot<'_>, call: &Call) -> Result<usize> {
    workspace.follower("history")?.write(call, |stores| {
        let facts = stores.first_mut().ok_or_else(|| Problem::internal("no store of commits"))?;
        snapshot::import_commits(facts, found, &|p| call.step(p.activity, p.done, p.total))
    })
}

fn no_git() -> Problem {
    Problem::new(ProblemCode::Unavailable, "there is no history here")
        .hint("history is read from git: run this in a repository, with git installed")
}

/// Finds a snapshot by its name, otherwise a file.
fn find_snapshot(view: &View, wanted: Option<&str>) -> Result<(String, Vec<u8>)> {
    let kept = snapshot::list(&store(view)?);
    let is_it = |kept: &&StoredSnapshot| wanted.is_none_or(|wanted| kept.name == wanted);
    if let Some(kept) = kept.iter().find(is_it) {
        return Ok((kept.name.clone(), snapshot::read(&kept.path)?));
    }
    let Some(wanted) = wanted else {
        return Err(Problem::not_found("there is no snapshot here")
            .hint("name a snapshot file")
            .hint_call("or take one with", NextCall::new("history.snapshot")));
    };
    for path in view.paths().resolve(wanted)? {
        if let Some(file) = view.tree().read(&path)? {
            return Ok((path.to_string(), file.bytes));
        }
    }
    let names = kept.iter().map(|kept| kept.name.as_str());
    let problem = Problem::not_found(format!("no snapshot or file is named `{wanted}`"));
    let problem = problem.hint_near(wanted, names);
    Err(problem.hint_call("snapshots are listed by", NextCall::new("history.snapshots")))
}

fn with_name(name: &str, problem: Problem) -> Problem {
    Problem { message: format!("{name}: {}", problem.message), ..problem }
}

fn unrelated_snapshot(name: &str, about: &SnapshotHeader) -> Problem {
    let text = format!(
        "snapshot {name} shares no commit with this repository ({} up to {})",
        counted(about.commits, "commit"),
        engine::areas::history::short_commit_id(&about.head)
    );
    Problem::new(ProblemCode::InvalidOperation, text)
        .hint("it is from another repository, or its commits are all older than those of this clone")
        .hint("in a shallow clone, fetch more commits until the histories connect:  git fetch --deepen=100")
}

impl Render for RestoreSnapshotAnswer {
    fn render(&self, page: &mut Page) {
        let Self { snapshot, new, commits, in_git } = self;
        let kept = counted(snapshot.commits, "commit");
        page.answer(format!("{new} of {kept} in {} are new", snapshot.name));
        let commits = counted(*commits, "commit");
        page.say(format!("History now covers {commits}; {in_git} of them are in this clone."));
    }
}
