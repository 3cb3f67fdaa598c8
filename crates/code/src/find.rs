//! Finding symbols by name.

use base::{RepoPath, Result};
use store::Connection;

use crate::symbols::SymbolRow;
use crate::tables;

/// How many rows are looked at before filters.
const CANDIDATES: u32 = 5_000;

/// What is looked for.
#[derive(Debug, Clone)]
pub struct Find<'a> {
    /// A name or a part of one, nested with `.`
    pub name: &'a str,
    /// Only this kind
    pub kind: Option<&'a str>,
    /// Only what is offered beyond its file, or only what is not
    pub exported: Option<bool>,
    /// Only at or below this
    pub path: Option<&'a RepoPath>,
}

/// Whether small and capital letters are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// They are
    Sensitive,
    /// They are not
    Insensitive,
}

impl Case {
    /// A name in small letters is meant in any case; one with capitals is meant as written.
    pub fn of(name: &str) -> Self {
        if name.chars().any(char::is_uppercase) { Self::Sensitive } else { Self::Insensitive }
    }
}

/// Symbols that fit: the exact name first, then names that start so, then names that hold it.
pub fn find(conn: &Connection, wanted: &Find<'_>) -> Result<Vec<SymbolRow>> {
    let mut rows = tables::holding(conn, wanted.name, CANDIDATES)?;
    let case = Case::of(wanted.name);
    rows.retain(|row| {
        (case == Case::Insensitive || row.full.contains(wanted.name))
            && wanted.kind.is_none_or(|kind| row.kind == kind)
            && wanted.exported.is_none_or(|exported| row.exported == exported)
            && wanted.path.is_none_or(|path| row.path.is_below(path))
    });
    Ok(rows)
}
