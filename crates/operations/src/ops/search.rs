//! `search`: one ranked list over everything that has a name or a text.

use std::collections::BTreeSet;

use base::{EntityRef, NextCall, RepoPath, Result};
use clap::Args;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answers::role::FileRole;
use crate::locate::{self, WantedRoles};
use engine::areas::code::named_node;
use engine::areas::files::file_node;
use engine::areas::history::files_of_commit;
use engine::contract::alias::OpAlias;
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, NodeTarget, Offset, Since, Words, comma_list};
use engine::contract::node_kind::NodeKind;
use engine::contract::op::{OpExample, Query, ToolVisibility};
use engine::contract::page::{Page, PageCell, Render};
use engine::file_text;
use engine::graph;
use engine::search::{MatchReason, SearchFilter, SearchHit, SearchHits};
use engine::view::View;

/// Find anything by words, or by a description of it
///
/// Ranked, exact names first. Identifiers are split; parts of words and typos match too.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// Words to search for, or a name or a part of one
    pub query: Words,
    /// Only these kinds of node; all if left out
    #[arg(long, value_delimiter = ',')]
    #[serde(default, alias = "types", alias = "type", deserialize_with = "comma_list")]
    pub kinds: Vec<NodeKind>,
    /// Only nodes in this file or folder
    #[arg(long)]
    #[serde(default)]
    pub path: Option<NodeTarget>,
    /// Only nodes that have all of these tags
    #[arg(long, value_delimiter = ',')]
    #[serde(default, deserialize_with = "comma_list")]
    pub tags: Vec<String>,
    /// Only nodes that changed since this date or timestamp
    #[arg(long)]
    #[serde(default)]
    pub since: Option<Since>,
    /// Hits to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: Limit,
    /// Hits to skip
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub offset: Offset,
}

/// What was found, best first
#[derive(Debug, Serialize, JsonSchema)]
pub struct SearchAnswer {
    /// The words that were searched for
    pub query: String,
    /// The hits
    pub hits: Vec<SearchHitRow>,
    /// Whether there are more matches than were ranked; then narrow the words or the path
    pub is_cut: bool,
    #[serde(skip)]
    paging: Paging,
}

/// One hit
#[derive(Debug, Serialize, JsonSchema)]
pub struct SearchHitRow {
    /// Handle of the node
    pub node: String,
    /// Its kind
    pub kind: String,
    /// Its name
    pub name: String,
    /// Why it was found
    pub why: &'static str,
    /// The text that matched, unless the name did
    #[serde(skip_serializing_if = "String::is_empty")]
    pub excerpt: String,
    /// The file or folder that it is, or is written in
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<RepoPath>,
    /// The first files that a commit touched
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<RepoPath>,
    /// Its tags
    pub tags: BTreeSet<String>,
    /// How well it fits, comparable within one answer
    pub score: f64,
}

impl Query for Search {
    const NAME: &'static str = "search";
    const VISIBILITY: ToolVisibility = ToolVisibility::Everyday;
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("kiste_search").lifting(&["filters"])];
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "\"atomic write\"", shows: "files and documents about it, ranked" },
        OpExample { args: "journal --kinds module --limit 5", shows: "modules with that name" },
        OpExample {
            args: "timeout --tags net --since 2026-01-01",
            shows: "only tagged nodes that changed this year",
        },
    ];
    type Answer = SearchAnswer;

    fn run(self, view: &View) -> Result<SearchAnswer> {
        let path = self.path.as_ref().map(|path| graph::resolve(view, path)).transpose()?;
        let kinds: Vec<String> = self.kinds.iter().map(ToString::to_string).collect();
        for area in view.graph_areas() {
            area.report_missing(view, &kinds)?;
        }
        let filter = SearchFilter { kinds, path: path.and_then(|node| node.path().cloned()) };
        let query = self.query.as_str();
        let narrow = HitFilter { tags: &self.tags, since: self.since.as_ref().map(Since::moment) };
        // Filters are applied after the search, so as many candidates as possible are considered.
        let most = match narrow.is_active() {
            true => usize::MAX,
            false => self.offset.get() + self.limit.get(),
        };
        let SearchHits { mut hits, is_cut } = match file_text::is_prose(query) {
            true => search_by_description(view, query, &filter)?,
            false => search_by_name(view, query, &filter, most)?,
        };
        // The index holds every document; the configuration decides which belong to the knowledge
        // base.
        hits.retain(|hit| hit.kind != "kb" || exists_now(view, &hit.node));
        if narrow.is_active() {
            hits = narrow.retain_matching(view, hits)?;
        }
        let (mut hits, paging) = Paging::cut(hits, self.offset, self.limit);
        engine::search::add_excerpts(query, &mut hits);
        let hits = hits.into_iter().map(|hit| row(view, hit)).collect::<Result<_>>()?;
        Ok(SearchAnswer { query: self.query.to_string(), hits, is_cut, paging })
    }
}

/// The filters of a search besides the words.
struct HitFilter<'a> {
    tags: &'a [String],
    since: Option<Timestamp>,
}

