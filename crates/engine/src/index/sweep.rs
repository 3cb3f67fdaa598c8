//! Finds changes that the watcher cannot report, by comparing the metadata of files.
//!
//! Linux reports a write under the name that was used for it. A write through another name of the
//! same file outside of the watched folders, or through a memory mapping, is not reported. Files
//! with several names (hard links) are therefore compared before every answer. A mapped file cannot
//! be recognised, so all files are compared in turn, some before each answer, within a small share
//! of the time that has passed.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound::{Excluded, Unbounded};
use std::time::{Duration, Instant};

use base::RepoPath;
use tree::{ProjectFile, Stat, WorkingTree};

/// One part in this many of the passed time is spent on comparing files in turn.
const TIME_SHARE: u32 = 20;

/// Maximum time that one answer spends on it.
const MAX_SWEEP_TIME: Duration = Duration::from_millis(5);

/// Number of files that are compared between two readings of the clock.
const FILES_PER_CLOCK_CHECK: usize = 16;

/// The metadata of each file at its last comparison.
#[derive(Debug, Default)]
pub(super) struct FileSweep {
    files: BTreeMap<RepoPath, Stat>,
    /// Files with several names
    linked: BTreeSet<RepoPath>,
    /// The file that was last compared in turn
    last: Option<RepoPath>,
    /// When it was compared
    last_sweep: Option<Instant>,
}

impl FileSweep {
    /// Records files that were found at or below some paths, or in the whole tree if `part` is
    /// `None`.
    pub(super) fn note(&mut self, found: &[ProjectFile], part: Option<&BTreeSet<RepoPath>>) {
        match part {
            None => (self.files, self.linked) = Default::default(),
            Some(part) => part.iter().for_each(|path| self.forget(path)),
        }
        for file in found {
            self.files.insert(file.path.clone(), file.stat);
            if file.has_hard_links {
                self.linked.insert(file.path.clone());
            }
        }
    }

    fn forget(&mut self, path: &RepoPath) {
        self.files.remove(path);
        self.linked.remove(path);
        let below = |known: &&RepoPath| known.is_at_or_below(path);
        let first = [path.as_bytes(), b"/\x01"].concat();
        let Ok(first) = RepoPath::from_bytes(if path.is_root() { vec![1] } else { first }) else {
            return;
        };
        let range = self.files.range(first..).map(|(known, _)| known);
        let gone: Vec<RepoPath> = range.take_while(below).cloned().collect();
        for known in gone {
            self.files.remove(&known);
            self.linked.remove(&known);
        }
    }

    /// The files whose metadata changed, among those that are compared now.
    pub(super) fn changed(&mut self, tree: &WorkingTree) -> BTreeSet<RepoPath> {
        let now = Instant::now();
        let passed = self.last_sweep.replace(now).map_or(Duration::MAX, |when| now - when);
        let mut changed = self.changed_in_turn(tree, (passed / TIME_SHARE).min(MAX_SWEEP_TIME));
        let stat = |path: &RepoPath| self.files.get(path);
        let differs = |path: &&RepoPath| stat(path).is_some_and(|stat| differs(tree, path, stat));
        changed.extend(self.linked.iter().filter(differs).cloned());
        changed
    }

    /// The changed files among those that are next in turn, as many as the time allows.
    fn changed_in_turn(&mut self, tree: &WorkingTree, time: Duration) -> BTreeSet<RepoPath> {
        let start = Instant::now();
        let from = self.last.take().unwrap_or(RepoPath::ROOT);
        let rest = self.files.range((Excluded(&from), Unbounded));
        let around = rest.chain(self.files.range(..=&from));
        let mut changed = BTreeSet::new();
        for (number, (path, stat)) in around.enumerate() {
            let is_over = || time.is_zero() || (number > 0 && start.elapsed() >= time);
            if number % FILES_PER_CLOCK_CHECK == 0 && is_over() {
                break;
            }
            if differs(tree, path, stat) {
                changed.insert(path.clone());
            }
            self.last = Some(path.clone());
        }
        if self.last.is_none() {
            self.last = Some(from);
        }
        changed
    }
}

fn differs(tree: &WorkingTree, path: &RepoPath, stat: &Stat) -> bool {
    tree.stat_unconfined(path) != Some(*stat)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn found(tree: &WorkingTree, path: &str) -> ProjectFile {
        let path: RepoPath = path.parse().unwrap();
        let (stat, is_linked) = (tree.stat_unconfined(&path).unwrap(), tree.has_hard_links(&path));
        ProjectFile { path, stat, has_hard_links: is_linked }
    }

    #[test]
    fn files_with_several_names_are_always_looked_at_and_the_others_in_turn() {
        let (dir, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let write = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
        fs::create_dir(dir.path().join("a")).unwrap();
        for name in ["a/one", "a/two", "a-b"] {
            write(name, "x");
        }
        fs::hard_link(dir.path().join("a/two"), outside.path().join("other")).unwrap();
        let tree = WorkingTree::open(dir.path()).unwrap();
        let all = ["a-b", "a/one", "a/two"].map(|name| found(&tree, name));
        let mut sweep = FileSweep::default();
        sweep.note(&all, None);
        let names =
            |paths: BTreeSet<RepoPath>| paths.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert!(sweep.changed_in_turn(&tree, Duration::MAX).is_empty());
        write("a/one", "longer");
        fs::write(outside.path().join("other"), "longer").unwrap();
        assert!(sweep.changed_in_turn(&tree, Duration::ZERO).is_empty(), "there is no time");
        assert!(names(sweep.changed(&tree)).contains(&"a/two".to_owned()));
        assert_eq!(names(sweep.changed_in_turn(&tree, Duration::MAX)), ["a/one", "a/two"]);
        let part = BTreeSet::from(["a".parse().unwrap()]);
        sweep.note(&[found(&tree, "a/one")], Some(&part));
        assert!(sweep.changed_in_turn(&tree, Duration::MAX).is_empty());
        assert_eq!(sweep.files.len(), 2, "what is beside a folder stays");
        assert!(sweep.linked.is_empty());
    }

    #[test]
    fn turns_go_on_where_the_last_one_ended() {
        let dir = tempfile::tempdir().unwrap();
        let tree = WorkingTree::open(dir.path()).unwrap();
        let name = |number: usize| format!("{number:03}");
        (0..100).for_each(|number| fs::write(dir.path().join(name(number)), "x").unwrap());
        let mut sweep = FileSweep::default();
        let all: Vec<ProjectFile> = (0..100).map(|number| found(&tree, &name(number))).collect();
        sweep.note(&all, None);
        (0..100).for_each(|number| fs::write(dir.path().join(name(number)), "longer").unwrap());
        let mut seen = BTreeSet::new();
        while seen.len() < 100 {
            seen.extend(sweep.changed_in_turn(&tree, Duration::from_nanos(1)));
            sweep.changed_in_turn(&tree, Duration::ZERO);
        }
    }
}
