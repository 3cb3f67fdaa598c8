//! Commits as nodes; `touches` and `co_change` as edges.

use base::{EntityRef, RepoPath, Result};
use history::checkout::CheckoutCommit;
use history::commit;
use jiff::Timestamp;

use super::reader::{CochangedFile, HistoryReader, elapsed_text, short_commit_id};
use crate::areas::files::file_node;
use crate::file_text;
use crate::graph::{
    ChangePropagation, Confidence, ContextItem, ContextSection, EdgeKind, EdgeRequest, GraphArea,
    GraphEdge, NodeCandidate, NodeDescription, NodeMetadata, WalkFrontier,
};
use crate::search::{SearchFilter, SearchText};
use crate::view::View;

const TOUCHES: EdgeKind = EdgeKind {
    area: "history",
    name: "touches",
    propagation: ChangePropagation::OnRequest,
    means: "a commit changed a file; a bulk commit is not passed through",
};

const CO_CHANGE: EdgeKind = EdgeKind {
    area: "history",
    name: "co_change",
    propagation: ChangePropagation::OnRequest,
    means: "two files usually change together",
};

static EDGES: [EdgeKind; 2] = [TOUCHES, CO_CHANGE];

/// How many commits and partners a file has as neighbours.
const MAX_COMMIT_NEIGHBOURS: usize = 50;
const MAX_PARTNER_NEIGHBOURS: usize = 10;

/// How many partners and files a context lists.
const MAX_LISTED_PARTNERS: usize = 3;
const MAX_LISTED_FILES: usize = 40;

/// Minimum number of commits that two files must share. One shared commit may be a coincidence.
const MIN_COMMON_COMMITS: u64 = 2;

/// How many commits a search considers.
const MAX_SEARCH_CANDIDATES: usize = 100;

/// Maximum number of commits that are found for a whole sentence.
const MAX_SENTENCE_CANDIDATES: usize = 30;

/// The part of the graph that consists of commits.
pub(crate) struct HistoryGraphArea;

