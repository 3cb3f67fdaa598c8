//! Writes card files and `@see` tags into the index.

use base::{RepoPath, Result};
use store::Connection;
use syntax::{FileFacts, Language};

use crate::card::{Card, CardDiagnostic, parse_card};
use crate::mentions::find_mentions;
use crate::see::{parse_see_tag, uses_double_colon};
use crate::tables;

/// Indexes a card file. Returns the card, if the file is one.
pub fn index_card(
    conn: &Connection,
    path: &RepoPath,
    text: Result<&[u8], &str>,
) -> Result<Option<Card>> {
    let (card, troubles) = match text {
        Ok(bytes) => parse_card(bytes),
        Err(why) => {
            let message = format!("not read: {why}");
            (None, vec![CardDiagnostic { code: "CARD_UNREADABLE", message, line: 1 }])
        }
    };
    for (number, trouble) in (0u32..).zip(&troubles) {
        tables::put_diagnostic(conn, path, number, trouble)?;
    }
    let Some(card) = card else { return Ok(None) };
    tables::put_card(conn, path, &card)?;
    for (number, relation) in (0u32..).zip(&card.relations) {
        tables::put_relation(conn, path, number, card.key.as_str(), relation)?;
    }
    let mentions = find_mentions(path, &card.body, card.body_line);
    for (number, mention) in (0u32..).zip(&mentions) {
        tables::put_mention(conn, path, number, card.key.as_str(), mention)?;
    }
    Ok(Some(card))
}

/// Removes a card file from the index. Returns its key.
pub fn remove_card(conn: &Connection, path: &RepoPath) -> Result<Option<String>> {
    let key = tables::card_at_path(conn, path)?.map(|card| card.key.to_string());
    tables::delete_card(conn, path)?;
    Ok(key)
}

/// Indexes the tags of a file.
pub fn index_see_tags(
    conn: &Connection,
    path: &RepoPath,
    language: Option<Language>,
    facts: &FileFacts,
) -> Result<()> {
    let colons = language.is_some_and(uses_double_colon);
    let seen = facts.doc_links.iter().filter_map(|link| parse_see_tag(link, facts));
    (0u32..)
        .zip(seen)
        .try_for_each(|(number, seen)| tables::put_see_tag(conn, path, number, &seen, colons))
}

/// Removes the tags of a file.
pub fn remove_see_tags(conn: &Connection, path: &RepoPath) -> Result<()> {
    tables::delete_see_tags(conn, path)
}
