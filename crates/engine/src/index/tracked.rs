//! Files that git tracks although the ignore rules hide them. They are files of the project.
//!
//! Only git knows them, and asking costs a process; so the answer is kept in the index for as
//! long as git's own index and the ignore rules stay as they are.

use std::collections::BTreeSet;

use base::{Call, RepoPath, Result};
use store::Connection;
use tree::{Found, Stat, Walk};

use super::refresh::Sources;
use super::tables;

/// The hidden files that are tracked, and what that answer depends on.
pub(super) struct Tracked {
    paths: Vec<RepoPath>,
    depends_on: String,
    /// Whether it is other than what the index has kept
    pub(super) is_new: bool,
}

impl Tracked {
    /// From the index, or by asking git again.
    pub(super) fn find(
        conn: &Connection,
        walk: &Walk,
        (sources, part): (&Sources<'_>, Option<&BTreeSet<RepoPath>>),
        call: &Call,
    ) -> Result<Self> {
        let Some(git) = sources.git else {
            return Ok(Self { paths: Vec::new(), depends_on: String::new(), is_new: false });
        };
        let kept = tables::meta(conn, "tracked_by")?;
        // A walk of a part sees no ignore rules: had they changed, it would have been whole.
        let rules = match (part, &kept) {
            (Some(_), Some(kept)) => kept.split_once('|').map_or("", |(_, rules)| rules).to_owned(),
            _ => rules(walk),
        };
        let depends_on = format!("{}|{rules}", git.index_stat());
        if kept.as_ref() == Some(&depends_on) {
            let list = tables::meta(conn, "tracked")?.unwrap_or_default();
            let paths = list.lines().filter_map(|line| line.parse().ok()).collect();
            return Ok(Self { paths, depends_on, is_new: false });
        }
        Ok(Self { paths: git.tracked_but_ignored(call)?, depends_on, is_new: true })
    }

    /// Adds those that are there to what a walk found.
    pub(super) fn add_to(
        &self,
        walk: &mut Walk,
        sources: &Sources<'_>,
        part: Option<&BTreeSet<RepoPath>>,
    ) -> Result<()> {
        let wanted = |path: &&RepoPath| {
            !sources.excludes.hide(path, false)
                && part.is_none_or(|part| tree::is_at_or_below(path, part))
        };
        for path in self.paths.iter().filter(wanted) {
            if let Some(stat) = sources.tree.stat(path)?.filter(Stat::is_file) {
                walk.files.push(Found { path: path.clone(), stat });
            }
        }
        walk.files.sort_by(|a, b| a.path.cmp(&b.path));
        walk.files.dedup_by(|a, b| a.path == b.path);
        Ok(())
    }

    /// Writes the answer down.
    pub(super) fn keep(&self, conn: &Connection) -> Result<()> {
        let list: Vec<String> = self.paths.iter().map(ToString::to_string).collect();
        tables::set_meta(conn, "tracked", &list.join("\n"))?;
        tables::set_meta(conn, "tracked_by", &self.depends_on)
    }
}

/// The ignore files of a walk, as far as they tell that they changed.
fn rules(walk: &Walk) -> String {
    let rules = walk.files.iter().filter(|file| file.path.name() == ".gitignore");
    let all: String = rules.map(|file| format!("{}:{:?}\n", file.path, file.stat)).collect();
    blake3::hash(all.as_bytes()).to_hex()[..16].to_owned()
}
