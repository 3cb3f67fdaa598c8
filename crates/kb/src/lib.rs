//! A knowledge base: requirements, behaviours, tests, decisions, flags, events, code and facts,
//! with typed relations between them.
//!
//! What is written is a changeset: checked whole, applied in the caller's one transaction, and
//! kept in a log that nothing changes. Knows neither the graph nor any other capability.

mod apply;
mod changeset;
pub mod derived_tables;
mod edit;
mod endpoint;
mod extract;
mod import;
mod knowledge_model;
mod model;
mod plan;
mod promote;
mod query;
mod references;
mod replay;
pub mod rules;
pub mod share;
mod tables;

pub use apply::{
    CheckedChangeset, ExternalRefs, apply_changeset, check_changeset, remove_promoted_entity,
    roll_back, rollback_record,
};
pub use changeset::{Changeset, ChangesetFault, Deletion, Patch, Tie, faults_problem};
pub use edit::{KbRowChange, RowChangeCounts};
pub use endpoint::KbEndpoint;
pub use extract::{EXTRACTORS, ExtractedFacts, Extractor, extractor};
pub use import::{CodeLookup, IMPORTERS, ImportedReport, ReportImporter};
pub use knowledge_model::{FactOrigin, FileRelation, KnowledgeModel, KnownEntity, KnownRelation};
pub use model::{
    EndpointRule, Entity, EntityDetails, KbEntityKind, KbRelation, KbRelationKind, RelationKey,
    RequirementPriority,
};
pub use plan::ChangeStamp;
pub use promote::{document_path, to_document};
pub use query::{EntityQuery, EntityQueryResult, RelationPattern, TraversalDirection, query};
pub use references::{changeset_for_moved_code, code_node, text_node};
pub use replay::{LogReplay, merge, merge_conflict, replay};
pub use tables::{
    AuditEntry, MIGRATIONS, counts, entities, entity, full_log, ids, log_entry, log_page,
    relations, reserve_log_numbers, uids, vacuum,
};
