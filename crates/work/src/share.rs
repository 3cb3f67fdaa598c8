//! Knowledge as text: one file a record, for review and for others, and the way back.
//!
//! A record that changed on both sides since they last agreed is a conflict, and stays as it is
//! on both.
//!
//! @see spec::graph/share

use std::collections::BTreeMap;

use base::shared::{self, FOLDER, Merged, Prefer, Side, Sides, Verdict};
use base::{Problem, Result};
use serde_json::{Map, Value};

use crate::draft::Draft;
use crate::id::Id;
use crate::record::{Atom, Entry, Footprint, Molecule, Project, Record, Shared, Table};
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

/// Every shared record as text, by path below the repository's root.
pub fn texts(draft: &Draft<'_>) -> Result<BTreeMap<String, String>> {
    let mut texts = BTreeMap::new();
    for (table, folder) in TABLES {
        for row in rows(draft, table)? {
            texts.insert(path(folder, &row), text(table, &row));
        }
    }
    Ok(texts)
}

/// Notes that the store and the files now agree, but for those that are to be settled first.
pub fn agree(draft: &mut Draft<'_>, merged: &Merged) -> Result<()> {
    for (table, folder) in TABLES {
        for row in rows(draft, table)? {
            if !merged.unsettled.contains(&path(folder, &row)) {
                note(draft, table, &row)?;
            }
        }
    }
    Ok(())
}

fn path(folder: &str, row: &Value) -> String {
    format!("{FOLDER}/{folder}/{}.md", row["id"].as_str().unwrap_or_default())
}

fn note(draft: &mut Draft<'_>, table: Table, row: &Value) -> Result<()> {
    let id = Id::try_from(row["id"].as_str().unwrap_or_default().to_owned());
    let id = id.map_err(Problem::internal)?;
    draft.put(&Shared { id, version: version(row), hash: shared::hash(&text(table, row)) })
}

fn version(row: &Value) -> u32 {
    // A changelog entry is never changed: it has no version.
    row["version"].as_u64().and_then(|version| version.try_into().ok()).unwrap_or(1)
}

/// Takes over what the files have and the store has not, by id and version.
pub fn merge(
    draft: &mut Draft<'_>,
    files: &BTreeMap<String, String>,
    prefer: Prefer,
) -> Result<Merged> {
    let mut merged = Merged::default();
    for (table, folder) in TABLES {
        let prefix = format!("{FOLDER}/{folder}/");
        for (path, content) in files.iter().filter(|(path, _)| path.starts_with(&prefix)) {
            match parse(table, content).filter(|row| is_sound(table, row)) {
                Some(row) => merge_one(draft, (table, path), &row, (&mut merged, prefer))?,
                None => merged.refuse(path),
            }
        }
        for row in tables::all(draft.conn(), table)? {
            let id = row["id"].as_str().unwrap_or_default().to_owned();
            let key = Id::try_from(id.clone()).map_err(Problem::internal)?;
            let path = path(folder, &row);
            if !files.contains_key(&path) && draft.get::<Shared>(&key)?.is_some() {
                merged.miss(path, format!("{}:{id}", table.name), prefer);
            }
        }
    }
    Ok(merged)
}

fn merge_one(
    draft: &mut Draft<'_>,
    (table, path): (Table, &str),
    row: &Value,
    (merged, prefer): (&mut Merged, Prefer),
) -> Result<()> {
    let id = row["id"].as_str().unwrap_or_default().to_owned();
    let key = Id::try_from(id.clone()).map_err(Problem::internal)?;
    let ours = tables::get(draft.conn(), table, &id)?;
    let ours = ours.map(|row| with_footprint(draft, table, row)).transpose()?;
    let agreed: Option<Shared> = draft.get(&key)?;
    if ours.is_none() && agreed.is_none() && !has_owner(draft, table, row)? {
        merged.refuse(path); // what it belongs to is not there
        return Ok(());
    }
    let (theirs, text) = (text(table, row), ours.as_ref().map(|row| text(table, row)));
    let side = |text, row| Side { text, version: version(row) };
    let sides = Sides {
        ours: text.as_deref().zip(ours.as_ref()).map(|(text, row)| side(text, row)),
        theirs: side(&theirs, row),
        agreed: agreed.as_ref().map(|agreed| agreed.hash.as_str()),
    };
    match merged.settle((path, format!("{}:{id}", table.name)), &sides, prefer) {
        Verdict::Keep | Verdict::Differ => Ok(()),
        Verdict::Agree => note(draft, table, row),
        Verdict::Take => {
            let (own, footprint) = without_footprint(row.clone());
            draft.set(table, &id, Some(own))?;
            if table == Atom::TABLE {
                draft.set(Footprint::TABLE, &id, footprint)?;
            }
            note(draft, table, row)
        }
    }
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

fn body(table: Table) -> &'static str {
    let has = |key: &&str| table.columns.iter().any(|(name, _)| name == key);
    BODY.into_iter().find(has).unwrap_or_default()
}

/// A row as text.
fn text(table: Table, row: &Value) -> String {
    row.as_object().map(|fields| shared::text(fields, body(table))).unwrap_or_default()
}

/// A row from its text.
fn parse(table: Table, text: &str) -> Option<Value> {
    let row: Map<String, Value> = shared::parse(text, body(table))?;
    let known = |name: &str| table.columns.iter().any(|(column, _)| *column == name);
    let may_be = |name: &str| known(name) || table == Atom::TABLE && name == FOOTPRINT;
    let is_whole = table.columns.iter().all(|(column, _)| row.contains_key(*column));
    (is_whole && row.keys().all(|name| may_be(name))).then(|| row.into())
}
