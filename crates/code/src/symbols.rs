//! Writes the facts of a file as rows of the index.
//!
//! @see spec::code/symbols

use std::collections::HashMap;

use base::{RepoPath, Result};
use serde::{Deserialize, Serialize};
use store::Connection;
use syntax::{Export, FileFacts, Import, ImportKind, Symbol, Visibility};

use crate::calls::{self, CallDigest};
use crate::interning::path_id;
use crate::{resolve, tables};

store::row_id!(
    /// A symbol, by its position among the symbols of its file, counted from 0.
    pub SymbolIndex(u32)
);
store::row_id!(
    /// An import, by its position among the imports of its file, counted from 0.
    pub(crate) ImportIndex(u32)
);
store::row_id!(
    /// An export under another name, by its position among those of its file, counted from 0.
    pub(crate) AliasIndex(u32)
);

/// A symbol as stored in the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolRow {
    /// The file
    pub path: RepoPath,
    /// Its position among the symbols of the file
    pub id: SymbolIndex,
    /// Its own name
    pub name: String,
    /// The full name: with the names around it, joined with `.`
    pub full: String,
    /// The kind of the symbol
    pub kind: String,
    /// The symbol that contains it
    pub parent: Option<SymbolIndex>,
    /// The declaration on one line, without its body
    pub signature: String,
    /// The signatures of its overloads, in source order
    pub overloads: Vec<String>,
    /// The text of its doc comment
    pub doc: Option<String>,
    /// Its visibility
    pub visibility: String,
    /// Whether it is exported from its file
    pub exported: bool,
    /// Whether it is test code
    pub is_test: bool,
    /// The line of its name, counted from 1
    pub line: u32,
    /// The last line of its declaration, counted from 1
    pub end_line: u32,
    /// The byte range of its declaration
    pub span: base::Span,
}

/// An import as stored in the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportRow {
    /// The file that imports
    pub path: RepoPath,
    /// The specifier, as written
    pub specifier: String,
    /// The form of the import
    pub kind: String,
    /// The number of dots before a relative Python import
    pub level: u8,
    /// The imported names, each with its local name if that differs
    pub names: Vec<ImportBinding>,
    /// Whether only types are imported
    pub type_only: bool,
    /// The line, from 1
    pub line: u32,
    /// The file that the import means, if it is in the repository
    pub target: Option<RepoPath>,
}

/// An imported name, and its local name if that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportBinding(pub String, pub Option<String>);

impl ImportRow {
    /// Whether it gives a name to the importing file.
    pub fn binds(&self, name: &str) -> bool {
        let is_bound = |ImportBinding(there, here): &ImportBinding| match here {
            Some(here) => here == name,
            None => there == name || there == "*" && self.module_name() == name,
        };
        match self.kind.as_str() {
            "ReExport" => false,
            _ if self.names.is_empty() => self.specifier.split('.').next() == Some(name),
            _ => self.names.iter().any(is_bound),
        }
    }

    /// Whether it gives all names of a module to the importing file.
    pub fn takes_all_names(&self) -> bool {
        let is_all = |ImportBinding(there, here): &ImportBinding| match here.as_deref() {
            Some(here) => here == ".",
            None => there == "*" && self.kind == "From",
        };
        self.names.iter().any(is_all)
    }

    /// The name of a module that is imported as a whole, without its version: `cli` of
    /// `example.org/cli/v3`.
    fn module_name(&self) -> &str {
        let is_version = |part: &&str| {
            part.strip_prefix('v').is_some_and(|rest| rest.bytes().all(|one| one.is_ascii_digit()))
        };
        self.specifier.rsplit('/').find(|part| !is_version(part)).unwrap_or_default()
    }
}

