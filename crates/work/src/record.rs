//! The records that the store keeps, each a row of one table.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::id::WorkRecordId;
use crate::words::{
    ContentFormat, DependencyKind, KnowledgeKind, WorkKind, WorkPriority, WorkStatus,
};

/// How a column holds its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// As text
    Text,
    /// As a whole number
    Number,
    /// As 0 or 1
    Flag,
    /// As JSON text
    Json,
}

/// A table whose rows are records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Table {
    /// Its name
    pub name: &'static str,
    /// Its columns, `id` first
    pub columns: &'static [(&'static str, ColumnType)],
}

/// A row of a table, with its id.
pub trait Record: Serialize + DeserializeOwned + Clone {
    /// Where it is kept.
    const TABLE: Table;
    /// Its id.
    fn id(&self) -> &WorkRecordId;
}

/// A type that a column can hold.
trait Column {
    const COLUMN_TYPE: ColumnType;
}

macro_rules! columns {
    ($($type:ty => $held:ident),* $(,)?) => {
        $(impl Column for $type { const COLUMN_TYPE: ColumnType = ColumnType::$held; })*
    };
}

columns!(
    String => Text, WorkRecordId => Text, WorkKind => Text, KnowledgeKind => Text, WorkStatus => Text, WorkPriority => Text,
    DependencyKind => Text, ContentFormat => Text, u32 => Number, bool => Flag,
);

impl<T: Column> Column for Option<T> {
    const COLUMN_TYPE: ColumnType = T::COLUMN_TYPE;
}

impl<T> Column for Vec<T> {
    const COLUMN_TYPE: ColumnType = ColumnType::Json;
}

