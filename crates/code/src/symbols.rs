//! A file's facts as rows.
//!
//! @see spec::code/symbols

use base::{RepoPath, Result};
use serde::{Deserialize, Serialize};
use store::Connection;
use syntax::{FileFacts, Import, Symbol, Visibility};

use crate::calls::{self, Digest};
use crate::{resolve, tables};

/// A symbol as the index keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolRow {
    /// The file
    pub path: RepoPath,
    /// Its number in the file
    pub id: u32,
    /// Its own name
    pub name: String,
    /// With the names it is nested in
    pub full: String,
    /// What it is
    pub kind: String,
    /// The symbol around it
    pub parent: Option<u32>,
    /// The declaration on one line, without its body
    pub signature: String,
    /// What its doc comment says
    pub doc: Option<String>,
    /// Who may use it
    pub visibility: String,
    /// Whether it is offered beyond its file
    pub exported: bool,
    /// Whether it is only there for tests
    pub is_test: bool,
    /// The line its name is on, from 1
    pub line: u32,
    /// The line it ends on
    pub end_line: u32,
}

/// An import as the index keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The file that imports
    pub path: RepoPath,
    /// What is asked for, as written
    pub specifier: String,
    /// The form of the request
    pub kind: String,
    /// How many dots stand before a relative Python import
    pub level: u8,
    /// What is taken, each with its name here if that is another
    pub names: Vec<Taken>,
    /// Whether only types are taken
    pub type_only: bool,
    /// The line, from 1
    pub line: u32,
    /// The file that is meant, if it is one of the repository's
    pub target: Option<RepoPath>,
}

/// A name that is taken from a module, and its name here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taken(pub String, pub Option<String>);

/// Takes in what a file says.
pub fn learn(
    conn: &Connection,
    path: &RepoPath,
    (facts, digest): (&FileFacts, Option<&Digest>),
    is_new: bool,
) -> Result<()> {
    resolve::learn(conn, path, facts, is_new)?;
    for (id, symbol) in (0..).zip(&facts.symbols) {
        if !symbol.is_anonymous() {
            let parent = named_parent(&facts.symbols, symbol);
            tables::put_symbol(conn, path, (id, parent), symbol)?;
        }
    }
    for (id, import) in (0..).zip(&facts.imports) {
        tables::put_import(conn, path, id, (import, &names(import)))?;
    }
    for (id, export) in (0..).zip(&facts.exports) {
        tables::put_export(conn, path, id, (&export.name, export.from))?;
    }
    digest.map_or(Ok(()), |digest| calls::learn(conn, path, digest))?;
    facts.errors.iter().try_for_each(|error| tables::put_error(conn, path, error))
}

/// Drops what a file said, because it is gone or about to be learnt again.
pub fn forget(conn: &Connection, path: &RepoPath, gone: bool) -> Result<()> {
    calls::forget(conn, path)?;
    if gone {
        resolve::forget(conn, path)?;
    }
    tables::forget(conn, path)
}

fn named_parent(symbols: &[Symbol], symbol: &Symbol) -> Option<u32> {
    let mut parent = symbol.parent;
    while let Some(id) = parent {
        let around = symbols.get(id as usize)?;
        if !around.is_anonymous() {
            return Some(id);
        }
        parent = around.parent;
    }
    None
}

fn names(import: &Import) -> String {
    let taken = import.names.iter().map(|name| Taken(name.name.clone(), name.alias.clone()));
    serde_json::to_string(&taken.collect::<Vec<_>>()).unwrap_or_default()
}

/// The word for who may use a symbol.
pub(crate) fn visibility(symbol: &Symbol) -> &str {
    match &symbol.visibility {
        Visibility::Public => "public",
        Visibility::Restricted(text) => text,
        Visibility::Private => "private",
    }
}
