//! Growing the line: one commit after the other, each applied to where everything was before it.
//!
//! Branches that went on side by side follow each other here, so a path may be touched after
//! another branch renamed it. It is then still the artifact that was last seen there; only a path
//! that is added where nothing is becomes a new one. What the commit that is checked out really
//! has is told by its tree, at the end.
//!
//! @see spec::history/artifacts

use std::collections::{BTreeMap, HashMap};

use base::{RepoPath, Result};
use store::Connection;

use super::tables;
use super::{CheckoutCommit, PathState};
use crate::commit::{CommitChangeKind, CommitFileChange, HistoryCommit};
use crate::tags;

/// How the paths of the commit that is checked out are known.
#[derive(Debug)]
pub enum CheckedOutPaths<'a> {
    /// From its tree
    Tree(&'a [RepoPath]),
    /// From the tree before, because what was added is a chain of commits with one parent each
    LinearAppend,
}

/// Adds commits to the line, inside of one transaction.
pub struct CheckoutHistoryWriter<'a> {
    conn: &'a Connection,
    /// Whether a path is no part of the history
    is_excluded: &'a dyn Fn(&RepoPath) -> bool,
    /// Whether everything that is known is in here, so that the tables need not be asked
    has_all_paths: bool,
    names: HashMap<Vec<u8>, Option<i64>>,
    places: HashMap<i64, PathState>,
    next_pos: i64,
    next_artifact: i64,
}

/// A change with its paths as numbers.
type PathChange = (CommitChangeKind, i64, Option<i64>);

impl<'a> CheckoutHistoryWriter<'a> {
    /// Keeps the commits before a position and forgets the others.
    pub fn truncated_to(
        conn: &'a Connection,
        keep: i64,
        hides: &'a dyn Fn(&RepoPath) -> bool,
    ) -> Result<Self> {
        let is_append = keep == tables::count(conn)? && keep > 0;
        let mut places = HashMap::new();
        if !is_append {
            tables::truncate_from(conn, keep)?;
            replay_touches(conn, &mut places)?;
        }
        Ok(Self {
            conn,
            is_excluded: hides,
            has_all_paths: !is_append,
            names: HashMap::new(),
            places,
            next_pos: keep,
            next_artifact: tables::next_artifact(conn)?,
        })
    }

    /// Adds the next commit, which the store of commits knows by `id`.
    pub fn add(&mut self, id: i64, commit: &HistoryCommit) -> Result<()> {
        let pos = self.next_pos;
        let steps = self.path_changes(&commit.changes)?;
        let artifacts = self.resolve_artifacts(&steps)?;
        let mut touched: Vec<i64> = artifacts.clone();
        touched.sort_unstable();
        touched.dedup();
        let stop = CheckoutCommit {
            pos,
            id,
            sha: commit.sha.clone(),
            time: commit.committer.time,
            files: i64::try_from(touched.len()).unwrap_or(i64::MAX),
            is_merge: commit.parents.len() > 1,
        };
        tables::put_commit(self.conn, &stop)?;
        let size = if stop.is_merge { 0 } else { stop.files };
        for ((how, path, old), artifact) in steps.iter().zip(&artifacts) {
            tables::put_touch(self.conn, (pos, *artifact), ((*path, *old, *how), size))?;
        }
        for (nth, op) in tags::tag_ops_in_message(&commit.message).iter().enumerate() {
            for artifact in &touched {
                tables::put_tag_op(self.conn, (*artifact, pos, nth), op)?;
            }
        }
        self.apply_changes(steps.into_iter().zip(artifacts))?;
        self.next_pos += 1;
        Ok(())
    }

    /// Writes down where everything is now.
    pub fn finish(mut self, live: &CheckedOutPaths<'_>) -> Result<()> {
        if let CheckedOutPaths::Tree(tree) = live {
            tables::clear_checked_out(self.conn)?;
            self.places.values_mut().for_each(|place| place.is_checked_out = false);
            for path in *tree {
                let Some(id) = self.path_number(path.as_bytes())? else { continue };
                if let Some(place) = self.path_state(id)? {
                    self.places.insert(id, PathState { is_checked_out: true, ..place });
                }
            }
        }
        let sorted: BTreeMap<i64, PathState> = self.places.into_iter().collect();
        for (path, place) in sorted {
            tables::put_path_state(self.conn, path, place)?;
        }
        self.conn
            .execute_batch(tables::DEFERRED_INDEXES)
            .map_err(store::sqlite_problem("write the history"))
    }

