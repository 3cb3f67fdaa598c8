//! Symbols and imports as a part of the index.

use base::{RepoPath, Result};
use store::Connection;
use syntax::{Language, Symbol};

use crate::index::{Indexer, Learned, News, tables};
use crate::search::{self, Text};

/// Keeps symbols, imports, and the search text of symbols.
pub(crate) struct CodeIndexer;

impl Indexer for CodeIndexer {
    fn schema(&self) -> &'static str {
        code::SCHEMA
    }

    fn dump(&self) -> &'static [&'static str] {
        code::DUMP
    }

    fn forget(&self, conn: &Connection, path: &RepoPath, _: bool) -> Result<()> {
        for symbol in code::in_file(conn, path)? {
            search::tables::remove(conn, &super::handle(path, &symbol.full))?;
        }
        code::forget(conn, path)
    }

    fn learn(&self, conn: &Connection, file: &Learned<'_>) -> Result<()> {
        code::learn(conn, file.path, file.facts)?;
        let named = file.facts.symbols.iter().filter(|symbol| !symbol.is_anonymous());
        named.into_iter().try_for_each(|symbol| search::put(conn, &text(file.path, symbol)))
    }

    fn settle(&self, conn: &Connection, news: &News<'_>) -> Result<()> {
        if news.changed.is_empty() && news.gone.is_empty() {
            return Ok(());
        }
        // A file that came or went, or a package of another name, may be what an import means.
        let is_manifest = |path: &RepoPath| Language::of(path) == Some(Language::CargoManifest);
        let renamed = news.changed.iter().any(is_manifest);
        let all = news.some_new || renamed || !news.gone.is_empty();
        let only = (!all).then_some(news.changed);
        code::resolve_all(conn, &tables::all_files(conn)?, only)?;
        code::settle(conn)
    }
}

fn text(path: &RepoPath, symbol: &Symbol) -> Text {
    let doc = symbol.doc.as_ref().map(|doc| doc.text.as_str()).unwrap_or_default();
    Text {
        node: super::handle(path, &symbol.path),
        kind: "symbol",
        path: Some(path.clone()),
        name: symbol.path.clone(),
        body: format!("{}\n{doc}", symbol.signature),
    }
}
