//! A copy of a replica with the pending changes laid over it, for reading.
//!
//! The copy is derived: it is made again from the replica and the outbox whenever one of them has
//! changed, and a copy that was left behind is removed.

use std::fs;
use std::path::{Path, PathBuf};

use base::{Problem, Result};
use store::{BackupNotes, RecordImage};

use super::home::TeamLink;
use super::outbox::{OutboxEntry, OutboxState};
use super::replica::{ReplicaFiles, apply_image, record_tables, remove_store};

/// The folder of the copies, in the folder that all worktrees share.
const FOLDER: &str = "team-pending";

/// The copy of the store that is read, made if it is not there; none if nothing is pending for it.
pub(super) fn copy_for_reading(
    link: &TeamLink,
    files: ReplicaFiles<'_>,
) -> Result<Option<PathBuf>> {
    let Some(store) = files.read_store()? else { return Ok(None) };
    let entries = pending_of(link, &store.name)?;
    let Some(last) = entries.last() else { return Ok(None) };
    let revision = match store.path.exists() {
        true => crate::durable::tables::revision(&store::open_read_only(&store.path)?)?,
        false => 0,
    };
    let prefix = base::Hash::of(store.name.as_bytes()).prefix(16).clone();
    let folder = link.shared().join(FOLDER);
    let file = folder.join(format!("{prefix}-{revision}-{}.sqlite", last.entry));
    if file.exists() {
        return Ok(Some(file));
    }
    fs::create_dir_all(&folder).map_err(Problem::io("make the folder of pending changes"))?;
    remove_older(&folder, &prefix);
    make(files, &store.path, &entries, &file)?;
    Ok(Some(file))
}

/// The pending entries of a store, in order.
pub(super) fn pending_of(link: &TeamLink, store: &str) -> Result<Vec<OutboxEntry>> {
    let mut entries = link.outbox().in_state(OutboxState::Pending)?;
    entries.retain(|entry| entry.store == store);
    Ok(entries)
}

fn make(
    files: ReplicaFiles<'_>,
    replica: &Path,
    entries: &[OutboxEntry],
    file: &Path,
) -> Result<()> {
    let temp = file.with_extension(format!("{}.tmp", std::process::id()));
    remove_store(&temp);
    if replica.exists() {
        let source = files.durable.open(replica)?; // a connection that may not write cannot copy either
        store::back_up(source.connection(), &temp, &BackupNotes::new())?;
    }
    let mut open = files.durable.open(&temp)?;
    open.write(|conn| {
        let records = record_tables(conn)?;
        for record in entries.iter().flat_map(|entry| &entry.records) {
            let image = RecordImage {
                kind: record.kind.clone(),
                id: record.id.clone(),
                version: 0,
                body: record.after.clone(),
            };
            apply_image(files.durable, &records, conn, &image)?;
        }
        Ok(())
    })?;
    open.checkpoint()?;
    drop(open);
    fs::rename(&temp, file).map_err(Problem::io("store pending changes"))
}

/// Removes copies that are no longer read; a reader that has one open keeps it.
fn remove_older(folder: &Path, prefix: &str) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(prefix) {
            let _ = fs::remove_file(entry.path()); // another process may have done it
        }
    }
}
