//! `card.create`: a new card.

use base::entity::CardKey;
use base::{Hint, Problem, RepoPath, Result};
use cards::{CardStatus, NewCard};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tree::FileEdit;

use super::{
    CardChangeAnswer, link_call, path_for_new_card, refuse_taken_key, refuse_unregistered,
};
use engine::contract::alias::OpAlias;
use engine::contract::args::{Words, comma_list, one_or_many};
use engine::contract::op::{Effect, FieldPrompt, Mutation, OpExample};
use engine::plan::{Plan, PlannedChange};
use engine::view::View;

/// Create a card with status draft: a spec as a file under `.cairn/cards`
///
/// On a terminal, it asks for fields that are missing.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Create {
    /// Key, such as `spec::auth/login`; with a type, `auth/login` is enough
    pub key: Words,
    /// Summary of the card, in one line
    #[arg(long, required = true)]
    pub summary: Words,
    /// Type of the card; taken from the key if left out
    #[arg(long)]
    #[serde(default)]
    pub r#type: Option<String>,
    /// Tags to find it by
    #[arg(long, value_delimiter = ',')]
    #[serde(default, deserialize_with = "comma_list")]
    pub tags: Vec<String>,
    /// Broad categories that it belongs to
    #[arg(long, value_delimiter = ',')]
    #[schemars(extend("x-rare" = true))]
    #[serde(default, deserialize_with = "comma_list")]
    pub subjects: Vec<String>,
    /// Rules that must hold, each in one line
    #[arg(long)]
    #[serde(default, deserialize_with = "one_or_many")]
    pub constraints: Vec<String>,
    /// Text of the card, as Markdown; taken from `.cairn/templates/<type>.md` if left out
    #[arg(long)]
    #[serde(default)]
    pub body: Option<String>,
}

impl Mutation for Create {
    const NAME: &'static str = "card.create";
    const EFFECT: Effect = Effect::ADDS;
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("card_add")];
    const EXAMPLES: &'static [OpExample] = &[OpExample {
        args: "spec::auth/login --summary \"OAuth login\" --tags auth",
        shows: "a draft with one tag",
    }];
    const PROMPTS: &'static [FieldPrompt] = &[
        FieldPrompt { field: "key", question: "Key, such as spec::auth/login" },
        FieldPrompt { field: "summary", question: "Summary, in one line" },
        FieldPrompt { field: "tags", question: "Tags, with commas between them (none)" },
        FieldPrompt {
            field: "body",
            question: "The spec in one line; write more in the file (none)",
        },
    ];
    type Answer = CardChangeAnswer;

    fn plan(self, view: &View) -> Result<Plan<CardChangeAnswer>> {
        let key =
            cards::parse_new_key(self.key.as_str(), self.r#type.as_deref()).map_err(|why| {
                Problem::invalid(why).hint("write a key as TYPE::SLUG, with a registered type")
            })?;
        refuse_unregistered(view, &key)?;
        refuse_taken_key(view, &key, None)?;
        let path = path_for_new_card(view, &key)?;
        let text = cards::render_new_card(&NewCard {
            key: &key,
            summary: self.summary.as_str().trim(),
            status: CardStatus::Draft,
            lists: [
                ("tags", &self.tags),
                ("subjects", &self.subjects),
                ("constraints", &self.constraints),
            ],
            relations: &[],
            body: &self.body.clone().map_or_else(|| template(view, &key), Ok)?,
        })
        .map_err(|fault| Problem::invalid(fault.message))?;
        let edit = FileEdit { path: path.clone(), expected: None, content: Some(text.into()) };
        let summary = format!("{key}: created");
        let next = Hint::call("to link the code that implements it:", link_call(&key, "…"));
        let answer = CardChangeAnswer { key, path, said: "created".into(), notes: vec![next] };
        Ok(Plan {
            summary,
            change: PlannedChange::Files(vec![edit]),
            answer,
            retry_on_conflict: true,
        })
    }
}

/// The text of a new card of a type: what `.cairn/templates/<type>.md` has, if there is such a file.
fn template(view: &View, key: &CardKey) -> Result<String> {
    let path = format!(".cairn/templates/{}.md", cards::key_kind(key));
    let path: RepoPath = path.parse().map_err(Problem::internal)?;
    let file = view.tree().read(&path)?;
    Ok(file.map(|file| String::from_utf8_lossy(&file.bytes).into_owned()).unwrap_or_default())
}
