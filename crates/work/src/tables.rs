//! The SQL of the store: rows of any table, and some special queries.

use std::collections::BTreeMap;

use base::{Problem, Result};
use serde::de::value::MapDeserializer;
use serde_json::{Map, Value, json};
use store::{Connection, Migration, Row, SqlResult, ToSql, rows, sqlite_problem};

use crate::draft::record;
use crate::id::WorkRecordId;
use crate::record::{
    Atom, ChangelogEntry, ColumnType, Dependency, Feature, Footprint, Molecule, Project, Record,
    Section, SharedAgreement, Table, Task, TaskClaim, Template, WorkEvent,
};

/// The migrations of the store, oldest first. A migration never changes after its release.
pub const MIGRATIONS: [Migration; 3] = [
    Migration { name: "work and knowledge", sql: include_str!("work.sql") },
    Migration { name: "why work was given up", sql: include_str!("end_reason.sql") },
    Migration { name: "keys, people and history of work", sql: include_str!("life.sql") },
];

/// Every table, in the order an export writes them.
pub const TABLES: [Table; 13] = [
    Project::TABLE,
    Feature::TABLE,
    Task::TABLE,
    Section::TABLE,
    Template::TABLE,
    Dependency::TABLE,
    TaskClaim::TABLE,
    WorkEvent::TABLE,
    Molecule::TABLE,
    Atom::TABLE,
    Footprint::TABLE,
    ChangelogEntry::TABLE,
    SharedAgreement::TABLE,
];

impl Table {
    /// The table of this name.
    pub fn named(name: &str) -> Option<Self> {
        TABLES.into_iter().find(|table| table.name == name)
    }

    /// A row with all columns. A row that was recorded before a column was added lacks it.
    pub(crate) fn with_all_columns(self, mut row: Value) -> Value {
        if let Some(fields) = row.as_object_mut() {
            for (name, _) in self.columns {
                fields.entry(*name).or_insert(Value::Null);
            }
        }
        row
    }

    /// Checks that a row can be read as a record.
    pub(crate) fn check_row(self, row: &Value) -> Result<(), String> {
        fn read<R: Record>(row: &Value) -> Result<(), String> {
            serde_json::from_value::<R>(row.clone()).map(drop).map_err(|error| error.to_string())
        }
        match self.name {
            "project" => read::<Project>(row),
            "feature" => read::<Feature>(row),
            "task" => read::<Task>(row),
            "section" => read::<Section>(row),
            "template" => read::<Template>(row),
            "dependency" => read::<Dependency>(row),
            "claim" => read::<TaskClaim>(row),
            "event" => read::<WorkEvent>(row),
            "molecule" => read::<Molecule>(row),
            "atom" => read::<Atom>(row),
            "footprint" => read::<Footprint>(row),
            "changelog" => read::<ChangelogEntry>(row),
            _ => read::<SharedAgreement>(row),
        }
    }

    /// The column that holds the name of a row.
    pub(crate) fn name_column(self) -> Option<&'static str> {
        let names = self.columns.iter().map(|(name, _)| *name);
        names.into_iter().find(|name| ["name", "title"].contains(name))
    }

    fn select(self, rest: &str) -> String {
        let columns: Vec<&str> = self.columns.iter().map(|(name, _)| *name).collect();
        format!("SELECT {} FROM {} {rest}", columns.join(", "), self.name)
    }
}

/// The record with this id.
pub(crate) fn find<R: Record>(conn: &Connection, id: &WorkRecordId) -> Result<Option<R>> {
    let sql = R::TABLE.select("WHERE id = ?1");
    let found = rows(conn, &sql, "read work", &[&id.as_str()], record_row::<R>)?;
    found.into_iter().next().transpose()
}

/// The records whose column has one of the values, by id.
pub(crate) fn find_all<R: Record>(
    conn: &Connection,
    column: &'static str,
    values: &[&WorkRecordId],
) -> Result<Vec<R>> {
    let rest = format!("WHERE {column} IN (SELECT value FROM json_each(?1)) ORDER BY id");
    let values = json!(values).to_string();
    let found = rows(conn, &R::TABLE.select(&rest), "read work", &[&values], record_row::<R>)?;
    found.into_iter().collect()
}

fn record_row<R: Record>(row: &Row<'_>) -> SqlResult<Result<R>> {
    let columns = R::TABLE.columns.iter().enumerate();
    let values = columns.map(|(at, (name, held))| Ok((*name, from_column(row, at, *held)?)));
    let values = values.collect::<SqlResult<Vec<_>>>()?;
    Ok(record(MapDeserializer::new(values.into_iter())))
}

/// Every record of a table, by id.
pub(crate) fn find_every<R: Record>(conn: &Connection) -> Result<Vec<R>> {
    let sql = R::TABLE.select("ORDER BY id");
    rows(conn, &sql, "read work", &[], record_row::<R>)?.into_iter().collect()
}

