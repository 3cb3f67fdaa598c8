//! The SQL of cards, their relations and `@see` tags.

use base::entity::CardKey;
use base::{RepoPath, Result};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json, json};
use store::{Connection, Row, SqlResult, ToSql, bad_value, params, sqlite_problem};

use crate::card::{Card, CardDiagnostic, CardRelation};
use crate::key::{fold_case, key_kind};
use crate::mentions::CardMention;
use crate::see::SeeTag;
use crate::words::{CardRelationKind, CardStatus};

/// The tables.
pub const SCHEMA: &str = include_str!("cards.sql");

/// Queries whose rows must equal those of a rebuilt index.
pub const REBUILD_CHECK_QUERIES: &[&str] = &[
    "SELECT * FROM card",
    "SELECT * FROM card_relation",
    "SELECT * FROM card_mention",
    "SELECT * FROM card_trouble",
    "SELECT * FROM see",
];

/// A card in the index.
#[derive(Debug, Clone, PartialEq)]
pub struct CardRow {
    /// Its file
    pub path: RepoPath,
    /// Its key
    pub key: CardKey,
    /// Its type, as it is written
    pub kind: String,
    /// What it is about
    pub summary: String,
    /// Its status
    pub status: CardStatus,
    /// Its tags
    pub tags: Vec<String>,
    /// Broad categories
    pub subjects: Vec<String>,
    /// Its constraints
    pub constraints: Vec<String>,
    /// All other fields
    pub extra: Map<String, Json>,
    /// The text after the frontmatter
    pub body: String,
    /// The line numbers of its key, type and status
    pub lines: [u32; 3],
}

/// A relation from one card to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCardRelation {
    /// The file of the first card
    pub path: RepoPath,
    /// The key of the first card
    pub source: CardKey,
    /// The kind of relation
    pub kind: CardRelationKind,
    /// The key of the other card, as it is written
    pub target: String,
    /// The line number
    pub line: u32,
}

/// A tag in a doc comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeeTagRow {
    /// The file
    pub path: RepoPath,
    /// The symbol; `None` for the module itself
    pub owner: Option<String>,
    /// The key
    pub key: CardKey,
    /// The line number
    pub line: u32,
    /// Whether the language itself uses `::` in names
    pub has_colons: bool,
}

/// A piece of code that the text of a card names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MentionRow {
    /// The card's file
    pub path: RepoPath,
    /// The card's key
    pub source: CardKey,
    /// What it names, and where
    pub mention: CardMention,
}

/// An error in a card file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardDiagnosticRow {
    /// The file
    pub path: RepoPath,
    /// The code of the error
    pub code: String,
    /// The message
    pub message: String,
    /// The line number
    pub line: u32,
}

/// A filter for cards. An empty list matches everything; a card must have all given tags and subjects.
#[derive(Debug, Clone, Default)]
pub struct CardFilter {
    /// Any of these statuses
    pub statuses: Vec<CardStatus>,
    /// Any of these types
    pub kinds: Vec<String>,
    /// All of these tags
    pub tags: Vec<String>,
    /// All of these subjects
    pub subjects: Vec<String>,
}

impl CardFilter {
    fn matches(&self, card: &CardRow) -> bool {
        let all = |wanted: &[String], has: &[String]| {
            wanted.iter().all(|one| has.iter().any(|had| fold_case(had) == fold_case(one)))
        };
        (self.statuses.is_empty() || self.statuses.contains(&card.status))
            && (self.kinds.is_empty() || self.kinds.contains(&card.kind))
            && all(&self.tags, &card.tags)
            && all(&self.subjects, &card.subjects)
    }
}

const CARD: &str = "SELECT path, key, type, summary, status, tags, subjects, constraints, extra,
    body, key_line, type_line, status_line FROM card";
const RELATION: &str = "SELECT path, source, type, target, line FROM card_relation";
const MENTION: &str = "SELECT path, source, target, symbol, line FROM card_mention";
const SEE: &str = "SELECT path, owner, key, line, colons FROM see";

