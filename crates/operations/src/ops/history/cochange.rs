//! `history cochange`: files that usually change together with some files, or those of a folder
//! that change together with each other.

use base::words::counted;
use base::{EntityRef, Problem, ProblemCode, RepoPath, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::hotspots::{HotspotRow, ranked_files};
use engine::areas::history::{
    Artifact, ArtifactPair, CochangedFile, HistoryReader, MAX_PARTNERS, elapsed_text, time_text,
};
use engine::contract::alias::OpAlias;
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, NodeTarget, Offset, one_or_many};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::graph;
use engine::view::View;

/// Show which files usually change together with these
///
/// Ranked by shared commits; recent and small ones count more, merges and bulk commits do not
/// count. For a folder: which of its busiest files change together.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cochange {
    /// File to look at, several that change together, or one folder
    #[arg(required = true)]
    #[serde(deserialize_with = "one_or_many")]
    pub paths: Vec<NodeTarget>,
    /// Files or pairs to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: Limit,
    /// Files or pairs to skip
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub offset: Offset,
}

/// How many files are shown if none shares more than one commit.
const MAX_SINGLE_ROWS: usize = 5;

/// How many of the busiest files of a folder are compared with each other.
const MAX_FOLDER_FILES: usize = 24;

/// Files that change together with some files, most likely first
#[derive(Debug, Serialize, JsonSchema)]
pub struct CochangeAnswer {
    /// The files that were asked about
    pub paths: Vec<RepoPath>,
    /// How many of their commits were analyzed
    pub commits: u64,
    /// The files that change with them
    pub partners: Vec<CochangeRow>,
    /// For a folder: its busiest files
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub busiest: Vec<RepoPath>,
    /// For a folder: which of these change together, most closely first
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<CochangePair>,
    /// Why there is no answer; absent if there is one
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unavailable: Option<CochangeUnavailable>,
    #[serde(skip)]
    paging: Paging,
    #[serde(skip)]
    is_cut: bool,
}

/// Why co-change data is unavailable
#[derive(Debug, Serialize, JsonSchema)]
pub struct CochangeUnavailable {
    /// Why
    pub reason: String,
    /// What would help
    pub hints: Vec<String>,
}

/// Two files that change together
#[derive(Debug, Serialize, JsonSchema)]
pub struct CochangePair {
    /// The busier of the two
    pub first: RepoPath,
    /// The other one
    pub second: RepoPath,
    /// Commits that changed both
    pub count: u64,
    /// Those commits as a share of all commits of either
    pub jaccard: f64,
}

/// A file that changes with them
#[derive(Debug, Serialize, JsonSchema)]
pub struct CochangeRow {
    /// The file
    pub path: RepoPath,
    /// Commits that changed both
    pub count: u64,
    /// Those commits as a share of all commits of either
    pub jaccard: f64,
    /// Those commits as a share of the commits of the files asked about
    pub confidence: f64,
    /// Those commits as a share of all analyzed commits
    pub support: f64,
    /// How likely it changes too; comparable within one answer
    pub score: f64,
    /// When both last changed together
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
    #[serde(skip)]
    when: String,
}

impl Query for Cochange {
    const NAME: &'static str = "history.cochange";
    const ALIASES: &'static [OpAlias] = &[
        OpAlias::of("get_cochange").renaming(&[("path", "paths")]),
        OpAlias::of("kart_cochange").renaming(&[("path", "paths")]),
    ];
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "README.md", shows: "files that change with one file" },
        OpExample {
            args: "src/a.ts src/b.ts --limit 5",
            shows: "files that change with either of two",
        },
        OpExample { args: "src", shows: "which files of a folder change together" },
    ];
    type Answer = CochangeAnswer;

    fn run(self, view: &View) -> Result<CochangeAnswer> {
        if self.paths.is_empty() {
            return Err(Problem::invalid("`paths` is empty").hint("name a file"));
        }
        let history = match HistoryReader::open(view) {
            Ok(history) => history,
            Err(problem)
                if matches!(problem.code, ProblemCode::Unavailable | ProblemCode::Busy) =>
            {
                return Ok(CochangeAnswer::unavailable(&problem, self.offset, self.limit));
            }
            Err(problem) => return Err(problem),
        };
        if let [only] = self.paths.as_slice()
            && let Ok(EntityRef::Dir(folder)) = graph::resolve(view, only)
        {
            return of_folder(view, &history, folder, self.offset, self.limit);
        }
        let asked: Vec<Artifact> = self
            .paths
            .iter()
            .map(|path| history.artifact_or_new(view, path))
            .collect::<Result<_>>()?;
        let (together, found) = history.cochanged_files(&asked)?;
        let (together, paging) = Paging::cut(together, self.offset, self.limit);
        let all = history.counted_commits(view)?;
        let row = |together| row(view, &history, together, found.commits, all);
        let partners = together.into_iter().map(row).collect::<Result<_>>()?;
        let paths = asked.into_iter().map(|artifact| artifact.path).collect();
        let (commits, is_cut) = (found.commits, found.is_truncated);
        let (busiest, pairs) = (Vec::new(), Vec::new());
        let unavailable = None;
        Ok(CochangeAnswer { paths, commits, partners, busiest, pairs, unavailable, paging, is_cut })
    }
}

