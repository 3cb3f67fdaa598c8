//! `link.remove`: removes a link from code to a card.

use base::entity::CardKey;
use base::{Problem, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use syntax::edit::remove_doc_link;

use super::{edit_comment, edits_of, link_target, spec_link};
use crate::ops::card::{CardChangeAnswer, find_card};
use engine::areas::cards::{code_node, refuse_duplicate_key};
use engine::contract::args::NodeTarget;
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::plan::{Plan, PlannedChange};
use engine::spec_links::removed_confirmations;
use engine::view::View;

/// Remove a link to a card from a doc comment; reverses `link add` byte for byte
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Remove {
    /// File, or symbol as `path#name`
    #[serde(alias = "file_path", alias = "filePath")]
    pub target: NodeTarget,
    /// Key of the card, which need not exist
    #[serde(alias = "card_key", alias = "cardKey")]
    pub card: NodeTarget,
}

impl Mutation for Remove {
    const NAME: &'static str = "link.remove";
    const EFFECT: Effect = Effect::Write { destructive: true, idempotent: true };
    const EXAMPLES: &'static [OpExample] = &[OpExample {
        args: "src/auth.ts#handleCallback spec::auth/login",
        shows: "a function that no longer implements it",
    }];
    type Answer = CardChangeAnswer;

    fn plan(self, view: &View) -> Result<Plan<CardChangeAnswer>> {
        let target = link_target(view, &self.target)?;
        let sees = cards::see_tags_in_file(view.index()?.conn(), &target.path)?;
        let written = self.card.as_str().trim();
        let key: CardKey = match sees.iter().any(|see| see.key.as_str() == written) {
            true => written.parse().map_err(Problem::invalid)?,
            false => find_card(view, &self.card)?.key,
        };
        refuse_duplicate_key(view, &key)?;
        let elsewhere: Vec<String> = sees
            .iter()
            .filter(|see| see.key == key)
            .map(|see| code_node(see).to_string())
            .collect();
        if !elsewhere.contains(&target.node.to_string()) {
            let problem = Problem::not_found(format!("{} does not link {key}", target.node));
            return Err(elsewhere
                .iter()
                .map(|node| format!("it is linked at {node}"))
                .fold(problem, Problem::hint));
        }
        let said = format!("no longer linked at {}", target.node);
        let mut plan = edit_comment(view, &target, &key, said, |text| {
            remove_doc_link(target.language, text, target.place(), key.as_str())
        })?;
        let link = spec_link(&target.node, &key);
        let mut edits = edits_of(plan.change);
        edits.extend(removed_confirmations(view, |gone| *gone == link)?);
        plan.change = PlannedChange::Files(edits);
        Ok(plan)
    }
}
