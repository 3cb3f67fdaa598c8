//! One ranked answer over the text of all layers.
//!
//! @see spec::cross/search

mod fit;
mod look;
pub(crate) mod tables;
pub(crate) mod words;

use base::{RepoPath, Result};
use store::{Connection, Migration};

use self::fit::Asked;
use self::look::Look;
use self::tables::{Bounds, Found, Held};

/// How many nodes a long text may be about.
const ABOUT: usize = 100;

/// How much less a text counts that is not about something that is there now.
const ASIDE: f64 = 0.5;

/// What a layer gives to be searched: one node and its text.
#[derive(Debug, Clone)]
pub struct Text {
    /// The node's handle
    pub node: String,
    /// What it is
    pub kind: &'static str,
    /// The file or folder it belongs to
    pub path: Option<RepoPath>,
    /// What it is called
    pub name: String,
    /// What it says
    pub body: String,
}

/// Which nodes may be found.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only these kinds; all if empty
    pub kinds: Vec<String>,
    /// Only at or below this
    pub path: Option<RepoPath>,
}

/// A node that was found, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The node's handle
    pub node: String,
    /// What it is
    pub kind: String,
    /// What it is called
    pub name: String,
    /// The part of its text that matched best, once it is shown; empty if its name did
    pub excerpt: String,
    /// All of its text
    pub(crate) body: String,
    /// Why it was found
    pub why: Why,
    /// How well it fits; comparable within one answer
    pub score: f64,
}

/// Why a node was found, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// It is called exactly this
    ExactName,
    /// All words are in its name
    Name,
    /// All words are in its name and text
    Text,
    /// The letters are in it
    Letters,
    /// It looks much like it
    Typo,
    /// Some words are in it
    SomeWords,
    /// What was asked reads as if it were about this
    About,
}

