//! The SQL of the store of facts. No other file of the crate contains SQL for it.

use std::collections::BTreeMap;

use base::Result;
use base::shared::MergeBase;
use store::{
    Connection, Migration, OptionalExtension, Row, SqlResult, bad_value, params, rows,
    sqlite_problem,
};

use crate::log::{AuditEntry, LogSeq, LogUid};
use crate::model::{Entity, KbRelation, RelationKey};

/// The migrations of the store, oldest first. A migration never changes after its release.
pub const MIGRATIONS: &[Migration] = &[
    Migration { name: "entities, relations and their log", sql: include_str!("kb.sql") },
    Migration { name: "what is shared", sql: include_str!("shared.sql") },
    Migration { name: "revisions of shared files", sql: include_str!("shared_revision.sql") },
];

const ENTITY: &str = "SELECT id, type, title, status, created_at, updated_at, source, author,
    version, more FROM kb_entity";
const RELATION: &str = "SELECT type, source_end, target_end, kind, created_at, created_by, source,
    confidence, allow_cycle FROM kb_relation";
const AUDIT: &str =
    "SELECT seq, uid, changeset, digest, at, actor, source, action, edits FROM kb_audit";

/// An entity of the store.
pub fn entity(conn: &Connection, id: &str) -> Result<Option<Entity>> {
    conn.prepare_cached(&format!("{ENTITY} WHERE id = ?1"))
        .and_then(|mut s| s.query_row([id], read_entity).optional())
        .map_err(sqlite_problem("read an entity"))
}

/// The ids of all entities of the store.
pub fn ids(conn: &Connection) -> Result<Vec<String>> {
    rows(conn, "SELECT id FROM kb_entity ORDER BY id", "read entities", &[], |row| row.get(0))
}

/// An id of the store that differs from this one only in case.
pub(crate) fn case_variant(conn: &Connection, id: &str) -> Result<Option<String>> {
    let folded = id.to_lowercase();
    let mut ids = ids(conn)?.into_iter();
    Ok(ids.find(|other| other != id && other.to_lowercase() == folded))
}

/// Every entity of the store, by id.
pub fn entities(conn: &Connection) -> Result<Vec<Entity>> {
    rows(conn, &format!("{ENTITY} ORDER BY id"), "read entities", &[], read_entity)
}

/// Every relation of the store.
pub fn relations(conn: &Connection) -> Result<Vec<KbRelation>> {
    let sql = format!("{RELATION} ORDER BY source_end, type, target_end, kind");
    rows(conn, &sql, "read relations", &[], read_relation)
}

pub(crate) fn relation(conn: &Connection, key: &RelationKey) -> Result<Option<KbRelation>> {
    let sql =
        format!("{RELATION} WHERE type = ?1 AND source_end = ?2 AND target_end = ?3 AND kind = ?4");
    conn.prepare_cached(&sql)
        .and_then(|mut s| {
            s.query_row(params![key.relates.word(), key.from, key.to, key.kind], read_relation)
                .optional()
        })
        .map_err(sqlite_problem("read a relation"))
}

pub(crate) fn relations_touching(conn: &Connection, end: &str) -> Result<Vec<KbRelation>> {
    let sql = format!(
        "{RELATION} WHERE source_end = ?1 OR target_end = ?1
         ORDER BY source_end, type, target_end, kind"
    );
    rows(conn, &sql, "read relations", params![end], read_relation)
}

pub(crate) fn set_entity(conn: &Connection, id: &str, entity: Option<&Entity>) -> Result<()> {
    let Some(entity) = entity else {
        return run(conn, "DELETE FROM kb_entity WHERE id = ?1", params![id]);
    };
    let more = serde_json::to_string(&entity.more)
        .map_err(|error| base::Problem::internal("an entity is not JSON").with_source(error))?;
    run(
        conn,
        "INSERT OR REPLACE INTO kb_entity VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10)",
        params![
            id,
            entity.kind.word(),
            entity.title,
            entity.status,
            entity.created_at,
            entity.updated_at,
            entity.source,
            entity.author,
            entity.version,
            more
        ],
    )
}

