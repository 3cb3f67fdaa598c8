//! The rules of the knowledge base. Each rule is a pure function of the model.

mod contradictions;
mod coverage;
mod cycles;
mod decisions;
mod duplicates;
mod fields;
mod references;
mod stale;
mod untested;

use base::{EntityRef, RepoPath};

use crate::knowledge_model::{FactOrigin, KnowledgeModel, KnownEntity, KnownRelation};

pub use contradictions::contradicting_requirements;
pub use coverage::must_coverage;
pub use cycles::no_cycles;
pub use decisions::deprecated_decisions;
pub use duplicates::duplicate_ids;
pub use fields::required_fields;
pub use references::{dangling_references, missing_requirements};
pub use stale::stale_entities;
pub use untested::untested_symbols;

/// What a rule needs besides the model.
pub struct RuleContext<'a> {
    /// An unfinished entity that was last changed before this day, such as `2026-01-31`, is stale
    pub stale_before: &'a str,
    /// Whether a symbol, file or folder exists
    pub has_code: &'a dyn Fn(&EntityRef) -> bool,
}

/// A violation of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KbRuleViolation {
    /// The entity or code that it concerns
    pub subject: String,
    /// The file and line to look at
    pub place: Option<(RepoPath, u32)>,
    /// What is wrong
    pub message: String,
    /// How to fix it
    pub fix: String,
}

impl KbRuleViolation {
    fn for_entity(fact: &KnownEntity, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::new(&fact.entity.id, &fact.origin, message, fix)
    }

    fn for_relation(
        known_relation: &KnownRelation,
        message: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self::new(&known_relation.relation.from, &known_relation.origin, message, fix)
    }

    fn new(
        subject: &str,
        origin: &FactOrigin,
        message: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        let place = origin.file().map(|(path, line)| (path.clone(), line));
        Self { subject: subject.to_owned(), place, message: message.into(), fix: fix.into() }
    }
}

/// Where an entity is edited: in its file, or by a changeset.
fn edit_location(fact: &KnownEntity) -> String {
    match fact.origin.file() {
        Some((path, _)) => format!("in {path}"),
        None => format!("with `kb.upsert` of {}", fact.entity.id),
    }
}

/// Whether an entity is neither deprecated, superseded nor removed.
fn is_current(fact: &KnownEntity) -> bool {
    !matches!(fact.entity.status.as_str(), "deprecated" | "superseded" | "removed")
}

/// The relations of one type that start at an entity, under any of its names.
fn relations_of_kind<'m>(
    model: &'m KnowledgeModel,
    fact: &'m KnownEntity,
    relates: crate::KbRelationKind,
) -> impl Iterator<Item = &'m KnownRelation> {
    let code = fact.code.as_ref().map(ToString::to_string);
    let names = [Some(fact.entity.id.clone()), code];
    let relations: Vec<&KnownRelation> = names
        .iter()
        .flatten()
        .flat_map(|name| model.relations_from(name).collect::<Vec<_>>())
        .collect();
    relations.into_iter().filter(move |known_relation| known_relation.relation.relates == relates)
}
