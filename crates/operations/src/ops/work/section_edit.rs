//! `work.section_edit`: adds, changes, orders and removes sections.

use base::words::counted;
use base::{Problem, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use work::VersionedRef;
use work::record::Section;
use work::sections::{self, SectionFields};
use work::text::{JsonArg, ListArg, RecordName, SectionContent, SummaryText, Tag};
use work::words::{ContentFormat, WorkKind};
use work::{WorkDraft, WorkItem, WorkRecordRef};

use engine::areas::work::plan;
use engine::contract::alias::OpAlias;
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::contract::page::{Page, PageCell, Render};
use engine::plan::Plan;
use engine::view::View;

/// Add, change, order or delete sections
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SectionEdit {
    /// What to do with the sections
    #[schemars(extend("enum" = ["add", "update", "update_text", "delete", "reorder"]))]
    pub action: String,
    /// Project, feature or task that the section belongs to
    #[arg(long)]
    #[serde(default, alias = "entity_id")]
    pub owner: Option<WorkRecordRef>,
    /// Id of the section; owner and title name it too
    #[arg(long)]
    #[serde(default, alias = "section_id")]
    pub id: Option<WorkRecordRef>,
    /// Version you last read; refused if it has changed since
    #[arg(long)]
    #[serde(default)]
    pub version: Option<u32>,
    /// Heading of the section
    #[arg(long)]
    #[serde(default)]
    pub title: Option<RecordName>,
    /// What the section is for, in one sentence
    #[arg(long)]
    #[serde(default, alias = "usage_description")]
    #[schemars(extend("x-rare" = true))]
    pub usage: Option<SummaryText>,
    /// Text of the section
    #[arg(long, allow_hyphen_values = true)]
    #[serde(default)]
    pub content: Option<SectionContent>,
    /// Format of the text, such as MARKDOWN or CODE
    #[arg(long)]
    #[serde(default, alias = "content_format")]
    #[schemars(extend("x-rare" = true))]
    pub format: Option<ContentFormat>,
    /// Position among the sections of its owner, from 0
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub ordinal: Option<u32>,
    /// Labels of the section
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub tags: Option<ListArg<Tag>>,
    /// Text to replace, for `update_text`
    #[arg(long, allow_hyphen_values = true)]
    #[serde(default, alias = "old_text")]
    pub old: Option<String>,
    /// New text, for `update_text`
    #[arg(long, allow_hyphen_values = true)]
    #[serde(default, alias = "new_text")]
    pub new: Option<String>,
    /// Ids of all sections in their new order, for reorder
    #[arg(long)]
    #[serde(
        default,
        alias = "ordered_ids",
        alias = "section_order",
        alias = "ids",
        alias = "section_ids"
    )]
    #[schemars(extend("x-rare" = true))]
    pub order: Option<ListArg<WorkRecordRef>>,
    /// Several sections to add at once
    #[arg(long)]
    #[serde(default)]
    #[schemars(with = "Vec<serde_json::Value>")]
    #[schemars(extend("x-rare" = true))]
    pub sections: Option<JsonArg<Vec<SectionFields>>>,
}

/// The sections that were written or removed
#[derive(Debug, Serialize, JsonSchema)]
pub struct SectionEditAnswer {
    /// What was done
    pub action: String,
    /// The sections
    pub sections: Vec<Section>,
}

impl Mutation for SectionEdit {
    const NAME: &'static str = "work.section_edit";
    const EFFECT: Effect = Effect::OVERWRITES;
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("manage_sections")
        .renaming(&[("operation", "action")])
        .joining(["entityType", "entityId", ":", "owner"])];
    const EXAMPLES: &'static [OpExample] = &[OpExample {
        args: "add --owner task:019b7d2f-1a2b --title \"Context Files\" --content src/a.ts",
        shows: "the files that a task is about",
    }];
    type Answer = SectionEditAnswer;

    fn plan(self, view: &View) -> Result<Plan<SectionEditAnswer>> {
        let told = |done: &SectionEditAnswer| {
            format!("{} {}", done.action, counted(done.sections.len(), "section"))
        };
        plan(view, told, |draft| {
            let action = self.action.replace(['_', '-'], "").to_lowercase();
            let sections = match action.as_str() {
                "add" | "create" => {
                    vec![sections::add(draft, &self.owner(draft)?, &self.fields())?]
                }
                "bulkcreate" | "bulkadd" => self.add_all(draft)?,
                "update" | "updatemetadata" => self.update(draft)?,
                "bulkupdate" => self.each(|fields| sections::update(draft, fields))?,
                "updatetext" => vec![self.update_text(draft)?],
                "delete" | "bulkdelete" => self.delete(draft)?,
                "reorder" => {
                    let order = self.order.as_ref().map_or(&[][..], |many| &many.0);
                    sections::reorder(draft, &self.owner(draft)?, order)?
                }
                _ => {
                    let known = "add, update, update_text, delete, reorder";
                    return Err(Problem::invalid(format!(
                        "`{}` is not one of {known}",
                        self.action
                    )));
                }
            };
            Ok(SectionEditAnswer { action: self.action.clone(), sections })
        })
    }
}

