//! Commits as nodes; `touches` and `co_change` as edges.

use base::{EntityRef, RepoPath, Result};
use history::commit;
use history::line::Stop;
use jiff::Timestamp;

use super::book::{Book, Together, ago, short};
use crate::graph::{
    Candidate, Confidence, Description, Edge, EdgeKind, Frontier, Item, Layer, Marks, Section,
    Travel, Wanted,
};
use crate::layers::files::node;
use crate::locate;
use crate::search::{Filter, Text};
use crate::view::View;

const TOUCHES: EdgeKind = EdgeKind {
    area: "history",
    name: "touches",
    travel: Travel::OnRequest,
    means: "a commit changed a file; a bulk one is followed only from itself",
};

const CO_CHANGE: EdgeKind = EdgeKind {
    area: "history",
    name: "co_change",
    travel: Travel::OnRequest,
    means: "two files usually change together",
};

static EDGES: [EdgeKind; 2] = [TOUCHES, CO_CHANGE];

/// How many commits and partners a file has as neighbours.
const NEIGHBOURS: usize = 50;
const PARTNERS: usize = 10;

/// How many partners and files a context lists.
const LISTED: usize = 3;
const FILES: usize = 40;

/// Two files that changed together only once may have done so by chance.
const OFTEN: u64 = 2;

/// How many commits a search considers.
const CANDIDATES: usize = 100;

/// How many commits a whole sentence may be about.
const ABOUT: usize = 30;

/// The history.
pub(crate) struct HistoryLayer;