impl HitFilter<'_> {
    const fn is_active(&self) -> bool {
        !self.tags.is_empty() || self.since.is_some()
    }

    fn retain_matching(&self, view: &View, hits: Vec<SearchHit>) -> Result<Vec<SearchHit>> {
        let mut kept = Vec::new();
        for hit in hits {
            let Ok(node) = hit.node.parse() else { continue };
            let marks = graph::node_metadata(view, &node)?;
            let has = |tag: &String| marks.tags.contains(tag.trim());
            let is_new = self.since.is_none_or(|since| marks.changed >= Some(since));
            if is_new && self.tags.iter().all(has) {
                kept.push(hit);
            }
        }
        Ok(kept)
    }
}

fn exists_now(view: &View, node: &str) -> bool {
    let Ok(node) = node.parse() else { return false };
    view.graph_areas().iter().any(|area| area.contains(view, &node).unwrap_or(false))
}

/// How many files of a commit a page shows.
const MAX_SHOWN_FILES: usize = 3;

/// How many files are listed with a commit.
const MAX_TOUCHED_FILES: usize = 10;

/// How many files a description of many words is matched with.
const MAX_LOCATED_FILES: usize = 1000;

/// Score of a text that contains all words, such as a commit message: that of the best file.
const FULL_TEXT_MATCH_SCORE: f64 = 2.0;

/// Hits for a description of many words: nodes by their names and docs, files by their whole text.
fn search_by_description(view: &View, text: &str, filter: &SearchFilter) -> Result<SearchHits> {
    let words = file_text::full_text_query(text);
    if words.is_empty() {
        return Ok(SearchHits { hits: Vec::new(), is_cut: false });
    }
    let mut found = engine::search::search_names(&view.search_connections()?, &words, filter)?;
    let places = locate::locate_files(view, text, MAX_LOCATED_FILES)?;
    let best = places.first().map_or(1.0, |place| place.score);
    let is_wanted = |kind: &str, path: &RepoPath| {
        (filter.kinds.is_empty() || filter.kinds.iter().any(|wanted| wanted == kind))
            && filter.path.as_ref().is_none_or(|folder| path.is_at_or_below(folder))
    };
    for place in places {
        let node = file_node(&place.path);
        if !is_wanted(node.kind(), &place.path) {
            continue;
        }
        let (kind, handle) = (node.kind().to_owned(), node.to_string());
        found.hits.retain(|hit| hit.node != handle);
        let name = place.path.to_string();
        let (excerpt, score) = (place.mentions_text(), 1.0 + place.score / best);
        let (why, body) = (MatchReason::About, String::new());
        found.hits.push(SearchHit { node: handle, kind, name, excerpt, body, why, score });
    }
    for area in view.graph_areas() {
        for said in area.search_texts(view, text, filter)? {
            let share = file_text::word_overlap(text, &format!("{}\n{}", said.name, said.body));
            found.hits.push(SearchHit {
                node: said.node,
                kind: said.kind.to_owned(),
                name: said.name,
                excerpt: String::new(),
                body: String::new(),
                why: MatchReason::About,
                score: FULL_TEXT_MATCH_SCORE * share,
            });
        }
    }
    found.sort();
    Ok(found)
}

/// Hits by name or text, from the index and every durable store.
fn search_by_name(
    view: &View,
    query: &str,
    filter: &SearchFilter,
    most: usize,
) -> Result<SearchHits> {
    let mut hits = match filter.kinds.iter().all(|kind| kind == "commit") {
        // Only the history area describes commits.
        true if !filter.kinds.is_empty() => SearchHits { hits: Vec::new(), is_cut: false },
        _ => engine::search::search_all(&view.search_connections()?, query, filter, most)?,
    };
    for area in view.graph_areas() {
        let texts = area.search_texts(view, query, filter)?;
        hits.hits.extend(engine::search::rank_texts(texts, query));
    }
    add_located(view, query, filter, &mut hits)?;
    let wanted = WantedRoles::of(query);
    for hit in &mut hits.hits {
        hit.score -= demotion(&wanted, &hit.node);
    }
    hits.sort();
    Ok(hits)
}

/// How many files and symbols found by their text are added to those found by name.
const MAX_ADDED: usize = 30;

/// Base score of a hit found by its text alone: below names that contain all words.
const TEXT_ONLY_BASE_SCORE: f64 = 5.0;

/// Score that the best of them gains.
const MAX_GAIN: f64 = 3.0;

