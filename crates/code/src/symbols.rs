//! A file's facts as rows.
//!
//! @see spec::code/symbols

use std::collections::HashMap;

use base::{RepoPath, Result};
use serde::{Deserialize, Serialize};
use store::Connection;
use syntax::{Export, FileFacts, Import, Symbol, Visibility};

use crate::calls::{self, CallDigest};
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
    /// Its other signatures, in source order
    pub overloads: Vec<String>,
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
    /// The bytes of its declaration
    pub span: base::Span,
}

/// An import as the index keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportRow {
    /// The file that imports
    pub path: RepoPath,
    /// What is asked for, as written
    pub specifier: String,
    /// The form of the request
    pub kind: String,
    /// How many dots stand before a relative Python import
    pub level: u8,
    /// What is taken, each with its name here if that is another
    pub names: Vec<ImportBinding>,
    /// Whether only types are taken
    pub type_only: bool,
    /// The line, from 1
    pub line: u32,
    /// The file that is meant, if it is one of the repository's
    pub target: Option<RepoPath>,
}

/// A name that is taken from a module, and its name here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportBinding(pub String, pub Option<String>);

/// Takes in what a file says.
pub fn index_file(
    conn: &Connection,
    path: &RepoPath,
    facts: &FileFacts,
    digest: Option<&CallDigest>,
    is_new: bool,
) -> Result<()> {
    resolve::index_file(conn, path, facts, is_new)?;
    let mut signatures = overloads_by_path(&facts.symbols);
    for (id, symbol) in (0..).zip(&facts.symbols).filter(|(_, symbol)| symbol.is_listed()) {
        let parent = named_parent(&facts.symbols, symbol);
        let overloads = signatures.remove(symbol.path.as_str()).unwrap_or_default();
        let new = NewSymbol { id, parent, symbol, overloads };
        tables::put_symbol(conn, path, &new)?;
    }
    for (id, import) in (0..).zip(&facts.imports) {
        tables::put_import(conn, path, id, import, &import_names_json(import))?;
    }
    for (id, alias) in
        (0..).zip(facts.exports.iter().filter_map(|export| export_alias(facts, export)))
    {
        tables::put_alias(conn, path, id, &alias)?;
    }
    digest.map_or(Ok(()), |digest| calls::index_file(conn, path, digest))?;
    facts.errors.iter().try_for_each(|error| tables::put_error(conn, path, error))
}

/// Drops what a file said, because it is gone or about to be learnt again.
pub fn remove_file(conn: &Connection, path: &RepoPath, gone: bool) -> Result<()> {
    calls::remove_file(conn, path)?;
    if gone {
        resolve::remove_file(conn, path)?;
    }
    tables::remove_rows(conn, path)
}

/// A symbol to be written to the index.
pub(crate) struct NewSymbol<'f> {
    /// The position of the symbol in the file
    pub id: u32,
    /// The nearest listed symbol around it
    pub parent: Option<u32>,
    pub symbol: &'f Symbol,
    pub overloads: Overloads<'f>,
}

/// What the further signatures of symbols say, by the path of the symbol.
#[derive(Debug, Default)]
pub(crate) struct Overloads<'f> {
    pub signatures: Vec<&'f str>,
    /// The first doc comment among them: it speaks for a body that has none
    pub doc: Option<&'f str>,
    pub exported: bool,
}

fn overloads_by_path(symbols: &[Symbol]) -> HashMap<&str, Overloads<'_>> {
    let mut found: HashMap<&str, Overloads<'_>> = HashMap::new();
    for symbol in symbols.iter().filter(|symbol| symbol.is_overload()) {
        let own = found.entry(&symbol.path).or_default();
        own.signatures.push(&symbol.signature);
        own.doc = own.doc.or(symbol.doc.as_ref().map(|doc| doc.text.as_str()));
        own.exported |= symbol.exported;
    }
    found
}

/// A name that a file offers something by, where it is another than the declaration's.
#[derive(Debug)]
pub(crate) struct ExportAlias<'f> {
    pub name: &'f str,
    pub local: &'f str,
    /// The declaration, where it is in the same file
    pub symbol: Option<&'f str>,
    /// The import that it is handed on from
    pub import: Option<u32>,
}

fn export_alias<'f>(facts: &'f FileFacts, export: &'f Export) -> Option<ExportAlias<'f>> {
    let symbol = export.symbol.and_then(|at| facts.symbols.get(at as usize));
    let local = symbol.map(|symbol| symbol.name.as_str()).or(export.local.as_deref())?;
    let is_alias = export.name != local && !matches!(export.name.as_str(), "default" | "*" | "_");
    let symbol = symbol.map(|symbol| symbol.path.as_str());
    (is_alias && local != "*").then_some(ExportAlias {
        name: &export.name,
        local,
        symbol,
        import: export.from,
    })
}

fn named_parent(symbols: &[Symbol], symbol: &Symbol) -> Option<u32> {
    let mut parent = symbol.parent;
    while let Some(id) = parent {
        let around = symbols.get(id as usize)?;
        if around.is_listed() {
            return Some(id);
        }
        parent = around.parent;
    }
    None
}

fn import_names_json(import: &Import) -> String {
    let taken =
        import.names.iter().map(|name| ImportBinding(name.name.clone(), name.alias.clone()));
    serde_json::to_string(&taken.collect::<Vec<_>>()).unwrap_or_default()
}

/// The word for who may use a symbol.
pub(crate) fn visibility_name(symbol: &Symbol) -> &str {
    match &symbol.visibility {
        Visibility::Public => "public",
        Visibility::Restricted(text) => text,
        Visibility::Private => "private",
    }
}
