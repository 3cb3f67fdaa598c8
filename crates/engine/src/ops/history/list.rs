//! `history list`: the files there are, by tag, with when they last changed.

use std::collections::BTreeSet;

use base::words::counted;
use base::{Code, NextCall, RepoPath, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{handle, listed};
use crate::contract::alias::Alias;
use crate::contract::answer::Paging;
use crate::contract::args::{Limit, Offset, Target, comma_list};
use crate::contract::op::{Example, Query};
use crate::contract::page::{Cell, Page, Render};
use crate::graph;
use crate::index::tables;
use crate::layers::history::{Book, moment};
use crate::view::View;

/// List files by tag, with when each last changed
///
/// Tags come from folders and from `tags:` lines of commits.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct List {
    /// Only files that have all of these tags
    #[arg(long, value_delimiter = ',')]
    #[serde(default, deserialize_with = "comma_list")]
    pub tags: Vec<String>,
    /// Only files in this folder
    #[arg(long)]
    #[serde(default)]
    pub path: Option<Target>,
    /// Also list deleted files
    #[arg(long)]
    #[serde(default)]
    pub include_deleted: bool,
    /// Also list files that git ignores and yet tracks
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub include_ignored: bool,
    /// Only files below a folder named `src`
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub source_only: bool,
    /// Files to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: Limit,
    /// Files to skip
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub offset: Offset,
}

/// Files, by path
#[derive(Debug, Serialize, JsonSchema)]
pub struct Listed {
    /// The files
    pub artifacts: Vec<Row>,
    #[serde(skip)]
    paging: Paging,
}

/// A file
#[derive(Debug, Serialize, JsonSchema)]
pub struct Row {
    /// Where it is, or was last
    pub path: RepoPath,
    /// Its tags
    pub tags: BTreeSet<String>,
    /// When a commit last touched it
    pub last_modified: String,
    /// That commit
    pub commit: String,
    /// Whether the commit that is checked out has it
    pub alive: bool,
}

impl Query for List {
    const NAME: &'static str = "history.list";
    const ALIASES: &'static [Alias] = &[Alias::of("list_artifacts"), Alias::of("kiste_query")];
    const EXAMPLES: &'static [Example] = &[
        Example { args: "--tags auth,session", shows: "files that have both tags" },
        Example { args: "--include-deleted", shows: "everything there ever was" },
    ];
    type Answer = Listed;

    fn run(self, view: &View) -> Result<Listed> {
        let book = Book::open(view)?;
        let gone = if self.include_deleted { book.gone()? } else { Vec::new() };
        let folder = self.folder(view, &gone)?;
        let mut files = self.wanted(view, (folder.as_ref(), book.live()?), true)?;
        files.extend(self.wanted(view, (folder.as_ref(), gone), false)?);
        let pairs: Vec<(RepoPath, i64)> =
            files.iter().map(|(path, artifact, _)| (path.clone(), *artifact)).collect();
        let mut rows: Vec<_> = files.into_iter().zip(book.all_tags(&pairs)?).collect();
        rows.retain(|(_, tags)| self.tags.iter().all(|tag| tags.contains(tag.trim())));
        rows.sort_by(|a, b| a.0.cmp(&b.0));
        let (rows, paging) = Paging::cut(rows, self.offset, self.limit);
        let row = |((path, artifact, alive), tags)| {
            let last = book.last(artifact)?;
            let last_modified = last.as_ref().map(|stop| moment(stop.time)).unwrap_or_default();
            let commit = last.as_ref().map(handle).unwrap_or_default();
            Ok(Row { path, tags, last_modified, commit, alive })
        };
        let artifacts = rows.into_iter().map(row).collect::<Result<_>>()?;
        Ok(Listed { artifacts, paging })
    }
}

impl List {
    /// Those of some files that were asked for, tags aside.
    fn wanted(
        &self,
        view: &View,
        (folder, files): (Option<&RepoPath>, Vec<(RepoPath, i64)>),
        alive: bool,
    ) -> Result<Vec<(RepoPath, i64, bool)>> {
        let ignored = match self.include_ignored || !alive {
            true => BTreeSet::new(),
            false => ignored(view)?,
        };
        let wanted = |path: &RepoPath| {
            folder.is_none_or(|folder| path.is_below(folder))
                && !ignored.contains(path)
                && (!self.source_only || is_source(path))
        };
        let files = files.into_iter().filter(|(path, _)| wanted(path));
        Ok(files.map(|(path, artifact)| (path, artifact, alive)).collect())
    }

    /// The file or folder that is asked about. Where only the past has it, what was below it is
    /// enough.
    fn folder(&self, view: &View, files: &[(RepoPath, i64)]) -> Result<Option<RepoPath>> {
        let Some(target) = &self.path else { return Ok(None) };
        let problem = match graph::resolve(view, target) {
            Ok(node) => return Ok(node.path().cloned()),
            Err(problem) => problem,
        };
        if !self.include_deleted || problem.code != Code::NotFound {
            return Err(problem);
        }
        let typed = view.typed_paths(target.as_str());
        let was = |path: &&RepoPath| files.iter().any(|(file, _)| file.is_below(path));
        typed.iter().find(was).cloned().map(Some).ok_or(problem)
    }
}

/// Files that git tracks although its rules ignore them.
fn ignored(view: &View) -> Result<BTreeSet<RepoPath>> {
    let list = tables::meta(view.index()?.conn(), "tracked")?.unwrap_or_default();
    Ok(list.lines().filter_map(|line| line.parse().ok()).collect())
}

fn is_source(path: &RepoPath) -> bool {
    let folder = path.parent().unwrap_or(RepoPath::ROOT);
    folder.as_bytes().split(|byte| *byte == b'/').any(|part| part == b"src")
}

impl Render for Listed {
    fn render(&self, page: &mut Page) {
        match self.paging.total {
            0 => {
                page.answer("No file fits");
                page.say_call("Which tags there are is told by", NextCall::to("history.tags"));
            }
            total => page.answer(counted(total, "file")),
        }
        let cells = |row: &Row| {
            let tags = listed(&row.tags);
            let gone = if row.alive { "" } else { "deleted " };
            let when = row.last_modified.get(..10).unwrap_or_default();
            vec![
                Cell::handle(&row.path),
                Cell::text(tags),
                Cell::faint(format!("{gone}{when}")),
                Cell::handle(&row.commit),
            ]
        };
        page.table(0, self.artifacts.iter().map(cells).collect());
        self.paging.say_rest(page, self.artifacts.len());
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
