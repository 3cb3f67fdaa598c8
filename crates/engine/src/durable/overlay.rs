//! A store together with the records of shared files that it does not contain yet.
//!
//! Shared files may contain records that a store does not have: all of them if nothing was ever
//! written to the store, otherwise those that others added since. Then these records are added to a
//! copy of the store in memory, and readers use the copy like any other store. It is made once for
//! each state of the files and the store. The next change to the store first writes the pulled
//! records, in the same transaction.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use base::Result;
use base::shared::{MergeReport, SharedProblemKind};
use store::{Connection, MemoryStore, Store};

use super::{DurableStore, StoreChange, StoreReader, tables};
use crate::connection_pool::PooledConnection;
use crate::shared_files;
use crate::view::View;

/// What an area finds in the shared files for its store.
#[derive(Debug, Default)]
pub struct SharedChanges {
    /// The change that applies what the store does not have
    pub change: Option<Arc<dyn StoreChange>>,
    /// What it applies, and which conflicts are left
    pub merged: MergeReport,
}

/// How an area reads shared files.
#[derive(Debug, Clone, Copy)]
pub struct SharedSource {
    /// Compares the files with a store; the connection is `None` if nothing was ever written to it
    pub pull: fn(&View<'_>, Option<&Connection>) -> Result<SharedChanges>,
    /// A text that identifies what the result depends on besides the files and the store
    pub depends: fn(&View<'_>) -> Result<String>,
}

/// What was pulled for a store, and the copy of the store with it.
#[derive(Debug)]
pub(crate) struct SharedOverlay {
    /// What was found in the files
    pub pulled: SharedChanges,
    copy: Option<OverlaidStoreCopy>,
}

/// A store in memory.
#[derive(Debug)]
struct OverlaidStoreCopy {
    home: MemoryStore,
    /// The store in memory exists as long as this connection is open
    _open: Mutex<Store>,
}

/// A store as a view sees it.
#[derive(Debug, Default)]
pub(crate) struct StoreView {
    /// Its rows; `None` if it has none
    pub reading: Option<StoreReader>,
    /// What the shared files have for it; `None` if nothing is shared
    pub overlay: Option<Arc<SharedOverlay>>,
}

/// Reads a store together with what the shared files have for it.
pub(crate) fn read_with_overlay(
    view: &View,
    durable: &DurableStore,
    written: Option<StoreReader>,
) -> Result<StoreView> {
    let Some(source) = durable.shared.filter(|_| shared_files::has_folder(view).unwrap_or(true))
    else {
        return Ok(StoreView { reading: written, overlay: None });
    };
    let base = written.filter(|reading| reading.revision > 0);
    let overlay = match fingerprint(view, durable, &source, base.as_ref())? {
        None => Arc::new(make_overlay(view, durable, &source, base.as_ref())?),
        Some(mark) => match view.cached_at(durable.file, &mark) {
            Some(kept) => kept,
            None => view.cache_at(
                durable.file,
                mark,
                make_overlay(view, durable, &source, base.as_ref())?,
            ),
        },
    };
    overlay.report_unmerged(view);
    let reading = match &overlay.copy {
        None => base,
        Some(copy) => {
            let mut reading =
                StoreReader::of(PooledConnection::unpooled(copy.home.open_read_only()?)?)?;
            reading.shared_state = Some(shared_files::fingerprint(view)?);
            Some(reading)
        }
    };
    Ok(StoreView { reading, overlay: Some(overlay) })
}

/// Identifies the state of the files and the store. `None` if the index is only in memory, because
/// it has no fingerprint then.
fn fingerprint(
    view: &View,
    durable: &DurableStore,
    source: &SharedSource,
    written: Option<&StoreReader>,
) -> Result<Option<String>> {
    if view.index()?.fingerprint().is_none() {
        return Ok(None);
    }
    let path = view.store_file(durable)?;
    let store = written.map(|reading| (crate::index::file_fingerprint(&path), reading.revision));
    let depends = (source.depends)(view)?;
    Ok(Some(format!("{} {store:?} {} {depends}", path.display(), shared_files::fingerprint(view)?)))
}

fn make_overlay(
    view: &View,
    durable: &DurableStore,
    source: &SharedSource,
    written: Option<&StoreReader>,
) -> Result<SharedOverlay> {
    let mut pulled = (source.pull)(view, written.map(|reading| &*reading.conn))?;
    if pulled.change.is_none() {
        return Ok(SharedOverlay { pulled, copy: None });
    }
    let (home, mut open) = new_memory(durable)?;
    match written {
        None => store::migrate(&mut open, &durable.all_migrations())?,
        Some(reading) => {
            let path = view.store_file(durable)?;
            home.copy_from(&path)?;
            // Another process may have written to the store before it was copied.
            if tables::revision(open.connection())? != reading.revision {
                pulled = (source.pull)(view, Some(open.connection()))?;
            }
        }
    }
    if let Some(change) = &pulled.change {
        open.write(|transaction| change.apply(transaction).map(drop))?;
    }
    Ok(SharedOverlay { pulled, copy: Some(OverlaidStoreCopy { home, _open: Mutex::new(open) }) })
}

fn new_memory(durable: &DurableStore) -> Result<(MemoryStore, Store)> {
    static COPY_COUNT: AtomicU64 = AtomicU64::new(0);
    let number = COPY_COUNT.fetch_add(1, Ordering::Relaxed);
    let home = MemoryStore::named(&format!("cairn-{}-{number}", durable.name));
    let open = home.open()?;
    Ok((home, open))
}

impl SharedOverlay {
    /// Says in the basis which shared records could not be used.
    fn report_unmerged(&self, view: &View) {
        for kind in [
            SharedProblemKind::Unreadable,
            SharedProblemKind::Conflict,
            SharedProblemKind::Rewritten,
        ] {
            let mut of_kind =
                self.pulled.merged.problems.iter().filter(|problem| problem.kind == kind);
            let Some(first) = of_kind.next() else { continue };
            let what = match kind {
                SharedProblemKind::Unreadable => "a shared record cannot be read",
                SharedProblemKind::Conflict => "a shared record is in conflict",
                SharedProblemKind::Rewritten => "a shared changelog entry was rewritten",
            };
            let more = match of_kind.count() {
                0 => String::new(),
                more => format!(" (and {more} more, which `verify` lists)"),
            };
            view.mark_partial(format!("{what}: {}: {}{more}", first.path, first.reason));
        }
    }

    /// The change that applies what was pulled, with a time and an author.
    pub(crate) fn change(&self, at: &str, actor: &str) -> Option<Arc<dyn StoreChange>> {
        let change = self.pulled.change.as_ref()?;
        Some(change.attributed_to(at, actor).unwrap_or_else(|| change.clone()))
    }
}
