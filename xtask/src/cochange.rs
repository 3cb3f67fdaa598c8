//! How well co-change is predicted, compared with plain counting.
//!
//! Train on the past, test on the last thousand commits of two to ten files: from each of their
//! files in turn, is one of the first three predictions another file of the commit? The past is a
//! sequence of commits as the history has it, and predictions are made as `history cochange` makes
//! them.

#![expect(clippy::disallowed_methods, reason = "an evaluation reads repositories with git")]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::path::Path;
use std::process::Command;

use base::RepoPath;
use history::checkout::{self, ArtifactId, CheckedOutPaths, CheckoutHistoryWriter};
use history::cochange::{CochangeEvidence, FileArtifact, gather, rank};
use history::commit_store::CommitRowId;
use history::{
    CommitAndParents, CommitChangeKind, CommitFileChange, CommitSignature, HistoryCommit,
    sha_from_hex, topological_order,
};
use store::Connection;

use crate::run::{self, XtaskResult};

/// How many commits are predicted.
const TEST_COMMITS: usize = 1000;

/// How many files the predicted commits touch.
const TEST_COMMIT_SIZES: std::ops::RangeInclusive<usize> = 2..=10;

/// Larger commits are not used for training; the default of `history.max_commit_files`.
const MAX_TRAINING_FILES: u32 = 50;

/// How many predictions count.
const TOP_PREDICTIONS: usize = 3;

/// The numbers of right predictions, for the columns of the table.
#[derive(Debug, Default)]
struct CochangeScore {
    asked: usize,
    plain: usize,
    /// Plain counting without files that no longer exist
    counted_alive: usize,
    ours: usize,
}

/// Prints two table rows for each repository: all files, and those that some commit has touched
/// before.
pub(crate) fn run(repos: &[&str]) -> XtaskResult<()> {
    run::print(
        "| repository | files | predictions | plain confidence | of files still there | \
         `history cochange` | gained |\n|---|---|---|---|---|---|---|\n",
    );
    for repo in repos {
        let commits = read_commits(Path::new(repo))?;
        let (all, known) = evaluate(&commits).map_err(|problem| problem.to_string())?;
        let name = Path::new(repo).file_name().unwrap_or_default().to_string_lossy();
        for (files, score) in [("all", all), ("with a past", known)] {
            let share = |hits| share(hits, score.asked);
            let (plain, living, ours) =
                (share(score.plain), share(score.counted_alive), share(score.ours));
            run::print(&format!(
                "| {name} | {files} | {} | {plain:.3} | {living:.3} | {ours:.3} | {:+.1} points |\n",
                score.asked,
                100.0 * (ours - plain)
            ));
        }
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "there are a few thousand predictions")]
fn share(hits: usize, asked: usize) -> f64 {
    hits as f64 / asked.max(1) as f64
}

/// All commits in the order of the history. Merges are included and touch no files.
fn read_commits(repo: &Path) -> XtaskResult<Vec<HistoryCommit>> {
    let args = ["log", "--raw", "-M", "-z", "--no-abbrev", "--format=%x01%H %P", "HEAD"];
    let output = Command::new("git").arg("-C").arg(repo).args(args).output();
    let output = output.map_err(|error| error.to_string())?.stdout;
    let commits = output.split(|byte| *byte == 1).skip(1).filter_map(parse_commit);
    let mut commits: HashMap<Vec<u8>, HistoryCommit> =
        commits.map(|commit| (commit.sha.clone(), commit)).collect();
    let link = |commit: &HistoryCommit| CommitAndParents {
        sha: commit.sha.clone(),
        parents: commit.parents.clone(),
    };
    let order = topological_order(commits.values().map(link).collect());
    Ok(order.into_iter().filter_map(|link| commits.remove(&link.sha)).collect())
}

fn parse_commit(record: &[u8]) -> Option<HistoryCommit> {
    let mut fields = record.split(|byte| *byte == 0);
    let names = String::from_utf8_lossy(fields.next()?).trim().to_owned();
    let mut names = names.split(' ').map(sha_from_hex);
    let nobody = || CommitSignature { name: String::new(), email: String::new(), time: 0 };
    let mut changes = Vec::new();
    while let Some(field) = fields.next() {
        let field = field.strip_prefix(b"\n").unwrap_or(field);
        let Some(words) = field.strip_prefix(b":") else { continue };
        let status = words.rsplit(|byte| *byte == b' ').next()?;
        let first = fields.next()?.to_vec();
        let (how, path, old) = match status.first()? {
            b'R' => (CommitChangeKind::Renamed, fields.next()?.to_vec(), Some(first)),
            b'A' => (CommitChangeKind::Added, first, None),
            b'D' => (CommitChangeKind::Deleted, first, None),
            _ => (CommitChangeKind::Modified, first, None),
        };
        changes.push(CommitFileChange { kind: how, path, old_path: old, oid: None });
    }
    Some(HistoryCommit {
        sha: names.next()?,
        parents: names.filter(|name| !name.is_empty()).collect(),
        author: nobody(),
        committer: nobody(),
        message: String::new(),
        changes,
        is_shallow_edge: false,
        renames_unknown: false,
    })
}

/// Whether the default of `history.exclude` leaves out a path.
fn is_excluded(path: &RepoPath) -> bool {
    let below = |folder: &[u8]| path.as_bytes().starts_with(folder);
    path.as_bytes().ends_with(b".lock") || below(b"dist/") || below(b"node_modules/")
}

