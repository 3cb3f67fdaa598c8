//! What files say, as one state of the index has it: put together once and kept until it changes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::{RepoPath, Result};
use kb::{Entity, Fact, Kind, Origin, Relates, Told};

use super::gate::Gate;
use super::known::bound;
use crate::layers::history::{Book, dates_of};
use crate::view::View;

/// The name that what files say is kept by.
const KEPT: &str = "kb.files";

/// What documents, manifests and doc comments say.
pub(crate) struct FromFiles {
    /// Entities
    pub facts: Vec<Fact>,
    /// Relations
    pub told: Vec<Told>,
    /// What nobody understands
    pub faults: Vec<(RepoPath, u32, String)>,
    /// The entities by their ids; of two the first
    by_id: BTreeMap<String, usize>,
    /// The files whose relations name something
    naming: BTreeMap<String, BTreeSet<String>>,
}

/// What files say now.
pub(crate) fn from_files(view: &View) -> Result<Arc<FromFiles>> {
    let mark = mark(view)?;
    let known = mark.as_ref().and_then(|mark| view.still_kept(KEPT, mark));
    if let Some(known) = known {
        return Ok(known);
    }
    let (read, is_whole) = read(view)?;
    match mark.filter(|_| is_whole) {
        Some(mark) => Ok(view.keep(KEPT, mark, read)),
        None => Ok(Arc::new(read)),
    }
}

/// What tells one state of all this from another: the index, the commits that date files, and
/// which files count. None where the index has no name to be known by.
fn mark(view: &View) -> Result<Option<String>> {
    let Some(index) = view.index()?.mark() else { return Ok(None) };
    let head = view.git().map(|git| git.head_commit(view.call())).transpose()?.flatten();
    Ok(Some(format!("{index} {head:?} {:?} {:?}", view.config().kb, view.config().history.exclude)))
}

/// Reads it, and says whether it is all there is to know.
fn read(view: &View) -> Result<(FromFiles, bool)> {
    let gate = Gate::new(&view.config().kb)?;
    let conn = view.index()?.conn();
    let mut facts = Vec::new();
    for (extractor, said) in kb::derived_tables::said(conn)? {
        if gate.lets_in(&extractor, &said.path) {
            facts.push(fact(view, said.entity, Origin::File(said.path, said.line))?);
        }
    }
    let is_whole = date(view, &mut facts)?;
    let mut told = kb::derived_tables::told(conn)?;
    told.retain(|(extractor, told)| {
        told.origin.file().is_some_and(|(path, _)| gate.lets_in(extractor, path))
    });
    let mut faults = kb::derived_tables::faults(conn)?;
    faults.retain(|(path, ..)| {
        kb::extractor(path).is_some_and(|extractor| gate.lets_in(extractor.name(), path))
    });
    let told = told.into_iter().map(|(_, told)| told).collect();
    Ok((FromFiles::new(facts, told, faults), is_whole))
}

/// An entity as it is known here.
pub(super) fn fact(view: &View, entity: Entity, origin: Origin) -> Result<Fact> {
    let code = match entity.more.code.as_deref().filter(|_| entity.kind == Kind::Symbol) {
        Some(code) => bound(view, code)?,
        None => None,
    };
    Ok(Fact { entity, origin, code })
}

/// A document that does not say when it was written is as old as git says, or as its file if no
/// commit has it. Returns whether all dates that there are could be had.
fn date(view: &View, facts: &mut [Fact]) -> Result<bool> {
    let undated =
        |fact: &&mut Fact| fact.entity.created_at.is_empty() || fact.entity.updated_at.is_empty();
    let mut undated = facts.iter_mut().filter(undated).peekable();
    if undated.peek().is_none() {
        return Ok(true);
    }
    let book = Book::soon(view)?;
    if book.is_none() && view.git().is_some() {
        return Ok(false);
    }
    let mut dates = BTreeMap::new();
    for fact in undated {
        let Some((path, _)) = fact.origin.file() else { continue };
        let known = match dates.get(path) {
            Some(known) => known,
            None => dates.entry(path.clone()).or_insert(dates_of(view, book.as_ref(), path)?),
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
    Ok(!view.has_doubts())
}

/// Whether what is told is meant: a doc comment that says it implements something means an entity,
/// by an id that only requirements have or by one that something has.
pub(super) fn is_meant(told: &Told, is_known: impl FnOnce(&str) -> bool) -> bool {
    let is_claim = told.relates == Some(Relates::Implements)
        && matches!(kb::End::read(&told.from), Ok(kb::End::Code(_)));
    !is_claim || Kind::of_id(&told.to) == Some(Kind::Req) || is_known(&told.to)
}

impl FromFiles {
    fn new(facts: Vec<Fact>, told: Vec<Told>, faults: Vec<(RepoPath, u32, String)>) -> Self {
        let mut by_id = BTreeMap::new();
        for (at, fact) in facts.iter().enumerate() {
            by_id.entry(fact.entity.id.clone()).or_insert(at);
        }
        let mut naming: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for told in &told {
            let Some((path, _)) = told.origin.file() else { continue };
            for end in [&told.from, &told.to] {
                naming.entry(end.clone()).or_default().insert(path.to_string());
            }
        }
        Self { facts, told, faults, by_id, naming }
    }

    /// An entity that a file tells.
    pub(crate) fn get(&self, id: &str) -> Option<&Fact> {
        self.by_id.get(id).map(|at| &self.facts[*at])
    }

    /// An id of files that differs from this one in case alone.
    pub(crate) fn differing_in_case(&self, id: &str) -> Option<&str> {
        let folded = id.to_lowercase();
        let is_other = |other: &&String| *other != id && other.to_lowercase() == folded;
        self.by_id.keys().find(is_other).map(String::as_str)
    }

    /// The files whose relations name an entity.
    pub(crate) fn naming(&self, id: &str) -> Vec<String> {
        self.naming.get(id).into_iter().flatten().cloned().collect()
    }
}
