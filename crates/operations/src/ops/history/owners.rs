//! `history owners`: who knows a file or folder, and its bus factor, the number of people who made
//! half of the changes.

use std::collections::{BTreeMap, BTreeSet};

use base::words::counted;
use base::{NextCall, RepoPath, Result};
use clap::Args;
use history::checkout::{ArtifactChange, ArtifactId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use engine::areas::history::{HistoryReader, elapsed_text, time_text};
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, NodeTarget, Offset};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::graph;
use engine::view::View;

/// Seconds after which a change counts half: knowledge of code fades, and code changes.
const HALF_LIFE_SECONDS: f64 = 365.0 * 86_400.0;

/// How many of the newest commits are counted.
const MAX_COMMITS: usize = 5_000;

/// The share of changes that the people of the bus factor made together.
const BUS_FACTOR_SHARE: f64 = 0.5;

/// Show who knows a file or folder: authors by share of changes, and the bus factor
///
/// A change counts half after a year. The bus factor is how many people made half of the changes.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Owners {
    /// File or folder to look at; the whole repository if left out
    pub path: Option<NodeTarget>,
    /// People to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: Limit,
    /// People to skip
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub offset: Offset,
}

/// Who knows a file or folder
#[derive(Debug, Serialize, JsonSchema)]
pub struct OwnersAnswer {
    /// The file or folder
    pub path: RepoPath,
    /// How many people made half of the changes
    pub bus_factor: u64,
    /// Commits that were counted
    pub commits: u64,
    /// Files that were changed
    pub files: u64,
    /// Files that one person alone has ever changed
    pub single_author_files: u64,
    /// The people, those who know most first
    pub people: Vec<OwnerRow>,
    #[serde(skip)]
    is_truncated: bool,
    #[serde(skip)]
    paging: Paging,
}

/// A person and how much they changed
#[derive(Debug, Serialize, JsonSchema)]
pub struct OwnerRow {
    /// Their name, as in their newest commit
    pub name: String,
    /// Their email
    pub email: String,
    /// Their share of the changes; recent changes count more
    pub share: f64,
    /// Their commits
    pub commits: u64,
    /// The files that they changed
    pub files: u64,
    /// Their last commit
    pub last: String,
    #[serde(skip)]
    elapsed: String,
}

impl Query for Owners {
    const NAME: &'static str = "history.owners";
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "src/parser.rs", shows: "whom to ask about a file" },
        OpExample { args: "", shows: "who knows the repository" },
    ];
    type Answer = OwnersAnswer;

    fn run(self, view: &View) -> Result<OwnersAnswer> {
        let history = HistoryReader::open(view)?;
        let node = self.path.as_ref().map(|path| graph::resolve(view, path)).transpose()?;
        let path = node.and_then(|node| node.path().cloned()).unwrap_or(RepoPath::ROOT);
        let changes = history.changes_below(&path)?;
        let authorship = Authorship::read(view, &history, &changes)?;
        let (bus_factor, people) = authorship.people(view);
        let (people, paging) = Paging::cut(people, self.offset, self.limit);
        Ok(OwnersAnswer {
            path,
            bus_factor,
            commits: authorship.commits as u64,
            files: authorship.authors_by_file.len() as u64,
            single_author_files: authorship.single_author_files(),
            people,
            is_truncated: authorship.is_truncated,
            paging,
        })
    }
}

/// One person's changes.
#[derive(Default)]
struct AuthorChanges {
    name: String,
    weight: f64,
    commits: u64,
    files: BTreeSet<ArtifactId>,
    last_time: i64,
}

/// The changes of each person, by email.
#[derive(Default)]
struct Authorship {
    authors: BTreeMap<String, AuthorChanges>,
    authors_by_file: BTreeMap<ArtifactId, BTreeSet<String>>,
    commits: usize,
    is_truncated: bool,
}

