//! `work.template_apply`: adds the sections of templates to a project, feature or task.

use base::words::counted;
use base::{Problem, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::edit::kinds;
use work::record::Section;
use work::text::ListArg;
use work::words::WorkKind;
use work::{WorkItem, WorkRecordRef};

use engine::areas::work::plan;
use engine::contract::alias::OpAlias;
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::contract::page::{Page, PageCell, Render};
use engine::plan::Plan;
use engine::view::View;

/// Add the sections of templates to a feature or task; existing sections stay as they are
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TemplateApply {
    /// Names or ids of templates
    #[serde(alias = "template_id", alias = "template_ids", alias = "template")]
    pub templates: ListArg<String>,
    /// Project, feature or task that gets the sections
    #[serde(alias = "entity_id", alias = "id")]
    pub to: WorkRecordRef,
    /// Whether it is a project, feature or task
    #[arg(long)]
    #[serde(default, alias = "entity_type", alias = "container_type")]
    #[schemars(extend("x-rare" = true))]
    pub kind: Option<WorkKind>,
}

/// The sections that are new
#[derive(Debug, Serialize, JsonSchema)]
pub struct TemplateApplyAnswer {
    /// The sections
    pub sections: Vec<Section>,
}

impl Mutation for TemplateApply {
    const NAME: &'static str = "work.template_apply";
    const EFFECT: Effect = Effect::ADDS;
    const ALIASES: &'static [OpAlias] =
        &[OpAlias::of("apply_template").when("operation", "apply"), OpAlias::of("apply_template")];
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "Task task:019b7d2f-1a2b", shows: "the sections to fill" }];
    type Answer = TemplateApplyAnswer;

    fn plan(self, view: &View) -> Result<Plan<TemplateApplyAnswer>> {
        if self.templates.0.is_empty() {
            return Err(Problem::invalid("`templates` is empty"));
        }
        plan(
            view,
            |_| format!("apply templates to {}", self.to),
            |draft| {
                let owner = WorkItem::find(draft, &kinds(self.kind), &self.to)?;
                let mut sections = Vec::new();
                for name in &self.templates.0 {
                    let template = work::templates::find(draft, name)?;
                    sections.extend(work::templates::apply(draft, &owner, &template)?);
                }
                Ok(TemplateApplyAnswer { sections })
            },
        )
    }
}

impl Render for TemplateApplyAnswer {
    fn render(&self, page: &mut Page) {
        page.answer(format!("{} added", counted(self.sections.len(), "section")));
        let cells = |section: &Section| {
            let (title, usage) =
                (PageCell::text(&section.title), PageCell::faint(&section.usage_description));
            vec![title, usage, PageCell::handle(section.id.short())]
        };
        page.table(2, self.sections.iter().map(cells).collect());
    }
}
