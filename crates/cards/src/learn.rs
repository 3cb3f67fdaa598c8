//! Card files and `@see` tags as rows.

use base::{RepoPath, Result};
use store::Connection;
use syntax::{FileFacts, Language};

use crate::card::{Card, Trouble, read};
use crate::see::{has_colons, see};
use crate::tables;

/// Takes in a card file; gives the card, if it is one.
pub fn learn_card(
    conn: &Connection,
    path: &RepoPath,
    text: Result<&[u8], &str>,
) -> Result<Option<Card>> {
    let (card, troubles) = match text {
        Ok(bytes) => read(bytes),
        Err(why) => {
            let message = format!("not read: {why}");
            (None, vec![Trouble { code: "CARD_UNREADABLE", message, line: 1 }])
        }
    };
    for (number, trouble) in (0u32..).zip(&troubles) {
        tables::put_trouble(conn, path, number, trouble)?;
    }
    let Some(card) = card else { return Ok(None) };
    tables::put_card(conn, path, &card)?;
    for (number, relation) in (0u32..).zip(&card.relations) {
        tables::put_relation(conn, path, number, (card.key.as_str(), relation))?;
    }
    Ok(Some(card))
}

/// Drops what a card file said; gives the key it had.
pub fn forget_card(conn: &Connection, path: &RepoPath) -> Result<Option<String>> {
    let key = tables::at(conn, path)?.map(|card| card.key.to_string());
    tables::forget_card(conn, path)?;
    Ok(key)
}

/// Takes in the tags of a file.
pub fn learn(
    conn: &Connection,
    path: &RepoPath,
    language: Option<Language>,
    facts: &FileFacts,
) -> Result<()> {
    let colons = language.is_some_and(has_colons);
    let seen = facts.doc_links.iter().filter_map(|link| see(link, facts));
    (0u32..)
        .zip(seen)
        .try_for_each(|(number, seen)| tables::put_see(conn, path, number, (&seen, colons)))
}

/// Drops the tags of a file.
pub fn forget(conn: &Connection, path: &RepoPath) -> Result<()> {
    tables::forget_sees(conn, path)
}
