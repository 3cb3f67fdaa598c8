//! The SQL of symbols and imports.

use std::collections::{BTreeMap, BTreeSet};

use base::entity::{own_name, plain_name};
use base::{RepoPath, Result};
use store::{Connection, Row, SqlResult, params, sqlite_problem};
use syntax::{Import, SymbolKind, SyntaxError};

use crate::interning::{NameId, PathId, find_path_id, name_id, path_column};
use crate::symbols::{
    AliasIndex, ExportAlias, ImportIndex, ImportRow, NewSymbol, SymbolIndex, SymbolRow,
    read_visibility, stored_visibility,
};

/// The tables of this crate.
pub const SCHEMA: &str = concat!(
    include_str!("code.sql"),
    include_str!("resolve/resolve.sql"),
    include_str!("calls/calls.sql")
);

/// SQL indexes that are created after the first build, which does not need them.
pub const INDEX_SCHEMA: &str = include_str!("late.sql");

/// Queries whose results must equal those of a rebuilt index.
pub const REBUILD_CHECK_QUERIES: &[&str] = &[
    "SELECT p.path, s.id, n.text, f.text, kind, parent, signature, doc, visibility, exported,
     is_test, start, length, line, lines, l.text, overloads FROM symbol s
     JOIN place p ON p.id = s.place JOIN name n ON n.id = s.name JOIN name f ON f.id = s.full
     LEFT JOIN name l ON l.id = s.plain",
    "SELECT p.path, i.id, specifier, kind, level, names, type_only, line, t.path FROM import i
     JOIN place p ON p.id = i.place LEFT JOIN place t ON t.id = i.target",
    "SELECT path, a.id, name, local, symbol, import FROM alias a JOIN place p ON p.id = a.place",
    "SELECT path, line, column, message FROM syntax_error JOIN place ON id = place",
    "SELECT path, face, own, parts, cut FROM summary JOIN place ON id = place",
    "SELECT path, text, digest FROM offer JOIN place p ON p.id = place JOIN name n ON n.id = name",
    "SELECT p.path, f.path, fn.text, relation, t.path, tn.text, sure, line FROM edge
     JOIN place p ON p.id = place LEFT JOIN place f ON f.id = from_place
     JOIN place t ON t.id = to_place
     JOIN name fn ON fn.id = from_name JOIN name tn ON tn.id = to_name",
    "SELECT path, f.text, n.text, line FROM unsure JOIN place p ON p.id = place
     JOIN name f ON f.id = from_name JOIN name n ON n.id = name",
    "SELECT p.path, o.path, text FROM rest JOIN place p ON p.id = place
     JOIN place o ON o.id = on_place JOIN name n ON n.id = on_name",
    "SELECT place FROM stale",
    "SELECT path, offers, asks, looked, path_mods FROM outline JOIN place ON id = place",
    "SELECT * FROM manifest",
    "SELECT p.path, t.id, import, o.path, text, line FROM taking t JOIN place p ON p.id = place
     JOIN place o ON o.id = target JOIN name n ON n.id = name",
    "SELECT * FROM stirred",
];

/// The first syntax error of each file that has one.
pub(crate) const FIRST_SYNTAX_ERRORS: &str = "SELECT path, line, min(column), message
    FROM syntax_error AS e JOIN place p ON p.id = e.place
    WHERE line = (SELECT min(line) FROM syntax_error WHERE place = e.place)
    GROUP BY path ORDER BY path";

/// The files that could not be read at all.
pub(crate) const FILES_NOT_READ: &str = "SELECT DISTINCT path
    FROM syntax_error AS e JOIN place p ON p.id = e.place
    WHERE e.message LIKE 'not read:%' ORDER BY path";

const SYMBOL_COLUMNS: &str =
    "SELECT p.path, s.id, n.text, f.text, s.kind, s.parent, s.signature, s.doc, s.visibility,
    s.exported, s.is_test, s.line, s.lines, s.overloads, s.start, s.length";

/// The texts of a symbol's names, joined to its row.
const SYMBOL_NAMES: &str = "JOIN name n ON n.id = s.name JOIN name f ON f.id = s.full";

const IMPORT_COLUMNS: &str =
    "SELECT p.path, specifier, kind, level, names, type_only, line, t.path FROM import i
    CROSS JOIN place p ON p.id = i.place LEFT JOIN place t ON t.id = i.target";

/// The symbols of all files, in the order of paths.
fn symbols_by_path() -> String {
    // Without `CROSS JOIN` SQLite would read the symbols first and sort them.
    format!("{SYMBOL_COLUMNS} FROM place p CROSS JOIN symbol s ON s.place = p.id {SYMBOL_NAMES}")
}