pub(crate) fn set_relation(
    conn: &Connection,
    key: &RelationKey,
    relation: Option<&KbRelation>,
) -> Result<()> {
    let Some(relation) = relation else {
        return run(
            conn,
            "DELETE FROM kb_relation
             WHERE type = ?1 AND source_end = ?2 AND target_end = ?3 AND kind = ?4",
            params![key.relates.word(), key.from, key.to, key.kind],
        );
    };
    run(
        conn,
        "INSERT OR REPLACE INTO kb_relation VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9)",
        params![
            key.relates.word(),
            key.from,
            key.to,
            key.kind,
            relation.created_at,
            relation.created_by,
            relation.source,
            relation.confidence,
            relation.allow_cycle
        ],
    )
}

/// Appends to the log. Returns the entry's number.
pub(crate) fn insert_log_entry(conn: &Connection, logged: &AuditEntry) -> Result<LogSeq> {
    let edits = serde_json::to_string(&logged.edits)
        .map_err(|error| base::Problem::internal("edits are not JSON").with_source(error))?;
    run(
        conn,
        "INSERT INTO kb_audit (uid, changeset, digest, at, actor, source, action, edits)
         VALUES (?1,?2,?3,?4,?5,?6,?7,?8)",
        params![
            logged.uid.0,
            logged.changeset,
            logged.digest,
            logged.at,
            logged.actor,
            logged.source,
            logged.action,
            edits
        ],
    )?;
    Ok(LogSeq(conn.last_insert_rowid()))
}

/// Makes `next` the number of the next entry, unless the log already has a higher number.
pub fn reserve_log_numbers(conn: &Connection, next: LogSeq) -> Result<()> {
    run(
        conn,
        "INSERT INTO sqlite_sequence (name, seq) SELECT 'kb_audit', 0
         WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'kb_audit')",
        &[],
    )?;
    run(
        conn,
        "UPDATE sqlite_sequence SET seq = max(seq, ?1) WHERE name = 'kb_audit'",
        params![next.0 - 1],
    )
}

/// A part of the log.
#[derive(Debug)]
pub struct LogPage {
    /// How many entries match
    pub total: u64,
    /// The entries of this part, newest first
    pub entries: Vec<AuditEntry>,
}

/// The entries of the log that mention an entity, or all of them, newest first: at most `limit` of
/// them, after the first `offset`.
pub fn log_page(
    conn: &Connection,
    about: Option<&str>,
    limit: usize,
    offset: usize,
) -> Result<LogPage> {
    let filter = "WHERE ?1 IS NULL OR instr(edits, ?1) > 0";
    let about = about.map(|id| serde_json::Value::from(id).to_string());
    let total = conn
        .query_row(&format!("SELECT count(*) FROM kb_audit {filter}"), params![about], |row| {
            row.get(0)
        })
        .map_err(sqlite_problem("read the audit log"))?;
    let sql = format!("{AUDIT} {filter} ORDER BY seq DESC LIMIT ?2 OFFSET ?3");
    let entries = rows(
        conn,
        &sql,
        "read the audit log",
        params![
            about,
            u32::try_from(limit).unwrap_or(u32::MAX),
            u32::try_from(offset).unwrap_or(0)
        ],
        audit_entry_from_row,
    )?;
    Ok(LogPage { total, entries })
}

/// One entry of the log.
pub fn log_entry(conn: &Connection, seq: LogSeq) -> Result<Option<AuditEntry>> {
    conn.prepare_cached(&format!("{AUDIT} WHERE seq = ?1"))
        .and_then(|mut s| s.query_row([seq.0], audit_entry_from_row).optional())
        .map_err(sqlite_problem("read the audit log"))
}

/// The entry of the changeset with this id.
pub(crate) fn entry_of_changeset(conn: &Connection, changeset: &str) -> Result<Option<AuditEntry>> {
    conn.prepare_cached(&format!("{AUDIT} WHERE changeset = ?1"))
        .and_then(|mut s| s.query_row([changeset], audit_entry_from_row).optional())
        .map_err(sqlite_problem("read the audit log"))
}

/// Whether the log has an entry of a changeset with this id.
pub fn has_changeset(conn: &Connection, changeset: &str) -> Result<bool> {
    Ok(entry_of_changeset(conn, changeset)?.is_some())
}

/// Every entry, oldest first.
pub fn full_log(conn: &Connection) -> Result<Vec<AuditEntry>> {
    rows(conn, &format!("{AUDIT} ORDER BY seq"), "read the audit log", &[], audit_entry_from_row)
}

