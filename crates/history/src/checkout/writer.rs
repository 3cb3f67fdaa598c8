//! Appends commits to the checkout history. Each commit is applied to the states of paths before it.
//!
//! Parallel branches follow each other in the order of commits, so a path may be touched after another
//! branch renamed it. It then belongs to the artifact that was last at the path; only a path that is added
//! where nothing exists becomes a new artifact. The tree of the checked-out commit decides at the end
//! which paths exist.
//!
//! @see spec::history/artifacts

use std::collections::{BTreeMap, HashMap};

use base::{RepoPath, Result};
use store::Connection;

use super::tables::{self, Touch};
use super::{ArtifactId, CheckoutCommit, PathState};
use crate::commit::{CommitChangeKind, CommitFileChange, HistoryCommit};
use crate::commit_store::CommitRowId;
use crate::tags;

/// Where the paths of the checked-out commit come from.
#[derive(Debug)]
pub enum CheckedOutPaths<'a> {
    /// From its tree
    Tree(&'a [RepoPath]),
    /// From the tree before, because only a chain of commits with one parent each was added
    LinearAppend,
}

/// Appends commits to the checkout history, inside one transaction.
pub struct CheckoutHistoryWriter<'a> {
    conn: &'a Connection,
    /// Whether a path is left out of the history
    is_excluded: &'a dyn Fn(&RepoPath) -> bool,
    /// Whether `names` and `places` are complete, so that the tables need not be read
    has_all_paths: bool,
    names: HashMap<Vec<u8>, Option<i64>>,
    places: HashMap<i64, PathState>,
    next_pos: i64,
    next_artifact: ArtifactId,
}

/// What a commit did to one path. Paths are numbers of rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PathChange {
    /// What the commit did
    pub kind: CommitChangeKind,
    /// The path
    pub path: i64,
    /// The old path of a rename
    pub old: Option<i64>,
}

impl<'a> CheckoutHistoryWriter<'a> {
    /// Keeps the first `keep` commits and removes the others.
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

    /// Appends a commit. `id` is its row in the commit store.
    pub fn add(&mut self, id: CommitRowId, commit: &HistoryCommit) -> Result<()> {
        let pos = self.next_pos;
        let steps = self.path_changes(&commit.changes)?;
        let artifacts = self.resolve_artifacts(&steps)?;
        let mut touched: Vec<ArtifactId> = artifacts.clone();
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
        for (change, artifact) in steps.iter().zip(&artifacts) {
            let touch = Touch { pos, artifact: *artifact, change: *change };
            tables::put_touch(self.conn, &touch, size)?;
        }
        for (nth, op) in tags::tag_ops_in_message(&commit.message).iter().enumerate() {
            for artifact in &touched {
                tables::put_tag_op(self.conn, *artifact, pos, nth, op)?;
            }
        }
        self.apply_changes(steps.into_iter().zip(artifacts))?;
        self.next_pos += 1;
        Ok(())
    }

    /// Writes the states of all paths.
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

    /// The changes of paths that are not excluded. If one path of a rename is excluded, the rename
    /// becomes an addition or a deletion.
    fn path_changes(&mut self, changes: &[CommitFileChange]) -> Result<Vec<PathChange>> {
        let mut steps = Vec::with_capacity(changes.len());
        for change in changes {
            let path = self.path_number(&change.path)?;
            let old =
                change.old_path.as_deref().map(|old| self.path_number(old)).transpose()?.flatten();
            steps.extend(match (change.kind, path, old) {
                (CommitChangeKind::Renamed, Some(path), None) => {
                    Some(PathChange { kind: CommitChangeKind::Added, path, old: None })
                }
                (CommitChangeKind::Renamed, None, Some(old)) => {
                    Some(PathChange { kind: CommitChangeKind::Deleted, path: old, old: None })
                }
                (kind, Some(path), old) => Some(PathChange { kind, path, old }),
                (_, None, _) => None,
            });
        }
        Ok(steps)
    }

    /// The artifact of each change, from the states before the commit.
    fn resolve_artifacts(&mut self, steps: &[PathChange]) -> Result<Vec<ArtifactId>> {
        let mut found = Vec::with_capacity(steps.len());
        for PathChange { kind, path, old } in steps {
            let before = self.path_state(old.unwrap_or(*path))?;
            found.push(match before {
                Some(place) if *kind != CommitChangeKind::Added || place.exists_after_replay => {
                    place.artifact
                }
                _ => {
                    let new = self.next_artifact;
                    self.next_artifact = new.next();
                    new
                }
            });
        }
        Ok(found)
    }

    fn apply_changes(
        &mut self,
        done: impl Iterator<Item = (PathChange, ArtifactId)> + Clone,
    ) -> Result<()> {
        // Load the stored states of these paths before they change.
        for (PathChange { path, old, .. }, _) in done.clone() {
            self.path_state(path)?;
            old.map(|old| self.path_state(old)).transpose()?;
        }
        apply_path_changes(&mut self.places, done);
        Ok(())
    }

    /// The number of a path; `None` if the path is excluded.
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

/// Applies the changes of a commit to the states of paths. All old paths are cleared before new paths
/// are set, so that two files can swap their paths.
fn apply_path_changes(
    places: &mut HashMap<i64, PathState>,
    done: impl Iterator<Item = (PathChange, ArtifactId)> + Clone,
) {
    for (PathChange { kind, path, old }, artifact) in done.clone() {
        let left = if kind == CommitChangeKind::Deleted { Some(path) } else { old };
        if let Some(left) = left {
            let place = places.entry(left).or_insert(PathState {
                artifact,
                exists_after_replay: false,
                is_checked_out: false,
            });
            (place.exists_after_replay, place.is_checked_out) = (false, false);
        }
    }
    for (change, artifact) in done.filter(|(one, _)| one.kind != CommitChangeKind::Deleted) {
        let state = PathState { artifact, exists_after_replay: true, is_checked_out: true };
        places.insert(change.path, state);
    }
}

/// Rebuilds the states of paths from the stored touches.
fn replay_touches(conn: &Connection, places: &mut HashMap<i64, PathState>) -> Result<()> {
    let mut commit: (i64, Vec<(PathChange, ArtifactId)>) = (-1, Vec::new());
    tables::all_touches(conn, |Touch { pos, artifact, change }| {
        if pos != commit.0 {
            apply_path_changes(places, std::mem::take(&mut commit.1).into_iter());
            commit.0 = pos;
        }
        commit.1.push((change, artifact));
    })?;
    apply_path_changes(places, commit.1.into_iter());
    Ok(())
}