pub(crate) fn put_symbol(conn: &Connection, place: PathId, new: &NewSymbol<'_>) -> Result<()> {
    let NewSymbol { id, parent, symbol, overloads } = new;
    let sql = "INSERT INTO symbol VALUES
        (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17)";
    let plain = plain_name(&symbol.path);
    let signatures = overloads.signatures.join("\n");
    let doc = symbol.doc.as_ref().map(|doc| doc.text.as_str());
    let plain = (plain != symbol.path).then(|| name_id(conn, &plain)).transpose()?;
    let (name, full) = (name_id(conn, &symbol.name)?, name_id(conn, &symbol.path)?);
    conn.prepare_cached(sql)
        .and_then(|mut s| {
            s.execute(params![
                place.row(),
                id,
                name.row(),
                full.row(),
                symbol.kind as i64,
                parent,
                symbol.signature,
                doc.or(overloads.doc),
                stored_visibility(symbol),
                symbol.exported || overloads.exported,
                symbol.is_test,
                symbol.span.start,
                i64::from(symbol.span.end) - i64::from(symbol.span.start),
                symbol.line,
                i64::from(symbol.end_line) - i64::from(symbol.line),
                plain.map(NameId::row),
                (!signatures.is_empty()).then_some(signatures),
            ])
        })
        .map(drop)
        .map_err(sqlite_problem("write symbols"))
}

pub(crate) fn put_import(
    conn: &Connection,
    place: PathId,
    id: ImportIndex,
    import: &Import,
    names: &str,
) -> Result<()> {
    conn.prepare_cached("INSERT INTO import VALUES (?1,?2,?3,?4,?5,?6,?7,?8,NULL)")
        .and_then(|mut s| {
            s.execute(params![
                place.row(),
                id,
                import.specifier,
                format!("{:?}", import.kind),
                import.level,
                names,
                import.is_type_only,
                import.line
            ])
        })
        .map(drop)
        .map_err(sqlite_problem("write imports"))
}

pub(crate) fn put_alias(
    conn: &Connection,
    place: PathId,
    id: AliasIndex,
    alias: &ExportAlias<'_>,
) -> Result<()> {
    let ExportAlias { name, local, symbol, import } = alias;
    conn.prepare_cached("INSERT INTO alias VALUES (?1,?2,?3,?4,?5,?6)")
        .and_then(|mut s| s.execute(params![place.row(), id, name, local, symbol, import]))
        .map(drop)
        .map_err(sqlite_problem("write exports"))
}

pub(crate) fn put_error(conn: &Connection, place: PathId, error: &SyntaxError) -> Result<()> {
    conn.prepare_cached("INSERT OR IGNORE INTO syntax_error VALUES (?1,?2,?3,?4)")
        .and_then(|mut s| s.execute(params![place.row(), error.line, error.column, error.message]))
        .map(drop)
        .map_err(sqlite_problem("write syntax errors"))
}

pub(crate) fn remove_rows(conn: &Connection, path: &RepoPath) -> Result<()> {
    let Some(place) = find_path_id(conn, path)? else { return Ok(()) };
    for sql in [
        "DELETE FROM symbol WHERE place = ?1",
        "DELETE FROM import WHERE place = ?1",
        "DELETE FROM alias WHERE place = ?1",
        "DELETE FROM syntax_error WHERE place = ?1",
    ] {
        conn.prepare_cached(sql)
            .and_then(|mut s| s.execute([place.row()]))
            .map_err(sqlite_problem("write symbols"))?;
    }
    Ok(())
}

/// The symbols of a file, in source order.
pub fn symbols_in_file(conn: &Connection, path: &RepoPath) -> Result<Vec<SymbolRow>> {
    list(
        conn,
        &format!("{} WHERE p.path = ?1 ORDER BY s.id", symbols_by_path()),
        params![path.as_bytes()],
        symbol_row,
    )
}

/// The exported top-level symbols of the files whose path is at least `low` and less than `high`.
pub fn top_level_exports_between(
    conn: &Connection,
    low: &[u8],
    high: &[u8],
) -> Result<Vec<SymbolRow>> {
    let sql = format!(
        "{} WHERE p.path >= ?1 AND p.path < ?2 AND exported AND parent IS NULL ORDER BY p.path, s.id",
        symbols_by_path()
    );
    list(conn, &sql, params![low, high], symbol_row)
}

