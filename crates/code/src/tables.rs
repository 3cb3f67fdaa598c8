//! The SQL of symbols and imports.

use std::collections::BTreeMap;

use base::entity::{own_name, plain_name};
use base::{RepoPath, Result};
use store::{Connection, OptionalExtension, Row, SqlResult, params, sqlite_problem};
use syntax::{Import, SyntaxError};

use crate::symbols::{ExportAlias, ImportRow, NewSymbol, SymbolRow, visibility_name};

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
    "SELECT * FROM symbol",
    "SELECT * FROM import",
    "SELECT * FROM alias",
    "SELECT * FROM syntax_error",
    "SELECT path, face, own, parts, cut FROM summary JOIN place ON id = place",
    "SELECT path, name, digest FROM offer JOIN place ON id = place",
    "SELECT p.path, f.path, from_name, relation, t.path, to_name, sure, line FROM edge
     JOIN place p ON p.id = place JOIN place f ON f.id = from_place
     JOIN place t ON t.id = to_place",
    "SELECT path, from_name, name, line FROM unsure JOIN place ON id = place",
    "SELECT p.path, o.path, on_name FROM rest
     JOIN place p ON p.id = place JOIN place o ON o.id = on_place",
    "SELECT place FROM stale",
    "SELECT * FROM outline",
    "SELECT * FROM manifest",
    "SELECT * FROM taking",
    "SELECT * FROM stirred",
];

const SYMBOL_COLUMNS: &str =
    "SELECT path, id, name, full, kind, parent, signature, doc, visibility,
    exported, is_test, line, end_line, overloads, start, stop FROM symbol";
const IMPORT_COLUMNS: &str =
    "SELECT path, specifier, kind, level, names, type_only, line, target FROM import";

pub(crate) fn put_symbol(conn: &Connection, path: &RepoPath, new: &NewSymbol<'_>) -> Result<()> {
    let NewSymbol { id, parent, symbol, overloads } = new;
    let sql = "INSERT INTO symbol VALUES
        (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19)";
    let plain = plain_name(&symbol.path);
    let signatures = overloads.signatures.join("\n");
    let doc = symbol.doc.as_ref().map(|doc| doc.text.as_str());
    conn.prepare_cached(sql)
        .and_then(|mut s| {
            s.execute(params![
                path.as_bytes(),
                id,
                symbol.name,
                symbol.path,
                symbol.kind.name(),
                parent,
                symbol.signature,
                doc.or(overloads.doc),
                visibility_name(symbol),
                symbol.exported || overloads.exported,
                symbol.is_test,
                symbol.span.start,
                symbol.span.end,
                symbol.line,
                symbol.end_line,
                symbol.fingerprint.shape.cast_signed(),
                symbol.fingerprint.body.cast_signed(),
                (plain != symbol.path).then_some(plain),
                (!signatures.is_empty()).then_some(signatures),
            ])
        })
        .map(drop)
        .map_err(sqlite_problem("write symbols"))
}