impl SectionEdit {
    fn owner(&self, draft: &WorkDraft<'_>) -> Result<WorkItem> {
        let Some(owner) = &self.owner else {
            return Err(Problem::invalid(
                "`owner` is missing: the project, feature or task of the section",
            ));
        };
        WorkItem::find(draft, WorkKind::ALL, owner)
    }

    /// The section of the owner with this title.
    fn titled(&self, draft: &WorkDraft<'_>) -> Result<Section> {
        let (Some(_), Some(title)) = (&self.owner, &self.title) else {
            return Err(Problem::invalid("`id` is missing: the id of the section")
                .hint("or name it by `owner` and `title`"));
        };
        let owner = self.owner(draft)?;
        sections::titled(draft, &owner, title.as_str().trim())
    }

    fn fields(&self) -> SectionFields {
        SectionFields {
            id: self.id.clone(),
            version: self.version,
            title: self.title.clone(),
            usage_description: self.usage.clone(),
            content: self.content.clone(),
            content_format: self.format,
            ordinal: self.ordinal,
            tags: self.tags.clone(),
            owner: None,
            owner_kind: None,
        }
    }

    fn each(
        &self,
        mut write: impl FnMut(&SectionFields) -> Result<Section>,
    ) -> Result<Vec<Section>> {
        let Some(sections) = &self.sections else {
            return Err(Problem::invalid("`sections` is missing"));
        };
        sections.0.iter().map(&mut write).collect()
    }

    fn add_all(&self, draft: &mut WorkDraft<'_>) -> Result<Vec<Section>> {
        self.each(|fields| {
            let owner = match fields.owner(draft)? {
                Some(owner) => owner,
                None => self.owner(draft)?,
            };
            sections::add(draft, &owner, fields)
        })
    }

    fn update(&self, draft: &mut WorkDraft<'_>) -> Result<Vec<Section>> {
        if self.sections.is_some() {
            return self.each(|fields| sections::update(draft, fields));
        }
        let mut fields = self.fields();
        if fields.id.is_none() {
            let known = self.titled(draft)?;
            fields.id = Some(WorkRecordRef::from(&known.id));
            fields.version = fields.version.or(Some(known.version));
            fields.title = None;
        }
        Ok(vec![sections::update(draft, &fields)?])
    }

    fn update_text(&self, draft: &mut WorkDraft<'_>) -> Result<Section> {
        let (Some(old), Some(new)) = (&self.old, &self.new) else {
            return Err(Problem::invalid("`old` and `new` are needed"));
        };
        let id = match &self.id {
            Some(id) => id.clone(),
            None => WorkRecordRef::from(&self.titled(draft)?.id),
        };
        sections::update_text(draft, VersionedRef { id: &id, version: self.version }, old, new)
    }

    /// Deletes one section with its version checked, or several as they are.
    fn delete(&self, draft: &mut WorkDraft<'_>) -> Result<Vec<Section>> {
        if let Some(id) = &self.id {
            return Ok(vec![sections::delete(draft, id, self.version)?]);
        }
        let Some(ids) = &self.order else {
            let known = self.titled(draft)?;
            let id = WorkRecordRef::from(&known.id);
            let version = self.version.or(Some(known.version));
            return Ok(vec![sections::delete(draft, &id, version)?]);
        };
        let mut gone = Vec::new();
        for id in &ids.0 {
            let section: Section = draft.find(id)?;
            gone.push(sections::delete(draft, id, Some(section.version))?);
        }
        Ok(gone)
    }
}

impl Render for SectionEditAnswer {
    fn render(&self, page: &mut Page) {
        page.answer(format!("{}: {}", self.action, counted(self.sections.len(), "section")));
        let cells = |section: &Section| {
            let version = PageCell::faint(format!("version {}", section.version));
            vec![PageCell::text(&section.title), version, PageCell::handle(section.id.short())]
        };
        page.table(2, self.sections.iter().map(cells).collect());
    }
}
