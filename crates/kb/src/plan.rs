//! From a well-shaped changeset to the rows it changes, or to everything that is wrong with it.
//!
//! @see spec::kb/changesets

use std::collections::BTreeMap;

use base::{EntityRef, ProblemCode, Result};
use serde_json::{Map, Value};

use crate::changeset::{Changeset, ChangesetFault, Deletion, Patch, Tie};
use crate::edit::KbRowChange;
use crate::endpoint::KbEndpoint;
use crate::model::{Entity, KbEntityKind, KbRelation, RelationKey};

/// What a changeset is checked against.
pub trait ChangesetContext {
    /// An entity of the store.
    fn entity(&self, id: &str) -> Result<Option<Entity>>;
    /// A relation of the store.
    fn relation(&self, key: &RelationKey) -> Result<Option<KbRelation>>;
    /// Relations of the store that have an entity at either end.
    fn touching(&self, id: &str) -> Result<Vec<KbRelation>>;
    /// The type of an entity that a file owns, and the file.
    fn owning_file(&self, id: &str) -> Option<(KbEntityKind, String)>;
    /// Files whose relations point at an entity.
    fn referencing_files(&self, id: &str) -> Vec<String>;
    /// Whether a piece of the tree is there.
    fn has_code(&self, node: &EntityRef) -> bool;
    /// For an id that nothing has, the nearest that something has.
    fn nearest_id(&self, id: &str) -> Option<&str>;
    /// Another id that differs from this one in case alone.
    fn differing_in_case(&self, id: &str) -> Result<Option<String>>;
}

/// Who changes something, and when.
#[derive(Debug, Clone)]
pub struct ChangeStamp {
    /// When, in RFC 3339
    pub at: String,
    /// Who
    pub actor: String,
}

/// The rows that a changeset changes. Rows that stay as they are are left out.
pub fn plan(
    set: &Changeset,
    known: &dyn ChangesetContext,
    stamp: &ChangeStamp,
) -> Result<Result<Vec<KbRowChange>, Vec<ChangesetFault>>> {
    let mut planner = ChangesetPlanner {
        set,
        known,
        stamp,
        faults: Vec::new(),
        entities: BTreeMap::new(),
        relations: BTreeMap::new(),
    };
    planner.plan_deletions()?;
    set.entities.iter().try_for_each(|patch| planner.plan_patch(patch))?;
    set.relations.iter().try_for_each(|tie| planner.plan_relation(tie))?;
    planner.plan_orphaned_relations()?;
    Ok(if planner.faults.is_empty() { Ok(planner.edits()) } else { Err(planner.faults) })
}

type BeforeAfter<T> = (Option<T>, Option<T>);

struct ChangesetPlanner<'a> {
    set: &'a Changeset,
    known: &'a dyn ChangesetContext,
    stamp: &'a ChangeStamp,
    faults: Vec<ChangesetFault>,
    entities: BTreeMap<String, BeforeAfter<Entity>>,
    relations: BTreeMap<RelationKey, BeforeAfter<KbRelation>>,
}

