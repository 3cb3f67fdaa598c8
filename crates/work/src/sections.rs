//! The sections with the long texts of projects, features and tasks.

use base::{Problem, ProblemCode, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::claim::refuse_foreign_claim;
use crate::container::{WorkItem, check_version};
use crate::draft::WorkDraft;
use crate::id::{VersionedRef, WorkRecordId, WorkRecordRef};
use crate::record::{Section, Task};
use crate::text::{ListArg, RecordName, SectionContent, SummaryText, Tag, tags};
use crate::words::{ContentFormat, WorkKind};

/// Sections that one record may have.
const MAX_SECTIONS: usize = 200;

/// A section to add, or the fields of one to change.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SectionFields {
    /// The section to change
    #[serde(alias = "sectionId", alias = "section_id", skip_serializing_if = "Option::is_none")]
    pub id: Option<WorkRecordRef>,
    /// The version it must have
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// Its heading
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<RecordName>,
    /// What it is for
    #[serde(alias = "usageDescription", skip_serializing_if = "Option::is_none")]
    pub usage_description: Option<SummaryText>,
    /// Its content
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<SectionContent>,
    /// The format of the content
    #[serde(alias = "contentFormat", skip_serializing_if = "Option::is_none")]
    pub content_format: Option<ContentFormat>,
    /// Its position among the sections
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ordinal: Option<u32>,
    /// Labels
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<ListArg<Tag>>,
    /// The project, feature or task that it is added to, if sections are added to several
    #[serde(alias = "entityId", alias = "entity_id", skip_serializing_if = "Option::is_none")]
    pub owner: Option<WorkRecordRef>,
    /// What kind of record that is
    #[serde(alias = "entityType", alias = "entity_type", skip_serializing_if = "Option::is_none")]
    pub owner_kind: Option<WorkKind>,
}

impl SectionFields {
    /// The owner that the fields name, if any.
    pub fn owner(&self, draft: &WorkDraft<'_>) -> Result<Option<WorkItem>> {
        let kinds = self.owner_kind.map_or_else(|| WorkKind::ALL.to_vec(), |kind| vec![kind]);
        self.owner.as_ref().map(|owner| WorkItem::find(draft, &kinds, owner)).transpose()
    }
}

/// The sections of a record, in their order.
pub fn of(draft: &WorkDraft<'_>, owner: &WorkItem) -> Result<Vec<Section>> {
    let mut sections = draft.list::<Section>("entity_id", owner.id())?;
    sections.sort_by(|a, b| (a.ordinal, &a.id).cmp(&(b.ordinal, &b.id)));
    Ok(sections)
}

/// The section of a record with this title, ignoring case.
pub fn titled(draft: &WorkDraft<'_>, owner: &WorkItem, title: &str) -> Result<Section> {
    let all = of(draft, owner)?;
    let titles: Vec<String> = all.iter().map(|one| format!("\"{}\"", one.title)).collect();
    let found = all.into_iter().find(|one| one.title.eq_ignore_ascii_case(title));
    found.ok_or_else(|| {
        let what = format!("no section \"{title}\" of {} \"{}\"", owner.kind(), owner.name());
        Problem::not_found(what).hint(format!("it has {}", titles.join(", ")))
    })
}

/// Adds a section at its ordinal, or at the end.
pub fn add(draft: &mut WorkDraft<'_>, owner: &WorkItem, fields: &SectionFields) -> Result<Section> {
    let Some(title) = &fields.title else {
        return Err(Problem::invalid("a section needs a title"));
    };
    refuse_foreign_owner(draft, owner.id())?;
    let mut others = of(draft, owner)?;
    if others.len() >= MAX_SECTIONS {
        let what = format!("the record already has {MAX_SECTIONS} sections");
        return Err(Problem::new(ProblemCode::InvalidOperation, what));
    }
    let last = others.last().map_or(0, |section| section.ordinal + 1);
    let ordinal = fields.ordinal.unwrap_or(last).min(last);
    // The sections behind it move by one.
    for other in others.iter_mut().filter(|other| other.ordinal >= ordinal) {
        other.ordinal += 1;
        draft.put(other)?;
    }
    let now = draft.stamp();
    let section = Section {
        id: draft.new_id(),
        entity_type: owner.kind(),
        entity_id: owner.id().clone(),
        title: title.as_str().trim().into(),
        usage_description: trimmed(fields.usage_description.as_ref()),
        content: fields.content.as_ref().map(|text| text.as_str().to_owned()).unwrap_or_default(),
        content_format: fields.content_format.unwrap_or(ContentFormat::Markdown),
        ordinal,
        tags: fields.tags.as_ref().map(tags).unwrap_or_default(),
        version: 1,
        created_at: now.clone(),
        updated_at: now,
    };
    draft.put(&section)?;
    Ok(section)
}

