//! Symbols as nodes, and the edges `declares` and `imports`. The edges of calls are in `calls.rs`.

use std::collections::BTreeMap;

use base::similarity::similarity;
use base::{EntityRef, RepoPath, Result};
use code::SymbolRow;

use super::{calls, first_sentence};
use crate::areas::files::file_node;
use crate::graph::{
    ChangePropagation, Confidence, ContextItem, ContextSection, EdgeKind, EdgeRequest, GraphArea,
    GraphEdge, NodeCandidate, NodeDescription, WalkFrontier,
};
use crate::view::View;

const DECLARES: EdgeKind = EdgeKind {
    area: "code",
    name: "declares",
    propagation: ChangePropagation::OnRequest,
    means: "a file or symbol holds the declaration of a symbol",
};

const IMPORTS: EdgeKind = EdgeKind {
    area: "code",
    name: "imports",
    propagation: ChangePropagation::TargetToSource,
    means: "a file imports another",
};

static EDGES: [EdgeKind; 8] = [
    DECLARES,
    IMPORTS,
    calls::CALLS,
    calls::USES,
    calls::EXTENDS,
    calls::IMPLEMENTS,
    calls::INJECTS,
    calls::PROVIDES,
];

/// Maximum number of symbols, importers and imports that a context lists, each.
const MAX_LISTED: usize = 40;

/// The part of the graph that consists of symbols and imports.
pub(crate) struct CodeGraphArea;

/// The handle of a symbol.
pub fn handle(path: &RepoPath, full: &str) -> String {
    format!("symbol:{path}#{full}")
}

impl GraphArea for CodeGraphArea {
    fn edges(&self) -> &'static [EdgeKind] {
        &EDGES
    }

    fn resolve(&self, view: &View, name: &str) -> Result<Vec<NodeCandidate>> {
        let conn = view.index()?.conn();
        let mut found = match name.split_once('#') {
            Some((path, symbol)) => in_named_file(view, path, symbol)?,
            None if name.contains('/') => Vec::new(),
            None => code::symbols_with_name(conn, name)?,
        };
        if found.is_empty() && !name.contains(['/', '#']) {
            found =
                code::exported_as(conn, name, None)?.into_iter().map(|one| one.symbol).collect();
        }
        Ok(found.iter().map(candidate).collect())
    }

    fn similar_names(&self, view: &View, name: &str) -> Result<Vec<(f64, String)>> {
        // A path names a file; only what is after `#` names a symbol of it.
        let symbol = match name.split_once('#') {
            Some((_, symbol)) => symbol,
            None if name.contains('/') => return Ok(Vec::new()),
            None => name,
        };
        let last = symbol.rsplit('.').next().unwrap_or(symbol);
        let Some(first) = last.chars().next() else { return Ok(Vec::new()) };
        let names = code::names_starting_with(view.index()?.conn(), first)?;
        Ok(names.into_iter().filter_map(|near| Some((similarity(last, &near)?, near))).collect())
    }

    fn contains(&self, view: &View, wanted: &EntityRef) -> Result<bool> {
        Ok(row(view, wanted)?.is_some())
    }

    fn neighbours(
        &self,
        view: &View,
        frontier: WalkFrontier<'_>,
        wanted: &[EdgeRequest],
    ) -> Result<Vec<GraphEdge>> {
        let mut edges = calls::edges(view, frontier, wanted)?;
        for one in wanted {
            if *one.kind == DECLARES {
                edges.extend(declaration_edges(view, frontier.nodes, one)?);
            } else if *one.kind == IMPORTS {
                edges.extend(import_edges(view, frontier.nodes, one)?);
            }
        }
        Ok(edges)
    }

    fn describe(&self, view: &View, wanted: &EntityRef) -> Result<Option<NodeDescription>> {
        Ok(row(view, wanted)?.map(|row| NodeDescription {
            node: wanted.clone(),
            name: format!("{}#{}", row.path, row.full),
            about: about(&row),
        }))
    }

    fn parts(&self, view: &View, whole: &EntityRef) -> Result<Vec<EntityRef>> {
        calls::parts(view, whole)
    }

    fn context(&self, view: &View, wanted: &EntityRef) -> Result<Vec<ContextItem>> {
        match wanted {
            EntityRef::Module(path) => module_context(view, path),
            EntityRef::Symbol(path, name) => symbol_context(view, path, name.as_str()),
            _ => Ok(Vec::new()),
        }
    }
}

