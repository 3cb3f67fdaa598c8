//! `card.unlinked`: cards that no code links.

use base::Result;
use base::words::counted;
use cards::{CardFilter, CardStatus};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::list::{CardListRow, keep_near, rows, table};
use engine::areas::cards::report_unsound_cards;
use engine::contract::alias::OpAlias;
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, NodeTarget, Offset, comma_list};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, Render};
use engine::view::View;

/// List cards that no code links
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Unlinked {
    /// Only cards in one of these statuses
    #[arg(long, value_delimiter = ',')]
    #[serde(default, deserialize_with = "comma_list")]
    pub status: Vec<CardStatus>,
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

/// Cards without code
#[derive(Debug, Serialize, JsonSchema)]
pub struct UnlinkedAnswer {
    /// The cards, by key
    pub cards: Vec<CardListRow>,
    #[serde(skip)]
    paging: Paging,
    #[serde(skip)]
    of: usize,
}

impl Query for Unlinked {
    const NAME: &'static str = "card.unlinked";
    const ALIASES: &'static [OpAlias] =
        &[OpAlias::of("list_unlinked").renaming(&[("status_filter", "status")])];
    const EXAMPLES: &'static [OpExample] = &[OpExample {
        args: "--status accepted,implementing",
        shows: "cards that are still to be implemented",
    }];
    type Answer = UnlinkedAnswer;

    fn run(self, view: &View) -> Result<UnlinkedAnswer> {
        let filter = CardFilter { statuses: self.status, ..CardFilter::default() };
        let mut all = cards::filtered_cards(view.index()?.conn(), &filter)?;
        if let Some(path) = &self.path {
            keep_near(view, path, &mut all)?;
        }
        let all = rows(view, all)?;
        let of = all.len();
        let lacking = all.into_iter().filter(|row| row.links == 0).collect();
        report_unsound_cards(view)?;
        let (cards, paging) = Paging::cut(lacking, self.offset, self.limit);
        Ok(UnlinkedAnswer { cards, paging, of })
    }
}

impl Render for UnlinkedAnswer {
    fn render(&self, page: &mut Page) {
        let of = counted(self.of as u64, "card");
        page.answer(match self.paging.total {
            0 => match self.of {
                1 => "The only card is linked from code".to_owned(),
                _ => format!("All of {of} are linked from code"),
            },
            total => format!(
                "{total} of {of} {} not linked from code",
                if total == 1 { "is" } else { "are" }
            ),
        });
        table(page, &self.cards);
        self.paging.render_rest(page, self.cards.len());
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
