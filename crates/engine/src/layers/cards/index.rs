//! Cards, their relations and `@see` tags as a part of the index.

use base::{RepoPath, Result};
use cards::CardRow;
use store::Connection;

use crate::index::{Indexer, Learned, News};
use crate::search::{self, Text};

/// Keeps cards, relations, tags, and the search text of cards.
pub(crate) struct CardsIndexer;

impl Indexer for CardsIndexer {
    fn schema(&self) -> &'static str {
        cards::SCHEMA
    }

    fn dump(&self) -> &'static [&'static str] {
        cards::DUMP
    }

    fn reads(&self, path: &RepoPath) -> bool {
        cards::is_card(path)
    }

    fn forget(&self, conn: &Connection, path: &RepoPath, _: bool) -> Result<()> {
        if cards::is_card(path)
            && let Some(key) = cards::forget_card(conn, path)?
        {
            put_text(conn, &key)?;
        }
        cards::forget(conn, path)
    }

    fn learn(&self, conn: &Connection, file: &Learned<'_>) -> Result<()> {
        if !cards::is_card(file.path) {
            return cards::learn(conn, file.path, file.language, file.facts);
        }
        let text = file.text.ok_or(file.skipped.unwrap_or("unreadable"));
        if let Some(card) = cards::learn_card(conn, file.path, text)? {
            put_text(conn, card.key.as_str())?;
        }
        Ok(())
    }

    fn settle(&self, _: &Connection, _: &News<'_>) -> Result<()> {
        Ok(())
    }
}

/// Keeps the search text of a key: that of the first file that claims it, or none.
fn put_text(conn: &Connection, key: &str) -> Result<()> {
    match cards::by_key(conn, key)? {
        Some(card) => search::put(conn, &text(&card)),
        None => search::tables::remove(conn, key),
    }
}

fn text(card: &CardRow) -> Text {
    let lists = [&card.tags, &card.subjects, &card.constraints];
    let words = lists.into_iter().map(|list| list.join(", ")).filter(|words| !words.is_empty());
    let parts = [card.summary.clone()].into_iter().chain(words).chain([card.body.clone()]);
    Text {
        node: card.key.to_string(),
        kind: "card",
        path: Some(card.path.clone()),
        name: card.key.to_string(),
        body: parts.collect::<Vec<_>>().join("\n"),
    }
}
