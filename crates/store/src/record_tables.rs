//! Rows of any table as records: an id, a kind, a version and a body, whatever their columns are.
//!
//! A copy of a store on another machine is kept equal by such records. No table is named here:
//! columns and keys are read from the schema, so a new table or column needs no code. A
//! [`RecordCapture`] notes every row that a transaction touches, with the row as it was before.
//! [`RecordTables::put`] writes the row of another machine.

use base::{Problem, Result};
use rusqlite::{Connection, OptionalExtension, params};

use crate::failure::sqlite_problem;
use crate::rows;

/// Tables with this prefix belong to the replication itself and are never records.
pub const REPLICA_PREFIX: &str = "team_";

/// The list of tables. Virtual tables, and the shadow tables that they keep, are derived.
const LIST_TABLES: &str = "SELECT name FROM pragma_table_list
    WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name";
const LIST_COLUMNS: &str = "SELECT name, pk, dflt_value FROM pragma_table_info(?1) ORDER BY cid";
const CREATE_TOUCHED: &str = "
    PRAGMA recursive_triggers = ON;
    CREATE TEMP TABLE IF NOT EXISTS team_touched (
        kind TEXT NOT NULL, id TEXT NOT NULL, before TEXT, PRIMARY KEY (kind, id)
    ) WITHOUT ROWID;
    DELETE FROM temp.team_touched;";
const READ_TOUCHED: &str = "SELECT kind, id, before FROM temp.team_touched ORDER BY kind, id";
const DROP_TOUCHED: &str = "
    DROP TABLE IF EXISTS temp.team_touched;
    PRAGMA recursive_triggers = OFF;";

/// A row at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordImage {
    /// Its table
    pub kind: String,
    /// The values of its key, as a JSON array
    pub id: String,
    /// Its version; 0 if its table has none
    pub version: i64,
    /// Its columns, as a JSON object; `None` if it was removed
    pub body: Option<String>,
}

/// A row that a transaction touched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordChange {
    /// The row as it was, as a JSON object; `None` if there was none
    pub before: Option<String>,
    /// The row as it is now
    pub after: RecordImage,
}

/// The tables of a store whose rows are records.
#[derive(Debug, Clone)]
pub struct RecordTables(Vec<RecordTable>);

#[derive(Debug, Clone)]
struct RecordTable {
    name: String,
    columns: Vec<RecordColumn>,
    /// The columns of the key, in its order
    key: Vec<String>,
}

#[derive(Debug, Clone)]
struct RecordColumn {
    name: String,
    /// Its place in the key, from 1; 0 if it is not part of it
    key_place: i64,
    /// Its default, as SQL
    default: Option<String>,
}

impl RecordTables {
    /// Reads the schema of a store. `derived` are the tables that are computed from others.
    pub fn of(conn: &Connection, derived: &[&str]) -> Result<Self> {
        let names: Vec<String> = rows(conn, LIST_TABLES, "read a schema", &[], |row| row.get(0))?;
        let is_record = |name: &&String| {
            let name = name.as_str();
            !derived.contains(&name)
                && !name.starts_with(REPLICA_PREFIX)
                && name != crate::tables::NOTES_TABLE
        };
        names
            .iter()
            .filter(is_record)
            .map(|name| RecordTable::read(conn, name))
            .collect::<Result<_>>()
            .map(Self)
    }

    fn table(&self, kind: &str) -> Result<&RecordTable> {
        let found = self.0.iter().find(|table| table.name == kind);
        found.ok_or_else(|| {
            Problem::internal(format!(
                "a record of the kind `{kind}`, which this store does not have"
            ))
        })
    }

