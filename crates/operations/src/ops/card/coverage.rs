//! `card.coverage`: whether cards have the linked code that their status requires.

use std::collections::BTreeMap;

use base::Result;
use base::entity::CardKey;
use base::words::counted;
use cards::CardStatus;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::find_card;
use super::list::keep_near;
use super::show::{CardLink, links};
use engine::areas::cards::report_unsound_cards;
use engine::contract::alias::OpAlias;
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, NodeTarget, Offset};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::spec_links::LinkState;
use engine::view::View;

/// Show which cards are linked from code, and which should be
///
/// One card with the places that link it, or all of them, worst first.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Coverage {
    /// Key, slug or file of one card; all if left out
    #[serde(default)]
    pub key: Option<NodeTarget>,
    /// Only cards written in this file or folder, or linked from code there
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

/// Cards with and without links from code
#[derive(Debug, Serialize, JsonSchema)]
pub struct CoverageAnswer {
    /// Cards by status: how many are linked, and how many there are
    pub statuses: BTreeMap<&'static str, CoverageCount>,
    /// How many links are suspect
    pub suspect: usize,
    /// The cards, worst first
    pub cards: Vec<CoverageRow>,
    #[serde(skip)]
    paging: Paging,
}

/// How many of some cards are linked
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct CoverageCount {
    /// How many are linked from code
    pub linked: u64,
    /// How many there are
    pub total: u64,
}

/// One card
#[derive(Debug, Serialize, JsonSchema)]
pub struct CoverageRow {
    /// Its handle
    pub key: CardKey,
    /// Its status
    pub status: CardStatus,
    /// Whether it has the links that its status requires
    pub verdict: CoverageVerdict,
    /// The verdict as text
    pub says: &'static str,
    /// How many of its links are suspect
    pub suspect: usize,
    /// The places that link it
    pub links: Vec<CardLink>,
}

/// Whether a card has the links that its status requires, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CoverageVerdict {
    /// A required link is missing
    Error,
    /// A link will be required later
    Warning,
    /// It is linked, or no link is required
    Fine,
}

impl Query for Coverage {
    const NAME: &'static str = "card.coverage";
    const ALIASES: &'static [OpAlias] =
        &[OpAlias::of("coverage_report").renaming(&[("card_key", "key")])];
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "auth/login", shows: "the code that links one card" }];
    type Answer = CoverageAnswer;

    fn run(self, view: &View) -> Result<CoverageAnswer> {
        let mut all = match &self.key {
            Some(key) => vec![find_card(view, key)?],
            None => cards::all_cards(view.index()?.conn())?,
        };
        if let Some(path) = &self.path {
            keep_near(view, path, &mut all)?;
        }
        let mut statuses: BTreeMap<&'static str, CoverageCount> = BTreeMap::new();
        let mut rows = Vec::new();
        for card in all {
            let links = links(view, &card.key)?;
            let share = statuses.entry(card.status.word()).or_default();
            share.total += 1;
            share.linked += u64::from(!links.is_empty());
            let suspect = links.iter().filter(|link| link.state == LinkState::Suspect).count();
            let (verdict, says) = judge(card.status, !links.is_empty(), suspect > 0);
            let (key, status) = (card.key, card.status);
            rows.push(CoverageRow { key, status, verdict, says, suspect, links });
        }
        rows.sort_by(|a, b| a.verdict.cmp(&b.verdict).then_with(|| a.key.cmp(&b.key)));
        if self.key.is_none() {
            report_unsound_cards(view)?;
        }
        let suspect = rows.iter().map(|row| row.suspect).sum();
        let (cards, paging) = Paging::cut(rows, self.offset, self.limit);
        Ok(CoverageAnswer { statuses, suspect, cards, paging })
    }
}

/// The verdict on a card, by its status and links.
fn judge(status: CardStatus, is_linked: bool, is_suspect: bool) -> (CoverageVerdict, &'static str) {
    match (status, is_linked) {
        (CardStatus::Implemented, true) if is_suspect => {
            (CoverageVerdict::Error, "linked, but changed since it was confirmed")
        }
        (CardStatus::Accepted | CardStatus::Implementing, true) if is_suspect => {
            (CoverageVerdict::Warning, "linked, but changed since it was confirmed")
        }
        (CardStatus::Accepted, false) => {
            (CoverageVerdict::Warning, "accepted, but no code links it")
        }
        (CardStatus::Implementing, false) => {
            (CoverageVerdict::Warning, "in progress, but no code links it")
        }
        (CardStatus::Implemented, false) => {
            (CoverageVerdict::Error, "marked implemented, but no code links it")
        }
        (_, true) => (CoverageVerdict::Fine, "linked"),
        (CardStatus::Draft | CardStatus::Deprecated, false) => {
            (CoverageVerdict::Fine, "not linked; no link is required")
        }
    }
}

impl Render for CoverageAnswer {
    fn render(&self, page: &mut Page) {
        let (linked, total) = self
            .statuses
            .values()
            .fold((0, 0), |sum, share| (sum.0 + share.linked, sum.1 + share.total));
        match self.cards.as_slice() {
            [] => page.answer("No cards"),
            [only] if total == 1 => {
                let places = counted(only.links.len() as u64, "place");
                page.answer(format!("{}: {}, {} ({places})", only.key, only.status, only.says));
                CardLink::table(page, &only.links);
                return;
            }
            _ => {
                let suspect = match self.suspect {
                    0 => String::new(),
                    suspect => format!("; {} suspect", counted(suspect as u64, "link")),
                };
                let cards = counted(total, "card");
                page.answer(format!("{linked} of {cards} are linked from code{suspect}"));
            }
        }
        let share = |(status, share): (&&str, &CoverageCount)| {
            format!("{status} {} of {}", share.linked, share.total)
        };
        page.say(self.statuses.iter().map(share).collect::<Vec<_>>().join(", "));
        let row = |row: &CoverageRow| {
            let says = match row.verdict {
                CoverageVerdict::Fine => PageCell::faint(row.says),
                _ => PageCell::bad(row.says),
            };
            let links = match row.suspect {
                0 => counted(row.links.len() as u64, "link"),
                suspect => {
                    format!("{}, {suspect} suspect", counted(row.links.len() as u64, "link"))
                }
            };
            vec![
                PageCell::text(row.status),
                says,
                PageCell::faint(links),
                PageCell::handle(&row.key),
            ]
        };
        page.table(0, self.cards.iter().map(row).collect());
        self.paging.render_rest(page, self.cards.len());
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