/// Adds the files and symbols that `locate` finds for a question, so that one more correct word
/// never hides a hit.
fn add_located(
    view: &View,
    query: &str,
    filter: &SearchFilter,
    hits: &mut SearchHits,
) -> Result<()> {
    let is_wanted = |kind: &str, path: &RepoPath| {
        (filter.kinds.is_empty() || filter.kinds.iter().any(|wanted| wanted == kind))
            && filter
                .path
                .as_ref()
                .is_none_or(|folder| path == folder || path.is_at_or_below(folder))
    };
    if query.split_whitespace().nth(1).is_none() {
        return Ok(()); // a single word is a name, or a part of one
    }
    let located = locate::locate(view, query)?;
    let files = located.files.iter().map(|place| {
        let node = file_node(&place.path);
        (node, place.path.to_string(), place.score)
    });
    let symbols = located.symbols.iter().filter(|place| !place.symbol.full.is_empty());
    let symbols = symbols.map(|place| {
        let (path, full) = (&place.symbol.path, &place.symbol.full);
        (named_node(path, full), format!("{path}#{full}"), place.score)
    });
    let mut found: Vec<(EntityRef, String, f64)> = files.take(MAX_ADDED).collect();
    let best_file = found.first().map_or(1.0, |(_, _, score)| *score);
    for (_, _, score) in &mut found {
        *score /= best_file;
    }
    let mut symbols: Vec<(EntityRef, String, f64)> = symbols.take(MAX_ADDED).collect();
    let best_symbol = symbols.first().map_or(1.0, |(_, _, score)| *score);
    for (_, _, score) in &mut symbols {
        *score /= best_symbol;
    }
    for (node, name, share) in found.into_iter().chain(symbols) {
        if !node.path().is_some_and(|path| is_wanted(node.kind(), path)) {
            continue;
        }
        let (kind, handle) = (node.kind().to_owned(), node.to_string());
        match hits.hits.iter_mut().find(|hit| hit.node == handle) {
            Some(hit) => hit.score = hit.score.max(TEXT_ONLY_BASE_SCORE + MAX_GAIN * share),
            None => hits.hits.push(SearchHit {
                node: handle,
                kind,
                name,
                excerpt: String::new(),
                body: String::new(),
                why: MatchReason::About,
                score: TEXT_ONLY_BASE_SCORE + MAX_GAIN * share,
            }),
        }
    }
    Ok(())
}

/// By how much a hit ranks lower because of the role of its file: tests, examples, documents and
/// commits come after code unless the query asks for them.
fn demotion(wanted: &WantedRoles, node: &str) -> f64 {
    let Ok(node) = node.parse::<EntityRef>() else { return 0.0 };
    if matches!(node, EntityRef::Commit(_)) {
        return if wanted.is_commit { 0.0 } else { 2.0 };
    }
    let Some(path) = node.path() else { return 0.0 };
    match FileRole::of(path) {
        role if wanted.asks_for(role) => 0.0,
        FileRole::Production => 0.0,
        FileRole::Test | FileRole::Document => 1.5,
        FileRole::Example => 2.0,
        FileRole::Generated | FileRole::Vendored => 3.0,
    }
}

fn row(view: &View, hit: SearchHit) -> Result<SearchHitRow> {
    let SearchHit { node, kind, name, excerpt, why, score, .. } = hit;
    let score = (score * 1000.0).round() / 1000.0;
    let why = why.description();
    let Ok(known) = node.parse::<EntityRef>() else {
        let (path, files, tags) = (None, Vec::new(), BTreeSet::new());
        return Ok(SearchHitRow { node, kind, name, why, excerpt, path, files, tags, score });
    };
    let marks = graph::node_metadata(view, &known)?;
    let path = known.path().cloned().or(marks.file);
    let files = match known {
        EntityRef::Commit(_) => files_of_commit(view, &known, MAX_TOUCHED_FILES)?,
        _ => Vec::new(),
    };
    Ok(SearchHitRow { node, kind, name, why, excerpt, path, files, tags: marks.tags, score })
}

impl Render for SearchAnswer {
    fn render(&self, page: &mut Page) {
        let total = self.paging.total;
        match total {
            0 => {
                page.answer(format!(
                    "No hits for \"{}\" in names, titles, headings and docs",
                    self.query
                ));
                let grep = NextCall::new("code.grep").with("pattern", self.query.as_str());
                page.say_call("To search every line of text", grep);
            }
            _ if self.is_cut => {
                page.answer(format!("The best {total} hits for \"{}\"", self.query));
            }
            1 => page.answer(format!("1 hit for \"{}\"", self.query)),
            _ => page.answer(format!("{total} hits for \"{}\"", self.query)),
        }
        let cells = |hit: &SearchHitRow| {
            let why = match hit.excerpt.as_str() {
                "" => hit.why.to_owned(),
                excerpt => format!("{}: {excerpt}", hit.why),
            };
            let files: Vec<String> =
                hit.files.iter().take(MAX_SHOWN_FILES).map(ToString::to_string).collect();
            let why = match files.as_slice() {
                [] => why,
                files => format!("{why}; touched {}", files.join(", ")),
            };
            let kinds = ["symbol:", "module:", "file:"];
            let handle = kinds.iter().find_map(|kind| hit.node.strip_prefix(kind));
            let handle = handle.unwrap_or(&hit.node);
            match handle.ends_with(&hit.name) {
                true => vec![PageCell::handle(handle), PageCell::faint(why)],
                false => {
                    vec![PageCell::text(&hit.name), PageCell::faint(why), PageCell::handle(handle)]
                }
            }
        };
        // Hits of different kinds have no common columns.
        self.hits.iter().for_each(|hit| page.table(0, vec![cells(hit)]));
        self.paging.render_rest(page, self.hits.len());
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
