//! `card.diff`: how a card changed since a commit.

use base::entity::CardKey;
use base::words::counted;
use base::{ProblemCode, RepoPath, Result};
use cards::Card;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use similar::TextDiff;

use super::{find_card, read_current};
use engine::contract::args::{NodeTarget, Words};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::view::View;

/// The largest card of an older commit that is read, in bytes.
const MAX_CARD_BYTES: u64 = 1024 * 1024;

/// Show how a card changed since a commit: its fields, and its text as a diff
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Diff {
    /// Key, slug or file of the card
    #[serde(alias = "card_key")]
    pub key: NodeTarget,
    /// Commit, branch or tag to compare with; HEAD if left out
    #[arg(long)]
    #[serde(default)]
    pub since: Option<Words>,
}

/// How a card changed
#[derive(Debug, Serialize, JsonSchema)]
pub struct CardDiffAnswer {
    /// The card
    pub key: CardKey,
    /// Its file
    pub path: RepoPath,
    /// What it is compared with
    pub since: String,
    /// Whether the card did not exist then
    pub is_new: bool,
    /// Fields that changed
    pub fields: Vec<ChangedCardField>,
    /// The change of its text; absent if it is the same
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A field that changed
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChangedCardField {
    /// Its name
    pub name: &'static str,
    /// Its value before; null if it was missing
    pub before: Value,
    /// What it is
    pub after: Value,
}

impl Query for Diff {
    const NAME: &'static str = "card.diff";
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "auth/login", shows: "what is not committed yet" },
        OpExample {
            args: "auth/login --since v1.0",
            shows: "how the spec changed since a release",
        },
    ];
    type Answer = CardDiffAnswer;

    fn run(self, view: &View) -> Result<CardDiffAnswer> {
        let card = find_card(view, &self.key)?;
        let since = self.since.as_ref().map_or("HEAD", Words::as_str).to_owned();
        let before = older_text(view, &card.path, &since)?;
        let now = read_current(view, &card.path)?.text;
        let old = before.as_deref().and_then(|text| cards::parse_card(text.as_bytes()).0);
        let new = cards::parse_card(now.as_bytes()).0;
        let text = text_diff(old.as_ref(), new.as_ref());
        Ok(CardDiffAnswer {
            key: card.key,
            path: card.path,
            since,
            is_new: before.is_none(),
            fields: changed_fields(old.as_ref(), new.as_ref()),
            text,
        })
    }
}

fn older_text(view: &View, path: &RepoPath, since: &str) -> Result<Option<String>> {
    let Some(git) = view.git() else { return Ok(None) };
    match git.repo().show(view.call(), since, path, MAX_CARD_BYTES) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(problem) if problem.code == ProblemCode::NotFound && !is_unknown(view, since) => {
            Ok(None)
        }
        Err(problem) => Err(problem),
    }
}

fn is_unknown(view: &View, revision: &str) -> bool {
    view.git().is_none_or(|git| git.repo().resolve(view.call(), revision).is_err())
}

fn changed_fields(old: Option<&Card>, new: Option<&Card>) -> Vec<ChangedCardField> {
    let fields = |card: &Card| -> [(&'static str, Value); 8] {
        let relations: Vec<String> =
            card.relations.iter().map(|one| format!("{} {}", one.kind, one.target)).collect();
        [
            ("key", json!(card.key)),
            ("summary", json!(card.summary)),
            ("status", json!(card.status)),
            ("tags", json!(card.tags)),
            ("subjects", json!(card.subjects)),
            ("constraints", json!(card.constraints)),
            ("relations", json!(relations)),
            ("other fields", json!(card.extra)),
        ]
    };
    let (Some(old), Some(new)) = (old, new) else { return Vec::new() };
    let pairs = fields(old).into_iter().zip(fields(new));
    let changed = pairs.filter(|((_, before), (_, after))| before != after);
    changed.map(|((name, before), (_, after))| ChangedCardField { name, before, after }).collect()
}

fn text_diff(old: Option<&Card>, new: Option<&Card>) -> Option<String> {
    let (old, new) = (old?, new?);
    let diff = TextDiff::from_lines(&old.body, &new.body);
    (old.body != new.body).then(|| diff.unified_diff().context_radius(2).to_string())
}

impl Render for CardDiffAnswer {
    fn render(&self, page: &mut Page) {
        let Self { key, since, .. } = self;
        if self.is_new {
            return page.answer(format!("{key} is not in {since}"));
        }
        page.answer(match (self.fields.len(), &self.text) {
            (0, None) => format!("{key} is unchanged since {since}"),
            (0, Some(_)) => format!("{key}: its text changed since {since}"),
            (fields, text) => {
                let text = if text.is_some() { " and its text" } else { "" };
                format!("{key}: {}{text} changed since {since}", counted(fields as u64, "field"))
            }
        });
        let plain = |value: &Value| match value {
            Value::String(text) => text.clone(),
            Value::Array(items) => {
                let items = items.iter().map(|item| item.as_str().unwrap_or_default().to_owned());
                items.collect::<Vec<_>>().join(", ")
            }
            other => other.to_string(),
        };
        let row = |field: &ChangedCardField| {
            let change = format!("{} → {}", plain(&field.before), plain(&field.after));
            vec![PageCell::text(field.name), PageCell::text(change)]
        };
        page.table(2, self.fields.iter().map(row).collect());
        if let Some(text) = &self.text {
            page.diff(text);
        }
    }
}