/// Writes a file's symbols, imports, exports under other names, calls and syntax errors to the
/// index. `is_new` says that the index did not know the file before.
pub fn index_file(
    conn: &Connection,
    path: &RepoPath,
    facts: &FileFacts,
    digest: Option<&CallDigest>,
    is_new: bool,
) -> Result<()> {
    resolve::index_file(conn, path, facts, is_new)?;
    let place = path_id(conn, path)?;
    let mut signatures = overloads_by_path(&facts.symbols);
    for (id, symbol) in (0..).zip(&facts.symbols).filter(|(_, symbol)| symbol.is_listed()) {
        let parent = named_parent(&facts.symbols, symbol).map(SymbolIndex);
        let overloads = signatures.remove(symbol.path.as_str()).unwrap_or_default();
        let new = NewSymbol { id: SymbolIndex(id), parent, symbol, overloads };
        tables::put_symbol(conn, place, &new)?;
    }
    for (id, import) in (0..).zip(&facts.imports) {
        tables::put_import(conn, place, ImportIndex(id), import, &import_names_json(import))?;
    }
    let exported = facts.exports.iter().filter_map(|export| export_alias(facts, export));
    for (id, alias) in (0..).zip(exported.chain(import_aliases(path, facts))) {
        tables::put_alias(conn, place, AliasIndex(id), &alias)?;
    }
    digest.map_or(Ok(()), |digest| calls::index_file(conn, place, digest))?;
    facts.errors.iter().try_for_each(|error| tables::put_error(conn, place, error))
}

/// Removes the rows of a file. `gone` says that the file was deleted; otherwise it is about to be
/// indexed again.
pub fn remove_file(conn: &Connection, path: &RepoPath, gone: bool) -> Result<()> {
    calls::remove_file(conn, path)?;
    if gone {
        resolve::remove_file(conn, path)?;
    }
    tables::remove_rows(conn, path)
}

/// A symbol to be written to the index.
pub(crate) struct NewSymbol<'f> {
    /// The position of the symbol among the symbols of the file
    pub id: SymbolIndex,
    /// The nearest listed symbol around it
    pub parent: Option<SymbolIndex>,
    pub symbol: &'f Symbol,
    pub overloads: Overloads<'f>,
}

/// The overloads of a symbol.
#[derive(Debug, Default)]
pub(crate) struct Overloads<'f> {
    pub signatures: Vec<&'f str>,
    /// The first doc comment among them, used if the implementation has none
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

/// An export under a name that differs from that of the declaration.
#[derive(Debug)]
pub(crate) struct ExportAlias<'f> {
    pub name: &'f str,
    pub local: &'f str,
    /// The declared symbol, if it is in the same file
    pub symbol: Option<&'f str>,
    /// The import that it is re-exported from
    pub import: Option<ImportIndex>,
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
        import: export.from.map(ImportIndex),
    })
}

/// Imports that offer a name to other files under another one: `pub use a::b as c`, and in a Python
/// package `from .a import b as c`.
fn import_aliases<'f>(
    path: &RepoPath,
    facts: &'f FileFacts,
) -> impl Iterator<Item = ExportAlias<'f>> {
    let is_package = path.name() == "__init__.py";
    let offers = move |import: &Import| match import.kind {
        ImportKind::PubUse => true,
        ImportKind::From => is_package,
        _ => false,
    };
    let offering = (0..).zip(&facts.imports).filter(move |(_, import)| offers(import));
    offering.flat_map(|(at, import)| {
        import.names.iter().filter_map(move |name| {
            let alias =
                name.alias.as_deref().filter(|alias| *alias != name.name && *alias != "_")?;
            let local = name.name.rsplit("::").next().unwrap_or(&name.name);
            let import = Some(ImportIndex(at));
            (local != "*").then_some(ExportAlias { name: alias, local, symbol: None, import })
        })
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

/// The visibility of a symbol in its stored form.
pub(crate) fn stored_visibility(symbol: &Symbol) -> Option<&str> {
    match &symbol.visibility {
        Visibility::Public => Some(""),
        Visibility::Restricted(text) => Some(text),
        Visibility::Private => None,
    }
}

/// The name of a stored visibility.
pub(crate) fn read_visibility(stored: Option<String>) -> String {
    match stored {
        Some(text) if text.is_empty() => "public".to_owned(),
        Some(text) => text,
        None => "private".to_owned(),
    }
}
