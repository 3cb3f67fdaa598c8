//! Knowledge as text: one file a record, for review and for others, and the way back.
//!
//! A file has its fields as `name: JSON`, one a line, sorted, then `---`, then the knowledge as
//! it is. A record that changed on both sides since they last agreed is a conflict, and stays as
//! it is on both.
//!
//! @see spec::graph/share

use std::collections::BTreeMap;

use base::{Hash, Problem, Result};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::draft::Draft;
use crate::id::Id;
use crate::record::{Atom, Entry, Molecule, Project, Record, Shared, Table};
use crate::tables;

/// Below the repository's root.
pub const FOLDER: &str = ".cairn/shared";

/// The tables that are shared, with their folders; owners before what they own.
const TABLES: [(Table, &str); 4] = [
    (Project::TABLE, "projects"),
    (Molecule::TABLE, "molecules"),
    (Atom::TABLE, "atoms"),
    (Entry::TABLE, "changelog"),
];

/// The field that is written below the others, as it is.
const BODY: [&str; 3] = ["knowledge", "description", "summary"];

/// What merging the shared files did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Merged {
    /// Records that were not here
    pub added: Vec<String>,
    /// Records that were older here
    pub updated: Vec<String>,
    /// Records that changed on both sides; neither was touched
    pub conflicts: Vec<String>,
    /// Files that could not be read as records
    pub unreadable: Vec<String>,
}

impl Merged {
    /// Whether nothing had to be done or told.
    pub const fn is_nothing(&self) -> bool {
        self.added.is_empty()
            && self.updated.is_empty()
            && self.conflicts.is_empty()
            && self.unreadable.is_empty()
    }
}

/// Every shared record as text, by path below the repository's root.
pub fn texts(draft: &Draft<'_>) -> Result<BTreeMap<String, String>> {
    let mut texts = BTreeMap::new();
    for (table, folder) in TABLES {
        for row in tables::all(draft.conn(), table)? {
            let id = row["id"].as_str().unwrap_or_default();
            texts.insert(format!("{FOLDER}/{folder}/{id}.md"), text(&row));
        }
    }
    Ok(texts)
}

/// Notes that the store and the files now agree.
pub fn agree(draft: &mut Draft<'_>) -> Result<()> {
    for (table, _) in TABLES {
        for row in tables::all(draft.conn(), table)? {
            note(draft, &row)?;
        }
    }
    Ok(())
}

fn note(draft: &mut Draft<'_>, row: &Value) -> Result<()> {
    let id = Id::try_from(row["id"].as_str().unwrap_or_default().to_owned());
    let id = id.map_err(Problem::internal)?;
    draft.put(&Shared { id, version: version(row), hash: hash(row) })
}

fn version(row: &Value) -> u32 {
    // A changelog entry is never changed: it has no version.
    row["version"].as_u64().and_then(|version| version.try_into().ok()).unwrap_or(1)
}

fn hash(row: &Value) -> String {
    Hash::of(text(row).as_bytes()).short()
}

/// Takes over what the files have and the store has not, by id and version.
pub fn merge(draft: &mut Draft<'_>, files: &BTreeMap<String, String>) -> Result<Merged> {
    let mut merged = Merged::default();
    for (table, folder) in TABLES {
        let prefix = format!("{FOLDER}/{folder}/");
        for (path, content) in files.iter().filter(|(path, _)| path.starts_with(&prefix)) {
            match parse(table, content).filter(|row| is_sound(table, row)) {
                Some(row) => merge_one(draft, (table, path), &row, &mut merged)?,
                None => merged.unreadable.push(path.clone()),
            }
        }
    }
    Ok(merged)
}

fn merge_one(
    draft: &mut Draft<'_>,
    (table, path): (Table, &str),
    theirs: &Value,
    merged: &mut Merged,
) -> Result<()> {
    let id = theirs["id"].as_str().unwrap_or_default().to_owned();
    let key = Id::try_from(id.clone()).map_err(Problem::internal)?;
    let ours = tables::get(draft.conn(), table, &id)?;
    let agreed: Option<Shared> = draft.get(&key)?;
    let handle = format!("{}:{id}", table.name);
    let they_changed = agreed.as_ref().is_none_or(|agreed| agreed.hash != hash(theirs));
    match (&ours, &agreed) {
        (Some(ours), _) if ours == theirs => return note(draft, theirs),
        _ if !they_changed => return Ok(()), // whatever changed, changed here
        (None, None) if has_owner(draft, table, theirs)? => merged.added.push(handle),
        (None, None) => {
            merged.unreadable.push(path.to_owned()); // what it belongs to is not there
            return Ok(());
        }
        (Some(ours), Some(agreed)) if agreed.hash == hash(ours) => merged.updated.push(handle),
        // Without a time of agreement the versions decide, and only when they differ.
        (Some(ours), None) if version(theirs) > version(ours) => merged.updated.push(handle),
        (Some(ours), None) if version(theirs) < version(ours) => return Ok(()),
        _ => {
            merged.conflicts.push(handle);
            return Ok(());
        }
    }
    draft.set(table, &id, Some(theirs.clone()))?;
    note(draft, theirs)
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

/// Whether a row read from a file is one that the store could have written.
fn is_sound(table: Table, row: &Value) -> bool {
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

/// A row as text.
fn text(row: &Value) -> String {
    let Some(fields) = row.as_object() else { return String::new() };
    let body = BODY.into_iter().find(|key| fields.contains_key(*key)).unwrap_or_default();
    let mut names: Vec<&String> = fields.keys().filter(|key| *key != body).collect();
    names.sort();
    let head: String = names.iter().map(|name| format!("{name}: {}\n", fields[*name])).collect();
    let said = fields.get(body).and_then(Value::as_str).unwrap_or_default();
    format!("{head}---\n{said}\n")
}

/// A row from its text.
fn parse(table: Table, text: &str) -> Option<Value> {
    let text = text.replace("\r\n", "\n");
    let (head, said) = text.split_once("\n---\n")?;
    let mut row = Map::new();
    for line in head.lines() {
        let (name, value) = line.split_once(": ")?;
        row.insert(name.to_owned(), serde_json::from_str(value).ok()?);
    }
    let body = BODY.into_iter().find(|key| table.columns.iter().any(|(name, _)| name == key))?;
    row.insert(body.to_owned(), said.strip_suffix('\n').unwrap_or(said).into());
    let known = |name: &String| table.columns.iter().any(|(column, _)| column == name);
    (row.keys().all(known) && row.len() == table.columns.len()).then(|| row.into())
}
