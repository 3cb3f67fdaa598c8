//! One ranked list of results from the texts of all areas.
//!
//! @see spec::cross/search

mod candidates;
mod matching;
pub mod tables;
pub mod words;

use base::{RepoPath, Result};
use code::SymbolIndex;
use store::{Connection, Migration};

use self::candidates::CandidateSearch;
use self::matching::SearchQuery;
use self::tables::{FullTextTable, SearchBounds, SearchRow, TextId, TextTable};

/// Maximum number of nodes that a description of several words is matched with.
const MAX_ABOUT_NODES: usize = 100;

/// Weight of texts about something that no longer exists, such as commits.
const NOT_CURRENT_WEIGHT: f64 = 0.5;

/// A node and its text, as an area provides it for search.
#[derive(Debug, Clone)]
pub struct SearchText {
    /// The node's handle
    pub node: String,
    /// Its kind
    pub kind: &'static str,
    /// The file or folder it belongs to
    pub path: Option<RepoPath>,
    /// Its name
    pub name: String,
    /// Its text
    pub body: String,
}

/// A filter of nodes.
#[derive(Debug, Clone, Default)]
pub struct SearchFilter {
    /// Only these kinds; all if empty
    pub kinds: Vec<String>,
    /// Only at or below this
    pub path: Option<RepoPath>,
}

/// A node that was found, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchHit {
    /// The node's handle
    pub node: String,
    /// Its kind
    pub kind: String,
    /// Its name
    pub name: String,
    /// The part of its text that matched best, filled in when it is shown; empty if its name
    /// matched
    pub excerpt: String,
    /// All of its text
    pub body: String,
    /// Why it was found
    pub why: MatchReason,
    /// Its score, comparable within one answer
    pub score: f64,
}

/// Why a node was found, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchReason {
    /// Its name is exactly the query
    ExactName,
    /// All words are in its name
    Name,
    /// All words are in its name and text
    Text,
    /// It contains the letters
    Letters,
    /// Its name is similar
    Typo,
    /// Some words are in it
    SomeWords,
    /// The description matches it
    About,
}

impl MatchReason {
    /// The reason in words.
    pub const fn description(self) -> &'static str {
        match self {
            Self::ExactName => "exact name",
            Self::Name => "name",
            Self::Text => "text",
            Self::SomeWords => "some of the words",
            Self::About => "about it",
            Self::Letters => "part of a word",
            Self::Typo => "similar name",
        }
    }
}

/// The migration that gives a durable store its own search text. Its area writes a text in the
/// transaction that changes the row, with [`put`] and [`remove`]. [`NAMES_MIGRATION`] comes right
/// after it.
pub const TEXT_MIGRATION: Migration = Migration { name: "search text", sql: tables::TEXTS_SQL };

/// The migration after it: sorted names, and the list of words.
pub const NAMES_MIGRATION: Migration =
    Migration { name: "names to search", sql: tables::NAMES_SQL };

/// The matches in several stores, best first. `most` is the number of results that the caller can
/// use.
pub fn search_all(
    conns: &[&Connection],
    query: &str,
    filter: &SearchFilter,
    most: usize,
) -> Result<SearchHits> {
    let mut all = SearchHits { hits: Vec::new(), is_cut: false };
    for conn in conns {
        let SearchHits { hits, is_cut } = search(conn, query, filter, most)?;
        all.hits.extend(hits);
        all.is_cut |= is_cut;
    }
    all.sort();
    Ok(all)
}

/// The nodes that a description matches by their names and titles. `description` is a query
/// of the full-text index.
pub fn search_names(
    conns: &[&Connection],
    words: &str,
    filter: &SearchFilter,
) -> Result<SearchHits> {
    let bounds = SearchBounds::new(&filter.kinds, filter.path.as_ref());
    let mut all = SearchHits { hits: Vec::new(), is_cut: false };
    for conn in conns {
        let rows = tables::best_rows(conn, FullTextTable::Words, words, &bounds, MAX_ABOUT_NODES)?;
        all.hits.extend(rows.into_iter().enumerate().map(|(rank, row)| SearchHit {
            node: row.node,
            kind: row.kind,
            name: row.name,
            excerpt: String::new(),
            body: String::new(),
            why: MatchReason::About,
            #[expect(clippy::cast_precision_loss, reason = "ranks are small")]
            score: 1.0 / (1.0 + rank as f64 / 5.0),
        }));
    }
    all.sort();
    Ok(all)
}

/// Ranks texts that an area has found itself, and drops those that do not match.
pub fn rank_texts(texts: Vec<SearchText>, query: &str) -> Vec<SearchHit> {
    let asked = SearchQuery::new(query);
    let row = |text: SearchText| {
        let SearchText { node, kind, name, body, .. } = text;
        SearchRow { id: TextId(0), node, kind: kind.to_owned(), name, body }
    };
    let mut hits: Vec<SearchHit> =
        texts.into_iter().filter_map(|text| asked.to_hit(row(text))).collect();
    // The subject of a commit is a weaker match than the name of a file.
    for hit in &mut hits {
        hit.score -= NOT_CURRENT_WEIGHT;
    }
    hits
}

/// Adds the best matching part of the text to the hits that are shown.
pub fn add_excerpts(query: &str, hits: &mut [SearchHit]) {
    let asked = SearchQuery::new(query);
    for hit in hits.iter_mut().filter(|hit| hit.excerpt.is_empty() && !hit.body.is_empty()) {
        hit.excerpt = asked.excerpt(hit);
    }
}

/// Removes a node's text from a durable store.
pub fn remove(conn: &Connection, node: &str) -> Result<()> {
    tables::remove(conn, TextTable::Store, node)
}

