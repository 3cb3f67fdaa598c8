//! A write-ahead journal of file changes: after a crash each is completed or discarded, and a
//! completed one can be undone.
//!
//! A change is a folder. `pending-N` without `entry.json` was not decided and is discarded; with
//! it, the change is decided and will be completed. `done-N` is complete and can be undone.
//!
//! In the folder, the names of contents start with the number of the edit. `0.before` and `0.after`
//! are written before the change is decided. Then `0.after` is exchanged with the file, or moved to
//! its place if there is none, and what was in the file is kept as `0.replaced`. Where a change is
//! rolled back, `0.back` is put into the file, and `0.undone` is what was in it.
//!
//! @see spec::workspace/plans

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use base::{Call, Hash, NextCall, Problem, ProblemCode, RepoPath, Result};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::confined::WorkingTree;
use crate::disk::{DirHandle, DiskWriter};
use crate::private_folder::PrivateFolder;
use crate::regular_file::read_regular_in;
use crate::swap::{FileSwap, SwapOutcome, hash_in};

/// Maximum number of finished changes that are kept for `undo`.
const MAX_KEPT_CHANGES: usize = 200;

/// The next content of one file. `None` means that the file does not exist, before or after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEdit {
    /// The path of the file
    pub path: RepoPath,
    /// The hash that the file must have before; `None` if it must not exist
    pub expected: Option<Hash>,
    /// Its content afterwards
    pub content: Option<Vec<u8>>,
}

/// The journal of one working tree.
#[derive(Debug, Clone)]
pub struct Journal {
    home: PrivateFolder,
}

/// The number of a change, from a counter that files and stores of a repository share.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct ChangeId(pub u64);

impl fmt::Display for ChangeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The description of a change before it is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeTitle {
    /// Its number, higher than all in the journal
    pub id: ChangeId,
    /// A short description of what it does
    pub summary: String,
    /// The change that it reverts, if it is an undo or redo
    pub undoes: Option<ChangeId>,
}

/// A change, with its author.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalEntry {
    /// Its number, higher than that of every earlier change
    pub id: ChangeId,
    /// A short description of what it did
    pub summary: String,
    /// The actor that asked for it
    pub actor: String,
    /// The session of the caller; `None` for a change of an older version, which counted the
    /// changes of each worktree separately
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The change that it reverts
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<ChangeId>,
    /// When it was made
    pub at: Timestamp,
    /// Its effect on each file
    pub edits: Vec<JournalEdit>,
}

/// The effect of a change on one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalEdit {
    /// The path of the file
    pub path: RepoPath,
    /// Its hash before; `None` if it did not exist
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Hash>,
    /// Its hash afterwards; `None` if it does not exist
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Hash>,
}

/// The content of a file before a change; `None` if it did not exist.
pub type PreviousContent = Option<Vec<u8>>;

/// What recovery did with a change that was not finished.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecoveryOutcome {
    /// It was decided and is now finished
    Finished(JournalEntry),
    /// It was decided; these files were edited since and are left unchanged
    PartlyFinished(JournalEntry, Vec<RepoPath>),
    /// It was not decided: none of its files was written
    Discarded(ChangeId),
}

impl Journal {
    /// The journal in the folder `home`, which need not exist.
    pub fn new(home: PrivateFolder) -> Self {
        Self { home }
    }

    /// The number of the last change, 0 before the first.
    pub fn last_number(&self) -> u64 {
        self.numbers("done-").last().copied().unwrap_or(0)
    }

    /// The highest number of any change in the journal, finished or not; 0 if there is none.
    pub fn highest_number(&self) -> u64 {
        self.last_number().max(self.numbers("pending-").last().copied().unwrap_or(0))
    }

    /// All finished changes that are kept, newest first. Unreadable ones are left out.
    pub fn entries(&self) -> Vec<JournalEntry> {
        let ids = self.numbers("done-").into_iter().rev().map(ChangeId);
        ids.filter_map(|id| self.entry(id).ok()).collect()
    }

    /// The finished change of this number.
    pub fn entry(&self, id: ChangeId) -> Result<JournalEntry> {
        let folder = self.home.open()?;
        let read = folder.and_then(|folder| read(&folder, &done_path(id).join("entry.json")).ok());
        let bytes = read.ok_or_else(|| self.change_not_found(id))?;
        parse(&bytes, id)
    }

    /// The content that the file at `index` of a change had before the change.
    pub fn content_before(&self, entry: &JournalEntry, index: usize) -> Result<PreviousContent> {
        if entry.edits[index].before.is_none() {
            return Ok(None);
        }
        let failed = || Problem::io("read the journal");
        let folder = self.home.open()?.ok_or_else(|| self.change_not_found(entry.id))?;
        read(&folder, &done_path(entry.id).join(format!("{index}.before")))
            .map(Some)
            .map_err(failed())
    }

