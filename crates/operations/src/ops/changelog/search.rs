//! `changelog.search`: the changelog of an atom or molecule.

use base::Result;
use base::words::counted;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::WorkRecordRef;
use work::knowledge::changelog::{ChangelogView, of};
use work::knowledge::edit::find;
use work::words::KnowledgeKind;

use crate::ops::knowledge::search::SearchLimit;
use engine::areas::work::read_store;
use engine::contract::alias::OpAlias;
use engine::contract::answer::Paging;
use engine::contract::args::Offset;
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::view::View;

/// Show the changelog of an atom or molecule, newest first
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// Atom or molecule whose changelog to show
    #[serde(alias = "parent_id", alias = "id")]
    pub parent: WorkRecordRef,
    /// Whether the parent is an atom or a molecule
    #[arg(long)]
    #[serde(default, alias = "parent_type", alias = "entity_type")]
    #[schemars(extend("x-rare" = true))]
    pub kind: Option<KnowledgeKind>,
    /// Rows to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: SearchLimit,
    /// Rows to skip
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub offset: Offset,
}

/// Entries, newest first
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChangelogSearchAnswer {
    /// The entries
    pub entries: Vec<ChangelogView>,
    #[serde(skip)]
    paging: Paging,
    #[serde(skip)]
    handle: String,
    #[serde(skip)]
    name: String,
}

impl Query for Search {
    const NAME: &'static str = "changelog.search";
    const ALIASES: &'static [OpAlias] =
        &[OpAlias::of("manage_changelog").when("operation", "search")];
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "atom:019b7d2f-1a2b", shows: "every recorded change of an atom" }];
    type Answer = ChangelogSearchAnswer;

    fn run(self, view: &View) -> Result<ChangelogSearchAnswer> {
        read_store(view, |draft| {
            let parent = find(draft, self.kind, &self.parent)?;
            let (entries, paging) =
                Paging::cut(of(draft, parent.id())?, self.offset, self.limit.into());
            let name = format!("{} \"{}\"", parent.grain(), parent.name());
            Ok(ChangelogSearchAnswer { entries, paging, handle: parent.handle(), name })
        })
    }
}

impl Render for ChangelogSearchAnswer {
    fn render(&self, page: &mut Page) {
        page.answer(format!(
            "{} about {}    {}",
            counted(self.paging.total, "changelog entry"),
            self.name,
            self.handle
        ));
        let cells = |change: &ChangelogView| {
            let (at, summary) =
                (PageCell::faint(&change.created_at), PageCell::text(&change.summary));
            vec![at, summary, PageCell::handle(change.task())]
        };
        page.table(2, self.entries.iter().map(cells).collect());
        self.paging.render_rest(page, self.entries.len());
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
