//! Plans the rows that a changeset changes, or reports everything that is wrong with it.
//!
//! @see spec::kb/changesets

use base::similarity::did_you_mean;
use base::{ProblemCode, Result};
use serde_json::{Map, Value};
use store::{PlannedRow, RowOverlay};

use crate::changeset::{Changeset, ChangesetFault, Deletion, EntityPatch, RelationPatch};
use crate::context::ChangesetContext;
use crate::edit::KbRowChange;
use crate::endpoint::KbEndpoint;
use crate::model::{Entity, KbEntityKind, KbRelation, RelationKey};

/// Who makes a change, and when.
#[derive(Debug, Clone)]
pub struct ChangeStamp {
    /// Time in RFC 3339
    pub at: String,
    /// The person or agent
    pub actor: String,
}

/// The rows that a changeset changes. Rows that stay as they are are left out.
pub(crate) fn plan_rows(
    set: &Changeset,
    context: ChangesetContext<'_>,
    stamp: &ChangeStamp,
) -> Result<Result<Vec<KbRowChange>, Vec<ChangesetFault>>> {
    let mut planner = ChangesetPlanner {
        set,
        context,
        stamp,
        faults: Vec::new(),
        entities: RowOverlay::default(),
        relations: RowOverlay::default(),
    };
    planner.plan_deletions()?;
    set.entities.iter().try_for_each(|patch| planner.plan_patch(patch))?;
    set.relations.iter().try_for_each(|patch| planner.plan_relation(patch))?;
    planner.plan_orphaned_relations()?;
    Ok(if planner.faults.is_empty() { Ok(planner.edits()) } else { Err(planner.faults) })
}

struct ChangesetPlanner<'a> {
    set: &'a Changeset,
    context: ChangesetContext<'a>,
    stamp: &'a ChangeStamp,
    faults: Vec<ChangesetFault>,
    entities: RowOverlay<String, Entity>,
    relations: RowOverlay<RelationKey, KbRelation>,
}