    /// Commits edits: checks them, writes the entry that decides them, and applies them. The caller
    /// holds the write lock.
    pub fn commit(
        &self,
        tree: &WorkingTree,
        disk: &DiskWriter,
        edits: &[FileEdit],
        title: ChangeTitle,
        call: &Call,
    ) -> Result<JournalEntry> {
        check_edits(tree, edits)?;
        call.step("writing files", 0, edits.len())?; // the last point at which the call can be stopped
        let home = self.home.create(disk)?;
        let entry = stage_change(&home, tree, disk, edits, title, call)?;
        let pending = PendingChange { home: &home, entry: &entry, tree, disk };
        let foreign = pending.apply();
        if matches!(&foreign, Ok(foreign) if foreign.is_empty()) {
            return Ok(entry);
        }
        let is_taken_back = pending.roll_back().is_ok();
        if is_taken_back && pending.has_no_foreign_content() {
            // Nothing of it is left; without its entry it is not decided and not finished later.
            let _ = disk.remove(&home, &pending_path(entry.id).join("entry.json"));
            let _ = disk.remove_dir_all(&home, &pending_path(entry.id));
        } else if is_taken_back || foreign.is_ok() {
            pending.mark_done()?;
        }
        let problem = changed_meanwhile_problem(&foreign?);
        Err(match is_taken_back {
            true => problem.hint("nothing was written; repeat the request"),
            false => problem
                .hint_call(
                    "the other files of this change were written; revert them with",
                    NextCall::new("undo").with("change", entry.id.to_string()),
                )
                .detail("change", entry.id.0),
        })
    }

    /// Finishes changes that were decided and discards the others. The caller holds the write lock.
    pub fn recover(&self, tree: &WorkingTree, disk: &DiskWriter) -> Result<Vec<RecoveryOutcome>> {
        let failed = || Problem::io("recover the journal");
        let Some(home) = self.home.open()? else { return Ok(Vec::new()) };
        let mut recovered = Vec::new();
        for id in self.numbers("pending-").into_iter().map(ChangeId) {
            let bytes = match read(&home, &pending_path(id).join("entry.json")) {
                Ok(bytes) => bytes,
                // Without an entry the change was not decided. If the entry is unreadable, it may
                // have been.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    disk.remove_dir_all(&home, &pending_path(id)).map_err(failed())?;
                    recovered.push(RecoveryOutcome::Discarded(id));
                    continue;
                }
                Err(error) => return Err(unreadable_entry(id)(error)),
            };
            let entry = parse(&bytes, id)?;
            let pending = PendingChange { home: &home, entry: &entry, tree, disk };
            let foreign = pending.apply()?;
            pending.mark_done()?;
            recovered.push(if foreign.is_empty() {
                RecoveryOutcome::Finished(entry)
            } else {
                RecoveryOutcome::PartlyFinished(entry, foreign)
            });
        }
        Ok(recovered)
    }

    /// Whether a change was not finished.
    pub fn is_unfinished(&self) -> bool {
        !self.numbers("pending-").is_empty()
    }

    /// Removes the oldest finished changes beyond the limit. The caller holds the write lock.
    pub fn prune(&self, disk: &DiskWriter) {
        let numbers = self.numbers("done-");
        let Ok(Some(home)) = self.home.open() else { return };
        for id in &numbers[..numbers.len().saturating_sub(MAX_KEPT_CHANGES)] {
            // A change that cannot be removed now is removed after the next one.
            let _ = disk.remove_dir_all(&home, &done_path(ChangeId(*id)));
        }
    }

    fn change_not_found(&self, id: ChangeId) -> Problem {
        let problem = Problem::not_found(format!("no change {id}"));
        match self.last_number() {
            0 => problem.hint("the journal has no changes"),
            last => problem.hint(format!("the last change is {last}")),
        }
    }

    fn numbers(&self, prefix: &str) -> Vec<u64> {
        let number = |name: &str| name.strip_prefix(prefix)?.parse().ok();
        let entries = self.home.open().ok().flatten().and_then(|folder| folder.entries().ok());
        let names = entries.into_iter().flatten().flatten().map(|entry| entry.file_name());
        let mut numbers: Vec<u64> = names.filter_map(|name| number(name.to_str()?)).collect();
        numbers.sort_unstable();
        numbers
    }
}

impl JournalEntry {
    fn of(title: ChangeTitle, edits: &[FileEdit], call: &Call) -> Self {
        Self {
            id: title.id,
            summary: title.summary,
            actor: call.actor.clone(),
            session: Some(call.session.clone()),
            undoes: title.undoes,
            at: call.now,
            edits: edits.iter().map(JournalEdit::of).collect(),
        }
    }
}

