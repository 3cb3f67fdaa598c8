//! Sections to start from: those that come with cairn, and those that people made.

use base::words::with_article;
use base::{Problem, ProblemCode, Result};

use crate::container::{WorkItem, check_version};
use crate::draft::WorkDraft;
use crate::id::{WorkRecordId, WorkRecordRef};
use crate::lookup::not_found;
use crate::record::{Section, Template, TemplateSection};
use crate::sections::{self, SectionFields};
use crate::text::{JsonArg, ListArg, RecordName, SummaryText, Tag, tags};
use crate::words::{ContentFormat, WorkKind};

/// A built-in template's sections: title, what it is for, what it says at first.
type BuiltInSection = (&'static str, &'static str, &'static str, bool);

const PLAN: BuiltInSection =
    ("Implementation Plan", "How it will be built, step by step, and why so", "1. \n", true);
const FILES: BuiltInSection = (
    "Context Files",
    "The files to read and change, one a line; knowledge about them is found by these",
    // The name is `knowledge::files::PLACEHOLDER`, which is not a file.
    "- `path/to/file` why it matters\n",
    true,
);
const VERIFICATION: BuiltInSection = (
    "Verification",
    "What shows that it works: tests by name, and what to look at",
    "- [ ] \n",
    true,
);
const CONSTRAINTS: BuiltInSection = (
    "Dependencies and Constraints",
    "What it waits for, what must not break, what was decided before",
    "",
    false,
);
const GOAL: BuiltInSection =
    ("Goal", "What its users can do afterwards that they cannot do now", "", true);

/// The templates that come with cairn.
const BUILT_IN: [(&str, &str, &str, WorkKind, &[BuiltInSection]); 2] = [
    (
        "00000000-0000-7000-8000-000000000001",
        "Task",
        "Plan, files, proof and limits of one piece of work",
        WorkKind::Task,
        &[PLAN, FILES, VERIFICATION, CONSTRAINTS],
    ),
    (
        "00000000-0000-7000-8000-000000000002",
        "Feature",
        "Goal, plan, files, proof and limits of something users get",
        WorkKind::Feature,
        &[GOAL, PLAN, FILES, VERIFICATION, CONSTRAINTS],
    ),
];

/// What to make or change of a template.
#[derive(Debug, Clone, Default)]
pub struct TemplateFields {
    /// What it is called
    pub name: Option<RecordName>,
    /// What it is for
    pub description: Option<SummaryText>,
    /// What kind of record it is for
    pub target: Option<WorkKind>,
    /// Labels
    pub tags: Option<ListArg<Tag>>,
    /// All of its sections
    pub sections: Option<JsonArg<Vec<TemplateSection>>>,
}

/// Every template, by name.
pub fn all(draft: &WorkDraft<'_>, target: Option<WorkKind>) -> Result<Vec<Template>> {
    let own: Vec<Template> = draft.all()?;
    let is_known = |id: &WorkRecordId| own.iter().any(|template| template.id == *id);
    let built_in = built_in()?.into_iter().filter(|template| !is_known(&template.id));
    let mut all: Vec<Template> = built_in.chain(own.iter().cloned()).collect();
    all.retain(|template| target.is_none_or(|target| template.target_entity_type == target));
    for template in &mut all {
        assign_ordinals(&mut template.sections);
    }
    all.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
    Ok(all)
}

fn built_in() -> Result<Vec<Template>> {
    let section = |(title, usage, sample, is_required): &BuiltInSection| TemplateSection {
        title: (*title).into(),
        usage_description: (*usage).into(),
        content_sample: (*sample).into(),
        content_format: ContentFormat::Markdown,
        is_required: *is_required,
        ordinal: None,
    };
    let template = |(id, name, description, kind, samples): &(
        &str,
        &str,
        &str,
        WorkKind,
        &[BuiltInSection],
    )| {
        Ok(Template {
            id: WorkRecordId::try_from((*id).to_owned()).map_err(Problem::internal)?,
            name: (*name).into(),
            description: (*description).into(),
            target_entity_type: *kind,
            is_built_in: true,
            is_enabled: true,
            tags: Vec::new(),
            sections: samples.iter().map(section).collect(),
            version: 1,
            created_at: String::new(),
            updated_at: String::new(),
        })
    };
    BUILT_IN.iter().map(template).collect()
}

/// The template that a caller means, by id or by name.
pub fn find(draft: &WorkDraft<'_>, asked: &str) -> Result<Template> {
    let all = all(draft, None)?;
    let wanted = asked.trim();
    let by_name = all.iter().find(|template| template.name.eq_ignore_ascii_case(wanted));
    let id: Option<WorkRecordRef> = wanted.parse().ok();
    let by_id = || {
        let prefix =
            id.as_ref().map(|id| id.prefix.as_str()).filter(|prefix| !prefix.is_empty())?;
        let mut fitting = all.iter().filter(|template| template.id.as_str().starts_with(prefix));
        fitting.next().filter(|_| fitting.next().is_none())
    };
    by_name.or_else(by_id).cloned().ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|template| template.name.as_str()).collect();
        not_found("template", wanted).hint(format!("there are {}", names.join(", ")))
    })
}

