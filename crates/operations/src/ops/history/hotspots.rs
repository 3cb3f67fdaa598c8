//! `history hotspots`: the files that change most for their size.

use std::collections::BTreeMap;

use base::words::counted;
use base::{RepoPath, Result};
use clap::Args;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use syntax::Language;

use crate::answers::role::FileRole;
use engine::areas::history::{HistoryReader, elapsed_text, time_text};
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, NodeTarget, Offset, Since};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::graph;
use engine::index::tables;
use engine::view::View;

/// List the files that change most for their size
///
/// Ranked by commits times the square root of lines; merges and bulk commits do not count.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hotspots {
    /// Only files in this folder
    pub path: Option<NodeTarget>,
    /// Only commits since this day or moment
    #[arg(long)]
    #[serde(default)]
    pub since: Option<Since>,
    /// Also rank manifests, tests, examples, documents and generated files
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub all: bool,
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

/// Files by how much they change for their size
#[derive(Debug, Serialize, JsonSchema)]
pub struct HotspotsAnswer {
    /// The files, hottest first
    pub files: Vec<HotspotRow>,
    /// Changes of all files that were ranked: one per commit and file
    pub changes: u64,
    #[serde(skip)]
    top_changes: u64,
    #[serde(skip)]
    scope: String,
    #[serde(skip)]
    paging: Paging,
}

/// A file and how much it changes
#[derive(Debug, Serialize, JsonSchema)]
pub struct HotspotRow {
    /// The file
    pub path: RepoPath,
    /// Commits that changed it
    pub commits: u64,
    /// Its lines now
    pub lines: u32,
    /// Commits times the square root of lines; comparable within one answer
    pub score: f64,
    /// When it last changed
    pub last: String,
    #[serde(skip)]
    elapsed: String,
}

impl Query for Hotspots {
    const NAME: &'static str = "history.hotspots";
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "--limit 10", shows: "where most of the change happens" },
        OpExample { args: "src --since 2026-01-01", shows: "the same for one folder, this year" },
    ];
    type Answer = HotspotsAnswer;

    fn run(self, view: &View) -> Result<HotspotsAnswer> {
        let history = HistoryReader::open(view)?;
        let folder = self.path.as_ref().map(|path| graph::resolve(view, path)).transpose()?;
        let folder = folder.and_then(|node| node.path().cloned()).unwrap_or(RepoPath::ROOT);
        let since = self.since.as_ref().map_or(Timestamp::UNIX_EPOCH, Since::moment);
        let churn: BTreeMap<i64, _> =
            history.churn(since)?.into_iter().map(|churn| (churn.artifact, churn)).collect();
        let lines: BTreeMap<RepoPath, u32> = tables::contents_below(view.index()?.conn(), &folder)?
            .into_iter()
            .map(|(path, _, lines)| (path, lines))
            .collect();
        let mut rows = Vec::new();
        for (path, artifact) in history.live_files()? {
            let (Some(churn), Some(lines)) = (churn.get(&artifact), lines.get(&path)) else {
                continue;
            };
            if self.all || is_production_code(&path) {
                rows.push(HotspotRow {
                    score: score(churn.commits, *lines),
                    commits: churn.commits,
                    lines: *lines,
                    last: time_text(churn.last_time),
                    elapsed: elapsed_text(view.call().now, churn.last_time),
                    path,
                });
            }
        }
        rows.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.path.cmp(&b.path)));
        let changes = rows.iter().map(|row| row.commits).sum();
        let (files, paging) = Paging::cut(rows, self.offset, self.limit);
        let top_changes = files.iter().map(|row| row.commits).sum();
        let below = match folder == RepoPath::ROOT {
            true => String::new(),
            false => format!(" below {folder}"),
        };
        let since =
            self.since.map(|since| format!(" since {}", since.as_str())).unwrap_or_default();
        Ok(HotspotsAnswer { files, changes, top_changes, scope: below + &since, paging })
    }
}

/// Whether a file is code of the product: manifests and lock files change with every release.
fn is_production_code(path: &RepoPath) -> bool {
    Language::from_path(path).is_some_and(Language::is_code)
        && FileRole::of(path) == FileRole::Production
}

/// How hot a file is. The square root keeps one long file that is hardly touched below a short one
/// that changes all the time.
#[expect(clippy::cast_precision_loss, reason = "counts of commits are small")]
fn score(commits: u64, lines: u32) -> f64 {
    let score = commits as f64 * f64::from(lines).sqrt();
    (score * 10.0).round() / 10.0
}

impl Render for HotspotsAnswer {
    fn render(&self, page: &mut Page) {
        let scope = &self.scope;
        if self.files.is_empty() {
            page.answer(format!("No file changed{scope}"));
            return;
        }
        let shown = self.files.len() as u64;
        let share = (self.top_changes * 100).checked_div(self.changes).unwrap_or_default();
        let of = counted(self.paging.total, "changed file");
        page.answer(format!(
            "{shown} of {of}{scope} take {share} % of {}",
            counted(self.changes, "change")
        ));
        let cells = |row: &HotspotRow| {
            vec![
                PageCell::handle(&row.path),
                PageCell::text(counted(row.commits, "commit")),
                PageCell::text(counted(u64::from(row.lines), "line")),
                PageCell::faint(&row.elapsed),
            ]
        };
        page.table(0, self.files.iter().map(cells).collect());
        self.paging.render_rest(page, self.files.len());
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
