//! `work.templates`: templates of sections for features and tasks.

use base::Result;
use base::words::{counted, with_article};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::record::Template;
use work::templates::{all, find};
use work::words::WorkKind;

use engine::areas::work::read_store;
use engine::contract::alias::OpAlias;
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, PageCell, Render};
use engine::view::View;

/// List the templates, or show one
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Templates {
    /// Name or id of one template; all if left out
    #[serde(default, alias = "id", alias = "template_id")]
    pub template: Option<String>,
    /// Only templates for this kind of work
    #[arg(long)]
    #[serde(default, alias = "target_entity_type", alias = "container_type")]
    pub kind: Option<WorkKind>,
    /// Leave out disabled templates
    #[arg(long)]
    #[serde(default, alias = "is_enabled")]
    pub enabled_only: bool,
    /// Show the sections of each template; true if left out
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub include_sections: Option<bool>,
}

/// Templates by name
#[derive(Debug, Serialize, JsonSchema)]
pub struct TemplatesAnswer {
    /// The templates
    pub templates: Vec<Template>,
}

impl Query for Templates {
    const NAME: &'static str = "work.templates";
    const ALIASES: &'static [OpAlias] = &[
        OpAlias::of("query_templates").when("operation", "get"),
        OpAlias::of("query_templates").when("operation", "list"),
        OpAlias::of("query_templates"),
    ];
    const EXAMPLES: &'static [OpExample] =
        &[OpExample { args: "Task", shows: "what a task starts with" }];
    type Answer = TemplatesAnswer;

    fn run(self, view: &View) -> Result<TemplatesAnswer> {
        read_store(view, |draft| {
            let mut templates = match &self.template {
                Some(name) => vec![find(draft, name)?],
                None => all(draft, self.kind)?,
            };
            templates.retain(|template| template.is_enabled || !self.enabled_only);
            if self.include_sections == Some(false) {
                for template in &mut templates {
                    template.sections.clear();
                }
            }
            Ok(TemplatesAnswer { templates })
        })
    }
}

impl Render for TemplatesAnswer {
    fn render(&self, page: &mut Page) {
        page.answer(counted(self.templates.len(), "template"));
        for template in &self.templates {
            let off = if template.is_enabled { "" } else { "  disabled" };
            let line = format!(
                "{} (for {}){off}: {}",
                template.name,
                with_article(template.target_entity_type.word()),
                template.description
            );
            page.say_handle(line, template.id.short());
            let cells = |one: &work::record::TemplateSection| {
                let must = if one.is_required { "required" } else { "" };
                vec![
                    PageCell::text(&one.title),
                    PageCell::faint(&one.usage_description),
                    PageCell::faint(must),
                ]
            };
            page.table(4, template.sections.iter().map(cells).collect());
        }
    }
}