fn row(view: &View, wanted: &EntityRef) -> Result<Option<SymbolRow>> {
    let EntityRef::Symbol(path, name) = wanted else { return Ok(None) };
    code::symbol(view.index()?.conn(), path, name.as_str())
}

/// The edges from files and symbols to what they declare, and back.
fn declaration_edges(
    view: &View,
    frontier: &[EntityRef],
    wanted: &EdgeRequest,
) -> Result<Vec<GraphEdge>> {
    let conn = view.index()?.conn();
    let mut edges = Vec::new();
    for here in frontier {
        let inner = match here {
            _ if !wanted.wants_outgoing() => Vec::new(),
            EntityRef::Module(path) => code::top_level_names(conn, path)?,
            EntityRef::Symbol(path, name) => code::child_names(conn, path, name.as_str())?,
            _ => Vec::new(),
        };
        let path = here.path().into_iter();
        let nodes = path.flat_map(|path| inner.iter().map(|name| named_node(path, name)));
        edges.extend(nodes.map(|there| edge(here.clone(), there, wanted.kind)));
        if let EntityRef::Symbol(path, name) = here
            && wanted.wants_incoming()
            && let Some(outer) = code::parent_name(conn, path, name.as_str())?
        {
            let outer = outer.map_or_else(|| file_node(path), |outer| named_node(path, &outer));
            edges.push(edge(outer, here.clone(), wanted.kind));
        }
    }
    Ok(edges)
}

/// The edges from files to what they import, and back. If several symbols of one file are wanted,
/// the file is read once for all of them.
fn import_edges(
    view: &View,
    frontier: &[EntityRef],
    wanted: &EdgeRequest,
) -> Result<Vec<GraphEdge>> {
    let conn = view.index()?.conn();
    let mut takers: BTreeMap<&RepoPath, Vec<(RepoPath, Vec<String>)>> = BTreeMap::new();
    let mut edges = Vec::new();
    for here in frontier {
        let (path, name) = match here {
            EntityRef::Module(path) => (path, None),
            EntityRef::Symbol(path, name) => (path, Some(name.as_str())),
            _ => continue,
        };
        if name.is_none() && wanted.wants_outgoing() {
            let taken = distinct(code::imported_files(conn, path)?.iter());
            edges.extend(taken.into_iter().map(|there| edge(here.clone(), there, wanted.kind)));
        }
        if wanted.wants_incoming() {
            if !takers.contains_key(path) {
                takers.insert(path, code::importer_names(conn, path)?);
            }
            let takes = |taken: &[String]| {
                name.is_none_or(|name| taken.iter().any(|taken| is_imported_as(taken, name)))
            };
            let taking = takers[path].iter().filter(|(_, taken)| takes(taken));
            let takers = distinct(taking.map(|(path, _)| path)).into_iter();
            edges.extend(takers.map(|there| edge(there, here.clone(), wanted.kind)));
        }
    }
    Ok(edges)
}

/// Whether an import takes a symbol: it names the symbol or a symbol around it, or imports
/// everything.
fn is_imported_as(taken: &str, full: &str) -> bool {
    let nested = || full.strip_prefix(taken).is_some_and(|rest| rest.starts_with('.'));
    taken == "*" || taken == full || nested()
}

/// Files as nodes, each only once.
fn distinct<'a>(paths: impl Iterator<Item = &'a RepoPath>) -> Vec<EntityRef> {
    paths.collect::<std::collections::BTreeSet<_>>().into_iter().map(file_node).collect()
}

