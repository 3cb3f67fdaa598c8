//! The facts of a branch as text files, one for each entity and relation, so that a team can review
//! and exchange them through git.
//!
//! An import from the files is one entry of the log and can be undone like any other. The file of a
//! deleted record stays as a tombstone, which deletes the record in the stores of others.
//!
//! @see spec::graph/share

use std::collections::{BTreeMap, BTreeSet};

use base::Result;
use base::shared::{
    self, FOLDER, MergeBase, MergePreference, MergeReport, MergeSides, MergeVerdict, RecordState,
    SharedFiles,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use store::Connection;

use crate::apply::{FileAgreement, KbPlan};
use crate::edit::KbRowChange;
use crate::endpoint::KbEndpoint;
use crate::log::AuditEntry;
use crate::model::{Entity, KbEntityKind, KbRelation};
use crate::plan::ChangeStamp;
use crate::tables;

/// The field that is written below the others, without quoting.
const BODY: &str = "text";

/// The folder of entities.
const ENTITIES: &str = "entities";

/// The folder of relations.
const RELATIONS: &str = "relations";

/// The longest readable part of a file name, in characters.
const MAX_FILE_NAME_CHARS: usize = 80;

/// The texts that the shared files should have, by path from the root of the repository.
/// `documented` are the entities that documents define: they have no shared file.
pub fn shared_file_texts(
    conn: &Connection,
    files: &BTreeMap<String, String>,
    documented: &BTreeMap<String, KbEntityKind>,
) -> Result<BTreeMap<String, String>> {
    let agreed = tables::agreements(conn)?;
    let mut texts = BTreeMap::new();
    let mut put = |path: String, fields: Map<String, Value>, version: u32| {
        let content = shared::render_content(&fields, BODY);
        let revision = MergeBase::next_revision(agreed.get(&path), Some(&content), version);
        texts.insert(path, shared::render_file(&fields, BODY, revision));
    };
    for entity in tables::entities(conn)? {
        put(entity_path(&entity.id), fields(&entity), entity.version);
    }
    for relation in tables::relations(conn)? {
        put(relation_path(&relation), fields(&relation), 1);
    }
    let documented: BTreeSet<String> = documented.keys().map(|id| entity_path(id)).collect();
    for (path, text) in files.iter().filter(|(path, _)| is_record(path)) {
        let known = agreed.get(path);
        if texts.contains_key(path) || known.is_none() && !documented.contains(path) {
            continue;
        }
        let Ok(file) = shared::parse_file(text, BODY) else { continue };
        let agreed = known.map_or(0, |agreed| agreed.revision);
        let revision = match known {
            Some(known) if known.is_deleted() => agreed,
            _ if file.record.is_none() => agreed.max(file.revision),
            _ => agreed.max(file.revision).saturating_add(1),
        };
        texts.insert(path.clone(), shared::tombstone(revision));
    }
    Ok(texts)
}

/// A test whether a file, given by its path and the hash of its text, is unchanged since the store
/// last agreed with it.
pub fn agreements(conn: &Connection) -> Result<impl Fn(&str, &str) -> bool + use<>> {
    let known = tables::agreements(conn)?;
    Ok(move |path: &str, hash: &str| {
        known.get(path).is_some_and(|known| known.matches_text_hash(hash))
    })
}

/// The plan of an import from shared files.
#[derive(Debug)]
pub struct SharedImport {
    /// What is written
    pub plan: KbPlan,
    /// What the merge of files and store found, conflicts included
    pub report: MergeReport,
}

/// Plans to import what the shared files have and the store does not. `documented` are the entities
/// that documents define.
pub fn plan_import(
    conn: &Connection,
    files: &SharedFiles,
    documented: &BTreeMap<String, KbEntityKind>,
    prefer: MergePreference,
    stamp: &ChangeStamp,
) -> Result<SharedImport> {
    let mut planner = SharedImportPlanner {
        conn,
        documented,
        prefer,
        agreed: tables::agreements(conn)?,
        entity_kinds: tables::entities(conn)?.into_iter().map(|e| (e.id, e.kind)).collect(),
        edits: Vec::new(),
        agreements: Vec::new(),
        report: MergeReport::default(),
    };
    for folder in [ENTITIES, RELATIONS] {
        for (path, why) in files.unreadable_in(folder) {
            planner.report.add_unreadable(path, why);
        }
    }
    files.texts_in(ENTITIES).try_for_each(|(path, text)| planner.entity(path, text))?;
    files.texts_in(RELATIONS).try_for_each(|(path, text)| planner.relation(path, text))?;
    planner.remove_orphaned_relations()?;
    planner.record_missing_files(files)?;
    let SharedImportPlanner { edits, agreements, report, .. } = planner;
    let entry = (!edits.is_empty()).then(|| AuditEntry::new("share", FOLDER, stamp, edits));
    let entries = entry.into_iter().collect();
    Ok(SharedImport { plan: KbPlan { entries, agreements, ..KbPlan::default() }, report })
}

struct SharedImportPlanner<'a> {
    conn: &'a Connection,
    documented: &'a BTreeMap<String, KbEntityKind>,
    prefer: MergePreference,
    agreed: BTreeMap<String, MergeBase>,
    /// The types of the entities of the store, including imported ones, by id
    entity_kinds: BTreeMap<String, KbEntityKind>,
    edits: Vec<KbRowChange>,
    agreements: Vec<FileAgreement>,
    report: MergeReport,
}