impl ChangesetPlanner<'_> {
    fn fault(&mut self, code: ProblemCode, path: &str, message: impl Into<String>) {
        self.faults.push(ChangesetFault::with_code(code, path, message));
    }

    fn unknown_entity_message(&self, id: &str) -> String {
        let near = self.known.nearest_id(id).map(|near| format!("; the nearest is {near}"));
        format!("no entity is called {id}{}", near.unwrap_or_default())
    }

    fn source(&self) -> String {
        self.set.source.clone().unwrap_or_else(|| self.stamp.actor.clone())
    }

    fn plan_deletions(&mut self) -> Result<()> {
        for doomed in &self.set.delete {
            match doomed {
                Deletion::Entity(path, id, pinned) => {
                    self.plan_entity_deletion(path, id, *pinned)?
                }
                Deletion::Relation(path, key) => match self.known.relation(key)? {
                    Some(there) => drop(self.relations.insert(key.clone(), (Some(there), None))),
                    None => self.fault(ProblemCode::NotFound, path, format!("no relation {key}")),
                },
            }
        }
        Ok(())
    }

    fn plan_entity_deletion(&mut self, path: &str, id: &str, pinned: Option<u64>) -> Result<()> {
        if let Some((_, file)) = self.known.owning_file(id) {
            self.fault(
                ProblemCode::InvalidOperation,
                path,
                format!("{id} belongs to {file}: edit that"),
            );
            return Ok(());
        }
        let Some(there) = self.known.entity(id)? else {
            let message = self.unknown_entity_message(id);
            self.fault(ProblemCode::NotFound, path, message);
            return Ok(());
        };
        self.check_version(path, pinned, Some(&there));
        self.entities.insert(id.to_owned(), (Some(there), None));
        Ok(())
    }

    /// Relations of what is removed go with it; what still points at it keeps it.
    fn plan_orphaned_relations(&mut self) -> Result<()> {
        for doomed in &self.set.delete {
            let Deletion::Entity(path, id, _) = doomed else { continue };
            if !matches!(self.entities.get(id), Some((Some(_), None))) {
                continue;
            }
            let mut holding: Vec<String> = Vec::new();
            for relation in self.known.touching(id)? {
                let key = relation.key();
                let other_goes = matches!(self.entities.get(&key.from), Some((_, None)));
                if key.to == *id && !other_goes && !self.set.cascade {
                    holding.push(key.to_string());
                }
                self.relations.entry(key).or_insert((Some(relation), None));
            }
            let files = self
                .known
                .referencing_files(id)
                .into_iter()
                .map(|file| format!("a link in {file}"));
            if !self.set.cascade {
                holding.extend(files);
            }
            if !holding.is_empty() {
                let message = format!("still needed: {}", holding.join("; "));
                self.fault(ProblemCode::Blocked, path, message);
            }
        }
        Ok(())
    }

    fn plan_patch(&mut self, patch: &Patch) -> Result<()> {
        let id = &patch.id;
        if let Some((_, file)) = self.known.owning_file(id) {
            let message = format!("{id} belongs to {file}: edit that");
            self.fault(ProblemCode::InvalidOperation, &format!("{}.id", patch.path), message);
            return Ok(());
        }
        if self.entities.contains_key(id) {
            self.fault(ProblemCode::ValidationError, &patch.path, format!("{id} is in it twice"));
            return Ok(());
        }
        let before = self.known.entity(id)?;
        if before.is_none()
            && let Some(other) = self.case_conflict(id)?
        {
            let message = format!("{id} differs from {other} in case alone");
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
            self.entities.insert(id.clone(), (before, Some(after)));
        }
        Ok(())
    }

    /// An entity that is there, or is made here, whose id differs in case alone.
    fn case_conflict(&self, id: &str) -> Result<Option<String>> {
        let folded = id.to_lowercase();
        let is_other = |other: &&String| *other != id && other.to_lowercase() == folded;
        let stays = self.entities.iter().filter(|(_, (_, after))| after.is_some());
        let made = stays.map(|(other, _)| other).find(is_other).cloned();
        let there = match made {
            Some(made) => return Ok(Some(made)),
            None => self.known.differing_in_case(id)?,
        };
        // One that goes in the same changeset makes room.
        Ok(there.filter(|other| !matches!(self.entities.get(other), Some((_, None)))))
    }

    fn check_version(&mut self, path: &str, pinned: Option<u64>, there: Option<&Entity>) {
        let found = there.map_or(0, |entity| u64::from(entity.version));
        if let Some(pinned) = pinned.filter(|pinned| *pinned != found) {
            let message = format!("version {pinned} was expected, and it is at {found}");
            self.fault(ProblemCode::Conflict, path, message);
        }
    }

    /// The entity with the fields of a patch laid over it.
    fn apply_patch(&mut self, patch: &Patch, before: Option<&Entity>) -> Option<Entity> {
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

    fn kind(&mut self, patch: &Patch, fields: &Map<String, Value>) -> Option<KbEntityKind> {
        let kind = fields.get("type").and_then(Value::as_str).and_then(|text| text.parse().ok());
        if kind.is_none() {
            let guess = KbEntityKind::of_id(&patch.id).map(|kind| format!("; probably `{kind}`"));
            let message = format!("an entity has a type{}", guess.unwrap_or_default());
            self.fault(ProblemCode::ValidationError, &format!("{}.type", patch.path), message);
        }
        kind
    }

    fn title(&mut self, patch: &Patch, fields: &Map<String, Value>) {
        let title = fields.get("title").and_then(Value::as_str).unwrap_or_default();
        if title.trim().is_empty() {
            let path = format!("{}.title", patch.path);
            self.fault(ProblemCode::ValidationError, &path, "an entity has a title");
        }
    }

    /// A new entity begins in the first state of its type.
    fn status(&mut self, patch: &Patch, fields: &mut Map<String, Value>, kind: KbEntityKind) {
        let allowed = kind.statuses();
        let status = fields.entry("status").or_insert_with(|| allowed[0].into());
        let status = status.as_str().unwrap_or_default().to_owned();
        if !allowed.contains(&status.as_str()) {
            let shown = status.escape_debug();
            let message = format!("`{shown}` is no state of a {kind}: {}", allowed.join(", "));
            self.fault(ProblemCode::ValidationError, &format!("{}.status", patch.path), message);
        }
    }

    fn plan_relation(&mut self, tie: &Tie) -> Result<()> {
        let key = &tie.key;
        let from = self.endpoint_kind(&key.from, &format!("{}.from", tie.path))?;
        let to = self.endpoint_kind(&key.to, &format!("{}.to", tie.path))?;
        let (Some(from), Some(to)) = (from, to) else { return Ok(()) };
        if !key.relates.fits(from, to) {
            let (left, right) = key.relates.signature();
            let named = |kind: Option<KbEntityKind>| kind.map_or("component", KbEntityKind::word);
            let message = format!(
                "{}({left}, {right}) does not take ({}, {})",
                key.relates,
                named(from),
                named(to)
            );
            self.fault(ProblemCode::ValidationError, &tie.path, message);
            return Ok(());
        }
        let before = self.known.relation(key)?;
        let source = tie.source.clone().unwrap_or_else(|| self.source());
        let made = KbRelation {
            relates: key.relates,
            from: key.from.clone(),
            to: key.to.clone(),
            kind: key.kind.clone(),
            created_at: self.stamp.at.clone(),
            created_by: self.stamp.actor.clone(),
            source,
            confidence: tie.confidence,
            allow_cycle: tie.allow_cycle,
        };
        let after = match &before {
            Some(before) => KbRelation {
                created_at: before.created_at.clone(),
                created_by: before.created_by.clone(),
                ..made
            },
            None => made,
        };
        let before = self.relations.remove(key).map_or(before, |(before, _)| before);
        self.relations.insert(key.clone(), (before, Some(after)));
        Ok(())
    }

    /// The type of what stands at an end; the outer none if nothing does.
    #[expect(clippy::option_option, reason = "a file or folder is there and has no type")]
    fn endpoint_kind(&mut self, text: &str, path: &str) -> Result<Option<Option<KbEntityKind>>> {
        match KbEndpoint::parse(text) {
            Ok(KbEndpoint::Code(node)) => {
                if self.known.has_code(&node) {
                    return Ok(Some(KbEndpoint::code_kind(&node)));
                }
                self.fault(
                    ProblemCode::ValidationError,
                    path,
                    format!("{node} is not in the tree"),
                );
                Ok(None)
            }
            Ok(KbEndpoint::Entity(id)) => {
                let found = match self.entities.get(&id) {
                    Some((_, after)) => after.as_ref().map(|entity| entity.kind),
                    None => match self.known.owning_file(&id) {
                        Some((kind, _)) => Some(kind),
                        None => self.known.entity(&id)?.map(|entity| entity.kind),
                    },
                };
                // A patch with faults of its own is not missing, only wrong.
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
        let entities = self.entities.into_iter().filter(|(_, (before, after))| before != after);
        let entities =
            entities.map(|(id, (before, after))| KbRowChange::Entity { id, before, after });
        let relations = self.relations.into_iter().filter(|(_, (before, after))| before != after);
        let relations =
            relations.map(|(key, (before, after))| KbRowChange::Relation { key, before, after });
        entities.chain(relations).collect()
    }
}

/// Whether two entities say the same: who wrote them when does not count.
fn has_same_content(before: &Entity, after: &Entity) -> bool {
    let plain = |entity: &Entity| Entity {
        updated_at: String::new(),
        author: String::new(),
        version: 0,
        ..entity.clone()
    };
    plain(before) == plain(after)
}