fn in_named_file(view: &View, path: &str, symbol: &str) -> Result<Vec<SymbolRow>> {
    let conn = view.index()?.conn();
    let mut found = Vec::new();
    for path in crate::areas::files::files_matching(view, path)? {
        let own = code::symbols_named(conn, &path, symbol)?;
        let aliased = match own.is_empty() {
            true => code::exported_as(conn, symbol, Some(&path))?,
            false => Vec::new(),
        };
        found.extend(own.into_iter().chain(aliased.into_iter().map(|one| one.symbol)));
    }
    Ok(found)
}

fn candidate(row: &SymbolRow) -> NodeCandidate {
    NodeCandidate { node: symbol_node(row), about: about(row), is_exact: false }
}

/// The node of a symbol.
pub fn symbol_node(row: &SymbolRow) -> EntityRef {
    named_node(&row.path, &row.full)
}

/// The node of a symbol, or of the file if the name is empty.
pub fn named_node(path: &RepoPath, full: &str) -> EntityRef {
    let symbol = full.parse().map(|name| EntityRef::Symbol(path.clone(), name));
    symbol.unwrap_or_else(|_| file_node(path))
}

fn about(row: &SymbolRow) -> String {
    let exported = if row.exported { ", exported" } else { "" };
    let doc = row.doc.as_deref().map(first_sentence).filter(|doc| !doc.is_empty());
    let doc = doc.map(|doc| format!(": {doc}")).unwrap_or_default();
    format!("{}{exported}, line {}{doc}", row.kind, row.line)
}

fn module_context(view: &View, path: &RepoPath) -> Result<Vec<ContextItem>> {
    let conn = view.index()?.conn();
    let mut items = Vec::new();
    let rows = code::symbols_in_file(conn, path)?;
    let top = |row: &&SymbolRow| row.parent.is_none() && row.exported;
    for row in rows.iter().filter(top).take(MAX_LISTED) {
        items.push(item(ContextSection::Outline, row.signature.clone(), handle(path, &row.full)));
    }
    let private = rows.iter().filter(|row| row.parent.is_none() && !row.exported).count();
    if private > 0 {
        let text = format!("{private} more, not exported; `code.zoom` at level 1 lists them");
        items.push(item(ContextSection::Outline, text, file_node(path).to_string()));
    }
    let mut seen = std::collections::BTreeSet::new();
    for import in code::imports(conn, path)? {
        if let Some(target) = import.target.filter(|target| seen.insert(target.clone())) {
            let text = format!("imports {}", imported_names_text(&import.names));
            items.push(item(ContextSection::Uses, text, file_node(&target).to_string()));
        }
    }
    Ok(items)
}

fn symbol_context(view: &View, path: &RepoPath, name: &str) -> Result<Vec<ContextItem>> {
    let conn = view.index()?.conn();
    let rows = code::symbols_in_file(conn, path)?;
    let Some(own) = rows.iter().find(|row| row.full == name) else { return Ok(Vec::new()) };
    let mut items = Vec::new();
    for row in rows.iter().filter(|row| row.parent == Some(own.id)).take(MAX_LISTED) {
        items.push(item(ContextSection::Outline, row.signature.clone(), handle(path, &row.full)));
    }
    items.push(item(ContextSection::Nearby, "declared in".into(), file_node(path).to_string()));
    Ok(items)
}

fn imported_names_text(names: &[code::ImportBinding]) -> String {
    let names: Vec<&str> = names.iter().map(|taken| taken.0.as_str()).collect();
    match names.as_slice() {
        [] | ["*"] => "it".into(),
        names if names.len() > 5 => {
            format!("{} and {} more", names[..5].join(", "), names.len() - 5)
        }
        names => names.join(", "),
    }
}

fn item(section: ContextSection, text: String, handle: String) -> ContextItem {
    ContextItem { section, text, handle: Some(handle) }
}

fn edge(from: EntityRef, to: EntityRef, kind: &'static EdgeKind) -> GraphEdge {
    GraphEdge { from, to, kind, confidence: Confidence::Exact }
}
