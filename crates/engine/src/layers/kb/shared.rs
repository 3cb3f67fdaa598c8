//! The branch's facts in files that others share.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::Result;
use base::shared::{Merged, Prefer};
use kb::share::{self, Taken};
use store::{Connection, problem};

use super::files::from_files;
use super::{KbChange, STORE, What, stamp};
use crate::durable::StoreChange;
use crate::plan::{Change, Plan};
use crate::shared;
use crate::view::View;

/// What a store that nobody has written to begins with.
pub(super) fn begin(view: &View<'_>) -> Result<Option<Arc<dyn StoreChange>>> {
    let (taken, _) = take(view, &empty()?, Prefer::Neither)?;
    Ok((!taken.edits.is_empty()).then(|| change(view, taken)))
}

/// Plans to take over what the files have.
pub(crate) fn merge(view: &View, prefer: Prefer) -> Result<Plan<Merged>> {
    let (store, unwritten) = (view.store(STORE)?, empty()?);
    let is_begun = store.is_some_and(|reading| reading.begun.is_some());
    let conn = store.filter(|_| !is_begun).map_or(&unwritten, |reading| &reading.conn);
    let (taken, merged) = take(view, conn, prefer)?;
    // What a store begins with is all there is to merge.
    let taken = if is_begun { Taken::default() } else { taken };
    let is_needed = is_begun || !taken.edits.is_empty() || !taken.agreed.is_empty();
    Ok(plan(view, (taken, is_needed), "merge shared knowledge", merged))
}

/// Plans to note that the files say what the store says.
pub(crate) fn agree(view: &View, merged: &Merged) -> Result<Plan<()>> {
    let taken = match view.store(STORE)? {
        Some(reading) => share::agree(&reading.conn, merged)?,
        None => Taken::default(),
    };
    let is_needed = !taken.agreed.is_empty();
    Ok(plan(view, (taken, is_needed), "note what is shared", ()))
}

/// What the files should say.
pub(crate) fn texts(view: &View) -> Result<BTreeMap<String, String>> {
    view.store(STORE)?.map_or(Ok(BTreeMap::new()), |reading| share::texts(&reading.conn))
}

/// A store without rows, where this branch has none yet.
pub(crate) fn empty() -> Result<Connection> {
    let conn = Connection::open_in_memory().map_err(problem("open a store"))?;
    let mut steps = kb::STEPS.iter();
    steps.try_for_each(|step| conn.execute_batch(step.sql)).map_err(problem("open a store"))?;
    Ok(conn)
}

fn take(view: &View, conn: &Connection, prefer: Prefer) -> Result<(Taken, Merged)> {
    let files = from_files(view)?;
    let told = files.facts.iter().map(|fact| (fact.entity.id.clone(), fact.entity.kind)).collect();
    share::take(conn, (&shared::files(view)?, &told), prefer)
}

fn plan<A>(view: &View, (taken, is_needed): (Taken, bool), summary: &str, answer: A) -> Plan<A> {
    let change = match is_needed {
        true => Change::Store(change(view, taken)),
        false => Change::Nothing,
    };
    Plan { summary: summary.to_owned(), change, answer, again: true }
}

fn change(view: &View, taken: Taken) -> Arc<dyn StoreChange> {
    let preview = taken.edits.iter().map(|edit| format!("{}\n", edit.words())).collect();
    Arc::new(KbChange { what: What::Share(taken), stamp: Some(stamp(view)), preview })
}
