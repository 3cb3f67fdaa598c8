//! Calls, mentions and heritage as edges of the graph.

use base::{EntityRef, RepoPath, Result};
use code::{EdgeRow, Relation, Sure, SymbolRow};
use syntax::Language;

use super::handle;
use super::layer::symbol_node;
use crate::graph::{Confidence, Direction, Edge, EdgeKind, Item, Section, Travel};
use crate::layers::files::node;
use crate::view::View;

const fn kind(name: &'static str, means: &'static str) -> EdgeKind {
    EdgeKind { area: "code", name, travel: Travel::Against, means }
}

pub(super) const CALLS: EdgeKind = kind("calls", "a symbol or a file's own code calls another");
pub(super) const USES: EdgeKind = kind("uses", "a symbol mentions another without calling it");
pub(super) const EXTENDS: EdgeKind =
    kind("extends", "a type comes from another, or a method takes the place of its parent's");
pub(super) const IMPLEMENTS: EdgeKind =
    kind("implements", "a type or a method is what an interface or trait asks for");
pub(super) const INJECTS: EdgeKind = kind("injects", "a container gives a class to another");
pub(super) const PROVIDES: EdgeKind = kind("provides", "a class is offered to a container");

/// Calls of an unknown receiver that are looked at for one name; beyond it says too little.
const MOST_UNSURE: u32 = 200;

/// A name that more symbols than this have tells nothing about which is called.
const MOST_NAMESAKES: usize = 20;

/// Callers that a context lists.
const LISTED: usize = 12;

/// What the index calls an edge type; none for those of other tables.
fn relation(kind: &EdgeKind) -> Option<Relation> {
    Relation::ALL.into_iter().find(|relation| relation.name() == kind.name)
}

/// The edges of one type at a node.
pub(super) fn edges(
    view: &View,
    here: &EntityRef,
    kind: &'static EdgeKind,
    direction: Direction,
) -> Result<Vec<Edge>> {
    let Some(relation) = relation(kind) else { return Ok(Vec::new()) };
    let (path, name) = match here {
        EntityRef::Symbol(path, name) => (path, name.as_str()),
        EntityRef::Module(path) => (path, ""),
        _ => return Ok(Vec::new()),
    };
    if relation == Relation::Calls
        && let Some(graph) = view.calls()
        && let Some(calls) = graph.calls(view, here, direction)?
    {
        let confidence = Confidence::Exact;
        return Ok(calls
            .into_iter()
            .map(|(from, to)| Edge { from, to, kind, confidence })
            .collect());
    }
    let conn = view.index()?.conn();
    let mut edges = Vec::new();
    if direction != Direction::Against {
        let rows = code::edges_from(conn, (path, name), relation)?;
        edges.extend(rows.iter().map(|row| edge(row, kind)));
        if relation == Relation::Calls {
            edges.extend(guessed_calls(view, here, (path, name), kind)?);
        }
    }
    if direction != Direction::Along && !name.is_empty() {
        let rows = code::edges_to(conn, (path, name), relation)?;
        edges.extend(rows.iter().map(|row| edge(row, kind)));
        if relation == Relation::Calls {
            edges.extend(guessed_callers(view, here, (path, name), kind)?);
        }
    }
    Ok(edges)
}

fn edge(row: &EdgeRow, kind: &'static EdgeKind) -> Edge {
    let confidence = match row.sure {
        Sure::Exact => Confidence::Exact,
        Sure::Inferred => Confidence::Inferred,
    };
    Edge { from: edge_end(&row.from), to: edge_end(&row.to), kind, confidence }
}

pub(crate) fn edge_end((path, name): &(RepoPath, String)) -> EntityRef {
    let symbol = (!name.is_empty()).then(|| handle(path, name).parse().ok()).flatten();
    symbol.unwrap_or_else(|| node(path))
}

/// Who may call a symbol, as far as names tell.
fn guessed_callers(
    view: &View,
    here: &EntityRef,
    (path, name): (&RepoPath, &str),
    kind: &'static EdgeKind,
) -> Result<Vec<Edge>> {
    let conn = view.index()?.conn();
    let is_callable = code::symbol(conn, path, name)?.is_some_and(|row| is_method(&row));
    if !is_callable {
        return Ok(Vec::new());
    }
    let callers = code::unsure_calls(conn, short(name), MOST_UNSURE)?;
    let of_kin = callers.into_iter().filter(|(from, ..)| are_kin(from, path));
    let guess = |(from, symbol, _)| {
        let from = edge_end(&(from, symbol));
        Edge { from, to: here.clone(), kind, confidence: Confidence::Name }
    };
    Ok(of_kin.map(guess).filter(|edge| edge.from != *here).collect())
}

