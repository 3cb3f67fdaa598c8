//! Entities as nodes, relations as edges. An entity that is a code symbol is that symbol's node.

use base::near::closeness;
use base::{EntityRef, Result};
use kb::{Bond, Relates};

use super::context;
use super::known::{Knowledge, description, known};
use crate::graph::{
    Candidate, Confidence, Description, Edge, EdgeKind, Frontier, Item, Layer, Marks, Travel,
    Wanted,
};
use crate::view::View;

const fn edge(relates: Relates, travel: Travel, means: &'static str) -> EdgeKind {
    EdgeKind { area: "kb", name: relates.word(), travel, means }
}

/// One type of edge a relation, in the order of [`Relates::ALL`].
static EDGES: [EdgeKind; 14] = [
    edge(Relates::DependsOn, Travel::Against, "a requirement needs another"),
    edge(Relates::SpecifiedBy, Travel::Along, "a requirement is told as a scenario"),
    edge(Relates::VerifiedBy, Travel::Along, "a requirement is checked by a test"),
    edge(Relates::Implements, Travel::Both, "code does what a requirement asks"),
    edge(Relates::CoveredBy, Travel::Along, "code is checked by a test"),
    edge(Relates::ConstrainedBy, Travel::Against, "code follows a decision"),
    edge(Relates::Affects, Travel::Along, "a decision is about code"),
    edge(Relates::Guards, Travel::Along, "a flag switches something"),
    edge(Relates::Publishes, Travel::Along, "code sends an event"),
    edge(Relates::Consumes, Travel::Against, "code hears an event"),
    edge(Relates::Supersedes, Travel::OnRequest, "a decision takes the place of another"),
    edge(Relates::Constrains, Travel::Against, "a requirement is bounded by a fact"),
    edge(Relates::RequiresProperty, Travel::Against, "a requirement asks that a fact holds"),
    edge(Relates::RelatesTo, Travel::OnRequest, "any other tie, named by its kind"),
];

/// The knowledge base.
pub(crate) struct KbLayer;

impl Layer for KbLayer {
    fn edges(&self) -> &'static [EdgeKind] {
        &EDGES
    }

    fn resolve(&self, view: &View, name: &str) -> Result<Vec<Candidate>> {
        let known = known(view)?;
        let same = known.model.get(name);
        let mut alike =
            known.model.facts().filter(|fact| fact.entity.id.eq_ignore_ascii_case(name));
        let found = same.or_else(|| alike.next());
        let node = found.and_then(|fact| known.model.node_of(&fact.entity.id));
        let candidate = found.zip(node).map(|(fact, node)| {
            let about = description(&node, fact);
            Candidate { about: format!("{}: {}", about.about, about.name), node, sure: true }
        });
        Ok(candidate.into_iter().collect())
    }

    fn near(&self, view: &View, name: &str) -> Result<Vec<(f64, String)>> {
        let known = known(view)?;
        let wanted = name.strip_prefix("kb:").unwrap_or(name);
        let ids = known.model.facts().map(|fact| &fact.entity.id);
        Ok(ids.filter_map(|id| Some((closeness(wanted, id)?, id.clone()))).collect())
    }

    fn holds(&self, view: &View, node: &EntityRef) -> Result<bool> {
        let EntityRef::Kb(id) = node else { return Ok(false) };
        Ok(known(view)?.model.get(id.as_str()).is_some())
    }

    fn neighbours(
        &self,
        view: &View,
        frontier: Frontier<'_>,
        wanted: &[Wanted],
    ) -> Result<Vec<Edge>> {
        let known = known(view)?;
        let told = frontier.nodes.iter().filter(|node| known.speaks_of(node));
        Ok(told.flat_map(|node| edges_of(&known, node, wanted)).collect())
    }

    fn describe(&self, view: &View, node: &EntityRef) -> Result<Option<Description>> {
        let EntityRef::Kb(id) = node else { return Ok(None) };
        Ok(known(view)?.model.get(id.as_str()).map(|fact| description(node, fact)))
    }

    fn parts(&self, _: &View, _: &EntityRef) -> Result<Vec<EntityRef>> {
        Ok(Vec::new())
    }

    fn context(&self, view: &View, node: &EntityRef) -> Result<Vec<Item>> {
        let known = known(view)?;
        if !known.speaks_of(node) {
            return Ok(Vec::new());
        }
        Ok(match node {
            EntityRef::Kb(id) => context::of_entity(&known, id.as_str()),
            node => context::of_code(&known, node),
        })
    }

    fn mark(&self, view: &View, node: &EntityRef, marks: &mut Marks) -> Result<()> {
        let EntityRef::Kb(id) = node else { return Ok(()) };
        if let Some(fact) = known(view)?.model.get(id.as_str()) {
            marks.tags.extend(fact.entity.more.tags.iter().cloned());
            marks.changed = fact.entity.updated_at.parse().ok();
        }
        Ok(())
    }
}

fn edges_of(known: &Knowledge, node: &EntityRef, wanted: &[Wanted]) -> Vec<Edge> {
    let mut edges = Vec::new();
    let kind = |bond: &Bond, is: fn(&Wanted) -> bool| {
        let named = |one: &&Wanted| one.kind.name == bond.relation.relates.word() && is(one);
        wanted.iter().find(named).map(|one| one.kind)
    };
    for name in known.names_of(node) {
        for bond in known.model.starting(&name) {
            let Some(kind) = kind(bond, Wanted::is_along) else { continue };
            let to = there(known, &bond.relation.to);
            edges.extend(to.map(|to| made((node.clone(), to), bond, kind)));
        }
        for bond in known.model.ending(&name) {
            let Some(kind) = kind(bond, Wanted::is_against) else { continue };
            let from = there(known, &bond.relation.from);
            edges.extend(from.map(|from| made((from, node.clone()), bond, kind)));
        }
    }
    edges
}

/// The node at an end; none where a relation dangles.
fn there(known: &Knowledge, end: &str) -> Option<EntityRef> {
    match known.model.node_of(end)? {
        EntityRef::Kb(id) => known.model.get(id.as_str()).map(|_| EntityRef::Kb(id)),
        node => Some(node),
    }
}

fn made((from, to): (EntityRef, EntityRef), bond: &Bond, kind: &'static EdgeKind) -> Edge {
    let confidence = match bond.relation.confidence {
        Some(sure) if sure < 0.5 => Confidence::Name,
        Some(sure) if sure < 0.9 => Confidence::Inferred,
        _ => Confidence::Exact,
    };
    Edge { from, to, kind, confidence }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_relation_has_its_edge() {
        let words: Vec<&str> = Relates::ALL.iter().map(|relates| relates.word()).collect();
        assert_eq!(EDGES.iter().map(|edge| edge.name).collect::<Vec<_>>(), words);
    }
}
