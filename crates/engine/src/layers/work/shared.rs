//! Work's knowledge in files that others share.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::Result;
use base::shared::{Merged, Prefer};
use work::share;

use super::{STORE, WorkChange, draft, empty, look, plan};
use crate::durable::StoreChange;
use crate::plan::{Change, Plan};
use crate::shared;
use crate::view::View;

/// What a store that nobody has written to begins with.
pub(super) fn begin(view: &View<'_>) -> Result<Option<Arc<dyn StoreChange>>> {
    let files = shared::files(view)?;
    let conn = empty()?;
    let mut draft = draft(view, &conn)?;
    share::merge(&mut draft, &files, Prefer::Neither)?;
    let images = draft.images();
    let change = WorkChange { images, undoes: false };
    Ok((!change.images.is_empty()).then(|| Arc::new(change) as Arc<dyn StoreChange>))
}

/// Plans to take over what the files have.
pub(crate) fn merge(view: &View, prefer: Prefer) -> Result<Plan<Merged>> {
    let files = shared::files(view)?;
    let summary = |_: &Merged| "merge shared knowledge".into();
    if view.store(STORE)?.is_some_and(|reading| reading.begun.is_none()) {
        return plan(view, summary, |draft| share::merge(draft, &files, prefer));
    }
    // What it begins with is all there is to merge.
    let conn = empty()?;
    let answer = share::merge(&mut draft(view, &conn)?, &files, prefer)?;
    let change = match view.store(STORE)? {
        Some(_) => Change::Store(Arc::new(WorkChange { images: Vec::new(), undoes: false })),
        None => Change::Nothing,
    };
    Ok(Plan { summary: summary(&answer), change, answer, again: true })
}

/// Plans to note that the files say what the store says.
pub(crate) fn agree(view: &View, merged: &Merged) -> Result<Plan<()>> {
    plan(view, |()| "note what is shared".into(), |draft| share::agree(draft, merged))
}

/// What the files should say.
pub(crate) fn texts(view: &View) -> Result<BTreeMap<String, String>> {
    look(view, share::texts)
}
