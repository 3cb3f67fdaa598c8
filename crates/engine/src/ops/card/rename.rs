//! `card.rename`: another key, everywhere it is written, in one change.

use std::collections::BTreeSet;

use base::entity::CardKey;
use base::{Problem, RepoPath, Result};
use cards::CardRow;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use syntax::Language;
use tree::FileEdit;

use super::create::{free, place, registered};
use super::{Done, count, files_of, named_for_write, now, refused};
use crate::contract::args::{Target, Words};
use crate::contract::op::{Effect, Example, Mutation};
use crate::plan::{Change, Plan};
use crate::view::View;

/// Rename a card everywhere: its file, every `@see` and every relation, all or nothing
///
/// A new type in the key changes the card's type. A file at its conventional place moves along.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rename {
    /// Key, slug or file of the card
    pub old_key: Target,
    /// New key of the card; its type stays if none is named
    pub new_key: Words,
}

impl Mutation for Rename {
    const NAME: &'static str = "card.rename";
    const EFFECT: Effect = Effect::OVERWRITES;
    const EXAMPLES: &'static [Example] = &[Example {
        args: "auth/login spec::auth/sign-in --dry-run",
        shows: "all that would change",
    }];
    type Answer = Done;

    fn plan(self, view: &View) -> Result<Plan<Done>> {
        let card = named_for_write(view, &self.old_key)?;
        let text = self.new_key.as_str();
        let bare = (!text.contains("::")).then(|| cards::kind(&card.key));
        let new = cards::new_key(text, bare).map_err(Problem::invalid)?;
        registered(view, &new)?;
        free(view, &new, Some(&card.path))?;
        let mut edits = own(view, &card, &new)?;
        // Where another file has the key too, those who name it still mean that one.
        let other = files_of(view, &card.key)?.into_iter().find(|path| *path != card.path);
        let (code, others) = match other {
            Some(_) => (Vec::new(), Vec::new()),
            None => (in_code(view, &card.key, &new)?, in_cards(view, &card, &new)?),
        };
        let said = format!(
            "renamed from {}, with {} and {}",
            card.key,
            count(code.len() as u64, "code file"),
            count(others.len() as u64, "other card"),
        );
        let path = edits.last().map_or_else(|| card.path.clone(), |edit| edit.path.clone());
        edits.extend(code);
        edits.extend(others);
        let summary = format!("{} → {new}", card.key);
        let mut notes = unread(view)?;
        notes.extend(other.map(|path| format!("what names {} still means {path}", card.key)));
        let answer = Done { key: new, path, said, notes };
        Ok(Plan { summary, change: Change::Files(edits), answer, again: true })
    }
}

/// The card itself: its fields, and its file if it lies where its key says.
fn own(view: &View, card: &CardRow, new: &CardKey) -> Result<Vec<FileEdit>> {
    let now = now(view, &card.path)?;
    let text = cards::renamed(&now.text, new).map_err(|fault| refused(&card.path, &fault))?;
    let text =
        cards::rename_in(&text, &card.key, new).map_err(|fault| refused(&card.path, &fault))?;
    let stays = cards::home(&card.key).as_ref() != Some(&card.path)
        || cards::home(new).as_ref() == Some(&card.path);
    if stays {
        let (path, expected) = (card.path.clone(), Some(now.hash));
        return Ok(vec![FileEdit { path, expected, content: Some(text.into()) }]);
    }
    let to = place(view, new)?;
    Ok(vec![
        FileEdit { path: card.path.clone(), expected: Some(now.hash), content: None },
        FileEdit { path: to, expected: None, content: Some(text.into()) },
    ])
}

/// Every file whose doc comments name the card.
fn in_code(view: &View, old: &CardKey, new: &CardKey) -> Result<Vec<FileEdit>> {
    let sees = cards::sees_of(view.index()?.conn(), old.as_str())?;
    let paths: BTreeSet<RepoPath> = sees.into_iter().map(|see| see.path).collect();
    let mut edits = Vec::new();
    for path in paths {
        view.call().go_on()?;
        let Some(blob) = view.tree().read(&path)? else { continue };
        let facts = syntax::extract(Language::of(&path), &blob.bytes);
        let mut bytes = blob.bytes;
        for span in cards::spellings(&facts, old).into_iter().rev() {
            bytes.splice(span, new.as_str().bytes());
        }
        edits.push(FileEdit { path, expected: Some(blob.hash), content: Some(bytes) });
    }
    Ok(edits)
}

/// Every other card whose relations name the card.
fn in_cards(view: &View, card: &CardRow, new: &CardKey) -> Result<Vec<FileEdit>> {
    let said = cards::relations_to(view.index()?.conn(), card.key.as_str())?;
    let paths: BTreeSet<RepoPath> = said.into_iter().map(|said| said.path).collect();
    let mut edits = Vec::new();
    for path in paths.into_iter().filter(|path| *path != card.path) {
        let now = now(view, &path)?;
        let text =
            cards::rename_in(&now.text, &card.key, new).map_err(|fault| refused(&path, &fault))?;
        edits.push(FileEdit { path, expected: Some(now.hash), content: Some(text.into()) });
    }
    Ok(edits)
}

/// Card files that could not be read may name it too.
fn unread(view: &View) -> Result<Vec<String>> {
    let troubles = cards::troubles(view.index()?.conn())?;
    let unread = troubles.iter().filter(|trouble| trouble.code == "CARD_UNREADABLE");
    let note = |trouble: &cards::TroubleRow| {
        format!(
            "{}:{} cannot be read, so it was not looked at: {}",
            trouble.path, trouble.line, trouble.message
        )
    };
    Ok(unread.map(note).collect())
}