/// Whom a symbol may call, as far as names tell.
fn guessed_calls(
    view: &View,
    here: &EntityRef,
    from: (&RepoPath, &str),
    kind: &'static EdgeKind,
) -> Result<Vec<Edge>> {
    let conn = view.index()?.conn();
    let mut edges = Vec::new();
    for name in code::unsure_names(conn, from)? {
        let mut found = code::symbols_called(conn, &name)?;
        found.retain(|row| is_method(row) && are_kin(&row.path, from.0));
        if found.len() <= MOST_NAMESAKES {
            edges.extend(found.iter().map(|row| Edge {
                from: here.clone(),
                to: symbol_node(row),
                kind,
                confidence: Confidence::Name,
            }));
        }
    }
    Ok(edges)
}

fn is_method(row: &SymbolRow) -> bool {
    matches!(row.kind.as_str(), "method" | "function" | "constructor" | "getter" | "setter")
}

/// The symbol's own name: nesting, the trait it is for and a mark of namesakes left out.
fn short(full: &str) -> &str {
    let last = full.rsplit('.').next().unwrap_or(full);
    last.split(['@', '~']).next().unwrap_or(last)
}

/// Whether code of one file can call that of another at all.
fn are_kin(one: &RepoPath, other: &RepoPath) -> bool {
    let family = |path| match Language::of(path) {
        Some(Language::TypeScript | Language::Tsx) => Some(Language::JavaScript),
        Some(Language::Cpp) => Some(Language::C),
        other => other,
    };
    family(one) == family(other)
}

/// The parts of a node whose change is its own: what a file or a type declares.
pub(super) fn parts(view: &View, whole: &EntityRef) -> Result<Vec<EntityRef>> {
    let conn = view.index()?.conn();
    Ok(match whole {
        EntityRef::Module(path) => code::in_file(conn, path)?.iter().map(symbol_node).collect(),
        EntityRef::Symbol(path, name) => {
            let rows = code::in_file(conn, path)?;
            let own = rows.iter().find(|row| row.full == name.as_str()).map(|row| row.id);
            let inner = rows.iter().filter(|row| own.is_some() && row.parent == own);
            // The members of a Rust type stand in its `impl`s.
            let prefix = format!("{}.", name.as_str());
            let is_member = |row: &&SymbolRow| {
                row.full.strip_prefix(&prefix).is_some_and(|rest| !rest.contains('.'))
            };
            let mut all: Vec<EntityRef> = inner.map(symbol_node).collect();
            all.extend(rows.iter().filter(is_member).map(symbol_node));
            all.sort();
            all.dedup();
            all
        }
        _ => Vec::new(),
    })
}

/// Who calls, for what is worth knowing before touching a symbol or a file.
pub(super) fn callers(view: &View, wanted: &EntityRef) -> Result<Vec<Item>> {
    let mut all: Vec<(Confidence, EntityRef)> = Vec::new();
    let own = wanted.path();
    for part in parts(view, wanted)?.iter().chain([wanted]) {
        for kind in [&CALLS, &IMPLEMENTS, &EXTENDS] {
            let found = edges(view, part, kind, Direction::Against)?;
            let sure = found.into_iter().filter(|edge| edge.confidence < Confidence::Name);
            let outside = sure
                .filter(|edge| matches!(wanted, EntityRef::Symbol(..)) || edge.from.path() != own);
            all.extend(outside.map(|edge| (edge.confidence, edge.from)));
        }
    }
    all.sort();
    all.dedup_by(|a, b| a.1 == b.1);
    all.retain(|(_, from)| from != wanted);
    if all.is_empty() {
        return Ok(Vec::new());
    }
    let exact = all.iter().filter(|(confidence, _)| *confidence == Confidence::Exact).count();
    let what = if all.len() == 1 { "caller" } else { "callers" };
    let text = format!("{} {what} ({exact} exact)", all.len());
    let mut items = vec![Item {
        section: Section::IfItChanges,
        text,
        handle: Some(format!("impact {wanted}")),
    }];
    items.extend(all.into_iter().take(LISTED).map(|(confidence, from)| Item {
        section: Section::IfItChanges,
        text: match confidence {
            Confidence::Exact => "called by".into(),
            _ => "called by, inferred".into(),
        },
        handle: Some(from.to_string()),
    }));
    Ok(items)
}
