//! `search`: one ranked answer over everything that has a name or a text.

use std::collections::BTreeSet;

use base::{EntityRef, NextCall, RepoPath, Result};
use clap::Args;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answers::role::FileRole;
use crate::contract::alias::Alias;
use crate::contract::answer::Paging;
use crate::contract::args::{Limit, Offset, Since, Target, Words, comma_list};
use crate::contract::node_kind::NodeKind;
use crate::contract::op::{Example, Query, Toolset};
use crate::contract::page::{Cell, Page, Render};
use crate::graph;
use crate::layers::code::named_node;
use crate::layers::history::files_of_commit;
use crate::locate::{self, WantedRoles};
use crate::search::{Filter, Hit, Hits, Why};
use crate::view::View;

/// Find anything by words, or by a whole description of it
///
/// Ranked, exact names first. Identifiers are split, parts of words and typos are understood.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// Words to look for, or a name or a part of one
    pub query: Words,
    /// Only these kinds of node; all if left out
    #[arg(long, value_delimiter = ',')]
    #[serde(default, alias = "types", alias = "type", deserialize_with = "comma_list")]
    pub kinds: Vec<NodeKind>,
    /// Only nodes in this file or folder
    #[arg(long)]
    #[serde(default)]
    pub path: Option<Target>,
    /// Only nodes that have all of these tags
    #[arg(long, value_delimiter = ',')]
    #[serde(default, deserialize_with = "comma_list")]
    pub tags: Vec<String>,
    /// Only nodes that changed since then: a day or a moment
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
pub struct Found {
    /// The words that were looked for
    pub query: String,
    /// The hits
    pub hits: Vec<HitRow>,
    /// Whether there are more than were ranked; narrow the words or the path then
    pub is_cut: bool,
    #[serde(skip)]
    paging: Paging,
}

/// One hit
#[derive(Debug, Serialize, JsonSchema)]
pub struct HitRow {
    /// Handle of the node
    pub node: String,
    /// What it is
    pub kind: String,
    /// What it is called
    pub name: String,
    /// Why it was found
    pub why: &'static str,
    /// The text that matched, unless the name did
    #[serde(skip_serializing_if = "String::is_empty")]
    pub excerpt: String,
    /// The file or folder that it is, or is written in
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<RepoPath>,
    /// Files that a commit touched, the first of them
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<RepoPath>,
    /// Its tags
    pub tags: BTreeSet<String>,
    /// How well it fits, comparable within one answer
    pub score: f64,
}

impl Query for Search {
    const NAME: &'static str = "search";
    const TOOLSET: Toolset = Toolset::Everyday;
    const ALIASES: &'static [Alias] = &[Alias::of("kiste_search").lifting(&["filters"])];
    const EXAMPLES: &'static [Example] = &[
        Example { args: "\"atomic write\"", shows: "files and documents about it, ranked" },
        Example { args: "journal --kinds module --limit 5", shows: "programs of that name" },
        Example { args: "timeout --tags net --since 2026-01-01", shows: "what is tagged and new" },
    ];
    type Answer = Found;

    fn run(self, view: &View) -> Result<Found> {
        let path = self.path.as_ref().map(|path| graph::resolve(view, path)).transpose()?;
        let kinds: Vec<String> = self.kinds.iter().map(ToString::to_string).collect();
        for layer in view.layers() {
            layer.tell_missing(view, &kinds)?;
        }
        let filter = Filter { kinds, path: path.and_then(|node| node.path().cloned()) };
        let query = self.query.as_str();
        let narrow = Narrow { tags: &self.tags, since: self.since.as_ref().map(Since::moment) };
        // What narrows comes after what was found: then as much as can be is looked at.
        let most = match narrow.is_asked() {
            true => usize::MAX,
            false => self.offset.get() + self.limit.get(),
        };
        let Hits { mut hits, is_cut } = match locate::is_prose(query) {
            true => about(view, query, &filter)?,
            false => named(view, query, (&filter, most))?,
        };
        // The index holds what every document says; the configuration decides which count.
        hits.retain(|hit| hit.kind != "kb" || is_held(view, &hit.node));
        if narrow.is_asked() {
            hits = narrow.keep(view, hits)?;
        }
        let (mut hits, paging) = Paging::cut(hits, self.offset, self.limit);
        crate::search::excerpt(query, &mut hits);
        let hits = hits.into_iter().map(|hit| row(view, hit)).collect::<Result<_>>()?;
        Ok(Found { query: self.query.to_string(), hits, is_cut, paging })
    }
}