/// The ids of all entries, oldest first.
pub fn uids(conn: &Connection) -> Result<Vec<LogUid>> {
    let sql = "SELECT uid FROM kb_audit ORDER BY seq";
    rows(conn, sql, "read the audit log", &[], |row| row.get(0).map(LogUid))
}

/// The number of the newest entry; 0 if there is none.
pub(crate) fn last_seq(conn: &Connection) -> Result<LogSeq> {
    conn.query_row("SELECT coalesce(max(seq), 0) FROM kb_audit", [], |row| row.get(0).map(LogSeq))
        .map_err(sqlite_problem("read the audit log"))
}

/// The size of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreCounts {
    /// How many entities it holds
    pub entities: u64,
    /// How many relations it holds
    pub relations: u64,
    /// How many entries its log has
    pub log_entries: u64,
}

/// Counts the rows of the store.
pub fn counts(conn: &Connection) -> Result<StoreCounts> {
    conn.query_row(
        "SELECT (SELECT count(*) FROM kb_entity), (SELECT count(*) FROM kb_relation),
         (SELECT count(*) FROM kb_audit)",
        [],
        |row| {
            Ok(StoreCounts {
                entities: row.get(0)?,
                relations: row.get(1)?,
                log_entries: row.get(2)?,
            })
        },
    )
    .map_err(sqlite_problem("count entities"))
}

/// The content on which the store and each shared file last agreed, by path.
pub(crate) fn agreements(conn: &Connection) -> Result<BTreeMap<String, MergeBase>> {
    let sql = "SELECT file, hash, revision FROM kb_shared";
    let pairs = rows(conn, sql, "read what is shared", &[], |row| {
        Ok((row.get(0)?, MergeBase { hash: row.get(1)?, revision: row.get(2)? }))
    })?;
    Ok(pairs.into_iter().collect())
}

pub(crate) fn set_agreement(conn: &Connection, file: &str, agreed: &MergeBase) -> Result<()> {
    let sql = "INSERT OR REPLACE INTO kb_shared (file, hash, revision) VALUES (?1, ?2, ?3)";
    run(conn, sql, params![file, agreed.hash, agreed.revision])
}

/// Shrinks the file to the space that its rows need.
pub fn vacuum(conn: &Connection) -> Result<()> {
    conn.execute_batch("VACUUM").map_err(sqlite_problem("compact the knowledge base"))
}

fn run(conn: &Connection, sql: &str, params: &[&dyn store::ToSql]) -> Result<()> {
    conn.prepare_cached(sql)
        .and_then(|mut s| s.execute(params))
        .map(drop)
        .map_err(sqlite_problem("write the knowledge base"))
}

fn read_entity(row: &Row<'_>) -> SqlResult<Entity> {
    let more: String = row.get(9)?;
    Ok(Entity {
        id: row.get(0)?,
        kind: word(row, 1)?,
        title: row.get(2)?,
        status: row.get(3)?,
        created_at: row.get(4)?,
        updated_at: row.get(5)?,
        source: row.get(6)?,
        author: row.get(7)?,
        version: row.get(8)?,
        more: serde_json::from_str(&more).map_err(|error| bad_value(9, error.to_string()))?,
    })
}

fn read_relation(row: &Row<'_>) -> SqlResult<KbRelation> {
    Ok(KbRelation {
        relates: word(row, 0)?,
        from: row.get(1)?,
        to: row.get(2)?,
        kind: row.get(3)?,
        created_at: row.get(4)?,
        created_by: row.get(5)?,
        source: row.get(6)?,
        confidence: row.get(7)?,
        allow_cycle: row.get(8)?,
    })
}

fn audit_entry_from_row(row: &Row<'_>) -> SqlResult<AuditEntry> {
    let edits: String = row.get(8)?;
    Ok(AuditEntry {
        seq: row.get(0).map(LogSeq)?,
        uid: row.get(1).map(LogUid)?,
        changeset: row.get(2)?,
        digest: row.get(3)?,
        at: row.get(4)?,
        actor: row.get(5)?,
        source: row.get(6)?,
        action: row.get(7)?,
        edits: serde_json::from_str(&edits).map_err(|error| bad_value(8, error.to_string()))?,
    })
}

fn word<T: std::str::FromStr<Err = String>>(row: &Row<'_>, column: usize) -> SqlResult<T> {
    let text: String = row.get(column)?;
    text.parse().map_err(|error| bad_value(column, error))
}
