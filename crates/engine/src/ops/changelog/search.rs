//! `changelog.search`: the whole history of an atom or molecule.

use base::Result;
use base::words::counted;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::Ref;
use work::graph::changelog::{Change, of};
use work::graph::edit::find;
use work::words::Grain;

use crate::contract::alias::Alias;
use crate::contract::answer::Paging;
use crate::contract::args::Offset;
use crate::contract::op::{Example, Query};
use crate::contract::page::{Cell, Page, Render};
use crate::layers::work::look;
use crate::ops::graph::search::Few;
use crate::view::View;

/// Show the history of an atom or molecule, newest first
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// Atom or molecule whose changelog to show
    #[serde(alias = "parent_id", alias = "id")]
    pub parent: Ref,
    /// Whether the parent is an atom or a molecule
    #[arg(long)]
    #[serde(default, alias = "parent_type", alias = "entity_type")]
    #[schemars(extend("x-rare" = true))]
    pub kind: Option<Grain>,
    /// Rows to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: Few,
    /// Rows to skip
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub offset: Offset,
}

/// Entries, newest first
#[derive(Debug, Serialize, JsonSchema)]
pub struct Listed {
    /// The entries
    pub entries: Vec<Change>,
    #[serde(skip)]
    paging: Paging,
    #[serde(skip)]
    handle: String,
    #[serde(skip)]
    name: String,
}

impl Query for Search {
    const NAME: &'static str = "changelog.search";
    const ALIASES: &'static [Alias] = &[Alias::of("manage_changelog").when("operation", "search")];
    const EXAMPLES: &'static [Example] =
        &[Example { args: "atom:019b7d2f-1a2b", shows: "how it came to be what it is" }];
    type Answer = Listed;

    fn run(self, view: &View) -> Result<Listed> {
        look(view, |draft| {
            let parent = find(draft, self.kind, &self.parent)?;
            let (entries, paging) =
                Paging::cut(of(draft, parent.id())?, self.offset, self.limit.into());
            let name = format!("{} \"{}\"", parent.grain(), parent.name());
            Ok(Listed { entries, paging, handle: parent.handle(), name })
        })
    }
}

impl Render for Listed {
    fn render(&self, page: &mut Page) {
        page.answer(format!(
            "{} about {}    {}",
            counted(self.paging.total, "changelog entry"),
            self.name,
            self.handle
        ));
        let cells = |change: &Change| {
            let (at, summary) = (Cell::faint(&change.created_at), Cell::text(&change.summary));
            vec![at, summary, Cell::handle(change.task())]
        };
        page.table(2, self.entries.iter().map(cells).collect());
        self.paging.say_rest(page, self.entries.len());
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
