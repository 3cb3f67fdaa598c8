//! Records of the store as nodes of the graph: what work and knowledge have in common.

use base::entity::RecordKind;
use base::{Code, EntityRef, Problem, Result};
use work::{Draft, Id, Ref};

use super::{is_empty, look};
use crate::graph::{
    Candidate, Confidence, Description, Edge, EdgeKind, Frontier, Item, Layer, Marks, Wanted,
};
use crate::view::View;

/// A layer whose nodes are records of the store.
pub(crate) trait Records: Sync {
    /// One of them.
    type Record;

    /// The types of edge.
    const EDGES: &'static [EdgeKind];

    /// The kinds of record.
    const KINDS: &'static [RecordKind];

    /// The one that a caller means.
    fn find(draft: &Draft<'_>, asked: &Ref) -> Result<Self::Record>;

    /// The one of a kind with this id.
    fn get(draft: &Draft<'_>, kind: RecordKind, id: &Id) -> Result<Option<Self::Record>>;

    /// Its node, its name, and what it is.
    fn describe(record: &Self::Record) -> Result<Description>;

    /// Where edges of a type that start at a node end.
    fn ends(look: Look<'_>, from: &EntityRef, kind: &EdgeKind) -> Result<Vec<EntityRef>>;

    /// Where edges of a type that end at a node start.
    fn starts(look: Look<'_>, to: &EntityRef, kind: &EdgeKind) -> Result<Vec<EntityRef>>;

    /// What is worth knowing about a file or folder.
    fn about_path(look: Look<'_>, path: &str) -> Result<Vec<Item>>;

    /// What is worth knowing about a record.
    fn about(look: Look<'_>, record: &Self::Record) -> Result<Vec<Item>>;

    /// What a search can be narrowed by.
    fn mark(record: &Self::Record, marks: &mut Marks);

    /// The record that a node is. Another spelling of its id is not the node's name.
    fn found(draft: &Draft<'_>, node: &EntityRef) -> Result<Option<Self::Record>> {
        let EntityRef::Record(kind, text) = node else { return Ok(None) };
        match Id::try_from(text.as_str().to_owned()) {
            Ok(id) if id.as_str() == text.as_str() && Self::KINDS.contains(kind) => {
                Self::get(draft, *kind, &id)
            }
            _ => Ok(None),
        }
    }
}

/// The store as a view sees it.
#[derive(Clone, Copy)]
pub(crate) struct Look<'a> {
    pub view: &'a View<'a>,
    pub draft: &'a Draft<'a>,
}

/// The node of a record.
pub(crate) fn record_node(kind: RecordKind, id: &Id) -> Result<EntityRef> {
    Ok(EntityRef::Record(kind, id.as_str().parse().map_err(Problem::internal)?))
}

fn is_own<R: Records>(node: &EntityRef) -> bool {
    matches!(node, EntityRef::Record(kind, _) if R::KINDS.contains(kind))
}

impl<R: Records> Layer for R {
    fn edges(&self) -> &'static [EdgeKind] {
        R::EDGES
    }

    fn resolve(&self, view: &View, name: &str) -> Result<Vec<Candidate>> {
        let Ok(asked) = name.parse::<Ref>() else { return Ok(Vec::new()) };
        let is_ours = |kind: &str| R::KINDS.iter().any(|own| own.word() == kind);
        if asked.kind.as_deref().is_some_and(|kind| !is_ours(kind)) {
            return Ok(Vec::new());
        }
        if asked.kind.is_none() && asked.prefix.is_empty() {
            return Ok(Vec::new()); // a bare name means code, files and cards
        }
        look(view, |draft| {
            let record = match R::find(draft, &asked) {
                Ok(record) => record,
                Err(problem) if problem.code == Code::Ambiguous => return Err(problem),
                Err(_) => return Ok(Vec::new()),
            };
            let Description { node, about, .. } = R::describe(&record)?;
            Ok(vec![Candidate { node, about, sure: asked.kind.is_some() }])
        })
    }

    fn near(&self, _: &View, _: &str) -> Result<Vec<(f64, String)>> {
        Ok(Vec::new()) // ids are not guessed
    }

    fn holds(&self, view: &View, node: &EntityRef) -> Result<bool> {
        Ok(is_own::<R>(node) && look(view, |draft| Ok(R::found(draft, node)?.is_some()))?)
    }

    fn neighbours(
        &self,
        view: &View,
        frontier: Frontier<'_>,
        wanted: &[Wanted],
    ) -> Result<Vec<Edge>> {
        if is_empty(view)? {
            return Ok(Vec::new());
        }
        look(view, |draft| {
            let look = Look { view, draft };
            let mut edges = Vec::new();
            let all =
                frontier.nodes.iter().flat_map(|node| wanted.iter().map(move |one| (node, one)));
            for (node, one) in all {
                let edge =
                    |from, to| Edge { from, to, kind: one.kind, confidence: Confidence::Exact };
                if one.is_along() {
                    let ends = R::ends(look, node, one.kind)?.into_iter();
                    edges.extend(ends.map(|to| edge(node.clone(), to)));
                }
                if one.is_against() {
                    let starts = R::starts(look, node, one.kind)?.into_iter();
                    edges.extend(starts.map(|from| edge(from, node.clone())));
                }
            }
            Ok(edges)
        })
    }

    fn describe(&self, view: &View, node: &EntityRef) -> Result<Option<Description>> {
        if !is_own::<R>(node) {
            return Ok(None);
        }
        look(view, |draft| R::found(draft, node)?.as_ref().map(R::describe).transpose())
    }

    fn parts(&self, _: &View, _: &EntityRef) -> Result<Vec<EntityRef>> {
        Ok(Vec::new())
    }

    fn mark(&self, view: &View, node: &EntityRef, marks: &mut Marks) -> Result<()> {
        if !is_own::<R>(node) {
            return Ok(());
        }
        look(view, |draft| {
            if let Some(record) = R::found(draft, node)? {
                R::mark(&record, marks);
            }
            Ok(())
        })
    }

    fn context(&self, view: &View, node: &EntityRef) -> Result<Vec<Item>> {
        if is_empty(view)? {
            return Ok(Vec::new());
        }
        look(view, |draft| {
            let look = Look { view, draft };
            match (node.path(), R::found(draft, node)?) {
                (Some(path), _) => R::about_path(look, &path.to_string()),
                (None, Some(record)) => R::about(look, &record),
                (None, None) => Ok(Vec::new()),
            }
        })
    }
}
