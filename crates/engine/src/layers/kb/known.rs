//! Everything that is known, as one view sees it.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use base::{EntityRef, RepoPath, Result};
use kb::{Bond, Changeset, End, Entity, Fact, Kind, Model, Origin, Outside, Stamp};

use super::STORE;
use super::gate::Gate;
use crate::graph;
use crate::view::View;

/// The knowledge base as of one moment.
pub(crate) struct Knowledge {
    /// Files and store as one
    pub model: Model,
    /// What files say and nobody understands
    pub faults: Vec<(RepoPath, u32, String)>,
    /// Ends of relations that lie in a file, by file
    ends: BTreeMap<RepoPath, BTreeSet<String>>,
}

/// The knowledge base, put together once a view.
pub(crate) fn known(view: &View) -> Result<Rc<Knowledge>> {
    view.once(|| load(view))
}

/// Who changes something now.
pub(crate) fn stamp(view: &View) -> Stamp {
    Stamp { at: view.call().now.to_string(), actor: view.call().actor.clone() }
}

fn load(view: &View) -> Result<Knowledge> {
    let gate = Gate::new(&view.config().kb)?;
    let conn = view.index()?.conn();
    let mut facts = Vec::new();
    for (extractor, said) in kb::derived_tables::said(conn)? {
        if gate.lets_in(&extractor, &said.path) {
            let origin = Origin::File(said.path, said.line);
            facts.push(fact(view, said.entity, origin)?);
        }
    }
    let mut bonds = Vec::new();
    if let Some(reading) = view.store(STORE)? {
        for entity in kb::entities(&reading.conn)? {
            facts.push(fact(view, entity, Origin::Store)?);
        }
        let relations = kb::relations(&reading.conn)?.into_iter();
        bonds.extend(relations.map(|relation| Bond { relation, origin: Origin::Store }));
    }
    let told = kb::derived_tables::told(conn)?.into_iter();
    let told = told.filter(|(extractor, told)| {
        told.origin.file().is_some_and(|(path, _)| gate.lets_in(extractor, path))
    });
    let model = Model::new(facts, bonds, told.map(|(_, told)| told).collect());
    let mut faults = kb::derived_tables::faults(conn)?;
    faults.retain(|(path, ..)| {
        kb::extractor(path).is_some_and(|extractor| gate.lets_in(extractor.name(), path))
    });
    let ends = ends(&model);
    Ok(Knowledge { model, faults, ends })
}

fn fact(view: &View, entity: Entity, origin: Origin) -> Result<Fact> {
    let is_symbol = entity.kind == Kind::Symbol;
    let code = match entity.more.code.as_deref().filter(|_| is_symbol) {
        Some(code) => bound(view, code)?,
        None => None,
    };
    Ok(Fact { entity, origin, code })
}

/// The symbol of the code that `path#name` means.
fn bound(view: &View, code: &str) -> Result<Option<EntityRef>> {
    let code = code.strip_prefix("symbol:").unwrap_or(code);
    let Some((path, name)) = code.split_once('#') else { return Ok(None) };
    let Some(Ok(path)) = RepoPath::normalised(path) else { return Ok(None) };
    let conn = view.index()?.conn();
    let mut full = code::symbol(conn, &path, name)?.map(|row| row.full);
    if full.is_none() {
        let ending = format!(".{name}");
        let mut rows = code::in_file(conn, &path)?.into_iter();
        full = rows.find(|row| row.full.ends_with(&ending)).map(|row| row.full);
    }
    Ok(full.and_then(|full| crate::layers::code::handle(&path, &full).parse().ok()))
}

fn ends(model: &Model) -> BTreeMap<RepoPath, BTreeSet<String>> {
    let mut ends: BTreeMap<RepoPath, BTreeSet<String>> = BTreeMap::new();
    for bond in model.bonds() {
        for end in [&bond.relation.from, &bond.relation.to] {
            if let Some(path) = model.node_of(end).as_ref().and_then(EntityRef::path) {
                ends.entry(path.clone()).or_default().insert(end.clone());
            }
        }
    }
    ends
}

impl Knowledge {
    /// Every way that relations may write a node; a file has those of all its symbols.
    pub(crate) fn names_of(&self, node: &EntityRef) -> Vec<String> {
        let mut names = self.model.names_of(node);
        if let EntityRef::Module(path) | EntityRef::File(path) = node {
            names.extend(self.ends.get(path).into_iter().flatten().cloned());
        }
        names.sort();
        names.dedup();
        names
    }

    /// Whether relations name something at or in a node of the tree.
    pub(crate) fn speaks_of(&self, node: &EntityRef) -> bool {
        match node {
            EntityRef::Kb(_) => true,
            node => node.path().is_some_and(|path| self.ends.contains_key(path)),
        }
    }
}

/// What a changeset may name outside of the store, as far as it names it.
pub(crate) fn outside(view: &View, set: &Changeset) -> Result<Outside> {
    let known = known(view)?;
    let mut outside = Outside::default();
    for end in set.ends() {
        match end {
            End::Code(node) => {
                let mut there = false;
                for layer in view.layers() {
                    there |= layer.holds(view, &node)?;
                }
                if there {
                    outside.code.insert(node);
                }
            }
            End::Entity(id) => {
                if let Some(fact) = known.model.get(&id)
                    && let Some((path, _)) = fact.origin.file()
                {
                    outside.owned.insert(id.clone(), (fact.entity.kind, path.to_string()));
                }
                let pointing = known.model.ending(&id).filter_map(|bond| bond.origin.file());
                let files: BTreeSet<String> = pointing.map(|(path, _)| path.to_string()).collect();
                if !files.is_empty() {
                    outside.pointing.insert(id, files.into_iter().collect());
                }
            }
        }
    }
    Ok(outside)
}

/// Whether a piece of the tree is there, whatever kind of file it is called.
pub(crate) fn is_there(view: &View, node: &EntityRef) -> bool {
    let held = view.layers().iter().any(|layer| layer.holds(view, node).unwrap_or(false));
    let as_file = || match node {
        EntityRef::File(path) | EntityRef::Module(path) => {
            let node = graph_node(path);
            view.layers().iter().any(|layer| layer.holds(view, &node).unwrap_or(false))
        }
        _ => false,
    };
    held || as_file()
}

fn graph_node(path: &RepoPath) -> EntityRef {
    crate::layers::files::node(path)
}

/// An entity as the graph describes it.
pub(super) fn description(node: &EntityRef, fact: &Fact) -> graph::Description {
    let entity = &fact.entity;
    let priority = entity.more.priority.map(|p| format!("{p} ")).unwrap_or_default();
    let about = format!("{priority}{}, {}", entity.kind, entity.status);
    let title: String = entity.title.lines().next().unwrap_or_default().chars().take(120).collect();
    graph::Description { node: node.clone(), name: format!("{} \"{title}\"", entity.id), about }
}

/// Whether a file counts as a document of the knowledge base.
pub(crate) fn is_document(view: &View, path: &RepoPath) -> Result<bool> {
    let named = kb::extractor(path).is_some_and(|extractor| extractor.name() == "document");
    Ok(named && Gate::new(&view.config().kb)?.lets_in("document", path))
}
