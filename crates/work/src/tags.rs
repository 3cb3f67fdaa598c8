//! Tags: where they are used, and renaming them.

use std::collections::BTreeMap;

use base::{Problem, Result};
use schemars::JsonSchema;
use serde::Serialize;

use crate::container::{WorkItem, WorkItemBrief};
use crate::draft::WorkDraft;
use crate::id::WorkRecordId;
use crate::record::{Feature, Project, Section, Task, Template};
use crate::text::Tag;

/// A tag and its use.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TagUsage {
    /// The tag
    pub tag: String,
    /// How many records have it
    pub total: usize,
    /// How many of each kind
    pub by_kind: BTreeMap<&'static str, usize>,
}

/// Every project, feature and task of a project, or of all.
pub(crate) fn containers(
    draft: &WorkDraft<'_>,
    project: Option<&WorkRecordId>,
) -> Result<Vec<WorkItem>> {
    let projects = draft.all::<Project>()?.into_iter().map(WorkItem::Project);
    let features = draft.all::<Feature>()?.into_iter().map(WorkItem::Feature);
    let tasks = draft.all::<Task>()?.into_iter().map(WorkItem::Task);
    let all = projects.chain(features).chain(tasks);
    Ok(all.filter(|one| project.is_none_or(|id| one.project_id() == id)).collect())
}

/// Every tag, most used first.
pub fn usage(draft: &WorkDraft<'_>, project: Option<&WorkRecordId>) -> Result<Vec<TagUsage>> {
    let mut counts: BTreeMap<String, TagUsage> = BTreeMap::new();
    let mut count = |tags: &[String], kind: &'static str| {
        for tag in tags {
            let usage = counts.entry(tag.clone()).or_default();
            usage.total += 1;
            *usage.by_kind.entry(kind).or_default() += 1;
        }
    };
    for one in containers(draft, project)? {
        count(one.tags(), one.kind().word());
    }
    if project.is_none() {
        draft.all::<Section>()?.iter().for_each(|one| count(&one.tags, "section"));
        draft.all::<Template>()?.iter().for_each(|one| count(&one.tags, "template"));
    }
    let named = counts.into_iter().map(|(tag, usage)| TagUsage { tag, ..usage });
    let mut usages: Vec<TagUsage> = named.collect();
    usages.sort_by(|a, b| b.total.cmp(&a.total).then_with(|| a.tag.cmp(&b.tag)));
    Ok(usages)
}

/// The records that have a tag.
pub fn items_with_tag(
    draft: &WorkDraft<'_>,
    project: Option<&WorkRecordId>,
    tag: &str,
) -> Result<Vec<WorkItemBrief>> {
    let mut all = containers(draft, project)?;
    all.retain(|one| one.tags().iter().any(|known| known == tag));
    Ok(all.iter().map(WorkItem::brief).collect())
}

/// Renames a tag wherever it is used. A record that has both tags keeps one.
pub fn rename(
    draft: &mut WorkDraft<'_>,
    project: Option<&WorkRecordId>,
    old: &Tag,
    new: &Tag,
) -> Result<Vec<WorkItemBrief>> {
    let (old, new) = (old.as_str().trim(), new.as_str().trim());
    if old == new {
        return Err(Problem::invalid("both tags are the same"));
    }
    let renamed = |tags: &[String]| {
        let mut tags: Vec<String> =
            tags.iter().map(|tag| if tag == old { new.to_owned() } else { tag.clone() }).collect();
        tags.sort();
        tags.dedup();
        tags
    };
    let now = draft.stamp();
    let mut changed = Vec::new();
    let mut found = containers(draft, project)?;
    found.retain(|one| one.tags().iter().any(|tag| tag == old));
    for mut one in found {
        match &mut one {
            WorkItem::Project(x) => {
                (x.tags, x.version, x.updated_at) = (renamed(&x.tags), x.version + 1, now.clone());
            }
            WorkItem::Feature(x) => {
                (x.tags, x.version, x.updated_at) = (renamed(&x.tags), x.version + 1, now.clone());
            }
            WorkItem::Task(x) => {
                (x.tags, x.version, x.updated_at) = (renamed(&x.tags), x.version + 1, now.clone());
            }
        }
        one.put(draft)?;
        changed.push(one.brief());
    }
    if project.is_none() {
        for mut section in draft.all::<Section>()? {
            if section.tags.iter().any(|tag| tag == old) {
                section.tags = renamed(&section.tags);
                section.version += 1;
                draft.put(&section)?;
            }
        }
        for mut template in draft.all::<Template>()? {
            if template.tags.iter().any(|tag| tag == old) {
                template.tags = renamed(&template.tags);
                template.version += 1;
                draft.put(&template)?;
            }
        }
    }
    if changed.is_empty() {
        return Err(Problem::not_found(format!("no record has the tag `{old}`")));
    }
    Ok(changed)
}