    /// The names of the tables, which are the kinds of records.
    pub fn kinds(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|table| table.name.as_str())
    }

    /// The row of a record as it is now.
    pub fn image(&self, conn: &Connection, kind: &str, id: &str) -> Result<RecordImage> {
        let table = self.table(kind)?;
        let sql = format!(
            "SELECT {}, {} FROM main.{} WHERE {}",
            table.version(),
            table.body(""),
            quoted(kind),
            table.matches_id()
        );
        let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let found: Option<(i64, String)> = conn
            .prepare_cached(&sql)
            .and_then(|mut statement| statement.query_row([id], read).optional())
            .map_err(sqlite_problem("read a record"))?;
        let (kind, id) = (kind.to_owned(), id.to_owned());
        Ok(match found {
            Some((version, body)) => RecordImage { kind, id, version, body: Some(body) },
            None => RecordImage { kind, id, version: 0, body: None },
        })
    }

    /// Every record of one kind, by id.
    pub fn images(&self, conn: &Connection, kind: &str) -> Result<Vec<RecordImage>> {
        let table = self.table(kind)?;
        let sql = format!(
            "SELECT {}, {}, {} FROM main.{} ORDER BY 1",
            table.id(""),
            table.version(),
            table.body(""),
            quoted(kind)
        );
        rows(conn, &sql, "read records", &[], |row| {
            let (id, version, body) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(RecordImage { kind: kind.to_owned(), id, version, body: Some(body) })
        })
    }

    /// Writes a record over the row that has its id, or removes the row.
    pub fn put(&self, conn: &Connection, image: &RecordImage) -> Result<()> {
        let table = self.table(&image.kind)?;
        let done = match &image.body {
            None => {
                let sql = format!(
                    "DELETE FROM main.{} WHERE {}",
                    quoted(&table.name),
                    table.matches_id()
                );
                conn.prepare_cached(&sql).and_then(|mut statement| statement.execute([&image.id]))
            }
            Some(body) => conn
                .prepare_cached(&table.insert())
                .and_then(|mut statement| statement.execute([body])),
        };
        done.map(drop).map_err(sqlite_problem("write a record"))
    }
}

impl RecordTable {
    fn read(conn: &Connection, name: &str) -> Result<Self> {
        let columns = rows(conn, LIST_COLUMNS, "read a schema", params![name], |row| {
            Ok(RecordColumn { name: row.get(0)?, key_place: row.get(1)?, default: row.get(2)? })
        })?;
        let mut key: Vec<&RecordColumn> = columns.iter().filter(|one| one.key_place > 0).collect();
        key.sort_by_key(|one| one.key_place);
        if key.is_empty() {
            return Err(Problem::internal(format!("the table `{name}` has no key")));
        }
        Ok(Self {
            name: name.to_owned(),
            key: key.into_iter().map(|one| one.name.clone()).collect(),
            columns,
        })
    }

    /// The id of a row, as SQL. `row` is empty, `old` or `new`.
    fn id(&self, row: &str) -> String {
        let values: Vec<String> = self.key.iter().map(|name| qualified(row, name)).collect();
        format!("json_array({})", values.join(", "))
    }

    /// The columns of a row as a JSON object, as SQL.
    fn body(&self, row: &str) -> String {
        let pair =
            |one: &RecordColumn| format!("{}, {}", literal(&one.name), qualified(row, &one.name));
        format!("json_object({})", self.columns.iter().map(pair).collect::<Vec<_>>().join(", "))
    }

    fn version(&self) -> String {
        let has_version = self.columns.iter().any(|one| one.name == "version");
        if has_version { qualified("", "version") } else { "0".into() }
    }

    /// The condition that a row has the id `?1`.
    fn matches_id(&self) -> String {
        let part = |(at, name): (usize, &String)| {
            format!("{} = json_extract(?1, '$[{at}]')", qualified("", name))
        };
        self.key.iter().enumerate().map(part).collect::<Vec<_>>().join(" AND ")
    }

