//! Entities as nodes, relations as edges. An entity that is a code symbol is that symbol's node.

use base::similarity::similarity;
use base::{EntityRef, Result};
use kb::{KbRelationKind, KnownRelation};

use super::context;
use super::state::{KbState, description, kb_state};
use crate::graph::{
    ChangePropagation, Confidence, ContextItem, EdgeKind, EdgeRequest, GraphArea, GraphEdge,
    NodeCandidate, NodeDescription, NodeMetadata, WalkFrontier,
};
use crate::spec_links::{LinkState, spec_links};
use crate::view::View;

const fn edge(relates: KbRelationKind, travel: ChangePropagation, means: &'static str) -> EdgeKind {
    EdgeKind { area: "kb", name: relates.word(), propagation: travel, means }
}

/// One type of edge for each type of relation, in the order of [`KbRelationKind::ALL`].
static EDGES: [EdgeKind; 14] = [
    edge(
        KbRelationKind::DependsOn,
        ChangePropagation::TargetToSource,
        "a requirement needs another",
    ),
    edge(
        KbRelationKind::SpecifiedBy,
        ChangePropagation::SourceToTarget,
        "a scenario describes a requirement",
    ),
    edge(
        KbRelationKind::VerifiedBy,
        ChangePropagation::SourceToTarget,
        "a requirement is checked by a test",
    ),
    edge(KbRelationKind::Implements, ChangePropagation::Both, "code implements a requirement"),
    edge(KbRelationKind::CoveredBy, ChangePropagation::SourceToTarget, "code is checked by a test"),
    edge(
        KbRelationKind::ConstrainedBy,
        ChangePropagation::TargetToSource,
        "code follows a decision",
    ),
    edge(KbRelationKind::Affects, ChangePropagation::SourceToTarget, "a decision is about code"),
    edge(KbRelationKind::Guards, ChangePropagation::SourceToTarget, "a flag switches something"),
    edge(KbRelationKind::Publishes, ChangePropagation::SourceToTarget, "code sends an event"),
    edge(KbRelationKind::Consumes, ChangePropagation::TargetToSource, "code receives an event"),
    edge(KbRelationKind::Supersedes, ChangePropagation::OnRequest, "a decision replaces another"),
    edge(
        KbRelationKind::Constrains,
        ChangePropagation::TargetToSource,
        "a requirement is bounded by a fact",
    ),
    edge(
        KbRelationKind::RequiresProperty,
        ChangePropagation::TargetToSource,
        "a requirement asks that a fact holds",
    ),
    edge(
        KbRelationKind::RelatesTo,
        ChangePropagation::OnRequest,
        "any other relation, named by its kind",
    ),
];

/// The knowledge base.
pub(crate) struct KbGraphArea;

impl GraphArea for KbGraphArea {
    fn edges(&self) -> &'static [EdgeKind] {
        &EDGES
    }

    fn resolve(&self, view: &View, name: &str) -> Result<Vec<NodeCandidate>> {
        let known = kb_state(view)?;
        let same = known.model.get(name);
        let mut alike =
            known.model.facts().filter(|fact| fact.entity.id.eq_ignore_ascii_case(name));
        let found = same.or_else(|| alike.next());
        let node = found.and_then(|fact| known.model.node_of(&fact.entity.id));
        let candidate = found.zip(node).map(|(fact, node)| {
            let about = description(&node, fact);
            NodeCandidate {
                about: format!("{}: {}", about.about, about.name),
                node,
                is_exact: true,
            }
        });
        Ok(candidate.into_iter().collect())
    }

    fn similar_names(&self, view: &View, name: &str) -> Result<Vec<(f64, String)>> {
        let known = kb_state(view)?;
        let wanted = name.strip_prefix("kb:").unwrap_or(name);
        let ids = known.model.facts().map(|fact| &fact.entity.id);
        Ok(ids.filter_map(|id| Some((similarity(wanted, id)?, id.clone()))).collect())
    }

    fn contains(&self, view: &View, node: &EntityRef) -> Result<bool> {
        let EntityRef::Kb(id) = node else { return Ok(false) };
        Ok(kb_state(view)?.model.get(id.as_str()).is_some())
    }

    fn neighbours(
        &self,
        view: &View,
        frontier: WalkFrontier<'_>,
        wanted: &[EdgeRequest],
    ) -> Result<Vec<GraphEdge>> {
        let known = kb_state(view)?;
        let told = frontier.nodes.iter().filter(|node| known.mentions(node));
        Ok(told.flat_map(|node| edges_of(&known, node, wanted)).collect())
    }

    fn describe(&self, view: &View, node: &EntityRef) -> Result<Option<NodeDescription>> {
        let EntityRef::Kb(id) = node else { return Ok(None) };
        Ok(kb_state(view)?.model.get(id.as_str()).map(|fact| description(node, fact)))
    }

    fn parts(&self, _: &View, _: &EntityRef) -> Result<Vec<EntityRef>> {
        Ok(Vec::new())
    }

    fn context(&self, view: &View, node: &EntityRef) -> Result<Vec<ContextItem>> {
        let known = kb_state(view)?;
        if !known.mentions(node) {
            return Ok(Vec::new());
        }
        let mut items = match node {
            EntityRef::Kb(id) => context::of_entity(&known, id.as_str()),
            node => context::of_code(&known, node),
        };
        mark_suspects(view, node, &mut items)?;
        Ok(items)
    }

    fn add_metadata(&self, view: &View, node: &EntityRef, marks: &mut NodeMetadata) -> Result<()> {
        let EntityRef::Kb(id) = node else { return Ok(()) };
        if let Some(fact) = kb_state(view)?.model.get(id.as_str()) {
            marks.tags.extend(fact.entity.more.tags.iter().cloned());
            marks.changed = fact.entity.updated_at.parse().ok();
        }
        Ok(())
    }
}

