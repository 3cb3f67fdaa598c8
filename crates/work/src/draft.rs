//! A planned change: planned rows laid over the rows of the store.
//!
//! Rules read and write through a draft, so that a rule sees what it has planned so far and nobody
//! else does. The result is a list of [`WorkRowChange`]s, which the store's change record keeps too.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use base::{Problem, ProblemCode, Result};
use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use store::{Connection, RowChange, RowOverlay, apply_row_changes};

use base::words::with_article;

use crate::id::{WorkRecordId, WorkRecordRef};
use crate::planned_index::{PlannedIndex, RowLookup};
use crate::record::{Record, Table};
use crate::tables;

/// A row before and after a change. Its JSON is stored, and undoing a recorded change reads it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkRowChange {
    /// Name of its table
    pub table: String,
    /// Id of the row
    pub id: WorkRecordId,
    /// The row before; `None` if it is new
    pub before: Option<Value>,
    /// The row after; `None` if it is removed
    pub after: Option<Value>,
}

impl WorkRowChange {
    fn table(&self) -> Result<Table> {
        Table::named(&self.table)
            .ok_or_else(|| Problem::internal(format!("no table `{}`", self.table)))
    }
}

impl RowChange for WorkRowChange {
    fn row_name(&self) -> String {
        format!("{}:{}", self.table, self.id)
    }

    fn is_current(&self, conn: &Connection) -> Result<bool> {
        let table = self.table()?;
        let before = self.before.clone().map(|row| table.with_all_columns(row));
        Ok(tables::get(conn, table, &self.id)? == before)
    }

    fn write(&self, conn: &Connection) -> Result<()> {
        let table = self.table()?;
        match &self.after {
            Some(row) => tables::put(conn, table, row),
            None => tables::remove(conn, table, &self.id),
        }
    }

    fn inverse(self) -> Self {
        Self { before: self.after, after: self.before, ..self }
    }
}

/// Identifies a row of the store.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct WorkRowKey {
    table: &'static str,
    id: WorkRecordId,
}

/// The rows of a store with the planned rows laid over them.
pub struct WorkDraft<'c> {
    conn: &'c Connection,
    /// When the change happens
    pub now: Timestamp,
    /// Who makes it
    pub actor: String,
    /// The session in which it is made: claims belong to a session
    pub session: String,
    seed: [u8; 32],
    ids_issued: Cell<u32>,
    rows: RowOverlay<WorkRowKey, Value>,
    index: PlannedIndex,
}

impl<'c> WorkDraft<'c> {
    /// A draft without planned rows. The ids of new rows are derived from the seed.
    pub fn new(conn: &'c Connection, now: Timestamp, actor: &str, seed: [u8; 32]) -> Self {
        let (ids_issued, rows) = (Cell::new(0), RowOverlay::default());
        let (actor, session) = (actor.to_owned(), actor.to_owned());
        let index = PlannedIndex::default();
        Self { conn, now, actor, session, seed, ids_issued, rows, index }
    }

    /// Sets the session; without it, it is the actor's own.
    #[must_use]
    pub fn in_session(mut self, session: &str) -> Self {
        session.clone_into(&mut self.session);
        self
    }

