//! Which files a text in plain words is about: an issue, a requirement, a question.
//!
//! What the whole text of a file says is weighed with what the question names outright: paths,
//! modules, symbols and where they are defined. No model, no network; figures in
//! `docs/benchmarks.md`.
//!
//! @see spec::cross/search

mod mentions;
pub(crate) mod tables;
mod weigh;

use std::collections::{BTreeMap, HashMap, HashSet};

use base::{RepoPath, Result};
use store::Connection;
use syntax::Language;

use crate::search::words;
use crate::view::View;

use self::mentions::Mentions;

/// Files that are weighed, at most.
const CANDIDATES: usize = 1000;

/// How much the words of a path count beside the text, at most.
const PATH_SHARE: f64 = 0.1;

/// How much everything that is named outright may count.
const NAMED_SHARE: f64 = 1.2;

/// What FTS5 gives a word at least, however many texts have it.
const FTS_LEAST: f64 = 1e-6;

/// A word is kept this often in the text of a file, at most.
const KEPT: usize = 8;

/// A file that a text may be about.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Place {
    /// The file
    pub path: RepoPath,
    /// How well it fits; comparable within one answer
    pub score: f64,
    /// What the text names in it
    pub names: Vec<String>,
}

impl Place {
    /// What the text names in it, in a few words.
    pub(crate) fn said(&self) -> String {
        let shown: Vec<&str> = self.names.iter().take(4).map(String::as_str).collect();
        if shown.is_empty() { String::new() } else { format!("names {}", shown.join(", ")) }
    }
}

/// A text with more telling words than this is prose: not all of them can be in one name.
const PROSE: usize = 6;

/// Whether a text is a description and not a name or a few words.
pub(crate) fn is_prose(text: &str) -> bool {
    let telling = text.split_whitespace().filter(|word| weigh::is_telling(&word.to_lowercase()));
    telling.count() > PROSE
}

/// The query of the full-text index for a text; empty if it says nothing.
pub(crate) fn query(text: &str) -> String {
    weigh::Asked::new(text).query()
}

/// How much of what is asked a text says, from 0 to 1.
pub(crate) fn share(asked: &str, text: &str) -> f64 {
    weigh::Asked::new(asked).share(text)
}

/// The words of a file's text, as they are kept.
pub(crate) fn kept(text: &str) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for word in words::spread(text).split(' ').filter(|word| weigh::is_word(word)) {
        *counts.entry(word.to_owned()).or_default() += 1;
    }
    let repeated = |(word, count): (&String, &usize)| format!("{word} ").repeat((*count).min(KEPT));
    counts.iter().map(repeated).collect()
}

/// The files that a text is most likely about, best first. Tests come last: what a text asks
/// for is made elsewhere and tested there.
pub(crate) fn files(view: &View, text: &str, most: usize) -> Result<Vec<Place>> {
    let conn = view.index()?.conn();
    let asked = weigh::Asked::new(text);
    if asked.is_empty() {
        return Ok(Vec::new());
    }
    let tests = view.kept_with_index(TESTS, || Tests::read(conn))?;
    let mut fits = fitting(conn, &asked, &tests)?;
    let mentions = Mentions::of(view, text)?;
    for path in mentions.paths() {
        fits.entry(path.clone()).or_insert(0.0);
    }
    let best = fits.values().copied().fold(f64::MIN_POSITIVE, f64::max);
    let told = asked.tell_apart(fits.keys());
    let mut places: Vec<Place> = fits
        .into_iter()
        .map(|(path, fit)| {
            let (named, names) = mentions.at(&path);
            let in_path = PATH_SHARE * told.share(&path);
            let score = fit / best + named.min(NAMED_SHARE) + in_path;
            let score = if is_test(&path) { score / 4.0 } else { score };
            Place { path, score, names }
        })
        .collect();
    places.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.path.cmp(&b.path)));
    places.truncate(most);
    Ok(places)
}

/// Files by how well their text fits, by the words of a question and how often each is said.
///
/// Small words count for code alone: code with much prose in it is described in prose, and a
/// document has them whatever it is about.
fn fitting(
    conn: &Connection,
    asked: &weigh::Asked,
    tests: &Tests,
) -> Result<BTreeMap<RepoPath, f64>> {
    let telling = sums(conn, asked.words(true), tests)?;
    let small = sums(conn, asked.words(false), tests)?;
    let mut best: Vec<(i64, f64)> = telling.into_iter().collect();
    best.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut fits = BTreeMap::new();
    for (id, score) in best.into_iter().take(CANDIDATES) {
        let Some(path) = tables::path_of(conn, id)? else { continue };
        let is_code = Language::of(&path).is_some_and(Language::is_code);
        let more = small.get(&id).filter(|_| is_code);
        fits.insert(path, score + more.unwrap_or(&0.0));
    }
    Ok(fits)
}

/// What some words add up to in each text that has them.
///
/// FTS5 takes a word that half of all files have for worthless. In a project about patients that
/// is `patient`, and a text about patients says it for a reason: so each word is weighed here, by
/// how many files other than tests have it.
fn sums(
    conn: &Connection,
    words: &BTreeMap<String, usize>,
    tests: &Tests,
) -> Result<HashMap<i64, f64>> {
    #[expect(clippy::cast_precision_loss, reason = "counts of files are small")]
    let count = |number: usize| number as f64;
    let (all, every) = (count(tests.others), count(tables::count(conn)?));
    let mut sums: HashMap<i64, f64> = HashMap::new();
    for (word, times) in words {
        let rows = tables::holding(conn, word)?;
        let odds = |all: f64, with: f64| (all - with + 0.5) / (with + 0.5);
        let theirs = odds(every, count(rows.len())).ln().max(FTS_LEAST);
        let with = rows.iter().filter(|(id, _)| !tests.ids.contains(id)).count();
        let worth = count(*times) * odds(all, count(with)).max(0.0).ln_1p() / theirs;
        for (id, score) in rows {
            *sums.entry(id).or_default() += score * worth;
        }
    }
    Ok(sums)
}

/// The name that tests are kept by.
const TESTS: &str = "locate.tests";

/// Which texts are tests, and how many are not.
struct Tests {
    ids: HashSet<i64>,
    others: usize,
}

impl Tests {
    fn read(conn: &Connection) -> Result<Self> {
        let all = tables::texts(conn)?;
        let count = all.len();
        let tests = all.into_iter().filter(|(_, path)| is_test(path));
        let ids: HashSet<i64> = tests.map(|(id, _)| id).collect();
        Ok(Self { others: count - ids.len(), ids })
    }
}

/// Whether a file is a test by its name or folder.
pub(crate) fn is_test(path: &RepoPath) -> bool {
    let path = path.to_string().to_lowercase();
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let stem = name.split('.').next().unwrap_or_default();
    let marked = [".test.", ".spec.", "_test."].iter().any(|mark| name.contains(mark));
    let folder = folders.split('/').any(|part| {
        matches!(part, "test" | "tests" | "testing" | "__tests__" | "spec" | "testdata")
    });
    marked || folder || stem.starts_with("test_") || matches!(stem, "tests" | "conftest")
}