fn visible(commit: &HistoryCommit) -> impl Iterator<Item = (RepoPath, &CommitFileChange)> {
    let named = |change: &CommitFileChange| RepoPath::from_bytes(change.path.clone()).ok();
    let pairs = commit.changes.iter().filter_map(move |change| Some((named(change)?, change)));
    pairs.filter(|(path, _)| !is_excluded(path))
}

fn evaluate(commits: &[HistoryCommit]) -> base::Result<(CochangeScore, CochangeScore)> {
    let is_tested = |at: &usize| TEST_COMMIT_SIZES.contains(&visible(&commits[*at]).count());
    let tested: Vec<usize> = (0..commits.len()).filter(is_tested).collect();
    let conn = Connection::open_in_memory().map_err(store::sqlite_problem("evaluate"))?;
    conn.execute_batch(checkout::SCHEMA).map_err(store::sqlite_problem("evaluate"))?;
    let (mut all, mut known) = (CochangeScore::default(), CochangeScore::default());
    let mut next = 0;
    for at in tested.iter().skip(tested.len().saturating_sub(TEST_COMMITS)).copied() {
        add_commits(&conn, commits, next..at)?;
        let live = checkout::checked_out_files(&conn)?;
        let guesses: Vec<CochangePrediction> = visible(&commits[at])
            .map(|(path, change)| CochangePrediction::of(&conn, &live, path, change))
            .collect::<base::Result<_>>()?;
        add_commits(&conn, commits, at..at + 1)?;
        next = at + 1;
        let pos = checkout::count(&conn)? - 1;
        let touched: BTreeSet<ArtifactId> = checkout::touches_at_position(&conn, pos)?
            .into_iter()
            .map(|(artifact, _)| artifact)
            .collect();
        for guess in guesses {
            guess.count(&touched, &mut all);
            if guess.is_known {
                guess.count(&touched, &mut known);
            }
        }
    }
    Ok((all, known))
}

/// Adds commits to the history.
fn add_commits(
    conn: &Connection,
    commits: &[HistoryCommit],
    some: Range<usize>,
) -> base::Result<()> {
    if some.is_empty() {
        return Ok(());
    }
    let transaction = conn.unchecked_transaction().map_err(store::sqlite_problem("evaluate"))?;
    let mut writer = CheckoutHistoryWriter::truncated_to(
        &transaction,
        checkout::count(&transaction)?,
        &is_excluded,
    )?;
    for at in some {
        let row = i64::try_from(at).expect("there are fewer commits") + 1;
        writer.add(CommitRowId(row), &commits[at])?;
    }
    writer.finish(&CheckedOutPaths::LinearAppend)?;
    transaction.commit().map_err(store::sqlite_problem("evaluate"))
}

/// The predictions for one file, made before its commit.
struct CochangePrediction {
    is_known: bool,
    plain: Vec<ArtifactId>,
    counted_alive: Vec<ArtifactId>,
    ours: Vec<ArtifactId>,
}

impl CochangePrediction {
    fn of(
        conn: &Connection,
        live: &[(RepoPath, ArtifactId)],
        path: RepoPath,
        change: &CommitFileChange,
    ) -> base::Result<Self> {
        let before =
            change.old_path.as_ref().and_then(|old| RepoPath::from_bytes(old.clone()).ok());
        let path = before.unwrap_or(path);
        let place = checkout::path_state_at(conn, &path)?.filter(|place| place.exists_after_replay);
        let artifact = place.map_or(ArtifactId::NONE, |place| place.artifact);
        let found = gather(conn, &[FileArtifact { path, artifact }], MAX_TRAINING_FILES)?;
        let alive: BTreeSet<ArtifactId> = live.iter().map(|(_, artifact)| *artifact).collect();
        let ranked = rank(&[artifact].into(), &found.evidence).into_iter().map(|one| one.artifact);
        let counted = rank_by_count(artifact, &found.evidence);
        let is_alive = |artifact: &ArtifactId| alive.contains(artifact);
        Ok(Self {
            is_known: found.commits > 0,
            plain: counted.iter().copied().take(TOP_PREDICTIONS).collect(),
            counted_alive: counted.iter().copied().filter(is_alive).take(TOP_PREDICTIONS).collect(),
            ours: ranked.filter(is_alive).take(TOP_PREDICTIONS).collect(),
        })
    }

    fn count(&self, touched: &BTreeSet<ArtifactId>, score: &mut CochangeScore) {
        let hit = |list: &[ArtifactId]| usize::from(list.iter().any(|one| touched.contains(one)));
        score.asked += 1;
        score.plain += hit(&self.plain);
        score.counted_alive += hit(&self.counted_alive);
        score.ours += hit(&self.ours);
    }
}

/// The files most often changed with one, and nothing else.
fn rank_by_count(file: ArtifactId, evidence: &CochangeEvidence) -> Vec<ArtifactId> {
    let mut counts: BTreeMap<ArtifactId, usize> = BTreeMap::new();
    for other in evidence.own.iter().flat_map(|seen| &seen.touched).filter(|one| **one != file) {
        *counts.entry(*other).or_default() += 1;
    }
    let mut found: Vec<(ArtifactId, usize)> = counts.into_iter().collect();
    found.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    found.into_iter().map(|(file, _)| file).collect()
}
