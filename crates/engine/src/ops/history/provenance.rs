//! `history provenance`: the commits that made a file what it is, oldest first.

use std::collections::BTreeSet;

use base::{RepoPath, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CommitRow, listed};
use crate::contract::alias::Alias;
use crate::contract::answer::Paging;
use crate::contract::args::{Limit, Offset, Target};
use crate::contract::op::{Example, Query};
use crate::contract::page::{Cell, Page, Render};
use crate::layers::history::{Artifact, Book};
use crate::view::View;

/// Tell how a file got here: its commits, oldest first, with its tags at each
///
/// Renames are followed. A path that it had before, or of a deleted file, will do.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// A file, now or earlier
    pub path: Target,
    /// Commits to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: Limit,
    /// Commits to pass over
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub offset: Offset,
}

/// The commits of a file
#[derive(Debug, Serialize, JsonSchema)]
pub struct Chain {
    /// Where it is, or was last
    pub path: RepoPath,
    /// Whether the commit that is checked out has it
    pub alive: bool,
    /// Where it was before
    pub earlier: BTreeSet<RepoPath>,
    /// Its commits, oldest first
    pub commits: Vec<CommitRow>,
    #[serde(skip)]
    paging: Paging,
}

impl Query for Provenance {
    const NAME: &'static str = "history.provenance";
    const ALIASES: &'static [Alias] = &[Alias::of("get_provenance")];
    const EXAMPLES: &'static [Example] =
        &[Example { args: "README.md --limit 5", shows: "how a file began" }];
    type Answer = Chain;

    fn run(self, view: &View) -> Result<Chain> {
        let book = Book::open(view)?;
        let artifact = book.artifact(view, &self.path)?;
        chain(&book, artifact, (self.offset, self.limit))
    }
}

/// A part of the commits of an artifact.
pub(super) fn chain(
    book: &Book<'_>,
    artifact: Artifact,
    (offset, limit): (Offset, Limit),
) -> Result<Chain> {
    let touches = book.touches(artifact.id)?;
    let all = touches.iter().flat_map(|touch| touch.old.iter().chain([&touch.path]));
    let earlier = all.filter(|path| **path != artifact.path).cloned().collect();
    let ops = book.tag_ops(artifact.id)?;
    let (touches, paging) = Paging::cut(touches, offset, limit);
    let mut commits = Vec::with_capacity(touches.len());
    for touch in touches {
        let stop = book.stop(touch.pos)?;
        commits.push(CommitRow {
            change: touch.how.word().to_owned(),
            path: touch.path.to_string(),
            tags_at_commit: book.tags_at(&touch.path, &ops, touch.pos),
            ..CommitRow::of(book, &stop)?
        });
    }
    Ok(Chain { path: artifact.path, alive: artifact.is_live, earlier, commits, paging })
}

impl Render for Chain {
    fn render(&self, page: &mut Page) {
        let gone = if self.alive { "" } else { ", deleted" };
        let commits = match self.paging.total {
            1 => "1 commit".into(),
            total => format!("{total} commits"),
        };
        page.answer(format!("{}{gone}: {commits}, oldest first", self.path));
        if !self.earlier.is_empty() {
            let earlier: Vec<String> = self.earlier.iter().map(ToString::to_string).collect();
            page.item("earlier at", earlier.join(", "));
        }
        self.rows(page);
        let again = format!("history provenance {}", self.path);
        self.paging.say_rest(page, self.commits.len(), again);
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}

impl Chain {
    /// The commits as a table; tags are told where they change.
    pub(super) fn rows(&self, page: &mut Page) {
        let mut before: Option<&BTreeSet<String>> = None;
        let mut rows = Vec::with_capacity(self.commits.len());
        for commit in &self.commits {
            let tags = match before == Some(&commit.tags_at_commit) {
                true => String::new(),
                false => format!("[{}]", listed(&commit.tags_at_commit)),
            };
            before = Some(&commit.tags_at_commit);
            let author = commit.author.split(" <").next().unwrap_or_default();
            rows.push(vec![
                Cell::faint(commit.day()),
                Cell::text(&commit.change),
                Cell::text(commit.subject()),
                Cell::faint(author),
                Cell::text(tags),
                Cell::handle(commit.handle()),
            ]);
        }
        page.table(0, rows);
    }
}
