//! Receives file events, and can tell when all events so far have arrived.
//!
//! Only folders of the project are watched, so ignored ones cost nothing. To know that all
//! earlier writes were reported, a cookie file is written and its event awaited: events arrive in
//! order. If events may have been lost, `DirtyPaths::Everything` is returned.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base::RepoPath;
use notify::event::{AccessKind, AccessMode, EventKind};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};

use crate::confined::WorkingTree;
use crate::walk::is_at_or_below;

/// Files whose change can change which files belong to the project.
const RULE_FILES: [&str; 2] = [".gitignore", "cairn.jsonc"];

/// Name of the entry that makes a folder a repository.
const GIT_DIR_NAME: &str = ".git";

/// The paths that may have changed since the last query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DirtyPaths {
    /// These paths, and everything below them
    Paths(BTreeSet<RepoPath>),
    /// Any path: events were lost, or the ignore rules or settings changed
    Everything,
}

/// Watches the working tree for changes.
#[derive(Debug)]
pub struct Watcher {
    events: Arc<WatchEvents>,
    notifier: Mutex<RecommendedWatcher>,
    /// The watched folders
    folders: Mutex<BTreeSet<RepoPath>>,
    cookies: PathBuf,
    next_cookie: AtomicU64,
}

#[derive(Debug)]
struct WatchEvents {
    root: PathBuf,
    cookies: PathBuf,
    /// Prefix of this watcher's cookie files, because several processes share the folder
    prefix: String,
    state: Mutex<WatchState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct WatchState {
    dirty: BTreeSet<RepoPath>,
    events_lost: bool,
    cookies: BTreeSet<u64>,
}

/// Prefix of all cookie files; the process id and a number follow.
const COOKIE_PREFIX: &str = "cookie-";

/// Counter that tells the watchers of one process apart.
static WATCHER_COUNT: AtomicU64 = AtomicU64::new(0);

impl Watcher {
    /// Starts listening to the folders of a tree. Cookies go to `cookies`, a folder of our own.
    ///
    /// Fails where the system cannot watch, or not so many folders.
    pub fn start(tree: &WorkingTree, folders: &[RepoPath], cookies: &Path) -> io::Result<Self> {
        remove_old_cookies(cookies)?;
        let heard = Arc::new(WatchEvents {
            root: tree.root().to_path_buf(),
            cookies: cookies.to_path_buf(),
            prefix: format!(
                "{COOKIE_PREFIX}{}-{}-",
                std::process::id(),
                WATCHER_COUNT.fetch_add(1, Ordering::Relaxed)
            ),
            state: Mutex::default(),
            changed: Condvar::new(),
        });
        let listener = heard.clone();
        let notifier = RecommendedWatcher::new(
            move |event| listener.handle_event(event),
            notify::Config::default().with_follow_symlinks(false),
        );
        let watcher = Self {
            events: heard,
            notifier: Mutex::new(notifier.map_err(io::Error::other)?),
            folders: Mutex::default(),
            cookies: cookies.to_path_buf(),
            next_cookie: AtomicU64::new(0),
        };
        watcher.watch(cookies)?;
        folders.iter().try_for_each(|folder| watcher.add(folder))?;
        Ok(watcher)
    }

    /// Watches one more folder. It is no error if the folder has vanished, because its removal was
    /// reported.
    pub fn add(&self, folder: &RepoPath) -> io::Result<()> {
        match self.watch(&self.events.root.join(folder.to_relative())) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
            Ok(()) => {
                self.folders().insert(folder.clone());
                Ok(())
            }
        }
    }

    /// Whether a folder is watched.
    pub fn is_watching(&self, folder: &RepoPath) -> bool {
        self.folders().contains(folder)
    }

    /// Stops watching the folders at or below these paths that no longer exist; `None` means all
    /// paths. A folder that was moved keeps its notifier under its old name, and losing that name
    /// once more would take the notifier from the new one.
    pub fn unwatch_missing(&self, paths: Option<&BTreeSet<RepoPath>>) {
        let is_concerned =
            |folder: &&RepoPath| paths.is_none_or(|paths| is_at_or_below(folder, paths));
        let place = |folder: &RepoPath| self.events.root.join(folder.to_relative());
        let mut folders = self.folders();
        let concerned = folders.iter().filter(is_concerned);
        let gone: Vec<RepoPath> =
            concerned.filter(|folder| !place(folder).is_dir()).cloned().collect();
        let mut notifier = self.notifier.lock().unwrap_or_else(PoisonError::into_inner);
        for folder in gone {
            let _ = notifier.unwatch(&place(&folder)); // the system may have done so already
            folders.remove(&folder);
        }
    }

    fn folders(&self) -> MutexGuard<'_, BTreeSet<RepoPath>> {
        self.folders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watch(&self, folder: &Path) -> io::Result<()> {
        let mut notifier = self.notifier.lock().unwrap_or_else(PoisonError::into_inner);
        notifier.watch(folder, RecursiveMode::NonRecursive).map_err(|error| match error.kind {
            notify::ErrorKind::Io(error) => error,
            notify::ErrorKind::PathNotFound => io::ErrorKind::NotFound.into(),
            other => io::Error::other(notify::Error::new(other)),
        })
    }