/// Makes a template.
pub fn create(draft: &mut WorkDraft<'_>, fields: &TemplateFields) -> Result<Template> {
    let (Some(name), Some(target)) = (&fields.name, fields.target) else {
        return Err(Problem::invalid("a template needs a name and the kind it is for"));
    };
    let now = draft.stamp();
    let template = Template {
        id: draft.new_id(),
        name: name.as_str().trim().into(),
        description: fields.description.as_ref().map_or("", SummaryText::as_str).trim().into(),
        target_entity_type: target,
        is_built_in: false,
        is_enabled: true,
        tags: fields.tags.as_ref().map(tags).unwrap_or_default(),
        sections: fields.sections.clone().map(|json| ordered(json.0)).unwrap_or_default(),
        version: 1,
        created_at: now.clone(),
        updated_at: now,
    };
    if all(draft, None)?.iter().any(|known| known.name.eq_ignore_ascii_case(&template.name)) {
        let what = format!("there is a template \"{}\" already", template.name);
        return Err(Problem::new(ProblemCode::InvariantViolation, what));
    }
    draft.put(&template)?;
    Ok(template)
}

/// Changes a template that people made.
pub fn update(
    draft: &mut WorkDraft<'_>,
    asked: &str,
    version: Option<u32>,
    fields: &TemplateFields,
) -> Result<Template> {
    let mut template = require_custom_template(draft, asked, version)?;
    if let Some(name) = &fields.name {
        template.name = name.as_str().trim().into();
    }
    if let Some(description) = &fields.description {
        template.description = description.as_str().trim().into();
    }
    template.target_entity_type = fields.target.unwrap_or(template.target_entity_type);
    if let Some(many) = &fields.tags {
        template.tags = tags(many);
    }
    if let Some(sections) = &fields.sections {
        template.sections = ordered(sections.0.clone());
    }
    put_new_version(draft, template)
}

/// Sections by the place that each asks for; those that ask for none keep theirs.
fn ordered(sections: Vec<TemplateSection>) -> Vec<TemplateSection> {
    let mut placed: Vec<(u32, TemplateSection)> = (0..).zip(sections).collect();
    placed.sort_by_key(|(at, section)| (section.ordinal.unwrap_or(*at), *at));
    let mut sections: Vec<TemplateSection> =
        placed.into_iter().map(|(_, section)| section).collect();
    assign_ordinals(&mut sections);
    sections
}

/// Gives each section the number of its place.
fn assign_ordinals(sections: &mut [TemplateSection]) {
    for (at, section) in (0..).zip(sections) {
        section.ordinal = Some(at);
    }
}

/// Adds a section to a template that people made, at its place or at the end.
pub fn add_section(
    draft: &mut WorkDraft<'_>,
    asked: &str,
    version: Option<u32>,
    section: TemplateSection,
) -> Result<Template> {
    // Adding takes nothing away, so it needs no version.
    let current = find(draft, asked)?.version;
    let mut template = require_custom_template(draft, asked, version.or(Some(current)))?;
    let last = template.sections.len();
    let place = section.ordinal.and_then(|ordinal| usize::try_from(ordinal).ok());
    template.sections.insert(place.unwrap_or(last).min(last), section);
    assign_ordinals(&mut template.sections);
    put_new_version(draft, template)
}

/// Offers a template, or no longer.
pub fn enable(draft: &mut WorkDraft<'_>, asked: &str, is_enabled: bool) -> Result<Template> {
    let template = Template { is_enabled, ..find(draft, asked)? };
    put_new_version(draft, template)
}

/// Removes a template that people made.
pub fn delete(draft: &mut WorkDraft<'_>, asked: &str, version: Option<u32>) -> Result<Template> {
    let template = require_custom_template(draft, asked, version)?;
    draft.delete::<Template>(&template.id)?;
    Ok(template)
}

fn require_custom_template(
    draft: &WorkDraft<'_>,
    asked: &str,
    version: Option<u32>,
) -> Result<Template> {
    let template = find(draft, asked)?;
    let Some(version) = version else {
        return Err(Problem::invalid("`version` is needed to change or delete a template"));
    };
    check_version(&format!("template \"{}\"", template.name), template.version, Some(version))?;
    if template.is_built_in {
        let what = format!("template \"{}\" came with cairn and cannot be changed", template.name);
        return Err(Problem::new(ProblemCode::InvalidOperation, what)
            .hint("make one of your own, or disable it"));
    }
    Ok(template)
}

fn put_new_version(draft: &mut WorkDraft<'_>, mut template: Template) -> Result<Template> {
    template.version += 1;
    template.updated_at = draft.stamp();
    draft.put(&template)?;
    Ok(template)
}

/// Adds a template's sections to a record; those it has already are left as they are.
pub fn apply(
    draft: &mut WorkDraft<'_>,
    owner: &WorkItem,
    template: &Template,
) -> Result<Vec<Section>> {
    if template.target_entity_type != owner.kind() {
        let what = format!(
            "template \"{}\" is for {}, not {}",
            template.name,
            with_article(template.target_entity_type.word()),
            with_article(owner.kind().word())
        );
        return Err(Problem::new(ProblemCode::InvalidOperation, what));
    }
    if !template.is_enabled {
        let what = format!("template \"{}\" is disabled", template.name);
        return Err(Problem::new(ProblemCode::InvalidOperation, what));
    }
    let known = sections::of(draft, owner)?;
    let mut added = Vec::new();
    for sample in &template.sections {
        if known.iter().any(|section| section.title == sample.title) {
            continue;
        }
        let text = |text: &str| text.parse().map_err(Problem::invalid);
        let fields = SectionFields {
            title: Some(sample.title.parse().map_err(Problem::invalid)?),
            usage_description: Some(text(&sample.usage_description)?),
            content: Some(sample.content_sample.parse().map_err(Problem::invalid)?),
            content_format: Some(sample.content_format),
            ..SectionFields::default()
        };
        added.push(sections::add(draft, owner, &fields)?);
    }
    Ok(added)
}
