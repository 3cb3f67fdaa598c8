//! The entities and relations from files, computed once for each state of the index and cached.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::{RepoPath, Result};
use config::KbConfig;
use kb::{Entity, FactOrigin, FileRelation, KbEntityKind, KbRelationKind, KnownEntity};

use super::document_filter::DocumentFilter;
use super::state::bound_symbol;
use crate::areas::history::{HistoryReader, dates_of};
use crate::view::View;

/// The cache key.
const CACHE_KEY: &str = "kb.files";

/// The entities and relations from documents, manifests and doc comments.
pub(crate) struct KbFiles {
    /// Entities
    pub facts: Vec<KnownEntity>,
    /// Relations
    pub relations: Vec<FileRelation>,
    /// What could not be read
    pub faults: Vec<(RepoPath, u32, String)>,
    /// Text that looks like an entity but is not read as one
    pub notices: Vec<(RepoPath, u32, String)>,
    /// Positions in `facts` by id; the first if several have the same id
    by_id: BTreeMap<String, usize>,
    /// The files whose relations name something
    files_by_name: BTreeMap<String, BTreeSet<String>>,
}

/// The entities and relations from files now.
pub(crate) fn kb_files(view: &View) -> Result<Arc<KbFiles>> {
    let mark = fingerprint(view)?;
    let known = mark.as_ref().and_then(|mark| view.cached_at(CACHE_KEY, mark));
    if let Some(known) = known {
        return Ok(known);
    }
    let (read, is_whole) = read(view)?;
    match mark.filter(|_| is_whole) {
        Some(mark) => Ok(view.cache_at(CACHE_KEY, mark, read)),
        None => Ok(Arc::new(read)),
    }
}

/// Identifies the state that all this depends on: the index, the commits that date files, and which
/// files count. `None` if the index has no fingerprint.
fn fingerprint(view: &View) -> Result<Option<String>> {
    let Some(index) = view.index()?.fingerprint() else { return Ok(None) };
    let head = view.git().map(|git| git.head_commit(view.call())).transpose()?.flatten();
    Ok(Some(format!("{index} {head:?} {:?} {:?}", view.config().kb, view.config().history.exclude)))
}

/// Reads it. Returns whether it is complete, so that it may be cached.
fn read(view: &View) -> Result<(KbFiles, bool)> {
    let gate = DocumentFilter::new(&view.config().kb)?;
    let conn = view.index()?.conn();
    let mut facts = Vec::new();
    let mut notices = Vec::new();
    for (extractor, mut said) in kb::derived_tables::all_entities(conn)? {
        if gate.accepts(&extractor, &said.path) {
            let is_foreign = is_foreign(&extractor);
            if let Some(message) = map_words(&view.config().kb, &mut said.entity, is_foreign) {
                notices.push((said.path.clone(), said.line, message));
            }
            facts.push(fact(view, said.entity, FactOrigin::File(said.path, said.line))?);
        }
    }
    for (extractor, path, line, message) in kb::derived_tables::notices(conn)? {
        if gate.accepts(&extractor, &path) {
            notices.push((path, line, message));
        }
    }
    let is_whole = fill_dates(view, &mut facts)?;
    let mut told = kb::derived_tables::all_relations(conn)?;
    told.retain(|(extractor, told)| {
        told.origin.file().is_some_and(|(path, _)| gate.accepts(extractor, path))
    });
    let mut faults = kb::derived_tables::faults(conn)?;
    faults.retain(|(path, ..)| {
        kb::extractor(path).is_some_and(|extractor| gate.accepts(extractor.name(), path))
    });
    let told = told.into_iter().map(|(_, told)| told).collect();
    Ok((KbFiles { notices, ..KbFiles::new(facts, told, faults) }, is_whole))
}

/// Whether an extractor reads documents that were not written for cairn.
fn is_foreign(extractor: &str) -> bool {
    !matches!(extractor, "document" | "manifest" | "code")
}

