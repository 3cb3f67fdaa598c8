//! Commits by SHA, stored once for all branches and worktrees.

mod tables;

use std::collections::BTreeSet;

use base::Result;
use store::Connection;

use crate::commit::HistoryCommit;

pub use tables::{
    CommitRowId, SCHEMA, StoredCommit, by_sha, get, header, ids_in_sha_range, last_id,
    search_messages, sha_and_message, shallow_edge_ids, stamp, stored_commit, unknown_rename_ids,
};

/// The largest size of the store, in bytes.
const MAX_STORE_BYTES: u64 = 2 * 1024 * 1024 * 1024;

/// How much of a message is searched, in bytes. The rest is stored only.
const MAX_SEARCHED_BYTES: usize = 64 * 1024;

/// Stores a commit under an id, which is free or already belongs to the same commit.
pub fn put(conn: &Connection, id: CommitRowId, commit: &HistoryCommit) -> Result<()> {
    if tables::insert(conn, id, commit)? {
        return tables::insert_words(conn, id, commit.subject(), truncate_at_char(commit.body()));
    }
    tables::replace_changes(conn, id, commit)
}

/// Stores commits from another source. Returns how many are new. A stored commit is replaced only if the
/// other one is more complete: it has parents that a shallow clone lacked, or known renames.
pub fn insert_or_complete(
    conn: &Connection,
    commits: impl Iterator<Item = Result<HistoryCommit>>,
) -> Result<usize> {
    let (mut next, mut news) = (tables::last_id(conn)?.next(), 0);
    for commit in commits {
        let commit = commit?;
        let id = match tables::stored_commit(conn, &commit.sha)? {
            None => next,
            Some(known) if known.is_less_complete_than(&commit) => known.id,
            Some(_) => continue,
        };
        put(conn, id, &commit)?;
        next = next.max(id.next());
        news += 1;
    }
    if news > 0 {
        // Everything that was built from the earlier content must be built again.
        tables::renew_stamp(conn)?;
    }
    Ok(news)
}

/// Whether the store is too large.
pub fn is_over_capacity(conn: &Connection) -> Result<bool> {
    Ok(tables::used_bytes(conn)? > MAX_STORE_BYTES)
}

/// Shrinks the store to the commits that this worktree needs. Returns whether any were removed.
///
/// Other worktrees may refer to removed commits, so the identifier of the store changes and they rebuild
/// their histories.
pub fn evict_unneeded(conn: &Connection, needed: &BTreeSet<CommitRowId>) -> Result<bool> {
    let mut ids = tables::ids(conn)?;
    ids.retain(|id| !needed.contains(id));
    if ids.is_empty() {
        return Ok(false);
    }
    tables::remove(conn, &ids)?;
    tables::renew_stamp(conn)?;
    Ok(true)
}

impl StoredCommit {
    /// Whether another reading of the same commit is more complete.
    const fn is_less_complete_than(&self, other: &HistoryCommit) -> bool {
        let at_edge = self.is_shallow_edge && !other.is_shallow_edge;
        at_edge || (self.renames_unknown && !other.renames_unknown && !other.is_shallow_edge)
    }
}

/// A prefix of a text, cut between two characters.
fn truncate_at_char(text: &str) -> &str {
    let end = (0..=MAX_SEARCHED_BYTES.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or(0)]
}

/// A query for [`search_messages`] that finds commits with all of these words, or their beginnings.
pub fn all_words_query(words: &str) -> Option<String> {
    let runs = words.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty());
    let quoted: Vec<String> = runs.map(|run| format!("\"{run}\"*")).collect();
    (!quoted.is_empty()).then(|| quoted.join(" "))
}
