//! Files that probably belong to a change and are not part of it.
//!
//! There are two kinds of evidence: commits in which a file changed together with the changed ones, and names of the
//! changed lines that a file contains (`named_changes.rs`). `likelihood.rs` weighs both. A file that implements a changed
//! method too and has changed with it several times is named as well (`siblings.rs`). `cargo xtask omission` measures how
//! often a file that was left out of a real fix is among the first three.

mod likelihood;
mod named_changes;
mod siblings;

use std::collections::{BTreeMap, BTreeSet};

use base::{RepoPath, Result};
use history::cochange::CochangeHabit;
use syntax::tested_stem;

use super::{ReviewCheckResult, ReviewedChange};
use crate::answers::role::is_test_file;
use crate::diff::{ChangedFile, FileChangeKind, SymbolHow};
use engine::areas::files::file_node;
use engine::areas::history::{HistoryReader, elapsed_text};
use engine::rules::{RuleFinding, RuleSeverity};
use likelihood::Evidence;
use named_changes::{ChangedNames, RareName};
use siblings::{SiblingImplementation, sibling_implementations};

/// The code of the findings of this check.
pub(crate) const MAYBE_FORGOTTEN: &str = "MAYBE_FORGOTTEN";

/// Minimum number of common commits; one may be chance.
const MIN_SHARED_COMMITS: u64 = 2;

/// Minimum number of common commits of two files that implement the same method.
const MIN_SIBLING_COMMITS: u64 = 3;

/// Number of changed files above which this is not checked: neither co-change nor names are
/// evidence in such a large change.
const MAX_CHANGED_FILES: usize = 60;

/// How many files are reported.
const MAX_REPORTED: usize = 4;

/// How many names of a file are shown.
const MAX_NAMES_SHOWN: usize = 3;

/// A file that may belong to the change, with why.
#[derive(Default)]
struct Candidate {
    habit: Option<CochangeHabit>,
    names: Vec<RareName>,
    sibling: Option<SiblingImplementation>,
}

pub(super) fn check(change: &ReviewedChange<'_>) -> Result<ReviewCheckResult> {
    let mut found = ReviewCheckResult::default();
    let telling: Vec<&ChangedFile> =
        change.files.iter().filter(|file| !changes_only_comments(change, &file.path)).collect();
    if change.files.len() > MAX_CHANGED_FILES {
        let count = change.files.len();
        found.not_checked.push(format!("forgotten files ({count} changed files are too many)"));
        return Ok(found);
    }
    let mut candidates: BTreeMap<RepoPath, Candidate> = BTreeMap::new();
    let history = HistoryReader::open_if_ready(change.view)?;
    match &history {
        Some(history) => {
            add_habits(history, &telling, &mut candidates)?;
            found.checked.push("co-change");
        }
        None => found.not_checked.push("co-change (history is not read yet)".into()),
    }
    let names = ChangedNames::of(&telling);
    for (path, name) in names.find_files(change.view)? {
        candidates.entry(path).or_default().names.push(name);
    }
    found.checked.push("files that name what changed");
    for (path, sibling) in sibling_implementations(change)? {
        candidates.entry(path).or_default().sibling = Some(sibling);
    }
    let ranked = rank(change, &names, candidates);
    if let Some(more) = ranked.len().checked_sub(MAX_REPORTED).filter(|more| *more > 0) {
        found.notes.push(format!("{more} more files may belong to this change"));
    }
    for (path, candidate) in ranked.into_iter().take(MAX_REPORTED) {
        found.findings.push(finding(change, history.as_ref(), &path, &candidate)?);
    }
    Ok(found)
}

/// Whether only documentation of a file's symbols changed.
fn changes_only_comments(change: &ReviewedChange<'_>, path: &RepoPath) -> bool {
    let mut own = change.symbols.iter().filter(|symbol| &symbol.path == path).peekable();
    own.peek().is_some() && own.all(|symbol| symbol.kind == SymbolHow::Docs)
}

