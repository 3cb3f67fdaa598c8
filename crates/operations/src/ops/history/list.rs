//! `history list`: files by tag, with when they last changed.

use std::collections::BTreeSet;

use base::words::counted;
use base::{NextCall, ProblemCode, RepoPath, Result};
use clap::Args;
use history::checkout::ArtifactId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{handle, tags_text};
use engine::areas::history::{HistoryReader, time_text};
use engine::contract::alias::OpAlias;
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, NodeTarget, Offset, comma_list};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::graph;
use engine::index::tables;
use engine::view::View;

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
    pub path: Option<NodeTarget>,
    /// Also list deleted files
    #[arg(long)]
    #[serde(default)]
    pub include_deleted: bool,
    /// Also list tracked files that git's ignore rules match
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
pub struct HistoryListAnswer {
    /// The files
    pub artifacts: Vec<HistoryFileRow>,
    #[serde(skip)]
    paging: Paging,
}

/// A file
#[derive(Debug, Serialize, JsonSchema)]
pub struct HistoryFileRow {
    /// Where it is, or was last
    pub path: RepoPath,
    /// Its tags
    pub tags: BTreeSet<String>,
    /// When a commit last touched it
    pub last_modified: String,
    /// That commit
    pub commit: String,
    /// Whether it exists in the checked-out commit
    pub alive: bool,
}

impl Query for List {
    const NAME: &'static str = "history.list";
    const ALIASES: &'static [OpAlias] =
        &[OpAlias::of("list_artifacts"), OpAlias::of("kiste_query")];
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "--tags auth,session", shows: "files that have both tags" },
        OpExample { args: "--include-deleted", shows: "every file that ever existed" },
    ];
    type Answer = HistoryListAnswer;

    fn run(self, view: &View) -> Result<HistoryListAnswer> {
        let history = HistoryReader::open(view)?;
        let gone = if self.include_deleted { history.deleted_files()? } else { Vec::new() };
        let folder = self.folder(view, &gone)?;
        let mut files = self.selected_files(view, folder.as_ref(), history.live_files()?, true)?;
        files.extend(self.selected_files(view, folder.as_ref(), gone, false)?);
        let pairs: Vec<(RepoPath, ArtifactId)> =
            files.iter().map(|(path, artifact, _)| (path.clone(), *artifact)).collect();
        let mut rows: Vec<_> = files.into_iter().zip(history.all_tags(&pairs)?).collect();
        rows.retain(|(_, tags)| self.tags.iter().all(|tag| tags.contains(tag.trim())));
        rows.sort_by(|a, b| a.0.cmp(&b.0));
        let (rows, paging) = Paging::cut(rows, self.offset, self.limit);
        let row = |((path, artifact, alive), tags)| {
            let last = history.last_commit(artifact)?;
            let last_modified = last.as_ref().map(|stop| time_text(stop.time)).unwrap_or_default();
            let commit = last.as_ref().map(handle).unwrap_or_default();
            Ok(HistoryFileRow { path, tags, last_modified, commit, alive })
        };
        let artifacts = rows.into_iter().map(row).collect::<Result<_>>()?;
        Ok(HistoryListAnswer { artifacts, paging })
    }
}

impl List {
    /// The files that match the filters other than tags.
    fn selected_files(
        &self,
        view: &View,
        folder: Option<&RepoPath>,
        files: Vec<(RepoPath, ArtifactId)>,
        alive: bool,
    ) -> Result<Vec<(RepoPath, ArtifactId, bool)>> {
        let ignored = match self.include_ignored || !alive {
            true => BTreeSet::new(),
            false => ignored(view)?,
        };
        let wanted = |path: &RepoPath| {
            folder.is_none_or(|folder| path.is_at_or_below(folder))
                && !ignored.contains(path)
                && (!self.source_only || is_source(path))
        };
        let files = files.into_iter().filter(|(path, _)| wanted(path));
        Ok(files.map(|(path, artifact)| (path, artifact, alive)).collect())
    }

    /// The file or folder that is asked about. A folder that no longer exists counts if a file was
    /// below it.
    fn folder(&self, view: &View, files: &[(RepoPath, ArtifactId)]) -> Result<Option<RepoPath>> {
        let Some(target) = &self.path else { return Ok(None) };
        let problem = match graph::resolve(view, target) {
            Ok(node) => return Ok(node.path().cloned()),
            Err(problem) => problem,
        };
        if !self.include_deleted || problem.code != ProblemCode::NotFound {
            return Err(problem);
        }
        let typed = view.paths().candidates(target.as_str());
        let was = |path: &&RepoPath| files.iter().any(|(file, _)| file.is_at_or_below(path));
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

impl Render for HistoryListAnswer {
    fn render(&self, page: &mut Page) {
        match self.paging.total {
            0 => {
                page.answer("No matching files");
                page.say_call("To list all tags", NextCall::new("history.tags"));
            }
            total => page.answer(counted(total, "file")),
        }
        let cells = |row: &HistoryFileRow| {
            let tags = tags_text(&row.tags);
            let gone = if row.alive { "" } else { "deleted " };
            let when = row.last_modified.get(..10).unwrap_or_default();
            vec![
                PageCell::handle(&row.path),
                PageCell::text(tags),
                PageCell::faint(format!("{gone}{when}")),
                PageCell::handle(&row.commit),
            ]
        };
        page.table(0, self.artifacts.iter().map(cells).collect());
        self.paging.render_rest(page, self.artifacts.len());
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
