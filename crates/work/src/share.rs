//! Knowledge as text: one file a record, for review and for others, and the way back.
//!
//! A record that changed on both sides since they last agreed is a conflict, and stays as it is
//! on both. A deleted record leaves a tombstone, which deletes it elsewhere.
//!
//! @see spec::graph/share

use std::collections::BTreeMap;

use base::shared::{
    self, Agreement, FOLDER, Merged, Prefer, RecordState, SharedFile, SharedFiles, Sides, Verdict,
};
use base::{Problem, Result};
use serde_json::{Map, Value};
use store::Connection;

use crate::draft::Draft;
use crate::graph::{remove_atom, remove_molecule};
use crate::id::Id;
use crate::record::{
    Atom, Entry, Feature, Footprint, Molecule, Project, Record, Section, Shared, Table, Task,
};
use crate::tables;

/// The tables that are shared, with their folders; owners before what they own.
const TABLES: [(Table, &str); 4] = [
    (Project::TABLE, "projects"),
    (Molecule::TABLE, "molecules"),
    (Atom::TABLE, "atoms"),
    (Entry::TABLE, "changelog"),
];

/// The field that is written below the others, as it is.
const BODY: [&str; 3] = ["knowledge", "description", "summary"];

/// The field of an atom that says what its files looked like.
const FOOTPRINT: &str = "footprint";

