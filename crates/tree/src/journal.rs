//! Changes as they are made: enough on disk to finish, forget or undo each of them.
//!
//! A change is a folder. `pending-N` without `entry.json` never happened; with it, the change
//! is decided and will be finished; `done-N` is finished and can be undone. New contents are
//! staged in the folder and renamed into place, so a crash leaves no stray file in the tree.
//!
//! @see spec::workspace/plans

use std::io;
use std::path::{Path, PathBuf};

use base::{Call, Code, Hash, Problem, RepoPath, Result};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::confined::Tree;
use crate::disk::{Disk, Folder, open_folder, parent};

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
    home: PathBuf,
}

/// One change, and whose it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its number, counted up from 1
    pub id: u64,
    /// What it did, in a few words
    pub summary: String,
    /// Who asked for it
    pub actor: String,
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
    pub fn at(home: PathBuf) -> Self {
        Self { home }
    }

    /// The number of the last change, 0 before the first.
    pub fn last(&self) -> u64 {
        self.numbers("done-").last().copied().unwrap_or(0)
    }

    /// A finished change.
    pub fn entry(&self, id: u64) -> Result<Entry> {
        let folder = self.folder().map_err(Problem::io("open the journal"))?;
        let read = folder.and_then(|folder| folder.read(done(id).join("entry.json")).ok());
        let bytes = read.ok_or_else(|| self.no_change(id))?;
        parse(&bytes, id)
    }

    /// What the file at `index` of a change held before it.
    pub fn before(&self, entry: &Entry, index: usize) -> Result<Before> {
        if entry.edits[index].before.is_none() {
            return Ok(None);
        }
        let failed = || Problem::io("read the journal");
        let folder = self.folder().map_err(failed())?.ok_or_else(|| self.no_change(entry.id))?;
        folder.read(done(entry.id).join(format!("{index}.before"))).map(Some).map_err(failed())
    }

    /// Commits edits: checks them, decides, carries them out. The caller holds the write lock.
    pub fn commit(
        &self,
        tree: &Tree,
        disk: &Disk,
        edits: &[FileEdit],
        (summary, call): (String, &Call),
    ) -> Result<Entry> {
        check(tree, edits)?;
        call.step("writing files", 0, edits.len())?; // the last chance to stop
        let home = self.make_folder(disk).map_err(Problem::io("open the journal"))?;
        let entry = self.decide(&home, (tree, disk), edits, (summary, call))?;
        let finished = finish(&home, &entry, tree, disk);
        if finished.is_err() && take_back(&home, &entry, tree, disk).is_ok() {
            // Nothing of it is left; without its entry it is not decided and not finished later.
            let _ = disk.remove(&home, &pending(entry.id).join("entry.json"));
            let _ = disk.remove_dir_all(&home, &pending(entry.id));
        }
        match finished?.first() {
            None => Ok(entry),
            Some(path) => Err(Problem::new(Code::Conflict, format!("`{path}` changed meanwhile"))
                .hint("the other files of this change were written; `undo` takes them back")
                .detail("change", entry.id)),
        }
    }

    /// Writes everything the change needs. When `entry.json` is there, the change is decided.
    fn decide(
        &self,
        home: &Folder,
        (tree, disk): (&Tree, &Disk),
        edits: &[FileEdit],
        (summary, call): (String, &Call),
    ) -> Result<Entry> {
        let failed = || Problem::io("write the journal");
        let id = self.last() + 1;
        let folder = pending(id);
        disk.make_dir(home, &folder).map_err(failed())?;
        let keep = |name: String, bytes: &[u8]| {
            disk.write(home, &folder.join(name), bytes).map_err(failed())
        };
        for (index, edit) in edits.iter().enumerate() {
            if let Some(blob) = tree.read(&edit.path)? {
                keep(format!("{index}.before"), &blob.bytes)?;
            }
            if let Some(content) = &edit.content {
                keep(format!("{index}.after"), content)?;
            }
        }
        disk.sync_dir(home, &folder).map_err(failed())?;
        let edits = edits.iter().map(Logged::of).collect();
        let entry = Entry { id, summary, actor: call.actor.clone(), at: call.now, edits };
        let json = serde_json::to_vec_pretty(&entry).expect("an entry is plain data");
        disk.replace(home, &folder.join("entry.json"), &json).map_err(failed())?;
        Ok(entry)
    }

    /// Finishes what was decided, forgets what was not. The caller holds the write lock.
    pub fn recover(&self, tree: &Tree, disk: &Disk) -> Result<Vec<Recovered>> {
        let failed = || Problem::io("recover the journal");
        let Some(home) = self.folder().map_err(failed())? else { return Ok(Vec::new()) };
        let mut recovered = Vec::new();
        for id in self.numbers("pending-") {
            let Ok(bytes) = home.read(pending(id).join("entry.json")) else {
                disk.remove_dir_all(&home, &pending(id)).map_err(failed())?;
                recovered.push(Recovered::Forgotten(id));
                continue;
            };
            let entry = parse(&bytes, id)?;
            let foreign = finish(&home, &entry, tree, disk)?;
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
        let Ok(Some(home)) = self.folder() else { return };
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

    fn folder(&self) -> io::Result<Option<Folder>> {
        match open_folder(&self.home) {
            Ok(folder) => Ok(Some(folder)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn make_folder(&self, disk: &Disk) -> io::Result<Folder> {
        if let Some(folder) = self.folder()? {
            return Ok(folder);
        }
        let nearest = self.home.ancestors().find(|folder| folder.is_dir()).unwrap_or(&self.home);
        let above = open_folder(nearest)?;
        disk.make_dir(&above, self.home.strip_prefix(nearest).unwrap_or(Path::new("")))?;
        open_folder(&self.home)
    }

    fn numbers(&self, prefix: &str) -> Vec<u64> {
        let number = |name: &str| name.strip_prefix(prefix)?.parse().ok();
        let entries = self.folder().ok().flatten().and_then(|folder| folder.entries().ok());
        let names = entries.into_iter().flatten().flatten().map(|entry| entry.file_name());
        let mut numbers: Vec<u64> = names.filter_map(|name| number(name.to_str()?)).collect();
        numbers.sort_unstable();
        numbers
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

/// Carries a decided change out, from wherever it was left. Returns the files it left alone
/// because somebody else has written them since.
fn finish(home: &Folder, entry: &Entry, tree: &Tree, disk: &Disk) -> Result<Vec<RepoPath>> {
    let mut foreign = Vec::new();
    for (index, edit) in entry.edits.iter().enumerate() {
        let current = tree.read(&edit.path)?.map(|blob| blob.hash);
        if current == edit.after {
            continue;
        }
        if current != edit.before {
            foreign.push(edit.path.clone());
            continue;
        }
        let staged = pending(entry.id).join(format!("{index}.after"));
        let target = edit.path.to_relative();
        let done = match edit.after {
            Some(_) => put(home, &staged, tree, &target, disk),
            None => take_away(tree, &target, disk),
        };
        done.map_err(|error| crate::confined::refused("write", &edit.path, error))?;
    }
    let closed = disk.rename(home, &pending(entry.id), home, &done(entry.id));
    closed.map_err(Problem::io("close the journal"))?;
    Ok(foreign)
}

/// Puts back what a change that failed half way had already done.
fn take_back(home: &Folder, entry: &Entry, tree: &Tree, disk: &Disk) -> Result<()> {
    for (index, edit) in entry.edits.iter().enumerate() {
        let current = tree.read(&edit.path)?.map(|blob| blob.hash);
        if current == edit.before || current != edit.after {
            continue;
        }
        let target = edit.path.to_relative();
        let before = pending(entry.id).join(format!("{index}.before"));
        let done = match edit.before {
            Some(_) => {
                home.read(before).and_then(|bytes| disk.replace(tree.dir(), &target, &bytes))
            }
            None => take_away(tree, &target, disk),
        };
        done.map_err(|error| crate::confined::refused("take back", &edit.path, error))?;
    }
    Ok(())
}

/// Moves a staged file into place, with the permissions of the one it replaces.
fn put(home: &Folder, staged: &Path, tree: &Tree, target: &Path, disk: &Disk) -> io::Result<()> {
    let dir = tree.dir();
    disk.make_dir(dir, parent(target))?;
    if let Ok(known) = dir.metadata(target) {
        home.set_permissions(staged, known.permissions())?;
    }
    match disk.rename(home, staged, dir, target) {
        // The journal is on another disk than the tree: copy, then rename there.
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            disk.replace(dir, target, &home.read(staged)?)
        }
        moved => moved,
    }
}

/// Removes a file and the folders that only held it, as git does.
fn take_away(tree: &Tree, target: &Path, disk: &Disk) -> io::Result<()> {
    disk.remove(tree.dir(), target)?;
    let mut folder = parent(target);
    while !folder.as_os_str().is_empty() && disk.remove_if_empty(tree.dir(), folder)? {
        folder = parent(folder);
    }
    Ok(())
}

fn pending(id: u64) -> PathBuf {
    format!("pending-{id}").into()
}

fn done(id: u64) -> PathBuf {
    format!("done-{id}").into()
}

fn parse(bytes: &[u8], id: u64) -> Result<Entry> {
    serde_json::from_slice(bytes).map_err(|error| {
        Problem::new(Code::StoreDamaged, format!("change {id} of the journal does not parse"))
            .hint("move the journal's folder away to go on without it")
            .because(error)
    })
}

#[cfg(test)]
mod tests;