/// Marks each item whose link to the node is suspect.
fn mark_suspects(view: &View, node: &EntityRef, items: &mut [ContextItem]) -> Result<()> {
    let known = spec_links(view)?;
    if known.has_no_confirmations() {
        return Ok(());
    }
    for status in known.statuses_at(view, node)? {
        let ends = [status.link.from.to_string(), status.link.to.to_string()];
        let is_end = |item: &&mut ContextItem| {
            item.handle.as_ref().is_some_and(|handle| ends.contains(handle))
        };
        if status.state == LinkState::Suspect {
            for item in items.iter_mut().filter(is_end) {
                item.text.push_str(", suspect: changed since it was confirmed");
            }
        }
    }
    Ok(())
}

fn edges_of(known: &KbState, node: &EntityRef, wanted: &[EdgeRequest]) -> Vec<GraphEdge> {
    let mut edges = Vec::new();
    let kind = |known_relation: &KnownRelation, is: fn(&EdgeRequest) -> bool| {
        let named =
            |one: &&EdgeRequest| one.kind.name == known_relation.relation.relates.word() && is(one);
        wanted.iter().find(named).map(|one| one.kind)
    };
    for name in known.names_of(node) {
        for known_relation in known.model.relations_from(&name) {
            let Some(kind) = kind(known_relation, EdgeRequest::wants_outgoing) else { continue };
            let to = end_node(known, &known_relation.relation.to);
            edges.extend(to.map(|to| relation_edge(node.clone(), to, known_relation, kind)));
        }
        for known_relation in known.model.relations_to(&name) {
            let Some(kind) = kind(known_relation, EdgeRequest::wants_incoming) else { continue };
            let from = end_node(known, &known_relation.relation.from);
            edges.extend(from.map(|from| relation_edge(from, node.clone(), known_relation, kind)));
        }
    }
    edges
}

/// The node at an end of a relation; `None` if it does not exist.
fn end_node(known: &KbState, end: &str) -> Option<EntityRef> {
    match known.model.node_of(end)? {
        EntityRef::Kb(id) => known.model.get(id.as_str()).map(|_| EntityRef::Kb(id)),
        node => Some(node),
    }
}

fn relation_edge(
    from: EntityRef,
    to: EntityRef,
    known_relation: &KnownRelation,
    kind: &'static EdgeKind,
) -> GraphEdge {
    let confidence = match known_relation.relation.confidence {
        Some(sure) if sure < 0.5 => Confidence::Name,
        Some(sure) if sure < 0.9 => Confidence::Inferred,
        _ => Confidence::Exact,
    };
    GraphEdge { from, to, kind, confidence }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_relation_has_its_edge() {
        let words: Vec<&str> = KbRelationKind::ALL.iter().map(|relates| relates.word()).collect();
        assert_eq!(EDGES.iter().map(|edge| edge.name).collect::<Vec<_>>(), words);
    }
}
