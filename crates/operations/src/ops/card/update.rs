//! `card.update`: changes fields or the text of a card.

use std::str::FromStr;

use base::entity::CardKey;
use base::{Hash, NextCall, Problem, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{CardChangeAnswer, edit, find_card};
use engine::contract::args::{NodeTarget, Words};
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::plan::Plan;
use engine::view::View;

/// Change fields or the text of a card; every other byte of its file stays
///
/// A list replaces the list, null removes a field. Tags and subjects may also be a string with
/// commas. `card rename` changes key and type.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Update {
    /// Key, slug or file of the card
    pub key: NodeTarget,
    /// Fields and their new values, as JSON: any but key and type
    #[arg(long)]
    #[serde(default)]
    pub fields: Option<CardFields>,
    /// New summary, in one line
    #[arg(long)]
    #[serde(default)]
    pub summary: Option<Words>,
    /// New text of the card, after its frontmatter
    #[arg(long)]
    #[serde(default)]
    pub body: Option<String>,
    /// Only if the file has this hash
    #[arg(long)]
    #[serde(default)]
    pub if_hash: Option<Hash>,
}

/// Fields by name.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct CardFields(Map<String, Value>);

impl FromStr for CardFields {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| format!("not a JSON object: {error}"))
    }
}

impl Mutation for Update {
    const NAME: &'static str = "card.update";
    const EFFECT: Effect = Effect::OVERWRITES;
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "auth/login --summary OAuth", shows: "a new summary" }];
    type Answer = CardChangeAnswer;

    fn plan(self, view: &View) -> Result<Plan<CardChangeAnswer>> {
        let card = find_card(view, &self.key)?;
        let CardFields(mut fields) = self.fields.unwrap_or_default();
        if let Some(summary) = self.summary {
            fields.insert("summary".into(), json!(summary.as_str().trim()));
        }
        let body = match (self.body, fields.remove("body")) {
            (Some(body), _) | (None, Some(Value::String(body))) => Some(body),
            (None, None) => None,
            (None, Some(_)) => return Err(Problem::invalid("`body` must be a string")),
        };
        refuse_fixed(&fields)?;
        split_text_lists(&mut fields);
        refuse_missing(view, &card.key, &fields)?;
        let mut names: Vec<&str> = fields.keys().map(String::as_str).collect();
        names.extend(body.as_ref().map(|_| "body"));
        if names.is_empty() {
            return Err(Problem::invalid("no field to change was given"));
        }
        let said = format!("{} updated", names.join(", "));
        let change = |text: &str| cards::update_fields(text, &fields, body.as_deref());
        edit(view, &card, self.if_hash, said, change)
    }
}

/// Turns a string into the list that it stands for: words separated by commas, or one constraint.
fn split_text_lists(fields: &mut Map<String, Value>) {
    for (name, is_split) in [("tags", true), ("subjects", true), ("constraints", false)] {
        let Some(Value::String(text)) = fields.get(name) else { continue };
        let items: Vec<&str> = match is_split {
            true => text.split(',').collect(),
            false => vec![text],
        };
        let items = items.into_iter().map(str::trim).filter(|item| !item.is_empty());
        let items: Vec<Value> = items.map(Value::from).collect();
        fields.insert(name.into(), items.into());
    }
}

/// Refuses relations to cards that do not exist, as `relation add` does.
fn refuse_missing(view: &View, key: &CardKey, fields: &Map<String, Value>) -> Result<()> {
    let Some(Value::Array(relations)) = fields.get("relations") else { return Ok(()) };
    let conn = view.index()?.conn();
    for target in relations.iter().filter_map(|relation| relation["target"].as_str()) {
        if target == key.as_str() {
            return Err(Problem::invalid(format!("{key} cannot have a relation to itself")));
        }
        if cards::has_key(conn, target)? {
            continue;
        }
        let keys = cards::all_keys(conn)?;
        let problem = Problem::not_found(format!("no card has the key `{target}`"));
        return Err(problem.hint_near(target, keys.iter().map(CardKey::as_str)));
    }
    Ok(())
}

fn refuse_fixed(fields: &Map<String, Value>) -> Result<()> {
    match ["key", "type"].into_iter().find(|name| fields.contains_key(*name)) {
        None => Ok(()),
        Some(name) => Err(Problem::invalid(format!("`card update` cannot change `{name}`"))
            .hint_call(
                "other files refer to the card by its key; rename it everywhere with",
                NextCall::new("card.rename"),
            )),
    }
}