/// All exported top-level symbols except tests.
pub(crate) fn exported_symbols(conn: &Connection) -> Result<Vec<SymbolRow>> {
    let sql = format!(
        "{} WHERE exported AND parent IS NULL AND NOT is_test
         AND kind NOT IN (?1, ?2) ORDER BY p.path, s.id",
        symbols_by_path()
    );
    list(conn, &sql, params![SymbolKind::Impl as i64, SymbolKind::Module as i64], symbol_row)
}

/// The symbol with this full name in a file.
pub fn symbol(conn: &Connection, path: &RepoPath, full: &str) -> Result<Option<SymbolRow>> {
    let columns = format!("{SYMBOL_COLUMNS} FROM place p CROSS JOIN name f");
    // Nearly all symbols have the name that the full name ends with, and those of a name are few.
    let by_name = format!(
        "{columns} CROSS JOIN name n CROSS JOIN symbol s INDEXED BY symbol_name
         ON s.name = n.id AND s.place = p.id AND s.full = f.id
         WHERE p.path = ?1 AND f.text = ?2 AND n.text = ?3"
    );
    let by_file = format!(
        "{columns} CROSS JOIN symbol s ON s.place = p.id AND s.full = f.id
         JOIN name n ON n.id = s.name WHERE p.path = ?1 AND f.text = ?2 LIMIT 1"
    );
    let own = own_name(full);
    let found = list(conn, &by_name, params![path.as_bytes(), full, own], symbol_row)?;
    match found.into_iter().next() {
        Some(found) => Ok(Some(found)),
        None => Ok(list(conn, &by_file, params![path.as_bytes(), full], symbol_row)?.pop()),
    }
}

/// The kind of the symbol with this full name.
pub fn symbol_kind(conn: &Connection, path: &RepoPath, full: &str) -> Result<Option<String>> {
    Ok(symbol(conn, path, full)?.map(|row| row.kind))
}

/// The names of the top-level symbols of a file.
pub fn top_level_names(conn: &Connection, path: &RepoPath) -> Result<Vec<String>> {
    let sql =
        "SELECT text FROM place p JOIN symbol s ON s.place = p.id JOIN name n ON n.id = s.full
        WHERE path = ?1 AND parent IS NULL ORDER BY s.id";
    list(conn, sql, params![path.as_bytes()], |row| row.get(0))
}

/// The names of the symbols directly inside a symbol.
pub fn child_names(conn: &Connection, path: &RepoPath, full: &str) -> Result<Vec<String>> {
    let sql =
        "SELECT n.text FROM place p JOIN name f JOIN symbol o ON o.place = p.id AND o.full = f.id
        JOIN symbol i ON i.place = o.place AND i.parent = o.id JOIN name n ON n.id = i.full
        WHERE p.path = ?1 AND f.text = ?2 ORDER BY i.id";
    list(conn, sql, params![path.as_bytes(), full], |row| row.get(0))
}

/// The full name of the symbol that contains another one: `Some(None)` for a top-level symbol,
/// `None` if there is no such symbol.
pub fn parent_name(
    conn: &Connection,
    path: &RepoPath,
    full: &str,
) -> Result<Option<Option<String>>> {
    let sql =
        "SELECT n.text FROM place p JOIN name f JOIN symbol i ON i.place = p.id AND i.full = f.id
        LEFT JOIN symbol o ON o.place = i.place AND o.id = i.parent LEFT JOIN name n ON n.id = o.full
        WHERE p.path = ?1 AND f.text = ?2 LIMIT 1";
    Ok(list(conn, sql, params![path.as_bytes(), full], |row| row.get(0))?.pop())
}

/// Symbols with this full name or whose full name ends with it. A name without a disambiguator
/// means all symbols that share it.
pub fn symbols_with_name(conn: &Connection, name: &str) -> Result<Vec<SymbolRow>> {
    let last = own_name(name);
    let is_marked = plain_name(name) != name;
    let known = if is_marked { "f.text" } else { "coalesce(l.text, f.text)" };
    let sql = format!(
        "{SYMBOL_COLUMNS} FROM name n CROSS JOIN symbol s ON s.name = n.id
         JOIN place p ON p.id = s.place JOIN name f ON f.id = s.full
         LEFT JOIN name l ON l.id = s.plain WHERE n.text = ?1
         AND ({known} = ?2 OR {known} LIKE '%.' || ?3 ESCAPE '\\') ORDER BY p.path, s.id"
    );
    let pattern = name.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    list(conn, &sql, params![last, name, pattern], symbol_row)
}

