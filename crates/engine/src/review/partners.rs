//! What usually changes with these files, and did not.

use std::collections::BTreeMap;

use base::{RepoPath, Result};

use super::{Change, Found};
use crate::diff::How;
use crate::layers::files::node;
use crate::layers::history::{Book, ago};
use crate::rules::{Finding, Severity};

/// Fewer common commits may be chance.
const OFTEN: u64 = 3;

/// A partner changes in at least this share of the file's commits, in percent.
const SHARE: u64 = 40;

/// A change of more files than this is no everyday change: habits say nothing about it.
const MOST_FILES: usize = 60;

/// How many are worth saying.
const TOLD: usize = 6;

struct Habit {
    with: RepoPath,
    count: u64,
    own: u64,
    last: Option<i64>,
}

pub(super) fn look(change: &Change<'_>) -> Result<Found> {
    let mut found = Found::default();
    if change.files.len() > MOST_FILES {
        found.notes.push(format!(
            "{} files: what usually changes together says nothing of so many",
            change.files.len()
        ));
        return Ok(found);
    }
    let Some(book) = Book::soon(change.view)? else {
        found.not_checked.push("co-change (history is not read yet)".into());
        return Ok(found);
    };
    let touched = change.paths();
    let mut habits: BTreeMap<RepoPath, Habit> = BTreeMap::new();
    for file in change.files.iter().filter(|file| file.how != How::Added) {
        let Some(artifact) = book.at(file.before_path())? else { continue };
        let own = book.weight(artifact.id)?;
        for one in book.often_with(artifact.id, (OFTEN, usize::MAX))? {
            let (count, path) = (one.partner.count, one.path);
            let is_habit = count * 100 >= own * SHARE;
            let is_there = || change.view.tree().stat_if_there(&path).is_some();
            if !is_habit || touched.contains(&path) || !is_there() {
                continue;
            }
            let habit = Habit { with: file.path.clone(), count, own, last: one.partner.last };
            let known = habits
                .get(&path)
                .is_some_and(|known| known.count * own.max(1) >= count * known.own.max(1));
            if !known {
                habits.insert(path, habit);
            }
        }
    }
    let mut habits: Vec<(RepoPath, Habit)> = habits.into_iter().collect();
    habits.sort_by_key(|(path, habit)| {
        (
            std::cmp::Reverse((habit.count * 100).checked_div(habit.own).unwrap_or(0)),
            std::cmp::Reverse(habit.count),
            path.clone(),
        )
    });
    found.checked.push("co-change");
    if let Some(more) = habits.len().checked_sub(TOLD).filter(|more| *more > 0) {
        found.notes.push(format!("{more} more files usually change with these"));
    }
    for (path, habit) in habits.into_iter().take(TOLD) {
        let last = habit.last.map(|last| book.time_ago(last)).transpose()?;
        let last = last.map(|last| format!(", last {}", ago(change.view.call().now, last)));
        found.findings.push(Finding {
            severity: Severity::Warning,
            code: "COCHANGE_MISSING",
            path: Some(habit.with.clone()),
            line: None,
            node: Some(node(&path)),
            message: format!(
                "{path} did not change; it changed with {} in {} of {} commits{}",
                habit.with,
                habit.count,
                habit.own,
                last.unwrap_or_default()
            ),
            fix: "look whether it should".into(),
        });
    }
    Ok(found)
}
