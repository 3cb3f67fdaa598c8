//! Changes as they are made: enough on disk to finish, forget or undo each of them.
//!
//! A change is a folder. `pending-N` without `entry.json` never happened; with it, the change
//! is decided and will be finished; `done-N` is finished and can be undone. New contents are
//! staged in the folder and renamed into place, so a crash leaves no stray file in the tree.
//!
//! @see spec::workspace/plans

use std::io;
use std::path::{Path, PathBuf};

use base::{Call, Code, Hash, NextCall, Problem, RepoPath, Result};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::confined::Tree;
use crate::disk::{Disk, Folder};
use crate::own::OwnFolder;
use crate::regular::read_regular_in;
use crate::swap::{Swap, Swapped, hash_in};

/// How many finished changes are kept for `undo`.
const KEPT: usize = 200;

/// One file's next content. `None` means the file is absent, before or after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEdit {
    /// Which file
    pub path: RepoPath,
    /// The hash it must have for the edit to make sense
    pub expected: Option<Hash>,
    /// What it holds afterwards
    pub content: Option<Vec<u8>>,
}

/// The changes of one working tree.
#[derive(Debug, Clone)]
pub struct Journal {
    home: OwnFolder,
}

/// What a change is called, before it is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeTitle {
    /// Its number, which no other change has and which is higher than all in the journal
    pub number: u64,
    /// What it does, in a few words
    pub summary: String,
    /// The change that it takes back, if it is an undo or redo
    pub undoes: Option<u64>,
}

/// One change, and whose it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its number; higher than that of every earlier change
    pub id: u64,
    /// What it did, in a few words
    pub summary: String,
    /// Who asked for it
    pub actor: String,
    /// The session they asked in; none for a change of an older version, whose number was
    /// counted by its worktree alone
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The change that it takes back
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<u64>,
    /// When they asked
    pub at: Timestamp,
    /// What it did to each file
    pub edits: Vec<Logged>,
}

/// One file of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Logged {
    /// Which file
    pub path: RepoPath,
    /// Its hash before; none if it did not exist
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Hash>,
    /// Its hash afterwards; none if it does not exist
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Hash>,
}

/// What a file held before a change; none if it did not exist.
pub type Before = Option<Vec<u8>>;

/// What was found half done, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recovered {
    /// It had been decided and is now finished
    Finished(Entry),
    /// It had been decided; these files were edited since and are left as they are
    Overtaken(Entry, Vec<RepoPath>),
    /// It had not been decided: nothing of it was written
    Forgotten(u64),
}

impl Journal {
    /// The journal kept in `home`, a folder that need not exist yet.
    pub fn at(home: OwnFolder) -> Self {
        Self { home }
    }

    /// The number of the last change, 0 before the first.
    pub fn last(&self) -> u64 {
        self.numbers("done-").last().copied().unwrap_or(0)
    }

    /// The highest number that a change here has, finished or not; 0 before the first.
    pub fn highest(&self) -> u64 {
        self.last().max(self.numbers("pending-").last().copied().unwrap_or(0))
    }

    /// Every finished change that is kept, the newest first. One that cannot be read is left out.
    pub fn entries(&self) -> Vec<Entry> {
        self.numbers("done-").into_iter().rev().filter_map(|id| self.entry(id).ok()).collect()
    }

    /// A finished change.
    pub fn entry(&self, id: u64) -> Result<Entry> {
        let folder = self.home.open()?;
        let read = folder.and_then(|folder| read(&folder, &done(id).join("entry.json")).ok());
        let bytes = read.ok_or_else(|| self.no_change(id))?;
        parse(&bytes, id)
    }

    /// What the file at `index` of a change held before it.
    pub fn before(&self, entry: &Entry, index: usize) -> Result<Before> {
        if entry.edits[index].before.is_none() {
            return Ok(None);
        }
        let failed = || Problem::io("read the journal");
        let folder = self.home.open()?.ok_or_else(|| self.no_change(entry.id))?;
        read(&folder, &done(entry.id).join(format!("{index}.before"))).map(Some).map_err(failed())
    }

    /// Commits edits: checks them, decides, carries them out. The caller holds the write lock.
    pub fn commit(
        &self,
        tree: &Tree,
        disk: &Disk,
        edits: &[FileEdit],
        title: ChangeTitle,
        call: &Call,
    ) -> Result<Entry> {
        check(tree, edits)?;
        call.step("writing files", 0, edits.len())?; // the last chance to stop
        let home = self.home.make(disk)?;
        let entry = decide(&home, (tree, disk), edits, title, call)?;
        let carrying = Carrying { home: &home, entry: &entry, tree, disk };
        let foreign = carrying.finish();
        if matches!(&foreign, Ok(foreign) if foreign.is_empty()) {
            return Ok(entry);
        }
        let is_taken_back = carrying.take_back().is_ok();
        if is_taken_back && carrying.holds_nothing_foreign() {
            // Nothing of it is left; without its entry it is not decided and not finished later.
            let _ = disk.remove(&home, &pending(entry.id).join("entry.json"));
            let _ = disk.remove_dir_all(&home, &pending(entry.id));
        } else if is_taken_back || foreign.is_ok() {
            carrying.close()?;
        }
        let problem = changed_meanwhile(&foreign?);
        Err(match is_taken_back {
            true => problem.hint("nothing was written; repeat the request"),
            false => problem
                .hint_call(
                    "the other files of this change were written; they are taken back by",
                    NextCall::to("undo").with("change", entry.id.to_string()),
                )
                .detail("change", entry.id),
        })
    }

