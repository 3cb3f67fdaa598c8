//! Finds changes for `undo` and `redo`: changes to the files of this worktree and to the stores that
//! it sees, by number or as the last change of the caller.
//!
//! A change that undoes another names it (`undoes`). A change is in effect unless a change in effect
//! undoes it, so an undo that was itself undone does not count.

use std::collections::BTreeMap;

use base::{Call, NextCall, Problem, ProblemCode, Result};
use serde_json::{Value, json};
use tree::{ChangeId, Journal, JournalEntry};

use crate::data_folders::DataFolders;
use crate::durable::DurableStore;
use crate::durable::owner::StoreOwner;
use crate::durable::tables::{self, ChangeRecord};
use crate::view::View;

/// The name of the files of this worktree, used like the name of a store.
const FILES: &str = "files";

/// A change that was made.
#[derive(Debug)]
pub enum RecordedChange {
    /// To files of this worktree
    Files(JournalEntry),
    /// To a store
    Store(DurableStore, ChangeRecord),
}

/// What `undo` and `redo` look for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndoTarget {
    /// A change that undoes no other
    Change,
    /// An undo
    Undo,
}

impl RecordedChange {
    /// Its name for `undo`: its number; for a change that its store numbered itself, with the name
    /// of the store.
    pub fn name(&self) -> String {
        match self {
            Self::Files(entry) => entry.id.to_string(),
            Self::Store(_, made) if made.session.is_some() => made.id.to_string(),
            Self::Store(durable, made) => format!("{}:{}", durable.name, made.id),
        }
    }

    /// What it did, in a few words.
    pub fn summary(&self) -> &str {
        match self {
            Self::Files(entry) => &entry.summary,
            Self::Store(_, made) => &made.summary,
        }
    }

    /// Who made it.
    pub fn actor(&self) -> &str {
        match self {
            Self::Files(entry) => &entry.actor,
            Self::Store(_, made) => &made.actor,
        }
    }

    fn session(&self) -> Option<&str> {
        match self {
            Self::Files(entry) => entry.session.as_deref(),
            Self::Store(_, made) => made.session.as_deref(),
        }
    }

    /// Whether the caller made it, in the same session where the session is recorded.
    pub fn is_made_by(&self, call: &Call) -> bool {
        let in_session = self.session().is_none_or(|session| session == call.session);
        self.actor() == call.actor && in_session
    }

    /// The sort key of changes: their number. Changes that older versions numbered per store come
    /// before all others, by time.
    fn sort_key(&self) -> (Option<u64>, String) {
        let (number, at) = match self {
            Self::Files(entry) => (entry.id.0, entry.at.to_string()),
            Self::Store(_, made) => (made.id.0, made.at.clone()),
        };
        (self.session().map(|_| number), at)
    }
}

/// Which changes of one journal or store are undone.
#[derive(Debug, Default)]
struct UndoneChanges {
    /// The change that each undo and redo undoes
    undoes: BTreeMap<ChangeId, ChangeId>,
    /// For each change that is not in effect, the change that undid it
    by: BTreeMap<ChangeId, ChangeId>,
}

impl UndoneChanges {
    /// Built from every change that undoes another, newest first.
    fn of(undos: impl Iterator<Item = (ChangeId, ChangeId)>) -> Self {
        let mut found = Self::default();
        for (id, undoes) in undos {
            found.undoes.insert(id, undoes);
            // A change that undoes this one is newer, so it was already looked at.
            if !found.by.contains_key(&id) {
                found.by.entry(undoes).or_insert(id);
            }
        }
        found
    }

    fn in_journal(entries: &[JournalEntry]) -> Self {
        Self::of(entries.iter().filter_map(|entry| Some((entry.id, entry.undoes?))))
    }

    fn in_store(conn: &store::Connection) -> Result<Self> {
        Ok(Self::of(tables::undos(conn)?.into_iter()))
    }

    /// Whether a change is in effect, and of the kind that is wanted. Undoing an undo is a redo, and
    /// undoing a redo is an undo again.
    fn matches(&self, id: ChangeId, sought: UndoTarget) -> bool {
        let chain = std::iter::successors(self.undoes.get(&id), |id| self.undoes.get(id));
        let is_right = match (sought, chain.count()) {
            (UndoTarget::Change, depth) => depth == 0,
            (UndoTarget::Undo, depth) => depth % 2 == 1,
        };
        is_right && !self.by.contains_key(&id)
    }
}

