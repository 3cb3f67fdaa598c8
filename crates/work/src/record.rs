//! The records of the store. Each type of record has a table.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::id::WorkRecordId;
use crate::words::{
    ContentFormat, DependencyKind, KnowledgeKind, WorkEventKind, WorkKind, WorkPriority, WorkStatus,
};

/// The storage format of a column.
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
    /// Its table.
    const TABLE: Table;
    /// Its id.
    fn id(&self) -> &WorkRecordId;
}

/// A type that a column can store.
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
    DependencyKind => Text, ContentFormat => Text, WorkEventKind => Text, u32 => Number, bool => Flag,
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
    /// A project, to which features, tasks and knowledge belong.
    Project in "project" {
        /// Its name
        name: String,
        /// A short summary
        summary: String,
        /// The description
        description: String,
        /// Its tags
        tags: Vec<String>,
        /// Its version, which counts its changes
        version: u32,
        /// When it was created
        created_at: String,
        /// When it was last changed
        updated_at: String,
    }
);

record!(
    /// A feature: a group of tasks with a common goal.
    Feature in "feature" {
        /// Its project
        project_id: WorkRecordId,
        /// Its name
        name: String,
        /// A short summary
        summary: String,
        /// The description
        description: String,
        /// Its status
        status: WorkStatus,
        /// Its priority
        priority: WorkPriority,
        /// Its tags
        tags: Vec<String>,
        /// Its status before its last task closed it; absent if it was closed directly
        ended_from: Option<WorkStatus>,
        /// Why it was terminated
        end_reason: Option<String>,
        /// The first part of its key; absent if it was created before there were keys
        slug: Option<String>,
        /// Person or agent that it is assigned to
        assignee: Option<String>,
        /// The day by which it is due, as year, month and day
        due: Option<String>,
        /// The milestone that it belongs to
        milestone: Option<String>,
        /// How long it is expected to take, in minutes
        estimate: Option<u32>,
        /// Where it was imported from, such as `github:#12`
        source: Option<String>,
        /// Its version, which counts its changes
        version: u32,
        /// When it was created
        created_at: String,
        /// When it was last changed
        updated_at: String,
    }
);

record!(
    /// A task.
    Task in "task" {
        /// Its project
        project_id: WorkRecordId,
        /// Its feature
        feature_id: Option<WorkRecordId>,
        /// Its name
        title: String,
        /// A short summary
        summary: String,
        /// The description
        description: String,
        /// Its status
        status: WorkStatus,
        /// Its priority
        priority: WorkPriority,
        /// Its complexity, from 1 to 10
        complexity: u32,
        /// Its tags
        tags: Vec<String>,
        /// Evidence that it is done
        evidence: Vec<EvidenceRecord>,
        /// Why it was terminated
        end_reason: Option<String>,
        /// The first part of its key; absent if it was created before there were keys
        slug: Option<String>,
        /// Person or agent that it is assigned to
        assignee: Option<String>,
        /// The day by which it is due, as year, month and day
        due: Option<String>,
        /// The milestone that it belongs to
        milestone: Option<String>,
        /// How long it is expected to take, in minutes
        estimate: Option<u32>,
        /// Where it was imported from, such as `github:#12`
        source: Option<String>,
        /// Its version, which counts its changes
        version: u32,
        /// When it was created
        created_at: String,
        /// When it was last changed
        updated_at: String,
    }
);

/// Evidence that a task is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EvidenceRecord {
    /// Its kind, such as `tests`
    pub kind: String,
    /// The observation
    pub what: String,
    /// Who recorded it
    pub by: String,
    /// When it was recorded
    pub at: String,
    /// Digest of the files of the task at that time
    pub digest: String,
}

record!(
    /// A section of the text of a project, feature or task.
    Section in "section" {
        /// The kind of the record that it belongs to
        entity_type: WorkKind,
        /// The record it belongs to
        entity_id: WorkRecordId,
        /// Its heading
        title: String,
        /// Its purpose
        usage_description: String,
        /// Its content
        content: String,
        /// The format of the content
        content_format: ContentFormat,
        /// Its position among the sections
        ordinal: u32,
        /// Its tags
        tags: Vec<String>,
        /// Its version, which counts its changes
        version: u32,
        /// When it was created
        created_at: String,
        /// When it was last changed
        updated_at: String,
    }
);