impl ChangesetPlanner<'_> {
    fn fault(&mut self, code: ProblemCode, path: &str, message: impl Into<String>) {
        self.faults.push(ChangesetFault::with_code(code, path, message));
    }

    fn unknown_entity_message(&self, id: &str) -> String {
        let near = self.context.nearest_id(id).map(|near| format!("; {}", did_you_mean(near)));
        format!("no entity has the id {id}{}", near.unwrap_or_default())
    }

    fn source(&self) -> String {
        self.set.source.clone().unwrap_or_else(|| self.stamp.actor.clone())
    }

    fn plan_deletions(&mut self) -> Result<()> {
        for deletion in &self.set.delete {
            match deletion {
                Deletion::Entity { path, id, if_version } => {
                    self.plan_entity_deletion(path, id, *if_version)?;
                }
                Deletion::Relation { path, key } => match self.context.relation(key)? {
                    Some(stored) => self.relations.set(key.clone(), None, || Ok(Some(stored)))?,
                    None => self.fault(ProblemCode::NotFound, path, format!("no relation {key}")),
                },
            }
        }
        Ok(())
    }

    fn plan_entity_deletion(
        &mut self,
        path: &str,
        id: &str,
        if_version: Option<u64>,
    ) -> Result<()> {
        if let Some(owner) = self.context.file_entity(id) {
            let message = defined_in_file(id, &owner.file);
            self.fault(ProblemCode::InvalidOperation, path, message);
            return Ok(());
        }
        let Some(stored) = self.context.entity(id)? else {
            let message = self.unknown_entity_message(id);
            self.fault(ProblemCode::NotFound, path, message);
            return Ok(());
        };
        self.check_version(path, if_version, Some(&stored));
        self.entities.set(id.to_owned(), None, || Ok(Some(stored)))
    }

    /// The relations of a removed entity are removed with it. Without `cascade`, a relation that
    /// ends at it is a fault.
    fn plan_orphaned_relations(&mut self) -> Result<()> {
        for deletion in &self.set.delete {
            let Deletion::Entity { path, id, .. } = deletion else { continue };
            if !self.entities.is_removed(id) {
                continue;
            }
            let mut references: Vec<String> = Vec::new();
            for relation in self.context.relations_touching(id)? {
                let key = relation.key();
                if key.to == *id && !self.entities.is_removed(&key.from) {
                    references.push(key.to_string());
                }
                if self.relations.planned(&key).is_none() {
                    self.relations.set(key, None, || Ok(Some(relation)))?;
                }
            }
            let files = self.context.referencing_files(id).iter();
            references.extend(files.map(|file| format!("a link in {file}")));
            if !self.set.cascade && !references.is_empty() {
                let message = format!("still needed: {}", references.join("; "));
                self.fault(ProblemCode::Blocked, path, message);
            }
        }
        Ok(())
    }

    fn plan_patch(&mut self, patch: &EntityPatch) -> Result<()> {
        let id = &patch.id;
        if let Some(owner) = self.context.file_entity(id) {
            let message = defined_in_file(id, &owner.file);
            self.fault(ProblemCode::InvalidOperation, &format!("{}.id", patch.path), message);
            return Ok(());
        }
        if self.entities.planned(id).is_some() {
            let message = format!("{id} occurs twice in the changeset");
            self.fault(ProblemCode::ValidationError, &patch.path, message);
            return Ok(());
        }
        let before = self.context.entity(id)?;
        if before.is_none()
            && let Some(other) = self.case_conflict(id)?
        {
            let message = format!("{id} differs from {other} only in case");
            self.fault(ProblemCode::InvariantViolation, &format!("{}.id", patch.path), message);
            return Ok(());
        }
        self.check_version(
            &format!("{}.if_version", patch.path),
            patch.if_version,
            before.as_ref(),
        );
        let after = self.apply_patch(patch, before.as_ref());
        if let Some(after) = after {
            let after = match &before {
                Some(before) if has_same_content(before, &after) => before.clone(),
                _ => after,
            };
            self.entities.set(id.clone(), Some(after), || Ok(before))?;
        }
        Ok(())
    }

    /// A stored or planned entity whose id differs only in case.
    fn case_conflict(&self, id: &str) -> Result<Option<String>> {
        let folded = id.to_lowercase();
        let is_other = |other: &&String| *other != id && other.to_lowercase() == folded;
        let planned = self.entities.iter().filter(|(_, row)| row.after.is_some());
        if let Some(other) = planned.map(|(other, _)| other).find(is_other) {
            return Ok(Some(other.clone()));
        }
        let stored = self.context.case_variant(id)?;
        // An id that the same changeset removes is free again.
        Ok(stored.filter(|other| !self.entities.is_removed(other)))
    }

    fn check_version(&mut self, path: &str, if_version: Option<u64>, stored: Option<&Entity>) {
        let found = stored.map_or(0, |entity| u64::from(entity.version));
        if let Some(expected) = if_version.filter(|expected| *expected != found) {
            let message = format!("expected version {expected}, found {found}");
            self.fault(ProblemCode::Conflict, path, message);
        }
    }

    /// The entity with the fields of a patch; `None` if the patch has faults.
    fn apply_patch(&mut self, patch: &EntityPatch, before: Option<&Entity>) -> Option<Entity> {
        let count = self.faults.len();
        let mut fields = match before.map(serde_json::to_value) {
            Some(Ok(Value::Object(fields))) => fields,
            _ => Map::new(),
        };
        for (key, value) in &patch.fields {
            match value {
                Value::Null => drop(fields.remove(key)),
                value => drop(fields.insert(key.clone(), value.clone())),
            }
        }
        let kind = self.kind(patch, &fields);
        self.title(patch, &fields);
        if let Some(kind) = kind {
            self.status(patch, &mut fields, kind);
        }
        fields.insert("id".into(), patch.id.clone().into());
        let at = &self.stamp.at;
        fields.entry("created_at").or_insert_with(|| at.clone().into());
        fields.insert("updated_at".into(), at.clone().into());
        if !patch.fields.contains_key("source") {
            fields.insert("source".into(), self.source().into());
        }
        if !patch.fields.contains_key("author") {
            fields.insert("author".into(), self.stamp.actor.clone().into());
        }
        let version = before.map_or(0, |entity| entity.version) + 1;
        fields.insert("version".into(), version.into());
        if self.faults.len() > count {
            return None;
        }
        match serde_json::from_value(fields.into()) {
            Ok(entity) => Some(entity),
            Err(error) => {
                self.fault(ProblemCode::ValidationError, &patch.path, error.to_string());
                None
            }
        }
    }

    fn kind(&mut self, patch: &EntityPatch, fields: &Map<String, Value>) -> Option<KbEntityKind> {
        let kind = fields.get("type").and_then(Value::as_str).and_then(|text| text.parse().ok());
        if kind.is_none() {
            let guess = KbEntityKind::of_id(&patch.id).map(|kind| format!("; probably `{kind}`"));
            let message = format!("missing `type`{}", guess.unwrap_or_default());
            self.fault(ProblemCode::ValidationError, &format!("{}.type", patch.path), message);
        }
        kind
    }

    fn title(&mut self, patch: &EntityPatch, fields: &Map<String, Value>) {
        let title = fields.get("title").and_then(Value::as_str).unwrap_or_default();
        if title.trim().is_empty() {
            let path = format!("{}.title", patch.path);
            self.fault(ProblemCode::ValidationError, &path, "missing `title`");
        }
    }

    /// Checks the status. The default is the first status of the entity type.
    fn status(&mut self, patch: &EntityPatch, fields: &mut Map<String, Value>, kind: KbEntityKind) {
        let allowed = kind.statuses();
        let status = fields.entry("status").or_insert_with(|| allowed[0].into());
        let status = status.as_str().unwrap_or_default().to_owned();
        if !allowed.contains(&status.as_str()) {
            let shown = status.escape_debug();
            let message = format!(
                "`{shown}` is not a status of a {kind}; expected one of: {}",
                allowed.join(", ")
            );
            self.fault(ProblemCode::ValidationError, &format!("{}.status", patch.path), message);
        }
    }

    fn plan_relation(&mut self, patch: &RelationPatch) -> Result<()> {
        let key = &patch.key;
        let from = self.endpoint_kind(&key.from, &format!("{}.from", patch.path))?;
        let to = self.endpoint_kind(&key.to, &format!("{}.to", patch.path))?;
        let (Some(from), Some(to)) = (from, to) else { return Ok(()) };
        if !key.relates.fits(from, to) {
            let (left, right) = key.relates.signature();
            let named = |kind: Option<KbEntityKind>| kind.map_or("component", KbEntityKind::word);
            let message = format!(
                "`{}` relates ({left}) to ({right}), not ({}) to ({})",
                key.relates,
                named(from),
                named(to)
            );
            self.fault(ProblemCode::ValidationError, &patch.path, message);
            return Ok(());
        }
        let before = self.context.relation(key)?;
        let source = patch.source.clone().unwrap_or_else(|| self.source());
        let made = KbRelation {
            relates: key.relates,
            from: key.from.clone(),
            to: key.to.clone(),
            kind: key.kind.clone(),
            created_at: self.stamp.at.clone(),
            created_by: self.stamp.actor.clone(),
            source,
            confidence: patch.confidence,
            allow_cycle: patch.allow_cycle,
        };
        let after = match &before {
            Some(before) => KbRelation {
                created_at: before.created_at.clone(),
                created_by: before.created_by.clone(),
                ..made
            },
            None => made,
        };
        self.relations.set(key.clone(), Some(after), || Ok(before))
    }

    /// The entity type of an end; the outer `None` if the end does not exist.
    #[expect(clippy::option_option, reason = "a file or folder exists and has no entity type")]
    fn endpoint_kind(&mut self, text: &str, path: &str) -> Result<Option<Option<KbEntityKind>>> {
        match KbEndpoint::parse(text) {
            Ok(KbEndpoint::Code(node)) => {
                if self.context.has_code(&node) {
                    return Ok(Some(KbEndpoint::code_kind(&node)));
                }
                self.fault(
                    ProblemCode::ValidationError,
                    path,
                    format!("{node} does not exist in the working tree"),
                );
                Ok(None)
            }
            Ok(KbEndpoint::Entity(id)) => {
                let found = match self.entities.planned(&id) {
                    Some(row) => row.after.as_ref().map(|entity| entity.kind),
                    None => match self.context.file_entity(&id) {
                        Some(owner) => Some(owner.kind),
                        None => self.context.entity(&id)?.map(|entity| entity.kind),
                    },
                };
                // An entity whose patch has faults is wrong, but not missing.
                let announced = self.set.entities.iter().any(|patch| patch.id == id);
                if found.is_none() && !announced {
                    let message = self.unknown_entity_message(&id);
                    self.fault(ProblemCode::ValidationError, path, message);
                }
                Ok(found.map(Some))
            }
            Err(message) => {
                self.fault(ProblemCode::ValidationError, path, message);
                Ok(None)
            }
        }
    }

    fn edits(self) -> Vec<KbRowChange> {
        let entities = self.entities.into_changed();
        let entities = entities.map(|(id, PlannedRow { before, after })| KbRowChange::Entity {
            id,
            before,
            after,
        });
        let relations = self.relations.into_changed();
        let relations = relations.map(|(key, PlannedRow { before, after })| {
            KbRowChange::Relation { key, before, after }
        });
        entities.chain(relations).collect()
    }
}

fn defined_in_file(id: &str, file: &str) -> String {
    format!("{id} is defined in {file}; edit that file")
}

/// Whether two entities have the same content, whoever wrote them and when.
fn has_same_content(before: &Entity, after: &Entity) -> bool {
    let plain = |entity: &Entity| Entity {
        updated_at: String::new(),
        author: String::new(),
        version: 0,
        ..entity.clone()
    };
    plain(before) == plain(after)
}
