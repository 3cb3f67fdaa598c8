//! Tags: where they are used, and renaming them.

use std::collections::BTreeMap;

use base::{Problem, Result};
use schemars::JsonSchema;
use serde::Serialize;

use crate::container::{WorkItem, WorkItemBrief};
use crate::draft::WorkDraft;
use crate::id::WorkRecordId;
use crate::query::{WorkItemRef, tables};
use crate::record::{Feature, Project, Record, Section, Task, Template};
use crate::text::Tag;
use crate::words::WorkKind;

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

/// Every project, feature and task of a project, or of all, that has a tag.
fn tagged(
    draft: &WorkDraft<'_>,
    project: Option<&WorkRecordId>,
    tag: &str,
) -> Result<Vec<WorkItem>> {
    items_with_tag(draft, project, tag)?.iter().map(|one| one.load(draft)).collect()
}

/// Every tag, most used first.
pub fn usage(draft: &WorkDraft<'_>, project: Option<&WorkRecordId>) -> Result<Vec<TagUsage>> {
    let mut counts: BTreeMap<String, TagUsage> = BTreeMap::new();
    let mut tables = vec![Project::TABLE, Feature::TABLE, Task::TABLE];
    if project.is_none() {
        tables.extend([Section::TABLE, Template::TABLE]);
    }
    for table in tables {
        let project = project.map(WorkRecordId::as_str);
        for (tag, uses) in tables::tag_counts(draft.conn(), table, project)? {
            let usage = counts.entry(tag).or_default();
            usage.total += uses;
            *usage.by_kind.entry(table.name).or_default() += uses;
        }
    }
    let named = counts.into_iter().map(|(tag, usage)| TagUsage { tag, ..usage });
    let mut usages: Vec<TagUsage> = named.collect();
    usages.sort_by(|a, b| b.total.cmp(&a.total).then_with(|| a.tag.cmp(&b.tag)));
    Ok(usages)
}

/// The records that have a tag: projects, then features, then tasks.
pub fn items_with_tag(
    draft: &WorkDraft<'_>,
    project: Option<&WorkRecordId>,
    tag: &str,
) -> Result<Vec<WorkItemRef>> {
    let mut found = Vec::new();
    for kind in WorkKind::ALL {
        let ids = tables::ids_with_tag(
            draft.conn(),
            kind.table(),
            project.map(WorkRecordId::as_str),
            tag,
        )?;
        found.extend(ids.into_iter().map(|id| WorkItemRef { kind: *kind, id }));
    }
    Ok(found)
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
    for mut one in tagged(draft, project, old)? {
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
