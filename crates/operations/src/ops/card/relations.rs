//! `card.relations`: the relations of a card to others, and of others to it.

use base::Result;
use base::entity::CardKey;
use base::words::counted;
use cards::CardRelationKind;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::find_card;
use super::list::keep_near;
use super::show::{RelatedCard, cells, related};
use engine::contract::alias::OpAlias;
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, NodeTarget, Offset};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, Render};
use engine::view::View;

/// List a card's relations to other cards
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Relations {
    /// Key, slug or file of the card
    pub key: NodeTarget,
    /// Relations that the card declares, that point to it, or both
    #[arg(long, default_value = "both")]
    #[serde(default)]
    pub direction: RelationSide,
    /// Only relations of this type
    #[arg(long)]
    #[serde(default)]
    pub r#type: Option<CardRelationKind>,
    /// Only relations to cards written in this file or folder, or linked from code there
    #[arg(long)]
    #[serde(default)]
    pub path: Option<NodeTarget>,
    /// Rows to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: Limit,
    /// Rows to skip
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub offset: Offset,
}

/// The direction of a card's relations.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum RelationSide {
    /// Relations that it declares
    Outgoing,
    /// Relations that others declare to it
    Incoming,
    /// Both
    #[default]
    Both,
}

/// A card's relations
#[derive(Debug, Serialize, JsonSchema)]
pub struct CardRelationsAnswer {
    /// The card
    pub key: CardKey,
    /// Its relations, its own first
    pub relations: Vec<CardRelationRow>,
    #[serde(skip)]
    paging: Paging,
}

/// One relation
#[derive(Debug, Serialize, JsonSchema)]
pub struct CardRelationRow {
    /// Whether the card declares it, or the other one
    pub direction: RelationSide,
    /// The relation and its other end
    #[serde(flatten)]
    pub related: RelatedCard,
}

impl Query for Relations {
    const NAME: &'static str = "card.relations";
    const ALIASES: &'static [OpAlias] =
        &[OpAlias::of("get_relations").renaming(&[("card_key", "key")])];
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "auth/login --direction incoming", shows: "which cards depend on it" }];
    type Answer = CardRelationsAnswer;

    fn run(self, view: &View) -> Result<CardRelationsAnswer> {
        let card = find_card(view, &self.key)?;
        let conn = view.index()?.conn();
        let mut rows = Vec::new();
        if self.direction != RelationSide::Incoming {
            for said in cards::relations_from(conn, card.key.as_str())? {
                let related = related(view, &said, &said.target)?;
                rows.push(CardRelationRow { direction: RelationSide::Outgoing, related });
            }
        }
        if self.direction != RelationSide::Outgoing {
            for said in cards::relations_to(conn, card.key.as_str())? {
                let related = related(view, &said, said.source.as_str())?;
                rows.push(CardRelationRow { direction: RelationSide::Incoming, related });
            }
        }
        rows.retain(|row| self.r#type.is_none_or(|kind| row.related.r#type == kind));
        if let Some(path) = &self.path {
            let mut near = cards::all_cards(conn)?;
            keep_near(view, path, &mut near)?;
            rows.retain(|row| near.iter().any(|card| card.key.as_str() == row.related.card));
        }
        let (relations, paging) = Paging::cut(rows, self.offset, self.limit);
        Ok(CardRelationsAnswer { key: card.key, relations, paging })
    }
}

impl Render for CardRelationsAnswer {
    fn render(&self, page: &mut Page) {
        page.answer(match self.paging.total {
            0 => format!("{} has no matching relations", self.key),
            total => format!("{}: {}", self.key, counted(total, "relation")),
        });
        let row = |row: &CardRelationRow| match row.direction {
            RelationSide::Incoming => cells(&format!("← {}", row.related.r#type), &row.related),
            _ => cells(row.related.r#type.word(), &row.related),
        };
        page.table(0, self.relations.iter().map(row).collect());
        self.paging.render_rest(page, self.relations.len());
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