impl Layer for HistoryLayer {
    fn edges(&self) -> &'static [EdgeKind] {
        &EDGES
    }

    fn resolve(&self, view: &View, name: &str) -> Result<Vec<Candidate>> {
        if !is_name(name) {
            return Ok(Vec::new());
        }
        let Some(book) = Book::soon(view)? else { return Ok(Vec::new()) };
        let found = book.called(name)?;
        let candidate = |stop: &Stop| {
            Ok(Candidate { node: commit_node(stop), about: about(view, &book, stop)?, sure: false })
        };
        found.iter().map(candidate).collect()
    }

    fn near(&self, _: &View, _: &str) -> Result<Vec<(f64, String)>> {
        Ok(Vec::new())
    }

    fn holds(&self, view: &View, wanted: &EntityRef) -> Result<bool> {
        Ok(found(view, wanted)?.is_some())
    }

    fn neighbours(
        &self,
        view: &View,
        frontier: Frontier<'_>,
        wanted: &[Wanted],
    ) -> Result<Vec<Edge>> {
        let Some(book) = Book::soon(view)? else { return Ok(Vec::new()) };
        let mut edges = Vec::new();
        for (here, one) in
            frontier.nodes.iter().flat_map(|here| wanted.iter().map(move |w| (here, w)))
        {
            let kind = one.kind;
            let edge = |from, to, confidence| Edge { from, to, kind, confidence };
            match here {
                EntityRef::Commit(_) if *kind == TOUCHES && one.is_along() => {
                    let files = files_of(view, here, frontier.is_start)?.into_iter();
                    edges.extend(files.map(|to| edge(here.clone(), to, Confidence::Exact)));
                }
                EntityRef::Module(path) | EntityRef::File(path) if *kind == CO_CHANGE => {
                    let partners = partners(&book, path, PARTNERS)?.into_iter();
                    let nodes = partners.map(|together| node(&together.path));
                    edges.extend(nodes.map(|to| edge(here.clone(), to, Confidence::Inferred)));
                }
                EntityRef::Module(path) | EntityRef::File(path) if one.is_against() => {
                    let commits = commits_of(&book, path)?.into_iter();
                    edges.extend(commits.map(|from| edge(from, here.clone(), Confidence::Exact)));
                }
                _ => {}
            }
        }
        Ok(edges)
    }

    fn describe(&self, view: &View, wanted: &EntityRef) -> Result<Option<Description>> {
        let Some((book, stop)) = found(view, wanted)? else { return Ok(None) };
        Ok(Some(Description {
            node: wanted.clone(),
            name: format!("commit {}", short(&stop.sha)),
            about: about(view, &book, &stop)?,
        }))
    }

    fn parts(&self, _: &View, _: &EntityRef) -> Result<Vec<EntityRef>> {
        Ok(Vec::new())
    }

    fn context(&self, view: &View, wanted: &EntityRef) -> Result<Vec<Item>> {
        match wanted {
            EntityRef::Module(path) | EntityRef::File(path) => file_context(view, path),
            EntityRef::Commit(_) => commit_context(view, wanted),
            _ => Ok(Vec::new()),
        }
    }

    fn mark(&self, view: &View, wanted: &EntityRef, marks: &mut Marks) -> Result<()> {
        if let Some((book, stop)) = found(view, wanted)? {
            marks.tags.extend(book.tags_touched(&stop)?);
            marks.changed = Timestamp::from_second(stop.time).ok();
        }
        let Some(path) = wanted.path().or(marks.file.as_ref()) else { return Ok(()) };
        let Some(book) = Book::soon(view)? else { return Ok(()) };
        let Some(artifact) = book.at(path)?.filter(|artifact| artifact.is_live) else {
            return Ok(());
        };
        // What is written in a file may have tags of its own; what is a file has the file's.
        if marks.file.is_none() {
            marks.tags.extend(book.tags(&artifact)?);
        }
        let last = book.last(artifact.id)?;
        marks.changed = last.and_then(|stop| Timestamp::from_second(stop.time).ok());
        Ok(())
    }

    fn texts(&self, view: &View, query: &str, filter: &Filter) -> Result<Vec<Text>> {
        let wanted = filter.kinds.is_empty() || filter.kinds.iter().any(|kind| kind == "commit");
        if !wanted {
            return Ok(Vec::new());
        }
        let Some(book) = Book::soon(view)? else { return Ok(Vec::new()) };
        let mut stops = match locate::is_prose(query) {
            true => book.about(&locate::query(query), ABOUT)?,
            false => book.saying(query, CANDIDATES)?,
        };
        if is_name(query.trim()) {
            stops.extend(book.called(query.trim())?);
        }
        if let Some(place) = &filter.path {
            let mut touching = Vec::new();
            for stop in stops {
                let touched = book.touched(&stop)?;
                if touched.iter().any(|(_, touch)| is_at(&touch.path, place)) {
                    touching.push(stop);
                }
            }
            stops = touching;
        }
        let text = |stop: Stop| {
            let message = book.message(&stop)?;
            Ok(Text {
                node: commit_node(&stop).to_string(),
                kind: "commit",
                path: None,
                name: commit::subject(&message).to_owned(),
                body: format!("{}\n{}", history::hex(&stop.sha), commit::body(&message)),
            })
        };
        stops.into_iter().map(text).collect()
    }
}

fn is_at(path: &RepoPath, place: &RepoPath) -> bool {
    place.is_root() || path == place || path.is_below(place)
}

/// The files that a commit touched, by path, at most so many.
pub(crate) fn files_of_commit(
    view: &View,
    commit: &EntityRef,
    most: usize,
) -> Result<Vec<RepoPath>> {
    let Some((book, stop)) = found(view, commit)? else { return Ok(Vec::new()) };
    let mut paths: Vec<RepoPath> =
        book.touched(&stop)?.into_iter().map(|(_, touch)| touch.path).collect();
    paths.sort();
    paths.truncate(most);
    Ok(paths)
}