    /// Finishes what was decided, forgets what was not. The caller holds the write lock.
    pub fn recover(&self, tree: &Tree, disk: &Disk) -> Result<Vec<Recovered>> {
        let failed = || Problem::io("recover the journal");
        let Some(home) = self.home.open()? else { return Ok(Vec::new()) };
        let mut recovered = Vec::new();
        for id in self.numbers("pending-") {
            let bytes = match read(&home, &pending(id).join("entry.json")) {
                Ok(bytes) => bytes,
                // Without an entry it was never decided. One that cannot be read may have been.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    disk.remove_dir_all(&home, &pending(id)).map_err(failed())?;
                    recovered.push(Recovered::Forgotten(id));
                    continue;
                }
                Err(error) => return Err(unreadable(id)(error)),
            };
            let entry = parse(&bytes, id)?;
            let carrying = Carrying { home: &home, entry: &entry, tree, disk };
            let foreign = carrying.finish()?;
            carrying.close()?;
            recovered.push(if foreign.is_empty() {
                Recovered::Finished(entry)
            } else {
                Recovered::Overtaken(entry, foreign)
            });
        }
        Ok(recovered)
    }

    /// Whether a change was left half done.
    pub fn is_unfinished(&self) -> bool {
        !self.numbers("pending-").is_empty()
    }

    /// Drops the oldest finished changes beyond what is kept. The caller holds the write lock.
    pub fn prune(&self, disk: &Disk) {
        let numbers = self.numbers("done-");
        let Ok(Some(home)) = self.home.open() else { return };
        for id in &numbers[..numbers.len().saturating_sub(KEPT)] {
            // An old change that cannot be dropped now is dropped after the next one.
            let _ = disk.remove_dir_all(&home, &done(*id));
        }
    }

    fn no_change(&self, id: u64) -> Problem {
        let problem = Problem::not_found(format!("no change {id}"));
        match self.last() {
            0 => problem.hint("nothing has been changed here yet"),
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

impl Entry {
    fn of(title: ChangeTitle, edits: &[FileEdit], call: &Call) -> Self {
        Self {
            id: title.number,
            summary: title.summary,
            actor: call.actor.clone(),
            session: Some(call.session.clone()),
            undoes: title.undoes,
            at: call.now,
            edits: edits.iter().map(Logged::of).collect(),
        }
    }
}

impl Logged {
    fn of(edit: &FileEdit) -> Self {
        Self {
            path: edit.path.clone(),
            before: edit.expected,
            after: edit.content.as_deref().map(Hash::of),
        }
    }
}

/// Writes everything the change needs. When `entry.json` is there, the change is decided.
fn decide(
    home: &Folder,
    (tree, disk): (&Tree, &Disk),
    edits: &[FileEdit],
    title: ChangeTitle,
    call: &Call,
) -> Result<Entry> {
    let failed = || Problem::io("write the journal");
    let folder = pending(title.number);
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
    let entry = Entry::of(title, edits, call);
    let json = serde_json::to_vec_pretty(&entry).expect("an entry is plain data");
    disk.replace(home, &folder.join("entry.json"), &json).map_err(failed())?;
    Ok(entry)
}

/// Whether every file is as its edit expects it, and can be written at all.
pub fn check(tree: &Tree, edits: &[FileEdit]) -> Result<()> {
    let show = |hash: Option<Hash>| hash.map_or("absent".into(), |hash| hash.to_string());
    for FileEdit { path, expected, .. } in edits {
        if tree.stat(path)?.is_some_and(|stat| stat.is_link()) {
            let target = tree.link_target(path).unwrap_or_default();
            return Err(Problem::new(Code::InvalidOperation, format!("`{path}` is a link"))
                .hint(format!("edit what it leads to: {}", target.display())));
        }
        if let Some(file) = file_above(tree, path) {
            let message = format!("`{path}` cannot be written: `{file}` is not a folder");
            return Err(Problem::new(Code::InvalidOperation, message)
                .hint(format!("move {file} out of the way first")));
        }
        let current = tree.read(path)?.map(|blob| blob.hash);
        if current != *expected {
            return Err(Problem::new(Code::Conflict, format!("`{path}` is not as expected"))
                .detail("expected", show(*expected))
                .detail("current", show(current))
                .hint("read the file again and repeat the request"));
        }
    }
    Ok(())
}

/// Something above a path that is there and is no folder.
fn file_above(tree: &Tree, path: &RepoPath) -> Option<RepoPath> {
    let mut above = std::iter::successors(path.parent(), RepoPath::parent);
    above.find(|folder| {
        let stat = tree.stat_if_there(folder);
        stat.is_some_and(|stat| !stat.is_dir() && !stat.is_link())
    })
}

/// A decided change, and all that it takes to carry it out.
struct Carrying<'a> {
    home: &'a Folder,
    entry: &'a Entry,
    tree: &'a Tree,
    disk: &'a Disk,
}

impl Carrying<'_> {
    /// Carries the change out, from wherever it was left. Returns the files it left alone because
    /// somebody else has written them.
    fn finish(&self) -> Result<Vec<RepoPath>> {
        let mut foreign = Vec::new();
        for (index, edit) in self.entry.edits.iter().enumerate() {
            if self.carry_out(index, edit)? == Swapped::Foreign {
                foreign.push(edit.path.clone());
            }
        }
        if foreign.is_empty() {
            self.close()?;
        }
        Ok(foreign)
    }

    fn carry_out(&self, index: usize, edit: &Logged) -> Result<Swapped> {
        let failed = |error| crate::confined::refused("write", &edit.path, error);
        let (target, staged) = (edit.path.to_relative(), self.file(index, "after"));
        let replaced = self.file(index, "replaced");
        let swap = self.swap(&target, edit.before, &replaced);
        if swap.resume(&staged, edit.after).map_err(failed)? == Swapped::Foreign {
            return Ok(Swapped::Foreign);
        }
        let current = self.current(edit)?;
        if current == edit.after {
            return Ok(Swapped::Done);
        }
        if current != edit.before {
            return Ok(Swapped::Foreign);
        }
        let done = match edit.after {
            Some(_) => swap.put(&staged),
            None => swap.remove(),
        };
        done.map_err(failed)
    }

    /// Marks the change as finished.
    fn close(&self) -> Result<()> {
        let (from, to) = (pending(self.entry.id), done(self.entry.id));
        if self.home.symlink_metadata(&from).is_err() && self.home.is_dir(&to) {
            return Ok(());
        }
        let closed = self.disk.rename(self.home, &from, self.home, &to);
        closed.map_err(Problem::io("close the journal"))
    }

    /// Puts back what a change that was not finished had already done. What somebody else wrote
    /// since is left.
    fn take_back(&self) -> Result<()> {
        for (index, edit) in self.entry.edits.iter().enumerate() {
            let failed = |error| crate::confined::refused("take back", &edit.path, error);
            let target = edit.path.to_relative();
            let (staged, replaced) = (self.file(index, "after"), self.file(index, "replaced"));
            self.swap(&target, edit.before, &replaced)
                .resume(&staged, edit.after)
                .map_err(failed)?;
            if edit.before == edit.after || self.current(edit)? != edit.after {
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

    /// Whether everything in the change's folder is its own, so that it can go.
    fn holds_nothing_foreign(&self) -> bool {
        let own = |index: usize, edit: &Logged, kind: &str| {
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

    fn current(&self, edit: &Logged) -> Result<Option<Hash>> {
        Ok(self.tree.read(&edit.path)?.map(|blob| blob.hash))
    }

    fn file(&self, index: usize, kind: &str) -> PathBuf {
        pending(self.entry.id).join(format!("{index}.{kind}"))
    }

    fn swap<'a>(
        &'a self,
        target: &'a Path,
        expected: Option<Hash>,
        replaced: &'a Path,
    ) -> Swap<'a> {
        let (disk, tree, journal) = (self.disk, self.tree.dir(), self.home);
        Swap { disk, tree, journal, target, expected, replaced }
    }
}

/// Reads a file of the journal. Contents of any size were staged there by us.
fn read(home: &Folder, path: &Path) -> io::Result<Vec<u8>> {
    read_regular_in(home, path, u64::MAX)
}

fn changed_meanwhile(foreign: &[RepoPath]) -> Problem {
    let names: Vec<String> = foreign.iter().map(|path| format!("`{path}`")).collect();
    let message = format!("{} changed meanwhile and was left as it is", names.join(", "));
    Problem::new(Code::Conflict, message)
}

fn unreadable(id: u64) -> impl FnOnce(io::Error) -> Problem {
    move |error| {
        Problem::io(format!("read change {id} of the journal"))(error)
            .hint("move the journal's folder away to go on without it")
    }
}

fn pending(id: u64) -> PathBuf {
    format!("pending-{id}").into()
}

fn done(id: u64) -> PathBuf {
    format!("done-{id}").into()
}

fn parse(bytes: &[u8], id: u64) -> Result<Entry> {
    let mut entry: Entry = serde_json::from_slice(bytes).map_err(|error| {
        Problem::new(Code::StoreDamaged, format!("change {id} of the journal does not parse"))
            .hint("move the journal's folder away to go on without it")
            .because(error)
    })?;
    if entry.session.is_none() {
        entry.undoes = undone_by_summary(&entry.summary);
    }
    Ok(entry)
}

/// What an undo of an older version took back: only its summary tells.
fn undone_by_summary(summary: &str) -> Option<u64> {
    summary.strip_prefix("undo of ")?.split_once(": ")?.0.parse().ok()
}

#[cfg(test)]
mod tests;