record!(
    /// A template of sections.
    Template in "template" {
        /// Its name
        name: String,
        /// Its purpose
        description: String,
        /// The kind of record that it is for
        target_entity_type: WorkKind,
        /// Whether it is built in
        is_built_in: bool,
        /// Whether it is enabled
        is_enabled: bool,
        /// Its tags
        tags: Vec<String>,
        /// The sections, in order
        sections: Vec<TemplateSection>,
        /// Its version, which counts its changes
        version: u32,
        /// When it was created
        created_at: String,
        /// When it was last changed
        updated_at: String,
    }
);

/// A section of a template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TemplateSection {
    /// Its heading
    pub title: String,
    /// Its purpose
    #[serde(default, alias = "usageDescription")]
    pub usage_description: String,
    /// Its initial content
    #[serde(default, alias = "contentSample", alias = "content")]
    pub content_sample: String,
    /// The format of the content
    #[serde(default = "markdown", alias = "contentFormat")]
    pub content_format: ContentFormat,
    /// Whether it must be filled in
    #[serde(default, alias = "isRequired")]
    pub is_required: bool,
    /// Its position in the template, counted from 0
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ordinal: Option<u32>,
}

const fn markdown() -> ContentFormat {
    ContentFormat::Markdown
}

record!(
    /// A dependency between two features or tasks.
    Dependency in "dependency" {
        /// Its kind
        relation: DependencyKind,
        /// The blocking item; absent if only a reason blocks
        from_id: Option<WorkRecordId>,
        /// The blocked item
        to_id: WorkRecordId,
        /// The reason
        reason: String,
        /// When it was created
        created_at: String,
    }
);

record!(
    /// A claim: who works on a task. Its id is the id of the task, so that a task has at most one.
    TaskClaim in "claim" {
        /// Who claimed it
        actor: String,
        /// When the claim started
        since: String,
        /// When the claim ends unless it is renewed
        until: String,
        /// The session that claimed it; absent for a claim from before there were sessions
        session: Option<String>,
    }
);

record!(
    /// Something that happened to a feature or task, or a comment on it. It never changes.
    WorkEvent in "event" {
        /// The feature or task
        item_id: WorkRecordId,
        /// Its position in the history, which orders events of the same time
        number: u32,
        /// What kind of event it is
        kind: WorkEventKind,
        /// What changed, or the comment
        text: String,
        /// Who did it
        actor: String,
        /// The session in which it was done
        session: Option<String>,
        /// When it happened
        at: String,
    }
);

record!(
    /// Knowledge that several atoms share.
    Molecule in "molecule" {
        /// Its project
        project_id: WorkRecordId,
        /// Its name
        name: String,
        /// The knowledge
        knowledge: String,
        /// Related molecules
        related: Vec<RelatedRecord>,
        /// The task that created it
        created_by_task_id: Option<WorkRecordId>,
        /// The task that changed it last
        last_task_id: Option<WorkRecordId>,
        /// Its version, which counts its changes
        version: u32,
        /// When it was created
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
        /// Its name
        name: String,
        /// Globs of the files that it covers
        paths: Vec<String>,
        /// The knowledge
        knowledge: String,
        /// Related atoms
        related: Vec<RelatedRecord>,
        /// The task that created it
        created_by_task_id: Option<WorkRecordId>,
        /// The task that changed it last
        last_task_id: Option<WorkRecordId>,
        /// Its version, which counts its changes
        version: u32,
        /// When it was created
        created_at: String,
        /// When it was last changed
        updated_at: String,
    }
);

/// A relation to another record of the same kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RelatedRecord {
    /// The related record
    pub id: WorkRecordId,
    /// Why the two are related
    pub reason: String,
}

record!(
    /// The state of the files of an atom when its knowledge was written. Its id is the id of the atom.
    Footprint in "footprint" {
        /// The files
        files: Vec<FileFingerprint>,
        /// When it was recorded
        at: String,
    }
);

/// The state of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileFingerprint {
    /// Its path
    pub path: String,
    /// The first digits of the hash of its content
    pub hash: String,
    /// Its number of lines
    pub lines: u32,
}

record!(
    /// A changelog entry of an atom or molecule. It never changes.
    ChangelogEntry in "changelog" {
        /// The kind of the record
        parent_type: KnowledgeKind,
        /// The record that changed
        parent_id: WorkRecordId,
        /// The task that made the change
        task_id: Option<WorkRecordId>,
        /// What changed and why
        summary: String,
        /// When it was written
        created_at: String,
    }
);

record!(
    /// The content on which the store and the shared file of a record last agreed.
    SharedAgreement in "shared" {
        /// The revision of the file
        version: u32,
        /// The hash of the content
        hash: String,
    }
);