pub(crate) fn put_card(conn: &Connection, path: &RepoPath, card: &Card) -> Result<()> {
    let sql = "INSERT INTO card VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14)";
    let [key_line, type_line, status_line] = card.lines;
    run(
        conn,
        sql,
        params![
            path.as_bytes(),
            card.key.as_str(),
            fold_case(card.key.as_str()),
            card.kind,
            card.summary,
            card.status.word(),
            json!(card.tags).to_string(),
            json!(card.subjects).to_string(),
            json!(card.constraints).to_string(),
            json!(card.extra).to_string(),
            card.body,
            key_line,
            type_line,
            status_line,
        ],
    )
}

pub(crate) fn put_relation(
    conn: &Connection,
    path: &RepoPath,
    number: u32,
    source: &str,
    relation: &CardRelation,
) -> Result<()> {
    let CardRelation { kind, target, line } = relation;
    let sql = "INSERT INTO card_relation VALUES (?1,?2,?3,?4,?5,?6)";
    run(conn, sql, params![path.as_bytes(), number, source, kind.word(), target, line])
}

pub(crate) fn put_mention(
    conn: &Connection,
    path: &RepoPath,
    number: u32,
    source: &str,
    mention: &CardMention,
) -> Result<()> {
    let CardMention { target, symbol, line } = mention;
    let sql = "INSERT INTO card_mention VALUES (?1,?2,?3,?4,?5,?6)";
    run(conn, sql, params![path.as_bytes(), number, source, target.as_bytes(), symbol, line])
}

pub(crate) fn put_diagnostic(
    conn: &Connection,
    path: &RepoPath,
    number: u32,
    trouble: &CardDiagnostic,
) -> Result<()> {
    let CardDiagnostic { code, message, line } = trouble;
    let sql = "INSERT INTO card_trouble VALUES (?1,?2,?3,?4,?5)";
    run(conn, sql, params![path.as_bytes(), number, code, message, line])
}

pub(crate) fn put_see_tag(
    conn: &Connection,
    path: &RepoPath,
    number: u32,
    seen: &SeeTag,
    colons: bool,
) -> Result<()> {
    let sql = "INSERT INTO see VALUES (?1,?2,?3,?4,?5,?6)";
    run(
        conn,
        sql,
        params![path.as_bytes(), number, seen.owner, seen.key.as_str(), seen.line, colons],
    )
}

pub(crate) fn delete_card(conn: &Connection, path: &RepoPath) -> Result<()> {
    for sql in [
        "DELETE FROM card WHERE path = ?1",
        "DELETE FROM card_relation WHERE path = ?1",
        "DELETE FROM card_mention WHERE path = ?1",
        "DELETE FROM card_trouble WHERE path = ?1",
    ] {
        run(conn, sql, params![path.as_bytes()])?;
    }
    Ok(())
}

pub(crate) fn delete_see_tags(conn: &Connection, path: &RepoPath) -> Result<()> {
    run(conn, "DELETE FROM see WHERE path = ?1", params![path.as_bytes()])
}

/// The card in a file.
pub fn card_at_path(conn: &Connection, path: &RepoPath) -> Result<Option<CardRow>> {
    let sql = format!("{CARD} WHERE path = ?1");
    Ok(cards_by(conn, &sql, params![path.as_bytes()])?.pop())
}

/// The card with this key; the first one by path if several files have it.
pub fn card_by_key(conn: &Connection, key: &str) -> Result<Option<CardRow>> {
    let sql = format!("{CARD} WHERE key = ?1 ORDER BY path LIMIT 1");
    Ok(cards_by(conn, &sql, params![key])?.pop())
}

/// Whether a card has this key.
pub fn has_key(conn: &Connection, key: &str) -> Result<bool> {
    Ok(!rows(conn, "SELECT 1 FROM card WHERE key = ?1 LIMIT 1", params![key], |_| Ok(()))?
        .is_empty())
}

/// Every card whose key is the same after case folding.
pub fn cards_with_folded_key(conn: &Connection, key: &str) -> Result<Vec<CardRow>> {
    cards_by(conn, &format!("{CARD} WHERE folded = ?1 ORDER BY path"), params![fold_case(key)])
}