    /// The store without the planned rows.
    pub fn conn(&self) -> &'c Connection {
        self.conn
    }

    /// A new id.
    pub fn new_id(&self) -> WorkRecordId {
        let number = self.ids_issued.get();
        self.ids_issued.set(number + 1);
        WorkRecordId::new(self.now, &self.seed, number)
    }

    /// The time of the change as rows store it.
    pub fn stamp(&self) -> String {
        format_timestamp(self.now)
    }

    /// The record with this id.
    pub fn get<R: Record>(&self, id: &WorkRecordId) -> Result<Option<R>> {
        match self.rows.planned(&row_key(R::TABLE, id)) {
            Some(row) => row.after.clone().map(record).transpose(),
            None => tables::find(self.conn, id),
        }
    }

    /// The stored records whose column has one of the values. It is an error if the draft has
    /// planned rows of that table.
    pub(crate) fn stored<R: Record>(
        &self,
        column: &'static str,
        values: &[&WorkRecordId],
    ) -> Result<Vec<R>> {
        if self.index.ids(R::TABLE).next().is_some() {
            let what = format!("the draft has planned rows of `{}`", R::TABLE.name);
            return Err(Problem::internal(what));
        }
        tables::find_all(self.conn, column, values)
    }

    /// The record with this id; an error if there is none.
    pub fn require<R: Record>(&self, id: &WorkRecordId) -> Result<R> {
        self.get(id)?.ok_or_else(|| crate::lookup::not_found(R::TABLE.name, id.as_str()))
    }

    /// The one record that a reference means.
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

    /// The names of the records of a table, by id.
    pub(crate) fn names(&self, table: Table) -> Result<BTreeMap<WorkRecordId, String>> {
        let Some(column) = table.name_column() else { return Ok(BTreeMap::new()) };
        let mut names = tables::names(self.conn, table, column)?;
        for id in self.index.ids(table) {
            match self.planned_row(table, id).as_ref().and_then(|row| row[column].as_str()) {
                Some(name) => drop(names.insert(id.clone(), name.to_owned())),
                None => drop(names.remove(id)),
            }
        }
        Ok(names)
    }

    /// The row with this id, as the plan leaves it.
    pub(crate) fn row(&self, table: Table, id: &WorkRecordId) -> Result<Option<Value>> {
        match self.rows.planned(&row_key(table, id)) {
            Some(row) => Ok(row.after.clone()),
            None => tables::get(self.conn, table, id),
        }
    }

    /// The rows that the plan changes so far, by table and id.
    pub(crate) fn changed_rows(&self) -> Vec<WorkRowChange> {
        let changed = self.rows.iter().filter(|(_, row)| row.before != row.after);
        changed
            .map(|(key, row)| WorkRowChange {
                table: key.table.into(),
                id: key.id.clone(),
                before: row.before.clone(),
                after: row.after.clone(),
            })
            .collect()
    }

    /// The ids of stored rows that have a value, as the plan leaves them.
    pub(crate) fn ids_where(
        &self,
        table: Table,
        stored: Vec<WorkRecordId>,
        lookup: RowLookup,
        value: &str,
    ) -> Vec<WorkRecordId> {
        let wanted = lookup.wanted(value);
        let keeps = |id: &WorkRecordId| match self.rows.planned(&row_key(table, id)) {
            Some(row) => row.after.as_ref().is_some_and(|row| lookup.fits(id, row, &wanted)),
            None => true,
        };
        let mut ids: BTreeSet<WorkRecordId> = stored.into_iter().filter(keeps).collect();
        ids.extend(
            self.index.rows_with_value(table, lookup, &wanted, |id| self.planned_row(table, id)),
        );
        ids.into_iter().collect()
    }

    /// A row as it is planned; `None` if it is not planned, or removed.
    fn planned_row(&self, table: Table, id: &WorkRecordId) -> Option<Value> {
        self.rows.planned(&row_key(table, id))?.after.clone()
    }

    /// The ids that start with a prefix.
    pub(crate) fn ids_with_prefix(&self, table: Table, prefix: &str) -> Result<Vec<WorkRecordId>> {
        let stored = tables::ids_with_prefix(self.conn, table, prefix)?;
        let mut ids: BTreeSet<WorkRecordId> = stored.into_iter().collect();
        ids.extend(self.index.with_prefix(table, prefix));
        ids.retain(|id| !self.rows.is_removed(&row_key(table, id)));
        Ok(ids.into_iter().collect())
    }

    /// The records whose column has this value, by id.
    pub fn list<R: Record>(&self, column: &'static str, value: &WorkRecordId) -> Result<Vec<R>> {
        let stored = tables::list(self.conn, R::TABLE, column, value)?;
        let lookup = RowLookup::Column(column);
        let planned = self
            .index
            .rows_with_value(R::TABLE, lookup, value.as_str(), |id| self.planned_row(R::TABLE, id));
        self.with_planned_rows::<R>(stored, planned.iter(), |row| row[column] == value.as_str())
    }

    /// Every record of a table, by id.
    pub fn all<R: Record>(&self) -> Result<Vec<R>> {
        let mut planned = self.index.ids(R::TABLE).peekable();
        if planned.peek().is_none() {
            return tables::find_every(self.conn);
        }
        self.with_planned_rows::<R>(tables::all(self.conn, R::TABLE)?, planned, |_| true)
    }

    /// Stored rows with the planned rows that match laid over them.
    fn with_planned_rows<'p, R: Record>(
        &self,
        stored: Vec<Value>,
        planned: impl Iterator<Item = &'p WorkRecordId>,
        matches: impl Fn(&Value) -> bool,
    ) -> Result<Vec<R>> {
        let mut rows: BTreeMap<String, Value> = BTreeMap::new();
        for row in stored {
            let id = row["id"].as_str().unwrap_or_default().to_owned();
            let key = WorkRecordId::try_from(id.clone()).map_err(Problem::internal)?;
            match self.rows.planned(&row_key(R::TABLE, &key)) {
                None => drop(rows.insert(id, row)),
                Some(planned) => {
                    let after = planned.after.clone().filter(&matches);
                    rows.extend(after.map(|row| (id, row)));
                }
            }
        }
        for id in planned {
            if let Some(row) = self.planned_row(R::TABLE, id).filter(&matches) {
                rows.insert(id.to_string(), row);
            }
        }
        rows.into_values().map(record).collect()
    }

    /// Plans a record, whether it is new or replaces another.
    pub fn put<R: Record>(&mut self, record: &R) -> Result<()> {
        let row = serde_json::to_value(record)
            .map_err(|error| Problem::internal("a record is not JSON").with_source(error))?;
        self.set(R::TABLE, record.id(), Some(row))
    }

    /// Plans to remove a record, if there is one.
    pub fn delete<R: Record>(&mut self, id: &WorkRecordId) -> Result<()> {
        self.set(R::TABLE, id, None)
    }

    /// Plans a row of any table, or its removal.
    pub(crate) fn set(
        &mut self,
        table: Table,
        id: &WorkRecordId,
        after: Option<Value>,
    ) -> Result<()> {
        let (conn, key) = (self.conn, row_key(table, id));
        let before = self.rows.planned(&key).and_then(|row| row.after.as_ref());
        self.index.note(table, id, before, after.as_ref());
        self.rows.set(key, after, || tables::get(conn, table, id))
    }

    /// The rows that change, by table and id. Rows that stay as they are stored are left out.
    pub fn into_changes(self) -> Vec<WorkRowChange> {
        let changed = self.rows.into_changed().map(|(key, row)| WorkRowChange {
            table: key.table.into(),
            id: key.id,
            before: row.before,
            after: row.after,
        });
        changed.collect()
    }
}

fn row_key(table: Table, id: &WorkRecordId) -> WorkRowKey {
    WorkRowKey { table: table.name, id: id.clone() }
}

/// Writes planned rows into the store. Fails if a row has changed since it was planned.
pub fn apply_changes(conn: &Connection, changes: &[WorkRowChange]) -> Result<()> {
    apply_row_changes(conn, changes)?.map_err(|stale| {
        let names = stale.0.join(", ");
        let first = stale.0.into_iter().next().unwrap_or_default();
        Problem::new(ProblemCode::Conflict, format!("{names} changed since"))
            .detail("record", first)
            .hint("undo the later change first, or edit the record")
    })
}

/// A time as rows store it: RFC 3339 in UTC with six decimals, so that texts sort by time.
pub fn format_timestamp(at: Timestamp) -> String {
    format!("{at:.6}")
}

/// Reads a row as a record.
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
