//! `work.sections`: the sections of a project, feature or task.

use base::Result;
use base::words::counted;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::edit::kinds;
use work::record::Section;
use work::text::ListArg;
use work::words::WorkKind;
use work::{WorkItem, WorkRecordRef};

use super::record::quote_sections;
use engine::areas::work::read_store;
use engine::contract::alias::OpAlias;
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::view::View;

/// Show the sections of a project, feature or task
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sections {
    /// Id, its first digits, a name or a handle of the owner
    #[serde(alias = "entity_id")]
    pub id: WorkRecordRef,
    /// Whether the id is of a project, feature or task
    #[arg(long)]
    #[serde(default, alias = "entity_type", alias = "container_type")]
    #[schemars(extend("x-rare" = true))]
    pub kind: Option<WorkKind>,
    /// Show the texts too; true if left out
    #[arg(long)]
    #[serde(default)]
    pub include_content: Option<bool>,
    /// Only the sections with these ids
    #[arg(long)]
    #[serde(default)]
    pub section_ids: Option<ListArg<WorkRecordRef>>,
    /// Only sections with one of these tags
    #[arg(long)]
    #[serde(default)]
    pub tags: Option<ListArg<String>>,
}

/// Sections in their order
#[derive(Debug, Serialize, JsonSchema)]
pub struct SectionsAnswer {
    /// The sections
    pub sections: Vec<Section>,
    #[serde(skip)]
    name: String,
    #[serde(skip)]
    with_content: bool,
}

impl Query for Sections {
    const NAME: &'static str = "work.sections";
    const ALIASES: &'static [OpAlias] = &[
        OpAlias::of("query_sections").when("operation", "get"),
        OpAlias::of("query_sections").when("operation", "list"),
        OpAlias::of("query_sections"),
    ];
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "task:019b7d2f-1a2b", shows: "every section of a task" }];
    type Answer = SectionsAnswer;

    fn run(self, view: &View) -> Result<SectionsAnswer> {
        read_store(view, |draft| {
            let owner = WorkItem::find(draft, &kinds(self.kind), &self.id)?;
            let mut sections = work::sections::of(draft, &owner)?;
            if let Some(ids) = &self.section_ids {
                let is = |section: &Section| {
                    let starts = |id: &&WorkRecordRef| section.id.as_str().starts_with(&id.prefix);
                    let is_called =
                        |id: &WorkRecordRef| id.prefix.is_empty() && section.title == id.name;
                    ids.0.iter().filter(|id| !id.prefix.is_empty()).any(|id| starts(&id))
                        || ids.0.iter().any(is_called)
                };
                sections.retain(is);
            }
            if let Some(tags) = &self.tags {
                sections.retain(|section| section.tags.iter().any(|tag| tags.0.contains(tag)));
            }
            let with_content = self.include_content.unwrap_or(true);
            if !with_content {
                for section in &mut sections {
                    section.content.clear();
                }
            }
            let name = format!("{} \"{}\"", owner.kind(), owner.name());
            Ok(SectionsAnswer { sections, name, with_content })
        })
    }
}

impl Render for SectionsAnswer {
    fn render(&self, page: &mut Page) {
        page.answer(format!("{} has {}", self.name, counted(self.sections.len(), "section")));
        if self.with_content {
            return quote_sections(page, &self.sections);
        }
        let cells = |section: &Section| {
            let (title, usage) =
                (PageCell::text(&section.title), PageCell::faint(&section.usage_description));
            vec![title, usage, PageCell::handle(section.id.short())]
        };
        page.table(2, self.sections.iter().map(cells).collect());
    }
}