/// The keys that several cards have, after case folding, each with their files.
pub fn duplicate_keys(conn: &Connection) -> Result<Vec<(CardKey, Vec<RepoPath>)>> {
    let sql = "SELECT key, path, folded FROM card WHERE folded IN
        (SELECT folded FROM card GROUP BY folded HAVING count(*) > 1) ORDER BY folded, path";
    let read = |row: &Row<'_>| Ok((parsed(row, 0)?, path(row, 1)?, row.get::<_, String>(2)?));
    let mut found: Vec<(String, CardKey, Vec<RepoPath>)> = Vec::new();
    for (key, path, folded) in rows(conn, sql, params![], read)? {
        match found.last_mut().filter(|(last, ..)| *last == folded) {
            Some((_, _, paths)) => paths.push(path),
            None => found.push((folded, key, vec![path])),
        }
    }
    Ok(found.into_iter().map(|(_, key, paths)| (key, paths)).collect())
}

/// The key of every card.
pub fn all_keys(conn: &Connection) -> Result<Vec<CardKey>> {
    rows(conn, "SELECT DISTINCT key FROM card ORDER BY key", params![], |row| parsed(row, 0))
}

/// Every card, by key and path.
pub fn all_cards(conn: &Connection) -> Result<Vec<CardRow>> {
    cards_by(conn, &format!("{CARD} ORDER BY key, path"), params![])
}

/// The matching cards, by key.
pub fn filtered_cards(conn: &Connection, filter: &CardFilter) -> Result<Vec<CardRow>> {
    Ok(all_cards(conn)?.into_iter().filter(|card| filter.matches(card)).collect())
}

/// The relations of a card to others, in the order of its file.
pub fn relations_from(conn: &Connection, source: &str) -> Result<Vec<StoredCardRelation>> {
    let sql = format!("{RELATION} WHERE source = ?1 ORDER BY path, number");
    rows(conn, &sql, params![source], relation_row)
}

/// The relations of other cards to a card.
pub fn relations_to(conn: &Connection, target: &str) -> Result<Vec<StoredCardRelation>> {
    let sql = format!("{RELATION} WHERE target = ?1 ORDER BY path, number");
    rows(conn, &sql, params![target], relation_row)
}

/// The relations of all cards.
pub fn all_relations(conn: &Connection) -> Result<Vec<StoredCardRelation>> {
    rows(conn, &format!("{RELATION} ORDER BY path, number"), params![], relation_row)
}

/// The code that the text of a card names.
pub fn mentions_in(conn: &Connection, source: &str) -> Result<Vec<MentionRow>> {
    let sql = format!("{MENTION} WHERE source = ?1 ORDER BY path, number");
    rows(conn, &sql, params![source], mention_row)
}

/// The cards whose text names a file or something in it.
pub fn mentions_of(conn: &Connection, target: &RepoPath) -> Result<Vec<MentionRow>> {
    let sql = format!("{MENTION} WHERE target = ?1 ORDER BY path, number");
    rows(conn, &sql, params![target.as_bytes()], mention_row)
}

/// The code that the texts of all cards name.
pub fn all_mentions(conn: &Connection) -> Result<Vec<MentionRow>> {
    rows(conn, &format!("{MENTION} ORDER BY path, number"), params![], mention_row)
}

/// The tags with this key.
pub fn see_tags_of_key(conn: &Connection, key: &str) -> Result<Vec<SeeTagRow>> {
    rows(conn, &format!("{SEE} WHERE key = ?1 ORDER BY path, number"), params![key], see_row)
}

/// The tags in a file.
pub fn see_tags_in_file(conn: &Connection, path: &RepoPath) -> Result<Vec<SeeTagRow>> {
    let sql = format!("{SEE} WHERE path = ?1 ORDER BY number");
    rows(conn, &sql, params![path.as_bytes()], see_row)
}

/// The tags in the files below a folder, which is given as a range of paths from `low` up to, but not
/// including, `high`.
pub fn see_tags_below(conn: &Connection, low: &[u8], high: &[u8]) -> Result<Vec<SeeTagRow>> {
    let sql = format!("{SEE} WHERE path >= ?1 AND path < ?2 ORDER BY path, number");
    rows(conn, &sql, params![low, high], see_row)
}