macro_rules! record {
    ($(#[$doc:meta])* $name:ident in $table:literal {
        $($(#[$field_doc:meta])* $field:ident: $type:ty),* $(,)?
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub struct $name {
            /// Its id
            pub id: WorkRecordId,
            $($(#[$field_doc])* pub $field: $type),*
        }

        impl Record for $name {
            const TABLE: Table = Table {
                name: $table,
                columns: &[
                    ("id", ColumnType::Text),
                    $((stringify!($field), <$type as Column>::COLUMN_TYPE)),*
                ],
            };
            fn id(&self) -> &WorkRecordId {
                &self.id
            }
        }
    };
}

record!(
    /// What features, tasks and knowledge belong to.
    Project in "project" {
        /// What it is called
        name: String,
        /// What it is about, in short
        summary: String,
        /// What it is about
        description: String,
        /// Labels
        tags: Vec<String>,
        /// Counts up with every change
        version: u32,
        /// When it was made
        created_at: String,
        /// When it was last changed
        updated_at: String,
    }
);

record!(
    /// Something that users get.
    Feature in "feature" {
        /// Its project
        project_id: WorkRecordId,
        /// What it is called
        name: String,
        /// What it is about, in short
        summary: String,
        /// What it is about
        description: String,
        /// Where it stands
        status: WorkStatus,
        /// How urgent it is
        priority: WorkPriority,
        /// Labels
        tags: Vec<String>,
        /// Where it stood when its last task ended it; absent when it was ended by itself
        ended_from: Option<WorkStatus>,
        /// Why it was given up
        end_reason: Option<String>,
        /// Counts up with every change
        version: u32,
        /// When it was made
        created_at: String,
        /// When it was last changed
        updated_at: String,
    }
);

record!(
    /// A piece of work.
    Task in "task" {
        /// Its project
        project_id: WorkRecordId,
        /// Its feature
        feature_id: Option<WorkRecordId>,
        /// What it is called
        title: String,
        /// What it is about, in short
        summary: String,
        /// What it is about
        description: String,
        /// Where it stands
        status: WorkStatus,
        /// How urgent it is
        priority: WorkPriority,
        /// How hard it is, from 1 to 10
        complexity: u32,
        /// Labels
        tags: Vec<String>,
        /// What shows that it is done
        evidence: Vec<EvidenceRecord>,
        /// Why it was given up
        end_reason: Option<String>,
        /// Counts up with every change
        version: u32,
        /// When it was made
        created_at: String,
        /// When it was last changed
        updated_at: String,
    }
);

/// What shows that a task is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EvidenceRecord {
    /// What kind it is, such as `tests`
    pub kind: String,
    /// What was seen
    pub what: String,
    /// Who saw it
    pub by: String,
    /// When
    pub at: String,
    /// What the task's files looked like then
    pub digest: String,
}

record!(
    /// A part of what is written about a project, feature or task.
    Section in "section" {
        /// What kind of record it belongs to
        entity_type: WorkKind,
        /// The record it belongs to
        entity_id: WorkRecordId,
        /// Its heading
        title: String,
        /// What it is for
        usage_description: String,
        /// What it says
        content: String,
        /// What that is written in
        content_format: ContentFormat,
        /// Its place among the others
        ordinal: u32,
        /// Labels
        tags: Vec<String>,
        /// Counts up with every change
        version: u32,
        /// When it was made
        created_at: String,
        /// When it was last changed
        updated_at: String,
    }
);

record!(
    /// Sections to start from.
    Template in "template" {
        /// What it is called
        name: String,
        /// What it is for
        description: String,
        /// What kind of record it is for
        target_entity_type: WorkKind,
        /// Whether it came with cairn
        is_built_in: bool,
        /// Whether it is offered
        is_enabled: bool,
        /// Labels
        tags: Vec<String>,
        /// The sections, in order
        sections: Vec<TemplateSection>,
        /// Counts up with every change
        version: u32,
        /// When it was made
        created_at: String,
        /// When it was last changed
        updated_at: String,
    }
);

/// A section as a template has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TemplateSection {
    /// Its heading
    pub title: String,
    /// What it is for
    #[serde(default, alias = "usageDescription")]
    pub usage_description: String,
    /// What it says until somebody writes
    #[serde(default, alias = "contentSample", alias = "content")]
    pub content_sample: String,
    /// What that is written in
    #[serde(default = "markdown", alias = "contentFormat")]
    pub content_format: ContentFormat,
    /// Whether it has to be filled
    #[serde(default, alias = "isRequired")]
    pub is_required: bool,
    /// Its place among the sections of the template, from 0
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ordinal: Option<u32>,
}

const fn markdown() -> ContentFormat {
    ContentFormat::Markdown
}

record!(
    /// How two pieces of work are related.
    Dependency in "dependency" {
        /// How
        relation: DependencyKind,
        /// What blocks; absent when only a reason does
        from_id: Option<WorkRecordId>,
        /// What is blocked
        to_id: WorkRecordId,
        /// Why
        reason: String,
        /// When it was made
        created_at: String,
    }
);

record!(
    /// Who works on a task. Its id is the task's, so that there is one at most.
    TaskClaim in "claim" {
        /// Who
        actor: String,
        /// Since when
        since: String,
        /// Until when, unless it is renewed
        until: String,
    }
);

record!(
    /// Knowledge that several atoms share.
    Molecule in "molecule" {
        /// Its project
        project_id: WorkRecordId,
        /// What it is called
        name: String,
        /// What is worth knowing
        knowledge: String,
        /// Molecules it has to do with
        related: Vec<RelatedRecord>,
        /// The task that made it
        created_by_task_id: Option<WorkRecordId>,
        /// The task that changed it last
        last_task_id: Option<WorkRecordId>,
        /// Counts up with every change
        version: u32,
        /// When it was made
        created_at: String,
        /// When it was last changed
        updated_at: String,
    }
);

record!(
    /// Knowledge about some paths.
    Atom in "atom" {
        /// Its project
        project_id: WorkRecordId,
        /// Its molecule
        molecule_id: Option<WorkRecordId>,
        /// What it is called
        name: String,
        /// Globs of the files it is about
        paths: Vec<String>,
        /// What is worth knowing
        knowledge: String,
        /// Atoms it has to do with
        related: Vec<RelatedRecord>,
        /// The task that made it
        created_by_task_id: Option<WorkRecordId>,
        /// The task that changed it last
        last_task_id: Option<WorkRecordId>,
        /// Counts up with every change
        version: u32,
        /// When it was made
        created_at: String,
        /// When it was last changed
        updated_at: String,
    }
);

/// Another of the same kind, and what they have to do with each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RelatedRecord {
    /// The other
    pub id: WorkRecordId,
    /// What they have to do with each other
    pub reason: String,
}

record!(
    /// What an atom's files looked like when its knowledge was written. Its id is the atom's.
    Footprint in "footprint" {
        /// The files
        files: Vec<FileFingerprint>,
        /// When that was
        at: String,
    }
);

/// A file as it was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileFingerprint {
    /// Where it is
    pub path: String,
    /// The first digits of its content's hash
    pub hash: String,
    /// How many lines it had
    pub lines: u32,
}

record!(
    /// What happened to an atom or molecule. Never changed.
    ChangelogEntry in "changelog" {
        /// What kind of record it is about
        parent_type: KnowledgeKind,
        /// The record it is about
        parent_id: WorkRecordId,
        /// The task in which it happened
        task_id: Option<WorkRecordId>,
        /// What changed and why
        summary: String,
        /// When
        created_at: String,
    }
);

record!(
    /// What a record looked like when it was last the same here and in the shared files.
    SharedAgreement in "shared" {
        /// The revision of its file then
        version: u32,
        /// The hash of its content then
        hash: String,
    }
);
