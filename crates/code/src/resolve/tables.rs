//! The SQL of resolution.

use std::collections::{BTreeSet, HashSet};

use base::{RepoPath, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use store::{Connection, OptionalExtension, SqlResult, params, sqlite_problem};
use syntax::Manifest;

use super::{ResolutionKey, ResolvedImports, SymbolOrigin};
use crate::interning::{PathId, find_path_id, name_id, path_column, path_id};
use crate::outline::{ModuleInterface, ModuleReferences};

/// A use of a symbol of another file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImporterRow {
    /// The importing file
    pub path: RepoPath,
    /// The full name of the symbol; `*` for the file itself
    pub name: String,
    /// The line
    pub line: u32,
    /// The form of the import; `Path` for a path in the code
    pub kind: String,
    /// Whether only types are imported
    pub type_only: bool,
    /// The file that re-exports the symbol, if it is not imported directly
    pub via: Option<RepoPath>,
    /// Whether the importing file only re-exports the symbol
    pub handed_on: bool,
}

fn encode(value: &impl Serialize) -> Result<Vec<u8>> {
    let bytes = postcard::to_stdvec(value).map_err(|error| outline_problem(&error))?;
    Ok(store::compress(&bytes))
}

fn decode<T: DeserializeOwned>(stored: &[u8]) -> Result<T> {
    let bytes = store::decompress(stored)?;
    postcard::from_bytes(&bytes).map_err(|error| outline_problem(&error))
}

/// Only this crate writes outlines, so one that cannot be decoded is a bug.
fn outline_problem(error: &postcard::Error) -> base::Problem {
    base::Problem::internal(format!("cannot decode the stored outline: {error}"))
}

pub(super) fn put_outline(
    conn: &Connection,
    path: &RepoPath,
    offers: &ModuleInterface,
    asks: &ModuleReferences,
    path_mods: bool,
) -> Result<()> {
    let (offers, asks) = (encode(offers)?, encode(asks)?);
    let sql = "INSERT OR REPLACE INTO outline VALUES (?1, ?2, ?3, x'', ?4)";
    run(conn, sql, params![path_id(conn, path)?.row(), offers, asks, path_mods])
}

pub(crate) fn outline(
    conn: &Connection,
    path: &RepoPath,
) -> Result<Option<(ModuleInterface, ModuleReferences)>> {
    let sql = "SELECT offers, asks FROM outline JOIN place ON id = place WHERE path = ?1";
    let read = |row: &store::Row<'_>| Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, Vec<u8>>(1)?));
    let Some((offers, asks)) = one(conn, sql, params![path.as_bytes()], read)? else {
        return Ok(None);
    };
    Ok(Some((decode(&offers)?, decode(&asks)?)))
}

pub(super) fn module_interface(
    conn: &Connection,
    path: &RepoPath,
) -> Result<Option<ModuleInterface>> {
    let sql = "SELECT offers FROM outline JOIN place ON id = place WHERE path = ?1";
    let found = one(conn, sql, params![path.as_bytes()], |row| row.get::<_, Vec<u8>>(0))?;
    found.map(|bytes| decode(&bytes)).transpose()
}

pub(super) fn put_manifest(
    conn: &Connection,
    path: &RepoPath,
    name: Option<&str>,
    manifest: &Manifest,
) -> Result<()> {
    let value = serde_json::to_string(manifest).unwrap_or_default();
    let sql = "INSERT OR REPLACE INTO manifest VALUES (?1, ?2, ?3)";
    run(conn, sql, params![path.as_bytes(), name, value])
}

pub(crate) fn manifest(conn: &Connection, path: &RepoPath) -> Result<Option<Manifest>> {
    let sql = "SELECT value FROM manifest WHERE path = ?1";
    let found = one(conn, sql, params![path.as_bytes()], |row| row.get::<_, String>(0))?;
    Ok(found.and_then(|text| serde_json::from_str(&text).ok()))
}