impl JournalEdit {
    fn of(edit: &FileEdit) -> Self {
        Self {
            path: edit.path.clone(),
            before: edit.expected,
            after: edit.content.as_deref().map(Hash::of),
        }
    }
}

/// Writes everything that the change needs. Once `entry.json` exists, the change is decided.
fn stage_change(
    home: &DirHandle,
    tree: &WorkingTree,
    disk: &DiskWriter,
    edits: &[FileEdit],
    title: ChangeTitle,
    call: &Call,
) -> Result<JournalEntry> {
    let failed = || Problem::io("write the journal");
    let folder = pending_path(title.id);
    disk.make_dir(home, &folder).map_err(failed())?;
    let keep =
        |name: String, bytes: &[u8]| disk.write(home, &folder.join(name), bytes).map_err(failed());
    for (index, edit) in edits.iter().enumerate() {
        if let Some(blob) = tree.read(&edit.path)? {
            keep(format!("{index}.before"), &blob.bytes)?;
        }
        if let Some(content) = &edit.content {
            keep(format!("{index}.after"), content)?;
        }
    }
    disk.sync_dir(home, &folder).map_err(failed())?;
    let entry = JournalEntry::of(title, edits, call);
    let json = serde_json::to_vec_pretty(&entry).expect("an entry is plain data");
    disk.replace(home, &folder.join("entry.json"), &json).map_err(failed())?;
    Ok(entry)
}

/// Checks that every file has the hash that its edit expects, and that it can be written.
pub fn check_edits(tree: &WorkingTree, edits: &[FileEdit]) -> Result<()> {
    let show = |hash: Option<Hash>| hash.map_or("absent".into(), |hash| hash.to_string());
    for FileEdit { path, expected, .. } in edits {
        if tree.stat(path)?.is_some_and(|stat| stat.is_link()) {
            let target = tree.link_target(path).unwrap_or_default();
            return Err(Problem::new(ProblemCode::InvalidOperation, format!("`{path}` is a link"))
                .hint(format!("edit the file that it points to: {}", target.display())));
        }
        if let Some(file) = non_folder_ancestor(tree, path) {
            let message = format!("`{path}` cannot be written: `{file}` is not a folder");
            return Err(Problem::new(ProblemCode::InvalidOperation, message)
                .hint(format!("move {file} out of the way first")));
        }
        let current = tree.read(path)?.map(|blob| blob.hash);
        if current != *expected {
            return Err(Problem::new(
                ProblemCode::Conflict,
                format!("`{path}` has changed since it was read"),
            )
            .detail("expected", show(*expected))
            .detail("current", show(current))
            .hint("read the file again and repeat the request"));
        }
    }
    Ok(())
}

/// The nearest existing ancestor of a path that is not a folder.
fn non_folder_ancestor(tree: &WorkingTree, path: &RepoPath) -> Option<RepoPath> {
    let mut above = std::iter::successors(path.parent(), RepoPath::parent);
    above.find(|folder| {
        let stat = tree.stat_if_reachable(folder);
        stat.is_some_and(|stat| !stat.is_dir() && !stat.is_link())
    })
}

/// A decided change, and what is needed to apply it.
struct PendingChange<'a> {
    home: &'a DirHandle,
    entry: &'a JournalEntry,
    tree: &'a WorkingTree,
    disk: &'a DiskWriter,
}

