//! Molecules and atoms in shared files.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::Result;
use base::shared::{MergePreference, MergeReport};
use store::Connection;
use work::share;

use super::{IntegrityCheck, STORE, WorkChange, draft, empty, plan, read_store};
use crate::durable::{SharedChanges, SharedSource, StoreChange};
use crate::plan::{Plan, PlannedChange};
use crate::shared_files;
use crate::view::View;

/// How the shared files of knowledge are read.
pub(super) const SOURCE: SharedSource = SharedSource { pull, depends: |_| Ok(String::new()) };

fn pull(view: &View<'_>, conn: Option<&Connection>) -> Result<SharedChanges> {
    let unwritten = empty()?;
    let conn = conn.unwrap_or(&unwritten);
    let files = shared_files::files(view, share::agreements(conn)?)?;
    let mut draft = draft(view, conn)?;
    let merged = share::import_shared_files(&mut draft, &files, MergePreference::Neither)?;
    let images = draft.into_changes();
    let change = (!images.is_empty()).then(|| {
        Arc::new(WorkChange { images, check: IntegrityCheck::None }) as Arc<dyn StoreChange>
    });
    Ok(SharedChanges { change, merged })
}

/// Plans to apply what the files contain. What needs no decision is already in the overlay,
/// which is written before any other change.
pub fn merge(view: &View, prefer: MergePreference) -> Result<Plan<MergeReport>> {
    let summary = "merge shared knowledge".to_owned();
    let Some(overlay) = view.overlay(STORE)? else {
        let (change, answer) = (PlannedChange::Nothing, MergeReport::default());
        return Ok(Plan { summary, change, answer, retry_on_conflict: true });
    };
    let done = overlay.pulled.merged.clone();
    if prefer == MergePreference::Neither {
        let change = match overlay.pulled.change {
            Some(_) => PlannedChange::Store(Arc::new(WorkChange {
                images: Vec::new(),
                check: IntegrityCheck::None,
            })),
            None => PlannedChange::Nothing,
        };
        return Ok(Plan { summary, change, answer: done, retry_on_conflict: true });
    }
    plan(
        view,
        |_| summary,
        |draft| {
            let files = shared_files::files(view, share::agreements(draft.conn())?)?;
            Ok(done.followed_by(share::import_shared_files(draft, &files, prefer)?))
        },
    )
}

/// The texts that the files should have; no entry for a file that should not exist.
pub fn texts(
    view: &View,
    files: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, Option<String>>> {
    read_store(view, |draft| share::shared_file_texts(draft, files))
}
