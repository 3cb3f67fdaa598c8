//! `card.show`: one card with all its fields, text, relations and links.

use base::entity::CardKey;
use base::{EntityRef, Hash, RepoPath, Result};
use cards::{CardRelationKind, CardStatus, StoredCardRelation};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::find_card;
use engine::areas::cards::code_node;
use engine::areas::history::updated_at;
use engine::contract::args::NodeTarget;
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::spec_links::{LinkState, SpecLink, SpecLinkKind, spec_links};
use engine::view::View;

/// How many lines of text a page shows unless `full` is given.
const MAX_BODY_LINES: usize = 80;

/// Show one card: its fields, its text, its relations and the code that links it
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Show {
    /// Key, slug or file of the card
    #[serde(alias = "card_key")]
    pub key: NodeTarget,
    /// Show the whole text, however long it is
    #[arg(long)]
    #[serde(default)]
    pub full: bool,
}

/// One card
#[derive(Debug, Serialize, JsonSchema)]
pub struct CardShowAnswer {
    /// Its handle
    pub key: CardKey,
    /// Its type
    pub r#type: String,
    /// Its summary
    pub summary: String,
    /// Its status
    pub status: CardStatus,
    /// Its tags
    pub tags: Vec<String>,
    /// Broad categories
    pub subjects: Vec<String>,
    /// Its constraints
    pub constraints: Vec<String>,
    /// Relations that it declares
    pub relations: Vec<RelatedCard>,
    /// Relations of other cards to it
    pub related_by: Vec<RelatedCard>,
    /// The code that links it
    pub links: Vec<CardLink>,
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

/// A relation, seen from one card
#[derive(Debug, Serialize, JsonSchema)]
pub struct RelatedCard {
    /// Its type
    pub r#type: CardRelationKind,
    /// The other card
    pub card: String,
    /// Summary of the other card; absent if that does not exist
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Status of the other card
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<CardStatus>,
}

/// A place in the code that links a card
#[derive(Debug, Serialize, JsonSchema)]
pub struct CardLink {
    /// The module or symbol
    pub node: EntityRef,
    /// The line of the tag
    pub line: u32,
    /// Whether somebody confirmed that they agree
    pub state: LinkState,
}

impl CardLink {
    /// A table of links; their states are shown once somebody has confirmed one.
    pub(super) fn table(page: &mut Page, links: &[Self]) {
        let has_states = links.iter().any(|link| link.state != LinkState::Unconfirmed);
        page.table(2, links.iter().map(|link| link.cells(has_states)).collect());
    }

    fn cells(&self, has_states: bool) -> Vec<PageCell> {
        let line = PageCell::faint(format!("line {}", self.line));
        if !has_states {
            return vec![line, PageCell::handle(&self.node)];
        }
        let state = match self.state {
            LinkState::Suspect => PageCell::bad("suspect"),
            state => PageCell::faint(state.word()),
        };
        vec![line, state, PageCell::handle(&self.node)]
    }
}

impl Query for Show {
    const NAME: &'static str = "card.show";
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "spec::auth/login", shows: "one card with its relations and links" }];
    type Answer = CardShowAnswer;

    fn run(self, view: &View) -> Result<CardShowAnswer> {
        let card = find_card(view, &self.key)?;
        let conn = view.index()?.conn();
        let from = cards::relations_from(conn, card.key.as_str())?;
        let to = cards::relations_to(conn, card.key.as_str())?;
        Ok(CardShowAnswer {
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

/// A relation with the summary and status of its other end.
pub(super) fn related(view: &View, said: &StoredCardRelation, other: &str) -> Result<RelatedCard> {
    let card = cards::card_by_key(view.index()?.conn(), other)?;
    let status = card.as_ref().map(|card| card.status);
    let summary = card.map(|card| card.summary);
    Ok(RelatedCard { r#type: said.kind, card: other.to_owned(), summary, status })
}

/// The code that links a card.
pub(super) fn links(view: &View, key: &CardKey) -> Result<Vec<CardLink>> {
    let sees = cards::see_tags_of_key(view.index()?.conn(), key.as_str())?;
    let known = spec_links(view)?;
    let link = |see: &cards::SeeTagRow| {
        let (node, to) = (code_node(see), EntityRef::Card(key.clone()));
        let link = SpecLink { kind: SpecLinkKind::See, from: node.clone(), to };
        Ok(CardLink { node, line: see.line, state: known.status(view, &link)?.state })
    };
    sees.iter().map(link).collect()
}

/// Cells of a relation.
pub(super) fn cells(word: &str, related: &RelatedCard) -> Vec<PageCell> {
    let about = match (&related.summary, related.status) {
        (Some(summary), Some(status)) => PageCell::text(format!("{status}  \"{summary}\"")),
        _ => PageCell::bad("no such card"),
    };
    vec![PageCell::text(word), about, PageCell::handle(&related.card)]
}

impl Render for CardShowAnswer {
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

impl CardShowAnswer {
    fn render_body(&self, page: &mut Page) {
        let body = self.body.trim();
        let lines: Vec<&str> = body.lines().collect();
        let most = if self.full { lines.len() } else { MAX_BODY_LINES };
        if !body.is_empty() {
            page.heading("Text");
            page.quoted(&lines[..lines.len().min(most)].join("\n"), &self.path);
        }
        if lines.len() > most {
            let text = format!("…  {} more lines", lines.len() - most);
            page.say_call(text, page.answered_call().with("full", true));
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
        CardLink::table(page, &self.links);
    }
}