/// An export under a name that differs from that of the declaration.
#[derive(Debug)]
pub(crate) struct ExportAliasRow {
    pub path: RepoPath,
    pub local: String,
    pub symbol: Option<String>,
    /// The file that it is re-exported from
    pub target: Option<RepoPath>,
}

/// The exports under this name where the declaration has another one.
pub(crate) fn export_aliases(
    conn: &Connection,
    name: &str,
    file: Option<&RepoPath>,
) -> Result<Vec<ExportAliasRow>> {
    let sql = "SELECT p.path, a.local, a.symbol, t.path FROM alias a JOIN place p ON p.id = a.place
        LEFT JOIN import i ON i.place = a.place AND i.id = a.import
        LEFT JOIN place t ON t.id = i.target
        WHERE a.name = ?1 AND (?2 IS NULL OR p.path = ?2) ORDER BY p.path, a.id";
    list(conn, sql, params![name, file.map(RepoPath::as_bytes)], |row| {
        let target: Option<Vec<u8>> = row.get(3)?;
        Ok(ExportAliasRow {
            path: path_column(row, 0)?,
            local: row.get(1)?,
            symbol: row.get(2)?,
            target: target.and_then(|bytes| RepoPath::from_bytes(bytes).ok()),
        })
    })
}

/// Files that define a symbol with this name. Fields do not count.
pub fn defining_files(conn: &Connection, name: &str, most: usize) -> Result<Vec<RepoPath>> {
    let sql = "SELECT DISTINCT path FROM name n CROSS JOIN symbol s ON s.name = n.id
        JOIN place p ON p.id = s.place
        WHERE n.text = ?1 AND kind <> ?3 ORDER BY path LIMIT ?2";
    list(conn, sql, params![name, most, SymbolKind::Field as i64], |row| path_column(row, 0))
}

/// What a search for names needs to know about a symbol.
#[derive(Clone, Copy)]
pub(crate) struct SymbolNameRow<'a> {
    pub path: &'a [u8],
    pub id: SymbolIndex,
    pub name: &'a str,
    pub full: &'a str,
    pub kind: &'static str,
    pub exported: bool,
    pub is_test: bool,
}

/// What a search for names needs to know about all symbols, file by file.
pub(crate) fn for_each_symbol_name(
    conn: &Connection,
    mut each: impl FnMut(SymbolNameRow<'_>),
) -> Result<()> {
    let sql = "SELECT path, s.id, n.text, f.text, kind, exported, is_test FROM place p
        CROSS JOIN symbol s ON s.place = p.id JOIN name n ON n.id = s.name
        JOIN name f ON f.id = s.full ORDER BY path, s.id";
    store::rows(conn, sql, "read symbols", &[], |row| {
        each(SymbolNameRow {
            path: row.get_ref(0)?.as_blob()?,
            id: row.get(1)?,
            name: row.get_ref(2)?.as_str()?,
            full: row.get_ref(3)?.as_str()?,
            kind: kind_column(row, 4)?,
            exported: row.get(5)?,
            is_test: row.get(6)?,
        });
        Ok(())
    })
    .map(drop)
}

/// The names of all symbols that are tests or parts of tests, by their files.
pub fn test_symbols(conn: &Connection) -> Result<BTreeMap<RepoPath, BTreeSet<String>>> {
    let sql = "SELECT path, f.text FROM place p CROSS JOIN symbol s ON s.place = p.id AND s.is_test
        JOIN name f ON f.id = s.full";
    let mut found: BTreeMap<RepoPath, BTreeSet<String>> = BTreeMap::new();
    for (path, name) in list(conn, sql, params![], |row| Ok((path_column(row, 0)?, row.get(1)?)))? {
        found.entry(path).or_default().insert(name);
    }
    Ok(found)
}

/// A symbol by its position in its file.
pub(crate) fn symbol_by_id(
    conn: &Connection,
    file: &RepoPath,
    id: SymbolIndex,
) -> Result<Option<SymbolRow>> {
    let sql = format!("{} WHERE p.path = ?1 AND s.id = ?2", symbols_by_path());
    Ok(list(conn, &sql, params![file.as_bytes(), id], symbol_row)?.pop())
}

/// Distinct symbol names that start with a character, for suggestions of similar names.
pub fn names_starting_with(conn: &Connection, first: char) -> Result<Vec<String>> {
    let sql = "SELECT text FROM name WHERE text >= ?1 AND text < ?2
        AND EXISTS (SELECT 1 FROM symbol WHERE symbol.name = name.id)";
    let (lower, upper) = (first.to_ascii_lowercase(), first.to_ascii_uppercase());
    let mut names = Vec::new();
    for start in BTreeSet::from([lower, upper]) {
        let end = format!("{start}{}", char::MAX);
        names.extend(list(conn, sql, params![start.to_string(), end], |row| row.get(0))?);
    }
    names.sort_by_cached_key(|name: &String| (name.to_ascii_lowercase(), name.clone()));
    Ok(names)
}

/// The imports of a file, in source order.
pub fn imports(conn: &Connection, path: &RepoPath) -> Result<Vec<ImportRow>> {
    list(
        conn,
        &format!(
            "{IMPORT_COLUMNS} WHERE i.place = (SELECT id FROM place WHERE path = ?1) ORDER BY i.id"
        ),
        params![path.as_bytes()],
        import_row,
    )
}

/// How most files import a name: the specifier, and how many imports bind the name with it.
pub fn usual_import(conn: &Connection, name: &str) -> Result<Option<(String, usize)>> {
    let sql = format!("{IMPORT_COLUMNS} WHERE instr(names, ?1) > 0 OR instr(specifier, ?2) > 0");
    let quoted = serde_json::to_string(name).unwrap_or_default();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for import in list(conn, &sql, params![quoted, name], import_row)? {
        if import.binds(name) {
            *counts.entry(import.specifier).or_default() += 1;
        }
    }
    Ok(counts.into_iter().max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(&a.0))))
}