/// The row with this id.
pub(crate) fn get(conn: &Connection, table: Table, id: &WorkRecordId) -> Result<Option<Value>> {
    let sql = table.select("WHERE id = ?1");
    let found = rows(conn, &sql, "read work", &[&id.as_str()], read(table))?;
    Ok(found.into_iter().next())
}

/// The rows whose column has this value, by id.
pub(crate) fn list(
    conn: &Connection,
    table: Table,
    column: &str,
    value: impl AsRef<str>,
) -> Result<Vec<Value>> {
    let known = table.columns.iter().find(|(name, _)| *name == column);
    let (column, _) = known.ok_or_else(|| no_column(column))?;
    let sql = table.select(&format!("WHERE {column} = ?1 ORDER BY id"));
    rows(conn, &sql, "read work", &[&value.as_ref()], read(table))
}

/// Every row, by id.
pub(crate) fn all(conn: &Connection, table: Table) -> Result<Vec<Value>> {
    rows(conn, &table.select("ORDER BY id"), "read work", &[], read(table))
}

/// The first ids that start with a prefix, 20 at most.
pub(crate) fn ids_with_prefix(
    conn: &Connection,
    table: Table,
    prefix: &str,
) -> Result<Vec<WorkRecordId>> {
    let end = format!("{prefix}~"); // sorts after every digit and dash
    let sql =
        format!("SELECT id FROM {} WHERE id >= ?1 AND id < ?2 ORDER BY id LIMIT 20", table.name);
    rows(conn, &sql, "read work", &[&prefix, &end], |row| id_column(row, 0))
}

/// The first ids that end with some digits, 20 at most.
pub(crate) fn ids_with_digits(
    conn: &Connection,
    table: Table,
    digits: &str,
) -> Result<Vec<WorkRecordId>> {
    let sql =
        format!("SELECT id FROM {} WHERE substr(id, 33) = ?1 ORDER BY id LIMIT 20", table.name);
    rows(conn, &sql, "read work", &[&digits], |row| id_column(row, 0))
}

/// The first ids of the rows whose column is a text, ignoring case; 21 at most.
pub(crate) fn ids_called(
    conn: &Connection,
    table: Table,
    column: &'static str,
    name: &str,
) -> Result<Vec<WorkRecordId>> {
    let sql = format!(
        "SELECT id FROM {} WHERE {column} = ?1 COLLATE NOCASE ORDER BY id LIMIT 21",
        table.name
    );
    rows(conn, &sql, "read names", &[&name], |row| id_column(row, 0))
}

/// The atoms or molecules that name related ones, by id.
pub(crate) fn ids_with_relations(conn: &Connection, table: Table) -> Result<Vec<WorkRecordId>> {
    let sql = format!("SELECT id FROM {} WHERE related <> '[]' ORDER BY id", table.name);
    rows(conn, &sql, "read relations", &[], |row| id_column(row, 0))
}

/// The claims that hold at a time, by id.
pub(crate) fn live_claims(conn: &Connection, now: &str) -> Result<Vec<TaskClaim>> {
    let sql = TaskClaim::TABLE.select("WHERE until > ?1 ORDER BY id");
    rows(conn, &sql, "read claims", &[&now], record_row::<TaskClaim>)?.into_iter().collect()
}

/// The open rows of a table that are assigned to somebody, by id.
pub(crate) fn assigned_to(
    conn: &Connection,
    table: Table,
    actor: &str,
) -> Result<Vec<WorkRecordId>> {
    let sql = format!(
        "SELECT id FROM {} WHERE assignee = ?1
           AND status NOT IN ('CLOSED', 'WILL_NOT_IMPLEMENT') ORDER BY id",
        table.name
    );
    rows(conn, &sql, "read assigned work", &[&actor], |row| id_column(row, 0))
}

/// The names of the rows of a table, by id.
pub(crate) fn names(
    conn: &Connection,
    table: Table,
    column: &'static str,
) -> Result<BTreeMap<WorkRecordId, String>> {
    let sql = format!("SELECT id, {column} FROM {}", table.name);
    let read = |row: &Row<'_>| Ok((id_column(row, 0)?, row.get(1)?));
    Ok(rows(conn, &sql, "read names", &[], read)?.into_iter().collect())
}

pub(crate) fn id_column(row: &Row<'_>, column: usize) -> SqlResult<WorkRecordId> {
    let text: String = row.get(column)?;
    WorkRecordId::try_from(text).map_err(|why| store::bad_value(column, why))
}

