//! Templates of sections: built-in ones, and custom ones.

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

/// A section of a built-in template.
struct BuiltInSection {
    title: &'static str,
    purpose: &'static str,
    sample: &'static str,
    is_required: bool,
}

/// A built-in template.
struct BuiltInTemplate {
    id: &'static str,
    name: &'static str,
    description: &'static str,
    target: WorkKind,
    sections: &'static [BuiltInSection],
}

const PLAN: BuiltInSection = BuiltInSection {
    title: "Implementation Plan",
    purpose: "How it will be built, step by step, and why this way",
    sample: "1. \n",
    is_required: true,
};
const FILES: BuiltInSection = BuiltInSection {
    title: "Context Files",
    purpose: "The files to read and change, one per line; knowledge is found through these",
    // The name is `knowledge::files::PLACEHOLDER`, which is not a file.
    sample: "- `path/to/file` why it matters\n",
    is_required: true,
};
const VERIFICATION: BuiltInSection = BuiltInSection {
    title: "Verification",
    purpose: "What shows that it works: tests by name, and what to check by hand",
    sample: "- [ ] \n",
    is_required: true,
};
const CONSTRAINTS: BuiltInSection = BuiltInSection {
    title: "Dependencies and Constraints",
    purpose: "Dependencies, what must not break, and earlier decisions",
    sample: "",
    is_required: false,
};
const GOAL: BuiltInSection = BuiltInSection {
    title: "Goal",
    purpose: "What its users can do afterwards that they cannot do now",
    sample: "",
    is_required: true,
};

/// The built-in templates.
const BUILT_IN: [BuiltInTemplate; 2] = [
    BuiltInTemplate {
        id: "00000000-0000-7000-8000-000000000001",
        name: "Task",
        description: "Plan, files, proof and limits of one piece of work",
        target: WorkKind::Task,
        sections: &[PLAN, FILES, VERIFICATION, CONSTRAINTS],
    },
    BuiltInTemplate {
        id: "00000000-0000-7000-8000-000000000002",
        name: "Feature",
        description: "Goal, plan, files, proof and limits of something users get",
        target: WorkKind::Feature,
        sections: &[GOAL, PLAN, FILES, VERIFICATION, CONSTRAINTS],
    },
];

/// The fields of a template to set.
#[derive(Debug, Clone, Default)]
pub struct TemplateFields {
    /// Its name
    pub name: Option<RecordName>,
    /// Its purpose
    pub description: Option<SummaryText>,
    /// The kind of record that it is for
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
    let section = |section: &BuiltInSection| TemplateSection {
        title: section.title.into(),
        usage_description: section.purpose.into(),
        content_sample: section.sample.into(),
        content_format: ContentFormat::Markdown,
        is_required: section.is_required,
        ordinal: None,
    };
    let template = |template: &BuiltInTemplate| {
        Ok(Template {
            id: WorkRecordId::try_from(template.id.to_owned()).map_err(Problem::internal)?,
            name: template.name.into(),
            description: template.description.into(),
            target_entity_type: template.target,
            is_built_in: true,
            is_enabled: true,
            tags: Vec::new(),
            sections: template.sections.iter().map(section).collect(),
            version: 1,
            created_at: String::new(),
            updated_at: String::new(),
        })
    };
    BUILT_IN.iter().map(template).collect()
}

/// The template with this id or name.
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

/// Creates a template.
pub fn create(draft: &mut WorkDraft<'_>, fields: &TemplateFields) -> Result<Template> {
    let (Some(name), Some(target)) = (&fields.name, fields.target) else {
        return Err(Problem::invalid("missing `name` or `kind`"));
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
        let what = format!("a template \"{}\" already exists", template.name);
        return Err(Problem::new(ProblemCode::InvariantViolation, what));
    }
    draft.put(&template)?;
    Ok(template)
}

/// Changes a custom template.
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

/// Sections sorted by their ordinals. A section without an ordinal keeps its position.
fn ordered(sections: Vec<TemplateSection>) -> Vec<TemplateSection> {
    let mut placed: Vec<(u32, TemplateSection)> = (0..).zip(sections).collect();
    placed.sort_by_key(|(at, section)| (section.ordinal.unwrap_or(*at), *at));
    let mut sections: Vec<TemplateSection> =
        placed.into_iter().map(|(_, section)| section).collect();
    assign_ordinals(&mut sections);
    sections
}

/// Numbers the sections by position.
fn assign_ordinals(sections: &mut [TemplateSection]) {
    for (at, section) in (0..).zip(sections) {
        section.ordinal = Some(at);
    }
}

/// Adds a section to a custom template, at its ordinal or at the end.
pub fn add_section(
    draft: &mut WorkDraft<'_>,
    asked: &str,
    version: Option<u32>,
    section: TemplateSection,
) -> Result<Template> {
    // Adding a section overwrites nothing, so it needs no version.
    let current = find(draft, asked)?.version;
    let mut template = require_custom_template(draft, asked, version.or(Some(current)))?;
    let last = template.sections.len();
    let place = section.ordinal.and_then(|ordinal| usize::try_from(ordinal).ok());
    template.sections.insert(place.unwrap_or(last).min(last), section);
    assign_ordinals(&mut template.sections);
    put_new_version(draft, template)
}

/// Enables or disables a template.
pub fn enable(draft: &mut WorkDraft<'_>, asked: &str, is_enabled: bool) -> Result<Template> {
    let template = Template { is_enabled, ..find(draft, asked)? };
    put_new_version(draft, template)
}

/// Deletes a custom template.
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
        return Err(Problem::invalid("`version` is required to change or delete a template"));
    };
    check_version(&format!("template \"{}\"", template.name), template.version, Some(version))?;
    if template.is_built_in {
        let what = format!("template \"{}\" is built in and cannot be changed", template.name);
        return Err(Problem::new(ProblemCode::InvalidOperation, what)
            .hint("create your own template, or disable this one"));
    }
    Ok(template)
}

fn put_new_version(draft: &mut WorkDraft<'_>, mut template: Template) -> Result<Template> {
    template.version += 1;
    template.updated_at = draft.stamp();
    draft.put(&template)?;
    Ok(template)
}

/// Adds the sections of a template to a record. Sections that the record already has stay unchanged.
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
