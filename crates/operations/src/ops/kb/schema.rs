//! `kb.schema`: the types of entities and relations, and the words that they take.

use base::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::view::View;

/// Show the types, statuses, priorities and relations of the knowledge base
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KbSchema {}

/// The types of the knowledge base
#[derive(Debug, Serialize, JsonSchema)]
pub struct KbSchemaAnswer {
    /// Types of entities
    pub types: Vec<KbTypeRow>,
    /// Priorities of requirements, most important first
    pub priorities: Vec<&'static str>,
    /// Types of relations
    pub relations: Vec<KbRelationRow>,
}

/// A type of entities
#[derive(Debug, Serialize, JsonSchema)]
pub struct KbTypeRow {
    /// Its name
    pub name: &'static str,
    /// Its statuses; the first is the default
    pub statuses: &'static [&'static str],
    /// Starts of its ids
    pub prefixes: &'static [&'static str],
    /// Folders of its documents
    pub folders: &'static [&'static str],
}

/// A type of relations
#[derive(Debug, Serialize, JsonSchema)]
pub struct KbRelationRow {
    /// Its name
    pub name: &'static str,
    /// What it starts at
    pub from: String,
    /// What it ends at
    pub to: String,
}

impl KbSchemaAnswer {
    /// Everything that the model allows.
    pub(crate) fn new() -> Self {
        let types = kb::KbEntityKind::ALL.iter().map(|kind| KbTypeRow {
            name: kind.word(),
            statuses: kind.statuses(),
            prefixes: kind.prefixes(),
            folders: kind.folders(),
        });
        let relations = kb::KbRelationKind::ALL.iter().map(|relation| {
            let (from, to) = relation.signature();
            KbRelationRow { name: relation.word(), from: from.to_string(), to: to.to_string() }
        });
        Self {
            types: types.collect(),
            priorities: kb::RequirementPriority::ALL.iter().map(|one| one.word()).collect(),
            relations: relations.collect(),
        }
    }
}

impl Query for KbSchema {
    const NAME: &'static str = "kb.schema";
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "", shows: "what can be written with `kb upsert`" }];
    type Answer = KbSchemaAnswer;

    fn run(self, _: &View) -> Result<KbSchemaAnswer> {
        Ok(KbSchemaAnswer::new())
    }
}

impl Render for KbSchemaAnswer {
    fn render(&self, page: &mut Page) {
        page.answer(format!(
            "{} types of entities and {} types of relations",
            self.types.len(),
            self.relations.len()
        ));
        page.heading("Types");
        let row = |kind: &KbTypeRow| {
            vec![
                PageCell::strong(kind.name),
                PageCell::text(kind.statuses.join(", ")),
                PageCell::faint(format!("ids {}…", kind.prefixes.join("…, "))),
                PageCell::faint(format!("in {}", kind.folders.join(", "))),
            ]
        };
        page.table(2, self.types.iter().map(row).collect());
        page.heading("Relations");
        let row = |relation: &KbRelationRow| {
            vec![
                PageCell::text(&relation.from),
                PageCell::strong(relation.name),
                PageCell::text(&relation.to),
            ]
        };
        page.table(2, self.relations.iter().map(row).collect());
        page.item("priorities of requirements", self.priorities.join(", "));
        page.say("A `component` is a file or folder, as `file:path` or `dir:path`; code is a `symbol`, as `symbol:path#name`");
    }
}
