//! The knowledge base as one view sees it: files and store together.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::{EntityRef, RepoPath, Result};
use kb::{
    ChangeStamp, Changeset, DocumentedEntity, Entity, ExternalRefs, FactOrigin, KbEndpoint,
    KnowledgeModel, KnownEntity, KnownRelation,
};

use super::STORE;
use super::document_filter::DocumentFilter;
use super::files::{KbFiles, fact, kb_files, names_entity};
use crate::contract::args::NodeTarget;
use crate::graph;
use crate::view::View;

/// The cache key of the model.
const CACHE_KEY: &str = "kb.model";

/// The knowledge base at one moment.
pub struct KbState {
    /// Files and store as one
    pub model: KnowledgeModel,
    /// What files say
    pub(crate) files: Arc<KbFiles>,
    /// The ends of relations that are in a file, by file
    ends: BTreeMap<RepoPath, BTreeSet<String>>,
}

/// The knowledge base, built once for each view and shared by views of the same state.
pub fn kb_state(view: &View) -> Result<Arc<KbState>> {
    view.cached_for_view(|| cached_state(view)).map(|known| Arc::clone(&known))
}

/// The file or folder that a caller means by a path.
pub fn resolve_path(view: &View, path: Option<&NodeTarget>) -> Result<Option<RepoPath>> {
    let node = path.map(|path| graph::resolve(view, path)).transpose()?;
    Ok(node.and_then(|node| node.path().cloned()))
}

/// The author and time of a change that is made now.
pub fn current_stamp(view: &View) -> ChangeStamp {
    ChangeStamp { at: view.call().now.to_string(), actor: view.call().actor.clone() }
}

fn cached_state(view: &View) -> Result<Arc<KbState>> {
    let files = kb_files(view)?;
    let store = view.store_fingerprint(STORE)?;
    let mark = view.index()?.fingerprint().map(|index| format!("{index} {store}"));
    let known: Option<Arc<KbState>> =
        mark.as_ref().and_then(|mark| view.cached_at(CACHE_KEY, mark));
    // For the same state of the index, commits may give other dates.
    if let Some(known) = known.filter(|known| Arc::ptr_eq(&known.files, &files)) {
        return Ok(known);
    }
    let known = build_state(view, files)?;
    match mark {
        Some(mark) => Ok(view.cache_at(CACHE_KEY, mark, known)),
        None => Ok(Arc::new(known)),
    }
}

fn build_state(view: &View, files: Arc<KbFiles>) -> Result<KbState> {
    let mut facts = files.facts.clone();
    let mut relations = Vec::new();
    if let Some(reading) = view.store(STORE)? {
        for entity in kb::entities(&reading.conn)? {
            facts.push(fact(view, entity, FactOrigin::Store)?);
        }
        let stored = kb::relations(&reading.conn)?.into_iter();
        relations
            .extend(stored.map(|relation| KnownRelation { relation, origin: FactOrigin::Store }));
    }
    let ids: BTreeSet<&str> = facts.iter().map(|fact| fact.entity.id.as_str()).collect();
    let from_files = files.relations.iter();
    let from_files = from_files.filter(|link| names_entity(link, |id| ids.contains(id)));
    let from_files = from_files.cloned().collect();
    let model = KnowledgeModel::new(facts, relations, from_files);
    let ends = ends(&model);
    Ok(KbState { model, files, ends })
}

/// The symbol that `path#name` means; `None` if several have that name. A full handle always means
/// the symbol that it names.
pub(super) fn bound_symbol(view: &View, code: &str) -> Result<Option<EntityRef>> {
    let (is_handle, code) = match code.strip_prefix("symbol:") {
        Some(rest) => (true, rest),
        None => (false, code),
    };
    let Some((path, name)) = code.split_once('#') else { return Ok(None) };
    let Some(Ok(path)) = RepoPath::normalised(path) else { return Ok(None) };
    let conn = view.index()?.conn();
    let exact = if is_handle { code::symbol(conn, &path, name)? } else { None };
    let found = match exact {
        Some(row) => vec![row],
        None => code::symbols_named(conn, &path, name)?,
    };
    let [only] = found.as_slice() else { return Ok(None) };
    Ok(crate::areas::code::handle(&path, &only.full).parse().ok())
}

/// The code that a test names in `code`, if it is there: a symbol as `path#name`, or a file.
pub fn test_code(view: &View, test: &Entity) -> Result<Option<EntityRef>> {
    let Some(code) = test.more.code.as_deref() else { return Ok(None) };
    if code.contains('#') {
        return bound_symbol(view, code);
    }
    let bare = code.strip_prefix("module:").or_else(|| code.strip_prefix("file:")).unwrap_or(code);
    let Some(Ok(path)) = RepoPath::normalised(bare) else { return Ok(None) };
    let node = crate::areas::files::file_node(&path);
    Ok(Some(node).filter(|node| node_exists(view, node)))
}

fn ends(model: &KnowledgeModel) -> BTreeMap<RepoPath, BTreeSet<String>> {
    let mut ends: BTreeMap<RepoPath, BTreeSet<String>> = BTreeMap::new();
    for known_relation in model.relations() {
        for end in [&known_relation.relation.from, &known_relation.relation.to] {
            if let Some(path) = model.node_of(end).as_ref().and_then(EntityRef::path) {
                ends.entry(path.clone()).or_default().insert(end.clone());
            }
        }
    }
    ends
}

