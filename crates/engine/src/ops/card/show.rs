//! `card.show`: one card, whole.

use base::entity::CardKey;
use base::{EntityRef, Hash, RepoPath, Result};
use cards::{RelationKind, RelationRow, Status};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::named;
use crate::contract::args::Target;
use crate::contract::op::{Example, Query};
use crate::contract::page::{Cell, Page, Render};
use crate::layers::cards::code_node;
use crate::layers::history::updated_at;
use crate::view::View;

/// How many lines of text a page shows unless all are wanted.
const LINES: usize = 80;

/// Show one card: its fields, its text, its relations and the code that links it
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Show {
    /// Key, slug or file of the card
    #[serde(alias = "card_key")]
    pub key: Target,
    /// Show the whole text, however long it is
    #[arg(long)]
    #[serde(default)]
    pub full: bool,
}

/// One card
#[derive(Debug, Serialize, JsonSchema)]
pub struct Shown {
    /// Its handle
    pub key: CardKey,
    /// Its type
    pub r#type: String,
    /// What it is about
    pub summary: String,
    /// How far it has come
    pub status: Status,
    /// Words to find it by
    pub tags: Vec<String>,
    /// Broad categories
    pub subjects: Vec<String>,
    /// What must hold
    pub constraints: Vec<String>,
    /// What it says about other cards
    pub relations: Vec<Related>,
    /// What other cards say about it
    pub related_by: Vec<Related>,
    /// The code that links it
    pub links: Vec<Linked>,
    /// Other fields of its frontmatter
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
    /// Its text
    pub body: String,
    /// Its file
    pub path: RepoPath,
    /// When it was last written
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
    /// The hash of its file, for `if_hash`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<Hash>,
    #[serde(skip)]
    full: bool,
}

/// A relation, from the side of one card
#[derive(Debug, Serialize, JsonSchema)]
pub struct Related {
    /// How they are related
    pub r#type: RelationKind,
    /// The other card
    pub card: String,
    /// What the other card is about; absent if there is none
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// How far the other card has come
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
}

/// A place in the code that links a card
#[derive(Debug, Serialize, JsonSchema)]
pub struct Linked {
    /// The module or symbol
    pub node: EntityRef,
    /// The line of the tag
    pub line: u32,
}

impl Query for Show {
    const NAME: &'static str = "card.show";
    const EXAMPLES: &'static [Example] =
        &[Example { args: "spec::auth/login", shows: "one card with all that is related to it" }];
    type Answer = Shown;

    fn run(self, view: &View) -> Result<Shown> {
        let card = named(view, &self.key)?;
        let conn = view.index()?.conn();
        let from = cards::relations_from(conn, card.key.as_str())?;
        let to = cards::relations_to(conn, card.key.as_str())?;
        Ok(Shown {
            relations: from
                .iter()
                .map(|said| related(view, said, &said.target))
                .collect::<Result<_>>()?,
            related_by: to
                .iter()
                .map(|said| related(view, said, said.source.as_str()))
                .collect::<Result<_>>()?,
            links: links(view, &card.key)?,
            hash: view.tree().read(&card.path)?.map(|blob| blob.hash),
            key: card.key,
            r#type: card.kind,
            summary: card.summary,
            status: card.status,
            tags: card.tags,
            subjects: card.subjects,
            constraints: card.constraints,
            extra: card.extra,
            body: card.body,
            updated_at: updated_at(view, &card.path)?,
            path: card.path,
            full: self.full,
        })
    }
}

/// A relation with what is known of its other end.
pub(super) fn related(view: &View, said: &RelationRow, other: &str) -> Result<Related> {
    let card = cards::by_key(view.index()?.conn(), other)?;
    let status = card.as_ref().map(|card| card.status);
    let summary = card.map(|card| card.summary);
    Ok(Related { r#type: said.kind, card: other.to_owned(), summary, status })
}

/// The code that links a card.
pub(super) fn links(view: &View, key: &CardKey) -> Result<Vec<Linked>> {
    let sees = cards::sees_of(view.index()?.conn(), key.as_str())?;
    Ok(sees.iter().map(|see| Linked { node: code_node(see), line: see.line }).collect())
}

/// Cells of a relation.
pub(super) fn cells(word: &str, related: &Related) -> Vec<Cell> {
    let about = match (&related.summary, related.status) {
        (Some(summary), Some(status)) => Cell::text(format!("{status}  \"{summary}\"")),
        _ => Cell::bad("no such card"),
    };
    vec![Cell::text(word), about, Cell::handle(&related.card)]
}

impl Render for Shown {
    fn render(&self, page: &mut Page) {
        page.answer(format!("{}  {}  \"{}\"", self.key, self.status, self.summary));
        for (name, words) in [("tags", &self.tags), ("subjects", &self.subjects)] {
            if !words.is_empty() {
                page.item(name, words.join(", "));
            }
        }
        if let Some(at) = &self.updated_at {
            page.item("updated", at);
        }
        for (name, value) in &self.extra {
            page.item(name, value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        }
        if !self.constraints.is_empty() {
            page.heading("Constraints");
            page.quoted(&self.constraints.join("\n"), &self.path);
        }
        self.render_body(page);
        self.render_edges(page);
    }
}

impl Shown {
    fn render_body(&self, page: &mut Page) {
        let body = self.body.trim();
        let lines: Vec<&str> = body.lines().collect();
        let most = if self.full { lines.len() } else { LINES };
        if !body.is_empty() {
            page.heading("Text");
            page.quoted(&lines[..lines.len().min(most)].join("\n"), &self.path);
        }
        if lines.len() > most {
            let text = format!("…  {} more lines", lines.len() - most);
            page.say_call(text, page.asked().with("full", true));
        }
    }

    fn render_edges(&self, page: &mut Page) {
        if !self.relations.is_empty() || !self.related_by.is_empty() {
            page.heading("Relations");
            let out = self.relations.iter().map(|one| cells(one.r#type.word(), one));
            let back = self.related_by.iter().map(|one| cells(&format!("← {}", one.r#type), one));
            page.table(2, out.chain(back).collect());
        }
        page.heading(match self.links.len() {
            0 => "No code links it".to_owned(),
            _ => "Linked at".to_owned(),
        });
        let row = |link: &Linked| {
            vec![Cell::faint(format!("line {}", link.line)), Cell::handle(&link.node)]
        };
        page.table(2, self.links.iter().map(row).collect());
    }
}
