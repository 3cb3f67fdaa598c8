//! Files that a watcher may hear nothing of: they are compared by what the system says of them.
//!
//! Linux reports a write by the name it was made through. What is written through another name of
//! the same file, outside of the folders that are listened to, or through memory that a file is
//! mapped into, is not reported. A file with several names is therefore looked at before every
//! answer. A mapped file looks like any other, so all files are looked at in turn, some before
//! each answer, for a small part of the time that has passed.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound::{Excluded, Unbounded};
use std::time::{Duration, Instant};

use base::RepoPath;
use tree::{ProjectFile, Stat, WorkingTree};

/// One part in so many of the time that passes goes into looking at files in turn.
const TIME_SHARE: u32 = 20;

/// The most that one answer waits for that.
const MAX_SWEEP_TIME: Duration = Duration::from_millis(5);

/// So many files are looked at between two looks at the clock.
const FILES_PER_CLOCK_CHECK: usize = 16;

/// What the system said of each file when it was last looked at.
#[derive(Debug, Default)]
pub(super) struct FileSweep {
    files: BTreeMap<RepoPath, Stat>,
    /// Those with several names
    linked: BTreeSet<RepoPath>,
    /// The file that was looked at last in its turn
    last: Option<RepoPath>,
    /// When that was
    last_sweep: Option<Instant>,
}

impl FileSweep {
    /// Takes note of files that were found at or below some paths; everywhere for none.
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

    /// The files that are other than they were, as far as they are looked at now.
    pub(super) fn changed(&mut self, tree: &WorkingTree) -> BTreeSet<RepoPath> {
        let now = Instant::now();
        let passed = self.last_sweep.replace(now).map_or(Duration::MAX, |when| now - when);
        let mut changed = self.changed_in_turn(tree, (passed / TIME_SHARE).min(MAX_SWEEP_TIME));
        let stat = |path: &RepoPath| self.files.get(path);
        let differs = |path: &&RepoPath| stat(path).is_some_and(|stat| differs(tree, path, stat));
        changed.extend(self.linked.iter().filter(differs).cloned());
        changed
    }

    /// Those among the files whose turn it is, for as long as there is time.
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
