//! A change in the making: rows as they will be, over the rows as they are.
//!
//! Rules read and write through a draft, so they see what they have done so far and nobody else
//! does. What comes out is a list of [`RowChange`]s, which says itself how to undo it.

use std::cell::Cell;
use std::collections::BTreeMap;

use base::{Problem, ProblemCode, Result};
use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use store::Connection;

use base::words::with_article;

use crate::id::{WorkRecordId, WorkRecordRef};
use crate::record::{Record, Table};
use crate::tables;

/// A row before and after.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RowChange {
    /// Its table
    pub table: String,
    /// Its id
    pub id: String,
    /// As it was; absent when it was not there
    pub before: Option<Value>,
    /// As it will be; absent when it will not be there
    pub after: Option<Value>,
}

/// Rows as they are and as they will be.
pub struct WorkDraft<'c> {
    conn: &'c Connection,
    /// When it happens
    pub now: Timestamp,
    /// Who does it
    pub actor: String,
    seed: [u8; 32],
    ids_issued: Cell<u32>,
    changes: BTreeMap<(&'static str, String), RowChange>,
}

impl<'c> WorkDraft<'c> {
    /// Starts from what a store holds. Ids of new rows come from the seed.
    pub fn new(conn: &'c Connection, now: Timestamp, actor: &str, seed: [u8; 32]) -> Self {
        let (ids_issued, changes) = (Cell::new(0), BTreeMap::new());
        Self { conn, now, actor: actor.into(), seed, ids_issued, changes }
    }

    /// The store as it is, for questions that the draft's own rows do not matter to.
    pub fn conn(&self) -> &'c Connection {
        self.conn
    }

    /// An id that nothing has yet.
    pub fn new_id(&self) -> WorkRecordId {
        let number = self.ids_issued.get();
        self.ids_issued.set(number + 1);
        WorkRecordId::new(self.now, &self.seed, number)
    }

    /// The moment as rows hold it: always six decimals, so that it sorts.
    pub fn stamp(&self) -> String {
        format_timestamp(self.now)
    }

    /// The record with this id.
    pub fn get<R: Record>(&self, id: &WorkRecordId) -> Result<Option<R>> {
        match self.changes.get(&(R::TABLE.name, id.to_string())) {
            Some(image) => image.after.clone().map(record).transpose(),
            None => tables::find(self.conn, id.as_str()),
        }
    }

    /// The records of which a column has one of some values: rows of the store alone, with nothing
    /// that the draft has changed.
    pub(crate) fn stored<R: Record>(
        &self,
        column: &'static str,
        values: &[&WorkRecordId],
    ) -> Result<Vec<R>> {
        if self.changes.keys().any(|(table, _)| *table == R::TABLE.name) {
            return Err(Problem::internal("the draft has changed what is read as it is stored"));
        }
        let values: Vec<&str> = values.iter().map(|id| id.as_str()).collect();
        tables::find_all(self.conn, column, &values)
    }

    /// The record with this id, which must be there.
    pub fn require<R: Record>(&self, id: &WorkRecordId) -> Result<R> {
        self.get(id)?.ok_or_else(|| crate::lookup::not_found(R::TABLE.name, id.as_str()))
    }

    /// The one record that a caller means.
    pub fn find<R: Record>(&self, asked: &WorkRecordRef) -> Result<R> {
        if let Some(kind) = &asked.kind
            && kind != R::TABLE.name
        {
            let what = format!("`{asked}` is not {}", with_article(R::TABLE.name));
            return Err(Problem::invalid(what));
        }
        let (_, id) = self.look_up(&[R::TABLE], asked)?;
        self.require(&id)
    }

    /// The names in a table, by id.
    pub(crate) fn names(&self, table: Table) -> Result<BTreeMap<String, String>> {
        let Some(column) = table.name_column() else { return Ok(BTreeMap::new()) };
        let mut names: BTreeMap<String, String> =
            tables::names(self.conn, table, column)?.into_iter().collect();
        for image in self.changes.values().filter(|image| image.table == table.name) {
            match image.after.as_ref().and_then(|row| row[column].as_str()) {
                Some(name) => drop(names.insert(image.id.clone(), name.to_owned())),
                None => drop(names.remove(&image.id)),
            }
        }
        Ok(names)
    }

    /// The ids that start like this.
    pub(crate) fn ids_with_prefix(&self, table: Table, prefix: &str) -> Result<Vec<WorkRecordId>> {
        let known = tables::ids_with_prefix(self.conn, table, prefix)?;
        let is = |image: &&RowChange| image.table == table.name && image.id.starts_with(prefix);
        let own = self.changes.values().filter(is);
        let mut ids: Vec<String> = known.into_iter().chain(own.map(|i| i.id.clone())).collect();
        ids.sort();
        ids.dedup();
        ids.retain(|id| {
            self.changes.get(&(table.name, id.clone())).is_none_or(|image| image.after.is_some())
        });
        ids.into_iter().map(|id| WorkRecordId::try_from(id).map_err(Problem::internal)).collect()
    }

    /// The records whose column has this value, by id.
    pub fn list<R: Record>(&self, column: &'static str, value: &WorkRecordId) -> Result<Vec<R>> {
        let known = tables::list(self.conn, R::TABLE, (column, value.as_str()))?;
        self.overlay_rows::<R>(known, |row| row[column] == value.as_str())
    }

    /// Every record of a kind, by id.
    pub fn all<R: Record>(&self) -> Result<Vec<R>> {
        self.overlay_rows::<R>(tables::all(self.conn, R::TABLE)?, |_| true)
    }

    /// Rows of the store with the draft's own laid over them.
    fn overlay_rows<R: Record>(
        &self,
        known: Vec<Value>,
        fits: impl Fn(&Value) -> bool,
    ) -> Result<Vec<R>> {
        let id = |row: &Value| row["id"].as_str().unwrap_or_default().to_owned();
        let mut rows: BTreeMap<String, Value> =
            known.into_iter().map(|row| (id(&row), row)).collect();
        for image in self.changes.values().filter(|image| image.table == R::TABLE.name) {
            match &image.after {
                Some(row) if fits(row) => drop(rows.insert(image.id.clone(), row.clone())),
                _ => drop(rows.remove(&image.id)),
            }
        }
        rows.into_values().map(record).collect()
    }

    /// Writes a record, new or known.
    pub fn put<R: Record>(&mut self, record: &R) -> Result<()> {
        let row = serde_json::to_value(record)
            .map_err(|error| Problem::internal("a record is not JSON").with_source(error))?;
        self.set(R::TABLE, record.id().as_str(), Some(row))
    }

    /// Removes a record, if it is there.
    pub fn delete<R: Record>(&mut self, id: &WorkRecordId) -> Result<()> {
        self.set(R::TABLE, id.as_str(), None)
    }

    /// Writes or removes a row of any table.
    pub(crate) fn set(&mut self, table: Table, id: &str, after: Option<Value>) -> Result<()> {
        let key = (table.name, id.to_owned());
        if let Some(image) = self.changes.get_mut(&key) {
            image.after = after;
            return Ok(());
        }
        let before = tables::get(self.conn, table, id)?;
        let image = RowChange { table: table.name.into(), id: id.into(), before, after };
        self.changes.insert(key, image);
        Ok(())
    }

    /// What changes, in a fixed order; rows that stay as they are are left out.
    pub fn into_changes(self) -> Vec<RowChange> {
        let changed = |image: &RowChange| image.before != image.after;
        self.changes.into_values().filter(changed).collect()
    }
}

