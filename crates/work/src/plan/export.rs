//! Features and tasks of the store as a plan.

use std::collections::BTreeMap;

use base::Result;

use super::beads::BeadsIds;
use super::{PlanDocument, PlannedItem, PlannedRelation, PlannedRelationKind, PlannedSection};
use crate::container::WorkItem;
use crate::draft::WorkDraft;
use crate::id::WorkRecordId;
use crate::record::{Dependency, Feature, Project, Section, Task};
use crate::sections;
use crate::words::{ContentFormat, DependencyKind, WorkKind};

/// A project, a feature with its tasks, or one task, as a plan.
pub fn plan_of(draft: &WorkDraft<'_>, of: &WorkItem) -> Result<PlanDocument> {
    let mut plan = PlanDocument::default();
    match of {
        WorkItem::Project(project) => add_project(draft, &mut plan, project)?,
        WorkItem::Feature(feature) => add_feature(draft, &mut plan, feature)?,
        WorkItem::Task(task) => add_task(draft, &mut plan, None, task)?,
    }
    Ok(plan)
}

fn add_project(draft: &WorkDraft<'_>, plan: &mut PlanDocument, project: &Project) -> Result<()> {
    plan.project = Some(project.name.clone());
    let tasks: Vec<Task> = draft.list("project_id", &project.id)?;
    for task in tasks.iter().filter(|task| task.feature_id.is_none()) {
        add_task(draft, plan, None, task)?;
    }
    for feature in draft.list::<Feature>("project_id", &project.id)? {
        add_feature(draft, plan, &feature)?;
    }
    Ok(())
}

fn add_feature(draft: &WorkDraft<'_>, plan: &mut PlanDocument, feature: &Feature) -> Result<()> {
    let at = plan.items.len();
    let item = WorkItem::Feature(feature.clone());
    let planned = PlannedItem {
        status: Some(feature.status),
        end_reason: feature.end_reason.clone(),
        priority: Some(feature.priority),
        assignee: feature.assignee.clone(),
        due: feature.due.clone(),
        milestone: feature.milestone.clone(),
        estimate: feature.estimate,
        source: feature.source.clone(),
        ..common(draft, &item, &feature.summary, &feature.description)?
    };
    plan.items.push(planned);
    for task in draft.list::<Task>("feature_id", &feature.id)? {
        add_task(draft, plan, Some(at), &task)?;
    }
    Ok(())
}

fn add_task(
    draft: &WorkDraft<'_>,
    plan: &mut PlanDocument,
    feature: Option<usize>,
    task: &Task,
) -> Result<()> {
    let item = WorkItem::Task(task.clone());
    plan.items.push(PlannedItem {
        feature,
        status: Some(task.status),
        end_reason: task.end_reason.clone(),
        priority: Some(task.priority),
        complexity: Some(task.complexity),
        assignee: task.assignee.clone(),
        due: task.due.clone(),
        milestone: task.milestone.clone(),
        estimate: task.estimate,
        source: task.source.clone(),
        ..common(draft, &item, &task.summary, &task.description)?
    });
    Ok(())
}

/// What features and tasks have in common.
fn common(
    draft: &WorkDraft<'_>,
    item: &WorkItem,
    summary: &str,
    description: &str,
) -> Result<PlannedItem> {
    let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let sections = sections::of(draft, item)?.into_iter().map(planned_section);
    Ok(PlannedItem {
        key: Some(item.key().to_string()),
        tags: Some(item.tags().to_vec()).filter(|tags| !tags.is_empty()),
        summary: text(summary),
        description: text(description),
        sections: sections.collect(),
        relations: relations_of(draft, item)?,
        ..PlannedItem::new(item.kind(), item.name())
    })
}

fn planned_section(section: Section) -> PlannedSection {
    PlannedSection {
        title: section.title,
        usage: Some(section.usage_description).filter(|text| !text.is_empty()),
        content: section.content,
        format: Some(section.content_format).filter(|one| *one != ContentFormat::Markdown),
        tags: Some(section.tags).filter(|tags| !tags.is_empty()),
    }
}

/// The relations that a plan lists at this item. Each relation is listed at one of its ends only.
fn relations_of(draft: &WorkDraft<'_>, item: &WorkItem) -> Result<Vec<PlannedRelation>> {
    let mut keys: BTreeMap<WorkRecordId, String> = BTreeMap::new();
    let mut relations = Vec::new();
    let mut add = |kind, other: Option<&WorkRecordId>, reason: String| -> Result<()> {
        let other = match other {
            None => String::new(),
            Some(id) => match keys.get(id) {
                Some(key) => key.clone(),
                None => match WorkItem::of_id(draft, id)? {
                    Some(other) => {
                        let key = other.key().to_string();
                        keys.insert(id.clone(), key.clone());
                        key
                    }
                    None => return Ok(()),
                },
            },
        };
        relations.push(PlannedRelation { kind, other, reason });
        Ok(())
    };
    for tie in draft.list::<Dependency>("to_id", item.id())? {
        let kind = match tie.relation {
            DependencyKind::Blocks => PlannedRelationKind::BlockedBy,
            DependencyKind::ParentOf => PlannedRelationKind::PartOf,
            _ => continue,
        };
        add(kind, tie.from_id.as_ref(), tie.reason)?;
    }
    for tie in draft.list::<Dependency>("from_id", item.id())? {
        let kind = match tie.relation {
            DependencyKind::Duplicates => PlannedRelationKind::DuplicateOf,
            DependencyKind::DiscoveredFrom => PlannedRelationKind::DiscoveredFrom,
            DependencyKind::RelatesTo => PlannedRelationKind::RelatedTo,
            _ => continue,
        };
        add(kind, Some(&tie.to_id), tie.reason)?;
    }
    relations.sort_by_key(|one| {
        let place = PlannedRelationKind::ALL.iter().position(|kind| *kind == one.kind);
        (place, one.other.clone(), one.reason.clone())
    });
    Ok(relations)
}

/// All projects of the store, as plans.
pub fn all_plans(draft: &WorkDraft<'_>) -> Result<Vec<PlanDocument>> {
    let projects: Vec<Project> = draft.all()?;
    projects.into_iter().map(|project| plan_of(draft, &WorkItem::Project(project))).collect()
}

/// One plan as lines of JSON in the form of beads.
pub fn beads_lines(plan: &PlanDocument) -> Result<String> {
    let (mut out, ids) = (String::new(), BeadsIds::of(plan));
    for item in &plan.items {
        let line = ids.line(plan, item)?;
        out.push_str(&line);
        out.push('\n');
    }
    Ok(out)
}

impl PlannedItem {
    /// Whether it is a feature.
    pub fn is_feature(&self) -> bool {
        self.kind == WorkKind::Feature
    }
}
