//! `work.template_apply`: gives a feature or task a template's sections.

use base::words::counted;
use base::{Problem, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::edit::kinds;
use work::record::Section;
use work::text::Many;
use work::words::Kind;
use work::{Container, Ref};

use crate::contract::alias::Alias;
use crate::contract::op::{Effect, Example, Mutation};
use crate::contract::page::{Cell, Page, Render};
use crate::layers::work::plan;
use crate::plan::Plan;
use crate::view::View;

/// Give a feature or task the sections of templates; those it has stay as they are
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TemplateApply {
    /// Names or ids of templates
    #[serde(alias = "template_id", alias = "template_ids", alias = "template")]
    pub templates: Many<String>,
    /// Project, feature or task that gets the sections
    #[serde(alias = "entity_id", alias = "id")]
    pub to: Ref,
    /// Whether it is a project, feature or task
    #[arg(long)]
    #[serde(default, alias = "entity_type", alias = "container_type")]
    #[schemars(extend("x-rare" = true))]
    pub kind: Option<Kind>,
}

/// The sections that are new
#[derive(Debug, Serialize, JsonSchema)]
pub struct Applied {
    /// The sections
    pub sections: Vec<Section>,
}

impl Mutation for TemplateApply {
    const NAME: &'static str = "work.template_apply";
    const EFFECT: Effect = Effect::ADDS;
    const ALIASES: &'static [Alias] =
        &[Alias::of("apply_template").when("operation", "apply"), Alias::of("apply_template")];
    const EXAMPLES: &'static [Example] =
        &[Example { args: "Task task:019b7d2f-1a2b", shows: "the sections to fill" }];
    type Answer = Applied;

    fn plan(self, view: &View) -> Result<Plan<Applied>> {
        if self.templates.0.is_empty() {
            return Err(Problem::invalid("`templates` is empty"));
        }
        plan(
            view,
            |_| format!("apply templates to {}", self.to),
            |draft| {
                let owner = Container::find(draft, &kinds(self.kind), &self.to)?;
                let mut sections = Vec::new();
                for name in &self.templates.0 {
                    let template = work::templates::find(draft, name)?;
                    sections.extend(work::templates::apply(draft, &owner, &template)?);
                }
                Ok(Applied { sections })
            },
        )
    }
}

impl Render for Applied {
    fn render(&self, page: &mut Page) {
        page.answer(format!("{} added", counted(self.sections.len(), "section")));
        let cells = |section: &Section| {
            let (title, usage) =
                (Cell::text(&section.title), Cell::faint(&section.usage_description));
            vec![title, usage, Cell::handle(section.id.short())]
        };
        page.table(2, self.sections.iter().map(cells).collect());
    }
}