/// Changes a section.
pub fn update(draft: &mut WorkDraft<'_>, fields: &SectionFields) -> Result<Section> {
    let Some(id) = &fields.id else {
        return Err(Problem::invalid("`id` of the section is required"));
    };
    let mut section: Section = draft.find(id)?;
    let Some(version) = fields.version else {
        return Err(Problem::invalid("`version` is required to change a section"));
    };
    check_version(&format!("section \"{}\"", section.title), section.version, Some(version))?;
    if let Some(title) = &fields.title {
        section.title = title.as_str().trim().into();
    }
    if fields.usage_description.is_some() {
        section.usage_description = trimmed(fields.usage_description.as_ref());
    }
    if let Some(content) = &fields.content {
        section.content = content.as_str().into();
    }
    section.content_format = fields.content_format.unwrap_or(section.content_format);
    section.ordinal = fields.ordinal.unwrap_or(section.ordinal);
    if let Some(many) = &fields.tags {
        section.tags = tags(many);
    }
    bump_version(draft, &mut section)?;
    Ok(section)
}

/// Replaces a text that occurs once in the content of a section.
pub fn update_text(
    draft: &mut WorkDraft<'_>,
    target: VersionedRef<'_>,
    old: &str,
    new: &str,
) -> Result<Section> {
    let mut section: Section = draft.find(target.id)?;
    check_version(&format!("section \"{}\"", section.title), section.version, target.version)?;
    match section.content.matches(old).count() {
        _ if old.is_empty() => return Err(Problem::invalid("the text to replace is empty")),
        0 => return Err(Problem::not_found("the section does not contain that text")),
        1 => {}
        many => {
            return Err(Problem::new(
                ProblemCode::Ambiguous,
                format!("that text occurs {many} times"),
            )
            .hint("include more of the text around it"));
        }
    }
    let content: SectionContent =
        section.content.replacen(old, new, 1).parse().map_err(Problem::invalid)?;
    section.content = content.into();
    bump_version(draft, &mut section)?;
    Ok(section)
}

/// Removes a section.
pub fn delete(
    draft: &mut WorkDraft<'_>,
    id: &WorkRecordRef,
    version: Option<u32>,
) -> Result<Section> {
    let section: Section = draft.find(id)?;
    let Some(version) = version else {
        return Err(Problem::invalid("`version` is required to delete a section"));
    };
    check_version(&format!("section \"{}\"", section.title), section.version, Some(version))?;
    refuse_foreign_owner(draft, &section.entity_id)?;
    draft.delete::<Section>(&section.id)?;
    Ok(section)
}

/// Reorders the sections of a record: the given ones first, the others behind them in their old order.
pub fn reorder(
    draft: &mut WorkDraft<'_>,
    owner: &WorkItem,
    order: &[WorkRecordRef],
) -> Result<Vec<Section>> {
    let mut rest = of(draft, owner)?;
    let mut sections: Vec<Section> = Vec::new();
    for asked in order {
        let section: Section = draft.find(asked)?;
        if section.entity_id != *owner.id() {
            let what = format!("section \"{}\" belongs to another record", section.title);
            return Err(Problem::new(ProblemCode::InvariantViolation, what));
        }
        if sections.iter().any(|known| known.id == section.id) {
            return Err(Problem::invalid(format!("section {} is named twice", section.id)));
        }
        rest.retain(|other| other.id != section.id);
        sections.push(section);
    }
    sections.append(&mut rest);
    for (ordinal, section) in (0..).zip(&mut sections) {
        if section.ordinal != ordinal {
            section.ordinal = ordinal;
            bump_version(draft, section)?;
        }
    }
    Ok(sections)
}

/// Refuses to change the sections of a task that another session holds.
fn refuse_foreign_owner(draft: &WorkDraft<'_>, owner: &WorkRecordId) -> Result<()> {
    let task: Option<Task> = draft.get(owner)?;
    task.map_or(Ok(()), |task| refuse_foreign_claim(draft, &task))
}

fn bump_version(draft: &mut WorkDraft<'_>, section: &mut Section) -> Result<()> {
    refuse_foreign_owner(draft, &section.entity_id)?;
    section.version += 1;
    section.updated_at = draft.stamp();
    draft.put(section)
}

fn trimmed(text: Option<&SummaryText>) -> String {
    text.map_or("", SummaryText::as_str).trim().into()
}
