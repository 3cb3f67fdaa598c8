//! What a change does to the store: each row before and after. The same in memory, in the audit
//! log and on the way back.

use base::EntityRef;
use serde::{Deserialize, Serialize};

use crate::model::{Entity, KbRelation, RelationKey};
use crate::references::referenced_code;

/// One row, before and after.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "lists of edits are short, and most are entities")]
pub enum KbRowChange {
    /// An entity
    Entity {
        /// Its id
        id: String,
        /// What it was; none if it is new
        before: Option<Entity>,
        /// What it is; none if it is gone
        after: Option<Entity>,
    },
    /// A relation
    Relation {
        /// What tells it apart
        key: RelationKey,
        /// What it was
        before: Option<KbRelation>,
        /// What it is
        after: Option<KbRelation>,
    },
}

impl KbRowChange {
    /// The way back.
    #[must_use]
    pub fn inverse(self) -> Self {
        match self {
            Self::Entity { id, before, after } => Self::Entity { id, before: after, after: before },
            Self::Relation { key, before, after } => {
                Self::Relation { key, before: after, after: before }
            }
        }
    }

    /// The pieces of the tree that it names, before or after.
    pub fn code_refs(&self) -> Vec<EntityRef> {
        match self {
            Self::Entity { before, after, .. } => {
                let rows: Vec<Entity> = [before, after].into_iter().flatten().cloned().collect();
                referenced_code(&rows, &[])
            }
            Self::Relation { before, after, .. } => {
                let rows: Vec<KbRelation> =
                    [before, after].into_iter().flatten().cloned().collect();
                referenced_code(&[], &rows)
            }
        }
    }

    /// What it does, in a few words.
    pub fn describe(&self) -> String {
        let (what, before, after) = match self {
            Self::Entity { id, before, after } => (id.clone(), before.is_some(), after.is_some()),
            Self::Relation { key, before, after } => {
                (key.to_string(), before.is_some(), after.is_some())
            }
        };
        let verb = match (before, after) {
            (false, _) => "adds",
            (true, true) => "changes",
            (true, false) => "removes",
        };
        format!("{verb} {what}")
    }
}

/// How many rows of each sort an edit list adds, changes and removes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct RowChangeCounts {
    /// Rows that are new
    pub added: usize,
    /// Rows that are other
    pub changed: usize,
    /// Rows that are gone
    pub removed: usize,
}

impl RowChangeCounts {
    /// Counts the entities and the relations of an edit list.
    pub fn of(edits: &[KbRowChange]) -> (Self, Self) {
        let (mut entities, mut relations) = (Self::default(), Self::default());
        for edit in edits {
            let (tally, before, after) = match edit {
                KbRowChange::Entity { before, after, .. } => {
                    (&mut entities, before.is_some(), after.is_some())
                }
                KbRowChange::Relation { before, after, .. } => {
                    (&mut relations, before.is_some(), after.is_some())
                }
            };
            match (before, after) {
                (false, _) => tally.added += 1,
                (true, true) => tally.changed += 1,
                (true, false) => tally.removed += 1,
            }
        }
        (entities, relations)
    }

    /// Rows touched in all.
    pub const fn total(self) -> usize {
        self.added + self.changed + self.removed
    }
}