/// Whether a text can be the name of a commit, whole or shortened.
fn is_name(text: &str) -> bool {
    (4..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn found<'v>(view: &'v View, wanted: &EntityRef) -> Result<Option<(Book<'v>, Stop)>> {
    let EntityRef::Commit(id) = wanted else { return Ok(None) };
    let Some(book) = Book::soon(view)? else { return Ok(None) };
    let mut found = book.called(id.as_str())?;
    let only = if found.len() == 1 { found.pop() } else { None };
    Ok(only.map(|stop| (book, stop)))
}

pub(crate) fn commit_node(stop: &Stop) -> EntityRef {
    let name = short(&stop.sha).parse().expect("hex digits are a commit's name");
    EntityRef::Commit(name)
}

fn about(view: &View, book: &Book<'_>, stop: &Stop) -> Result<String> {
    let commit = book.commit(stop)?;
    let when = ago(view.call().now, stop.time);
    Ok(format!("{} ({}, {when})", commit.subject(), commit.author.name))
}

/// The files of a commit. Files do not belong together because one commit touched thousands:
/// such a commit is not passed through.
fn files_of(view: &View, wanted: &EntityRef, is_start: bool) -> Result<Vec<EntityRef>> {
    let Some((book, stop)) = found(view, wanted)? else { return Ok(Vec::new()) };
    if book.is_bulk(&stop) && !is_start {
        return Ok(Vec::new());
    }
    let mut nodes = Vec::new();
    for (_, touch) in book.touched(&stop)? {
        let now = book.at(&touch.path)?.filter(|artifact| artifact.is_live);
        nodes.extend(now.map(|artifact| node(&artifact.path)));
    }
    Ok(nodes)
}

fn commits_of(book: &Book<'_>, path: &RepoPath) -> Result<Vec<EntityRef>> {
    let Some(artifact) = book.at(path)? else { return Ok(Vec::new()) };
    let touches = book.touches(artifact.id)?;
    let newest = touches.iter().rev().take(NEIGHBOURS);
    newest.map(|touch| Ok(commit_node(&book.stop(touch.pos)?))).collect()
}

/// Files that changed with a file more than once.
fn partners(book: &Book<'_>, path: &RepoPath, most: usize) -> Result<Vec<Together>> {
    let Some(artifact) = book.at(path)? else { return Ok(Vec::new()) };
    book.often_with(artifact.id, (OFTEN, most))
}

fn file_context(view: &View, path: &RepoPath) -> Result<Vec<Item>> {
    let Some(book) = Book::soon(view)? else { return Ok(Vec::new()) };
    let Some(artifact) = book.at(path)? else { return Ok(Vec::new()) };
    let mut items = Vec::new();
    if let Some(stop) = book.last(artifact.id)? {
        let when = ago(view.call().now, stop.time);
        let text = format!("last commit {when}: {}", book.commit(&stop)?.subject());
        items.push(item(Section::Now, text, commit_node(&stop).to_string()));
    }
    let own = book.weight(artifact.id)?;
    for Together { path, partner } in partners(&book, path, LISTED)? {
        let last = book.time_ago(partner.last.unwrap_or(0))?;
        let when = ago(view.call().now, last);
        let text = format!("usually changes too: {} of {own} commits, last {when}", partner.count);
        items.push(item(Section::IfItChanges, text, node(&path).to_string()));
    }
    Ok(items)
}

fn commit_context(view: &View, wanted: &EntityRef) -> Result<Vec<Item>> {
    let Some((book, stop)) = found(view, wanted)? else { return Ok(Vec::new()) };
    let commit = book.commit(&stop)?;
    let said = commit.body().lines().filter(|line| !line.trim().is_empty());
    let mut items: Vec<Item> = said
        .map(|line| Item { section: Section::Know, text: format!("> {line}"), handle: None })
        .collect();
    for (_, touch) in book.touched(&stop)?.into_iter().take(FILES) {
        let text = match &touch.old {
            Some(old) => format!("renamed from {old}"),
            None => touch.how.word().to_owned(),
        };
        let handle = match book.at(&touch.path)?.filter(|artifact| artifact.is_live) {
            Some(artifact) => node(&artifact.path).to_string(),
            None => format!("history provenance {}", touch.path),
        };
        items.push(item(Section::Outline, text, handle));
    }
    Ok(items)
}

fn item(section: Section, text: String, handle: String) -> Item {
    Item { section, text, handle: Some(handle) }
}
