//! Symbols as nodes; `declares` and `imports` as edges, calls from beside.

use std::collections::BTreeMap;

use base::near::closeness;
use base::{EntityRef, RepoPath, Result};
use code::SymbolRow;

use super::calls;
use crate::graph::{
    Candidate, Confidence, Description, Edge, EdgeKind, Frontier, Item, Layer, Section, Travel,
    Wanted,
};
use crate::layers::files::node;
use crate::ops::first_sentence;
use crate::view::View;

const DECLARES: EdgeKind = EdgeKind {
    area: "code",
    name: "declares",
    travel: Travel::OnRequest,
    means: "a file or symbol holds the declaration of a symbol",
};

const IMPORTS: EdgeKind = EdgeKind {
    area: "code",
    name: "imports",
    travel: Travel::Against,
    means: "a file takes something from another",
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

/// How many symbols, importers or imports a context lists, each.
const LISTED: usize = 40;

/// Symbols and imports.
pub(crate) struct CodeLayer;

/// The handle of a symbol.
pub(crate) fn handle(path: &RepoPath, full: &str) -> String {
    format!("symbol:{path}#{full}")
}

impl Layer for CodeLayer {
    fn edges(&self) -> &'static [EdgeKind] {
        &EDGES
    }

    fn resolve(&self, view: &View, name: &str) -> Result<Vec<Candidate>> {
        let conn = view.index()?.conn();
        let mut found = match name.split_once('#') {
            Some((path, symbol)) => in_named_file(view, path, symbol)?,
            None if name.contains('/') => Vec::new(),
            None => code::symbols_called(conn, name)?,
        };
        if found.is_empty() && !name.contains(['/', '#']) {
            found =
                code::exported_as(conn, name, None)?.into_iter().map(|one| one.symbol).collect();
        }
        Ok(found.iter().map(candidate).collect())
    }

    fn near(&self, view: &View, name: &str) -> Result<Vec<(f64, String)>> {
        // A path names a file; only what is after `#` names a symbol of it.
        let symbol = match name.split_once('#') {
            Some((_, symbol)) => symbol,
            None if name.contains('/') => return Ok(Vec::new()),
            None => name,
        };
        let last = symbol.rsplit('.').next().unwrap_or(symbol);
        let Some(first) = last.chars().next() else { return Ok(Vec::new()) };
        let names = code::near_names(view.index()?.conn(), first)?;
        Ok(names.into_iter().filter_map(|near| Some((closeness(last, &near)?, near))).collect())
    }

    fn holds(&self, view: &View, wanted: &EntityRef) -> Result<bool> {
        Ok(row(view, wanted)?.is_some())
    }

    fn neighbours(
        &self,
        view: &View,
        frontier: Frontier<'_>,
        wanted: &[Wanted],
    ) -> Result<Vec<Edge>> {
        let mut edges = calls::edges(view, frontier, wanted)?;
        for one in wanted {
            if *one.kind == DECLARES {
                edges.extend(declared(view, frontier.nodes, one)?);
            } else if *one.kind == IMPORTS {
                edges.extend(imported(view, frontier.nodes, one)?);
            }
        }
        Ok(edges)
    }

    fn describe(&self, view: &View, wanted: &EntityRef) -> Result<Option<Description>> {
        Ok(row(view, wanted)?.map(|row| Description {
            node: wanted.clone(),
            name: format!("{}#{}", row.path, row.full),
            about: about(&row),
        }))
    }

    fn parts(&self, view: &View, whole: &EntityRef) -> Result<Vec<EntityRef>> {
        calls::parts(view, whole)
    }

    fn context(&self, view: &View, wanted: &EntityRef) -> Result<Vec<Item>> {
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

/// What files and symbols declare, and what declares them.
fn declared(view: &View, frontier: &[EntityRef], wanted: &Wanted) -> Result<Vec<Edge>> {
    let conn = view.index()?.conn();
    let mut edges = Vec::new();
    for here in frontier {
        let inner = match here {
            _ if !wanted.is_along() => Vec::new(),
            EntityRef::Module(path) => code::top_names(conn, path)?,
            EntityRef::Symbol(path, name) => code::inner_names(conn, path, name.as_str())?,
            _ => Vec::new(),
        };
        let path = here.path().into_iter();
        let nodes = path.flat_map(|path| inner.iter().map(|name| named_node(path, name)));
        edges.extend(nodes.map(|there| edge(here.clone(), there, wanted.kind)));
        if let EntityRef::Symbol(path, name) = here
            && wanted.is_against()
            && let Some(outer) = code::outer_name(conn, path, name.as_str())?
        {
            let outer = outer.map_or_else(|| node(path), |outer| named_node(path, &outer));
            edges.push(edge(outer, here.clone(), wanted.kind));
        }
    }
    Ok(edges)
}

/// What files take of others, and who takes something of them. A file whose symbols are asked
/// about is looked at once for all of them.
fn imported(view: &View, frontier: &[EntityRef], wanted: &Wanted) -> Result<Vec<Edge>> {
    let conn = view.index()?.conn();
    let mut takers: BTreeMap<&RepoPath, Vec<(RepoPath, Vec<String>)>> = BTreeMap::new();
    let mut edges = Vec::new();
    for here in frontier {
        let (path, name) = match here {
            EntityRef::Module(path) => (path, None),
            EntityRef::Symbol(path, name) => (path, Some(name.as_str())),
            _ => continue,
        };
        if name.is_none() && wanted.is_along() {
            let taken = distinct(code::taken_from(conn, path)?.iter());
            edges.extend(taken.into_iter().map(|there| edge(here.clone(), there, wanted.kind)));
        }
        if wanted.is_against() {
            if !takers.contains_key(path) {
                takers.insert(path, code::taken_by(conn, path)?);
            }
            let takes = |taken: &[String]| {
                name.is_none_or(|name| taken.iter().any(|taken| takes(taken, name)))
            };
            let taking = takers[path].iter().filter(|(_, taken)| takes(taken));
            let takers = distinct(taking.map(|(path, _)| path)).into_iter();
            edges.extend(takers.map(|there| edge(there, here.clone(), wanted.kind)));
        }
    }
    Ok(edges)
}

/// Whether a symbol may be what is taken: it is named, or what it is nested in, or all is taken.
fn takes(taken: &str, full: &str) -> bool {
    let nested = || full.strip_prefix(taken).is_some_and(|rest| rest.starts_with('.'));
    taken == "*" || taken == full || nested()
}

/// Files as nodes, each once.
fn distinct<'a>(paths: impl Iterator<Item = &'a RepoPath>) -> Vec<EntityRef> {
    paths.collect::<std::collections::BTreeSet<_>>().into_iter().map(node).collect()
}

fn in_named_file(view: &View, path: &str, symbol: &str) -> Result<Vec<SymbolRow>> {
    let conn = view.index()?.conn();
    let mut found = Vec::new();
    for path in crate::layers::files::matching(view, path)? {
        let own = code::symbols_named(conn, &path, symbol)?;
        let aliased = match own.is_empty() {
            true => code::exported_as(conn, symbol, Some(&path))?,
            false => Vec::new(),
        };
        found.extend(own.into_iter().chain(aliased.into_iter().map(|one| one.symbol)));
    }
    Ok(found)
}

fn candidate(row: &SymbolRow) -> Candidate {
    Candidate { node: symbol_node(row), about: about(row), sure: false }
}

pub(super) fn symbol_node(row: &SymbolRow) -> EntityRef {
    named_node(&row.path, &row.full)
}

/// The node of a symbol; of its file where the name is none.
pub(crate) fn named_node(path: &RepoPath, full: &str) -> EntityRef {
    let symbol = full.parse().map(|name| EntityRef::Symbol(path.clone(), name));
    symbol.unwrap_or_else(|_| node(path))
}

fn about(row: &SymbolRow) -> String {
    let exported = if row.exported { ", exported" } else { "" };
    let doc = row.doc.as_deref().map(first_sentence).filter(|doc| !doc.is_empty());
    let doc = doc.map(|doc| format!(": {doc}")).unwrap_or_default();
    format!("{}{exported}, line {}{doc}", row.kind, row.line)
}

fn module_context(view: &View, path: &RepoPath) -> Result<Vec<Item>> {
    let conn = view.index()?.conn();
    let mut items = Vec::new();
    let rows = code::in_file(conn, path)?;
    let top = |row: &&SymbolRow| row.parent.is_none() && row.exported;
    for row in rows.iter().filter(top).take(LISTED) {
        items.push(item(Section::Outline, row.signature.clone(), handle(path, &row.full)));
    }
    let private = rows.iter().filter(|row| row.parent.is_none() && !row.exported).count();
    if private > 0 {
        let text = format!("{private} more, not exported; `code.zoom` at level 1 lists them");
        items.push(item(Section::Outline, text, node(path).to_string()));
    }
    let mut seen = std::collections::BTreeSet::new();
    for import in code::imports(conn, path)? {
        if let Some(target) = import.target.filter(|target| seen.insert(target.clone())) {
            let text = format!("imports {}", taken(&import.names));
            items.push(item(Section::RestsOn, text, node(&target).to_string()));
        }
    }
    Ok(items)
}

fn symbol_context(view: &View, path: &RepoPath, name: &str) -> Result<Vec<Item>> {
    let conn = view.index()?.conn();
    let rows = code::in_file(conn, path)?;
    let Some(own) = rows.iter().find(|row| row.full == name) else { return Ok(Vec::new()) };
    let mut items = Vec::new();
    for row in rows.iter().filter(|row| row.parent == Some(own.id)).take(LISTED) {
        items.push(item(Section::Outline, row.signature.clone(), handle(path, &row.full)));
    }
    items.push(item(Section::Around, "declared in".into(), node(path).to_string()));
    Ok(items)
}

fn taken(names: &[code::Taken]) -> String {
    let names: Vec<&str> = names.iter().map(|taken| taken.0.as_str()).collect();
    match names.as_slice() {
        [] | ["*"] => "it".into(),
        names if names.len() > 5 => {
            format!("{} and {} more", names[..5].join(", "), names.len() - 5)
        }
        names => names.join(", "),
    }
}

fn item(section: Section, text: String, handle: String) -> Item {
    Item { section, text, handle: Some(handle) }
}

fn edge(from: EntityRef, to: EntityRef, kind: &'static EdgeKind) -> Edge {
    Edge { from, to, kind, confidence: Confidence::Exact }
}
