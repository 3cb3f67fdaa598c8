//! `card.update`: other values in a card's fields, or another text.

use std::str::FromStr;

use base::{Hash, NextCall, Problem, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Done, edit, named};
use crate::contract::args::{Target, Words};
use crate::contract::op::{Effect, Example, Mutation};
use crate::plan::Plan;
use crate::view::View;

/// Change fields or the text of a card; every other byte of its file stays
///
/// A list replaces the list, null takes a field out. Key and type change with `card rename`.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Update {
    /// Key, slug or file of the card
    pub key: Target,
    /// Fields and their new values, as JSON: any but key and type
    #[arg(long)]
    #[serde(default)]
    pub fields: Option<Fields>,
    /// What it is about
    #[arg(long)]
    #[serde(default)]
    pub summary: Option<Words>,
    /// The text after the frontmatter
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
pub struct Fields(Map<String, Value>);

impl FromStr for Fields {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| format!("not a JSON object: {error}"))
    }
}

impl Mutation for Update {
    const NAME: &'static str = "card.update";
    const EFFECT: Effect = Effect::OVERWRITES;
    const EXAMPLES: &'static [Example] =
        &[Example { args: "auth/login --summary OAuth", shows: "another summary" }];
    type Answer = Done;

    fn plan(self, view: &View) -> Result<Plan<Done>> {
        let card = named(view, &self.key)?;
        let Fields(mut fields) = self.fields.unwrap_or_default();
        if let Some(summary) = self.summary {
            fields.insert("summary".into(), json!(summary.as_str().trim()));
        }
        let body = match (self.body, fields.remove("body")) {
            (Some(body), _) | (None, Some(Value::String(body))) => Some(body),
            (None, None) => None,
            (None, Some(_)) => return Err(Problem::invalid("`body` is a text")),
        };
        refuse_fixed(&fields)?;
        let mut names: Vec<&str> = fields.keys().map(String::as_str).collect();
        names.extend(body.as_ref().map(|_| "body"));
        if names.is_empty() {
            return Err(Problem::invalid("nothing to change was named"));
        }
        let said = format!("{} updated", names.join(", "));
        let change = |text: &str| cards::update(text, &fields, body.as_deref());
        edit(view, &card, self.if_hash, (said, change))
    }
}

fn refuse_fixed(fields: &Map<String, Value>) -> Result<()> {
    match ["key", "type"].into_iter().find(|name| fields.contains_key(*name)) {
        None => Ok(()),
        Some(name) => Err(Problem::invalid(format!("`{name}` is not changed by an update"))
            .hint_call(
                "other files name the card by its key; change both with",
                NextCall::to("card.rename"),
            )),
    }
}