    /// Waits until the events of all earlier writes have arrived.
    ///
    /// Returns `false` if that cannot be determined within `patience`.
    pub fn wait_for_earlier_events(&self, patience: Duration) -> bool {
        let number = self.next_cookie.fetch_add(1, Ordering::Relaxed);
        let cookie = self.cookies.join(format!("{}{number}", self.events.prefix));
        if File::create_new(&cookie).is_err() {
            return false;
        }
        let state = self.events.state();
        let waited = self
            .events
            .changed
            .wait_timeout_while(state, patience, |state| !state.cookies.contains(&number));
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        // Where the cookie itself was lost, the next `take` covers everything, which is as good.
        let seen = state.cookies.remove(&number) || state.events_lost;
        drop(state);
        let _ = fs::remove_file(cookie); // one that stays is removed at the next start
        seen
    }

    /// Waits for an event, at most `patience`. Returns whether one arrived.
    pub fn wait_for_change(&self, patience: Duration) -> bool {
        let state = self.events.state();
        let quiet = |state: &mut WatchState| state.dirty.is_empty() && !state.events_lost;
        let waited = self.events.changed.wait_timeout_while(state, patience, quiet);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        !state.dirty.is_empty() || state.events_lost
    }

    /// Returns and clears the paths that changed since the last call.
    pub fn take(&self) -> DirtyPaths {
        let mut state = self.events.state();
        let lost = std::mem::take(&mut state.events_lost);
        let dirty = std::mem::take(&mut state.dirty);
        if lost { DirtyPaths::Everything } else { DirtyPaths::Paths(dirty) }
    }

    /// Puts back paths that were taken and could not be processed.
    pub fn put_back(&self, dirty: DirtyPaths) {
        let mut state = self.events.state();
        match dirty {
            DirtyPaths::Everything => state.events_lost = true,
            DirtyPaths::Paths(paths) => state.dirty.extend(paths),
        }
    }
}

impl WatchEvents {
    fn state(&self) -> MutexGuard<'_, WatchState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn handle_event(&self, event: notify::Result<Event>) {
        let mut state = self.state();
        match event {
            Ok(event) if event.need_rescan() => state.events_lost = true,
            Ok(event) if is_change(event.kind) => {
                let is_new = matches!(event.kind, EventKind::Create(_));
                event.paths.iter().for_each(|path| self.record_path(path, is_new, &mut state));
            }
            Ok(_) => return, // a file was only read, possibly by this process
            Err(_) => state.events_lost = true,
        }
        drop(state);
        self.changed.notify_all();
    }

    fn record_path(&self, path: &Path, is_new: bool, state: &mut WatchState) {
        if let Ok(cookie) = path.strip_prefix(&self.cookies) {
            let number = cookie.to_str().and_then(|name| name.strip_prefix(&self.prefix));
            let number = number.filter(|_| is_new).and_then(|number| number.parse::<u64>().ok());
            state.cookies.extend(number);
            return;
        }
        let Ok(relative) = path.strip_prefix(&self.root) else { return };
        // A folder below the root that becomes a repository, or stops being one, changes whose
        // files are in it.
        let nested =
            relative.parent().filter(|_| relative.file_name() == Some(GIT_DIR_NAME.as_ref()));
        let relative = match nested {
            Some(folder) if folder.as_os_str().is_empty() => return,
            Some(folder) => folder,
            None => relative,
        };
        // The private files of git and cairn have no `RepoPath` and are not reported.
        if let Ok(path) = RepoPath::from_relative(relative) {
            state.events_lost |= RULE_FILES.contains(&path.name().as_str());
            state.dirty.insert(path);
        }
    }
}

fn is_change(kind: EventKind) -> bool {
    !matches!(kind, EventKind::Access(access)
        if !matches!(access, AccessKind::Close(AccessMode::Write)))
}

