//! Indexes cards, their relations and `@see` tags.

use base::{RepoPath, Result};
use cards::CardRow;
use store::Connection;

use crate::index::{IndexedFile, Indexer, RefreshSummary};
use crate::search::{self, SearchText};

/// Writes the rows of cards, relations and tags, and the search text of cards.
pub(crate) struct CardsIndexer;

impl Indexer for CardsIndexer {
    fn schema(&self) -> &'static str {
        cards::SCHEMA
    }

    fn dump(&self) -> &'static [&'static str] {
        cards::REBUILD_CHECK_QUERIES
    }

    fn wants_bytes(&self, path: &RepoPath) -> bool {
        cards::is_card_path(path)
    }

    fn remove_file(&self, conn: &Connection, path: &RepoPath, _: bool) -> Result<()> {
        if cards::is_card_path(path)
            && let Some(key) = cards::remove_card(conn, path)?
        {
            put_text(conn, &key)?;
        }
        cards::remove_see_tags(conn, path)
    }

    fn index_file(&self, conn: &Connection, file: &IndexedFile<'_>) -> Result<()> {
        if !cards::is_card_path(file.path) {
            return cards::index_see_tags(conn, file.path, file.language, file.facts);
        }
        let text = file.text.ok_or(file.skipped.unwrap_or("unreadable"));
        if let Some(card) = cards::index_card(conn, file.path, text)? {
            put_text(conn, card.key.as_str())?;
        }
        Ok(())
    }

    fn finish(&self, _: &Connection, _: &RefreshSummary<'_>) -> Result<()> {
        Ok(())
    }
}

/// Writes the search text of a key from the first file that has the key, or removes it if no file
/// has.
fn put_text(conn: &Connection, key: &str) -> Result<()> {
    match cards::card_by_key(conn, key)? {
        Some(card) => search::put_indexed(conn, &text(&card)),
        None => search::remove_indexed(conn, key),
    }
}

fn text(card: &CardRow) -> SearchText {
    let lists = [&card.tags, &card.subjects, &card.constraints];
    let words = lists.into_iter().map(|list| list.join(", ")).filter(|words| !words.is_empty());
    let parts = [card.summary.clone()].into_iter().chain(words).chain([card.body.clone()]);
    SearchText {
        node: card.key.to_string(),
        kind: "card",
        path: Some(card.path.clone()),
        name: card.key.to_string(),
        body: parts.collect::<Vec<_>>().join("\n"),
    }
}