impl SharedImportPlanner<'_> {
    fn entity(&mut self, path: &str, text: &str) -> Result<()> {
        let (revision, record) = match shared::parse_file(text, BODY) {
            Ok(file) => (file.revision, file.record),
            Err(why) => {
                self.report.add_unreadable(path, why);
                return Ok(());
            }
        };
        let Some(record) = record else { return self.deleted_entity(path, revision) };
        let Some(theirs) = parse::<Entity>(record).filter(|entity| is_valid_entity(entity, path))
        else {
            self.report
                .add_unreadable(path, "not an entity, or not the one that its file name says");
            return Ok(());
        };
        if self.documented.contains_key(&theirs.id) {
            return Ok(()); // the document defines it now
        }
        let folded = theirs.id.to_lowercase();
        let is_other = |other: &&String| **other != theirs.id && other.to_lowercase() == folded;
        if let Some(other) = self.entity_kinds.keys().chain(self.documented.keys()).find(is_other) {
            let why = format!("{} differs from {other} only in case", theirs.id);
            self.report.add_unreadable(path, why);
            return Ok(());
        }
        let ours = tables::entity(self.conn, &theirs.id)?;
        let known = ours.as_ref().map(|entity| (content(entity), entity.version));
        let handle = format!("kb:{}", theirs.id);
        if self.should_import(path, handle, known.as_ref(), Some(&content(&theirs)), revision) {
            self.entity_kinds.insert(theirs.id.clone(), theirs.kind);
            let (id, after) = (theirs.id.clone(), Some(theirs));
            self.edits.push(KbRowChange::Entity { id, before: ours, after });
        }
        Ok(())
    }

    fn deleted_entity(&mut self, path: &str, revision: u32) -> Result<()> {
        let id = self.entity_kinds.keys().find(|id| entity_path(id) == path).cloned();
        let ours = id.as_ref().map(|id| tables::entity(self.conn, id)).transpose()?.flatten();
        let known = ours.as_ref().map(|entity| (content(entity), entity.version));
        let handle = id.as_ref().map_or_else(|| path.to_owned(), |id| format!("kb:{id}"));
        if self.should_import(path, handle, known.as_ref(), None, revision)
            && let Some(id) = id
        {
            self.entity_kinds.remove(&id);
            self.edits.push(KbRowChange::Entity { id, before: ours, after: None });
        }
        Ok(())
    }

    fn relation(&mut self, path: &str, text: &str) -> Result<()> {
        let (revision, record) = match shared::parse_file(text, BODY) {
            Ok(file) => (file.revision, file.record),
            Err(why) => {
                self.report.add_unreadable(path, why);
                return Ok(());
            }
        };
        let Some(record) = record else { return self.deleted_relation(path, revision) };
        let read = parse::<KbRelation>(record).filter(|one| relation_path(one) == path);
        let Some(theirs) = read else {
            self.report
                .add_unreadable(path, "not a relation, or not the one that its file name says");
            return Ok(());
        };
        // A relation that was imported before may have lost its ends here since.
        if !self.agreed.contains_key(path) && !self.is_valid_relation(&theirs) {
            self.report.add_unreadable(
                path,
                "one end does not exist, or has a type that the relation does not allow",
            );
            return Ok(());
        }
        let key = theirs.key();
        let ours = tables::relation(self.conn, &key)?;
        let known = ours.as_ref().map(|relation| (content(relation), 1)); // it has no version
        if self.should_import(
            path,
            key.to_string(),
            known.as_ref(),
            Some(&content(&theirs)),
            revision,
        ) {
            self.edits.push(KbRowChange::Relation { key, before: ours, after: Some(theirs) });
        }
        Ok(())
    }

    fn deleted_relation(&mut self, path: &str, revision: u32) -> Result<()> {
        let mut relations = tables::relations(self.conn)?.into_iter();
        let ours = relations.find(|relation| relation_path(relation) == path);
        let known = ours.as_ref().map(|relation| (content(relation), 1));
        let handle = ours.as_ref().map_or_else(|| path.to_owned(), |one| one.key().to_string());
        if self.should_import(path, handle, known.as_ref(), None, revision)
            && let Some(ours) = ours
        {
            self.remove_relation(ours);
        }
        Ok(())
    }

    fn remove_relation(&mut self, relation: KbRelation) {
        let key = relation.key();
        self.edits.push(KbRowChange::Relation { key, before: Some(relation), after: None });
    }

    /// Whether the content of a file is imported. `ours` is the stored content with its version,
    /// `theirs` the content of the file at `revision`; `None` stands for a deleted record.
    fn should_import(
        &mut self,
        path: &str,
        handle: String,
        ours: Option<&(String, u32)>,
        theirs: Option<&str>,
        revision: u32,
    ) -> bool {
        let agreed = self.agreed.get(path);
        let our_state = ours.map(|(content, version)| RecordState {
            content: Some(content),
            revision: MergeBase::next_revision(agreed, Some(content), *version),
        });
        let theirs_state = RecordState { content: theirs, revision };
        let sides = MergeSides { ours: our_state, theirs: theirs_state, base: agreed };
        let settled = self.report.decide(path, handle, &sides, self.prefer);
        if matches!(settled.verdict, MergeVerdict::Agree | MergeVerdict::TakeTheirs) {
            let hash = theirs.map_or_else(shared::deleted_hash, shared::hash_text);
            let now = MergeBase { revision: settled.revision, hash };
            if agreed != Some(&now) {
                self.agreements.push(FileAgreement { file: path.to_owned(), content: now });
            }
        }
        settled.verdict == MergeVerdict::TakeTheirs
    }

    /// Removes the relations of entities that were deleted elsewhere.
    fn remove_orphaned_relations(&mut self) -> Result<()> {
        let is_gone = |edit: &KbRowChange| match edit {
            KbRowChange::Entity { id, after: None, .. } => Some(id.clone()),
            _ => None,
        };
        let gone: Vec<String> = self.edits.iter().filter_map(is_gone).collect();
        for id in gone {
            for relation in tables::relations_touching(self.conn, &id)? {
                let key = relation.key();
                let is_edited = |edit: &KbRowChange| matches!(edit, KbRowChange::Relation { key: other, .. } if *other == key);
                if !self.edits.iter().any(is_edited) {
                    self.remove_relation(relation);
                }
            }
        }
        Ok(())
    }

    /// Whether both ends of a relation exist and have types that it allows.
    fn is_valid_relation(&self, relation: &KbRelation) -> bool {
        let kind = |end: &str| match KbEndpoint::parse(end) {
            Ok(KbEndpoint::Code(node)) => Some(KbEndpoint::code_kind(&node)),
            Ok(KbEndpoint::Entity(id)) => {
                self.documented.get(&id).or(self.entity_kinds.get(&id)).copied().map(Some)
            }
            Err(_) => None,
        };
        let (Some(from), Some(to)) = (kind(&relation.from), kind(&relation.to)) else {
            return false;
        };
        relation.relates.fits(from, to)
    }

    fn record_missing_files(&mut self, files: &SharedFiles) -> Result<()> {
        let is_gone = |path: &String| self.agreed.contains_key(path) && !files.paths.contains(path);
        let entities = tables::entities(self.conn)?.into_iter();
        let entities = entities.map(|e| (entity_path(&e.id), format!("kb:{}", e.id)));
        let relations = tables::relations(self.conn)?.into_iter();
        let relations = relations.map(|r| (relation_path(&r), r.key().to_string()));
        let gone: Vec<_> = entities.chain(relations).filter(|(path, _)| is_gone(path)).collect();
        for (path, handle) in gone {
            self.report.add_missing(path, handle, self.prefer);
        }
        Ok(())
    }
}

