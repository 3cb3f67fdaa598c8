//! `card.list`: cards, filtered by their fields.

use std::collections::BTreeSet;

use base::entity::CardKey;
use base::words::counted;
use base::{EntityRef, Problem, RepoPath, Result};
use cards::{CardFilter, CardRow, CardStatus};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use engine::areas::cards::report_unsound_cards;
use engine::areas::history::{HistoryReader, dates_of};
use engine::contract::alias::OpAlias;
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, NodeTarget, Offset, comma_list};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::graph;
use engine::index::tables::range_below;
use engine::view::View;

/// List cards by status, type, tags, subjects or text
///
/// Each with its number of links from code. `search` ranks cards by words.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct List {
    /// Only cards in one of these statuses
    #[arg(long, value_delimiter = ',')]
    #[serde(default, deserialize_with = "comma_list")]
    pub status: Vec<CardStatus>,
    /// Only cards of one of these types
    #[arg(long, value_delimiter = ',')]
    #[serde(default, deserialize_with = "comma_list")]
    pub r#type: Vec<String>,
    /// Only cards with all of these tags
    #[arg(long, value_delimiter = ',')]
    #[serde(default, deserialize_with = "comma_list")]
    pub tags: Vec<String>,
    /// Only cards with all of these subjects
    #[arg(long, value_delimiter = ',')]
    #[serde(default, deserialize_with = "comma_list")]
    pub subjects: Vec<String>,
    /// Only cards that contain this text
    #[arg(long)]
    #[serde(default)]
    pub text: Option<String>,
    /// Only cards in this file or folder, or linked from code there
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

/// Cards, by key
#[derive(Debug, Serialize, JsonSchema)]
pub struct CardListAnswer {
    /// The cards
    pub cards: Vec<CardListRow>,
    #[serde(skip)]
    paging: Paging,
}

/// One card
#[derive(Debug, Serialize, JsonSchema)]
pub struct CardListRow {
    /// Its handle
    pub key: CardKey,
    /// Its type
    pub r#type: String,
    /// Its status
    pub status: CardStatus,
    /// Its summary
    pub summary: String,
    /// Its tags
    pub tags: Vec<String>,
    /// Its file
    pub path: RepoPath,
    /// When it was last written
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
    /// How many places in the code link it
    pub links: u64,
}

impl Query for List {
    const NAME: &'static str = "card.list";
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("list_cards").lifting(&["filters"])];
    const EXAMPLES: &'static [OpExample] = &[
        OpExample {
            args: "--status accepted,implementing",
            shows: "cards that are agreed on but not implemented",
        },
        OpExample {
            args: "--tags auth --path src",
            shows: "cards about auth that code in src links",
        },
    ];
    type Answer = CardListAnswer;

    fn run(self, view: &View) -> Result<CardListAnswer> {
        refuse_unknown_types(view, &self.r#type)?;
        let filter = CardFilter {
            statuses: self.status,
            kinds: self.r#type,
            tags: self.tags,
            subjects: self.subjects,
        };
        let mut found = cards::filtered_cards(view.index()?.conn(), &filter)?;
        if let Some(text) = &self.text {
            let wanted = text.to_lowercase();
            found.retain(|card| contains_text(card, &wanted));
        }
        if let Some(path) = &self.path {
            keep_near(view, path, &mut found)?;
        }
        report_unsound_cards(view)?;
        let (found, paging) = Paging::cut(found, self.offset, self.limit);
        Ok(CardListAnswer { cards: rows(view, found)?, paging })
    }
}

/// Refuses a type that is neither registered nor used by a card.
fn refuse_unknown_types(view: &View, types: &[String]) -> Result<()> {
    let mut known: BTreeSet<String> =
        view.config().card_types.iter().map(ToString::to_string).collect();
    known.extend(cards::all_cards(view.index()?.conn())?.into_iter().map(|card| card.kind));
    match types.iter().find(|wanted| !known.contains(*wanted)) {
        None => Ok(()),
        Some(unknown) => {
            let known: Vec<String> = known.into_iter().collect();
            let message =
                format!("unknown card type `{unknown}`; the types are {}", known.join(", "));
            Err(Problem::invalid(message))
        }
    }
}

/// Cards as rows, with their links counted.
pub(super) fn rows(view: &View, cards: Vec<CardRow>) -> Result<Vec<CardListRow>> {
    let links = cards::see_tag_counts(view.index()?.conn())?;
    let history = HistoryReader::open_if_ready(view)?;
    let row = |card: CardRow| CardListRow {
        links: links.get(card.key.as_str()).copied().unwrap_or(0),
        updated_at: dates_of(view, history.as_ref(), &card.path)
            .ok()
            .flatten()
            .map(|dates| dates.updated_at),
        key: card.key,
        r#type: card.kind,
        status: card.status,
        summary: card.summary,
        tags: card.tags,
        path: card.path,
    };
    Ok(cards.into_iter().map(row).collect())
}

fn contains_text(card: &CardRow, wanted: &str) -> bool {
    let texts = [card.key.as_str(), &card.summary, &card.body];
    let all = texts.into_iter().chain(card.constraints.iter().map(String::as_str));
    all.into_iter().any(|text| text.to_lowercase().contains(wanted))
}

/// Keeps the cards that are written at or below a path, or linked from code there.
pub(super) fn keep_near(view: &View, path: &NodeTarget, found: &mut Vec<CardRow>) -> Result<()> {
    let conn = view.index()?.conn();
    let node = graph::resolve(view, path)?;
    let Some(place) = node.path() else { return Ok(()) };
    let sees = match &node {
        EntityRef::Dir(folder) => {
            let (low, high) = range_below(folder);
            cards::see_tags_below(conn, &low, &high)?
        }
        _ => cards::see_tags_in_file(conn, place)?,
    };
    let linked: BTreeSet<&str> = sees.iter().map(|see| see.key.as_str()).collect();
    let inside = |card: &CardRow| card.path == *place || card.path.is_at_or_below(place);
    found.retain(|card| linked.contains(card.key.as_str()) || inside(card));
    Ok(())
}

/// Rows of a table: status, key, summary, links.
pub(super) fn table(page: &mut Page, rows: &[CardListRow]) {
    let cells = |row: &CardListRow| {
        let links = match row.links {
            0 => "no link".to_owned(),
            links => counted(links, "link"),
        };
        let quoted = PageCell::text(format!("\"{}\"", row.summary));
        vec![PageCell::text(row.status), quoted, PageCell::faint(links), PageCell::handle(&row.key)]
    };
    page.table(0, rows.iter().map(cells).collect());
}

impl Render for CardListAnswer {
    fn render(&self, page: &mut Page) {
        page.answer(match self.paging.total {
            0 => "No matching cards".to_owned(),
            total => counted(total, "card"),
        });
        table(page, &self.cards);
        self.paging.render_rest(page, self.cards.len());
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
