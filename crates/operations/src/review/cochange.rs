//! Files that usually change together with the changed ones but did not.

use std::collections::BTreeMap;

use base::{RepoPath, Result};

use super::{ReviewCheckResult, ReviewedChange};
use crate::diff::{ChangedFile, FileChangeKind, SymbolHow};
use engine::areas::files::file_node;
use engine::areas::history::{HistoryReader, elapsed_text};
use engine::rules::{RuleFinding, RuleSeverity};

/// The code of the findings of this check.
pub(crate) const COCHANGE_MISSING: &str = "COCHANGE_MISSING";

/// Minimum number of common commits; fewer may be chance.
const MIN_SHARED_COMMITS: u64 = 4;

/// Age above which the last common commit says nothing about today, in seconds: two years.
const MAX_AGE_SECONDS: i64 = 2 * 365 * 24 * 60 * 60;

/// Minimum share of the file's commits in which a partner changes too, in percent.
const MIN_SHARE_PERCENT: u64 = 40;

/// Number of changed files above which co-change is not checked: habits say nothing about such a
/// change.
const MAX_CHANGED_FILES: usize = 60;

/// How many partners are reported.
const MAX_PARTNERS: usize = 6;

struct CochangePartner {
    with: RepoPath,
    count: u64,
    own_commits: u64,
    last: Option<i64>,
}

/// Whether only documentation of a file's symbols changed.
fn changes_only_comments(change: &ReviewedChange<'_>, path: &RepoPath) -> bool {
    let mut own = change.symbols.iter().filter(|symbol| &symbol.path == path).peekable();
    own.peek().is_some() && own.all(|symbol| symbol.kind == SymbolHow::Docs)
}

pub(super) fn check(change: &ReviewedChange<'_>) -> Result<ReviewCheckResult> {
    let mut found = ReviewCheckResult::default();
    if change.files.len() > MAX_CHANGED_FILES {
        found.notes.push(format!("co-change ({} files are too many)", change.files.len()));
        return Ok(found);
    }
    let Some(history) = HistoryReader::open_if_ready(change.view)? else {
        found.not_checked.push("co-change (history is not read yet)".into());
        return Ok(found);
    };
    let touched = change.paths();
    let mut habits: BTreeMap<RepoPath, CochangePartner> = BTreeMap::new();
    let can_say = |file: &&ChangedFile| {
        file.kind != FileChangeKind::Added && !changes_only_comments(change, &file.path)
    };
    let now = change.view.call().now.as_second();
    for file in change.files.iter().filter(can_say) {
        let Some(artifact) = history.artifact_at(file.before_path())? else { continue };
        let own = history.counted_commits_of(change.view, artifact.id)?;
        for one in history.frequent_partners(artifact.id, MIN_SHARED_COMMITS, usize::MAX)? {
            let (count, path) = (one.partner.count, one.path);
            let is_habit = count * 100 >= own * MIN_SHARE_PERCENT;
            let is_there = || change.view.tree().stat_if_reachable(&path).is_some();
            if !is_habit || touched.contains(&path) || !is_there() {
                continue;
            }
            let last = one.partner.last_commits_ago.map(|ago| history.time_ago(ago)).transpose()?;
            if last.is_some_and(|last| now - last > MAX_AGE_SECONDS) {
                continue;
            }
            let habit = CochangePartner {
                with: file.path.clone(),
                count,
                own_commits: own,
                last: one.partner.last_commits_ago,
            };
            let known = habits
                .get(&path)
                .is_some_and(|known| known.count * own.max(1) >= count * known.own_commits.max(1));
            if !known {
                habits.insert(path, habit);
            }
        }
    }
    let mut habits: Vec<(RepoPath, CochangePartner)> = habits.into_iter().collect();
    habits.sort_by_key(|(path, habit)| {
        (
            std::cmp::Reverse((habit.count * 100).checked_div(habit.own_commits).unwrap_or(0)),
            std::cmp::Reverse(habit.count),
            path.clone(),
        )
    });
    found.checked.push("co-change");
    if let Some(more) = habits.len().checked_sub(MAX_PARTNERS).filter(|more| *more > 0) {
        found.notes.push(format!("{more} more files usually change with these"));
    }
    for (path, habit) in habits.into_iter().take(MAX_PARTNERS) {
        let last = habit.last.map(|last| history.time_ago(last)).transpose()?;
        let last =
            last.map(|last| format!(", last {}", elapsed_text(change.view.call().now, last)));
        found.findings.push(RuleFinding {
            severity: RuleSeverity::Warning,
            code: COCHANGE_MISSING,
            path: Some(habit.with.clone()),
            line: None,
            node: Some(file_node(&path)),
            message: format!(
                "{path} did not change; it changed with {} in {} of {} commits{}",
                habit.with,
                habit.count,
                habit.own_commits,
                last.unwrap_or_default()
            ),
            fix: "check whether it should change too".into(),
        });
    }
    Ok(found)
}