/// Notes the revision of every store before changes are read from the stores' files. A change that
/// is made after this makes the plan outdated.
fn note_revisions(view: &View) -> Result<()> {
    view.durables().iter().try_for_each(|durable| view.store_revision(durable.name).map(drop))
}

/// The newest change in effect that the caller made.
pub fn last_by_caller(view: &View, sought: UndoTarget) -> Result<RecordedChange> {
    view.catch_up_with_team()?;
    note_revisions(view)?;
    if let Some(found) = newest(view, sought, |change| change.is_made_by(view.call()))? {
        return Ok(found);
    }
    let what = match sought {
        UndoTarget::Change => "no change of yours is left to undo here",
        UndoTarget::Undo => "no undo of yours is left to redo here",
    };
    let problem = Problem::not_found(what);
    Err(match newest(view, sought, |_| true)? {
        None if sought == UndoTarget::Undo => problem.hint("nothing was undone here"),
        None => problem.hint("there is no change to undo here"),
        Some(last) => {
            let (name, summary, actor) = (last.name(), last.summary(), last.actor());
            let whose = match actor == view.call().actor {
                true => "by you in another session".to_owned(),
                false => format!("by {actor}"),
            };
            let last = format!("the last one is {name} ({summary}), {whose}; to undo it:");
            problem.detail("last_change", name.clone()).hint_call(&last, undo_call(&name))
        }
    })
}

/// The newest change in effect that is wanted, of the files and of every store of this view.
fn newest(
    view: &View,
    sought: UndoTarget,
    is_wanted: impl Fn(&RecordedChange) -> bool,
) -> Result<Option<RecordedChange>> {
    let entries = view.journal().entries();
    let taken_back = UndoneChanges::in_journal(&entries);
    let entries = entries.into_iter().filter(|entry| taken_back.matches(entry.id, sought));
    let mut found: Vec<RecordedChange> =
        entries.map(RecordedChange::Files).find(&is_wanted).into_iter().collect();
    for durable in view.durables() {
        let Some(reading) = durable.open_reader(&view.store_locations()?.read_path(&durable))?
        else {
            continue;
        };
        let taken_back = UndoneChanges::in_store(&reading.conn)?;
        let made = tables::newest(&reading.conn, |made| {
            taken_back.matches(made.id, sought)
                && is_wanted(&RecordedChange::Store(durable, made.clone()))
        })?;
        found.extend(made.map(|made| RecordedChange::Store(durable, made)));
    }
    Ok(found.into_iter().max_by_key(RecordedChange::sort_key))
}

/// The newest change of the files and of every store of this view, whether it is in effect or not.
fn newest_of_any_kind(view: &View) -> Result<Option<RecordedChange>> {
    let mut found: Vec<RecordedChange> =
        view.journal().entries().into_iter().map(RecordedChange::Files).collect();
    for durable in view.durables() {
        let path = view.store_locations()?.read_path(&durable);
        let Some(reading) = durable.open_reader(&path)? else { continue };
        let made = tables::newest(&reading.conn, |_| true)?;
        found.extend(made.map(|made| RecordedChange::Store(durable, made)));
    }
    Ok(found.into_iter().max_by_key(RecordedChange::sort_key))
}

/// The change of this name, if it is in effect: `12`; for changes that older versions made also
/// `kb:2`, and `kb:2@main` where branches counted differently.
pub fn find_by_name(view: &View, name: &str) -> Result<RecordedChange> {
    view.catch_up_with_team()?;
    note_revisions(view)?;
    let unknown = || Problem::not_found(format!("no change {name}"));
    let found = match name.split_once(':') {
        None => find_by_number(view, name.parse().map_err(|_| unknown())?)?,
        Some((FILES, number)) => {
            let id = ChangeId(number.parse().map_err(|_| unknown())?);
            RecordedChange::Files(view.journal().entry(id)?)
        }
        Some((store, rest)) => {
            let durable = view.durables().into_iter().find(|durable| durable.name == store);
            let durable = durable.ok_or_else(unknown)?;
            let (number, branch) = match rest.split_once('@') {
                Some((number, branch)) => (number, Some(branch)),
                None => (rest, None),
            };
            let number = number.parse().map_err(|_| unknown())?;
            RecordedChange::Store(durable, find_in_store(view, &durable, number, branch)?)
        }
    };
    check_in_effect(view, &found)?;
    Ok(found)
}

