//! `work.dependencies`: what a feature or task hangs together with, both ways.

use base::Result;
use base::words::counted;
use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::container::Brief;
use work::depend::{Tie, ties};
use work::words::{Kind, Relation, Status};
use work::{Container, Ref};

use crate::contract::alias::Alias;
use crate::contract::op::{Example, Query};
use crate::contract::page::{Page, Render};
use crate::layers::work::look;
use crate::view::View;

/// Show what a feature or task waits for, what waits for it, and what relates to it
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dependencies {
    /// Id, its first digits, a name or a handle
    #[serde(alias = "task_id", alias = "container_id")]
    pub id: Ref,
    /// Whether the id is of a feature or a task
    #[arg(long)]
    #[serde(default, alias = "container_type")]
    #[schemars(extend("x-rare" = true))]
    pub kind: Option<Kind>,
    /// What it waits for, what waits for it, or both
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    pub direction: TieDirection,
    /// Only this relation: BLOCKS or `RELATES_TO`
    #[arg(long)]
    #[serde(default, alias = "type")]
    pub relation: Option<Relation>,
}

/// Which dependencies of a feature or task are shown.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum TieDirection {
    /// What it waits for
    #[serde(alias = "incoming")]
    #[value(alias = "incoming")]
    Dependencies,
    /// What waits for it
    #[serde(alias = "outgoing")]
    #[value(alias = "outgoing")]
    Dependents,
    /// Both
    #[default]
    #[serde(alias = "both")]
    #[value(alias = "both")]
    All,
}

/// What something hangs together with
#[derive(Debug, Serialize, JsonSchema)]
pub struct Tied {
    /// What was asked about
    #[serde(flatten)]
    pub what: Brief,
    /// The relations
    pub dependencies: Vec<Tie>,
}

impl Query for Dependencies {
    const NAME: &'static str = "work.dependencies";
    const ALIASES: &'static [Alias] = &[
        Alias::of("query_dependencies").when("operation", "get"),
        Alias::of("query_dependencies").when("operation", "search"),
        Alias::of("query_dependencies"),
    ];
    const EXAMPLES: &'static [Example] =
        &[Example { args: "task:019b7d2f-1a2b", shows: "what it waits for and what waits for it" }];
    type Answer = Tied;

    fn run(self, view: &View) -> Result<Tied> {
        look(view, |draft| {
            let kinds = self.kind.map_or(vec![Kind::Feature, Kind::Task], |kind| vec![kind]);
            let one = Container::find(draft, &kinds, &self.id)?;
            let mut dependencies = ties(draft, one.id())?;
            dependencies.retain(|tie| {
                let comes_in = tie.to.id == *one.id();
                self.relation.is_none_or(|relation| relation == tie.relation)
                    && match self.direction {
                        TieDirection::Dependencies => comes_in,
                        TieDirection::Dependents => !comes_in,
                        TieDirection::All => true,
                    }
            });
            Ok(Tied { what: one.brief(), dependencies })
        })
    }
}

impl Render for Tied {
    fn render(&self, page: &mut Page) {
        let count = counted(self.dependencies.len(), "dependency");
        page.answer(format!(
            "{} \"{}\" has {count}    {}",
            self.what.kind,
            self.what.name,
            self.what.handle()
        ));
        self.dependencies.iter().for_each(|tie| say(page, tie));
    }
}

/// A relation on one line.
pub(super) fn say(page: &mut Page, tie: &Tie) {
    let name = |brief: &Brief| {
        format!("\"{}\" {} {}", brief.name, brief.status.map_or("", Status::word), brief.handle())
    };
    let from = tie.from.as_ref().map_or("a reason".to_owned(), name);
    let word = match tie.relation {
        Relation::Blocks if tie.is_resolved => "blocked",
        Relation::Blocks => "blocks",
        Relation::RelatesTo => "relates to",
    };
    let reason = if tie.reason.is_empty() { String::new() } else { format!("  ({})", tie.reason) };
    page.say_next(format!("  {from} {word} {}{reason}", name(&tie.to)), tie.id.short());
}