/// Every manifest, by path.
pub(crate) fn manifests(conn: &Connection) -> Result<Vec<(RepoPath, Manifest)>> {
    let sql = "SELECT path, value FROM manifest ORDER BY path";
    let rows =
        list(conn, sql, params![], |row| Ok((path_column(row, 0)?, row.get::<_, String>(1)?)))?;
    let read = |(path, text): (RepoPath, String)| Some((path, serde_json::from_str(&text).ok()?));
    Ok(rows.into_iter().filter_map(read).collect())
}

/// The manifests that declare a package name, the shortest path first.
pub(super) fn manifests_of_package(conn: &Connection, name: &str) -> Result<Vec<RepoPath>> {
    let sql = "SELECT path FROM manifest WHERE name = ?1 ORDER BY length(path), path";
    list(conn, sql, params![name], |row| path_column(row, 0))
}

/// Rust files with `#[path]` modules.
pub(super) fn files_with_path_modules(conn: &Connection) -> Result<Vec<RepoPath>> {
    // Without `CROSS JOIN` SQLite reads all rows of `place`, because they are sorted.
    let sql =
        "SELECT path FROM outline CROSS JOIN place ON id = place WHERE path_mods ORDER BY path";
    list(conn, sql, params![], |row| path_column(row, 0))
}

pub(super) fn remove_rows(conn: &Connection, path: &RepoPath) -> Result<()> {
    run(conn, "DELETE FROM manifest WHERE path = ?1", params![path.as_bytes()])?;
    let Some(place) = find_path_id(conn, path)? else { return Ok(()) };
    for sql in ["DELETE FROM outline WHERE place = ?1", "DELETE FROM taking WHERE place = ?1"] {
        run(conn, sql, params![place.row()])?;
    }
    Ok(())
}

pub(super) fn mark_changed(conn: &Connection, key: ResolutionKey<'_>) -> Result<()> {
    let sql = "INSERT OR IGNORE INTO stirred VALUES (?1)";
    run(conn, sql, params![key.hash_key().cast_signed()])
}

/// Takes the resolution keys whose values changed out of the table.
pub(super) fn take_changed_keys(conn: &Connection) -> Result<BTreeSet<u64>> {
    let keys = list(conn, "SELECT key FROM stirred", params![], |row| row.get::<_, i64>(0))?;
    run(conn, "DELETE FROM stirred", params![])?;
    Ok(keys.into_iter().map(i64::cast_unsigned).collect())
}

/// The files that depend on any of some resolution keys.
pub(super) fn dependents_of(conn: &Connection, keys: &BTreeSet<u64>) -> Result<Vec<RepoPath>> {
    let asked = |bytes: &[u8]| {
        let numbers = bytes.chunks_exact(8).filter_map(|bytes| bytes.try_into().ok());
        numbers.map(u64::from_le_bytes).any(|number| keys.contains(&number))
    };
    let read = |row: &store::Row<'_>| {
        let looked: Vec<u8> = row.get(1)?;
        if asked(&looked) { path_column(row, 0).map(Some) } else { Ok(None) }
    };
    let sql = "SELECT path, looked FROM outline CROSS JOIN place ON id = place";
    let found = list(conn, sql, params![], read)?;
    Ok(found.into_iter().flatten().collect())
}

pub(super) fn put_dependencies(
    conn: &Connection,
    path: &RepoPath,
    keys: &BTreeSet<u64>,
) -> Result<()> {
    let bytes: Vec<u8> = keys.iter().flat_map(|key| key.to_le_bytes()).collect();
    let sql = "UPDATE outline SET looked = ?2 WHERE place = ?1";
    run(conn, sql, params![path_id(conn, path)?.row(), bytes])
}