/// Every tag.
pub fn all_see_tags(conn: &Connection) -> Result<Vec<SeeTagRow>> {
    rows(conn, &format!("{SEE} ORDER BY path, number"), params![], see_row)
}

/// The number of tags by key.
pub fn see_tag_counts(conn: &Connection) -> Result<std::collections::BTreeMap<String, u64>> {
    let sql = "SELECT key, count(*) FROM see GROUP BY key";
    let counted = rows(conn, sql, params![], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(counted.into_iter().collect())
}

/// All errors in card files.
pub fn all_diagnostics(conn: &Connection) -> Result<Vec<CardDiagnosticRow>> {
    let sql = "SELECT path, code, message, line FROM card_trouble ORDER BY path, number";
    rows(conn, sql, params![], |row| {
        Ok(CardDiagnosticRow {
            path: path(row, 0)?,
            code: row.get(1)?,
            message: row.get(2)?,
            line: row.get(3)?,
        })
    })
}

fn run(conn: &Connection, sql: &str, params: &[&dyn ToSql]) -> Result<()> {
    conn.prepare_cached(sql)
        .and_then(|mut statement| statement.execute(params))
        .map(drop)
        .map_err(sqlite_problem("write cards"))
}

fn cards_by(conn: &Connection, sql: &str, params: &[&dyn ToSql]) -> Result<Vec<CardRow>> {
    rows(conn, sql, params, card_row)
}

fn rows<T>(
    conn: &Connection,
    sql: &str,
    params: &[&dyn ToSql],
    read: impl FnMut(&Row<'_>) -> SqlResult<T>,
) -> Result<Vec<T>> {
    store::rows(conn, sql, "read cards", params, read)
}

fn card_row(row: &Row<'_>) -> SqlResult<CardRow> {
    Ok(CardRow {
        path: path(row, 0)?,
        key: parsed(row, 1)?,
        kind: row.get(2)?,
        summary: row.get(3)?,
        status: parsed(row, 4)?,
        tags: from_json(row, 5)?,
        subjects: from_json(row, 6)?,
        constraints: from_json(row, 7)?,
        extra: from_json(row, 8)?,
        body: row.get(9)?,
        lines: [row.get(10)?, row.get(11)?, row.get(12)?],
    })
}

fn relation_row(row: &Row<'_>) -> SqlResult<StoredCardRelation> {
    Ok(StoredCardRelation {
        path: path(row, 0)?,
        source: parsed(row, 1)?,
        kind: parsed(row, 2)?,
        target: row.get(3)?,
        line: row.get(4)?,
    })
}

fn mention_row(row: &Row<'_>) -> SqlResult<MentionRow> {
    Ok(MentionRow {
        path: path(row, 0)?,
        source: parsed(row, 1)?,
        mention: CardMention { target: path(row, 2)?, symbol: row.get(3)?, line: row.get(4)? },
    })
}

fn see_row(row: &Row<'_>) -> SqlResult<SeeTagRow> {
    Ok(SeeTagRow {
        path: path(row, 0)?,
        owner: row.get(1)?,
        key: parsed(row, 2)?,
        line: row.get(3)?,
        has_colons: row.get(4)?,
    })
}

impl SeeTagRow {
    /// The type in its key.
    pub fn kind(&self) -> &str {
        key_kind(&self.key)
    }
}

fn path(row: &Row<'_>, column: usize) -> SqlResult<RepoPath> {
    let bytes: Vec<u8> = row.get(column)?;
    RepoPath::from_bytes(bytes).map_err(|error| bad_value(column, error.to_string()))
}

fn parsed<T: std::str::FromStr<Err = String>>(row: &Row<'_>, column: usize) -> SqlResult<T> {
    row.get::<_, String>(column)?.parse().map_err(|why| bad_value(column, why))
}

fn from_json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> SqlResult<T> {
    let text: String = row.get(column)?;
    serde_json::from_str(&text).map_err(|error| bad_value(column, error.to_string()))
}