impl KbState {
    /// All names under which relations may refer to a node; for a file also those of its symbols.
    pub fn names_of(&self, node: &EntityRef) -> Vec<String> {
        let mut names = self.model.names_of(node);
        if let EntityRef::Module(path) | EntityRef::File(path) = node {
            names.extend(self.ends.get(path).into_iter().flatten().cloned());
        }
        names.sort();
        names.dedup();
        names
    }

    /// Whether an entity is defined at or below a path, or is code there, or has a relation to code
    /// there.
    pub fn is_tied_to(&self, fact: &KnownEntity, place: &RepoPath) -> bool {
        let below = |path: &RepoPath| path == place || path.is_at_or_below(place);
        let is_code = |node: EntityRef| node.path().is_some_and(below);
        let own = fact.code.clone().or_else(|| self.model.node_of(&fact.entity.id));
        let names = own.iter().flat_map(|node| self.model.names_of(node));
        let mut ends = names.flat_map(|name| {
            let out =
                self.model.relations_from(&name).map(|known_relation| &known_relation.relation.to);
            let back =
                self.model.relations_to(&name).map(|known_relation| &known_relation.relation.from);
            out.chain(back).collect::<Vec<_>>()
        });
        fact.origin.file().is_some_and(|(path, _)| below(path))
            || own.clone().is_some_and(is_code)
            || ends.any(|end| self.model.node_of(end).is_some_and(is_code))
    }

    /// Whether relations name something at or in a node of the tree.
    pub(crate) fn mentions(&self, node: &EntityRef) -> bool {
        match node {
            EntityRef::Kb(_) => true,
            node => node.path().is_some_and(|path| self.ends.contains_key(path)),
        }
    }
}

/// The things outside of the store that a changeset names, as far as they exist.
pub(crate) fn external_names(view: &View, set: &Changeset) -> Result<ExternalRefs> {
    let files = kb_files(view)?;
    let mut outside = ExternalRefs::default();
    for end in set.endpoints() {
        match end {
            KbEndpoint::Code(node) => {
                let mut there = false;
                for area in view.graph_areas() {
                    there |= area.contains(view, &node)?;
                }
                if there {
                    outside.existing_code.insert(node);
                }
            }
            KbEndpoint::Entity(id) => {
                if let Some(fact) = files.get(&id)
                    && let Some((path, _)) = fact.origin.file()
                {
                    let owner = DocumentedEntity { kind: fact.entity.kind, file: path.to_string() };
                    outside.owned.insert(id.clone(), owner);
                }
                let naming = files.files_naming(&id);
                if !naming.is_empty() {
                    outside.referencing_files.insert(id.clone(), naming);
                }
                if files.get(&id).is_none() && set.entities.iter().all(|patch| patch.id != id) {
                    let near = nearest(view, &files, &id)?;
                    outside.nearest_ids.extend(near.map(|near| (id, near)));
                }
            }
        }
    }
    for patch in &set.entities {
        let other = files.differing_in_case(&patch.id).map(ToOwned::to_owned);
        outside.case_variants.extend(other.map(|other| (patch.id.clone(), other)));
    }
    Ok(outside)
}

/// The most similar existing id, for an id that does not exist.
fn nearest(view: &View, files: &KbFiles, id: &str) -> Result<Option<String>> {
    let store = view.store(STORE)?.map(|reading| &reading.conn);
    if store.map(|conn| kb::entity(conn, id)).transpose()?.flatten().is_some() {
        return Ok(None);
    }
    let written = store.map(|conn| kb::ids(conn)).transpose()?.unwrap_or_default();
    let told = files.facts.iter().map(|fact| fact.entity.id.as_str());
    let all = told.chain(written.iter().map(String::as_str));
    Ok(base::similarity::most_similar(id, all, 1).first().map(ToString::to_string))
}

/// Whether a node of the tree exists, whether the handle says `file` or `module`.
pub fn node_exists(view: &View, node: &EntityRef) -> bool {
    let held = view.graph_areas().iter().any(|area| area.contains(view, node).unwrap_or(false));
    let as_file = || match node {
        EntityRef::File(path) | EntityRef::Module(path) => {
            let node = graph_node(path);
            view.graph_areas().iter().any(|area| area.contains(view, &node).unwrap_or(false))
        }
        _ => false,
    };
    held || as_file()
}

fn graph_node(path: &RepoPath) -> EntityRef {
    crate::areas::files::file_node(path)
}

/// An entity as the graph describes it.
pub(super) fn description(node: &EntityRef, fact: &KnownEntity) -> graph::NodeDescription {
    let entity = &fact.entity;
    let priority = entity.more.priority.map(|p| format!("{p} ")).unwrap_or_default();
    let about = format!("{priority}{}, {}", entity.kind, entity.status);
    let title: String = entity.title.lines().next().unwrap_or_default().chars().take(120).collect();
    graph::NodeDescription { node: node.clone(), name: format!("{} \"{title}\"", entity.id), about }
}

/// Whether a file counts as a document of the knowledge base.
pub fn is_document(view: &View, path: &RepoPath) -> Result<bool> {
    let named = kb::extractor(path).is_some_and(|extractor| extractor.name() == "document");
    Ok(named && DocumentFilter::new(&view.config().kb)?.accepts("document", path))
}
