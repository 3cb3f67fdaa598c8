//! `history hotspots`: the files that change most for their size.

use std::collections::{BTreeMap, BTreeSet};

use base::words::counted;
use base::{EntityRef, RepoPath, Result};
use clap::Args;
use history::checkout::ArtifactId;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use syntax::Language;

use crate::answers::role::FileRole;
use crate::answers::tested_files::tested_files;
use engine::areas::history::{HistoryReader, elapsed_text, time_text};
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, NodeTarget, Offset, Since};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::graph;
use engine::index::tables;
use engine::spec_links::spec_links;
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
    /// Also say which of the files shown have no spec and no test
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub gaps: bool,
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
    /// Whether a card, requirement or decision is linked with it; only with `gaps`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub has_spec: Option<bool>,
    /// Whether a test was found for it; only with `gaps`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub has_test: Option<bool>,
    #[serde(skip)]
    elapsed: String,
    #[serde(skip)]
    pub(super) artifact: ArtifactId,
}

impl HotspotRow {
    /// What it lacks, in words; empty if that was not requested.
    fn gaps(&self) -> &'static str {
        match (self.has_spec, self.has_test) {
            (Some(false), Some(false)) => "no spec, no test",
            (Some(false), _) => "no spec",
            (_, Some(false)) => "no test",
            _ => "",
        }
    }
}

impl Query for Hotspots {
    const NAME: &'static str = "history.hotspots";
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "--limit 10", shows: "where most of the change happens" },
        OpExample { args: "src --since 2026-01-01", shows: "the same for one folder, this year" },
        OpExample { args: "--gaps", shows: "which busy files have no spec or no test" },
    ];
    type Answer = HotspotsAnswer;

    fn run(self, view: &View) -> Result<HotspotsAnswer> {
        let history = HistoryReader::open(view)?;
        let folder = self.path.as_ref().map(|path| graph::resolve(view, path)).transpose()?;
        let folder = folder.and_then(|node| node.path().cloned()).unwrap_or(RepoPath::ROOT);
        let since = self.since.as_ref().map(Since::moment);
        let is_wanted = |path: &RepoPath| self.all || is_production_code(path);
        let rows = ranked_files(view, &history, &folder, since, is_wanted)?;
        let changes = rows.iter().map(|row| row.commits).sum();
        let (mut files, paging) = Paging::cut(rows, self.offset, self.limit);
        if self.gaps {
            find_gaps(view, &mut files)?;
        }
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

/// The changed files of a folder, hottest first.
pub(super) fn ranked_files(
    view: &View,
    history: &HistoryReader<'_>,
    folder: &RepoPath,
    since: Option<Timestamp>,
    is_wanted: impl Fn(&RepoPath) -> bool,
) -> Result<Vec<HotspotRow>> {
    let churn = history.churn(view, since)?;
    let lines: BTreeMap<RepoPath, u32> = tables::contents_below(view.index()?.conn(), folder)?
        .into_iter()
        .map(|(path, _, lines)| (path, lines))
        .collect();
    let mut rows = Vec::new();
    for (path, artifact) in history.live_files()? {
        let (Some(churn), Some(lines)) = (churn.get(&artifact), lines.get(&path)) else {
            continue;
        };
        if is_wanted(&path) {
            rows.push(HotspotRow {
                score: score(churn.commits, *lines),
                commits: churn.commits,
                lines: *lines,
                last: time_text(churn.last_time),
                has_spec: None,
                has_test: None,
                elapsed: elapsed_text(view.call().now, churn.last_time),
                artifact,
                path,
            });
        }
    }
    rows.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.path.cmp(&b.path)));
    Ok(rows)
}

/// Sets for each file whether it has a spec and a test.
fn find_gaps(view: &View, files: &mut [HotspotRow]) -> Result<()> {
    let paths: Vec<RepoPath> = files.iter().map(|row| row.path.clone()).collect();
    let tested = tested_files(view, &paths)?;
    let links = spec_links(view)?;
    let mut specified = BTreeSet::new();
    for link in &links.links {
        let ends = [&link.from, &link.to].into_iter().filter(|end| *end != link.spec_end());
        specified.extend(ends.filter_map(EntityRef::path));
    }
    for row in files {
        row.has_spec = Some(specified.contains(&row.path));
        row.has_test = Some(tested.contains(&row.path));
    }
    Ok(())
}

/// Whether a file is code of the product: manifests and lock files change with every release.
fn is_production_code(path: &RepoPath) -> bool {
    Language::from_path(path).is_some_and(Language::is_code)
        && FileRole::of(path) == FileRole::Production
}

/// How hot a file is. Because of the square root, a long file that seldom changes ranks below a
/// short one that changes often.
#[expect(clippy::cast_precision_loss, reason = "counts of commits are small")]
fn score(commits: u64, lines: u32) -> f64 {
    let score = commits as f64 * f64::from(lines).sqrt();
    (score * 10.0).round() / 10.0
}

impl HotspotsAnswer {
    /// How many of the files shown lack something; empty if that was not requested.
    fn gaps_text(&self) -> String {
        if self.files.iter().all(|row| row.has_spec.is_none()) {
            return String::new();
        }
        let lacking = |of: fn(&HotspotRow) -> Option<bool>| {
            self.files.iter().filter(|row| of(row) == Some(false)).count()
        };
        let (specs, tests) = (lacking(|row| row.has_spec), lacking(|row| row.has_test));
        format!("; {specs} of them without a spec, {tests} without a test that was found")
    }
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
        let gaps = self.gaps_text();
        let verb = if shown == 1 { "accounts" } else { "account" };
        page.answer(format!(
            "{shown} of {of}{scope} {verb} for {share} % of {}{gaps}",
            counted(self.changes, "change")
        ));
        let cells = |row: &HotspotRow| {
            let mut cells = vec![
                PageCell::handle(&row.path),
                PageCell::text(counted(row.commits, "commit")),
                PageCell::text(counted(u64::from(row.lines), "line")),
                PageCell::faint(&row.elapsed),
            ];
            cells.extend(row.has_spec.map(|_| PageCell::bad(row.gaps())));
            cells
        };
        page.table(0, self.files.iter().map(cells).collect());
        self.paging.render_rest(page, self.files.len());
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