/// Writes images into the store. Refuses when a row is no longer as it was.
pub fn apply_changes(conn: &Connection, images: &[RowChange]) -> Result<()> {
    for image in images {
        let table = Table::named(&image.table)
            .ok_or_else(|| Problem::internal(format!("no table `{}`", image.table)))?;
        if tables::get(conn, table, &image.id)?
            != image.before.clone().map(|row| table.with_all_columns(row))
        {
            return Err(Problem::new(
                ProblemCode::Conflict,
                format!("{} {} has changed since", image.table, image.id),
            )
            .detail("record", format!("{}:{}", image.table, image.id))
            .hint("undo what came after it first, or change it by hand"));
        }
        match &image.after {
            Some(row) => tables::put(conn, table, row)?,
            None => tables::remove(conn, table, &image.id)?,
        }
    }
    Ok(())
}

/// What undoes images.
pub fn inverse_changes(images: &[RowChange]) -> Vec<RowChange> {
    let turned = images.iter().rev().cloned();
    turned.map(|image| RowChange { before: image.after, after: image.before, ..image }).collect()
}

/// A moment as rows hold it.
pub fn format_timestamp(at: Timestamp) -> String {
    format!("{at:.6}")
}

/// A row as the record it is.
pub(crate) fn record<'r, R, D>(row: D) -> Result<R>
where
    R: Record,
    D: Deserializer<'r, Error = serde_json::Error>,
{
    R::deserialize(row).map_err(|error| {
        let what = format!("a row of `{}` cannot be read", R::TABLE.name);
        Problem::new(ProblemCode::StoreDamaged, what).with_source(error)
    })
}
