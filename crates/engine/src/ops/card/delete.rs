//! `card.delete`: a card that nothing points at goes.

use base::{Code, Hash, Problem, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tree::FileEdit;

use super::{Done, count, named, now, pinned};
use crate::contract::args::Target;
use crate::contract::op::{Effect, Example, Mutation};
use crate::layers::cards::code_node;
use crate::plan::{Change, Plan};
use crate::view::View;

/// How many of those that point at a card a problem lists.
const LISTED: usize = 20;

/// Delete a card; refused while code or another card points at it
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Delete {
    /// Key, slug or file of the card
    #[serde(alias = "card_key")]
    pub key: Target,
    /// Only if the file has this hash
    #[arg(long)]
    #[serde(default)]
    pub if_hash: Option<Hash>,
}

impl Mutation for Delete {
    const NAME: &'static str = "card.delete";
    const EFFECT: Effect = Effect::OVERWRITES;
    const EXAMPLES: &'static [Example] =
        &[Example { args: "auth/login --dry-run", shows: "whether anything points at it" }];
    type Answer = Done;

    fn plan(self, view: &View) -> Result<Plan<Done>> {
        let card = named(view, &self.key)?;
        let conn = view.index()?.conn();
        let sees = cards::sees_of(conn, card.key.as_str())?;
        let code = sees.iter().map(|see| format!("{}  {}:{}", code_node(see), see.path, see.line));
        let relations = cards::relations_to(conn, card.key.as_str())?;
        let others = relations.iter().filter(|said| said.source != card.key);
        let others = others
            .map(|said| format!("{} {}  {}:{}", said.source, said.kind, said.path, said.line));
        let pointing: Vec<String> = code.chain(others).collect();
        // Where two files claim one key, those who name it still have the other.
        let is_only = cards::keyed(conn, card.key.as_str())?.len() == 1;
        if is_only && !pointing.is_empty() {
            return Err(pointed_at(card.key.as_str(), &pointing));
        }
        let now = now(view, &card.path)?;
        pinned(&card.path, self.if_hash, now.hash)?;
        let edit = FileEdit { path: card.path.clone(), expected: Some(now.hash), content: None };
        let summary = format!("{}: deleted", card.key);
        let answer =
            Done { key: card.key, path: card.path, said: "deleted".into(), notes: Vec::new() };
        Ok(Plan {
            summary,
            change: Change::Files(vec![edit]),
            answer,
            again: self.if_hash.is_none(),
        })
    }
}

fn pointed_at(key: &str, pointing: &[String]) -> Problem {
    let places = count(pointing.len() as u64, "place");
    let problem = Problem::new(Code::InvariantViolation, format!("`{key}` is named in {places}"))
        .detail("references", pointing);
    let listed = pointing.iter().take(LISTED).cloned();
    let rest = pointing.len().saturating_sub(LISTED);
    let more = (rest > 0).then(|| format!("{rest} more are in the details"));
    let next = format!(
        "take them out with  link remove  and  relation remove, or mark it with  card status {key} deprecated"
    );
    listed.chain(more).chain([next]).fold(problem, Problem::hint)
}