/// The busiest files of a folder, and which of them change together.
fn of_folder(
    view: &View,
    history: &HistoryReader<'_>,
    folder: RepoPath,
    offset: Offset,
    limit: Limit,
) -> Result<CochangeAnswer> {
    let mut files = ranked_files(view, history, &folder, None, |_| true)?;
    files.truncate(MAX_FOLDER_FILES);
    let artifacts: Vec<_> = files.iter().map(|row| row.artifact).collect();
    let pair = |pair: ArtifactPair| CochangePair {
        first: files[pair.first].path.clone(),
        second: files[pair.second].path.clone(),
        count: pair.count,
        jaccard: share(pair.count, pair.either),
    };
    let mut pairs: Vec<CochangePair> =
        history.cochanged_pairs(&artifacts)?.into_iter().map(pair).collect();
    pairs.sort_by(|a, b| b.jaccard.total_cmp(&a.jaccard).then(b.count.cmp(&a.count)));
    let (pairs, paging) = Paging::cut(pairs, offset, limit);
    Ok(CochangeAnswer {
        paths: vec![folder],
        commits: history.counted_commits(view)?,
        partners: Vec::new(),
        busiest: files.into_iter().map(|HotspotRow { path, .. }| path).collect(),
        pairs,
        unavailable: None,
        paging,
        is_cut: false,
    })
}

impl CochangeAnswer {
    /// The files to show, and how many more share only one commit, which may have created them all.
    fn shown_and_once(&self) -> (&[CochangeRow], usize) {
        let often = self.partners.iter().take_while(|row| row.count != 1).count();
        let is_all_once = often == 0;
        let shown = if is_all_once { self.partners.len().min(MAX_SINGLE_ROWS) } else { often };
        let rest = &self.partners[shown..];
        if rest.iter().any(|row| row.count > 1) {
            return (&self.partners, 0);
        }
        (&self.partners[..shown], rest.len())
    }

    fn render_pairs(&self, folder: &str, page: &mut Page) {
        let files = counted(self.busiest.len(), "busiest file");
        page.answer(match self.paging.total {
            0 => format!("No two of the {files} of {folder} ever changed in one commit"),
            n => format!("{} of the {files} of {folder} change together", counted(n, "pair")),
        });
        let cells = |pair: &CochangePair| {
            let often = format!("{}, jaccard {:.2}", counted(pair.count, "commit"), pair.jaccard);
            vec![
                PageCell::handle(&pair.first),
                PageCell::handle(&pair.second),
                PageCell::text(often),
            ]
        };
        page.table(0, self.pairs.iter().map(cells).collect());
        self.paging.render_rest(page, self.pairs.len());
    }

    /// The answer if there is no history to read.
    fn unavailable(problem: &Problem, offset: Offset, limit: Limit) -> Self {
        let hints = problem.hints.iter().map(ToString::to_string).collect();
        let reason = problem.message.clone();
        let (partners, paging) = Paging::cut(Vec::new(), offset, limit);
        Self {
            paths: Vec::new(),
            commits: 0,
            partners,
            busiest: Vec::new(),
            pairs: Vec::new(),
            unavailable: Some(CochangeUnavailable { reason, hints }),
            paging,
            is_cut: false,
        }
    }
}

fn row(
    view: &View,
    history: &HistoryReader<'_>,
    CochangedFile { path, partner }: CochangedFile,
    own: u64,
    all: u64,
) -> Result<CochangeRow> {
    let theirs = history.counted_commits_of(view, partner.artifact)?;
    let last = partner.last_commits_ago.map(|commits| history.time_ago(commits)).transpose()?;
    Ok(CochangeRow {
        path,
        count: partner.count,
        jaccard: share(partner.count, (own + theirs).saturating_sub(partner.count)),
        confidence: share(partner.count, own),
        support: share(partner.count, all),
        score: rounded(partner.score),
        last: last.map(time_text),
        when: last.map(|last| elapsed_text(view.call().now, last)).unwrap_or_default(),
    })
}

#[expect(clippy::cast_precision_loss, reason = "counts of commits are small")]
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { rounded(part as f64 / whole as f64) }
}

fn rounded(number: f64) -> f64 {
    (number * 10_000.0).round() / 10_000.0
}

impl Render for CochangeAnswer {
    fn render(&self, page: &mut Page) {
        if let Some(CochangeUnavailable { reason, hints }) = &self.unavailable {
            page.answer(format!("Co-change data is unavailable: {reason}"));
            for hint in hints {
                page.item("hint", hint);
            }
            return;
        }
        let names: Vec<String> = self.paths.iter().map(ToString::to_string).collect();
        let names = names.join(" ");
        if !self.busiest.is_empty() {
            self.render_pairs(&names, page);
            return;
        }
        let commits = match (self.commits, self.is_cut) {
            (commits, true) if commits != 1 => format!("the last {}", counted(commits, "commit")),
            (commits, _) => counted(commits, "commit"),
        };
        match self.paging.total {
            0 => page.answer(format!("No file changes together with {names} ({commits} analyzed)")),
            n if n == MAX_PARTNERS as u64 => page.answer(format!(
                "The {MAX_PARTNERS} files most likely to change with {names} ({commits} analyzed)"
            )),
            n => {
                let files = counted(n, "file");
                page.answer(format!("{files} may change with {names} ({commits} analyzed)"));
            }
        }
        let cells = |row: &CochangeRow| {
            let often = match row.count {
                0 => "only by its name or folder".to_owned(),
                count => format!("{count} of {}, jaccard {:.2}", self.commits, row.jaccard),
            };
            vec![PageCell::handle(&row.path), PageCell::text(often), PageCell::faint(&row.when)]
        };
        let (shown, once) = self.shown_and_once();
        page.table(0, shown.iter().map(cells).collect());
        if once > 0 {
            page.say(format!("{} changed with it in one commit only", counted(once, "more file")));
        }
        self.paging.render_rest(page, self.partners.len());
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
