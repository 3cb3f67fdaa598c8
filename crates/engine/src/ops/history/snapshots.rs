//! `history snapshots`: the snapshots there are, and whether they are true.

use std::path::PathBuf;

use base::words::counted;
use base::{NextCall, Problem, Result};
use clap::Args;
use history::snapshot::{About, Snapshot};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::answer::Paging;
use crate::contract::args::{Limit, Offset};
use crate::contract::op::{Example, Query};
use crate::contract::page::{Cell, Page, Render};
use crate::layers::history::check::{Checked, check};
use crate::layers::history::snapshot::{self, Kept};
use crate::layers::history::{ago, moment, short};
use crate::view::View;

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
pub struct Listed {
    /// The snapshots
    pub snapshots: Vec<KeptRow>,
    #[serde(skip)]
    paging: Paging,
}

/// A snapshot
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct KeptRow {
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
    /// Commits that say the same in git, if that was checked
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_in_git: Option<usize>,
    /// Commits that are not in this clone and could not be compared, if that was checked
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_in_git: Option<usize>,
    #[serde(skip)]
    when: String,
}

impl KeptRow {
    pub(super) fn of(name: String, bytes: u64, about: &About) -> Self {
        let head = format!("commit:{}", short(&about.head));
        let (commits, made) = (about.commits, moment(about.made));
        Self { name, commits, head, made, bytes, ..Self::default() }
    }
}

impl Query for Snapshots {
    const NAME: &'static str = "history.snapshots";
    const EXAMPLES: &'static [Example] =
        &[Example { args: "--verify", shows: "each replayed and compared with git" }];
    type Answer = Listed;

    fn run(self, view: &View) -> Result<Listed> {
        let kept = snapshot::list(&store(view)?);
        let (kept, paging) = Paging::cut(kept, self.offset, self.limit);
        let row = |kept: Kept| row(view, kept, self.verify);
        Ok(Listed { snapshots: kept.into_iter().map(row).collect::<Result<_>>()?, paging })
    }
}

/// The store of commits that snapshots lie beside.
pub(super) fn store(view: &View) -> Result<PathBuf> {
    let files = view.followed_files();
    let found = files.into_iter().find(|(name, _)| *name == "commits");
    found.map(|(_, path)| path).ok_or_else(|| Problem::internal("no store of commits"))
}

fn row(view: &View, kept: Kept, verify: bool) -> Result<KeptRow> {
    let unread = KeptRow { name: kept.name.clone(), bytes: kept.bytes, ..KeptRow::default() };
    let bytes = snapshot::read(&kept.path);
    let found = bytes.as_deref().map_err(ToString::to_string);
    let found = found.and_then(|bytes| history::snapshot::read(bytes).map_err(|p| p.to_string()));
    let found = match found {
        Ok(found) => found,
        Err(problem) => return Ok(KeptRow { problem: Some(problem), ..unread }),
    };
    let mut row = KeptRow::of(kept.name, kept.bytes, &found.about);
    row.when = ago(view.call().now, found.about.made);
    if verify {
        match verified(view, &found) {
            Ok(Checked { same, absent }) => {
                (row.same_in_git, row.not_in_git) = (Some(same), Some(absent));
            }
            Err(problem) if problem.code == base::Code::StoreDamaged => {
                row.problem = Some(problem.to_string());
            }
            Err(problem) => return Err(problem),
        }
    }
    Ok(row)
}

fn verified(view: &View, found: &Snapshot<'_>) -> Result<Checked> {
    let git = view.git().ok_or_else(|| Problem::internal("a snapshot without git"))?;
    check(git.repo(), found, view.call())
}

impl Render for Listed {
    fn render(&self, page: &mut Page) {
        let bad = self.snapshots.iter().filter(|row| row.problem.is_some()).count();
        match (self.paging.total, bad) {
            (0, _) => {
                page.answer("No snapshots");
                page.say_call("One is taken by", NextCall::to("history.snapshot"));
            }
            (total, 0) => page.answer(counted(total, "snapshot")),
            (total, bad) => {
                page.answer(format!("{}, {bad} of no use", counted(total, "snapshot")));
            }
        }
        page.table(0, self.snapshots.iter().map(cells).collect());
        self.paging.say_rest(page, self.snapshots.len());
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }

    fn has_findings(&self) -> bool {
        self.snapshots.iter().any(|row| row.problem.is_some())
    }
}

fn cells(row: &KeptRow) -> Vec<Cell> {
    let size = Cell::faint(format!("{} KB", row.bytes.div_ceil(1024)));
    if let Some(problem) = &row.problem {
        return vec![Cell::handle(&row.name), Cell::bad(problem), size];
    }
    let checked = match (row.same_in_git, row.not_in_git) {
        (Some(same), Some(0)) => format!("true: all {same} as git has them"),
        (Some(same), Some(absent)) => {
            format!("true: {same} as git has them, {absent} not in this clone")
        }
        _ => String::new(),
    };
    vec![
        Cell::handle(&row.name),
        Cell::text(counted(row.commits, "commit")),
        Cell::faint(&row.when),
        size,
        Cell::text(checked),
        Cell::handle(&row.head),
    ]
}
