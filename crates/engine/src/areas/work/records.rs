//! Records of the store as nodes of the graph: what work and knowledge have in common.

use base::entity::RecordKind;
use base::{EntityRef, Problem, ProblemCode, Result};
use work::{WorkDraft, WorkRecordId, WorkRecordRef};

use super::{is_empty, read_store};
use crate::graph::{
    Confidence, ContextItem, EdgeKind, EdgeRequest, GraphArea, GraphEdge, NodeCandidate,
    NodeDescription, NodeMetadata, WalkFrontier,
};
use crate::view::View;

/// An area whose nodes are records of the store.
pub(crate) trait RecordArea: Sync {
    /// The type of the records.
    type Record;

    /// The types of edge.
    const EDGES: &'static [EdgeKind];

    /// The kinds of record.
    const KINDS: &'static [RecordKind];

    /// The record that a caller means.
    fn find(draft: &WorkDraft<'_>, asked: &WorkRecordRef) -> Result<Self::Record>;

    /// The record of a kind with this id.
    fn get(
        draft: &WorkDraft<'_>,
        kind: RecordKind,
        id: &WorkRecordId,
    ) -> Result<Option<Self::Record>>;

    /// The node, name and kind of a record.
    fn describe(record: &Self::Record) -> Result<NodeDescription>;

    /// The ends of edges of a type that start at a node.
    fn edge_targets(
        look: DraftView<'_>,
        from: &EntityRef,
        kind: &EdgeKind,
    ) -> Result<Vec<EntityRef>>;

    /// The starts of edges of a type that end at a node.
    fn edge_sources(look: DraftView<'_>, to: &EntityRef, kind: &EdgeKind)
    -> Result<Vec<EntityRef>>;

    /// The context of a file or folder.
    fn path_context(look: DraftView<'_>, path: &str) -> Result<Vec<ContextItem>>;

    /// The context of a record.
    fn record_context(look: DraftView<'_>, record: &Self::Record) -> Result<Vec<ContextItem>>;

    /// Adds what a search can be filtered by.
    fn add_metadata(record: &Self::Record, marks: &mut NodeMetadata);

    /// The record that a node is. Another spelling of its id is not the node's name.
    fn find_by_node(draft: &WorkDraft<'_>, node: &EntityRef) -> Result<Option<Self::Record>> {
        let EntityRef::Record(kind, text) = node else { return Ok(None) };
        match WorkRecordId::try_from(text.as_str().to_owned()) {
            Ok(id) if id.as_str() == text.as_str() && Self::KINDS.contains(kind) => {
                Self::get(draft, *kind, &id)
            }
            _ => Ok(None),
        }
    }
}

/// The store as a view sees it.
#[derive(Clone, Copy)]
pub(crate) struct DraftView<'a> {
    pub view: &'a View<'a>,
    pub draft: &'a WorkDraft<'a>,
}

/// The node of a record.
pub(crate) fn record_node(kind: RecordKind, id: &WorkRecordId) -> Result<EntityRef> {
    Ok(EntityRef::Record(kind, id.as_str().parse().map_err(Problem::internal)?))
}

fn is_own<R: RecordArea>(node: &EntityRef) -> bool {
    matches!(node, EntityRef::Record(kind, _) if R::KINDS.contains(kind))
}

impl<R: RecordArea> GraphArea for R {
    fn edges(&self) -> &'static [EdgeKind] {
        R::EDGES
    }

    fn resolve(&self, view: &View, name: &str) -> Result<Vec<NodeCandidate>> {
        let Ok(asked) = name.parse::<WorkRecordRef>() else { return Ok(Vec::new()) };
        let is_ours = |kind: &str| R::KINDS.iter().any(|own| own.as_str() == kind);
        if asked.kind.as_deref().is_some_and(|kind| !is_ours(kind)) {
            return Ok(Vec::new());
        }
        if asked.kind.is_none() && asked.prefix.is_empty() {
            return Ok(Vec::new()); // a bare name means code, files and cards
        }
        read_store(view, |draft| {
            let record = match R::find(draft, &asked) {
                Ok(record) => record,
                Err(problem) if problem.code == ProblemCode::Ambiguous => return Err(problem),
                Err(_) => return Ok(Vec::new()),
            };
            let NodeDescription { node, about, .. } = R::describe(&record)?;
            Ok(vec![NodeCandidate { node, about, is_exact: asked.kind.is_some() }])
        })
    }

    fn similar_names(&self, _: &View, _: &str) -> Result<Vec<(f64, String)>> {
        Ok(Vec::new()) // ids are not guessed
    }

    fn contains(&self, view: &View, node: &EntityRef) -> Result<bool> {
        Ok(is_own::<R>(node)
            && read_store(view, |draft| Ok(R::find_by_node(draft, node)?.is_some()))?)
    }

    fn neighbours(
        &self,
        view: &View,
        frontier: WalkFrontier<'_>,
        wanted: &[EdgeRequest],
    ) -> Result<Vec<GraphEdge>> {
        if is_empty(view)? {
            return Ok(Vec::new());
        }
        read_store(view, |draft| {
            let look = DraftView { view, draft };
            let mut edges = Vec::new();
            let all =
                frontier.nodes.iter().flat_map(|node| wanted.iter().map(move |one| (node, one)));
            for (node, one) in all {
                let edge = |from, to| GraphEdge {
                    from,
                    to,
                    kind: one.kind,
                    confidence: Confidence::Exact,
                };
                if one.wants_outgoing() {
                    let ends = R::edge_targets(look, node, one.kind)?.into_iter();
                    edges.extend(ends.map(|to| edge(node.clone(), to)));
                }
                if one.wants_incoming() {
                    let starts = R::edge_sources(look, node, one.kind)?.into_iter();
                    edges.extend(starts.map(|from| edge(from, node.clone())));
                }
            }
            Ok(edges)
        })
    }

    fn describe(&self, view: &View, node: &EntityRef) -> Result<Option<NodeDescription>> {
        if !is_own::<R>(node) {
            return Ok(None);
        }
        read_store(view, |draft| {
            R::find_by_node(draft, node)?.as_ref().map(R::describe).transpose()
        })
    }

    fn parts(&self, _: &View, _: &EntityRef) -> Result<Vec<EntityRef>> {
        Ok(Vec::new())
    }

    fn add_metadata(&self, view: &View, node: &EntityRef, marks: &mut NodeMetadata) -> Result<()> {
        if !is_own::<R>(node) {
            return Ok(());
        }
        read_store(view, |draft| {
            if let Some(record) = R::find_by_node(draft, node)? {
                R::add_metadata(&record, marks);
            }
            Ok(())
        })
    }

    fn context(&self, view: &View, node: &EntityRef) -> Result<Vec<ContextItem>> {
        if is_empty(view)? {
            return Ok(Vec::new());
        }
        read_store(view, |draft| {
            let look = DraftView { view, draft };
            match (node.path(), R::find_by_node(draft, node)?) {
                (Some(path), _) => R::path_context(look, &path.to_string()),
                (None, Some(record)) => R::record_context(look, &record),
                (None, None) => Ok(Vec::new()),
            }
        })
    }
}
