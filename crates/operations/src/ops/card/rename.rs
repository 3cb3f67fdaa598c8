//! `card.rename`: changes a card's key everywhere it is written, in one change.

use std::collections::BTreeSet;

use base::entity::CardKey;
use base::words::counted;
use base::{EntityRef, Hint, Problem, RepoPath, Result};
use cards::CardRow;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use syntax::Language;
use tree::FileEdit;

use super::{
    CardChangeAnswer, edit_refused, find_card, path_for_new_card, read_current, refuse_taken_key,
    refuse_unregistered,
};
use engine::areas::cards::files_with_key;
use engine::contract::args::{NodeTarget, Words};
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::plan::{Plan, PlannedChange};
use engine::spec_links::carry_confirmations;
use engine::view::View;

/// Rename a card everywhere: its file, every `@see` and every relation, all or nothing
///
/// A new type in the key changes the card's type. A file at its conventional path is moved too.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rename {
    /// Key, slug or file of the card
    pub old_key: NodeTarget,
    /// New key of the card; without a type, the type stays
    pub new_key: Words,
}

impl Mutation for Rename {
    const NAME: &'static str = "card.rename";
    const EFFECT: Effect = Effect::OVERWRITES;
    const EXAMPLES: &'static [OpExample] = &[OpExample {
        args: "auth/login spec::auth/sign-in --dry-run",
        shows: "everything that would change",
    }];
    type Answer = CardChangeAnswer;

    fn plan(self, view: &View) -> Result<Plan<CardChangeAnswer>> {
        let card = find_card(view, &self.old_key)?;
        let text = self.new_key.as_str();
        let bare = (!text.contains("::")).then(|| cards::key_kind(&card.key));
        let new = cards::parse_new_key(text, bare).map_err(Problem::invalid)?;
        refuse_unregistered(view, &new)?;
        refuse_taken_key(view, &new, Some(&card.path))?;
        let mut edits = rename_own_file(view, &card, &new)?;
        // If another file has the key too, references still lead to that one.
        let other = files_with_key(view, &card.key)?.into_iter().find(|path| *path != card.path);
        let (code, others) = match other {
            Some(_) => (Vec::new(), Vec::new()),
            None => (rename_in_code(view, &card.key, &new)?, rename_in_cards(view, &card, &new)?),
        };
        let said = format!(
            "renamed from {}, with {} and {}",
            card.key,
            counted(code.len() as u64, "code file"),
            counted(others.len() as u64, "other card"),
        );
        let path = edits.last().map_or_else(|| card.path.clone(), |edit| edit.path.clone());
        edits.extend(code);
        edits.extend(others);
        if other.is_none() {
            let (old, renamed) = (EntityRef::Card(card.key.clone()), EntityRef::Card(new.clone()));
            let rename =
                |node: &EntityRef| if *node == old { renamed.clone() } else { node.clone() };
            edits = carry_confirmations(view, edits, rename)?;
        }
        let summary = format!("{} → {new}", card.key);
        let mut notes = unread_cards(view)?;
        notes.extend(
            other.map(|path| format!("references to {} still lead to {path}", card.key).into()),
        );
        let answer = CardChangeAnswer { key: new, path, said, notes };
        Ok(Plan { summary, change: PlannedChange::Files(edits), answer, retry_on_conflict: true })
    }
}

/// The card itself: its fields, and its file if it is at its conventional path.
fn rename_own_file(view: &View, card: &CardRow, new: &CardKey) -> Result<Vec<FileEdit>> {
    let now = read_current(view, &card.path)?;
    let text =
        cards::with_new_key(&now.text, new).map_err(|fault| edit_refused(&card.path, &fault))?;
    let text = cards::rename_relation_targets(&text, &card.key, new)
        .map_err(|fault| edit_refused(&card.path, &fault))?;
    let stays = cards::path_for_key(&card.key).as_ref() != Some(&card.path)
        || cards::path_for_key(new).as_ref() == Some(&card.path);
    if stays {
        let (path, expected) = (card.path.clone(), Some(now.hash));
        return Ok(vec![FileEdit { path, expected, content: Some(text.into()) }]);
    }
    let to = path_for_new_card(view, new)?;
    Ok(vec![
        FileEdit { path: card.path.clone(), expected: Some(now.hash), content: None },
        FileEdit { path: to, expected: None, content: Some(text.into()) },
    ])
}

/// Every file whose doc comments link the card.
fn rename_in_code(view: &View, old: &CardKey, new: &CardKey) -> Result<Vec<FileEdit>> {
    let sees = cards::see_tags_of_key(view.index()?.conn(), old.as_str())?;
    let paths: BTreeSet<RepoPath> = sees.into_iter().map(|see| see.path).collect();
    let mut edits = Vec::new();
    for path in paths {
        view.call().check_stopped()?;
        let Some(blob) = view.tree().read(&path)? else { continue };
        let facts = syntax::extract(Language::from_path(&path), &blob.bytes);
        let mut bytes = blob.bytes;
        for span in cards::key_spans(&facts, old).into_iter().rev() {
            bytes.splice(span, new.as_str().bytes());
        }
        edits.push(FileEdit { path, expected: Some(blob.hash), content: Some(bytes) });
    }
    Ok(edits)
}

/// Every other card with a relation to the card.
fn rename_in_cards(view: &View, card: &CardRow, new: &CardKey) -> Result<Vec<FileEdit>> {
    let relations = cards::relations_to(view.index()?.conn(), card.key.as_str())?;
    let paths: BTreeSet<RepoPath> = relations.into_iter().map(|relation| relation.path).collect();
    let mut edits = Vec::new();
    for path in paths.into_iter().filter(|path| *path != card.path) {
        let now = read_current(view, &path)?;
        let text = cards::rename_relation_targets(&now.text, &card.key, new)
            .map_err(|fault| edit_refused(&path, &fault))?;
        edits.push(FileEdit { path, expected: Some(now.hash), content: Some(text.into()) });
    }
    Ok(edits)
}

/// Card files that could not be read may refer to it too.
fn unread_cards(view: &View) -> Result<Vec<Hint>> {
    let troubles = cards::all_diagnostics(view.index()?.conn())?;
    let unread = troubles.iter().filter(|trouble| trouble.code == "CARD_UNREADABLE");
    let note = |trouble: &cards::CardDiagnosticRow| {
        Hint::from(format!(
            "{}:{} cannot be read, so it was not updated: {}",
            trouble.path, trouble.line, trouble.message
        ))
    };
    Ok(unread.map(note).collect())
}
