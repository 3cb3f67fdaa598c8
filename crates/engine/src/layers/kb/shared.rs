//! The branch's facts in files that others share.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::shared::{Merged, Prefer};
use base::{Hash, Result};
use kb::Kind;
use kb::share::{self, Taken};
use store::{Connection, problem};

use super::files::from_files;
use super::{KbChange, STORE, What, stamp};
use crate::durable::{Pulled, SharedSource, StoreChange};
use crate::plan::{Change, Plan};
use crate::shared;
use crate::view::View;

/// How the shared files of facts are read. An entity that a document tells is not taken over.
pub(super) const SOURCE: SharedSource = SharedSource { pull, depends };

fn pull(view: &View<'_>, conn: Option<&Connection>) -> Result<Pulled> {
    let unwritten = empty()?;
    let (taken, merged) = take(view, conn.unwrap_or(&unwritten), Prefer::Neither)?;
    Ok(Pulled { change: (!taken.is_empty()).then(|| change(view, taken)), merged })
}

fn depends(view: &View<'_>) -> Result<String> {
    let told = told(view)?.into_iter().map(|(id, kind)| format!("{id} {kind}\n"));
    Ok(Hash::of(told.collect::<String>().as_bytes()).short())
}

/// Plans to take over what the files have. What can be taken without a choice is laid over the
/// store already, and is written before any other change.
pub(crate) fn merge(view: &View, prefer: Prefer) -> Result<Plan<Merged>> {
    let summary = "merge shared knowledge".to_owned();
    let Some(overlay) = view.overlay(STORE)? else {
        let (change, answer) = (Change::Nothing, Merged::default());
        return Ok(Plan { summary, change, answer, again: true });
    };
    let mut answer = overlay.pulled.merged.clone();
    let mut taken = Taken::default();
    if prefer != Prefer::Neither {
        let unwritten = empty()?;
        let conn = view.store(STORE)?.map_or(&unwritten, |reading| &reading.conn);
        let next;
        (taken, next) = take(view, conn, prefer)?;
        answer = answer.then(next);
    }
    let change = match overlay.pulled.change.is_some() || !taken.is_empty() {
        true => Change::Store(change(view, taken)),
        false => Change::Nothing,
    };
    Ok(Plan { summary, change, answer, again: true })
}

/// What the files should say.
pub(crate) fn texts(
    view: &View,
    files: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, String>> {
    let unwritten = empty()?;
    let conn = view.store(STORE)?.map_or(&unwritten, |reading| &reading.conn);
    share::texts(conn, files, &told(view)?)
}

/// A store without rows, where this branch has none yet.
pub(crate) fn empty() -> Result<Connection> {
    let conn = Connection::open_in_memory().map_err(problem("open a store"))?;
    let mut steps = kb::STEPS.iter();
    steps.try_for_each(|step| conn.execute_batch(step.sql)).map_err(problem("open a store"))?;
    Ok(conn)
}

fn take(view: &View, conn: &Connection, prefer: Prefer) -> Result<(Taken, Merged)> {
    let files = shared::files(view, share::agreements(conn)?)?;
    share::take(conn, &files, &told(view)?, prefer)
}

/// The entities that documents tell.
fn told(view: &View) -> Result<BTreeMap<String, Kind>> {
    let files = from_files(view)?;
    Ok(files.facts.iter().map(|fact| (fact.entity.id.clone(), fact.entity.kind)).collect())
}

fn change(view: &View, taken: Taken) -> Arc<dyn StoreChange> {
    let preview = taken.edits.iter().map(|edit| format!("{}\n", edit.words())).collect();
    Arc::new(KbChange { what: What::Share(Box::new(taken)), stamp: Some(stamp(view)), preview })
}