impl Why {
    /// The reason in words.
    pub const fn words(self) -> &'static str {
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

/// The step that gives a durable store its own search text. Its area keeps a text in the
/// transaction that changes the row, with [`put`] and [`remove`].
pub const STEP: Migration = Migration { name: "search text", sql: tables::TEXTS };

/// The step after it: names in order, and the words there are.
pub const NAMES: Migration = Migration { name: "names to search", sql: tables::NAMES };

/// What fits in several stores, best first; `most` is how many a caller would look at.
pub(crate) fn search_all(
    conns: &[&Connection],
    query: &str,
    (filter, most): (&Filter, usize),
) -> Result<Hits> {
    let mut all = Hits { hits: Vec::new(), is_cut: false };
    for conn in conns {
        let Hits { hits, is_cut } = search(conn, query, (filter, most))?;
        all.hits.extend(hits);
        all.is_cut |= is_cut;
    }
    all.sort();
    Ok(all)
}

/// What a text of many words may be about, by the names and titles of nodes. `words` is a query
/// of the full-text index.
pub(crate) fn about(conns: &[&Connection], words: &str, filter: &Filter) -> Result<Hits> {
    let bounds = Bounds::new(&filter.kinds, filter.path.as_ref());
    let mut all = Hits { hits: Vec::new(), is_cut: false };
    for conn in conns {
        let rows = tables::best(conn, (Held::Words, words), (&bounds, ABOUT))?;
        all.hits.extend(rows.into_iter().enumerate().map(|(rank, row)| Hit {
            node: row.node,
            kind: row.kind,
            name: row.name,
            excerpt: String::new(),
            body: String::new(),
            why: Why::About,
            #[expect(clippy::cast_precision_loss, reason = "ranks are small")]
            score: 1.0 / (1.0 + rank as f64 / 5.0),
        }));
    }
    all.sort();
    Ok(all)
}

/// Those of some texts that fit, which a layer has found by itself.
pub(crate) fn judge(texts: Vec<Text>, query: &str) -> Vec<Hit> {
    let asked = Asked::new(query);
    let row = |text: Text| {
        let Text { node, kind, name, body, .. } = text;
        Found { id: 0, node, kind: kind.to_owned(), name, body }
    };
    let mut hits: Vec<Hit> = texts.into_iter().filter_map(|text| asked.judge(row(text))).collect();
    // What a commit is called says less of where something is than the name of a file does.
    for hit in &mut hits {
        hit.score -= ASIDE;
    }
    hits
}

/// Says of the hits that are shown which part of their text matched best.
pub(crate) fn excerpt(query: &str, hits: &mut [Hit]) {
    let asked = Asked::new(query);
    for hit in hits.iter_mut().filter(|hit| hit.excerpt.is_empty() && !hit.body.is_empty()) {
        hit.excerpt = asked.excerpt(hit);
    }
}

/// Forgets a node's text.
pub fn remove(conn: &Connection, node: &str) -> Result<()> {
    tables::remove(conn, node)
}

/// Keeps a node's text.
pub fn put(conn: &Connection, text: &Text) -> Result<()> {
    let split = (&*words::spread(&text.name), &*words::spread(&text.body));
    tables::put(conn, text, split, &words::keys(&text.name))
}

/// A node's text with its words taken apart.
pub(crate) struct Spread {
    text: Text,
    name: String,
    body: String,
    keys: Vec<String>,
}

impl Spread {
    pub(crate) fn new(text: Text) -> Self {
        let (name, body) = (words::spread(&text.name), words::spread(&text.body));
        Self { name, body, keys: words::keys(&text.name), text }
    }
}

/// Keeps a node's text whose words were taken apart before.
pub(crate) fn put_spread(conn: &Connection, spread: &Spread) -> Result<()> {
    tables::put(conn, &spread.text, (&spread.name, &spread.body), &spread.keys)
}

/// What fits, best first.
pub(crate) fn search(
    conn: &Connection,
    query: &str,
    (filter, most): (&Filter, usize),
) -> Result<Hits> {
    let bounds = Bounds::new(&filter.kinds, filter.path.as_ref());
    let asked = Asked::new(query);
    let mut look = Look::new(conn, &bounds, most);
    look.close(&asked)?;
    // Only a query that nothing fits well may have been mistyped.
    if !look.rows().any(|row| asked.fit(row).is_some_and(|(why, _)| why <= Why::Letters)) {
        look.distant(&asked)?;
    }
    let (rows, is_cut) = look.found();
    let hits = rows.into_iter().filter_map(|row| asked.judge(row)).collect();
    let mut hits = Hits { hits, is_cut };
    hits.sort();
    Ok(hits)
}

/// What was found.
#[derive(Debug)]
pub(crate) struct Hits {
    /// The hits, best first
    pub hits: Vec<Hit>,
    /// Whether there are more than were ranked
    pub is_cut: bool,
}

impl Hits {
    pub(crate) fn sort(&mut self) {
        self.hits.sort_by(|a, b| {
            b.score.total_cmp(&a.score).then_with(|| a.name.cmp(&b.name)).then(a.node.cmp(&b.node))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(query: &str) -> Vec<(String, Why)> {
        let conn = Connection::open_in_memory().unwrap();
        conn.execute_batch(tables::SCHEMA).unwrap();
        for (name, body) in [
            ("src/auth/handleOAuthCallback.ts", "receives the callback"),
            ("src/auth/session.ts", "refreshes an OAuth session"),
            ("docs/설계.md", "결제 시스템 설계 문서"),
            ("docs/a-b.md", "C++ and \"quotes\""),
        ] {
            let text = Text {
                node: format!("file:{name}"),
                kind: "file",
                path: name.parse().ok(),
                name: name.into(),
                body: body.into(),
            };
            put(&conn, &text).unwrap();
        }
        let hits = search(&conn, query, (&Filter::default(), 20)).unwrap().hits;
        hits.into_iter().map(|hit| (hit.name, hit.why)).collect()
    }

    #[test]
    fn names_come_before_texts_and_parts_before_typos() {
        let callback = "src/auth/handleOAuthCallback.ts".to_owned();
        let session = "src/auth/session.ts".to_owned();
        assert_eq!(found("oauth callback")[0], (callback.clone(), Why::Name));
        assert_eq!(found("session.ts")[0], (session.clone(), Why::ExactName));
        assert_eq!(found("auth")[0].1, Why::Name);
        assert_eq!(found("oauth session")[0], (session.clone(), Why::Text));
        assert_eq!(found("oauth token")[0].1, Why::SomeWords);
        assert_eq!(found("OAuthCall")[0], (callback.clone(), Why::Name));
        assert_eq!(found("oauth callback receives")[0], (callback, Why::Text));
        assert_eq!(found("sesion.ts")[0], (session, Why::Typo));
        assert!(found("zzzzqq").is_empty());
    }

    #[test]
    fn short_cjk_and_punctuated_queries_work() {
        let design = "docs/설계.md".to_owned();
        for query in ["설계", "결제", "시스템 설계", "결"] {
            assert_eq!(found(query)[0].0, design, "{query}");
        }
        for query in ["C++", "\"quotes\"", "a-b", "-", "AND", "NEAR(", "*", "'", "a*b"] {
            found(query); // no query is a syntax error
        }
        assert_eq!(found("c++")[0].0, "docs/a-b.md");
    }
}