pub(super) fn put_resolved(
    conn: &Connection,
    path: &RepoPath,
    resolved: &ResolvedImports,
) -> Result<()> {
    let place = path_id(conn, path)?.row();
    let set = "UPDATE import SET target = ?3 WHERE place = ?1 AND id = ?2 AND target IS NOT ?3";
    for (at, target) in (0_u32..).zip(&resolved.targets) {
        let target = target.as_ref().map(|target| path_id(conn, target)).transpose()?;
        run(conn, set, params![place, at, target.map(PathId::row)])?;
    }
    run(conn, "DELETE FROM taking WHERE place = ?1", params![place])?;
    let put = "INSERT INTO taking VALUES (?1, ?2, ?3, ?4, ?5,
        coalesce(?6, (SELECT line FROM import WHERE place = ?1 AND id = ?3), 1))";
    for (at, taking) in (0_u32..).zip(&resolved.uses) {
        let target = path_id(conn, &taking.origin.file)?.row();
        let name = name_id(conn, &taking.origin.name)?.row();
        run(conn, put, params![place, at, taking.import, target, name, taking.line])?;
    }
    Ok(())
}

/// The files that import something of a file: what it declares, directly or through re-exports, and
/// what it re-exports.
pub fn importers(conn: &Connection, target: &RepoPath) -> Result<Vec<ImporterRow>> {
    let declared = "SELECT p.path, n.text, t.line, coalesce(i.kind, 'Path'),
        coalesce(i.type_only, 0), (SELECT path FROM place v WHERE v.id = i.target
            AND i.target <> t.target), 0
        FROM taking t JOIN place p ON p.id = t.place JOIN name n ON n.id = t.name
        LEFT JOIN import i ON i.place = t.place AND i.id = t.import
        WHERE t.target = (SELECT id FROM place WHERE path = ?1) AND t.place <> t.target";
    let handed_on =
        "SELECT p.path, coalesce(n.value ->> 0, '*'), i.line, i.kind, i.type_only, NULL, 1
        FROM import i JOIN place p ON p.id = i.place LEFT JOIN json_each(i.names) n
        WHERE i.target = (SELECT id FROM place WHERE path = ?1) AND i.place <> i.target
        AND NOT EXISTS (SELECT 1 FROM taking t
            WHERE t.place = i.place AND t.target = i.target AND t.import = i.id)";
    let sql = format!("{declared} UNION {handed_on} ORDER BY 1, 3, 2");
    list(conn, &sql, params![target.as_bytes()], |row| {
        let through: Option<Vec<u8>> = row.get(5)?;
        Ok(ImporterRow {
            path: path_column(row, 0)?,
            name: row.get(1)?,
            line: row.get(2)?,
            kind: row.get(3)?,
            type_only: row.get(4)?,
            via: through.and_then(|bytes| RepoPath::from_bytes(bytes).ok()),
            handed_on: row.get(6)?,
        })
    })
}

/// The importing files of a file, without duplicates, with the imported names.
pub fn importer_names(
    conn: &Connection,
    target: &RepoPath,
) -> Result<Vec<(RepoPath, Vec<String>)>> {
    let sql = "SELECT path, text, import FROM taking t JOIN place p ON p.id = t.place
        JOIN name n ON n.id = t.name
        WHERE target = (SELECT id FROM place WHERE path = ?1) AND place <> target
        ORDER BY path, text, import";
    let mut takers: Vec<(RepoPath, Vec<String>)> = Vec::new();
    let mut known: HashSet<(usize, i64)> = HashSet::new();
    list(conn, sql, params![target.as_bytes()], |row| {
        let bytes = row.get_ref(0)?.as_blob()?;
        if takers.last().is_none_or(|(path, _)| path.as_bytes() != bytes) {
            takers.push((path_column(row, 0)?, Vec::new()));
        }
        let import: Option<i64> = row.get(2)?;
        known.extend(import.map(|import| (takers.len() - 1, import)));
        let names = &mut takers.last_mut().expect("one was put there").1;
        let name = row.get_ref(1)?.as_str()?;
        if names.last().is_none_or(|last| last != name) {
            names.push(name.to_owned());
        }
        Ok(())
    })?;
    let sql = "SELECT path, i.id, names FROM import i JOIN place p ON p.id = i.place
        WHERE target = (SELECT id FROM place WHERE path = ?1) AND place <> target
        ORDER BY path, i.id";
    let sorted = takers.len();
    list(conn, sql, params![target.as_bytes()], |row| {
        let bytes = row.get_ref(0)?.as_blob()?;
        let at = takers[..sorted].binary_search_by(|(path, _)| path.as_bytes().cmp(bytes));
        let is_last = || takers.last().is_some_and(|(path, _)| path.as_bytes() == bytes);
        let at = at.or_else(|at| if is_last() { Ok(takers.len() - 1) } else { Err(at) });
        if at.is_ok_and(|at| known.contains(&(at, row.get(1).unwrap_or(-1)))) {
            return Ok(());
        }
        let names: Vec<Value> = serde_json::from_str(row.get_ref(2)?.as_str()?).unwrap_or_default();
        let mut names: Vec<String> =
            names.iter().filter_map(|name| Some(name[0].as_str()?.to_owned())).collect();
        if names.is_empty() {
            names.push("*".into());
        }
        match at {
            Ok(at) => takers[at].1.extend(names),
            Err(_) => takers.push((path_column(row, 0)?, names)),
        }
        Ok(())
    })?;
    Ok(takers)
}

