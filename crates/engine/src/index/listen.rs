//! The watcher of a server, and what it has heard.

use std::collections::BTreeSet;
use std::io;
use std::time::Duration;

use base::{Call, RepoPath, Result};
use tree::{Dirty, Walk, Watcher, Why};

use super::generation::Generations;
use super::sweep::FileSweep;
use super::todo::{Sources, Todo};

/// How long to wait for the watcher to have heard of everything.
const FENCE: Duration = Duration::from_millis(500);

/// An ear at the working tree, if a server has one.
#[derive(Default)]
pub(super) struct Ear {
    watcher: Option<Watcher>,
    /// Why there is no watcher although one was wanted
    pub(super) deaf: Option<String>,
    /// Whether the index was compared with the whole tree since the watcher listens
    settled: bool,
    /// Files that are compared by what the system says of them, because not all is heard
    sweep: FileSweep,
}

impl Ear {
    /// What may have changed, by the watcher if it can be believed.
    pub(super) fn heard(&mut self, sources: &Sources<'_>, call: &Call) -> Result<Dirty> {
        let Some(watcher) = &self.watcher else { return Ok(Dirty::Everything) };
        if !watcher.fence(FENCE) {
            // Whatever it is deaf to now, a new one may hear; until then everything is in doubt.
            self.watcher = None;
            return Ok(Dirty::Everything);
        }
        let mut dirty = watcher.take();
        if !self.settled {
            (self.settled, dirty) = (true, Dirty::Everything);
        }
        if let Dirty::Paths(paths) = &mut dirty {
            paths.extend(self.sweep.changed(sources.tree));
        }
        if let Err(error) = listen_to_new(watcher, &dirty, sources, call)? {
            self.lose(&error);
            return Ok(Dirty::Everything);
        }
        Ok(dirty)
    }

    /// Goes on without a watcher, and says why.
    pub(super) fn lose(&mut self, error: &io::Error) {
        (self.watcher, self.deaf) = (None, Some(deaf(error)));
    }

    /// Takes note of what a look at the tree found, and listens to folders that nobody listened to
    /// when they were made: what happened in them since is looked at next time.
    pub(super) fn note(&mut self, todo: &Todo) -> io::Result<()> {
        let Some(watcher) = &self.watcher else { return Ok(()) };
        self.sweep.note(&todo.walk.files, todo.part.as_ref());
        for folder in todo.walk.folders.iter().filter(|folder| !watcher.hears(folder)) {
            watcher.add(folder)?;
            watcher.give_back(Dirty::Paths([folder.clone()].into()));
        }
        Ok(())
    }

    /// Sleeps until something may have changed, at most `patience`. The deaf only sleep.
    pub(super) fn wait(&self, patience: Duration) {
        match &self.watcher {
            Some(watcher) => drop(watcher.wait(patience)),
            None => std::thread::sleep(patience),
        }
    }

    /// Gives back what was heard of and could not be dealt with.
    pub(super) fn give_back(&self, dirty: Dirty) {
        if let Some(watcher) = &self.watcher {
            watcher.give_back(dirty);
        }
    }

    /// Forgets what was heard, because everything is about to be looked at.
    pub(super) fn forget(&self) {
        if let Some(watcher) = &self.watcher {
            watcher.take();
        }
    }

    /// Starts to listen, for a server, once there is an index.
    pub(super) fn listen(
        &mut self,
        sources: &Sources<'_>,
        generations: &Generations,
        call: &Call,
    ) -> Result<()> {
        if !sources.watch || self.watcher.is_some() || self.deaf.is_some() {
            return Ok(());
        }
        let cookies = match generations.cookies() {
            Ok(cookies) => cookies,
            Err(problem) => {
                self.deaf = Some(format!("no watcher ({problem}), scanned instead"));
                return Ok(());
            }
        };
        let folders = heard_folders(Walk::whole(sources.tree, sources.excludes, call)?);
        match Watcher::start(sources.tree, &folders, &cookies) {
            // What changed since the index was compared is caught by comparing once more.
            Ok(watcher) => (self.watcher, self.settled) = (Some(watcher), false),
            Err(error) => self.deaf = Some(deaf(&error)),
        }
        Ok(())
    }
}

/// Listens to folders that are new, before anybody looks at them: nothing in them is missed.
fn listen_to_new(
    watcher: &Watcher,
    dirty: &Dirty,
    sources: &Sources<'_>,
    call: &Call,
) -> Result<io::Result<()>> {
    let is_folder =
        |path: &&RepoPath| sources.tree.stat_if_there(path).is_some_and(|stat| stat.is_dir());
    let walk = match dirty {
        Dirty::Everything => {
            watcher.leave_missing(None);
            Walk::whole(sources.tree, sources.excludes, call)?
        }
        Dirty::Paths(paths) => {
            watcher.leave_missing(Some(paths));
            let folders: BTreeSet<RepoPath> = paths.iter().filter(is_folder).cloned().collect();
            if folders.is_empty() {
                return Ok(Ok(()));
            }
            Walk::part(sources.tree, &folders, sources.excludes, call)?
        }
    };
    Ok(heard_folders(walk).iter().try_for_each(|folder| watcher.add(folder)))
}

/// The folders to listen to: those of the project, and the top of repositories inside it, which
/// may stop being repositories.
fn heard_folders(walk: Walk) -> Vec<RepoPath> {
    let nested = walk.skipped.into_iter().filter(|skipped| skipped.why == Why::Repository);
    walk.folders.into_iter().chain(nested.map(|skipped| skipped.path)).collect()
}

fn deaf(error: &io::Error) -> String {
    format!("no watcher ({error}), scanned instead")
}