/// Adds what usually changes with the changed files.
fn add_habits(
    history: &HistoryReader<'_>,
    changed: &[&ChangedFile],
    candidates: &mut BTreeMap<RepoPath, Candidate>,
) -> Result<()> {
    let mut artifacts = BTreeSet::new();
    for file in changed.iter().filter(|file| file.kind != FileChangeKind::Added) {
        artifacts.extend(history.artifact_at(file.before_path())?.map(|artifact| artifact.id));
    }
    for habit in history.habits(&artifacts)? {
        if habit.count < MIN_SHARED_COMMITS {
            continue;
        }
        if let Some(path) = history.current_path(habit.artifact)? {
            candidates.entry(path).or_default().habit = Some(habit);
        }
    }
    Ok(())
}

/// The files that probably belong to the change, most likely first.
fn rank(
    change: &ReviewedChange<'_>,
    names: &ChangedNames,
    candidates: BTreeMap<RepoPath, Candidate>,
) -> Vec<(RepoPath, Candidate)> {
    let touched = change.paths();
    let stems: BTreeSet<String> = touched.iter().map(|path| tested_stem(path)).collect();
    let has_test = touched.iter().any(|path| is_test_file(path));
    let mut rated: Vec<(f64, RepoPath, Candidate)> = Vec::new();
    for (path, candidate) in candidates {
        let is_there = || change.view.tree().stat_if_reachable(&path).is_some();
        if touched.contains(&path) || !is_there() {
            continue;
        }
        let stem = tested_stem(&path);
        let evidence = Evidence {
            weight: candidate.habit.as_ref().map_or(0.0, |habit| habit.weight),
            confidence: candidate.habit.as_ref().map_or(0.0, CochangeHabit::confidence),
            shared_commits: candidate.habit.as_ref().map_or(0, |habit| habit.count),
            shares_stem: stems.contains(&stem),
            is_missing_test: is_test_file(&path) && !has_test,
            named_rarity: candidate.names.iter().map(|name| name.rarity).sum(),
            stem_is_named: names.contain_stem(&stem),
        };
        let likelihood = evidence.likelihood();
        let is_sibling =
            candidate.sibling.is_some() && evidence.shared_commits >= MIN_SIBLING_COMMITS;
        if likelihood >= likelihood::MIN_REPORTED || is_sibling {
            rated.push((likelihood, path, candidate));
        }
    }
    rated.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    rated.into_iter().map(|(_, path, candidate)| (path, candidate)).collect()
}

fn finding(
    change: &ReviewedChange<'_>,
    history: Option<&HistoryReader<'_>>,
    path: &RepoPath,
    candidate: &Candidate,
) -> Result<RuleFinding> {
    let mut reasons = Vec::new();
    let mut with = None;
    if let (Some(history), Some(habit)) = (history, &candidate.habit) {
        let closest = history.current_path(habit.closest)?;
        let last = history.time_ago(habit.last_commits_ago)?;
        reasons.push(format!(
            "changed with {} in {} of {} commits, last {}",
            closest.as_ref().map_or_else(|| "them".to_owned(), ToString::to_string),
            habit.count_with_closest,
            habit.commits_of_closest,
            elapsed_text(change.view.call().now, last)
        ));
        with = closest;
    }
    if let Some(SiblingImplementation { name, line, changed }) = &candidate.sibling {
        reasons.push(format!("implements the method of {changed} too, as {name} in line {line}"));
    }
    if !candidate.names.is_empty() {
        let mut names: Vec<&RareName> = candidate.names.iter().collect();
        names.sort_by(|a, b| b.rarity.total_cmp(&a.rarity));
        let shown: Vec<String> =
            names.iter().take(MAX_NAMES_SHOWN).map(|one| format!("`{}`", one.name)).collect();
        let more = match candidate.names.len() - shown.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        reasons.push(format!("names {}{more}", shown.join(", ")));
    }
    Ok(RuleFinding {
        severity: RuleSeverity::Warning,
        code: MAYBE_FORGOTTEN,
        path: with.or_else(|| change.files.first().map(|file| file.path.clone())),
        line: None,
        node: Some(file_node(path)),
        message: format!("{path} did not change; it {}", reasons.join("; it ")),
        fix: "check whether it should change too".into(),
    })
}
