//! The data that a changeset is checked against: the rows of the store, and entities and code
//! outside of it.

use std::collections::{BTreeMap, BTreeSet};

use base::{EntityRef, Result};
use store::Connection;

use crate::model::{Entity, KbEntityKind, KbRelation, RelationKey};
use crate::tables;

/// An entity that a document or manifest of the repository defines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentedEntity {
    /// Its type
    pub kind: KbEntityKind,
    /// Path of the file
    pub file: String,
}

/// Entities and code outside the store that a changeset may refer to.
#[derive(Debug, Clone, Default)]
pub struct ExternalRefs {
    /// Entities that files define, by id
    pub owned: BTreeMap<String, DocumentedEntity>,
    /// Files whose relations refer to an entity, by the entity's id
    pub referencing_files: BTreeMap<String, Vec<String>>,
    /// Symbols, files and folders that exist
    pub existing_code: BTreeSet<EntityRef>,
    /// For an unknown id: the most similar known one
    pub nearest_ids: BTreeMap<String, String>,
    /// For an unknown id: an id in a file that differs only in case
    pub case_variants: BTreeMap<String, String>,
}

/// A store together with the entities and code outside of it.
#[derive(Clone, Copy)]
pub struct ChangesetContext<'a> {
    /// The store; `None` while nobody has written to it
    pub conn: Option<&'a Connection>,
    /// Everything else that a changeset may refer to
    pub external: &'a ExternalRefs,
}

impl ChangesetContext<'_> {
    /// An entity of the store.
    pub(crate) fn entity(&self, id: &str) -> Result<Option<Entity>> {
        self.conn.map_or(Ok(None), |conn| tables::entity(conn, id))
    }

    /// A relation of the store.
    pub(crate) fn relation(&self, key: &RelationKey) -> Result<Option<KbRelation>> {
        self.conn.map_or(Ok(None), |conn| tables::relation(conn, key))
    }

    /// The relations of the store that start or end at an entity.
    pub(crate) fn relations_touching(&self, id: &str) -> Result<Vec<KbRelation>> {
        self.conn.map_or(Ok(Vec::new()), |conn| tables::relations_touching(conn, id))
    }

    /// The file that defines an entity.
    pub(crate) fn file_entity(&self, id: &str) -> Option<&DocumentedEntity> {
        self.external.owned.get(id)
    }

    /// Files whose relations refer to an entity.
    pub(crate) fn referencing_files(&self, id: &str) -> &[String] {
        self.external.referencing_files.get(id).map_or(&[], Vec::as_slice)
    }

    /// Whether a symbol, file or folder exists.
    pub(crate) fn has_code(&self, node: &EntityRef) -> bool {
        self.external.existing_code.contains(node)
    }

    /// A known id that differs from this one only in case.
    pub(crate) fn case_variant(&self, id: &str) -> Result<Option<String>> {
        match (self.external.case_variants.get(id), self.conn) {
            (Some(other), _) => Ok(Some(other.clone())),
            (None, Some(conn)) => tables::case_variant(conn, id),
            (None, None) => Ok(None),
        }
    }

    /// For an unknown id, the most similar known one.
    pub(crate) fn nearest_id(&self, id: &str) -> Option<&str> {
        self.external.nearest_ids.get(id).map(String::as_str)
    }
}