/// Stores a node's text in a durable store.
pub fn put(conn: &Connection, text: &SearchText) -> Result<()> {
    tables::put(conn, TextTable::Store, &TokenizedText::new(text.clone()))
}

/// Removes a node's text from the index.
pub(crate) fn remove_indexed(conn: &Connection, node: &str) -> Result<()> {
    tables::remove(conn, TextTable::Index, node)
}

/// Stores a node's text in the index.
pub(crate) fn put_indexed(conn: &Connection, text: &SearchText) -> Result<()> {
    tables::put(conn, TextTable::Index, &TokenizedText::new(text.clone()))
}

/// Stores the texts of a file's symbols in the index, after the symbols themselves.
pub(crate) fn put_symbols(conn: &Connection, path: &RepoPath, texts: &[SymbolText]) -> Result<()> {
    tables::put_symbols(conn, path, texts)
}

/// Removes the texts of a file's symbols from the index, before the symbols themselves.
pub(crate) fn remove_symbols(conn: &Connection, path: &RepoPath) -> Result<()> {
    tables::remove_symbols(conn, path)
}

/// The text of a symbol.
pub(crate) struct SymbolText {
    /// The position of the symbol in its file
    pub symbol: SymbolIndex,
    pub tokenized: TokenizedText,
    pub body: SymbolBody,
}

/// The location of the body within the text of a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SymbolBody {
    /// It is the signature and the doc comment of the symbol's row
    Symbol,
    /// It has text of its own, such as the doc comments of overloads
    Own,
}

/// A node's text, split into words.
pub(crate) struct TokenizedText {
    text: SearchText,
    /// The words of the name
    name: String,
    /// The words of the body
    body: String,
    /// Names that it is looked up by
    keys: Vec<String>,
}

impl TokenizedText {
    pub(crate) fn new(text: SearchText) -> Self {
        let (name, body) = (words::index_words(&text.name), words::index_words(&text.body));
        Self { name, body, keys: words::lookup_keys(&text.name), text }
    }
}

/// The matches in one store, best first.
pub fn search(
    conn: &Connection,
    query: &str,
    filter: &SearchFilter,
    most: usize,
) -> Result<SearchHits> {
    let bounds = SearchBounds::new(&filter.kinds, filter.path.as_ref());
    let asked = SearchQuery::new(query);
    let mut look = CandidateSearch::new(conn, &bounds, most);
    look.find_matches(&asked)?;
    // Only a query without a good match may be mistyped.
    if !look
        .rows()
        .any(|row| asked.match_row(row).is_some_and(|(why, _)| why <= MatchReason::Letters))
    {
        look.find_partial_matches(&asked)?;
    }
    let (rows, is_cut) = look.into_rows();
    let hits = rows.into_iter().filter_map(|row| asked.to_hit(row)).collect();
    let mut hits = SearchHits { hits, is_cut };
    hits.sort();
    Ok(hits)
}

/// The result of a search.
#[derive(Debug)]
pub struct SearchHits {
    /// The hits, best first
    pub hits: Vec<SearchHit>,
    /// Whether there are more than were ranked
    pub is_cut: bool,
}

impl SearchHits {
    /// Sorts by score, best first; equal scores by name, then by node.
    pub fn sort(&mut self) {
        self.hits.sort_by(|a, b| {
            b.score.total_cmp(&a.score).then_with(|| a.name.cmp(&b.name)).then(a.node.cmp(&b.node))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(query: &str) -> Vec<(String, MatchReason)> {
        let conn = Connection::open_in_memory().unwrap();
        conn.execute_batch(tables::TEXTS_SQL).unwrap();
        conn.execute_batch(tables::NAMES_SQL).unwrap();
        for (name, body) in [
            ("src/auth/handleOAuthCallback.ts", "receives the callback"),
            ("src/auth/session.ts", "refreshes an OAuth session"),
            ("docs/설계.md", "결제 시스템 설계 문서"),
            ("docs/a-b.md", "C++ and \"quotes\""),
        ] {
            let text = SearchText {
                node: format!("file:{name}"),
                kind: "file",
                path: name.parse().ok(),
                name: name.into(),
                body: body.into(),
            };
            put(&conn, &text).unwrap();
        }
        let hits = search(&conn, query, &SearchFilter::default(), 20).unwrap().hits;
        hits.into_iter().map(|hit| (hit.name, hit.why)).collect()
    }

    #[test]
    fn names_come_before_texts_and_parts_before_typos() {
        let callback = "src/auth/handleOAuthCallback.ts".to_owned();
        let session = "src/auth/session.ts".to_owned();
        assert_eq!(found("oauth callback")[0], (callback.clone(), MatchReason::Name));
        assert_eq!(found("session.ts")[0], (session.clone(), MatchReason::ExactName));
        assert_eq!(found("auth")[0].1, MatchReason::Name);
        assert_eq!(found("oauth session")[0], (session.clone(), MatchReason::Text));
        assert_eq!(found("oauth token")[0].1, MatchReason::SomeWords);
        assert_eq!(found("OAuthCall")[0], (callback.clone(), MatchReason::Name));
        assert_eq!(found("oauth callback receives")[0], (callback, MatchReason::Text));
        assert_eq!(found("sesion.ts")[0], (session, MatchReason::Typo));
        assert!(found("zzzzqq").is_empty());
    }

    #[test]
    fn short_cjk_and_punctuated_queries_work() {
        let design = "docs/설계.md".to_owned();
        for query in ["설계", "결제", "시스템 설계", "결"] {
            assert_eq!(found(query)[0].0, design, "{query}");
        }
        for query in ["C++", "\"quotes\"", "a-b", "-", "AND", "NEAR(", "*", "'", "a*b"] {
            found(query); // no query causes a syntax error
        }
        assert_eq!(found("c++")[0].0, "docs/a-b.md");
    }
}
