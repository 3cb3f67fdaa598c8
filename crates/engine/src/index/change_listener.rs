//! The file watcher of a server and the events it has received.

use std::collections::BTreeSet;
use std::io;
use std::time::Duration;

use base::{Call, RepoPath, Result};
use tree::{DirtyPaths, FileWalk, SkipReason, Watcher};

use super::generation::IndexGenerations;
use super::refresh_plan::{RefreshPlan, RefreshSources};
use super::sweep::FileSweep;

/// Maximum time to wait until the watcher has delivered all earlier events.
const FENCE_TIMEOUT: Duration = Duration::from_millis(500);

/// The file watcher of a server, if it could be started.
#[derive(Default)]
pub(super) struct ChangeListener {
    watcher: Option<Watcher>,
    /// Why there is no watcher although one was wanted
    pub(super) watch_error: Option<String>,
    /// Whether the index was compared with the whole tree after the watcher had started
    compared_with_tree: bool,
    /// Files that are compared by their metadata, because the watcher does not report all changes
    sweep: FileSweep,
}

impl ChangeListener {
    /// The paths that may have changed, as far as the watcher can be trusted to have reported them.
    pub(super) fn pending_changes(
        &mut self,
        sources: &RefreshSources<'_>,
        call: &Call,
    ) -> Result<DirtyPaths> {
        let Some(watcher) = &self.watcher else { return Ok(DirtyPaths::Everything) };
        if !watcher.wait_for_earlier_events(FENCE_TIMEOUT) {
            // A new watcher may receive events that this one misses. Until it runs, everything is compared.
            self.watcher = None;
            return Ok(DirtyPaths::Everything);
        }
        let mut dirty = watcher.take();
        if !self.compared_with_tree {
            (self.compared_with_tree, dirty) = (true, DirtyPaths::Everything);
        }
        if let DirtyPaths::Paths(paths) = &mut dirty {
            paths.extend(self.sweep.changed(sources.tree));
        }
        if let Err(error) = watch_new_folders(watcher, &dirty, sources, call)? {
            self.stop_watching(&error);
            return Ok(DirtyPaths::Everything);
        }
        Ok(dirty)
    }

    /// Continues without a watcher and keeps the reason for answers.
    pub(super) fn stop_watching(&mut self, error: &io::Error) {
        (self.watcher, self.watch_error) = (None, Some(watch_error_text(error)));
    }

    /// Records the result of a comparison with the tree, and starts to watch folders that are new.
    /// Files that were written into such a folder before it was watched are compared by the next
    /// refresh.
    pub(super) fn note_refresh(&mut self, todo: &RefreshPlan) -> io::Result<()> {
        let Some(watcher) = &self.watcher else { return Ok(()) };
        self.sweep.note(&todo.walk.files, todo.part.as_ref());
        for folder in todo.walk.folders.iter().filter(|folder| !watcher.is_watching(folder)) {
            watcher.add(folder)?;
            watcher.put_back(DirtyPaths::Paths([folder.clone()].into()));
        }
        Ok(())
    }

    /// Waits until something may have changed, at most `patience`. Without a watcher it waits for
    /// the whole of that time.
    pub(super) fn wait(&self, patience: Duration) {
        match &self.watcher {
            Some(watcher) => drop(watcher.wait_for_change(patience)),
            None => std::thread::sleep(patience),
        }
    }

    /// Puts back paths whose changes could not be written to the index, so that the next refresh
    /// tries again.
    pub(super) fn give_back(&self, dirty: DirtyPaths) {
        if let Some(watcher) = &self.watcher {
            watcher.put_back(dirty);
        }
    }

    /// Discards the recorded events, because the whole tree is about to be compared.
    pub(super) fn forget(&self) {
        if let Some(watcher) = &self.watcher {
            watcher.take();
        }
    }

    /// Starts the watcher. Only servers do, and only after the index exists.
    pub(super) fn start_watching(
        &mut self,
        sources: &RefreshSources<'_>,
        generations: &IndexGenerations,
        call: &Call,
    ) -> Result<()> {
        if !sources.watch || self.watcher.is_some() || self.watch_error.is_some() {
            return Ok(());
        }
        let cookies = match generations.cookies() {
            Ok(cookies) => cookies,
            Err(problem) => {
                self.watch_error = Some(format!("no watcher ({problem}), scanned instead"));
                return Ok(());
            }
        };
        let folders = watched_folders(FileWalk::whole_tree(sources.tree, sources.excludes, call)?);
        match Watcher::start(sources.tree, &folders, &cookies) {
            // Changes since the last comparison are found by comparing once more.
            Ok(watcher) => (self.watcher, self.compared_with_tree) = (Some(watcher), false),
            Err(error) => self.watch_error = Some(watch_error_text(&error)),
        }
        Ok(())
    }
}

/// Watches new folders before their files are compared, so that no change in them is missed.
fn watch_new_folders(
    watcher: &Watcher,
    dirty: &DirtyPaths,
    sources: &RefreshSources<'_>,
    call: &Call,
) -> Result<io::Result<()>> {
    let is_folder =
        |path: &&RepoPath| sources.tree.stat_if_reachable(path).is_some_and(|stat| stat.is_dir());
    let walk = match dirty {
        DirtyPaths::Everything => {
            watcher.unwatch_missing(None);
            FileWalk::whole_tree(sources.tree, sources.excludes, call)?
        }
        DirtyPaths::Paths(paths) => {
            watcher.unwatch_missing(Some(paths));
            let folders: BTreeSet<RepoPath> = paths.iter().filter(is_folder).cloned().collect();
            if folders.is_empty() {
                return Ok(Ok(()));
            }
            FileWalk::of_paths(sources.tree, &folders, sources.excludes, call)?
        }
    };
    Ok(watched_folders(walk).iter().try_for_each(|folder| watcher.add(folder)))
}

/// The folders to watch: those of the project, and the top folders of nested repositories, because
/// a nested repository may stop being one.
fn watched_folders(walk: FileWalk) -> Vec<RepoPath> {
    let nested =
        walk.skipped.into_iter().filter(|skipped| skipped.reason == SkipReason::Repository);
    walk.folders.into_iter().chain(nested.map(|skipped| skipped.path)).collect()
}

fn watch_error_text(error: &io::Error) -> String {
    format!("no watcher ({error}), scanned instead")
}