/// Whether a shared file belongs to the knowledge base.
fn is_record(path: &str) -> bool {
    [ENTITIES, RELATIONS].iter().any(|folder| path.starts_with(&format!("{FOLDER}/{folder}/")))
}

fn is_valid_entity(entity: &Entity, path: &str) -> bool {
    matches!(KbEndpoint::parse(&entity.id), Ok(KbEndpoint::Entity(id)) if id == entity.id)
        && entity.kind.statuses().contains(&entity.status.as_str())
        && entity_path(&entity.id) == path
}

fn entity_path(id: &str) -> String {
    format!("{FOLDER}/entities/{}.md", file_name(id, id))
}

fn relation_path(relation: &KbRelation) -> String {
    let key = relation.key();
    let words = format!("{} {} {}", key.from, key.relates, key.to);
    format!("{FOLDER}/relations/{}.md", file_name(&words, &format!("{words} {}", key.kind)))
}

/// A readable file name. It ends in a digest if the words alone could clash with another name, also
/// on a disk that ignores case.
fn file_name(words: &str, whole: &str) -> String {
    let plain = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '-';
    if words == whole && words.chars().all(plain) && words.len() <= MAX_FILE_NAME_CHARS {
        return words.to_owned();
    }
    let fit = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '.' };
    let shown: String = words.chars().map(fit).take(MAX_FILE_NAME_CHARS).collect();
    let digest = blake3::hash(whole.as_bytes()).to_hex();
    format!("{}.{}", shown.trim_matches('.'), &digest[..8])
}

