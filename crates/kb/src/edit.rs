//! The change of one row of the store. Plans, the audit log and undo all use this one type.

use base::{EntityRef, Result};
use serde::{Deserialize, Serialize};
use store::{Connection, RowChange};

use crate::model::{Entity, KbRelation, RelationKey};
use crate::references::referenced_code;
use crate::tables;

/// A row before and after a change. Its JSON is stored in the audit log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "lists of edits are short, and most are entities")]
pub enum KbRowChange {
    /// An entity
    Entity {
        /// Its id
        id: String,
        /// The entity before; `None` if it is new
        before: Option<Entity>,
        /// The entity after; `None` if it is removed
        after: Option<Entity>,
    },
    /// A relation
    Relation {
        /// Its type and ends
        key: RelationKey,
        /// The relation before; `None` if it is new
        before: Option<KbRelation>,
        /// The relation after; `None` if it is removed
        after: Option<KbRelation>,
    },
}

impl RowChange for KbRowChange {
    fn row_name(&self) -> String {
        match self {
            Self::Entity { id, .. } => id.clone(),
            Self::Relation { key, .. } => key.to_string(),
        }
    }

    fn is_current(&self, conn: &Connection) -> Result<bool> {
        Ok(match self {
            Self::Entity { id, before, .. } => tables::entity(conn, id)? == *before,
            Self::Relation { key, before, .. } => tables::relation(conn, key)? == *before,
        })
    }

    fn write(&self, conn: &Connection) -> Result<()> {
        match self {
            Self::Entity { id, after, .. } => tables::set_entity(conn, id, after.as_ref()),
            Self::Relation { key, after, .. } => tables::set_relation(conn, key, after.as_ref()),
        }
    }

    fn inverse(self) -> Self {
        match self {
            Self::Entity { id, before, after } => Self::Entity { id, before: after, after: before },
            Self::Relation { key, before, after } => {
                Self::Relation { key, before: after, after: before }
            }
        }
    }
}

impl KbRowChange {
    /// The symbols, files and folders that the row refers to, before or after.
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

    /// A phrase for a list of changes, such as `adds REQ-1`.
    pub fn describe(&self) -> String {
        let verb = match self.presence() {
            (false, _) => "adds",
            (true, true) => "changes",
            (true, false) => "removes",
        };
        format!("{verb} {}", self.row_name())
    }

    /// Whether the row exists before and after the change.
    const fn presence(&self) -> (bool, bool) {
        match self {
            Self::Entity { before, after, .. } => (before.is_some(), after.is_some()),
            Self::Relation { before, after, .. } => (before.is_some(), after.is_some()),
        }
    }
}

/// How many rows a list of changes adds, changes and removes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct RowChangeCounts {
    /// Rows that are new
    pub added: usize,
    /// Rows that changed
    pub changed: usize,
    /// Rows that were removed
    pub removed: usize,
}

impl RowChangeCounts {
    /// Counts the entities and, apart from them, the relations of a list of changes.
    pub fn of(edits: &[KbRowChange]) -> (Self, Self) {
        let (mut entities, mut relations) = (Self::default(), Self::default());
        for edit in edits {
            let tally = match edit {
                KbRowChange::Entity { .. } => &mut entities,
                KbRowChange::Relation { .. } => &mut relations,
            };
            match edit.presence() {
                (false, _) => tally.added += 1,
                (true, true) => tally.changed += 1,
                (true, false) => tally.removed += 1,
            }
        }
        (entities, relations)
    }

    /// All rows that the changes touch.
    pub const fn total(self) -> usize {
        self.added + self.changed + self.removed
    }
}