/// Inserts or replaces a row.
pub(crate) fn put(conn: &Connection, table: Table, row: &Value) -> Result<()> {
    let names: Vec<&str> = table.columns.iter().map(|(name, _)| *name).collect();
    let holes: Vec<String> = (1..=names.len()).map(|at| format!("?{at}")).collect();
    let sets: Vec<String> =
        names[1..].iter().map(|name| format!("{name} = excluded.{name}")).collect();
    let sql = format!(
        "INSERT INTO {} ({}) VALUES ({}) ON CONFLICT (id) DO UPDATE SET {}",
        table.name,
        names.join(", "),
        holes.join(", "),
        sets.join(", ")
    );
    let values: Vec<Box<dyn ToSql>> =
        table.columns.iter().map(|(name, held)| to_column(&row[*name], *held)).collect();
    let values: Vec<&dyn ToSql> = values.iter().map(AsRef::as_ref).collect();
    conn.prepare_cached(&sql)
        .and_then(|mut statement| statement.execute(values.as_slice()))
        .map(drop)
        .map_err(sqlite_problem("write work"))
}

/// Removes a row.
pub(crate) fn remove(conn: &Connection, table: Table, id: &WorkRecordId) -> Result<()> {
    let sql = format!("DELETE FROM {} WHERE id = ?1", table.name);
    conn.prepare_cached(&sql)
        .and_then(|mut statement| statement.execute([id.as_str()]))
        .map(drop)
        .map_err(sqlite_problem("write work"))
}

fn read(table: Table) -> impl FnMut(&Row<'_>) -> SqlResult<Value> {
    move |row| {
        let mut object = Map::new();
        for (at, (name, held)) in table.columns.iter().enumerate() {
            object.insert((*name).into(), from_column(row, at, *held)?);
        }
        Ok(object.into())
    }
}

fn from_column(row: &Row<'_>, at: usize, held: ColumnType) -> SqlResult<Value> {
    Ok(match held {
        ColumnType::Text => json!(row.get::<_, Option<String>>(at)?),
        ColumnType::Number => json!(row.get::<_, Option<i64>>(at)?),
        ColumnType::Flag => json!(row.get::<_, bool>(at)?),
        ColumnType::Json => {
            let text: String = row.get(at)?;
            serde_json::from_str(&text).map_err(|error| store::bad_value(at, error.to_string()))?
        }
    })
}

fn to_column(value: &Value, held: ColumnType) -> Box<dyn ToSql> {
    match held {
        ColumnType::Text => Box::new(value.as_str().map(ToOwned::to_owned)),
        ColumnType::Number => Box::new(value.as_i64()),
        ColumnType::Flag => Box::new(value.as_bool().unwrap_or_default()),
        ColumnType::Json => Box::new(value.to_string()),
    }
}

/// Every row of every table, by table and id.
pub fn export(conn: &Connection) -> Result<BTreeMap<String, Vec<Value>>> {
    TABLES.into_iter().map(|table| Ok((table.name.to_owned(), all(conn, table)?))).collect()
}

fn no_column(name: &str) -> Problem {
    Problem::internal(format!("no column `{name}`"))
}

/// SQL condition: the dependency `d` is an active block. The row of a closed blocker stays, so that
/// reopening the blocker blocks again.
pub(crate) const BLOCKS_NOW: &str = "d.relation = 'BLOCKS'
       AND NOT EXISTS (SELECT 1 FROM task b WHERE b.id = d.from_id AND b.status = 'CLOSED')
       AND NOT EXISTS (SELECT 1 FROM feature b WHERE b.id = d.from_id AND b.status = 'CLOSED')";

/// SQL order of the next work: by priority, complexity and age.
pub(crate) const PRIORITY_ORDER: &str =
    "CASE x.priority WHEN 'HIGH' THEN 0 WHEN 'MEDIUM' THEN 1 ELSE 2 END";

/// How many rows of a table have each status.
pub(crate) fn statuses(conn: &Connection, table: Table) -> Result<Vec<(String, u32)>> {
    let sql =
        format!("SELECT status, count(*) FROM {} GROUP BY status ORDER BY status", table.name);
    rows(conn, &sql, "count states", &[], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// The sections of open tasks that list files.
pub(crate) fn context_sections(conn: &Connection) -> Result<Vec<(String, String)>> {
    let sql = "SELECT s.entity_id, s.content FROM section s JOIN task t ON t.id = s.entity_id
               WHERE lower(s.title) LIKE 'context%file%'
                 AND t.status NOT IN ('CLOSED', 'WILL_NOT_IMPLEMENT') ORDER BY s.ordinal, s.id";
    rows(conn, sql, "read context files", &[], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Every atom with its project, and its globs as JSON.
pub fn patterns(conn: &Connection) -> Result<Vec<(String, String, String)>> {
    let sql = "SELECT id, project_id, paths FROM atom ORDER BY id";
    rows(conn, sql, "read atoms", &[], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
}