fn remove_old_cookies(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if !entry.file_name().to_string_lossy().starts_with(COOKIE_PREFIX) {
            continue; // whatever it is, it is not ours
        }
        match fs::remove_file(entry.path()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_mins(10);

    fn watched() -> (tempfile::TempDir, Watcher) {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("src")).unwrap();
        fs::create_dir(dir.path().join("target")).unwrap();
        let tree = WorkingTree::open(dir.path()).unwrap();
        let folders = [RepoPath::ROOT, "src".parse().unwrap()];
        let cookies = dir.path().join(".cairn/cache/fence");
        fs::create_dir_all(&cookies).unwrap();
        fs::write(cookies.join("not-ours"), "kept").unwrap();
        let watcher = Watcher::start(&tree, &folders, &cookies).unwrap();
        (dir, watcher)
    }

    fn changed(watcher: &Watcher) -> Vec<String> {
        assert!(watcher.wait_for_earlier_events(PATIENCE));
        match watcher.take() {
            DirtyPaths::Everything => vec!["everything".into()],
            DirtyPaths::Paths(paths) => paths.iter().map(ToString::to_string).collect(),
        }
    }

    #[test]
    fn after_a_fence_everything_written_before_has_been_heard_of() {
        let (dir, watcher) = watched();
        changed(&watcher);
        for round in 0..50 {
            let name = format!("src/{round}.rs");
            fs::write(dir.path().join(&name), "fn a() {}").unwrap();
            assert_eq!(changed(&watcher), [name]);
        }
        fs::write(dir.path().join("target/out"), "ignored").unwrap();
        fs::read(dir.path().join("src/1.rs")).unwrap();
        assert!(changed(&watcher).is_empty(), "neither unwatched folders nor reads are news");
        fs::rename(dir.path().join("src/1.rs"), dir.path().join("moved.rs")).unwrap();
        assert_eq!(changed(&watcher), ["moved.rs", "src/1.rs"]);
        fs::remove_file(dir.path().join("moved.rs")).unwrap();
        assert_eq!(changed(&watcher), ["moved.rs"]);
    }

    #[test]
    fn the_cookies_of_others_are_neither_believed_nor_removed() {
        let (dir, watcher) = watched();
        let cookies = dir.path().join(".cairn/cache/fence");
        let tree = WorkingTree::open(dir.path()).unwrap();
        let other = Watcher::start(&tree, &[RepoPath::ROOT], &cookies).unwrap();
        for _ in 0..5 {
            assert!(
                other.wait_for_earlier_events(PATIENCE)
                    && watcher.wait_for_earlier_events(PATIENCE)
            );
        }
        assert!(watcher.events.state().cookies.is_empty(), "seen cookies are forgotten");
        assert!(cookies.join("not-ours").exists());
    }

    #[test]
    fn a_watcher_that_hears_nothing_sleeps_for_as_long_as_it_may() {
        let (dir, watcher) = watched();
        changed(&watcher);
        let (start, patience) = (std::time::Instant::now(), Duration::from_millis(50));
        assert!(!watcher.wait_for_change(patience));
        assert!(start.elapsed() >= patience, "it woke up for nothing");
        fs::write(dir.path().join("a"), "").unwrap();
        assert!(watcher.wait_for_change(PATIENCE));
    }

    #[test]
    fn new_rules_put_everything_in_doubt() {
        let (dir, watcher) = watched();
        changed(&watcher);
        fs::write(dir.path().join("src/.gitignore"), "*.log").unwrap();
        assert_eq!(changed(&watcher), ["everything"]);
        assert!(changed(&watcher).is_empty());
    }

    #[test]
    fn a_folder_that_becomes_a_repository_is_news() {
        let (dir, watcher) = watched();
        changed(&watcher);
        fs::create_dir(dir.path().join("src/.git")).unwrap();
        assert_eq!(changed(&watcher), ["src"]);
        fs::remove_dir(dir.path().join("src/.git")).unwrap();
        assert_eq!(changed(&watcher), ["src"]);
        fs::write(dir.path().join("src/.git"), "gitdir: elsewhere").unwrap();
        assert_eq!(changed(&watcher), ["src"]);
        fs::write(dir.path().join(".git"), "the root's own is no news").unwrap();
        assert!(changed(&watcher).is_empty());
    }

    #[test]
    fn a_folder_that_was_moved_is_heard_after_its_old_name_came_and_went() {
        let (dir, watcher) = watched();
        let (old, new) = (dir.path().join("src"), dir.path().join("moved"));
        fs::create_dir(old.join("deep")).unwrap();
        watcher.add(&"src/deep".parse().unwrap()).unwrap();
        fs::rename(&old, &new).unwrap();
        assert_eq!(changed(&watcher), ["moved", "src", "src/deep"]);
        watcher.unwatch_missing(None);
        for folder in ["moved", "moved/deep"] {
            watcher.add(&folder.parse().unwrap()).unwrap();
        }
        fs::create_dir(&old).unwrap();
        changed(&watcher);
        watcher.add(&"src".parse().unwrap()).unwrap();
        fs::create_dir(old.join("deep")).unwrap();
        fs::remove_dir(old.join("deep")).unwrap();
        assert_eq!(changed(&watcher), ["src/deep"]);
        fs::write(new.join("deep/a"), "").unwrap();
        assert_eq!(changed(&watcher), ["moved/deep/a"]);
    }

    #[test]
    fn what_was_given_back_is_taken_again() {
        let (dir, watcher) = watched();
        changed(&watcher);
        fs::write(dir.path().join("a"), "").unwrap();
        assert!(watcher.wait_for_earlier_events(PATIENCE));
        let taken = watcher.take();
        watcher.put_back(taken);
        assert_eq!(changed(&watcher), ["a"]);
    }
}