/// Translates the type and status of an entity as `kb.types` and `kb.statuses` say, and by the words that are
/// commonly used. Returns a notice about a status of a foreign document that stays unknown; in other documents a
/// rule reports it.
fn map_words(config: &KbConfig, entity: &mut Entity, is_foreign: bool) -> Option<String> {
    let id = entity.id.to_uppercase();
    let longest = config.types.iter().filter(|(prefix, _)| id.starts_with(&prefix.to_uppercase()));
    if let Some((_, kind)) = longest.max_by_key(|(prefix, _)| prefix.len())
        && let Ok(kind) = kind.parse()
    {
        if entity.status == entity.kind.statuses()[0] {
            KbEntityKind::statuses(kind)[0].clone_into(&mut entity.status);
        }
        entity.kind = kind;
    }
    if let Some(status) = config.statuses.get(&entity.status) {
        entity.status.clone_from(status);
    }
    let word = entity.status.trim().to_lowercase().replace([' ', '-'], "_");
    if let Some(status) = kb::known_status(entity.kind, &word) {
        status.clone_into(&mut entity.status);
        return None;
    }
    if !is_foreign {
        return None;
    }
    let foreign = std::mem::replace(&mut entity.status, entity.kind.statuses()[0].to_owned());
    Some(format!(
        "{} has the status `{foreign}`, which is read as `{}`; map it in `kb.statuses`",
        entity.id, entity.status
    ))
}

/// An entity as it is known here.
pub(super) fn fact(view: &View, entity: Entity, origin: FactOrigin) -> Result<KnownEntity> {
    let code = match entity.more.code.as_deref().filter(|_| entity.kind == KbEntityKind::Symbol) {
        Some(code) => bound_symbol(view, code)?,
        None => None,
    };
    Ok(KnownEntity { entity, origin, code })
}

/// Fills in missing dates of documents from git, or from the file's modification time if no commit
/// has it. Returns whether all dates could be read.
fn fill_dates(view: &View, facts: &mut [KnownEntity]) -> Result<bool> {
    let undated = |fact: &&mut KnownEntity| {
        fact.entity.created_at.is_empty() || fact.entity.updated_at.is_empty()
    };
    let mut undated = facts.iter_mut().filter(undated).peekable();
    if undated.peek().is_none() {
        return Ok(true);
    }
    let history = HistoryReader::open_if_ready(view)?;
    if history.is_none() && view.git().is_some() {
        return Ok(false);
    }
    let mut dates = BTreeMap::new();
    for fact in undated {
        let Some((path, _)) = fact.origin.file() else { continue };
        let known = match dates.get(path) {
            Some(known) => known,
            None => dates.entry(path.clone()).or_insert(dates_of(view, history.as_ref(), path)?),
        };
        let Some(known) = known else { continue };
        let entity = &mut fact.entity;
        if entity.created_at.is_empty() {
            entity.created_at.clone_from(&known.created_at);
        }
        if entity.updated_at.is_empty() {
            entity.updated_at.clone_from(&known.updated_at);
        }
    }
    Ok(!view.is_partial())
}

/// Whether a relation really names an entity. The word after `implements` in a doc comment does
/// only if it has the form of a requirement's id or if an entity has that id.
pub(super) fn names_entity(told: &FileRelation, is_known: impl FnOnce(&str) -> bool) -> bool {
    let is_claim = told.relates == Some(KbRelationKind::Implements)
        && matches!(kb::KbEndpoint::parse(&told.from), Ok(kb::KbEndpoint::Code(_)));
    !is_claim || KbEntityKind::of_id(&told.to) == Some(KbEntityKind::Req) || is_known(&told.to)
}

impl KbFiles {
    fn new(
        facts: Vec<KnownEntity>,
        relations: Vec<FileRelation>,
        faults: Vec<(RepoPath, u32, String)>,
    ) -> Self {
        let mut by_id = BTreeMap::new();
        for (at, fact) in facts.iter().enumerate() {
            by_id.entry(fact.entity.id.clone()).or_insert(at);
        }
        let mut files_by_name: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for told in &relations {
            let Some((path, _)) = told.origin.file() else { continue };
            for end in [&told.from, &told.to] {
                files_by_name.entry(end.clone()).or_default().insert(path.to_string());
            }
        }
        let notices = Vec::new();
        Self { facts, relations, faults, notices, by_id, files_by_name }
    }

    /// The entity from files with this id.
    pub(crate) fn get(&self, id: &str) -> Option<&KnownEntity> {
        self.by_id.get(id).map(|at| &self.facts[*at])
    }

    /// An id in files that differs from this one only in case.
    pub(crate) fn differing_in_case(&self, id: &str) -> Option<&str> {
        let folded = id.to_lowercase();
        let is_other = |other: &&String| *other != id && other.to_lowercase() == folded;
        self.by_id.keys().find(is_other).map(String::as_str)
    }

    /// The files whose relations name an entity.
    pub(crate) fn files_naming(&self, id: &str) -> Vec<String> {
        self.files_by_name.get(id).into_iter().flatten().cloned().collect()
    }
}