/// The imports of a file that import a name explicitly.
pub fn imports_of_name(conn: &Connection, target: &RepoPath, name: &str) -> Result<Vec<ImportRow>> {
    let sql = format!(
        "{IMPORT_COLUMNS} WHERE i.target = (SELECT id FROM place WHERE path = ?1)
         AND i.place <> i.target AND EXISTS
         (SELECT 1 FROM json_each(names) n WHERE n.value ->> 0 = ?2) ORDER BY p.path, i.id"
    );
    list(conn, &sql, params![target.as_bytes(), name], import_row)
}

/// Imports that mean no file of the repository and contain a text.
pub fn unresolved_imports(conn: &Connection, letters: &str) -> Result<Vec<ImportRow>> {
    let sql = format!(
        "{IMPORT_COLUMNS} WHERE i.target IS NULL AND instr(specifier, ?1) > 0
         ORDER BY p.path, i.id LIMIT 200"
    );
    list(conn, &sql, params![letters], import_row)
}

pub(crate) fn list<T>(
    conn: &Connection,
    sql: &str,
    params: &[&dyn store::ToSql],
    read: impl FnMut(&Row<'_>) -> SqlResult<T>,
) -> Result<Vec<T>> {
    store::rows(conn, sql, "read symbols", params, read)
}

fn symbol_row(row: &Row<'_>) -> SqlResult<SymbolRow> {
    let (start, length): (u32, u32) = (row.get(14)?, row.get(15)?);
    let line: u32 = row.get(11)?;
    Ok(SymbolRow {
        path: path_column(row, 0)?,
        id: row.get(1)?,
        name: row.get(2)?,
        full: row.get(3)?,
        kind: kind_column(row, 4)?.to_owned(),
        parent: row.get(5)?,
        signature: row.get(6)?,
        doc: row.get(7)?,
        visibility: read_visibility(row.get(8)?),
        exported: row.get(9)?,
        is_test: row.get(10)?,
        line,
        end_line: line.saturating_add_signed(row.get(12)?),
        overloads: overloads(row, 13)?,
        span: base::Span::new(start, start.saturating_add(length)),
    })
}

fn kind_column(row: &Row<'_>, column: usize) -> SqlResult<&'static str> {
    let at: usize = row.get(column)?;
    let kind = SymbolKind::ALL.get(at);
    kind.map(|kind| kind.name()).ok_or_else(|| store::bad_value(column, format!("no kind {at}")))
}

fn overloads(row: &Row<'_>, column: usize) -> SqlResult<Vec<String>> {
    let lines: Option<String> = row.get(column)?;
    Ok(lines.iter().flat_map(|lines| lines.lines()).map(str::to_owned).collect())
}

fn import_row(row: &Row<'_>) -> SqlResult<ImportRow> {
    let names: String = row.get(4)?;
    let target: Option<Vec<u8>> = row.get(7)?;
    Ok(ImportRow {
        path: path_column(row, 0)?,
        specifier: row.get(1)?,
        kind: row.get(2)?,
        level: row.get(3)?,
        names: serde_json::from_str(&names).unwrap_or_default(),
        type_only: row.get(5)?,
        line: row.get(6)?,
        target: target.and_then(|bytes| RepoPath::from_bytes(bytes).ok()),
    })
}
