//! `card.delete`: deletes a card, either unreferenced or together with its references.

use std::collections::BTreeMap;

use base::entity::CardKey;
use base::words::counted;
use base::{EntityRef, Hash, NextCall, Problem, ProblemCode, RepoPath, Result};
use cards::{RelationChange, SeeTagRow, StoredCardRelation};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tree::FileEdit;

use super::{CardChangeAnswer, check_hash, edit_refused, find_card, read_current};
use crate::ops::link::without_link;
use engine::areas::cards::code_node;
use engine::areas::cards::files_with_key;
use engine::contract::args::NodeTarget;
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::plan::{Plan, PlannedChange};
use engine::spec_links::removed_confirmations;
use engine::view::View;

/// How many references to a card a problem lists.
const MAX_LISTED: usize = 20;

/// Delete a card; refused while code or another card refers to it
///
/// With `unlink`, every link and relation to it is removed in the same change.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Delete {
    /// Key, slug or file of the card
    #[serde(alias = "card_key")]
    pub key: NodeTarget,
    /// Also remove every link from code and every relation of another card to it
    #[arg(long)]
    #[serde(default)]
    pub unlink: bool,
    /// Only if the file has this hash
    #[arg(long)]
    #[serde(default)]
    pub if_hash: Option<Hash>,
}

impl Mutation for Delete {
    const NAME: &'static str = "card.delete";
    const EFFECT: Effect = Effect::OVERWRITES;
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "auth/login --dry-run", shows: "whether anything refers to it" },
        OpExample {
            args: "auth/login --unlink --dry-run",
            shows: "the card and all references to it",
        },
    ];
    type Answer = CardChangeAnswer;

    fn plan(self, view: &View) -> Result<Plan<CardChangeAnswer>> {
        let card = find_card(view, &self.key)?;
        let conn = view.index()?.conn();
        // If two files claim one key, references still lead to the other file.
        let is_only = files_with_key(view, &card.key)?.len() == 1;
        let sees =
            if is_only { cards::see_tags_of_key(conn, card.key.as_str())? } else { Vec::new() };
        let relations = cards::relations_to(conn, card.key.as_str())?.into_iter();
        let relations: Vec<StoredCardRelation> =
            relations.filter(|said| is_only && said.source != card.key).collect();
        let is_named = !sees.is_empty() || !relations.is_empty();
        if is_named && !self.unlink {
            return Err(named_elsewhere(&card.key, &sees, &relations));
        }
        let now = read_current(view, &card.path)?;
        check_hash(&card.path, self.if_hash, now.hash)?;
        let mut edits = remove_links(view, &card.key, &sees)?;
        edits.extend(remove_relations(view, &card.key, &relations)?);
        let said = match edits.len() {
            0 => "deleted".to_owned(),
            files => format!("deleted, with references in {}", counted(files as u64, "file")),
        };
        let (path, expected) = (card.path.clone(), Some(now.hash));
        edits.push(FileEdit { path, expected, content: None });
        if is_only {
            let gone = EntityRef::Card(card.key.clone());
            edits.extend(removed_confirmations(view, |link| link.to == gone || link.from == gone)?);
        }
        let summary = format!("{}: {said}", card.key);
        let answer = CardChangeAnswer { key: card.key, path: card.path, said, notes: Vec::new() };
        Ok(Plan {
            summary,
            change: PlannedChange::Files(edits),
            answer,
            retry_on_conflict: self.if_hash.is_none(),
        })
    }
}

/// The code files without their links to the card.
fn remove_links(view: &View, key: &CardKey, sees: &[SeeTagRow]) -> Result<Vec<FileEdit>> {
    let mut files: BTreeMap<&RepoPath, Vec<&SeeTagRow>> = BTreeMap::new();
    for see in sees {
        files.entry(&see.path).or_default().push(see);
    }
    let mut edits = Vec::new();
    for (path, sees) in files {
        view.call().check_stopped()?;
        let now = read_current(view, path)?;
        let mut text = now.text;
        for see in sees {
            text = without_link(&text, see, key)?;
        }
        edits.push(FileEdit {
            path: path.clone(),
            expected: Some(now.hash),
            content: Some(text.into()),
        });
    }
    Ok(edits)
}

/// The other cards without their relations to the card.
fn remove_relations(
    view: &View,
    key: &CardKey,
    relations: &[StoredCardRelation],
) -> Result<Vec<FileEdit>> {
    let mut files: BTreeMap<&RepoPath, Vec<&StoredCardRelation>> = BTreeMap::new();
    for said in relations {
        files.entry(&said.path).or_default().push(said);
    }
    let mut edits = Vec::new();
    for (path, relations) in files {
        let now = read_current(view, path)?;
        let mut text = now.text;
        for said in relations {
            let left = cards::change_relation(&text, RelationChange::Remove, said.kind, key);
            text = left.map_err(|fault| edit_refused(path, &fault))?.unwrap_or(text);
        }
        edits.push(FileEdit {
            path: path.clone(),
            expected: Some(now.hash),
            content: Some(text.into()),
        });
    }
    Ok(edits)
}

fn named_elsewhere(key: &CardKey, sees: &[SeeTagRow], relations: &[StoredCardRelation]) -> Problem {
    let code = sees.iter().map(|see| format!("{}  {}:{}", code_node(see), see.path, see.line));
    let others = relations
        .iter()
        .map(|said| format!("{} {}  {}:{}", said.source, said.kind, said.path, said.line));
    let pointing: Vec<String> = code.chain(others).collect();
    let places = counted(pointing.len() as u64, "place");
    let problem = Problem::new(
        ProblemCode::InvariantViolation,
        format!("`{key}` is referred to in {places}"),
    )
    .detail("references", pointing.clone());
    let listed = pointing.iter().take(MAX_LISTED).cloned();
    let rest = pointing.len().saturating_sub(MAX_LISTED);
    let more = (rest > 0).then(|| format!("{rest} more are in the details"));
    let delete = NextCall::new("card.delete").with("key", key.to_string());
    let keep = NextCall::new("card.status").with("key", key.to_string());
    listed
        .chain(more)
        .fold(problem, Problem::hint)
        .hint_call(
            "to see the change that removes all of them",
            delete.with("unlink", true).with("dry_run", true),
        )
        .hint_call("to keep it and mark it as deprecated", keep.with("status", "deprecated"))
}
