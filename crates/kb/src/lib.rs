//! A knowledge base: requirements, behaviours, tests, decisions, flags, events, code and facts,
//! with typed relations between them.
//!
//! Callers write changesets. A changeset is checked as a whole and planned as row changes; the plan is
//! applied in the caller's transaction and recorded in an append-only log. The crate knows neither
//! the graph nor any other area.

mod apply;
mod changeset;
mod context;
pub mod derived_tables;
mod digest;
mod edit;
mod endpoint;
mod extract;
mod import;
mod knowledge_model;
mod log;
mod model;
mod plan;
mod promote;
mod query;
mod references;
mod replay;
pub mod rules;
pub mod share;
mod statuses;
mod tables;

pub use apply::{
    FileAgreement, KbPlan, PlannedChangeset, apply_plan, plan_changeset, plan_promotion, roll_back,
    rollback_record,
};
pub use changeset::{
    Changeset, ChangesetFault, Deletion, EntityPatch, RelationPatch, faults_problem,
};
pub use context::{ChangesetContext, DocumentedEntity, ExternalRefs};
pub use edit::{KbRowChange, RowChangeCounts};
pub use endpoint::KbEndpoint;
pub use extract::{DOCUMENT_FORMS, EXTRACTORS, ExtractedFacts, Extractor, extractor};
pub use import::{
    COVERAGE_KIND, CodeLookup, IMPORT_SOURCE, IMPORTERS, ImportedReport, ReportImporter,
};
pub use knowledge_model::{FactOrigin, FileRelation, KnowledgeModel, KnownEntity, KnownRelation};
pub use log::{AuditEntry, LogSeq, LogUid};
pub use model::{
    EndpointRule, Entity, EntityDetails, KbEntityKind, KbRelation, KbRelationKind, RelationKey,
    RequirementPriority,
};
pub use plan::ChangeStamp;
pub use promote::{document_path, to_document};
pub use query::{EntityQuery, EntityQueryResult, RelationPattern, TraversalDirection, query};
pub use references::{changeset_for_moved_code, code_node, text_node};
pub use replay::{MergePlan, MergedBranch, plan_merge};
pub use statuses::known_status;
pub use tables::{
    LogPage, MIGRATIONS, StoreCounts, counts, entities, entity, full_log, has_changeset, ids,
    log_entry, log_page, relations, reserve_log_numbers, uids, vacuum,
};
