//! Everything that a kill must neither tear nor lose, as text: files, durable stores, backups,
//! hooks, the user's own settings. What differs from run to run, such as ids and times, is left
//! out.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use store::{Connection, ValueRef};

use crate::sandbox::files_below;

/// Files that are not compared: caches, journals, and the counter of changes, which may be ahead of
/// the numbers in use.
const IGNORED_FILES: [&str; 4] =
    [".git/cairn/cache/", ".git/cairn/journal/", ".cairn/cache/", ".git/cairn/change-number"];

/// Tables that contain numbers of changes.
const TABLES_WITH_CHANGE_NUMBERS: [&str; 2] = [".sqlite: change ", ".sqlite: kb_audit "];

/// The content of a repository and of the user's settings that an operation may change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RepoState {
    /// Files and rows, sorted. They must equal the state before or after an operation
    pub(super) lines: Vec<String>,
    /// Rows of the backups of stores. A killed operation may have taken one already
    pub(super) copies: BTreeSet<String>,
}

impl RepoState {
    pub(super) fn of(root: &Path, home: &Path) -> Self {
        let mut state = Self::default();
        for (folder, prefix) in [(root, ""), (home, "home/")] {
            for path in files_below(folder) {
                let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy();
                if !is_compared(&name) {
                    continue;
                }
                let lines = lines_of(&path).into_iter();
                let lines = lines.map(|line| without_ids(&format!("{prefix}{name}{line}")));
                match is_copy(&name) {
                    true => state.copies.extend(lines),
                    false => state.lines.extend(lines),
                }
            }
        }
        state.lines.sort();
        state
    }

    /// Whether two states are equal. This one may have additional backups.
    pub(super) fn matches(&self, other: &Self) -> bool {
        self.lines == other.lines && self.copies.is_superset(&other.copies)
    }

    /// The state without numbers of changes, because a killed process loses the numbers that it
    /// took.
    pub(super) fn without_numbers(&self) -> Self {
        let strip = |line: &String| match TABLES_WITH_CHANGE_NUMBERS
            .iter()
            .any(|table| line.contains(table))
        {
            true => line.replace(|c: char| c.is_ascii_digit(), ""),
            false => line.clone(),
        };
        let mut lines: Vec<String> = self.lines.iter().map(strip).collect();
        lines.sort();
        Self { lines, copies: self.copies.iter().map(strip).collect() }
    }

    /// The first lines that only one of two states has.
    pub(super) fn difference(&self, expected: &Self) -> String {
        let only = |one: &Self, other: &Self| {
            let known: BTreeSet<&String> = other.lines.iter().chain(&other.copies).collect();
            let lines = one.lines.iter().chain(&one.copies).filter(|line| !known.contains(line));
            let lines = lines.take(4).map(|line| line.chars().take(300).collect());
            lines.collect::<Vec<String>>()
        };
        format!("missing {:?}, besides {:?}", only(expected, self), only(self, expected))
    }
}

/// Stores and backups that fail SQLite's integrity check.
pub(super) fn unsound_stores(root: &Path) -> Vec<String> {
    let stores = files_below(&root.join(".git/cairn")).into_iter().filter(|path| is_store(path));
    let told = stores.filter_map(|path| {
        let sound = store::open_read_only(&path).and_then(|conn| store::check_integrity(&conn));
        (!sound.as_ref().is_ok_and(Vec::is_empty))
            .then(|| format!("{} is not sound: {sound:?}", path.display()))
    });
    told.collect()
}

fn is_compared(name: &str) -> bool {
    let is_ours = name.starts_with(".git/cairn/") || name.starts_with(".git/hooks/");
    let is_lock = ["lock", "-wal", "-shm"].iter().any(|end| name.ends_with(end));
    let is_aside = IGNORED_FILES.iter().any(|aside| name.starts_with(aside));
    (is_ours || !name.starts_with(".git/")) && !is_aside && !is_lock
}

/// Whether it is a finished copy of a store.
fn is_copy(name: &str) -> bool {
    let is_aside = name.starts_with(".git/cairn/backups/") || name.contains(".replaced-");
    is_aside && is_store(Path::new(name))
}

fn is_store(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "sqlite")
}

/// The rows of a store, or the lines of any other file, each preceded by the file's name.
fn lines_of(path: &Path) -> Vec<String> {
    if is_store(path) {
        return rows(path).iter().map(|row| format!(": {row}")).collect();
    }
    let text = fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let text = text.unwrap_or_default();
    let lines = text.lines().enumerate().map(|(at, line)| format!(":{at}: {line}"));
    [" is there".to_owned()].into_iter().chain(lines).collect()
}

/// All rows of all tables.
fn rows(path: &Path) -> Vec<String> {
    let Ok(conn) = store::open_read_only(path) else { return vec!["cannot be opened".into()] };
    let mut found = Vec::new();
    for table in query_rows(&conn, "SELECT name FROM pragma_table_list WHERE type = 'table'") {
        if !table.starts_with("sqlite_") {
            let rows = query_rows(&conn, &format!("SELECT * FROM \"{table}\""));
            found.extend(rows.into_iter().map(|row| format!("{table} {row}")));
        }
    }
    found
}

/// The rows of a query, each as text.
fn query_rows(conn: &Connection, sql: &str) -> Vec<String> {
    let Ok(mut statement) = conn.prepare(sql) else { return Vec::new() };
    let columns = statement.column_count();
    let rows = statement.query_map([], |row| {
        let cells = (0..columns).map(|at| Ok(format_cell(row.get_ref(at)?)));
        Ok(cells.collect::<store::SqlResult<Vec<_>>>()?.join("|"))
    });
    rows.into_iter().flatten().flatten().collect()
}

fn format_cell(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => String::new(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
        ValueRef::Blob(bytes) => format!("{} bytes", bytes.len()),
    }
}

/// The line with ids, times and hashes replaced by `#`. They are recognised as long words with
/// digits.
pub(super) fn without_ids(line: &str) -> String {
    let is_part = |c: char| c.is_ascii_hexdigit() || matches!(c, '-' | ':' | '.' | 'T' | 'Z' | '+');
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(start) = rest.find(is_part) {
        let run: &str = &rest[start..];
        let end = run.find(|c| !is_part(c)).unwrap_or(run.len());
        let digits = run[..end].chars().filter(char::is_ascii_digit).count();
        out.push_str(&rest[..start]);
        out.push_str(if end >= 8 && digits >= 3 { "#" } else { &run[..end] });
        rest = &run[end..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_times_are_left_out_and_names_stay() {
        let one = without_ids("task 019b7d2f-1a2b-7c3d FACT-1 at 2026-01-02T03:04:05Z in src/a.ts");
        assert_eq!(one, "task # FACT-1 at # in src/a.ts");
    }
}
