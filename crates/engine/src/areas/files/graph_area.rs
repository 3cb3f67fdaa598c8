//! Files and folders as nodes, `contains` and `links` as edges.

use base::similarity::similarity;
use base::words::counted;
use base::{EntityRef, RepoPath, Result};
use store::Connection;

use super::file_node;
use super::tables::{self, FileSummary, FolderSummary};
use crate::graph::{
    ChangePropagation, Confidence, ContextItem, ContextSection, EdgeKind, EdgeRequest, GraphArea,
    GraphEdge, NodeCandidate, NodeDescription, WalkFrontier,
};
use crate::view::View;

/// The edge from a folder to what it holds.
pub(crate) const CONTAINS: EdgeKind = EdgeKind {
    area: "files",
    name: "contains",
    propagation: ChangePropagation::OnRequest,
    means: "a folder holds a file or folder",
};

const LINKS: EdgeKind = EdgeKind {
    area: "files",
    name: "links",
    propagation: ChangePropagation::TargetToSource,
    means: "a document links to a file or folder",
};

static EDGES: [EdgeKind; 2] = [CONTAINS, LINKS];

/// How many siblings and headings a context lists.
const MAX_LISTED: usize = 12;

/// The part of the graph that consists of files and folders.
pub(crate) struct FilesGraphArea;

impl GraphArea for FilesGraphArea {
    fn edges(&self) -> &'static [EdgeKind] {
        &EDGES
    }

    fn resolve(&self, view: &View, name: &str) -> Result<Vec<NodeCandidate>> {
        let conn = view.index()?.conn();
        let typed = view.paths().candidates(name);
        for path in &typed {
            if let Some(candidate) = candidate_at(view, path)? {
                return Ok(vec![NodeCandidate { is_exact: true, ..candidate }]);
            }
        }
        // The end of a path is enough where only one path ends so.
        let Some(end) = typed.last().filter(|path| !path.is_root()) else { return Ok(Vec::new()) };
        let found = tables::files_with_suffix(conn, end)?;
        let candidates = found.iter().map(|path| candidate_at(view, path));
        Ok(candidates.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    }

    fn similar_names(&self, view: &View, name: &str) -> Result<Vec<(f64, String)>> {
        let near = |path: &RepoPath| {
            let (whole, last) = (path.to_string(), path.name());
            // A text is compared with the last part of each path too, but the whole path is
            // suggested.
            let (by_last, by_whole) = (similarity(name, &last), similarity(name, &whole));
            let close = by_last.into_iter().chain(by_whole).reduce(f64::max)?;
            Some((close, whole))
        };
        Ok(tables::all_paths(view.index()?.conn())?.iter().filter_map(near).collect())
    }

    fn contains(&self, view: &View, wanted: &EntityRef) -> Result<bool> {
        let conn = view.index()?.conn();
        match wanted {
            EntityRef::Module(path) | EntityRef::File(path) => {
                Ok(file_node(path) == *wanted && tables::file(conn, path)?.is_some())
            }
            EntityRef::Dir(path) => tables::is_folder(conn, path),
            _ => Ok(false),
        }
    }

    fn neighbours(
        &self,
        view: &View,
        frontier: WalkFrontier<'_>,
        wanted: &[EdgeRequest],
    ) -> Result<Vec<GraphEdge>> {
        let conn = view.index()?.conn();
        let mut edges = Vec::new();
        for (here, one) in
            frontier.nodes.iter().flat_map(|here| wanted.iter().map(move |w| (here, w)))
        {
            if one.wants_outgoing() {
                let ends = targets_of(conn, here, one.kind)?.into_iter();
                edges.extend(ends.map(|there| edge(here.clone(), there, one.kind)));
            }
            if one.wants_incoming() {
                let starts = sources_of(conn, here, one.kind)?.into_iter();
                edges.extend(starts.map(|there| edge(there, here.clone(), one.kind)));
            }
        }
        Ok(edges)
    }

    fn describe(&self, view: &View, wanted: &EntityRef) -> Result<Option<NodeDescription>> {
        let (EntityRef::Module(path) | EntityRef::File(path) | EntityRef::Dir(path)) = wanted
        else {
            return Ok(None);
        };
        Ok(candidate_at(view, path)?.map(|candidate| NodeDescription {
            node: candidate.node,
            name: path.to_string(),
            about: candidate.about,
        }))
    }

    fn parts(&self, view: &View, whole: &EntityRef) -> Result<Vec<EntityRef>> {
        let EntityRef::Dir(folder) = whole else { return Ok(Vec::new()) };
        let files = tables::files_below(view.index()?.conn(), folder)?;
        Ok(files.iter().map(|file| file_node(&file.path)).collect())
    }

    fn context(&self, view: &View, wanted: &EntityRef) -> Result<Vec<ContextItem>> {
        match wanted {
            EntityRef::Dir(folder) => folder_context(view, folder),
            EntityRef::Module(path) | EntityRef::File(path) => file_context(view, path),
            _ => Ok(Vec::new()),
        }
    }
}

