//! Symbols and imports as a part of the index.

use base::{RepoPath, Result};
use store::Connection;
use syntax::{FileFacts, Symbol};

use crate::index::{Indexer, Learned, News, Prepared, tables};
use crate::search::{self, Spread, Text};

/// Up to so many changed files, asking for each file is quicker than knowing all.
const FEW: usize = 64;

/// Keeps symbols, imports, and the search text of symbols.
pub(crate) struct CodeIndexer;

impl Indexer for CodeIndexer {
    fn schema(&self) -> &'static str {
        code::SCHEMA
    }

    fn late_schema(&self) -> &'static str {
        code::LATE_SCHEMA
    }

    fn dump(&self) -> &'static [&'static str] {
        code::DUMP
    }

    fn prepare(&self, path: &RepoPath, facts: &FileFacts, _: &[u8]) -> Option<Prepared> {
        let listed = facts.symbols.iter().filter(|symbol| symbol.is_listed());
        let texts = listed.map(|symbol| Spread::new(text(path, facts, symbol))).collect();
        Some(Box::new(Ready { digest: code::Digest::of(path, facts), texts }))
    }

    fn forget(&self, conn: &Connection, path: &RepoPath, gone: bool) -> Result<()> {
        for symbol in code::in_file(conn, path)? {
            search::tables::remove(conn, &super::handle(path, &symbol.full))?;
        }
        code::forget(conn, path, gone)
    }

    fn learn(&self, conn: &Connection, file: &Learned<'_>) -> Result<()> {
        let ready: Option<&Ready> = file.prepared.and_then(|prepared| prepared.downcast_ref());
        let digest = ready.and_then(|ready| ready.digest.as_ref());
        code::learn(conn, file.path, (file.facts, digest), file.is_new)?;
        let texts = ready.iter().flat_map(|ready| &ready.texts);
        texts.into_iter().try_for_each(|text| search::put_spread(conn, text))
    }

    fn settle(&self, conn: &Connection, news: &News<'_>) -> Result<()> {
        if news.changed.is_empty() && news.gone.is_empty() {
            return Ok(());
        }
        match news.changed.len() + news.gone.len() {
            0..=FEW => code::resolve(conn, &OnDemand(conn), news.changed)?,
            _ => code::resolve(conn, &tables::all_files(conn)?, news.changed)?,
        };
        code::settle(conn)
    }
}

/// What is made of a file before it is learnt.
struct Ready {
    digest: Option<code::Digest>,
    texts: Vec<Spread>,
}

/// The files there are, each looked up when it is asked for.
struct OnDemand<'a>(&'a Connection);

impl code::Files for OnDemand<'_> {
    fn has(&self, path: &RepoPath) -> bool {
        // A failure to read shows again, and is told, when the results are written.
        tables::has_file(self.0, path).unwrap_or_default()
    }

    fn in_folder(&self, folder: &RepoPath) -> Vec<RepoPath> {
        tables::files_in(self.0, folder).unwrap_or_default()
    }
}

fn text(path: &RepoPath, facts: &FileFacts, symbol: &Symbol) -> Text {
    let signatures = facts.declarations(symbol);
    let says = signatures.flat_map(|one| {
        let doc = one.doc.as_ref().map(|doc| doc.text.as_str());
        [Some(one.signature.as_str()), doc].into_iter().flatten()
    });
    Text {
        node: super::handle(path, &symbol.path),
        kind: "symbol",
        path: Some(path.clone()),
        name: symbol.path.clone(),
        body: says.collect::<Vec<_>>().join("\n"),
    }
}
