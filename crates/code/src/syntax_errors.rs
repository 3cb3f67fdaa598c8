//! Files that could not be parsed completely.

use base::{RepoPath, Result};
use store::{Connection, params};

use crate::interning::path_column;
use crate::tables::list;

/// The first syntax error of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstSyntaxError {
    /// The file
    pub path: RepoPath,
    /// Its line, from 1
    pub line: u32,
    /// Its column, from 1
    pub column: u32,
    /// Why the file was not read at all
    pub not_read: Option<String>,
}

/// Files with syntax errors, and the first one in each.
pub fn files_with_syntax_errors(conn: &Connection) -> Result<Vec<FirstSyntaxError>> {
    let sql = "SELECT path, line, min(column), message
        FROM syntax_error AS e JOIN place p ON p.id = e.place
        WHERE line = (SELECT min(line) FROM syntax_error WHERE place = e.place)
        GROUP BY path ORDER BY path";
    list(conn, sql, params![], |row| {
        let message: String = row.get(3)?;
        Ok(FirstSyntaxError {
            path: path_column(row, 0)?,
            line: row.get(1)?,
            column: row.get(2)?,
            not_read: message.strip_prefix("not read: ").map(ToOwned::to_owned),
        })
    })
}

/// Files that could not be read at all, such as a notebook in another language.
pub fn files_not_read(conn: &Connection) -> Result<Vec<RepoPath>> {
    let sql = "SELECT DISTINCT path FROM syntax_error AS e JOIN place p ON p.id = e.place
        WHERE e.message LIKE 'not read:%' ORDER BY path";
    list(conn, sql, params![], |row| path_column(row, 0))
}
