//! The branch's facts in shared files.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::shared::{MergePreference, MergeReport};
use base::{Hash, Result};
use kb::share::{self, SharedImport};
use kb::{KbEntityKind, KbPlan};
use store::{Connection, sqlite_problem};

use super::files::kb_files;
use super::{KbChange, KbChangeKind, STORE, current_stamp};
use crate::durable::{SharedChanges, SharedSource, StoreChange};
use crate::plan::{Plan, PlannedChange};
use crate::shared_files;
use crate::view::View;

/// How the shared files of facts are read. An entity that a document defines is not applied.
pub(super) const SOURCE: SharedSource = SharedSource { pull, depends };

fn pull(view: &View<'_>, conn: Option<&Connection>) -> Result<SharedChanges> {
    let unwritten = empty()?;
    let import = import(view, conn.unwrap_or(&unwritten), MergePreference::Neither)?;
    let change = (!import.plan.is_empty()).then(|| change(view, import.plan));
    Ok(SharedChanges { change, merged: import.report })
}

fn depends(view: &View<'_>) -> Result<String> {
    let kinds = document_entity_kinds(view)?.into_iter().map(|(id, kind)| format!("{id} {kind}\n"));
    Ok(Hash::of(kinds.collect::<String>().as_bytes()).short())
}

/// Plans to apply what the files contain. What needs no decision is already in the overlay,
/// which is written before any other change.
pub fn merge(view: &View, prefer: MergePreference) -> Result<Plan<MergeReport>> {
    let summary = "merge shared knowledge".to_owned();
    let Some(overlay) = view.overlay(STORE)? else {
        let (change, answer) = (PlannedChange::Nothing, MergeReport::default());
        return Ok(Plan { summary, change, answer, retry_on_conflict: true });
    };
    let mut answer = overlay.pulled.merged.clone();
    let mut plan = KbPlan::default();
    if prefer != MergePreference::Neither {
        let unwritten = empty()?;
        let conn = view.store(STORE)?.map_or(&unwritten, |reading| &reading.conn);
        let import = import(view, conn, prefer)?;
        plan = import.plan;
        answer = answer.followed_by(import.report);
    }
    let change = match overlay.pulled.change.is_some() || !plan.is_empty() {
        true => PlannedChange::Store(change(view, plan)),
        false => PlannedChange::Nothing,
    };
    Ok(Plan { summary, change, answer, retry_on_conflict: true })
}

/// The texts that the files should have.
pub fn texts(view: &View, files: &BTreeMap<String, String>) -> Result<BTreeMap<String, String>> {
    let unwritten = empty()?;
    let conn = view.store(STORE)?.map_or(&unwritten, |reading| &reading.conn);
    share::shared_file_texts(conn, files, &document_entity_kinds(view)?)
}

/// An empty store, for a branch that has none yet.
pub fn empty() -> Result<Connection> {
    let conn = Connection::open_in_memory().map_err(sqlite_problem("open a store"))?;
    let mut steps = kb::MIGRATIONS.iter();
    steps
        .try_for_each(|step| conn.execute_batch(step.sql))
        .map_err(sqlite_problem("open a store"))?;
    Ok(conn)
}

fn import(view: &View, conn: &Connection, prefer: MergePreference) -> Result<SharedImport> {
    let files = shared_files::files(view, share::agreements(conn)?)?;
    share::plan_import(conn, &files, &document_entity_kinds(view)?, prefer, &current_stamp(view))
}

/// The entities that documents define.
fn document_entity_kinds(view: &View) -> Result<BTreeMap<String, KbEntityKind>> {
    let files = kb_files(view)?;
    Ok(files.facts.iter().map(|fact| (fact.entity.id.clone(), fact.entity.kind)).collect())
}

fn change(view: &View, plan: KbPlan) -> Arc<dyn StoreChange> {
    let preview = plan.row_changes().map(|edit| format!("{}\n", edit.describe())).collect();
    Arc::new(KbChange {
        kind: KbChangeKind::Apply(plan),
        author: Some(current_stamp(view)),
        preview,
    })
}
