//! Indexes symbols and imports.

use std::collections::HashMap;
use std::sync::LazyLock;

use base::{RepoPath, Result};
use code::SymbolIndex;
use store::Connection;
use syntax::{FileFacts, Symbol};

use crate::index::{IndexedFile, Indexer, PreparedFile, RefreshSummary, tables};
use crate::search::{self, SearchText, SymbolBody, SymbolText, TokenizedText};

/// Up to this number of changed files, it is faster to look up each file than to load the list of
/// all files.
const MAX_FILES_LOOKED_UP: usize = 64;

/// The tables of the code area, and the SQL view with the search texts of symbols.
static SCHEMA: LazyLock<String> =
    LazyLock::new(|| format!("{}\n{}", code::SCHEMA, include_str!("symbol_texts.sql")));

/// Writes the rows of symbols and imports, and the search text of symbols.
pub(crate) struct CodeIndexer;

impl Indexer for CodeIndexer {
    fn schema(&self) -> &'static str {
        &SCHEMA
    }

    fn late_schema(&self) -> &'static str {
        code::INDEX_SCHEMA
    }

    fn dump(&self) -> &'static [&'static str] {
        code::REBUILD_CHECK_QUERIES
    }

    fn prepare(&self, path: &RepoPath, facts: &FileFacts, _: &[u8]) -> Option<PreparedFile> {
        let listed = (0..).zip(&facts.symbols).filter(|(_, symbol)| symbol.is_listed());
        let overloads = overloads_by_path(facts);
        let texts = listed.map(|(id, symbol)| {
            let others = overloads.get(symbol.path.as_str()).map_or(&[][..], Vec::as_slice);
            symbol_text(path, SymbolIndex(id), symbol, others)
        });
        let texts = texts.collect();
        Some(Box::new(PreparedCode { digest: code::CallDigest::of(path, facts), texts }))
    }

    fn remove_file(&self, conn: &Connection, path: &RepoPath, gone: bool) -> Result<()> {
        search::remove_symbols(conn, path)?;
        code::remove_file(conn, path, gone)
    }

    fn index_file(&self, conn: &Connection, file: &IndexedFile<'_>) -> Result<()> {
        let ready: Option<&PreparedCode> =
            file.prepared.and_then(|prepared| prepared.downcast_ref());
        let digest = ready.and_then(|ready| ready.digest.as_ref());
        code::index_file(conn, file.path, file.facts, digest, file.is_new)?;
        ready.map_or(Ok(()), |ready| search::put_symbols(conn, file.path, &ready.texts))
    }

    fn finish(&self, conn: &Connection, news: &RefreshSummary<'_>) -> Result<()> {
        if news.changed.is_empty() && news.gone.is_empty() {
            return Ok(());
        }
        match news.changed.len() + news.gone.len() {
            0..=MAX_FILES_LOOKED_UP => code::resolve(conn, &FileLookup(conn), news.changed)?,
            _ => code::resolve(conn, &tables::all_files(conn)?, news.changed)?,
        };
        code::link_pending(conn)
    }
}

/// What is computed from a file before its rows are written.
struct PreparedCode {
    digest: Option<code::CallDigest>,
    texts: Vec<SymbolText>,
}

/// The files of the index, each looked up when it is needed.
struct FileLookup<'a>(&'a Connection);

impl code::FileCatalog for FileLookup<'_> {
    fn has(&self, path: &RepoPath) -> bool {
        // If this read fails, writing the results fails too, and that failure is reported.
        tables::has_file(self.0, path).unwrap_or_default()
    }

    fn in_folder(&self, folder: &RepoPath) -> Vec<RepoPath> {
        tables::files_in(self.0, folder).unwrap_or_default()
    }
}

/// The overloads of symbols by full name. A lookup per symbol would read all symbols of the file
/// each time.
fn overloads_by_path(facts: &FileFacts) -> HashMap<&str, Vec<&Symbol>> {
    let mut found: HashMap<&str, Vec<&Symbol>> = HashMap::new();
    for overload in facts.symbols.iter().filter(|symbol| symbol.is_overload()) {
        found.entry(overload.path.as_str()).or_default().push(overload);
    }
    found
}

fn symbol_text(
    path: &RepoPath,
    id: SymbolIndex,
    symbol: &Symbol,
    overloads: &[&Symbol],
) -> SymbolText {
    let declarations = || std::iter::once(&symbol).chain(overloads);
    let says = declarations().flat_map(|one| {
        let doc = one.doc.as_ref().map(|doc| doc.text.as_str());
        [Some(one.signature.as_str()), doc].into_iter().flatten()
    });
    let text = SearchText {
        node: super::handle(path, &symbol.path),
        kind: "symbol",
        path: Some(path.clone()),
        name: symbol.path.clone(),
        body: says.collect::<Vec<_>>().join("\n"),
    };
    let body = if overloads.is_empty() { SymbolBody::Symbol } else { SymbolBody::Own };
    SymbolText { symbol: id, tokenized: TokenizedText::new(text), body }
}
