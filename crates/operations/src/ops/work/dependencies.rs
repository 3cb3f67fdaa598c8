//! `work.dependencies`: the dependencies of a feature or task, in both directions.

use base::Result;
use base::words::counted;
use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::container::WorkItemBrief;
use work::dependencies::{DependencyView, dependencies_of};
use work::events::{incoming_words, outgoing_words};
use work::words::{DependencyKind, WorkKind, WorkStatus};
use work::{WorkItem, WorkRecordId, WorkRecordRef};

use engine::areas::work::read_store;
use engine::contract::alias::OpAlias;
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, Render};
use engine::view::View;

/// Show what a feature or task waits for, what waits for it, and what relates to it
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dependencies {
    /// Id, its first digits, a name or a handle
    #[serde(alias = "task_id", alias = "container_id")]
    pub id: WorkRecordRef,
    /// Whether the id is of a feature or a task
    #[arg(long)]
    #[serde(default, alias = "container_type")]
    #[schemars(extend("x-rare" = true))]
    pub kind: Option<WorkKind>,
    /// What it waits for, what waits for it, or both
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    pub direction: DependencyDirection,
    /// Only this relation: BLOCKS, `RELATES_TO`, `PARENT_OF`, DUPLICATES or `DISCOVERED_FROM`
    #[arg(long)]
    #[serde(default, alias = "type")]
    pub relation: Option<DependencyKind>,
}

/// Which dependencies of a feature or task are shown.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum DependencyDirection {
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

/// Dependencies of a feature or task
#[derive(Debug, Serialize, JsonSchema)]
pub struct DependenciesAnswer {
    /// What was asked about
    #[serde(flatten)]
    pub what: WorkItemBrief,
    /// The relations
    pub dependencies: Vec<DependencyView>,
}

impl Query for Dependencies {
    const NAME: &'static str = "work.dependencies";
    const ALIASES: &'static [OpAlias] = &[
        OpAlias::of("query_dependencies").when("operation", "get"),
        OpAlias::of("query_dependencies").when("operation", "search"),
        OpAlias::of("query_dependencies"),
    ];
    const EXAMPLES: &'static [OpExample] = &[OpExample {
        args: "task:019b7d2f-1a2b",
        shows: "what it waits for and what waits for it",
    }];
    type Answer = DependenciesAnswer;

    fn run(self, view: &View) -> Result<DependenciesAnswer> {
        read_store(view, |draft| {
            let kinds =
                self.kind.map_or(vec![WorkKind::Feature, WorkKind::Task], |kind| vec![kind]);
            let one = WorkItem::find(draft, &kinds, &self.id)?;
            let mut dependencies = dependencies_of(draft, one.id())?;
            dependencies.retain(|tie| {
                let comes_in = tie.to.id == *one.id();
                self.relation.is_none_or(|relation| relation == tie.relation)
                    && match self.direction {
                        DependencyDirection::Dependencies => comes_in,
                        DependencyDirection::Dependents => !comes_in,
                        DependencyDirection::All => true,
                    }
            });
            Ok(DependenciesAnswer { what: one.brief(), dependencies })
        })
    }
}

impl Render for DependenciesAnswer {
    fn render(&self, page: &mut Page) {
        let count = counted(self.dependencies.len(), "dependency");
        page.answer(format!(
            "{} \"{}\" has {count}    {}",
            self.what.kind,
            self.what.name,
            self.what.handle()
        ));
        self.dependencies.iter().for_each(|tie| render_dependency(page, tie));
    }
}

/// Renders a dependency on one line, as one of its ends sees it.
pub(super) fn render_relation(page: &mut Page, own: &WorkRecordId, tie: &DependencyView) {
    let comes_in = tie.to.id == *own;
    let other = if comes_in { tie.from.as_ref() } else { Some(&tie.to) };
    let words = match (comes_in, tie.is_resolved) {
        (true, true) => "was blocked by",
        (false, true) => "no longer blocks",
        (true, false) => incoming_words(tie.relation),
        (false, false) => outgoing_words(tie.relation),
    };
    let reason = if tie.reason.is_empty() { String::new() } else { format!("  ({})", tie.reason) };
    match other {
        Some(other) => {
            let status = other.status.map_or("", WorkStatus::word);
            let line = format!("  {words} \"{}\" {status}{reason}", other.name);
            page.say_handle(line, other.handle());
        }
        None => page.say(format!("  {words} an external reason{reason}")),
    }
}

/// Renders a dependency on one line.
pub(super) fn render_dependency(page: &mut Page, tie: &DependencyView) {
    let name = |brief: &WorkItemBrief| {
        format!(
            "\"{}\" {} {}",
            brief.name,
            brief.status.map_or("", WorkStatus::word),
            brief.handle()
        )
    };
    let from = tie.from.as_ref().map_or("an external reason".to_owned(), name);
    let word = match tie.relation {
        DependencyKind::Blocks if tie.is_resolved => "blocked",
        DependencyKind::RelatesTo => "relates to",
        relation => outgoing_words(relation),
    };
    let reason = if tie.reason.is_empty() { String::new() } else { format!("  ({})", tie.reason) };
    page.say_handle(format!("  {from} {word} {}{reason}", name(&tie.to)), tie.id.short());
}
