//! Plans: features and tasks with their sections and relations, as one document.
//!
//! A plan is read from Markdown or from the files of other trackers, and written as Markdown. It is
//! applied to the store as a whole: what exists is changed, what does not is created.

mod apply;
pub mod backlog;
mod beads;
pub mod export;
mod fields;
pub mod import;
pub mod markdown;
mod reader;

use crate::words::{ContentFormat, DependencyKind, WorkKind, WorkPriority, WorkStatus};

pub use apply::{AppliedPlan, PlanOptions, PlanRow, apply};

/// A plan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanDocument {
    /// The name of the project, if the plan says it
    pub project: Option<String>,
    /// Features and tasks; a feature comes before its tasks
    pub items: Vec<PlannedItem>,
    /// Files and lines that were not read, with the reason
    pub left_out: Vec<String>,
}

/// A feature or task of a plan. An absent field is left as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedItem {
    /// Whether it is a feature or a task
    pub kind: WorkKind,
    /// Its name
    pub name: String,
    /// Its key, if the plan says it
    pub key: Option<String>,
    /// The position of its feature in the plan
    pub feature: Option<usize>,
    /// Its status; only a new record gets it
    pub status: Option<WorkStatus>,
    /// Why it was terminated
    pub end_reason: Option<String>,
    /// Its priority
    pub priority: Option<WorkPriority>,
    /// Its complexity, from 1 to 10
    pub complexity: Option<u32>,
    /// Its tags
    pub tags: Option<Vec<String>>,
    /// Person or agent that it is assigned to
    pub assignee: Option<String>,
    /// The day by which it is due
    pub due: Option<String>,
    /// The milestone that it belongs to
    pub milestone: Option<String>,
    /// How long it is expected to take, in minutes
    pub estimate: Option<u32>,
    /// Where it comes from
    pub source: Option<String>,
    /// A short summary
    pub summary: Option<String>,
    /// The description
    pub description: Option<String>,
    /// Its sections, in order
    pub sections: Vec<PlannedSection>,
    /// Its relations to other work
    pub relations: Vec<PlannedRelation>,
}

impl PlannedItem {
    /// An item with only a name.
    pub fn new(kind: WorkKind, name: impl Into<String>) -> Self {
        Self {
            kind,
            name: name.into(),
            key: None,
            feature: None,
            status: None,
            end_reason: None,
            priority: None,
            complexity: None,
            tags: None,
            assignee: None,
            due: None,
            milestone: None,
            estimate: None,
            source: None,
            summary: None,
            description: None,
            sections: Vec::new(),
            relations: Vec::new(),
        }
    }
}

/// A section of a planned item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedSection {
    /// Its heading
    pub title: String,
    /// Its purpose
    pub usage: Option<String>,
    /// Its content
    pub content: String,
    /// The format of the content
    pub format: Option<ContentFormat>,
    /// Its tags
    pub tags: Option<Vec<String>>,
}

impl PlannedSection {
    /// A section of Markdown.
    pub fn new(title: impl Into<String>, content: impl Into<String>) -> Self {
        let (title, content) = (title.into(), content.into());
        Self { title, usage: None, content, format: None, tags: None }
    }
}

/// A relation of a planned item to other work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedRelation {
    /// How it is related
    pub kind: PlannedRelationKind,
    /// The other work: a key, id, source or name; empty if only a reason blocks
    pub other: String,
    /// The reason
    pub reason: String,
}

/// How a planned item is related to other work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlannedRelationKind {
    /// The other work has to be finished first
    BlockedBy,
    /// The other work waits for it
    Blocks,
    /// It is a part of the other task
    PartOf,
    /// It asks for the same as the other work
    DuplicateOf,
    /// It was found while the other work was done
    DiscoveredFrom,
    /// It has to do with the other work
    RelatedTo,
}

impl PlannedRelationKind {
    /// Every kind.
    pub const ALL: [Self; 6] = [
        Self::BlockedBy,
        Self::Blocks,
        Self::PartOf,
        Self::DuplicateOf,
        Self::DiscoveredFrom,
        Self::RelatedTo,
    ];

    /// Its words in a plan.
    pub const fn words(self) -> &'static str {
        match self {
            Self::BlockedBy => "blocked by",
            Self::Blocks => "blocks",
            Self::PartOf => "part of",
            Self::DuplicateOf => "duplicate of",
            Self::DiscoveredFrom => "discovered from",
            Self::RelatedTo => "related to",
        }
    }

    /// The relation as it is stored, and whether the other work is its first end.
    const fn stored(self) -> StoredRelation {
        let (relation, comes_in) = match self {
            Self::BlockedBy => (DependencyKind::Blocks, true),
            Self::Blocks => (DependencyKind::Blocks, false),
            Self::PartOf => (DependencyKind::ParentOf, true),
            Self::DuplicateOf => (DependencyKind::Duplicates, false),
            Self::DiscoveredFrom => (DependencyKind::DiscoveredFrom, false),
            Self::RelatedTo => (DependencyKind::RelatesTo, false),
        };
        StoredRelation { relation, comes_in }
    }
}

/// A relation of a plan in the terms of the store.
#[derive(Debug, Clone, Copy)]
struct StoredRelation {
    relation: DependencyKind,
    comes_in: bool,
}