impl GraphArea for HistoryGraphArea {
    fn edges(&self) -> &'static [EdgeKind] {
        &EDGES
    }

    fn resolve(&self, view: &View, name: &str) -> Result<Vec<NodeCandidate>> {
        if !is_commit_prefix(name) {
            return Ok(Vec::new());
        }
        let Some(history) = HistoryReader::open_if_ready(view)? else { return Ok(Vec::new()) };
        let found = history.commits_with_prefix(name)?;
        let candidate = |stop: &CheckoutCommit| {
            Ok(NodeCandidate {
                node: commit_node(stop),
                about: about(view, &history, stop)?,
                is_exact: false,
            })
        };
        found.iter().map(candidate).collect()
    }

    fn similar_names(&self, _: &View, _: &str) -> Result<Vec<(f64, String)>> {
        Ok(Vec::new())
    }

    fn contains(&self, view: &View, wanted: &EntityRef) -> Result<bool> {
        Ok(find_commit(view, wanted)?.is_some())
    }

    fn neighbours(
        &self,
        view: &View,
        frontier: WalkFrontier<'_>,
        wanted: &[EdgeRequest],
    ) -> Result<Vec<GraphEdge>> {
        let Some(history) = HistoryReader::open_if_ready(view)? else { return Ok(Vec::new()) };
        let mut edges = Vec::new();
        for (here, one) in
            frontier.nodes.iter().flat_map(|here| wanted.iter().map(move |w| (here, w)))
        {
            let kind = one.kind;
            let edge = |from, to, confidence| GraphEdge { from, to, kind, confidence };
            match here {
                EntityRef::Commit(_) if *kind == TOUCHES && one.wants_outgoing() => {
                    let files = files_of(view, here, frontier.is_start)?.into_iter();
                    edges.extend(files.map(|to| edge(here.clone(), to, Confidence::Exact)));
                }
                EntityRef::Module(path) | EntityRef::File(path) if *kind == CO_CHANGE => {
                    let partners = partners(&history, path, MAX_PARTNER_NEIGHBOURS)?.into_iter();
                    let nodes = partners.map(|together| file_node(&together.path));
                    edges.extend(nodes.map(|to| edge(here.clone(), to, Confidence::Inferred)));
                }
                EntityRef::Module(path) | EntityRef::File(path) if one.wants_incoming() => {
                    let commits = commits_of(&history, path)?.into_iter();
                    edges.extend(commits.map(|from| edge(from, here.clone(), Confidence::Exact)));
                }
                _ => {}
            }
        }
        Ok(edges)
    }

    fn describe(&self, view: &View, wanted: &EntityRef) -> Result<Option<NodeDescription>> {
        let Some((history, stop)) = find_commit(view, wanted)? else { return Ok(None) };
        Ok(Some(NodeDescription {
            node: wanted.clone(),
            name: format!("commit {}", short_commit_id(&stop.sha)),
            about: about(view, &history, &stop)?,
        }))
    }

    fn parts(&self, _: &View, _: &EntityRef) -> Result<Vec<EntityRef>> {
        Ok(Vec::new())
    }

    fn context(&self, view: &View, wanted: &EntityRef) -> Result<Vec<ContextItem>> {
        match wanted {
            EntityRef::Module(path) | EntityRef::File(path) => file_context(view, path),
            EntityRef::Commit(_) => commit_context(view, wanted),
            _ => Ok(Vec::new()),
        }
    }

    fn add_metadata(
        &self,
        view: &View,
        wanted: &EntityRef,
        marks: &mut NodeMetadata,
    ) -> Result<()> {
        if let Some((history, stop)) = find_commit(view, wanted)? {
            marks.tags.extend(history.tags_touched(&stop)?);
            marks.changed = Timestamp::from_second(stop.time).ok();
        }
        let Some(path) = wanted.path().or(marks.file.as_ref()) else { return Ok(()) };
        let Some(history) = HistoryReader::open_if_ready(view)? else { return Ok(()) };
        let Some(artifact) = history.artifact_at(path)?.filter(|artifact| artifact.is_live) else {
            return Ok(());
        };
        // Tags of history belong to files. A node inside a file may have tags of its own.
        if marks.file.is_none() {
            marks.tags.extend(history.tags(&artifact)?);
        }
        let last = history.last_commit(artifact.id)?;
        marks.changed = last.and_then(|stop| Timestamp::from_second(stop.time).ok());
        Ok(())
    }

    fn search_texts(
        &self,
        view: &View,
        query: &str,
        filter: &SearchFilter,
    ) -> Result<Vec<SearchText>> {
        let wanted = filter.kinds.is_empty() || filter.kinds.iter().any(|kind| kind == "commit");
        if !wanted {
            return Ok(Vec::new());
        }
        let Some(history) = HistoryReader::open_if_ready(view)? else { return Ok(Vec::new()) };
        let mut stops = match file_text::is_prose(query) {
            true => history
                .commits_for_query(&file_text::full_text_query(query), MAX_SENTENCE_CANDIDATES)?,
            false => history.commits_matching(query, MAX_SEARCH_CANDIDATES)?,
        };
        if is_commit_prefix(query.trim()) {
            stops.extend(history.commits_with_prefix(query.trim())?);
        }
        if let Some(place) = &filter.path {
            let mut touching = Vec::new();
            for stop in stops {
                let touched = history.touched(&stop)?;
                if touched.iter().any(|(_, touch)| is_at(&touch.path, place)) {
                    touching.push(stop);
                }
            }
            stops = touching;
        }
        let text = |stop: CheckoutCommit| {
            let message = history.message(&stop)?;
            Ok(SearchText {
                node: commit_node(&stop).to_string(),
                kind: "commit",
                path: None,
                name: commit::subject(&message).to_owned(),
                body: format!("{}\n{}", history::sha_to_hex(&stop.sha), commit::body(&message)),
            })
        };
        stops.into_iter().map(text).collect()
    }
}

fn is_at(path: &RepoPath, place: &RepoPath) -> bool {
    place.is_root() || path == place || path.is_at_or_below(place)
}

/// The files that a commit touched, sorted by path, at most `most`.
pub fn files_of_commit(view: &View, commit: &EntityRef, most: usize) -> Result<Vec<RepoPath>> {
    let Some((history, stop)) = find_commit(view, commit)? else { return Ok(Vec::new()) };
    let mut paths: Vec<RepoPath> =
        history.touched(&stop)?.into_iter().map(|(_, touch)| touch.path).collect();
    paths.sort();
    paths.truncate(most);
    Ok(paths)
}

