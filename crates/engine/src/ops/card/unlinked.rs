//! `card.unlinked`: cards that no code links.

use base::Result;
use cards::{Filter, Status};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::count;
use super::list::{Row, keep_near, rows, table};
use crate::contract::alias::Alias;
use crate::contract::answer::Paging;
use crate::contract::args::{Limit, Offset, Target, comma_list};
use crate::contract::op::{Example, Query};
use crate::contract::page::{Page, Render};
use crate::layers::cards::doubt_unsound;
use crate::view::View;

/// List cards that no code links
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Unlinked {
    /// Only cards in one of these statuses
    #[arg(long, value_delimiter = ',')]
    #[serde(default, deserialize_with = "comma_list")]
    pub status: Vec<Status>,
    /// Only cards written in this file or folder, or linked from code there
    #[arg(long)]
    #[serde(default)]
    pub path: Option<Target>,
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
pub struct Lacking {
    /// The cards, by key
    pub cards: Vec<Row>,
    #[serde(skip)]
    paging: Paging,
    #[serde(skip)]
    of: usize,
}

impl Query for Unlinked {
    const NAME: &'static str = "card.unlinked";
    const ALIASES: &'static [Alias] =
        &[Alias::of("list_unlinked").renaming(&[("status_filter", "status")])];
    const EXAMPLES: &'static [Example] =
        &[Example { args: "--status accepted,implementing", shows: "what is still to be built" }];
    type Answer = Lacking;

    fn run(self, view: &View) -> Result<Lacking> {
        let filter = Filter { statuses: self.status, ..Filter::default() };
        let mut all = cards::list(view.index()?.conn(), &filter)?;
        if let Some(path) = &self.path {
            keep_near(view, path, &mut all)?;
        }
        let all = rows(view, all)?;
        let of = all.len();
        let lacking = all.into_iter().filter(|row| row.links == 0).collect();
        doubt_unsound(view)?;
        let (cards, paging) = Paging::cut(lacking, self.offset, self.limit);
        Ok(Lacking { cards, paging, of })
    }
}

impl Render for Lacking {
    fn render(&self, page: &mut Page) {
        let of = count(self.of as u64, "card");
        page.answer(match self.paging.total {
            0 => format!("None of {of} lacks a link from code"),
            total => format!(
                "{total} of {of} {} linked from no code",
                if total == 1 { "is" } else { "are" }
            ),
        });
        table(page, &self.cards);
        self.paging.say_rest(page, self.cards.len());
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