pub(crate) fn put_import(
    conn: &Connection,
    path: &RepoPath,
    id: u32,
    import: &Import,
    names: &str,
) -> Result<()> {
    conn.prepare_cached("INSERT INTO import VALUES (?1,?2,?3,?4,?5,?6,?7,?8,NULL)")
        .and_then(|mut s| {
            s.execute(params![
                path.as_bytes(),
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
    path: &RepoPath,
    id: u32,
    alias: &ExportAlias<'_>,
) -> Result<()> {
    let ExportAlias { name, local, symbol, import } = alias;
    conn.prepare_cached("INSERT INTO alias VALUES (?1,?2,?3,?4,?5,?6)")
        .and_then(|mut s| s.execute(params![path.as_bytes(), id, name, local, symbol, import]))
        .map(drop)
        .map_err(sqlite_problem("write exports"))
}

pub(crate) fn put_error(conn: &Connection, path: &RepoPath, error: &SyntaxError) -> Result<()> {
    conn.prepare_cached("INSERT OR IGNORE INTO syntax_error VALUES (?1,?2,?3,?4)")
        .and_then(|mut s| {
            s.execute(params![path.as_bytes(), error.line, error.column, error.message])
        })
        .map(drop)
        .map_err(sqlite_problem("write syntax errors"))
}

pub(crate) fn remove_rows(conn: &Connection, path: &RepoPath) -> Result<()> {
    for sql in [
        "DELETE FROM symbol WHERE path = ?1",
        "DELETE FROM import WHERE path = ?1",
        "DELETE FROM alias WHERE path = ?1",
        "DELETE FROM syntax_error WHERE path = ?1",
    ] {
        conn.prepare_cached(sql)
            .and_then(|mut s| s.execute([path.as_bytes()]))
            .map_err(sqlite_problem("write symbols"))?;
    }
    Ok(())
}

/// The symbols of a file, in source order.
pub fn symbols_in_file(conn: &Connection, path: &RepoPath) -> Result<Vec<SymbolRow>> {
    list(
        conn,
        &format!("{SYMBOL_COLUMNS} WHERE path = ?1 ORDER BY id"),
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
        "{SYMBOL_COLUMNS} WHERE path >= ?1 AND path < ?2 AND exported AND parent IS NULL ORDER BY path, id"
    );
    list(conn, &sql, params![low, high], symbol_row)
}

/// All exported top-level symbols except tests.
pub(crate) fn exported_symbols(conn: &Connection) -> Result<Vec<SymbolRow>> {
    let sql = format!(
        "{SYMBOL_COLUMNS} WHERE exported AND parent IS NULL AND NOT is_test
         AND kind NOT IN ('impl', 'module') ORDER BY path, id"
    );
    list(conn, &sql, params![], symbol_row)
}

/// The symbol with this full name in a file.
pub fn symbol(conn: &Connection, path: &RepoPath, full: &str) -> Result<Option<SymbolRow>> {
    // Without `INDEXED BY` SQLite reads all symbols of the file.
    conn.prepare_cached(&format!(
        "{SYMBOL_COLUMNS} INDEXED BY symbol_full WHERE path = ?1 AND full = ?2"
    ))
    .and_then(|mut s| s.query_row(params![path.as_bytes(), full], symbol_row).optional())
    .map_err(sqlite_problem("read symbols"))
}

/// The kind of the symbol with this full name.
pub fn symbol_kind(conn: &Connection, path: &RepoPath, full: &str) -> Result<Option<String>> {
    let sql = "SELECT kind FROM symbol INDEXED BY symbol_full WHERE path = ?1 AND full = ?2";
    Ok(list(conn, sql, params![path.as_bytes(), full], |row| row.get(0))?.pop())
}

/// The names of the top-level symbols of a file.
pub fn top_level_names(conn: &Connection, path: &RepoPath) -> Result<Vec<String>> {
    let sql = "SELECT full FROM symbol WHERE path = ?1 AND parent IS NULL ORDER BY id";
    list(conn, sql, params![path.as_bytes()], |row| row.get(0))
}

/// The names of the symbols directly inside a symbol.
pub fn child_names(conn: &Connection, path: &RepoPath, full: &str) -> Result<Vec<String>> {
    let sql = "SELECT i.full FROM symbol o JOIN symbol i ON i.path = o.path AND i.parent = o.id
        WHERE o.path = ?1 AND o.full = ?2 ORDER BY i.id";
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
        "SELECT o.full FROM symbol i LEFT JOIN symbol o ON o.path = i.path AND o.id = i.parent
        WHERE i.path = ?1 AND i.full = ?2 LIMIT 1";
    Ok(list(conn, sql, params![path.as_bytes(), full], |row| row.get(0))?.pop())
}

/// Symbols with this full name or whose full name ends with it. A name without a disambiguator
/// means all symbols that share it.
pub fn symbols_with_name(conn: &Connection, name: &str) -> Result<Vec<SymbolRow>> {
    let last = own_name(name);
    let is_marked = plain_name(name) != name;
    let known = if is_marked { "full" } else { "coalesce(plain, full)" };
    let sql = format!(
        "{SYMBOL_COLUMNS} WHERE name = ?1 COLLATE NOCASE AND name = ?1
         AND ({known} = ?2 OR {known} LIKE '%.' || ?3 ESCAPE '\\') ORDER BY path, id"
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
    let sql = "SELECT a.path, a.local, a.symbol, i.target FROM alias a
        LEFT JOIN import i ON i.path = a.path AND i.id = a.import
        WHERE a.name = ?1 AND (?2 IS NULL OR a.path = ?2) ORDER BY a.path, a.id";
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
    let sql = "SELECT DISTINCT path FROM symbol
               WHERE name = ?1 COLLATE NOCASE AND name = ?1 AND kind <> 'field'
               ORDER BY path LIMIT ?2";
    list(conn, sql, params![name, most], |row| path_column(row, 0))
}

/// What a search for names needs to know about a symbol.
#[derive(Clone, Copy)]
pub(crate) struct SymbolNameRow<'a> {
    pub path: &'a [u8],
    pub id: u32,
    pub name: &'a str,
    pub full: &'a str,
    pub kind: &'a str,
    pub exported: bool,
    pub is_test: bool,
}

/// What a search for names needs to know about all symbols, file by file.
pub(crate) fn for_each_symbol_name(
    conn: &Connection,
    mut each: impl FnMut(SymbolNameRow<'_>),
) -> Result<()> {
    let sql = "SELECT path, id, name, full, kind, exported, is_test FROM symbol ORDER BY path, id";
    store::rows(conn, sql, "read symbols", &[], |row| {
        each(SymbolNameRow {
            path: row.get_ref(0)?.as_blob()?,
            id: row.get(1)?,
            name: row.get_ref(2)?.as_str()?,
            full: row.get_ref(3)?.as_str()?,
            kind: row.get_ref(4)?.as_str()?,
            exported: row.get(5)?,
            is_test: row.get(6)?,
        });
        Ok(())
    })
    .map(drop)
}

/// A symbol by its position in its file.
pub(crate) fn symbol_by_id(
    conn: &Connection,
    file: &RepoPath,
    id: u32,
) -> Result<Option<SymbolRow>> {
    let sql = format!("{SYMBOL_COLUMNS} WHERE path = ?1 AND id = ?2");
    Ok(list(conn, &sql, params![file.as_bytes(), id], symbol_row)?.pop())
}

/// Distinct symbol names that start with a character, for suggestions of similar names.
pub fn names_starting_with(conn: &Connection, first: char) -> Result<Vec<String>> {
    let start = format!("{}%", first.to_string().replace(['%', '_'], ""));
    let sql = "SELECT DISTINCT name FROM symbol WHERE name LIKE ?1";
    list(conn, sql, params![start], |row| row.get(0))
}

/// Files with syntax errors, and the position of the first one in each.
pub fn files_with_syntax_errors(conn: &Connection) -> Result<Vec<(RepoPath, u32, u32)>> {
    let sql = "SELECT path, line, min(column) FROM syntax_error AS e
        WHERE line = (SELECT min(line) FROM syntax_error WHERE path = e.path)
        GROUP BY path ORDER BY path";
    list(conn, sql, params![], |row| Ok((path_column(row, 0)?, row.get(1)?, row.get(2)?)))
}

/// The imports of a file, in source order.
pub fn imports(conn: &Connection, path: &RepoPath) -> Result<Vec<ImportRow>> {
    list(
        conn,
        &format!("{IMPORT_COLUMNS} WHERE path = ?1 ORDER BY id"),
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
        "{IMPORT_COLUMNS} WHERE target = ?1 AND path <> ?1 AND EXISTS
         (SELECT 1 FROM json_each(names) n WHERE n.value ->> 0 = ?2) ORDER BY path, id"
    );
    list(conn, &sql, params![target.as_bytes(), name], import_row)
}

/// Imports that mean no file of the repository and contain a text.
pub fn unresolved_imports(conn: &Connection, letters: &str) -> Result<Vec<ImportRow>> {
    let sql = format!(
        "{IMPORT_COLUMNS} WHERE target IS NULL AND instr(specifier, ?1) > 0 ORDER BY path, id LIMIT 200"
    );
    list(conn, &sql, params![letters], import_row)
}

fn list<T>(
    conn: &Connection,
    sql: &str,
    params: &[&dyn store::ToSql],
    read: impl FnMut(&Row<'_>) -> SqlResult<T>,
) -> Result<Vec<T>> {
    store::rows(conn, sql, "read symbols", params, read)
}

fn symbol_row(row: &Row<'_>) -> SqlResult<SymbolRow> {
    Ok(SymbolRow {
        path: path_column(row, 0)?,
        id: row.get(1)?,
        name: row.get(2)?,
        full: row.get(3)?,
        kind: row.get(4)?,
        parent: row.get(5)?,
        signature: row.get(6)?,
        doc: row.get(7)?,
        visibility: row.get(8)?,
        exported: row.get(9)?,
        is_test: row.get(10)?,
        line: row.get(11)?,
        end_line: row.get(12)?,
        overloads: overloads(row, 13)?,
        span: base::Span::new(row.get(14)?, row.get(15)?),
    })
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

pub(crate) fn path_column(row: &Row<'_>, column: usize) -> SqlResult<RepoPath> {
    let bytes: Vec<u8> = row.get(column)?;
    RepoPath::from_bytes(bytes).map_err(|error| store::bad_value(column, error.to_string()))
}
