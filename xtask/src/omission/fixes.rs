//! Fixes in a history, and predictions of their files by plain counting.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use base::RepoPath;
use syntax::{FileRole, Language};

use super::CommitsByFile;
use crate::run::{self, XtaskResult};

/// How many files a fix changes.
const FIX_SIZES: std::ops::RangeInclusive<usize> = 2..=8;

/// How many commits must come before the first fix that is used.
const MIN_PAST: usize = 100;

/// Larger commits do not show which files belong together.
const MAX_COMMIT_FILES: usize = 50;

/// The commits of a history that are not merges.
pub(super) struct FixHistory(Vec<FixCommit>);

/// A commit and the files that it changed.
pub(super) struct FixCommit {
    sha: String,
    subject: String,
    /// What happened to each file: a letter of git's, and its path
    changes: Vec<(char, String)>,
}

/// A fix of which one file is withheld.
pub(super) struct Fix {
    /// Its position in the history
    position: usize,
    pub(super) sha: String,
    pub(super) modified: Vec<String>,
    added: Vec<String>,
    pub(super) deleted: Vec<String>,
    /// The file that is left out
    pub(super) omitted: String,
}

impl Fix {
    /// All its files.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.modified.iter().chain(&self.added).chain(&self.deleted).map(String::as_str)
    }
}

impl FixCommit {
    /// The files that it touched.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.changes.iter().map(|(_, path)| path.as_str())
    }

    /// Whether it counts as evidence of which files belong together.
    pub(super) fn is_countable(&self) -> bool {
        self.changes.len() <= MAX_COMMIT_FILES
    }

    /// The commit as a fix, if it is one. Which file is left out depends only on the id of the
    /// commit.
    fn as_fix(&self, position: usize) -> Option<Fix> {
        let words = self.subject.to_lowercase();
        let mut words = words.split(|c: char| !c.is_alphanumeric());
        let is_fix = words.any(|word| ["fix", "fixes", "fixed", "bug"].contains(&word));
        let is_plain = self.changes.iter().all(|(how, _)| ['M', 'A', 'D'].contains(how));
        let has_code = self.paths().any(is_code);
        if !is_fix || !is_plain || !has_code || !FIX_SIZES.contains(&self.changes.len()) {
            return None;
        }
        let of = |kind: char| -> Vec<String> {
            let own = self.changes.iter().filter(|(how, _)| *how == kind);
            own.map(|(_, path)| path.clone()).collect()
        };
        let modified = of('M');
        let number = usize::from_str_radix(self.sha.get(..8)?, 16).ok()?;
        let omitted = modified.get(number.checked_rem(modified.len())?)?.clone();
        let (added, deleted) = (of('A'), of('D'));
        Some(Fix { position, sha: self.sha.clone(), modified, added, deleted, omitted })
    }
}

impl FixHistory {
    /// The commits that lead to HEAD, oldest first.
    pub(super) fn read(repo: &Path) -> XtaskResult<Self> {
        let args = [
            "-c",
            "core.quotePath=false",
            "log",
            "--reverse",
            "--topo-order",
            "--no-merges",
            "-M",
            "--name-status",
            "--format=%x01%H %s",
            "HEAD",
        ];
        let text = run::output(Command::new("git").arg("-C").arg(repo).args(args))?;
        Ok(Self(text.split('\u{1}').skip(1).filter_map(parse).collect()))
    }

    /// The last fixes, oldest first.
    pub(super) fn last_fixes(&self, most: usize) -> Vec<Fix> {
        let commits = self.0.iter().enumerate().skip(MIN_PAST);
        let fixes: Vec<Fix> = commits.filter_map(|(at, commit)| commit.as_fix(at)).collect();
        let skipped = fixes.len().saturating_sub(most);
        fixes.into_iter().skip(skipped).collect()
    }

    /// The commits before a fix.
    pub(super) fn before(&self, fix: &Fix) -> &[FixCommit] {
        &self.0[..fix.position]
    }
}

fn parse(record: &str) -> Option<FixCommit> {
    let mut lines = record.lines();
    let (sha, subject) = lines.next()?.split_once(' ')?;
    let change = |line: &str| {
        let mut fields = line.split('\t');
        let how = fields.next()?.chars().next()?;
        Some((how, fields.next_back()?.to_owned()))
    };
    Some(FixCommit {
        sha: sha.to_owned(),
        subject: subject.to_owned(),
        changes: lines.filter_map(change).collect(),
    })
}

/// Whether a file is code.
pub(super) fn is_code(path: &str) -> bool {
    parsed(path).and_then(|path| Language::from_path(&path)).is_some_and(Language::is_code)
}

/// Whether a file is a test in code.
pub(super) fn is_test(path: &str) -> bool {
    is_code(path) && parsed(path).is_some_and(|path| FileRole::of(&path) == FileRole::Test)
}

fn parsed(path: &str) -> Option<RepoPath> {
    RepoPath::from_bytes(path.as_bytes().to_vec()).ok()
}

/// The files that changed in the largest share of the commits of a shown file, best first.
pub(super) fn plain_cochange(
    past: &[FixCommit],
    shown: &[&str],
    there: &BTreeSet<String>,
) -> Vec<String> {
    let by_file = commits_by_file(past);
    let mut best: BTreeMap<&str, f64> = BTreeMap::new();
    for commits in shown.iter().filter_map(|path| by_file.get(path)) {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for path in commits.iter().flat_map(|at| past[*at].paths()) {
            *counts.entry(path).or_default() += 1;
        }
        for (path, count) in counts {
            let known = best.entry(path).or_default();
            *known = known.max(super::share(count, commits.len()));
        }
    }
    let mut ranked: Vec<(&str, f64)> = best
        .into_iter()
        .filter(|(path, _)| !shown.contains(path) && there.contains(*path))
        .collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    ranked.into_iter().map(|(path, _)| path.to_owned()).collect()
}

/// The files of the folders of the shown ones, those with most commits first.
pub(super) fn same_folder(
    past: &[FixCommit],
    shown: &[&str],
    there: &BTreeSet<String>,
) -> Vec<String> {
    let by_file = commits_by_file(past);
    let folder =
        |path: &str| path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
    let folders: BTreeSet<String> = shown.iter().map(|path| folder(path)).collect();
    let mut near: Vec<&String> = there
        .iter()
        .filter(|path| folders.contains(&folder(path)) && !shown.contains(&path.as_str()))
        .collect();
    near.sort_by_key(|path| Reverse(by_file.get(path.as_str()).map_or(0, Vec::len)));
    near.into_iter().cloned().collect()
}

fn commits_by_file(past: &[FixCommit]) -> CommitsByFile<'_> {
    let mut by_file: CommitsByFile<'_> = BTreeMap::new();
    for (at, commit) in past.iter().enumerate().filter(|(_, commit)| commit.is_countable()) {
        commit.paths().for_each(|path| by_file.entry(path).or_default().push(at));
    }
    by_file
}
