//! Files that git tracks although the ignore rules hide them. They are files of the project.
//!
//! Only git knows which files are tracked, and asking it costs a process. The answer is therefore
//! kept in the index until git's own index or the ignore rules change. Git is not asked which files
//! are ignored, because it reads ignore files of any size and waits for one that is a pipe.

use std::collections::BTreeSet;

use base::{Call, RepoPath, Result};
use store::Connection;
use tree::{FileWalk, ProjectFile, SkipReason, Stat};

use super::refresh_plan::RefreshSources;
use super::tables;

/// The hidden files that are tracked, and the state that this answer depends on.
pub(super) struct TrackedIgnored {
    paths: BTreeSet<RepoPath>,
    depends_on: String,
    /// Whether the answer or its state differs from what the index has
    pub(super) is_new: bool,
}

impl TrackedIgnored {
    /// The state before git was asked.
    pub(super) fn unknown() -> Self {
        Self { paths: BTreeSet::new(), depends_on: String::new(), is_new: false }
    }

    /// Reads the answer from the index or asks git again. After a partial walk the ignore rules are
    /// taken from the index, because a change of them would have caused a whole walk.
    pub(super) fn find(
        conn: &Connection,
        walk: Option<&FileWalk>,
        sources: &RefreshSources<'_>,
        call: &Call,
    ) -> Result<Self> {
        let Some(git) = sources.git else {
            let (paths, depends_on) = (BTreeSet::new(), String::new());
            return Ok(Self { paths, depends_on, is_new: false });
        };
        let kept = tables::meta(conn, "tracked_by")?.unwrap_or_default();
        let rules = match walk {
            Some(walk) => rules(walk),
            None => kept.split_once('|').map_or("", |(_, rules)| rules).to_owned(),
        };
        let list = tables::meta(conn, "tracked")?.unwrap_or_default();
        let known: BTreeSet<RepoPath> = list.lines().filter_map(|line| line.parse().ok()).collect();
        let depends_on = format!("{}|{rules}", git.index_fingerprint());
        if kept == depends_on {
            return Ok(Self { paths: known, depends_on, is_new: false });
        }
        // Only a full walk shows what is hidden; the caller asks again after one.
        let paths = match walk {
            Some(walk) => hidden(git.tracked(call)?, walk),
            None => BTreeSet::new(),
        };
        Ok(Self { paths, depends_on, is_new: true })
    }

    /// Adds the files that exist to the result of a walk.
    pub(super) fn add_to(
        &self,
        walk: &mut FileWalk,
        sources: &RefreshSources<'_>,
        part: Option<&BTreeSet<RepoPath>>,
    ) -> Result<()> {
        let wanted = |path: &&RepoPath| {
            !sources.excludes.hides(path, false)
                && part.is_none_or(|part| tree::is_at_or_below(path, part))
        };
        for path in self.paths.iter().filter(wanted) {
            if let Some(stat) = sources.tree.stat_if_reachable(path).filter(Stat::is_file) {
                let is_linked = sources.tree.has_hard_links(path);
                walk.files.push(ProjectFile {
                    path: path.clone(),
                    stat,
                    has_hard_links: is_linked,
                });
            }
        }
        walk.files.sort_by(|a, b| a.path.cmp(&b.path));
        walk.files.dedup_by(|a, b| a.path == b.path);
        Ok(())
    }

    /// Stores the answer in the index.
    pub(super) fn store(&self, conn: &Connection) -> Result<()> {
        let list: Vec<String> = self.paths.iter().map(ToString::to_string).collect();
        tables::set_meta(conn, "tracked", &list.join("\n"))?;
        tables::set_meta(conn, "tracked_by", &self.depends_on)
    }
}

/// The tracked files that a walk did not find. Files behind a symbolic link or in a nested
/// repository are not files of the project. Files that do not exist now are kept, because they may
/// come back.
fn hidden(tracked: Vec<RepoPath>, walk: &FileWalk) -> BTreeSet<RepoPath> {
    let elsewhere = |why| matches!(why, SkipReason::Link | SkipReason::Repository);
    let skipped = walk.skipped.iter().filter(|skipped| elsewhere(skipped.reason));
    let skipped: BTreeSet<RepoPath> = skipped.map(|skipped| skipped.path.clone()).collect();
    let seen: BTreeSet<&RepoPath> = walk.files.iter().map(|file| &file.path).collect();
    let is_hidden = |path: &RepoPath| !seen.contains(path) && !tree::is_at_or_below(path, &skipped);
    tracked.into_iter().filter(is_hidden).collect()
}

/// The ignore files of a walk with what shows whether they changed.
fn rules(walk: &FileWalk) -> String {
    let rules = walk.files.iter().filter(|file| file.path.name() == ".gitignore");
    let all: Vec<String> = rules.map(|file| format!("{}:{:?}", file.path, file.stat)).collect();
    base::Hash::of(all.join("\n").as_bytes()).prefix(16)
}