/// The node at a path: a file, a folder, or `None`.
fn candidate_at(view: &View, path: &RepoPath) -> Result<Option<NodeCandidate>> {
    let conn = view.index()?.conn();
    if let Some(file) = tables::file(conn, path)? {
        let about = about_file(&file);
        return Ok(Some(NodeCandidate { node: file_node(path), about, is_exact: false }));
    }
    let folder = tables::folder(conn, path)?;
    let empty = || FolderSummary { path: RepoPath::ROOT, files: 0, below: 0 };
    let folder = folder.or_else(|| path.is_root().then(empty));
    let node = || EntityRef::Dir(path.clone());
    let about = |folder: FolderSummary| about_folder(&folder);
    Ok(folder.map(|folder| NodeCandidate { node: node(), about: about(folder), is_exact: false }))
}

fn targets_of(conn: &Connection, from: &EntityRef, kind: &EdgeKind) -> Result<Vec<EntityRef>> {
    match from {
        EntityRef::Dir(folder) if *kind == CONTAINS => {
            let folders = tables::folders_in(conn, folder)?;
            let folders = folders.into_iter().map(|folder| EntityRef::Dir(folder.path));
            let files = tables::files_in(conn, folder)?;
            Ok(folders.chain(files.iter().map(|file| file_node(&file.path))).collect())
        }
        EntityRef::Module(path) | EntityRef::File(path) if *kind == LINKS => {
            let targets = tables::links_from(conn, path)?;
            let nodes = targets.iter().map(|(target, _)| node_at(conn, target));
            Ok(nodes.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
        }
        _ => Ok(Vec::new()),
    }
}

/// The node at a path, if there is one.
fn node_at(conn: &Connection, path: &RepoPath) -> Result<Option<EntityRef>> {
    Ok(match tables::file(conn, path)? {
        Some(_) => Some(file_node(path)),
        None => tables::is_folder(conn, path)?.then(|| EntityRef::Dir(path.clone())),
    })
}

fn sources_of(conn: &Connection, to: &EntityRef, kind: &EdgeKind) -> Result<Vec<EntityRef>> {
    let Some(path) = to.path().filter(|_| !matches!(to, EntityRef::Symbol(..))) else {
        return Ok(Vec::new());
    };
    if *kind == CONTAINS {
        return Ok(path.parent().map(EntityRef::Dir).into_iter().collect());
    }
    let sources = tables::links_to(conn, path)?;
    Ok(sources.iter().map(|(source, _)| file_node(source)).collect())
}

fn folder_context(view: &View, folder: &RepoPath) -> Result<Vec<ContextItem>> {
    let conn = view.index()?.conn();
    let mut items = Vec::new();
    for inner in tables::folders_in(conn, folder)? {
        let text = format!("{}/  {}", inner.path.name(), about_folder(&inner));
        items.push(item(ContextSection::Outline, text, &EntityRef::Dir(inner.path)));
    }
    for file in tables::files_in(conn, folder)? {
        let text = format!("{}  {}", file.path.name(), about_file(&file));
        items.push(item(ContextSection::Outline, text, &file_node(&file.path)));
    }
    items.extend(linked_from(view, folder)?);
    Ok(items)
}

fn file_context(view: &View, path: &RepoPath) -> Result<Vec<ContextItem>> {
    let conn = view.index()?.conn();
    let mut items = Vec::new();
    for (line, level, text) in tables::headings(conn, path)?.into_iter().skip(1) {
        let indent = "  ".repeat(usize::from(level.saturating_sub(2)));
        let text = format!("{indent}{text}  line {line}");
        items.push(ContextItem { section: ContextSection::Outline, text, handle: None });
    }
    items.extend(linked_from(view, path)?);
    for (target, line) in tables::links_from(conn, path)? {
        items.push(if let Some(found) = candidate_at(view, &target)? {
            let text = format!("linked at line {line}: {}", found.about);
            item(ContextSection::Uses, text, &found.node)
        } else {
            let text = format!("linked at line {line}: {target}, which does not exist");
            ContextItem { section: ContextSection::Uses, text, handle: None }
        });
    }
    items.extend(siblings(view, path)?);
    Ok(items)
}

/// Documents that link to the file and may have to be revised.
fn linked_from(view: &View, path: &RepoPath) -> Result<Vec<ContextItem>> {
    let sources = tables::links_to(view.index()?.conn(), path)?;
    let item = |(source, line): &(RepoPath, u32)| {
        let text = format!("links here at line {line}");
        item(ContextSection::UsedBy, text, &file_node(source))
    };
    Ok(sources.iter().map(item).collect())
}

fn siblings(view: &View, path: &RepoPath) -> Result<Vec<ContextItem>> {
    let Some(folder) = path.parent() else { return Ok(Vec::new()) };
    let all = tables::files_in(view.index()?.conn(), &folder)?;
    let others: Vec<&FileSummary> = all.iter().filter(|file| file.path != *path).collect();
    let item = |file: &&FileSummary| {
        let text = format!("{}  {}", file.path.name(), about_file(file));
        item(ContextSection::Nearby, text, &file_node(&file.path))
    };
    Ok(others.iter().take(MAX_LISTED).map(item).collect())
}

fn edge(from: EntityRef, to: EntityRef, kind: &'static EdgeKind) -> GraphEdge {
    GraphEdge { from, to, kind, confidence: Confidence::Exact }
}

fn item(section: ContextSection, text: String, handle: &EntityRef) -> ContextItem {
    ContextItem { section, text, handle: Some(handle.to_string()) }
}

pub(super) fn about_file(file: &FileSummary) -> String {
    let language = file.language.map(|language| language.name().to_owned());
    let size = match &file.skipped {
        Some(why) => format!("{}, {why}", size_text(file.size)),
        None => counted(file.lines, "line"),
    };
    let facts: Vec<String> = language.into_iter().chain([size]).collect();
    match &file.title {
        Some(title) => format!("{title} ({})", facts.join(", ")),
        None => facts.join(", "),
    }
}

pub(super) fn about_folder(folder: &FolderSummary) -> String {
    let own = counted(folder.files, "file");
    match folder.below - folder.files {
        0 => own,
        below if folder.files == 0 => format!("{} in its folders", counted(below, "file")),
        _ => format!("{own}, {} in all", folder.below),
    }
}

/// A size in readable units.
fn size_text(size: u64) -> String {
    match size {
        0..1_024 => counted(size, "byte"),
        1_024..1_048_576 => format!("{} KB", size / 1_024),
        _ => format!("{} MB", size / 1_048_576),
    }
}