/// A use of a symbol, with the form of the import.
pub(crate) struct ImportUseRow {
    pub path: RepoPath,
    pub origin: SymbolOrigin,
    pub kind: String,
    /// Whether the module is only executed
    pub is_bare: bool,
}

/// All uses of symbols of other files.
pub(crate) fn all_import_uses(conn: &Connection) -> Result<Vec<ImportUseRow>> {
    let sql = "SELECT p.path, o.path, n.text, coalesce(i.kind, 'Path'),
        coalesce(i.kind = 'Import' AND i.names = '[]', 0)
        FROM place p CROSS JOIN taking t ON t.place = p.id JOIN place o ON o.id = t.target
        JOIN name n ON n.id = t.name LEFT JOIN import i ON i.place = t.place AND i.id = t.import
        WHERE t.place <> t.target ORDER BY p.path, t.id";
    list(conn, sql, params![], |row| {
        let origin = SymbolOrigin { file: path_column(row, 1)?, name: row.get(2)? };
        Ok(ImportUseRow {
            path: path_column(row, 0)?,
            origin,
            kind: row.get(3)?,
            is_bare: row.get(4)?,
        })
    })
}

/// The files that declare what a file imports.
pub fn imported_files(conn: &Connection, from: &RepoPath) -> Result<Vec<RepoPath>> {
    let sql = "SELECT t.path FROM (SELECT id FROM place WHERE path = ?1) p
        CROSS JOIN taking ON place = p.id AND target <> place JOIN place t ON t.id = target
        UNION SELECT t.path FROM (SELECT id FROM place WHERE path = ?1) p
        CROSS JOIN import i ON i.place = p.id AND i.target <> i.place
        JOIN place t ON t.id = i.target
        WHERE EXISTS (SELECT 1 FROM outline o WHERE o.place = i.target) ORDER BY 1";
    list(conn, sql, params![from.as_bytes()], |row| path_column(row, 0))
}

fn run(conn: &Connection, sql: &str, params: &[&dyn store::ToSql]) -> Result<()> {
    conn.prepare_cached(sql)
        .and_then(|mut statement| statement.execute(params))
        .map(drop)
        .map_err(sqlite_problem("write resolved imports"))
}

fn one<T>(
    conn: &Connection,
    sql: &str,
    params: &[&dyn store::ToSql],
    read: impl FnOnce(&store::Row<'_>) -> SqlResult<T>,
) -> Result<Option<T>> {
    conn.prepare_cached(sql)
        .and_then(|mut statement| statement.query_row(params, read).optional())
        .map_err(sqlite_problem("read resolved imports"))
}

fn list<T>(
    conn: &Connection,
    sql: &str,
    params: &[&dyn store::ToSql],
    read: impl FnMut(&store::Row<'_>) -> SqlResult<T>,
) -> Result<Vec<T>> {
    store::rows(conn, sql, "read resolved imports", params, read)
}