    /// Writes the row of the body `?1`. A column that the body lacks, because an older version
    /// wrote it, keeps its default.
    fn insert(&self) -> String {
        let names: Vec<String> = self.columns.iter().map(|one| quoted(&one.name)).collect();
        let value = |one: &RecordColumn| {
            let path = literal(&format!("$.{}", quoted(&one.name)));
            match &one.default {
                None => format!("json_extract(?1, {path})"),
                Some(default) => format!(
                    "CASE WHEN json_type(?1, {path}) IS NULL THEN {default}
                     ELSE json_extract(?1, {path}) END"
                ),
            }
        };
        let values: Vec<String> = self.columns.iter().map(value).collect();
        format!(
            "INSERT OR REPLACE INTO main.{} ({}) SELECT {}",
            quoted(&self.name),
            names.join(", "),
            values.join(", ")
        )
    }

    /// The triggers that note which rows are touched.
    fn triggers(&self) -> String {
        // `OR IGNORE` would not do: the conflict clause of the statement that fires a trigger wins.
        let note = |row: &str, before: &str| {
            let (kind, id) = (literal(&self.name), self.id(row));
            format!(
                "INSERT INTO team_touched SELECT {kind}, {id}, {before} WHERE NOT EXISTS
                 (SELECT 1 FROM team_touched WHERE kind = {kind} AND id = {id});"
            )
        };
        let trigger = |event: &str, body: &str| {
            let name = quoted(&format!("team_{}_{}", event.to_lowercase(), self.name));
            format!(
                "CREATE TEMP TRIGGER IF NOT EXISTS {name} AFTER {event} ON main.{} BEGIN {body} END;",
                quoted(&self.name)
            )
        };
        let old = note("old", &self.body("old"));
        let new = note("new", "NULL");
        [
            trigger("INSERT", &new),
            trigger("UPDATE", &format!("{old} {new}")),
            trigger("DELETE", &old),
        ]
        .join("\n")
    }

    fn drop_triggers(&self) -> String {
        let names = ["insert", "update", "delete"]
            .map(|event| quoted(&format!("team_{event}_{}", self.name)));
        names.map(|name| format!("DROP TRIGGER IF EXISTS temp.{name};")).join("\n")
    }
}

/// Notes the rows that are written through a connection, from its start until [`Self::finish`].
#[derive(Debug)]
pub struct RecordCapture {
    tables: RecordTables,
}

impl RecordCapture {
    /// Starts noting rows. The connection must be able to write.
    pub fn start(conn: &Connection, tables: RecordTables) -> Result<Self> {
        let triggers: Vec<String> = tables.0.iter().map(RecordTable::triggers).collect();
        conn.execute_batch(CREATE_TOUCHED)
            .and_then(|()| conn.execute_batch(&triggers.join("\n")))
            .map_err(sqlite_problem("note what changes"))?;
        Ok(Self { tables })
    }

    /// The rows that were touched and differ from what they were, by kind and id.
    pub fn changes(&self, conn: &Connection) -> Result<Vec<RecordChange>> {
        let touched = rows(conn, READ_TOUCHED, "read what changed", &[], |row| {
            let (kind, id): (String, String) = (row.get(0)?, row.get(1)?);
            Ok((kind, id, row.get::<_, Option<String>>(2)?))
        })?;
        let mut changes = Vec::new();
        for (kind, id, before) in touched {
            let after = self.tables.image(conn, &kind, &id)?;
            if before != after.body {
                changes.push(RecordChange { before, after });
            }
        }
        Ok(changes)
    }

    /// The tables whose rows are noted.
    pub fn tables(&self) -> &RecordTables {
        &self.tables
    }

