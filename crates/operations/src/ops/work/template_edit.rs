//! `work.template_edit`: creates, changes and deletes templates.

use base::words::counted;
use base::{Problem, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::record::{Template, TemplateSection};
use work::templates::{self, TemplateFields};
use work::text::{JsonArg, ListArg, RecordName, SectionContent, SummaryText, Tag};
use work::words::{ContentFormat, WorkKind};

use engine::areas::work::plan;
use engine::contract::alias::OpAlias;
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::contract::page::{Page, Render};
use engine::plan::Plan;
use engine::view::View;

/// Create, change, enable or delete a template
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TemplateEdit {
    /// What to do with the template
    #[schemars(extend("enum" = ["create", "update", "delete", "enable", "disable", "add_section"]))]
    pub action: String,
    /// Name or id of the template
    #[arg(long)]
    #[serde(default, alias = "id", alias = "template_id")]
    pub template: Option<String>,
    /// Version you last read; refused if it has changed since
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub version: Option<u32>,
    /// Name of the template
    #[arg(long)]
    #[serde(default)]
    pub name: Option<RecordName>,
    /// What the template is for
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub description: Option<SummaryText>,
    /// Kind of work that the template is for
    #[arg(long)]
    #[serde(default, alias = "target_entity_type")]
    #[schemars(extend("x-rare" = true))]
    pub kind: Option<WorkKind>,
    /// Labels of the template
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub tags: Option<ListArg<Tag>>,
    /// All sections of a new template
    #[arg(long)]
    #[serde(default)]
    #[schemars(with = "Vec<serde_json::Value>")]
    #[schemars(extend("x-rare" = true))]
    pub sections: Option<JsonArg<Vec<TemplateSection>>>,
    /// Heading of the section to add
    #[arg(long)]
    #[serde(default)]
    pub title: Option<RecordName>,
    /// What the section to add is for
    #[arg(long)]
    #[serde(default, alias = "usage_description")]
    #[schemars(extend("x-rare" = true))]
    pub usage: Option<SummaryText>,
    /// Text that the section starts with
    #[arg(long)]
    #[serde(default, alias = "content_sample")]
    #[schemars(extend("x-rare" = true))]
    pub sample: Option<SectionContent>,
    /// Format of the text, such as MARKDOWN or CODE
    #[arg(long)]
    #[serde(default, alias = "content_format")]
    #[schemars(extend("x-rare" = true))]
    pub format: Option<ContentFormat>,
    /// Position of the added section, from 0; last if left out
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub ordinal: Option<u32>,
    /// Whether the section must be filled in
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub is_required: bool,
}

/// The template, as it is now or before it was deleted
#[derive(Debug, Serialize, JsonSchema)]
pub struct TemplateEditAnswer {
    /// What was done
    pub action: String,
    /// The template
    pub template: Template,
}

impl Mutation for TemplateEdit {
    const NAME: &'static str = "work.template_edit";
    const EFFECT: Effect = Effect::OVERWRITES;
    const ALIASES: &'static [OpAlias] =
        &[OpAlias::of("manage_template").renaming(&[("operation", "action")])];
    const EXAMPLES: &'static [OpExample] = &[OpExample {
        args: "create --name Bug --kind task",
        shows: "a template of your own, still without sections",
    }];
    type Answer = TemplateEditAnswer;

    fn plan(self, view: &View) -> Result<Plan<TemplateEditAnswer>> {
        let told = |done: &TemplateEditAnswer| {
            format!("{} template \"{}\"", done.action, done.template.name)
        };
        let fields = TemplateFields {
            name: self.name.clone(),
            description: self.description.clone(),
            target: self.kind,
            tags: self.tags.clone(),
            sections: self.sections.clone(),
        };
        plan(view, told, |draft| {
            let action = self.action.replace(['_', '-'], "").to_lowercase();
            let which = || {
                let missing =
                    || Problem::invalid("`template` is missing: the name or id of a template");
                self.template.as_deref().ok_or_else(missing)
            };
            let template = match action.as_str() {
                "create" => templates::create(draft, &fields)?,
                "update" => templates::update(draft, which()?, self.version, &fields)?,
                "delete" => templates::delete(draft, which()?, self.version)?,
                "enable" => templates::enable(draft, which()?, true)?,
                "disable" => templates::enable(draft, which()?, false)?,
                "addsection" => {
                    templates::add_section(draft, which()?, self.version, self.section()?)?
                }
                _ => {
                    let known = "create, update, delete, enable, disable, add_section";
                    return Err(Problem::invalid(format!(
                        "`{}` is not one of {known}",
                        self.action
                    )));
                }
            };
            Ok(TemplateEditAnswer { action: self.action.clone(), template })
        })
    }
}

impl TemplateEdit {
    fn section(&self) -> Result<TemplateSection> {
        let Some(title) = &self.title else {
            return Err(Problem::invalid("a section needs a title"));
        };
        Ok(TemplateSection {
            title: title.as_str().trim().into(),
            usage_description: self.usage.as_ref().map_or("", SummaryText::as_str).into(),
            content_sample: self.sample.as_ref().map_or("", SectionContent::as_str).into(),
            content_format: self.format.unwrap_or(ContentFormat::Markdown),
            is_required: self.is_required,
            ordinal: self.ordinal,
        })
    }
}

impl Render for TemplateEditAnswer {
    fn render(&self, page: &mut Page) {
        let Self { action, template } = self;
        page.answer(format!(
            "{action}: template \"{}\", {}, version {}    {}",
            template.name,
            counted(template.sections.len(), "section"),
            template.version,
            template.id.short()
        ));
    }
}
