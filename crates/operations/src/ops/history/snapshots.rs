//! `history snapshots`: lists snapshots and verifies them against git.

use std::path::PathBuf;

use base::words::counted;
use base::{NextCall, Problem, Result};
use clap::Args;
use history::snapshot::{Snapshot, SnapshotHeader};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use engine::areas::history::snapshot::{self, StoredSnapshot};
use engine::areas::history::snapshot_check::{SnapshotCheck, check_snapshot};
use engine::areas::history::{elapsed_text, short_commit_id, time_text};
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, Offset};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::view::View;

/// List the snapshots of the history, and check them on request
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Snapshots {
    /// Replay each snapshot and compare it with git
    #[arg(long)]
    #[serde(default)]
    pub verify: bool,
    /// Snapshots to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: Limit,
    /// Snapshots to skip
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub offset: Offset,
}

/// Snapshots, newest first
#[derive(Debug, Serialize, JsonSchema)]
pub struct SnapshotsAnswer {
    /// The snapshots
    pub snapshots: Vec<SnapshotRow>,
    #[serde(skip)]
    paging: Paging,
}

/// A snapshot
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct SnapshotRow {
    /// Its name, as `history restore` takes it
    pub name: String,
    /// How many commits it holds
    pub commits: usize,
    /// The commit it is of
    pub head: String,
    /// When it was taken
    pub made: String,
    /// Its size
    pub bytes: u64,
    /// Why it cannot be used
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Commits that are the same in git, if that was checked
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_in_git: Option<usize>,
    /// Commits that are not in this clone and could not be compared, if that was checked
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_in_git: Option<usize>,
    #[serde(skip)]
    when: String,
}

impl SnapshotRow {
    pub(super) fn of(name: String, bytes: u64, about: &SnapshotHeader) -> Self {
        let head = format!("commit:{}", short_commit_id(&about.head));
        let (commits, made) = (about.commits, time_text(about.created_at));
        Self { name, commits, head, made, bytes, ..Self::default() }
    }
}

impl Query for Snapshots {
    const NAME: &'static str = "history.snapshots";
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "--verify", shows: "each replayed and compared with git" }];
    type Answer = SnapshotsAnswer;

    fn run(self, view: &View) -> Result<SnapshotsAnswer> {
        let kept = snapshot::list(&store(view)?);
        let (kept, paging) = Paging::cut(kept, self.offset, self.limit);
        let row = |kept: StoredSnapshot| row(view, kept, self.verify);
        Ok(SnapshotsAnswer { snapshots: kept.into_iter().map(row).collect::<Result<_>>()?, paging })
    }
}

/// The store of commits that snapshots are beside.
pub(super) fn store(view: &View) -> Result<PathBuf> {
    let files = view.follower_paths();
    let found = files.into_iter().find(|(name, _)| *name == "commits");
    found.map(|(_, path)| path).ok_or_else(|| Problem::internal("no store of commits"))
}

fn row(view: &View, kept: StoredSnapshot, verify: bool) -> Result<SnapshotRow> {
    let unread =
        SnapshotRow { name: kept.name.clone(), bytes: kept.bytes, ..SnapshotRow::default() };
    let bytes = snapshot::read(&kept.path);
    let found = bytes.as_deref().map_err(ToString::to_string);
    let found = found.and_then(|bytes| history::snapshot::read(bytes).map_err(|p| p.to_string()));
    let found = match found {
        Ok(found) => found,
        Err(problem) => return Ok(SnapshotRow { problem: Some(problem), ..unread }),
    };
    let mut row = SnapshotRow::of(kept.name, kept.bytes, &found.header);
    row.when = elapsed_text(view.call().now, found.header.created_at);
    if verify {
        match verified(view, &found) {
            Ok(SnapshotCheck { same, absent }) => {
                (row.same_in_git, row.not_in_git) = (Some(same), Some(absent));
            }
            Err(problem) if problem.code == base::ProblemCode::StoreDamaged => {
                row.problem = Some(problem.to_string());
            }
            Err(problem) => return Err(problem),
        }
    }
    Ok(row)
}

fn verified(view: &View, found: &Snapshot<'_>) -> Result<SnapshotCheck> {
    let git =
        view.git().ok_or_else(|| Problem::internal("the repository has a snapshot but no git"))?;
    check_snapshot(git.repo(), found, view.call())
}

impl Render for SnapshotsAnswer {
    fn render(&self, page: &mut Page) {
        let bad = self.snapshots.iter().filter(|row| row.problem.is_some()).count();
        match (self.paging.total, bad) {
            (0, _) => {
                page.answer("No snapshots");
                page.say_call("To make one", NextCall::new("history.snapshot"));
            }
            (total, 0) => page.answer(counted(total, "snapshot")),
            (total, bad) => {
                page.answer(format!("{}, {bad} unusable", counted(total, "snapshot")));
            }
        }
        page.table(0, self.snapshots.iter().map(cells).collect());
        self.paging.render_rest(page, self.snapshots.len());
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }

    fn has_findings(&self) -> bool {
        self.snapshots.iter().any(|row| row.problem.is_some())
    }
}

fn cells(row: &SnapshotRow) -> Vec<PageCell> {
    let size = PageCell::faint(format!("{} KB", row.bytes.div_ceil(1024)));
    if let Some(problem) = &row.problem {
        return vec![PageCell::handle(&row.name), PageCell::bad(problem), size];
    }
    let checked = match (row.same_in_git, row.not_in_git) {
        (Some(same), Some(0)) => format!("verified: all {same} match git"),
        (Some(same), Some(absent)) => {
            format!("verified: {same} match git, {absent} not in this clone")
        }
        _ => String::new(),
    };
    vec![
        PageCell::handle(&row.name),
        PageCell::text(counted(row.commits, "commit")),
        PageCell::faint(&row.when),
        size,
        PageCell::text(checked),
        PageCell::handle(&row.head),
    ]
}