/// A row as the text of its shared file, without the revision.
fn content<T: Serialize>(row: &T) -> String {
    shared::render_content(&fields(row), BODY)
}

fn fields<T: Serialize>(row: &T) -> Map<String, Value> {
    match serde_json::to_value(row) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

/// Reads a row from the fields of its file. Unknown fields are refused, because a newer version of
/// cairn wrote them and they would be lost.
fn parse<T: Serialize + DeserializeOwned>(mut found: Map<String, Value>) -> Option<T> {
    if found.get(BODY).is_some_and(|text| text == "") {
        found.remove(BODY);
    }
    let row: T = serde_json::from_value(found.clone().into()).ok()?;
    found.keys().all(|key| fields(&row).contains_key(key)).then_some(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_by_what_they_hold() {
        assert_eq!(entity_path("REQ-001"), ".cairn/shared/entities/REQ-001.md");
        // Two ids that a disk may take for one get two names.
        let (lower, upper) = (entity_path("req-1").to_lowercase(), entity_path("REQ-1"));
        assert_ne!(lower, upper.to_lowercase());
        let odd = entity_path("../../etc::passwd");
        assert!(odd.starts_with(".cairn/shared/entities/etc..passwd."), "{odd}");
        assert_eq!(odd.matches('/').count(), 3);
    }
}