/// Whether a text can be the full or shortened id of a commit.
fn is_commit_prefix(text: &str) -> bool {
    (4..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn find_commit<'v>(
    view: &'v View,
    wanted: &EntityRef,
) -> Result<Option<(HistoryReader<'v>, CheckoutCommit)>> {
    let EntityRef::Commit(id) = wanted else { return Ok(None) };
    let Some(history) = HistoryReader::open_if_ready(view)? else { return Ok(None) };
    let mut found = history.commits_with_prefix(id.as_str())?;
    let only = if found.len() == 1 { found.pop() } else { None };
    Ok(only.map(|stop| (history, stop)))
}

/// The node of a commit.
pub fn commit_node(stop: &CheckoutCommit) -> EntityRef {
    let name = short_commit_id(&stop.sha).parse().expect("hex digits are a commit's name");
    EntityRef::Commit(name)
}

fn about(view: &View, history: &HistoryReader<'_>, stop: &CheckoutCommit) -> Result<String> {
    let commit = history.header(stop)?;
    let when = elapsed_text(view.call().now, stop.time);
    Ok(format!("{} ({}, {when})", commit.subject(), commit.author.name))
}

/// The files of a commit. A walk does not pass through a commit of thousands of files, because it
/// does not show that they belong together.
fn files_of(view: &View, wanted: &EntityRef, is_start: bool) -> Result<Vec<EntityRef>> {
    let Some((history, stop)) = find_commit(view, wanted)? else { return Ok(Vec::new()) };
    if history.is_bulk(&stop) && !is_start {
        return Ok(Vec::new());
    }
    let mut nodes = Vec::new();
    for (_, touch) in history.touched(&stop)? {
        let now = history.artifact_at(&touch.path)?.filter(|artifact| artifact.is_live);
        nodes.extend(now.map(|artifact| file_node(&artifact.path)));
    }
    Ok(nodes)
}

fn commits_of(history: &HistoryReader<'_>, path: &RepoPath) -> Result<Vec<EntityRef>> {
    let Some(artifact) = history.artifact_at(path)? else { return Ok(Vec::new()) };
    let touches = history.touches(artifact.id)?;
    let newest = touches.iter().rev().take(MAX_COMMIT_NEIGHBOURS);
    newest.map(|touch| Ok(commit_node(&history.commit_position(touch.pos)?))).collect()
}

/// Files that changed together with a file in more than one commit.
fn partners(
    history: &HistoryReader<'_>,
    path: &RepoPath,
    most: usize,
) -> Result<Vec<CochangedFile>> {
    let Some(artifact) = history.artifact_at(path)? else { return Ok(Vec::new()) };
    history.frequent_partners(artifact.id, MIN_COMMON_COMMITS, most)
}

fn file_context(view: &View, path: &RepoPath) -> Result<Vec<ContextItem>> {
    let Some(history) = HistoryReader::open_if_ready(view)? else { return Ok(Vec::new()) };
    let Some(artifact) = history.artifact_at(path)? else { return Ok(Vec::new()) };
    let mut items = Vec::new();
    if let Some(stop) = history.last_commit(artifact.id)? {
        let when = elapsed_text(view.call().now, stop.time);
        let text = format!("last commit {when}: {}", history.header(&stop)?.subject());
        items.push(item(ContextSection::Work, text, commit_node(&stop).to_string()));
    }
    let own = history.counted_commits_of(view, artifact.id)?;
    for CochangedFile { path, partner } in partners(&history, path, MAX_LISTED_PARTNERS)? {
        let last = history.time_ago(partner.last_commits_ago.unwrap_or(0))?;
        let when = elapsed_text(view.call().now, last);
        let text = format!("usually changes too: {} of {own} commits, last {when}", partner.count);
        items.push(item(ContextSection::UsedBy, text, file_node(&path).to_string()));
    }
    Ok(items)
}

fn commit_context(view: &View, wanted: &EntityRef) -> Result<Vec<ContextItem>> {
    let Some((history, stop)) = find_commit(view, wanted)? else { return Ok(Vec::new()) };
    let commit = history.commit(&stop)?;
    let said = commit.body().lines().filter(|line| !line.trim().is_empty());
    let mut items: Vec<ContextItem> = said
        .map(|line| ContextItem {
            section: ContextSection::Knowledge,
            text: format!("> {line}"),
            handle: None,
        })
        .collect();
    for (_, touch) in history.touched(&stop)?.into_iter().take(MAX_LISTED_FILES) {
        let text = match &touch.old_path {
            Some(old) => format!("renamed from {old}"),
            None => touch.kind.word().to_owned(),
        };
        let handle = match history.artifact_at(&touch.path)?.filter(|artifact| artifact.is_live) {
            Some(artifact) => file_node(&artifact.path).to_string(),
            None => format!("history provenance {}", touch.path),
        };
        items.push(item(ContextSection::Outline, text, handle));
    }
    Ok(items)
}

fn item(section: ContextSection, text: String, handle: String) -> ContextItem {
    ContextItem { section, text, handle: Some(handle) }
}