    /// Stops noting rows. This works after a rolled-back transaction too.
    pub fn finish(self, conn: &Connection) -> Result<()> {
        let triggers: Vec<String> = self.tables.0.iter().map(RecordTable::drop_triggers).collect();
        conn.execute_batch(&triggers.join("\n"))
            .and_then(|()| conn.execute_batch(DROP_TOUCHED))
            .map_err(sqlite_problem("stop noting what changes"))
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn qualified(row: &str, column: &str) -> String {
    if row.is_empty() { quoted(column) } else { format!("{row}.{}", quoted(column)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = "
        CREATE TABLE task (id TEXT PRIMARY KEY, title TEXT, weight REAL, version INTEGER NOT NULL);
        CREATE TABLE link (a TEXT, b TEXT, note TEXT NOT NULL DEFAULT 'none', PRIMARY KEY (a, b)) WITHOUT ROWID;
        CREATE TABLE log (seq INTEGER PRIMARY KEY AUTOINCREMENT, uid TEXT UNIQUE);
        CREATE TABLE doc (id INTEGER PRIMARY KEY, body TEXT);
        CREATE VIRTUAL TABLE doc_word USING fts5 (body);
        CREATE TABLE team_position (seq INTEGER PRIMARY KEY);";

    fn open() -> Connection {
        let conn = Connection::open_in_memory().unwrap();
        conn.execute_batch(SCHEMA).unwrap();
        conn
    }

    #[test]
    fn a_copy_that_gets_every_change_is_equal() {
        let (source, copy) = (open(), open());
        let tables = RecordTables::of(&source, &["doc"]).unwrap();
        assert_eq!(tables.kinds().collect::<Vec<_>>(), ["link", "log", "task"]);
        for step in [
            "INSERT INTO task VALUES ('a''b', 'x \"y\"', 0.8, 1); INSERT INTO link (a, b) VALUES ('1', '2');
             INSERT INTO log (uid) VALUES ('u'); INSERT INTO doc (body) VALUES ('derived');",
            "UPDATE task SET title = NULL, version = 2; UPDATE link SET note = 'a\nb';",
            "INSERT OR REPLACE INTO task VALUES ('a''b', '[1]', 1.0, 3); UPDATE link SET b = '3';",
            "DELETE FROM task; INSERT OR REPLACE INTO log (uid) VALUES ('u');",
        ] {
            let capture = RecordCapture::start(&source, tables.clone()).unwrap();
            source.execute_batch(step).unwrap();
            let changes = capture.changes(&source).unwrap();
            assert!(!changes.is_empty());
            capture.finish(&source).unwrap();
            for change in &changes {
                let here = tables.image(&copy, &change.after.kind, &change.after.id).unwrap();
                assert_eq!(here.body, change.before, "{change:?}");
                tables.put(&copy, &change.after).unwrap();
            }
            for kind in tables.kinds() {
                assert_eq!(tables.images(&source, kind).unwrap(), tables.images(&copy, kind).unwrap());
            }
        }
    }

    #[test]
    fn a_column_that_an_older_version_did_not_write_keeps_its_default() {
        let conn = open();
        let tables = RecordTables::of(&conn, &[]).unwrap();
        let body = Some(r#"{"a":"1","b":"2"}"#.to_owned());
        let image =
            RecordImage { kind: "link".into(), id: r#"["1","2"]"#.into(), version: 0, body };
        tables.put(&conn, &image).unwrap();
        let stored = tables.image(&conn, "link", &image.id).unwrap().body.unwrap();
        assert_eq!(stored, r#"{"a":"1","b":"2","note":"none"}"#);
    }

    #[test]
    fn a_row_that_ends_as_it_was_is_no_change() {
        let conn = open();
        conn.execute_batch("INSERT INTO task VALUES ('a', 'x', 1, 1)").unwrap();
        let capture = RecordCapture::start(&conn, RecordTables::of(&conn, &[]).unwrap()).unwrap();
        conn.execute_batch(
            "UPDATE task SET version = 2; UPDATE task SET version = 1;
             INSERT INTO link (a, b) VALUES ('1', '2'); DELETE FROM link",
        )
        .unwrap();
        assert_eq!(capture.changes(&conn).unwrap(), []);
    }
}