/// What hits have to have, besides the words.
struct Narrow<'a> {
    tags: &'a [String],
    since: Option<Timestamp>,
}

impl Narrow<'_> {
    const fn is_asked(&self) -> bool {
        !self.tags.is_empty() || self.since.is_some()
    }

    fn keep(&self, view: &View, hits: Vec<Hit>) -> Result<Vec<Hit>> {
        let mut kept = Vec::new();
        for hit in hits {
            let Ok(node) = hit.node.parse() else { continue };
            let marks = graph::marks(view, &node)?;
            let has = |tag: &String| marks.tags.contains(tag.trim());
            let is_new = self.since.is_none_or(|since| marks.changed >= Some(since));
            if is_new && self.tags.iter().all(has) {
                kept.push(hit);
            }
        }
        Ok(kept)
    }
}

fn is_held(view: &View, node: &str) -> bool {
    let Ok(node) = node.parse() else { return false };
    view.layers().iter().any(|layer| layer.holds(view, &node).unwrap_or(false))
}

/// How many of the files of a commit a reader is shown.
const SHOWN: usize = 3;

/// How many files are listed with a commit.
const TOUCHED: usize = 10;

/// How many files a long text may be about.
const PLACES: usize = 1000;

/// What a text is worth that says all of the words, as a commit may: as much as the best file.
const SAID: f64 = 2.0;

/// What a text of many words is about: nodes by their names and docs, files by all they say.
fn about(view: &View, text: &str, filter: &Filter) -> Result<Hits> {
    let words = locate::query(text);
    if words.is_empty() {
        return Ok(Hits { hits: Vec::new(), is_cut: false });
    }
    let mut found = crate::search::about(&view.texts()?, &words, filter)?;
    let places = locate::files(view, text, PLACES)?;
    let best = places.first().map_or(1.0, |place| place.score);
    let is_wanted = |kind: &str, path: &RepoPath| {
        (filter.kinds.is_empty() || filter.kinds.iter().any(|wanted| wanted == kind))
            && filter.path.as_ref().is_none_or(|folder| path.is_below(folder))
    };
    for place in places {
        let node = view.node(&place.path);
        if !is_wanted(node.kind(), &place.path) {
            continue;
        }
        let (kind, handle) = (node.kind().to_owned(), node.to_string());
        found.hits.retain(|hit| hit.node != handle);
        let name = place.path.to_string();
        let (excerpt, score) = (place.said(), 1.0 + place.score / best);
        let (why, body) = (Why::About, String::new());
        found.hits.push(Hit { node: handle, kind, name, excerpt, body, why, score });
    }
    for layer in view.layers() {
        for said in layer.texts(view, text, filter)? {
            let share = locate::share(text, &format!("{}\n{}", said.name, said.body));
            found.hits.push(Hit {
                node: said.node,
                kind: said.kind.to_owned(),
                name: said.name,
                excerpt: String::new(),
                body: String::new(),
                why: Why::About,
                score: SAID * share,
            });
        }
    }
    found.sort();
    Ok(found)
}

/// What is called so, or says so, wherever its text is kept.
fn named(view: &View, query: &str, (filter, most): (&Filter, usize)) -> Result<Hits> {
    let mut hits = match filter.kinds.iter().all(|kind| kind == "commit") {
        // Commits are told by their layer alone.
        true if !filter.kinds.is_empty() => Hits { hits: Vec::new(), is_cut: false },
        _ => crate::search::search_all(&view.texts()?, query, (filter, most))?,
    };
    for layer in view.layers() {
        let texts = layer.texts(view, query, filter)?;
        hits.hits.extend(crate::search::judge(texts, query));
    }
    add_located(view, query, filter, &mut hits)?;
    let wanted = WantedRoles::of(query);
    for hit in &mut hits.hits {
        hit.score -= demotion(&wanted, &hit.node);
    }
    hits.sort();
    Ok(hits)
}

/// How many files and symbols that the words lead to are added to what has them in its name.
const LOCATED: usize = 30;

/// Where a file or symbol starts that only its text speaks for: behind names that hold all words.
const BY_TEXT: f64 = 5.0;

/// How much the best of them gains.
const GAIN: f64 = 3.0;