/// The change with this number, of the shared counter or of this worktree's files.
fn find_by_number(view: &View, number: u64) -> Result<RecordedChange> {
    let mut found: Vec<RecordedChange> =
        view.journal().entry(ChangeId(number)).map(RecordedChange::Files).into_iter().collect();
    for durable in view.durables() {
        let made = change_record(&durable, &view.store_locations()?.read_path(&durable), number)?;
        let made = made.filter(|made| made.session.is_some());
        found.extend(made.map(|made| RecordedChange::Store(durable, made)));
    }
    refuse_number_of_two_branches(view, &found, number)?;
    match found.len() {
        0 => Err(not_found_here(view, number)?),
        1 => Ok(found.remove(0)),
        // The number was given twice, as by a backup from another repository.
        _ => {
            let handle = |change: &RecordedChange| match change {
                RecordedChange::Files(entry) => format!("{FILES}:{}", entry.id),
                RecordedChange::Store(durable, made) => format!("{}:{}", durable.name, made.id),
            };
            let candidates = found.iter().map(|change| (handle(change), change.summary()));
            Err(ambiguous(&number.to_string(), &candidates.collect::<Vec<_>>()))
        }
    }
}

/// Refuses a number that another machine gave to a change of this branch, if another branch here has a change of the
/// same number: it may have been printed there.
fn refuse_number_of_two_branches(view: &View, found: &[RecordedChange], number: u64) -> Result<()> {
    let place = view.store_locations()?;
    for change in found {
        let RecordedChange::Store(durable, made) = change else { continue };
        if !durable.is_per_branch() {
            continue;
        }
        for kept in place.branches_with_store(durable)? {
            let other = change_record(durable, &kept.file(durable), number)?;
            let other = other.filter(|other| other.session.is_some() && other != made);
            if let Some(other) = other {
                let name = format!("{}:{number}", durable.name);
                let here = place.read_branch(durable).unwrap_or_default();
                let rows = [
                    (format!("{name}@{here}"), made.summary.as_str()),
                    (format!("{name}@{}", kept.owner.display_name()), other.summary.as_str()),
                ];
                return Err(ambiguous(&number.to_string(), &rows));
            }
        }
    }
    Ok(())
}

/// The change with this number in a store. Older versions numbered the changes of each branch
/// separately, so a number may mean another change on another branch; then the caller must name
/// the branch.
fn find_in_store(
    view: &View,
    durable: &DurableStore,
    number: u64,
    branch: Option<&str>,
) -> Result<ChangeRecord> {
    let place = view.store_locations()?;
    let here = place.read_branch(durable);
    let name = format!("{}:{number}", durable.name);
    if branch.is_some() && branch != here.as_deref() {
        let branch = branch.unwrap_or_default();
        return Err(Problem::not_found(format!("{name}@{branch} is of another branch"))
            .hint(format!("check out {branch} to undo it")));
    }
    let made = change_record(durable, &place.read_path(durable), number)?;
    let counted_apart = made.as_ref().is_none_or(|made| made.session.is_none());
    if counted_apart && branch.is_none() && durable.is_per_branch() {
        let mut others = Vec::new();
        for kept in place.branches_with_store(durable)? {
            let other = change_record(durable, &kept.file(durable), number)?;
            let differs =
                |other: &ChangeRecord| other.session.is_none() && Some(other) != made.as_ref();
            others.extend(other.filter(differs).map(|other| (kept, other)));
        }
        match (&made, others.first()) {
            (_, None) => {}
            (None, Some((kept, other))) => {
                let place = format!("on branch {}", kept.owner.display_name());
                return Err(made_elsewhere(&name, &other.summary, &place));
            }
            (Some(made), Some(_)) => {
                let mut rows =
                    vec![(format!("{name}@{}", here.unwrap_or_default()), made.summary.as_str())];
                rows.extend(others.iter().map(|(kept, other)| {
                    (format!("{name}@{}", kept.owner.display_name()), other.summary.as_str())
                }));
                return Err(ambiguous(&name, &rows));
            }
        }
    }
    made.ok_or_else(|| Problem::not_found(format!("no change {name}")))
}

/// One row of a store's record of changes.
fn change_record(
    durable: &DurableStore,
    file: &std::path::Path,
    number: u64,
) -> Result<Option<ChangeRecord>> {
    // SQLite has no larger numbers.
    let Some(id) = i64::try_from(number).ok().map(|_| ChangeId(number)) else { return Ok(None) };
    let reading = durable.open_reader(file)?;
    reading.map_or(Ok(None), |reading| tables::change_record(&reading.conn, id))
}

