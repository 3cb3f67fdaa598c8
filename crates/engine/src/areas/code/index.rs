//! Symbols and imports as a part of the index.

use base::{RepoPath, Result};
use store::Connection;
use syntax::{FileFacts, Symbol};

use crate::index::{IndexedFile, Indexer, PreparedFile, RefreshSummary, tables};
use crate::search::{self, SearchText, TokenizedText};

/// Up to so many changed files, asking for each file is quicker than knowing all.
const MAX_FILES_LOOKED_UP: usize = 64;

/// Keeps symbols, imports, and the search text of symbols.
pub(crate) struct CodeIndexer;

impl Indexer for CodeIndexer {
    fn schema(&self) -> &'static str {
        code::SCHEMA
    }

    fn late_schema(&self) -> &'static str {
        code::INDEX_SCHEMA
    }

    fn dump(&self) -> &'static [&'static str] {
        code::REBUILD_CHECK_QUERIES
    }

    fn prepare(&self, path: &RepoPath, facts: &FileFacts, _: &[u8]) -> Option<PreparedFile> {
        let listed = facts.symbols.iter().filter(|symbol| symbol.is_listed());
        let texts = listed.map(|symbol| TokenizedText::new(text(path, facts, symbol))).collect();
        Some(Box::new(PreparedCode { digest: code::CallDigest::of(path, facts), texts }))
    }

    fn remove_file(&self, conn: &Connection, path: &RepoPath, gone: bool) -> Result<()> {
        for symbol in code::symbols_in_file(conn, path)? {
            search::tables::remove(conn, &super::handle(path, &symbol.full))?;
        }
        code::remove_file(conn, path, gone)
    }

    fn index_file(&self, conn: &Connection, file: &IndexedFile<'_>) -> Result<()> {
        let ready: Option<&PreparedCode> =
            file.prepared.and_then(|prepared| prepared.downcast_ref());
        let digest = ready.and_then(|ready| ready.digest.as_ref());
        code::index_file(conn, file.path, file.facts, digest, file.is_new)?;
        let texts = ready.iter().flat_map(|ready| &ready.texts);
        texts.into_iter().try_for_each(|text| search::put_tokenized(conn, text))
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

/// What is made of a file before it is learnt.
struct PreparedCode {
    digest: Option<code::CallDigest>,
    texts: Vec<TokenizedText>,
}

/// The files there are, each looked up when it is asked for.
struct FileLookup<'a>(&'a Connection);

impl code::FileCatalog for FileLookup<'_> {
    fn has(&self, path: &RepoPath) -> bool {
        // A failure to read shows again, and is told, when the results are written.
        tables::has_file(self.0, path).unwrap_or_default()
    }

    fn in_folder(&self, folder: &RepoPath) -> Vec<RepoPath> {
        tables::files_in(self.0, folder).unwrap_or_default()
    }
}

fn text(path: &RepoPath, facts: &FileFacts, symbol: &Symbol) -> SearchText {
    let signatures = facts.declarations(symbol);
    let says = signatures.flat_map(|one| {
        let doc = one.doc.as_ref().map(|doc| doc.text.as_str());
        [Some(one.signature.as_str()), doc].into_iter().flatten()
    });
    SearchText {
        node: super::handle(path, &symbol.path),
        kind: "symbol",
        path: Some(path.clone()),
        name: symbol.path.clone(),
        body: says.collect::<Vec<_>>().join("\n"),
    }
}