impl PendingChange<'_> {
    /// Applies the change, from wherever it was interrupted. Returns the files that it left
    /// unchanged because another program has written them.
    fn apply(&self) -> Result<Vec<RepoPath>> {
        let mut foreign = Vec::new();
        for (index, edit) in self.entry.edits.iter().enumerate() {
            if self.apply_edit(index, edit)? == SwapOutcome::Foreign {
                foreign.push(edit.path.clone());
            }
        }
        if foreign.is_empty() {
            self.mark_done()?;
        }
        Ok(foreign)
    }

    fn apply_edit(&self, index: usize, edit: &JournalEdit) -> Result<SwapOutcome> {
        let failed = |error| crate::confined::path_problem("write", &edit.path, error);
        let (target, staged) = (edit.path.to_relative(), self.file(index, "after"));
        let replaced = self.file(index, "replaced");
        let swap = self.swap(&target, edit.before, &replaced);
        if swap.resume(&staged, edit.after).map_err(failed)? == SwapOutcome::Foreign {
            return Ok(SwapOutcome::Foreign);
        }
        let current = self.current_hash(edit)?;
        if current == edit.after {
            return Ok(SwapOutcome::Done);
        }
        if current != edit.before {
            return Ok(SwapOutcome::Foreign);
        }
        let done = match edit.after {
            Some(_) => swap.put(&staged),
            None => swap.remove(),
        };
        done.map_err(failed)
    }

    /// Marks the change as finished.
    fn mark_done(&self) -> Result<()> {
        let (from, to) = (pending_path(self.entry.id), done_path(self.entry.id));
        if self.home.symlink_metadata(&from).is_err() && self.home.is_dir(&to) {
            return Ok(());
        }
        let closed = self.disk.rename(self.home, &from, self.home, &to);
        closed.map_err(Problem::io("close the journal"))
    }

    /// Reverts the files that an unfinished change has written already, unless another program has
    /// written them since.
    fn roll_back(&self) -> Result<()> {
        for (index, edit) in self.entry.edits.iter().enumerate() {
            let failed = |error| crate::confined::path_problem("take back", &edit.path, error);
            let target = edit.path.to_relative();
            let (staged, replaced) = (self.file(index, "after"), self.file(index, "replaced"));
            self.swap(&target, edit.before, &replaced)
                .resume(&staged, edit.after)
                .map_err(failed)?;
            if edit.before == edit.after || self.current_hash(edit)? != edit.after {
                continue;
            }
            let undone = self.file(index, "undone");
            let swap = self.swap(&target, edit.after, &undone);
            let done = match edit.before {
                Some(_) => self.stage_before(index).and_then(|staged| swap.put(&staged)),
                None => swap.remove(),
            };
            done.map_err(failed)?;
        }
        Ok(())
    }

    /// Whether the change's folder has only contents of the change, so that it can be removed.
    fn has_no_foreign_content(&self) -> bool {
        let own = |index: usize, edit: &JournalEdit, kind: &str| {
            let hash = hash_in(self.home, &self.file(index, kind));
            hash.is_none() || hash == edit.before || hash == edit.after
        };
        let mut edits = self.entry.edits.iter().enumerate();
        edits.all(|(index, edit)| {
            ["after", "replaced", "undone", "back"].iter().all(|kind| own(index, edit, kind))
        })
    }

    fn stage_before(&self, index: usize) -> io::Result<PathBuf> {
        let bytes = read(self.home, &self.file(index, "before"))?;
        let staged = self.file(index, "back");
        self.disk.write(self.home, &staged, &bytes)?;
        Ok(staged)
    }

    fn current_hash(&self, edit: &JournalEdit) -> Result<Option<Hash>> {
        Ok(self.tree.read(&edit.path)?.map(|blob| blob.hash))
    }

    fn file(&self, index: usize, kind: &str) -> PathBuf {
        pending_path(self.entry.id).join(format!("{index}.{kind}"))
    }

    fn swap<'a>(
        &'a self,
        target: &'a Path,
        expected: Option<Hash>,
        replaced: &'a Path,
    ) -> FileSwap<'a> {
        let (disk, tree, journal) = (self.disk, self.tree.dir(), self.home);
        FileSwap { disk, tree, journal, target, expected, replaced }
    }
}

/// Reads a file of the journal, of any size: cairn wrote it.
fn read(home: &DirHandle, path: &Path) -> io::Result<Vec<u8>> {
    read_regular_in(home, path, u64::MAX)
}

fn changed_meanwhile_problem(foreign: &[RepoPath]) -> Problem {
    let names: Vec<String> = foreign.iter().map(|path| format!("`{path}`")).collect();
    let message =
        format!("{} was changed by another program and was not written", names.join(", "));
    Problem::new(ProblemCode::Conflict, message)
}

fn unreadable_entry(id: ChangeId) -> impl FnOnce(io::Error) -> Problem {
    move |error| {
        Problem::io(format!("read change {id} of the journal"))(error)
            .hint("move the journal folder away to continue without it")
    }
}

fn pending_path(id: ChangeId) -> PathBuf {
    format!("pending-{id}").into()
}

fn done_path(id: ChangeId) -> PathBuf {
    format!("done-{id}").into()
}

fn parse(bytes: &[u8], id: ChangeId) -> Result<JournalEntry> {
    let mut entry: JournalEntry = serde_json::from_slice(bytes).map_err(|error| {
        Problem::new(
            ProblemCode::StoreDamaged,
            format!("change {id} of the journal does not parse"),
        )
        .hint("move the journal folder away to continue without it")
        .with_source(error)
    })?;
    if entry.session.is_none() {
        entry.undoes = undone_by_summary(&entry.summary);
    }
    Ok(entry)
}

/// The change that an undo by an older version of cairn reverted. Older versions recorded it only
/// in the summary.
fn undone_by_summary(summary: &str) -> Option<ChangeId> {
    summary.strip_prefix("undo of ")?.split_once(": ")?.0.parse().ok().map(ChangeId)
}

#[cfg(test)]
mod tests;
