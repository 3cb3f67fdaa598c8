//! Files that could not be parsed completely.

use base::{RepoPath, Result};
use store::{Connection, params};

use crate::interning::path_column;
use crate::tables::{self, list};

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
    list(conn, tables::FIRST_SYNTAX_ERRORS, params![], |row| {
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
    list(conn, tables::FILES_NOT_READ, params![], |row| path_column(row, 0))
}