impl Authorship {
    /// Reads the authors of changes, which are grouped by commit, newest first.
    fn read(view: &View, history: &HistoryReader<'_>, changes: &[ArtifactChange]) -> Result<Self> {
        let mut found = Self::default();
        let now = view.call().now.as_second();
        for commit_changes in changes.chunk_by(|a, b| a.pos == b.pos) {
            if found.commits == MAX_COMMITS {
                found.is_truncated = true;
                break;
            }
            view.call().step("reading authors", found.commits, MAX_COMMITS)?;
            let commit = history.commit_position(commit_changes[0].pos)?;
            let author = history.commit(&commit)?.author;
            found.add(&author, commit.time, decay(now - commit.time), commit_changes);
            found.commits += 1;
        }
        Ok(found)
    }

    fn add(
        &mut self,
        author: &history::CommitSignature,
        time: i64,
        weight: f64,
        changes: &[ArtifactChange],
    ) {
        let email = author.email.to_lowercase();
        let own = self.authors.entry(email.clone()).or_default();
        if own.name.is_empty() {
            own.name.clone_from(&author.name); // the newest commit comes first
            own.last_time = time;
        }
        own.commits += 1;
        for change in changes {
            own.weight += weight;
            own.files.insert(change.artifact);
            self.authors_by_file.entry(change.artifact).or_default().insert(email.clone());
        }
    }

    /// The people by their share, and how many of them made half of the changes.
    fn people(&self, view: &View) -> (u64, Vec<OwnerRow>) {
        let total: f64 = self.authors.values().map(|own| own.weight).sum();
        let mut rows: Vec<(f64, OwnerRow)> = self
            .authors
            .iter()
            .map(|(email, own)| {
                let share = if total > 0.0 { own.weight / total } else { 0.0 };
                let row = OwnerRow {
                    name: own.name.clone(),
                    email: email.clone(),
                    share: (share * 1_000.0).round() / 1_000.0,
                    commits: own.commits,
                    files: own.files.len() as u64,
                    last: time_text(own.last_time),
                    elapsed: elapsed_text(view.call().now, own.last_time),
                };
                (share, row)
            })
            .collect();
        rows.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.email.cmp(&b.1.email)));
        let mut covered = 0.0;
        let before_half = rows.iter().take_while(|(share, _)| {
            let is_before = covered < BUS_FACTOR_SHARE;
            covered += share;
            is_before
        });
        (before_half.count() as u64, rows.into_iter().map(|(_, row)| row).collect())
    }

    fn single_author_files(&self) -> u64 {
        self.authors_by_file.values().filter(|authors| authors.len() == 1).count() as u64
    }
}

/// How much a change of this age counts, 1 for one made now.
#[expect(clippy::cast_precision_loss, reason = "seconds of a few decades")]
fn decay(age_seconds: i64) -> f64 {
    (-(age_seconds.max(0) as f64) / HALF_LIFE_SECONDS).exp2()
}

impl Render for OwnersAnswer {
    fn render(&self, page: &mut Page) {
        let place = match self.path == RepoPath::ROOT {
            true => "the repository".to_owned(),
            false => self.path.to_string(),
        };
        let Some(first) = self.people.first() else {
            page.answer(format!("No commit that counts has changed {place}"));
            return;
        };
        let looked_at = match self.is_truncated {
            true => format!("the newest {}", counted(self.commits, "commit")),
            false => counted(self.commits, "commit"),
        };
        page.answer(format!(
            "{} knows most of {place}: {:.0} % of its changes; bus factor {}, {} in {looked_at}",
            first.name,
            first.share * 100.0,
            self.bus_factor,
            counted(self.paging.total, "author"),
        ));
        let cells = |row: &OwnerRow| {
            vec![
                PageCell::text(&row.name),
                PageCell::text(format!("{:.0} %", row.share * 100.0)),
                PageCell::text(counted(row.commits, "commit")),
                PageCell::text(counted(row.files, "file")),
                PageCell::faint(format!("last {}", row.elapsed)),
            ]
        };
        page.table(0, self.people.iter().map(cells).collect());
        self.paging.render_rest(page, self.people.len());
        if self.files > 1 && self.single_author_files > 0 {
            page.say_call(
                format!(
                    "{} of {} were only ever changed by one person; the busiest are listed by",
                    self.single_author_files,
                    counted(self.files, "file")
                ),
                NextCall::new("history.hotspots").with("path", self.path.to_string()),
            );
        }
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