/// What the shared files should say, by path below the repository's root; nothing for a file
/// that should not be there.
pub fn texts(
    draft: &Draft<'_>,
    files: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, Option<String>>> {
    let mut texts = BTreeMap::new();
    for (table, folder) in TABLES {
        for row in rows(draft, table)? {
            let agreed = agreement(draft, &id(&row)?)?;
            let content = content(table, &row);
            let revision = Agreement::revision_of(agreed.as_ref(), Some(&content), version(&row));
            let text = fields(&row).map(|fields| shared::text(fields, body(table), revision));
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

/// What the file of a record that is not in the store should say; the outer none for a file that
/// the store never agreed with.
#[expect(clippy::option_option, reason = "a file may be none of ours, or one that has to go")]
fn text_of_deleted(
    draft: &Draft<'_>,
    table: Table,
    path: &str,
    text: &str,
) -> Result<Option<Option<String>>> {
    let Some(key) = id_of(path) else { return Ok(None) };
    let Some(agreed) = agreement(draft, &key)? else { return Ok(None) };
    let Ok(file) = shared::read(text, body(table)) else { return Ok(None) };
    // What is told of a record goes with it, and needs no tombstone of its own.
    if let Some(record) = file.record.filter(|_| table == Entry::TABLE)
        && !has_owner(draft, table, &record.into())?
    {
        return Ok(Some(None));
    }
    let next = file.revision.saturating_add(1);
    let version = if agreed.is_of_deleted() { 0 } else { next };
    let revision = Agreement::revision_of(Some(&agreed), None, version);
    Ok(Some(Some(shared::tombstone(revision))))
}

/// Whether a file, by its path and the hash of its text, is as the store last agreed with it.
pub fn agreements(conn: &Connection) -> Result<impl Fn(&str, &str) -> bool + use<>> {
    let known: Vec<Shared> = tables::find_every(conn)?;
    let known: BTreeMap<Id, Agreement> =
        known.into_iter().map(|one| (one.id.clone(), one.into())).collect();
    Ok(move |path: &str, hash: &str| {
        id_of(path).and_then(|id| known.get(&id)).is_some_and(|known| known.is_with(hash))
    })
}

/// Takes over what the files have and the store has not, by id and revision.
pub fn merge(draft: &mut Draft<'_>, files: &SharedFiles, prefer: Prefer) -> Result<Merged> {
    let mut merging = Merging { draft, prefer, merged: Merged::default(), deleted: Vec::new() };
    for (table, folder) in TABLES {
        for (path, why) in files.unread_in(folder) {
            merging.merged.refuse(path, why);
        }
        for (path, text) in files.texts_in(folder) {
            merging.file(table, folder, path, text)?;
        }
        merging.miss(table, folder, files)?;
    }
    // What is in a record goes before the record itself.
    for deleted in std::mem::take(&mut merging.deleted).into_iter().rev() {
        merging.delete(&deleted)?;
    }
    Ok(merging.merged)
}

/// A record that its file says is deleted.
struct DeletedRecord {
    table: Table,
    path: String,
    id: Id,
    revision: u32,
}

struct Merging<'a, 'c> {
    draft: &'a mut Draft<'c>,
    prefer: Prefer,
    merged: Merged,
    deleted: Vec<DeletedRecord>,
}

impl Merging<'_, '_> {
    fn file(&mut self, table: Table, folder: &str, path: &str, text: &str) -> Result<()> {
        let SharedFile { revision, record } = match shared::read(text, body(table)) {
            Ok(file) => file,
            Err(why) => {
                self.merged.refuse(path, why);
                return Ok(());
            }
        };
        let Some(record) = record else {
            match id_of(path) {
                Some(id) => {
                    let path = path.to_owned();
                    self.deleted.push(DeletedRecord { table, path, id, revision });
                }
                None => self.merged.refuse(path, "its name is not an id"),
            }
            return Ok(());
        };
        let row = Value::Object(record);
        if !is_whole(table, &row) || !is_sound(table, &row) {
            self.merged.refuse(path, "it is not a record that this version of cairn knows");
            return Ok(());
        }
        if self::path(folder, &row) != path {
            self.merged.refuse(path, "its name is not the id of its record");
            return Ok(());
        }
        self.record(table, path, &row, revision)
    }

    fn record(&mut self, table: Table, path: &str, row: &Value, revision: u32) -> Result<()> {
        let id = id(row)?;
        let handle = format!("{}:{id}", table.name);
        let ours = tables::get(self.draft.conn(), table, id.as_str())?;
        let ours = ours.map(|row| with_footprint(self.draft, table, row)).transpose()?;
        let agreed = agreement(self.draft, &id)?;
        if ours.is_none() && agreed.is_none() && !has_owner(self.draft, table, row)? {
            if table != Entry::TABLE || !is_owner_deleted(self.draft, row)? {
                self.merged.refuse(path, "what it belongs to is not there");
            }
            return Ok(());
        }
        let theirs = content(table, row);
        let content = ours.as_ref().map(|row| content(table, row));
        if table == Entry::TABLE && content.as_ref().is_some_and(|ours| *ours != theirs) {
            self.merged.rewrite(path, handle, self.prefer);
            return Ok(());
        }
        let our_state = ours.as_ref().zip(content.as_deref()).map(|(row, content)| RecordState {
            content: Some(content),
            revision: Agreement::revision_of(agreed.as_ref(), Some(content), version(row)),
        });
        let sides = Sides {
            ours: our_state,
            theirs: RecordState { content: Some(&theirs), revision },
            agreed: agreed.as_ref(),
        };
        let settled = self.merged.settle(path, handle, &sides, self.prefer);
        match settled.verdict {
            Verdict::Keep | Verdict::Differ => Ok(()),
            Verdict::Agree => self.note(&id, settled.revision, shared::hash(&theirs)),
            Verdict::Take => {
                let (own, footprint) = without_footprint(row.clone());
                self.draft.set(table, id.as_str(), Some(own))?;
                if table == Atom::TABLE {
                    self.draft.set(Footprint::TABLE, id.as_str(), footprint)?;
                }
                self.note(&id, settled.revision, shared::hash(&theirs))
            }
        }
    }

    fn delete(&mut self, deleted: &DeletedRecord) -> Result<()> {
        let DeletedRecord { table, path, id, revision } = deleted;
        let handle = format!("{}:{id}", table.name);
        let ours = tables::get(self.draft.conn(), *table, id.as_str())?;
        let ours = ours.map(|row| with_footprint(self.draft, *table, row)).transpose()?;
        let agreed = agreement(self.draft, id)?;
        let content = ours.as_ref().map(|row| content(*table, row));
        let our_state = ours.as_ref().zip(content.as_deref()).map(|(row, content)| RecordState {
            content: Some(content),
            revision: Agreement::revision_of(agreed.as_ref(), Some(content), version(row)),
        });
        let theirs = RecordState { content: None, revision: *revision };
        let sides = Sides { ours: our_state, theirs, agreed: agreed.as_ref() };
        if *table == Project::TABLE && ours.is_some() && self.is_in_use(id)? {
            if self.prefer != Prefer::Ours && *revision > agreed.map_or(0, |one| one.revision) {
                let why = "deleted in the file, and features, tasks or knowledge here belong to it";
                self.merged.conflict(path, handle, why);
            }
            return Ok(());
        }
        let settled = self.merged.settle(path, handle, &sides, self.prefer);
        match settled.verdict {
            Verdict::Keep | Verdict::Differ => return Ok(()),
            Verdict::Agree => {}
            Verdict::Take => self.remove(*table, id)?,
        }
        self.note(id, settled.revision, shared::deleted_hash())
    }

    fn remove(&mut self, table: Table, id: &Id) -> Result<()> {
        match table.name {
            "atom" => remove_atom(self.draft, id).map(drop),
            "molecule" => remove_molecule(self.draft, id),
            _ => self.draft.set(table, id.as_str(), None),
        }
    }

    fn is_in_use(&self, project: &Id) -> Result<bool> {
        Ok(!self.draft.list::<Feature>("project_id", project)?.is_empty()
            || !self.draft.list::<Task>("project_id", project)?.is_empty()
            || !self.draft.list::<Section>("entity_id", project)?.is_empty()
            || crate::graph::count_knowledge(self.draft, project)? > 0)
    }

    fn note(&mut self, id: &Id, revision: u32, hash: String) -> Result<()> {
        self.draft.put(&Shared { id: id.clone(), version: revision, hash })
    }

    /// Notes the records that were shared and whose files are gone.
    fn miss(&mut self, table: Table, folder: &str, files: &SharedFiles) -> Result<()> {
        for row in tables::all(self.draft.conn(), table)? {
            let (id, path) = (id(&row)?, path(folder, &row));
            if !files.paths.contains(&path) && agreement(self.draft, &id)?.is_some() {
                self.merged.miss(path, format!("{}:{id}", table.name), self.prefer);
            }
        }
        Ok(())
    }
}

fn path(folder: &str, row: &Value) -> String {
    format!("{FOLDER}/{folder}/{}.md", row["id"].as_str().unwrap_or_default())
}

/// The id that a file is named after.
fn id_of(path: &str) -> Option<Id> {
    let name = path.rsplit('/').next()?.strip_suffix(".md")?;
    Id::try_from(name.to_owned()).ok()
}

fn id(row: &Value) -> Result<Id> {
    let text = row["id"].as_str().unwrap_or_default();
    Id::try_from(text.to_owned()).map_err(Problem::internal)
}

fn version(row: &Value) -> u32 {
    // A changelog entry is never changed: it has no version.
    row["version"].as_u64().and_then(|version| version.try_into().ok()).unwrap_or(1)
}

/// What the store and a record's file last agreed on.
fn agreement(draft: &Draft<'_>, id: &Id) -> Result<Option<Agreement>> {
    let known: Option<Shared> = draft.get(id)?;
    Ok(known.map(Agreement::from))
}

impl From<Shared> for Agreement {
    fn from(known: Shared) -> Self {
        Self { revision: known.version, hash: known.hash }
    }
}

/// Whether what a changelog entry is about was deleted, here or elsewhere.
fn is_owner_deleted(draft: &Draft<'_>, row: &Value) -> Result<bool> {
    let parent = row["parent_id"].as_str().and_then(|id| Id::try_from(id.to_owned()).ok());
    let Some(parent) = parent else { return Ok(false) };
    Ok(agreement(draft, &parent)?.is_some())
}

/// Whether what a record belongs to is there.
fn has_owner(draft: &Draft<'_>, table: Table, row: &Value) -> Result<bool> {
    let there = |key: &str| -> Result<Option<Id>> {
        Ok(row[key].as_str().and_then(|id| Id::try_from(id.to_owned()).ok()))
    };
    if table == Entry::TABLE {
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

/// The rows of a table as they are shared.
fn rows(draft: &Draft<'_>, table: Table) -> Result<Vec<Value>> {
    let all = tables::all(draft.conn(), table)?.into_iter();
    all.map(|row| with_footprint(draft, table, row)).collect()
}

/// An atom goes together with what its files looked like: elsewhere too it has to be told how far
/// the code has moved on.
fn with_footprint(draft: &Draft<'_>, table: Table, mut row: Value) -> Result<Value> {
    if table == Atom::TABLE {
        let id = row["id"].as_str().unwrap_or_default().to_owned();
        if let Some(footprint) = tables::get(draft.conn(), Footprint::TABLE, &id)? {
            row[FOOTPRINT] = footprint;
        }
    }
    Ok(row)
}

fn without_footprint(mut row: Value) -> (Value, Option<Value>) {
    let footprint = row.as_object_mut().and_then(|fields| fields.remove(FOOTPRINT));
    (row, footprint)
}

/// Whether a row read from a file is one that the store could have written.
fn is_sound(table: Table, row: &Value) -> bool {
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
            && atom.paths.iter().all(|path| path.parse::<crate::graph::globs::Pattern>().is_ok())
    };
    let read = |row: &Value| row.clone();
    match table.name {
        "project" => serde_json::from_value::<Project>(read(row)).is_ok(),
        "molecule" => serde_json::from_value::<Molecule>(read(row)).is_ok(),
        "atom" => serde_json::from_value::<Atom>(read(row)).is_ok_and(|atom| patterns(&atom)),
        _ => serde_json::from_value::<Entry>(read(row)).is_ok(),
    }
}

/// Whether a row read from a file has every column, and no other.
fn is_whole(table: Table, row: &Value) -> bool {
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

/// A row as text, without its revision.
fn content(table: Table, row: &Value) -> String {
    fields(row).map(|fields| shared::content(fields, body(table))).unwrap_or_default()
}
