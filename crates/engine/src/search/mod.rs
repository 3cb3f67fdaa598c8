//! One ranked answer over the text of all layers.
//!
//! @see spec::cross/search

pub(crate) mod tables;
pub(crate) mod words;

use std::collections::BTreeMap;

use base::{RepoPath, Result};
use store::{Connection, Migration};

use self::tables::{Bounds, Found};

/// How many rows each way of looking may bring before they are ranked.
const CANDIDATES: usize = 1000;

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
    /// The part of its text that matched best; empty if its name did
    pub excerpt: String,
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
pub const STEP: Migration = Migration { name: "search text", sql: tables::SCHEMA };

/// Everything that fits in several stores, best first.
pub(crate) fn search_all(conns: &[&Connection], query: &str, filter: &Filter) -> Result<Hits> {
    let mut all = Hits { hits: Vec::new(), is_cut: false };
    for conn in conns {
        let Hits { hits, is_cut } = search(conn, query, filter)?;
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
        let rows = tables::by_words(conn, words, (&bounds, ABOUT))?;
        all.hits.extend(rows.into_iter().enumerate().map(|(rank, row)| Hit {
            node: row.node,
            kind: row.kind,
            name: row.name,
            excerpt: String::new(),
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

/// Forgets a node's text.
pub fn remove(conn: &Connection, node: &str) -> Result<()> {
    tables::remove(conn, node)
}

/// Keeps a node's text.
pub fn put(conn: &Connection, text: &Text) -> Result<()> {
    tables::put(conn, text, (&words::spread(&text.name), &words::spread(&text.body)))
}

/// A node's text with its words taken apart.
pub(crate) struct Spread {
    text: Text,
    name: String,
    body: String,
}

impl Spread {
    pub(crate) fn new(text: Text) -> Self {
        Self { name: words::spread(&text.name), body: words::spread(&text.body), text }
    }
}

/// Keeps a node's text whose words were taken apart before.
pub(crate) fn put_spread(conn: &Connection, spread: &Spread) -> Result<()> {
    tables::put(conn, &spread.text, (&spread.name, &spread.body))
}

/// Everything that fits, best first.
pub(crate) fn search(conn: &Connection, query: &str, filter: &Filter) -> Result<Hits> {
    let bounds = Bounds::new(&filter.kinds, filter.path.as_ref());
    let asked = Asked { bounds, ..Asked::new(query) };
    let mut rows: BTreeMap<i64, Found> = BTreeMap::new();
    let mut add = |found: Vec<Found>| rows.extend(found.into_iter().map(|row| (row.id, row)));
    let close = asked.close(conn)?;
    // Only a query that nothing fits well may have been mistyped.
    if !close.iter().any(|row| asked.fit(row).is_some_and(|(why, _)| why <= Why::Letters)) {
        add(asked.distant(conn)?);
    }
    add(close);
    let is_cut = rows.len() >= CANDIDATES;
    let hits = rows.into_values().filter_map(|row| asked.judge(row)).collect();
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

/// A query, taken apart.
struct Asked {
    whole: String,
    words: Vec<String>,
    bounds: Bounds,
}

impl Asked {
    fn new(query: &str) -> Self {
        let whole = query.trim().to_lowercase();
        Self { words: words::words(query), whole, bounds: Bounds::new(&[], None) }
    }

    /// Rows that hold the words, or the letters.
    fn close(&self, conn: &Connection) -> Result<Vec<Found>> {
        let within = (&self.bounds, CANDIDATES);
        let mut rows = Vec::new();
        if !self.words.is_empty() {
            rows.extend(tables::by_words(conn, &self.prefixes().join(" "), within)?);
        }
        let grams = grams(&self.whole);
        rows.extend(match grams.is_empty() {
            true => tables::by_substring(conn, &self.whole, within)?,
            false => tables::by_grams(conn, &grams.join(" AND "), within)?,
        });
        Ok(rows)
    }

    /// Rows that hold some of the words, or many of the letters.
    fn distant(&self, conn: &Connection) -> Result<Vec<Found>> {
        let within = (&self.bounds, CANDIDATES);
        let mut rows = Vec::new();
        if self.words.len() > 1 {
            rows.extend(tables::by_words(conn, &self.prefixes().join(" OR "), within)?);
        }
        let grams = grams(&self.whole);
        if !grams.is_empty() {
            rows.extend(tables::by_grams(conn, &grams.join(" OR "), within)?);
        }
        Ok(rows)
    }

    fn prefixes(&self) -> Vec<String> {
        self.words.iter().map(|word| format!("\"{word}\"*")).collect()
    }

    /// How well a row fits, and why; `None` if it only looked so.
    fn judge(&self, row: Found) -> Option<Hit> {
        let (why, fit) = self.fit(&row)?;
        // Within one reason, short names fit better: more of them was asked for.
        #[expect(clippy::cast_precision_loss, reason = "names are short")]
        let brevity = 1.0 / (1.0 + row.name.chars().count() as f64 / 40.0);
        let score = 10.0 - f64::from(why as u8) + fit + brevity;
        let excerpt = match why {
            Why::ExactName | Why::Name | Why::Typo => String::new(),
            _ => self.excerpt(&row.body),
        };
        Some(Hit { node: row.node, kind: row.kind, name: row.name, excerpt, why, score })
    }

    fn fit(&self, row: &Found) -> Option<(Why, f64)> {
        let name = row.name.to_lowercase();
        let last = name.rsplit(['/', '.', ':']).next().unwrap_or_default();
        let stem = name.rsplit('/').next().unwrap_or_default();
        if name == self.whole || stem == self.whole || last == self.whole {
            return Some((Why::ExactName, 3.0)); // before a name that merely holds all of it
        }
        let literal = name.contains(&self.whole) || row.body.to_lowercase().contains(&self.whole);
        // Punctuation is asked for on purpose: `C++` is not any word that starts with c.
        let is_word = |c: char| c.is_alphanumeric() || c.is_whitespace();
        let bonus = match (literal, self.whole.chars().all(is_word)) {
            (true, false) => 2.0,
            (true, true) => 0.4,
            (false, _) => 0.0,
        };
        let (named, said) = self.shares(row);
        if named >= 1.0 {
            return Some((Why::Name, bonus));
        }
        if said >= 1.0 {
            return Some((Why::Text, named / 2.0 + bonus));
        }
        if literal {
            return Some((Why::Letters, 0.0));
        }
        let like = strsim::jaro_winkler(stem, &self.whole);
        let like = like.max(strsim::jaro_winkler(&name, &self.whole));
        if like > 0.86 {
            return Some((Why::Typo, like / 2.0));
        }
        (said > 0.3).then_some((Why::SomeWords, said / 2.0 + named / 4.0))
    }

    /// How many of the words are in a row's name, and how many in its name or text.
    fn shares(&self, row: &Found) -> (f64, f64) {
        if self.words.is_empty() {
            return (0.0, 0.0);
        }
        let (in_name, in_body) = (words::words(&row.name), words::words(&row.body));
        let has = |list: &[String], word: &String| list.iter().any(|w| w.starts_with(&**word));
        let named = self.words.iter().filter(|word| has(&in_name, word)).count();
        let said = self.words.iter().filter(|w| has(&in_name, w) || has(&in_body, w)).count();
        #[expect(clippy::cast_precision_loss, reason = "queries are short")]
        let share = |count: usize| count as f64 / self.words.len() as f64;
        (share(named), share(said))
    }

    fn excerpt(&self, body: &str) -> String {
        let hits = |line: &&str| {
            let lower = line.to_lowercase();
            self.words.iter().filter(|word| lower.contains(word.as_str())).count()
        };
        let best = body.lines().max_by_key(|line| (hits(line), std::cmp::Reverse(line.len())));
        best.unwrap_or_default().trim().chars().take(120).collect()
    }
}

/// The trigrams of each run without spaces, quoted for a query; none if the runs are shorter.
fn grams(text: &str) -> Vec<String> {
    let runs = text.split(char::is_whitespace).map(|run| run.chars().collect::<Vec<_>>());
    let grams = runs.flat_map(|run| {
        run.windows(3).map(|gram| gram.iter().collect::<String>()).collect::<Vec<_>>()
    });
    grams.map(|gram| format!("\"{}\"", gram.replace('"', "\"\""))).collect()
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
        let hits = search(&conn, query, &Filter::default()).unwrap().hits;
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
