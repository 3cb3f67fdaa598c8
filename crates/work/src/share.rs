//! Knowledge as text files, one for each record, so that a team can review and exchange it through git.
//!
//! A record that changed in both the store and its file since they last agreed is a conflict, and neither
//! side changes. The file of a deleted record stays as a tombstone, which deletes the record elsewhere.
//!
//! @see spec::graph/share

use std::collections::BTreeMap;

use base::shared::{
    self, FOLDER, MergeBase, MergePreference, MergeReport, MergeSides, MergeVerdict, RecordState,
    SharedFile, SharedFiles,
};
use base::{Problem, Result};
use serde_json::{Map, Value};
use store::Connection;

use crate::draft::WorkDraft;
use crate::id::WorkRecordId;
use crate::knowledge::{remove_atom, remove_molecule};
use crate::record::{
    Atom, ChangelogEntry, Feature, Footprint, Molecule, Project, Record, Section, SharedAgreement,
    Table, Task,
};
use crate::tables;

/// The tables that are shared, with their folders; owners before what they own.
const TABLES: [(Table, &str); 4] = [
    (Project::TABLE, "projects"),
    (Molecule::TABLE, "molecules"),
    (Atom::TABLE, "atoms"),
    (ChangelogEntry::TABLE, "changelog"),
];

/// The field that is written below the others, without quoting.
const BODY: [&str; 3] = ["knowledge", "description", "summary"];

/// The field of an atom that holds its footprint.
const FOOTPRINT: &str = "footprint";

