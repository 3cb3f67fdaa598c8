//! Work's knowledge in files that others share.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::Result;
use base::shared::{Merged, Prefer};
use store::Connection;
use work::share;

use super::{STORE, WorkChange, draft, empty, look, plan};
use crate::durable::{Pulled, SharedSource, StoreChange};
use crate::plan::{Change, Plan};
use crate::shared;
use crate::view::View;

/// How the shared files of knowledge are read.
pub(super) const SOURCE: SharedSource = SharedSource { pull, depends: |_| Ok(String::new()) };

fn pull(view: &View<'_>, conn: Option<&Connection>) -> Result<Pulled> {
    let unwritten = empty()?;
    let conn = conn.unwrap_or(&unwritten);
    let files = shared::files(view, share::agreements(conn)?)?;
    let mut draft = draft(view, conn)?;
    let merged = share::merge(&mut draft, &files, Prefer::Neither)?;
    let images = draft.images();
    let change = (!images.is_empty())
        .then(|| Arc::new(WorkChange { images, undoes: false }) as Arc<dyn StoreChange>);
    Ok(Pulled { change, merged })
}

/// Plans to take over what the files have. What can be taken without a choice is laid over the
/// store already, and is written before any other change.
pub(crate) fn merge(view: &View, prefer: Prefer) -> Result<Plan<Merged>> {
    let summary = "merge shared knowledge".to_owned();
    let Some(overlay) = view.overlay(STORE)? else {
        let (change, answer) = (Change::Nothing, Merged::default());
        return Ok(Plan { summary, change, answer, again: true });
    };
    let done = overlay.pulled.merged.clone();
    if prefer == Prefer::Neither {
        let change = match overlay.pulled.change {
            Some(_) => Change::Store(Arc::new(WorkChange { images: Vec::new(), undoes: false })),
            None => Change::Nothing,
        };
        return Ok(Plan { summary, change, answer: done, again: true });
    }
    plan(
        view,
        |_| summary,
        |draft| {
            let files = shared::files(view, share::agreements(draft.conn())?)?;
            Ok(done.then(share::merge(draft, &files, prefer)?))
        },
    )
}

/// What the files should say; nothing for a file that should not be there.
pub(crate) fn texts(
    view: &View,
    files: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, Option<String>>> {
    look(view, |draft| share::texts(draft, files))
}
