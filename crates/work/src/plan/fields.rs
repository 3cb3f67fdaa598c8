//! The fields of planned items and sections, and how they differ from the records that they mean.

use base::{Problem, Result};

use super::{PlannedItem, PlannedSection};
use crate::container::WorkItem;
use crate::edit::WorkItemFields;
use crate::id::{WorkRecordId, WorkRecordRef};
use crate::record::Section;
use crate::sections::SectionFields;
use crate::text::{ClearableArg, Estimate, ListArg, Tag};
use crate::words::{WorkKind, WorkPriority};

fn parsed<T: std::str::FromStr<Err = String>>(text: Option<&String>) -> Result<Option<T>> {
    text.map(|text| text.parse().map_err(Problem::invalid)).transpose()
}

fn tag_list(tags: Option<&Vec<String>>) -> Result<Option<ListArg<Tag>>> {
    let Some(tags) = tags else { return Ok(None) };
    let tags = tags.iter().map(|tag| tag.parse().map_err(Problem::invalid));
    Ok(Some(ListArg(tags.collect::<Result<_>>()?)))
}

/// The fields of a new record.
pub(super) fn all_fields(
    item: &PlannedItem,
    feature: Option<&WorkRecordId>,
) -> Result<WorkItemFields> {
    let key = item.key.as_ref().map(|key| key.parse::<WorkRecordRef>()).transpose();
    Ok(WorkItemFields {
        name: parsed(Some(&item.name))?,
        summary: parsed(item.summary.as_ref())?,
        description: parsed(item.description.as_ref())?,
        priority: item.priority,
        complexity: item.complexity.filter(|_| item.kind == WorkKind::Task),
        tags: tag_list(item.tags.as_ref())?,
        feature: feature.map(|id| ClearableArg(Some(WorkRecordRef::from(id)))),
        assignee: parsed(item.assignee.as_ref())?.map(|one| ClearableArg(Some(one))),
        due: parsed(item.due.as_ref())?.map(|one| ClearableArg(Some(one))),
        milestone: parsed(item.milestone.as_ref())?.map(|one| ClearableArg(Some(one))),
        estimate: item.estimate.map(|one| ClearableArg(Some(Estimate::of_minutes(one)))),
        source: item.source.clone(),
        key: key.map_err(Problem::invalid)?,
        ..WorkItemFields::default()
    })
}

/// The fields of an item that differ from the record; `None` if none does.
pub(super) fn changed_fields(
    known: &WorkItem,
    item: &PlannedItem,
    feature: Option<&WorkRecordId>,
) -> Result<Option<WorkItemFields>> {
    let mut fields = all_fields(item, feature)?;
    fields.key = None;
    let row = RecordFields::of(known);
    let is_same = |new: Option<&String>, old: &str| new.is_none_or(|new| new.trim() == old);
    let same_option = |new: Option<&String>, old: Option<&String>| new.is_none() || new == old;
    if item.name.trim() == known.name() {
        fields.name = None;
    }
    if is_same(item.summary.as_ref(), row.summary) {
        fields.summary = None;
    }
    if is_same(item.description.as_ref(), row.description) {
        fields.description = None;
    }
    fields.priority = fields.priority.filter(|new| *new != row.priority);
    fields.complexity = fields.complexity.filter(|new| Some(*new) != row.complexity);
    let mut tags = item.tags.clone().unwrap_or_default();
    tags.sort();
    tags.dedup();
    if item.tags.is_none() || tags == known.tags() {
        fields.tags = None;
    }
    if row.feature == feature || item.kind != WorkKind::Task {
        fields.feature = None;
    }
    if same_option(item.assignee.as_ref(), row.assignee) {
        fields.assignee = None;
    }
    if same_option(item.due.as_ref(), row.due) {
        fields.due = None;
    }
    if same_option(item.milestone.as_ref(), row.milestone) {
        fields.milestone = None;
    }
    if item.estimate.is_none() || item.estimate == row.estimate {
        fields.estimate = None;
    }
    if same_option(item.source.as_ref(), row.source) {
        fields.source = None;
    }
    let is_empty = fields.name.is_none()
        && fields.summary.is_none()
        && fields.description.is_none()
        && fields.priority.is_none()
        && fields.complexity.is_none()
        && fields.tags.is_none()
        && fields.feature.is_none()
        && fields.assignee.is_none()
        && fields.due.is_none()
        && fields.milestone.is_none()
        && fields.estimate.is_none()
        && fields.source.is_none();
    Ok((!is_empty).then_some(fields))
}

/// The fields of a feature or task that a plan can set.
struct RecordFields<'a> {
    summary: &'a str,
    description: &'a str,
    priority: WorkPriority,
    complexity: Option<u32>,
    feature: Option<&'a WorkRecordId>,
    assignee: Option<&'a String>,
    due: Option<&'a String>,
    milestone: Option<&'a String>,
    estimate: Option<u32>,
    source: Option<&'a String>,
}

impl<'a> RecordFields<'a> {
    fn of(item: &'a WorkItem) -> Self {
        match item {
            WorkItem::Task(one) => Self {
                summary: &one.summary,
                description: &one.description,
                priority: one.priority,
                complexity: Some(one.complexity),
                feature: one.feature_id.as_ref(),
                assignee: one.assignee.as_ref(),
                due: one.due.as_ref(),
                milestone: one.milestone.as_ref(),
                estimate: one.estimate,
                source: one.source.as_ref(),
            },
            WorkItem::Feature(one) => Self {
                summary: &one.summary,
                description: &one.description,
                priority: one.priority,
                complexity: None,
                feature: None,
                assignee: one.assignee.as_ref(),
                due: one.due.as_ref(),
                milestone: one.milestone.as_ref(),
                estimate: one.estimate,
                source: one.source.as_ref(),
            },
            WorkItem::Project(one) => Self {
                summary: &one.summary,
                description: &one.description,
                priority: WorkPriority::Medium,
                complexity: None,
                feature: None,
                assignee: None,
                due: None,
                milestone: None,
                estimate: None,
                source: None,
            },
        }
    }
}

pub(super) fn section_fields(section: &PlannedSection) -> Result<SectionFields> {
    Ok(SectionFields {
        title: parsed(Some(&section.title))?,
        usage_description: parsed(section.usage.as_ref())?,
        content: parsed(Some(&section.content))?,
        content_format: section.format,
        tags: tag_list(section.tags.as_ref())?,
        ..SectionFields::default()
    })
}

pub(super) fn differs(known: &Section, planned: &PlannedSection) -> bool {
    known.content != planned.content
        || planned.usage.as_ref().is_some_and(|usage| *usage != known.usage_description)
        || planned.format.is_some_and(|format| format != known.content_format)
        || planned.tags.as_ref().is_some_and(|tags| *tags != known.tags)
}