/// The texts that the shared files should have, by path from the root of the repository; `None` for a
/// file that should not exist.
pub fn shared_file_texts(
    draft: &WorkDraft<'_>,
    files: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, Option<String>>> {
    let mut texts = BTreeMap::new();
    for (table, folder) in TABLES {
        for row in rows(draft, table)? {
            let agreed = last_agreement(draft, &id(&row)?)?;
            let content = content(table, &row);
            let revision = MergeBase::next_revision(agreed.as_ref(), Some(&content), version(&row));
            let text =
                fields(&row).map(|fields| shared::render_file(fields, body(table), revision));
            texts.insert(path(folder, &row), text);
        }
        let prefix = format!("{FOLDER}/{folder}/");
        for (path, text) in files.iter().filter(|(path, _)| path.starts_with(&prefix)) {
            if !texts.contains_key(path)
                && let Some(left) = text_of_deleted(draft, table, path, text)?
            {
                texts.insert(path.clone(), left);
            }
        }
    }
    Ok(texts)
}

/// The text that the file of a deleted record should have; the outer `None` for a file that the store
/// never agreed with.
#[expect(clippy::option_option, reason = "a file may be none of ours, or one that has to go")]
fn text_of_deleted(
    draft: &WorkDraft<'_>,
    table: Table,
    path: &str,
    text: &str,
) -> Result<Option<Option<String>>> {
    let Some(key) = id_of(path) else { return Ok(None) };
    let Some(agreed) = last_agreement(draft, &key)? else { return Ok(None) };
    let Ok(file) = shared::parse_file(text, body(table)) else { return Ok(None) };
    // The changelog entries of a deleted record are deleted with it and need no tombstones.
    if let Some(record) = file.record.filter(|_| table == ChangelogEntry::TABLE)
        && !has_owner(draft, table, &record.into())?
    {
        return Ok(Some(None));
    }
    let next = file.revision.saturating_add(1);
    let version = if agreed.is_deleted() { 0 } else { next };
    let revision = MergeBase::next_revision(Some(&agreed), None, version);
    Ok(Some(Some(shared::tombstone(revision))))
}

/// A test whether a file, given by its path and the hash of its text, is unchanged since the store
/// last agreed with it.
pub fn agreements(conn: &Connection) -> Result<impl Fn(&str, &str) -> bool + use<>> {
    let known: Vec<SharedAgreement> = tables::find_every(conn)?;
    let known: BTreeMap<WorkRecordId, MergeBase> =
        known.into_iter().map(|one| (one.id.clone(), one.into())).collect();
    Ok(move |path: &str, hash: &str| {
        id_of(path).and_then(|id| known.get(&id)).is_some_and(|known| known.matches_text_hash(hash))
    })
}

/// Imports what the files have and the store does not, by id and revision.
pub fn import_shared_files(
    draft: &mut WorkDraft<'_>,
    files: &SharedFiles,
    prefer: MergePreference,
) -> Result<MergeReport> {
    let mut merging =
        SharedFilesMerge { draft, prefer, merged: MergeReport::default(), deleted: Vec::new() };
    for (table, folder) in TABLES {
        for (path, why) in files.unreadable_in(folder) {
            merging.merged.add_unreadable(path, why);
        }
        for (path, text) in files.texts_in(folder) {
            merging.file(table, folder, path, text)?;
        }
        merging.record_missing_files(table, folder, files)?;
    }
    // The children of a record are deleted before the record.
    for deleted in std::mem::take(&mut merging.deleted).into_iter().rev() {
        merging.delete(&deleted)?;
    }
    Ok(merging.merged)
}

/// A record that its file says is deleted.
struct DeletedRecord {
    table: Table,
    path: String,
    id: WorkRecordId,
    revision: u32,
}

struct SharedFilesMerge<'a, 'c> {
    draft: &'a mut WorkDraft<'c>,
    prefer: MergePreference,
    merged: MergeReport,
    deleted: Vec<DeletedRecord>,
}

impl SharedFilesMerge<'_, '_> {
    fn file(&mut self, table: Table, folder: &str, path: &str, text: &str) -> Result<()> {
        let SharedFile { revision, record } = match shared::parse_file(text, body(table)) {
            Ok(file) => file,
            Err(why) => {
                self.merged.add_unreadable(path, why);
                return Ok(());
            }
        };
        let Some(record) = record else {
            match id_of(path) {
                Some(id) => {
                    let path = path.to_owned();
                    self.deleted.push(DeletedRecord { table, path, id, revision });
                }
                None => self.merged.add_unreadable(path, "its name is not an id"),
            }
            return Ok(());
        };
        let row = Value::Object(record);
        if !has_exact_columns(table, &row) || !is_valid_row(table, &row) {
            self.merged.add_unreadable(path, "it is not a record that this version of cairn knows");
            return Ok(());
        }
        if self::path(folder, &row) != path {
            self.merged.add_unreadable(path, "its name is not the id of its record");
            return Ok(());
        }
        self.record(table, path, &row, revision)
    }

    fn record(&mut self, table: Table, path: &str, row: &Value, revision: u32) -> Result<()> {
        let id = id(row)?;
        let handle = format!("{}:{id}", table.name);
        let ours = tables::get(self.draft.conn(), table, &id)?;
        let ours = ours.map(|row| with_footprint(self.draft, table, row)).transpose()?;
        let agreed = last_agreement(self.draft, &id)?;
        if ours.is_none() && agreed.is_none() && !has_owner(self.draft, table, row)? {
            if table != ChangelogEntry::TABLE || !is_owner_deleted(self.draft, row)? {
                self.merged.add_unreadable(path, "the record that it belongs to does not exist");
            }
            return Ok(());
        }
        let theirs = content(table, row);
        let content = ours.as_ref().map(|row| content(table, row));
        if table == ChangelogEntry::TABLE && content.as_ref().is_some_and(|ours| *ours != theirs) {
            self.merged.add_rewritten(path, handle, self.prefer);
            return Ok(());
        }
        let our_state = ours.as_ref().zip(content.as_deref()).map(|(row, content)| RecordState {
            content: Some(content),
            revision: MergeBase::next_revision(agreed.as_ref(), Some(content), version(row)),
        });
        let sides = MergeSides {
            ours: our_state,
            theirs: RecordState { content: Some(&theirs), revision },
            base: agreed.as_ref(),
        };
        let settled = self.merged.decide(path, handle, &sides, self.prefer);
        match settled.verdict {
            MergeVerdict::KeepOurs | MergeVerdict::Conflict => Ok(()),
            MergeVerdict::Agree => {
                self.record_agreement(&id, settled.revision, shared::hash_text(&theirs))
            }
            MergeVerdict::TakeTheirs => {
                let (own, footprint) = without_footprint(row.clone());
                self.draft.set(table, &id, Some(own))?;
                if table == Atom::TABLE {
                    self.draft.set(Footprint::TABLE, &id, footprint)?;
                }
                self.record_agreement(&id, settled.revision, shared::hash_text(&theirs))
            }
        }
    }

    fn delete(&mut self, deleted: &DeletedRecord) -> Result<()> {
        let DeletedRecord { table, path, id, revision } = deleted;
        let handle = format!("{}:{id}", table.name);
        let ours = tables::get(self.draft.conn(), *table, id)?;
        let ours = ours.map(|row| with_footprint(self.draft, *table, row)).transpose()?;
        let agreed = last_agreement(self.draft, id)?;
        let content = ours.as_ref().map(|row| content(*table, row));
        let our_state = ours.as_ref().zip(content.as_deref()).map(|(row, content)| RecordState {
            content: Some(content),
            revision: MergeBase::next_revision(agreed.as_ref(), Some(content), version(row)),
        });
        let theirs = RecordState { content: None, revision: *revision };
        let sides = MergeSides { ours: our_state, theirs, base: agreed.as_ref() };
        if *table == Project::TABLE && ours.is_some() && self.project_has_content(id)? {
            if self.prefer != MergePreference::Ours
                && *revision > agreed.map_or(0, |one| one.revision)
            {
                let why = "deleted in the file, but features, tasks or knowledge in this store belong to it";
                self.merged.add_conflict(path, handle, why);
            }
            return Ok(());
        }
        let settled = self.merged.decide(path, handle, &sides, self.prefer);
        match settled.verdict {
            MergeVerdict::KeepOurs | MergeVerdict::Conflict => return Ok(()),
            MergeVerdict::Agree => {}
            MergeVerdict::TakeTheirs => self.remove(*table, id)?,
        }
        self.record_agreement(id, settled.revision, shared::deleted_hash())
    }

    fn remove(&mut self, table: Table, id: &WorkRecordId) -> Result<()> {
        match table.name {
            "atom" => remove_atom(self.draft, id).map(drop),
            "molecule" => remove_molecule(self.draft, id),
            _ => self.draft.set(table, id, None),
        }
    }

    fn project_has_content(&self, project: &WorkRecordId) -> Result<bool> {
        Ok(!self.draft.list::<Feature>("project_id", project)?.is_empty()
            || !self.draft.list::<Task>("project_id", project)?.is_empty()
            || !self.draft.list::<Section>("entity_id", project)?.is_empty()
            || crate::knowledge::count_knowledge(self.draft, project)? > 0)
    }

    fn record_agreement(&mut self, id: &WorkRecordId, revision: u32, hash: String) -> Result<()> {
        self.draft.put(&SharedAgreement { id: id.clone(), version: revision, hash })
    }

    /// Reports shared records whose files are missing.
    fn record_missing_files(
        &mut self,
        table: Table,
        folder: &str,
        files: &SharedFiles,
    ) -> Result<()> {
        for row in tables::all(self.draft.conn(), table)? {
            let (id, path) = (id(&row)?, path(folder, &row));
            if !files.paths.contains(&path) && last_agreement(self.draft, &id)?.is_some() {
                self.merged.add_missing(path, format!("{}:{id}", table.name), self.prefer);
            }
        }
        Ok(())
    }
}

fn path(folder: &str, row: &Value) -> String {
    format!("{FOLDER}/{folder}/{}.md", row["id"].as_str().unwrap_or_default())
}

/// The id that a file is named after.
fn id_of(path: &str) -> Option<WorkRecordId> {
    let name = path.rsplit('/').next()?.strip_suffix(".md")?;
    WorkRecordId::try_from(name.to_owned()).ok()
}

fn id(row: &Value) -> Result<WorkRecordId> {
    let text = row["id"].as_str().unwrap_or_default();
    WorkRecordId::try_from(text.to_owned()).map_err(Problem::internal)
}

fn version(row: &Value) -> u32 {
    // A changelog entry is never changed: it has no version.
    row["version"].as_u64().and_then(|version| version.try_into().ok()).unwrap_or(1)
}

/// The content on which the store and the file of a record last agreed.
fn last_agreement(draft: &WorkDraft<'_>, id: &WorkRecordId) -> Result<Option<MergeBase>> {
    let known: Option<SharedAgreement> = draft.get(id)?;
    Ok(known.map(MergeBase::from))
}

impl From<SharedAgreement> for MergeBase {
    fn from(known: SharedAgreement) -> Self {
        Self { revision: known.version, hash: known.hash }
    }
}

/// Whether the record of a changelog entry was deleted, here or elsewhere.
fn is_owner_deleted(draft: &WorkDraft<'_>, row: &Value) -> Result<bool> {
    let parent =
        row["parent_id"].as_str().and_then(|id| WorkRecordId::try_from(id.to_owned()).ok());
    let Some(parent) = parent else { return Ok(false) };
    Ok(last_agreement(draft, &parent)?.is_some())
}

/// Whether the record that a row belongs to exists.
fn has_owner(draft: &WorkDraft<'_>, table: Table, row: &Value) -> Result<bool> {
    let there = |key: &str| -> Result<Option<WorkRecordId>> {
        Ok(row[key].as_str().and_then(|id| WorkRecordId::try_from(id.to_owned()).ok()))
    };
    if table == ChangelogEntry::TABLE {
        let Some(parent) = there("parent_id")? else { return Ok(false) };
        return Ok(
            draft.get::<Atom>(&parent)?.is_some() || draft.get::<Molecule>(&parent)?.is_some()
        );
    }
    if table == Project::TABLE {
        return Ok(true);
    }
    let Some(project) = there("project_id")? else { return Ok(false) };
    let molecule = match there("molecule_id")? {
        Some(molecule) => draft.get::<Molecule>(&molecule)?.is_some(),
        None => true,
    };
    Ok(molecule && draft.get::<Project>(&project)?.is_some())
}

/// The rows of a table as they are written to files.
fn rows(draft: &WorkDraft<'_>, table: Table) -> Result<Vec<Value>> {
    let all = tables::all(draft.conn(), table)?.into_iter();
    all.map(|row| with_footprint(draft, table, row)).collect()
}

/// Adds its footprint to an atom, so that other checkouts can measure drift.
fn with_footprint(draft: &WorkDraft<'_>, table: Table, mut row: Value) -> Result<Value> {
    if table == Atom::TABLE
        && let Some(footprint) = tables::get(draft.conn(), Footprint::TABLE, &id(&row)?)?
    {
        row[FOOTPRINT] = footprint;
    }
    Ok(row)
}

fn without_footprint(mut row: Value) -> (Value, Option<Value>) {
    let footprint = row.as_object_mut().and_then(|fields| fields.remove(FOOTPRINT));
    (row, footprint)
}

/// Whether a row read from a file is one that the store could have written.
fn is_valid_row(table: Table, row: &Value) -> bool {
    let (row, footprint) = &without_footprint(row.clone());
    let is_its_own = |footprint: &Value| {
        let read = serde_json::from_value::<Footprint>(footprint.clone());
        read.is_ok_and(|read| row["id"] == read.id.as_str())
    };
    if !footprint.as_ref().is_none_or(is_its_own) {
        return false;
    }
    let patterns = |atom: &Atom| {
        !atom.paths.is_empty()
            && atom
                .paths
                .iter()
                .all(|path| path.parse::<crate::knowledge::globs::PathGlob>().is_ok())
    };
    let read = |row: &Value| row.clone();
    match table.name {
        "project" => serde_json::from_value::<Project>(read(row)).is_ok(),
        "molecule" => serde_json::from_value::<Molecule>(read(row)).is_ok(),
        "atom" => serde_json::from_value::<Atom>(read(row)).is_ok_and(|atom| patterns(&atom)),
        _ => serde_json::from_value::<ChangelogEntry>(read(row)).is_ok(),
    }
}

/// Whether a row read from a file has every column, and no other.
fn has_exact_columns(table: Table, row: &Value) -> bool {
    let known = |name: &str| table.columns.iter().any(|(column, _)| *column == name);
    let may_be = |name: &str| known(name) || table == Atom::TABLE && name == FOOTPRINT;
    fields(row).is_some_and(|fields| {
        table.columns.iter().all(|(column, _)| fields.contains_key(*column))
            && fields.keys().all(|name| may_be(name))
    })
}

fn body(table: Table) -> &'static str {
    let has = |key: &&str| table.columns.iter().any(|(name, _)| name == key);
    BODY.into_iter().find(has).unwrap_or_default()
}

fn fields(row: &Value) -> Option<&Map<String, Value>> {
    row.as_object()
}

/// A row as the text of its shared file, without the revision.
fn content(table: Table, row: &Value) -> String {
    fields(row).map(|fields| shared::render_content(fields, body(table))).unwrap_or_default()
}