    /// The changes that count, with numbers for paths. Half of a rename may be hidden.
    fn path_changes(&mut self, changes: &[CommitFileChange]) -> Result<Vec<PathChange>> {
        let mut steps = Vec::with_capacity(changes.len());
        for change in changes {
            let path = self.path_number(&change.path)?;
            let old =
                change.old_path.as_deref().map(|old| self.path_number(old)).transpose()?.flatten();
            steps.extend(match (change.kind, path, old) {
                (CommitChangeKind::Renamed, Some(path), None) => {
                    Some((CommitChangeKind::Added, path, None))
                }
                (CommitChangeKind::Renamed, None, Some(old)) => {
                    Some((CommitChangeKind::Deleted, old, None))
                }
                (how, Some(path), old) => Some((how, path, old)),
                (_, None, _) => None,
            });
        }
        Ok(steps)
    }

    /// Which artifact each change is about, as things were before the commit.
    fn resolve_artifacts(&mut self, steps: &[PathChange]) -> Result<Vec<i64>> {
        let mut found = Vec::with_capacity(steps.len());
        for (how, path, old) in steps {
            let before = self.path_state(old.unwrap_or(*path))?;
            found.push(match before {
                Some(place) if *how != CommitChangeKind::Added || place.exists_after_replay => {
                    place.artifact
                }
                _ => {
                    self.next_artifact += 1;
                    self.next_artifact - 1
                }
            });
        }
        Ok(found)
    }

    fn apply_changes(
        &mut self,
        done: impl Iterator<Item = (PathChange, i64)> + Clone,
    ) -> Result<()> {
        // What the tables know of these paths has to be here before it is changed.
        for ((_, path, old), _) in done.clone() {
            self.path_state(path)?;
            old.map(|old| self.path_state(old)).transpose()?;
        }
        apply_path_changes(&mut self.places, done);
        Ok(())
    }

    /// The number of a path; none if the path is no part of the history.
    fn path_number(&mut self, path: &[u8]) -> Result<Option<i64>> {
        if let Some(known) = self.names.get(path) {
            return Ok(*known);
        }
        let plain = RepoPath::from_bytes(path).ok().filter(|path| !path.is_root());
        let number = match plain {
            Some(plain) if !(self.is_excluded)(&plain) => {
                Some(match tables::path_id(self.conn, path)? {
                    Some(id) => id,
                    None => tables::put_path(self.conn, &plain)?,
                })
            }
            _ => None,
        };
        self.names.insert(path.to_vec(), number);
        Ok(number)
    }

    fn path_state(&mut self, path: i64) -> Result<Option<PathState>> {
        if let Some(place) = self.places.get(&path) {
            return Ok(Some(*place));
        }
        if self.has_all_paths {
            return Ok(None);
        }
        let found = tables::path_state(self.conn, path)?;
        if let Some(place) = found {
            self.places.insert(path, place);
        }
        Ok(found)
    }
}

/// Where things are after a commit: first everything leaves its place, then everything arrives,
/// so that two files can change places.
fn apply_path_changes(
    places: &mut HashMap<i64, PathState>,
    done: impl Iterator<Item = (PathChange, i64)> + Clone,
) {
    for ((how, path, old), artifact) in done.clone() {
        let left = if how == CommitChangeKind::Deleted { Some(path) } else { old };
        if let Some(left) = left {
            let place = places.entry(left).or_insert(PathState {
                artifact,
                exists_after_replay: false,
                is_checked_out: false,
            });
            (place.exists_after_replay, place.is_checked_out) = (false, false);
        }
    }
    for ((_, path, _), artifact) in done.filter(|((how, ..), _)| *how != CommitChangeKind::Deleted)
    {
        places
            .insert(path, PathState { artifact, exists_after_replay: true, is_checked_out: true });
    }
}

/// Finds where things are from what was kept.
fn replay_touches(conn: &Connection, places: &mut HashMap<i64, PathState>) -> Result<()> {
    let mut commit: (i64, Vec<(PathChange, i64)>) = (-1, Vec::new());
    tables::all_touches(conn, |pos, artifact, (path, old, how)| {
        if pos != commit.0 {
            apply_path_changes(places, std::mem::take(&mut commit.1).into_iter());
            commit.0 = pos;
        }
        commit.1.push(((how, path, old), artifact));
    })?;
    apply_path_changes(places, commit.1.into_iter());
    Ok(())
}
