//! The SQL of the facts that files define. They are part of the index and are replaced file by file.

use base::{Problem, RepoPath, Result};
use store::{Connection, Row, SqlResult, bad_value, params, rows, sqlite_problem};

use crate::extract::ExtractedFacts;
use crate::knowledge_model::{FactOrigin, FileRelation};
use crate::model::Entity;

/// The tables, as SQL.
pub const SCHEMA: &str = include_str!("derived.sql");

/// Queries whose rows must equal those of a rebuilt index.
pub const REBUILD_CHECK_QUERIES: &[&str] = &[
    "SELECT path, number, line, extractor, entity FROM kb_said ORDER BY path, number",
    "SELECT path, number, line, extractor, type, source_end, target_end, kind FROM kb_told
     ORDER BY path, number",
    "SELECT path, number, line, message FROM kb_fault ORDER BY path, number",
    "SELECT path, number, line, extractor, message FROM kb_notice ORDER BY path, number",
];

/// An entity that a file defines.
#[derive(Debug)]
pub struct FileEntity {
    /// The file
    pub path: RepoPath,
    /// Its line number
    pub line: u32,
    /// The entity
    pub entity: Entity,
}

/// Stores the facts of a file, which `extractor` read.
pub fn index_file(
    conn: &Connection,
    path: &RepoPath,
    extractor: &str,
    found: &ExtractedFacts,
) -> Result<()> {
    for (number, (entity, line)) in found.entities.iter().enumerate() {
        let json = serde_json::to_string(entity)
            .map_err(|error| Problem::internal("an entity is not JSON").with_source(error))?;
        run(
            conn,
            "INSERT INTO kb_said VALUES (?1,?2,?3,?4,?5)",
            params![path.as_bytes(), number, line, extractor, json],
        )?;
    }
    for (number, told) in found.relations.iter().enumerate() {
        let line = told.origin.file().map_or(0, |(_, line)| line);
        run(
            conn,
            "INSERT INTO kb_told VALUES (?1,?2,?3,?4,?5,?6,?7,?8)",
            params![
                path.as_bytes(),
                number,
                line,
                extractor,
                told.relates.map_or("", crate::KbRelationKind::word),
                told.from,
                told.to,
                told.kind
            ],
        )?;
    }
    for (number, (line, message)) in found.notices.iter().enumerate() {
        run(
            conn,
            "INSERT INTO kb_notice VALUES (?1,?2,?3,?4,?5)",
            params![path.as_bytes(), number, line, extractor, message],
        )?;
    }
    for (number, (line, message)) in found.faults.iter().enumerate() {
        run(
            conn,
            "INSERT INTO kb_fault VALUES (?1,?2,?3,?4)",
            params![path.as_bytes(), number, line, message],
        )?;
    }
    Ok(())
}

/// Removes the facts of a file.
pub fn remove_file(conn: &Connection, path: &RepoPath) -> Result<()> {
    for sql in [
        "DELETE FROM kb_said WHERE path = ?1",
        "DELETE FROM kb_told WHERE path = ?1",
        "DELETE FROM kb_fault WHERE path = ?1",
        "DELETE FROM kb_notice WHERE path = ?1",
    ] {
        run(conn, sql, params![path.as_bytes()])?;
    }
    Ok(())
}

/// The ids of the entities that a file defines.
pub fn ids_of(conn: &Connection, path: &RepoPath) -> Result<Vec<String>> {
    let sql = "SELECT entity ->> 'id' FROM kb_said WHERE path = ?1 ORDER BY number";
    rows(conn, sql, "read the facts of files", params![path.as_bytes()], |row| row.get(0))
}

/// The entity with this id; if several files define it, the one of the first file.
pub fn first_entity_by_id(conn: &Connection, id: &str) -> Result<Option<FileEntity>> {
    let sql = "SELECT extractor, path, line, entity FROM kb_said WHERE entity ->> 'id' = ?1
        ORDER BY path, number LIMIT 1";
    let found = rows(conn, sql, "read the facts of files", params![id], entity_from_row)?;
    Ok(found.into_iter().next().map(|(_, said)| said))
}

/// Every entity that files define, by path, with the name of its extractor.
pub fn all_entities(conn: &Connection) -> Result<Vec<(String, FileEntity)>> {
    let sql = "SELECT extractor, path, line, entity FROM kb_said ORDER BY path, number";
    rows(conn, sql, "read the facts of files", &[], entity_from_row)
}

fn entity_from_row(row: &Row<'_>) -> SqlResult<(String, FileEntity)> {
    let json: String = row.get(3)?;
    let entity = serde_json::from_str(&json).map_err(|e| bad_value(3, e.to_string()))?;
    Ok((row.get(0)?, FileEntity { path: path(row, 1)?, line: row.get(2)?, entity }))
}

/// Every relation that files define, by path, with the name of its extractor.
pub fn all_relations(conn: &Connection) -> Result<Vec<(String, FileRelation)>> {
    let sql = "SELECT extractor, path, line, type, source_end, target_end, kind FROM kb_told
        ORDER BY path, number";
    rows(conn, sql, "read the facts of files", &[], |row| {
        let relates: String = row.get(3)?;
        let told = FileRelation {
            relates: relates.parse().ok(),
            from: row.get(4)?,
            to: row.get(5)?,
            kind: row.get(6)?,
            origin: FactOrigin::File(path(row, 1)?, row.get(2)?),
        };
        Ok((row.get(0)?, told))
    })
}

/// Every fault in the files.
pub fn faults(conn: &Connection) -> Result<Vec<(RepoPath, u32, String)>> {
    let sql = "SELECT path, line, message FROM kb_fault ORDER BY path, number";
    rows(conn, sql, "read the facts of files", &[], |row| {
        Ok((path(row, 0)?, row.get(1)?, row.get(2)?))
    })
}

/// Notices about what looks like an entity and was not read, with the form of its document.
pub fn notices(conn: &Connection) -> Result<Vec<(String, RepoPath, u32, String)>> {
    let sql = "SELECT extractor, path, line, message FROM kb_notice ORDER BY path, number";
    rows(conn, sql, "read the facts of files", &[], |row| {
        Ok((row.get(0)?, path(row, 1)?, row.get(2)?, row.get(3)?))
    })
}

fn run(conn: &Connection, sql: &str, params: &[&dyn store::ToSql]) -> Result<()> {
    conn.prepare_cached(sql)
        .and_then(|mut s| s.execute(params))
        .map(drop)
        .map_err(sqlite_problem("write the facts of files"))
}

fn path(row: &Row<'_>, column: usize) -> SqlResult<RepoPath> {
    let bytes: Vec<u8> = row.get(column)?;
    RepoPath::from_bytes(bytes).map_err(|error| bad_value(column, error.to_string()))
}
