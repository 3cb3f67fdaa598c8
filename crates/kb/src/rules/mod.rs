//! What must hold in the knowledge base: each rule a pure function of the model.

mod contradictions;
mod coverage;
mod cycles;
mod decisions;
mod fields;
mod references;
mod stale;
mod twice;
mod untested;

use base::{EntityRef, RepoPath};

use crate::read::{Bond, Fact, Model, Origin};

pub use contradictions::contradicting_requirements;
pub use coverage::must_coverage;
pub use cycles::no_cycles;
pub use decisions::deprecated_decisions;
pub use fields::required_fields;
pub use references::{dangling_references, missing_requirements};
pub use stale::stale_entities;
pub use twice::told_twice;
pub use untested::untested_symbols;

/// What a rule may ask besides the model.
pub struct World<'a> {
    /// The day before which what is unfinished counts as forgotten, as `2026-01-31`
    pub stale_before: &'a str,
    /// Whether a piece of the tree is there
    pub has: &'a dyn Fn(&EntityRef) -> bool,
}

/// Where a rule is broken, and what mends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breach {
    /// The entity or piece of code it is about
    pub subject: String,
    /// The file and line that say it
    pub place: Option<(RepoPath, u32)>,
    /// What is wrong
    pub message: String,
    /// What to do about it
    pub fix: String,
}

impl Breach {
    fn of_fact(fact: &Fact, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::new(&fact.entity.id, &fact.origin, message, fix)
    }

    fn of_bond(bond: &Bond, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::new(&bond.relation.from, &bond.origin, message, fix)
    }

    fn new(
        subject: &str,
        origin: &Origin,
        message: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        let place = origin.file().map(|(path, line)| (path.clone(), line));
        Self { subject: subject.to_owned(), place, message: message.into(), fix: fix.into() }
    }
}

/// Where an entity is mended: in its file, or by a changeset.
fn mend(fact: &Fact) -> String {
    match fact.origin.file() {
        Some((path, _)) => format!("in {path}"),
        None => format!("with `kb.upsert` of {}", fact.entity.id),
    }
}

/// Whether an entity still counts.
fn is_current(fact: &Fact) -> bool {
    !matches!(fact.entity.status.as_str(), "deprecated" | "superseded" | "removed")
}

/// The entities that relations of one sort lead to from an entity, by all its names.
fn tied<'m>(
    model: &'m Model,
    fact: &'m Fact,
    relates: crate::Relates,
) -> impl Iterator<Item = &'m Bond> {
    let code = fact.code.as_ref().map(ToString::to_string);
    let names = [Some(fact.entity.id.clone()), code];
    let bonds: Vec<&Bond> =
        names.iter().flatten().flat_map(|name| model.starting(name).collect::<Vec<_>>()).collect();
    bonds.into_iter().filter(move |bond| bond.relation.relates == relates)
}