/// Adds what the ranker of questions finds, so that one more true word never hides a place.
fn add_located(view: &View, query: &str, filter: &Filter, hits: &mut Hits) -> Result<()> {
    let is_wanted = |kind: &str, path: &RepoPath| {
        (filter.kinds.is_empty() || filter.kinds.iter().any(|wanted| wanted == kind))
            && filter.path.as_ref().is_none_or(|folder| path == folder || path.is_below(folder))
    };
    if query.split_whitespace().nth(1).is_none() {
        return Ok(()); // a single word is a name, or a part of one
    }
    let located = locate::locate(view, query)?;
    let files = located.files.iter().map(|place| {
        let node = view.node(&place.path);
        (node, place.path.to_string(), place.score)
    });
    let symbols = located.symbols.iter().filter(|place| !place.symbol.full.is_empty());
    let symbols = symbols.map(|place| {
        let (path, full) = (&place.symbol.path, &place.symbol.full);
        (named_node(path, full), format!("{path}#{full}"), place.score)
    });
    let mut found: Vec<(EntityRef, String, f64)> = files.take(LOCATED).collect();
    let best_file = found.first().map_or(1.0, |(_, _, score)| *score);
    for (_, _, score) in &mut found {
        *score /= best_file;
    }
    let mut symbols: Vec<(EntityRef, String, f64)> = symbols.take(LOCATED).collect();
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
            Some(hit) => hit.score = hit.score.max(BY_TEXT + GAIN * share),
            None => hits.hits.push(Hit {
                node: handle,
                kind,
                name,
                excerpt: String::new(),
                body: String::new(),
                why: Why::About,
                score: BY_TEXT + GAIN * share,
            }),
        }
    }
    Ok(())
}

/// How far a hit is put back for what its file is for: tests, examples, documents and commits come
/// behind code unless they are asked for.
fn demotion(wanted: &WantedRoles, node: &str) -> f64 {
    let Ok(node) = node.parse::<EntityRef>() else { return 0.0 };
    if matches!(node, EntityRef::Commit(_)) {
        return if wanted.is_commit { 0.0 } else { 2.0 };
    }
    let Some(path) = node.path() else { return 0.0 };
    match FileRole::of(path) {
        role if wanted.names(role) => 0.0,
        FileRole::Production => 0.0,
        FileRole::Test | FileRole::Document => 1.5,
        FileRole::Example => 2.0,
        FileRole::Generated | FileRole::Vendored => 3.0,
    }
}

fn row(view: &View, hit: Hit) -> Result<HitRow> {
    let Hit { node, kind, name, excerpt, why, score, .. } = hit;
    let score = (score * 1000.0).round() / 1000.0;
    let why = why.words();
    let Ok(known) = node.parse::<EntityRef>() else {
        let (path, files, tags) = (None, Vec::new(), BTreeSet::new());
        return Ok(HitRow { node, kind, name, why, excerpt, path, files, tags, score });
    };
    let marks = graph::marks(view, &known)?;
    let path = known.path().cloned().or(marks.file);
    let files = match known {
        EntityRef::Commit(_) => files_of_commit(view, &known, TOUCHED)?,
        _ => Vec::new(),
    };
    Ok(HitRow { node, kind, name, why, excerpt, path, files, tags: marks.tags, score })
}

impl Render for Found {
    fn render(&self, page: &mut Page) {
        let total = self.paging.total;
        match total {
            0 => {
                page.answer(format!(
                    "Nothing found for \"{}\" among names, titles, headings and docs",
                    self.query
                ));
                let grep = NextCall::to("code.grep").with("pattern", self.query.as_str());
                page.say_call("Every line of text is searched by", grep);
            }
            _ if self.is_cut => {
                page.answer(format!("The best {total} hits for \"{}\"", self.query));
            }
            1 => page.answer(format!("1 hit for \"{}\"", self.query)),
            _ => page.answer(format!("{total} hits for \"{}\"", self.query)),
        }
        let cells = |hit: &HitRow| {
            let why = match hit.excerpt.as_str() {
                "" => hit.why.to_owned(),
                excerpt => format!("{}: {excerpt}", hit.why),
            };
            let files: Vec<String> =
                hit.files.iter().take(SHOWN).map(ToString::to_string).collect();
            let why = match files.as_slice() {
                [] => why,
                files => format!("{why}; touched {}", files.join(", ")),
            };
            vec![Cell::text(&hit.name), Cell::faint(why), Cell::handle(&hit.node)]
        };
        page.table(0, self.hits.iter().map(cells).collect());
        self.paging.say_rest(page, self.hits.len());
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
