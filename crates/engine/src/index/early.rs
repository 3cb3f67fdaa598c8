//! An index of a few files in memory. Questions about named files are answered from it while the
//! first full index is built.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use base::{Call, RepoPath, Result};
use store::{MemoryStore, Store};

use super::refresh_plan::{RefreshPlan, RefreshSources};
use super::{Index, tables};

/// Counter that gives each early index of this process a name of its own.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Builds an in-memory index of some files. Returns `None` if one of them is not a file of the
/// project according to the ignore rules alone, because only the full index knows which ignored
/// files are tracked.
pub(super) fn index_of_files(
    sources: &RefreshSources<'_>,
    paths: &BTreeSet<RepoPath>,
    call: &Call,
    create: impl FnOnce(&mut Store) -> Result<()>,
    apply: impl FnOnce(&mut Store, &RefreshPlan) -> Result<()>,
) -> Result<Option<Index>> {
    let plan = RefreshPlan::of_files(sources, paths, call)?;
    if plan.to_read.len() != paths.len() {
        return Ok(None);
    }
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let home = MemoryStore::named(&format!("cairn-early-index-{number}"));
    let mut store = home.open()?;
    create(&mut store)?;
    let committed = match (sources.git, &plan.head) {
        (Some(git), Some(head)) => git.tree_at(head, paths.iter(), call)?,
        _ => Vec::new(),
    };
    store.write(|tx| {
        committed.iter().try_for_each(|file| tables::put_head(tx, &file.path, &file.oid, file.kind))
    })?;
    apply(&mut store, &plan)?;
    Index::in_memory(home.open_read_only()?).map(Some)
}