fn ambiguous(name: &str, candidates: &[(String, &str)]) -> Problem {
    let rows: Vec<Value> = candidates
        .iter()
        .map(|(handle, summary)| json!({"change": handle, "summary": summary}))
        .collect();
    Problem::new(ProblemCode::Ambiguous, format!("{} changes are called {name}", rows.len()))
        .detail("candidates", rows)
        .hint("name one of them as written here")
}

/// Where a change was made that this worktree does not have.
fn not_found_here(view: &View, number: u64) -> Result<Problem> {
    let place = view.store_locations()?;
    for durable in view.durables().into_iter().filter(DurableStore::is_per_branch) {
        for kept in place.branches_with_store(&durable)? {
            let made = change_record(&durable, &kept.file(&durable), number)?;
            if let Some(made) = made.filter(|made| made.session.is_some()) {
                let place = match &kept.owner {
                    StoreOwner::Branch(name) => format!("on branch {name}"),
                    StoreOwner::Commit(commit) => format!("at commit {commit}"),
                };
                return Ok(made_elsewhere(&number.to_string(), &made.summary, &place));
            }
        }
    }
    let worktrees = view.git().map(|git| git.layout().worktrees()).transpose()?;
    for layout in worktrees.into_iter().flatten() {
        let journal = Journal::new(DataFolders::of(&layout.root, Some(&layout)).journal());
        if let Ok(entry) = journal.entry(ChangeId(number)) {
            let folder = layout.root.file_name().unwrap_or_default().to_string_lossy();
            let place = format!("in worktree {folder}");
            return Ok(made_elsewhere(&number.to_string(), &entry.summary, &place));
        }
    }
    let problem = Problem::not_found(format!("no change {number}"));
    Ok(match newest_of_any_kind(view)? {
        Some(last) => {
            problem.hint(format!("the last change here is {} ({})", last.name(), last.summary()))
        }
        None => problem.hint("nothing has been changed here yet"),
    })
}

fn made_elsewhere(name: &str, summary: &str, place: &str) -> Problem {
    Problem::not_found(format!("change {name} ({summary}) was made {place}, not here"))
        .hint(format!("run the same command {place}"))
}

/// Refuses a change that was already undone.
fn check_in_effect(view: &View, change: &RecordedChange) -> Result<()> {
    let (id, taken_back) = match change {
        RecordedChange::Files(entry) => {
            (entry.id, UndoneChanges::in_journal(&view.journal().entries()))
        }
        RecordedChange::Store(durable, made) => {
            let reading = durable.open_reader(&view.store_locations()?.read_path(durable))?;
            let conn = reading.as_ref().map(|reading| &*reading.conn);
            let taken_back = conn.map(UndoneChanges::in_store).transpose()?.unwrap_or_default();
            (made.id, taken_back)
        }
    };
    let Some(by) = taken_back.by.get(&id) else { return Ok(()) };
    let message = format!("change {} is already undone by change {by}", change.name());
    Err(Problem::new(ProblemCode::InvalidOperation, message)
        .detail("taken_back_by", by.0)
        .hint_call("to redo it:", undo_call(&by.to_string())))
}

/// The call that undoes a change.
pub fn undo_call(change: &str) -> NextCall {
    NextCall::new("undo").with("change", change)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn undone(pairs: &[(u64, u64)]) -> UndoneChanges {
        UndoneChanges::of(pairs.iter().map(|(id, undoes)| (ChangeId(*id), ChangeId(*undoes))))
    }

    #[test]
    fn an_undo_that_was_taken_back_counts_for_nothing() {
        // 1 to 3 are changes; 4 undoes 3, 5 undoes 2, 6 redoes 5, 7 undoes 2 again.
        let taken_back = undone(&[(7, 2), (6, 5), (5, 2), (4, 3)]);
        let sought = |sought| {
            let is_sought = |number: &u64| taken_back.matches(ChangeId(*number), sought);
            (1..=7).filter(is_sought).collect::<Vec<u64>>()
        };
        assert_eq!(sought(UndoTarget::Change), [1]);
        assert_eq!(sought(UndoTarget::Undo), [4, 7]);
        // 8 undoes the redo 6: 5 is in effect again, as a second undo of 2.
        let taken_back = undone(&[(8, 6), (6, 5), (5, 2)]);
        assert!(!taken_back.matches(ChangeId(2), UndoTarget::Change));
        for undo in [5, 8] {
            assert!(taken_back.matches(ChangeId(undo), UndoTarget::Undo));
        }
    }
}
