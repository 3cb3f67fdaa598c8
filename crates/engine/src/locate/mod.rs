//! Which files a text in plain words is about: an issue, a requirement, a question.
//!
//! What the whole text of a file says is weighed with what the question names outright: paths,
//! modules, symbols and where they are defined. No model, no network; figures in
//! `docs/benchmarks.md`.
//!
//! @see spec::cross/search

mod mentions;
mod symbols;
pub(crate) mod tables;
mod vocabulary;
mod weigh;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use base::{RepoPath, Result};
use store::Connection;
use syntax::Language;

use crate::answers::role::{FileRole, is_test};
use crate::search::words;
use crate::view::View;

use self::mentions::Mentions;
pub(crate) use self::symbols::SymbolPlace;
use self::symbols::{SymbolScorer, Worth};
use self::vocabulary::{Stems, Term};

/// Files that are weighed, at most.
const CANDIDATES: usize = 1000;

/// How much the words of a path count beside the text, at most.
const PATH_SHARE: f64 = 0.3;

/// How many files are read for their symbols.
const READ: usize = 60;

/// How much the best symbols of a file count beside its whole text.
const SYMBOL_SHARE: f64 = 0.75;

/// The best three symbols of a file count whole, half and a quarter.
const LEAST_SHARE: f64 = 0.25;

/// From how many files the imports are followed.
const SEEDS: usize = 10;

/// How much it counts to be imported by the best files or to import them.
const NEIGHBOUR_SHARE: f64 = 0.3;

/// How much a symbol's file counts beside its own words.
const FILE_SHARE: f64 = 0.5;

/// How much it counts for a symbol to be named in the text.
const NAMED_SYMBOL: f64 = 0.6;

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

/// Where a question leads.
#[derive(Debug, Default)]
pub(crate) struct Located {
    /// The files, best first
    pub files: Vec<Place>,
    /// The symbols in the best of them, best first
    pub symbols: Vec<SymbolPlace>,
}

/// The files that a text is most likely about, best first.
pub(crate) fn files(view: &View, text: &str, most: usize) -> Result<Vec<Place>> {
    let mut files = locate(view, text)?.files;
    files.truncate(most);
    Ok(files)
}

/// The files and symbols that a text is most likely about. Tests, examples and documents come
/// behind code unless the text asks for them.
pub(crate) fn locate(view: &View, text: &str) -> Result<Located> {
    let conn = view.index()?.conn();
    let asked = weigh::Asked::new(text);
    if asked.is_empty() {
        return Ok(Located::default());
    }
    let tests = view.kept_with_index(TESTS, || Tests::read(conn))?;
    let stems = Stems::default();
    let question = Question::read(conn, &asked, &stems, &tests)?;
    let mut fits = fitting(conn, &question, &asked, &tests)?;
    let mentions = Mentions::of(view, text)?;
    for path in mentions.paths() {
        fits.entry(path.clone()).or_insert(0.0);
    }
    let best = fits.values().copied().fold(f64::MIN_POSITIVE, f64::max);
    let told = asked.tell_apart(fits.keys());
    let wanted = WantedRoles::of(text);
    let mut places: Vec<Place> = fits
        .into_iter()
        .map(|(path, fit)| {
            let (named, names) = mentions.at(&path);
            let in_path = PATH_SHARE * told.share(&path);
            let score = (fit / best + named.min(NAMED_SHARE) + in_path) * wanted.weight(&path);
            Place { path, score, names }
        })
        .collect();
    sort(&mut places);
    let scorer = SymbolScorer::new(&question.worth, &stems, &wanted);
    let mut symbols = add_symbols(view, &mut places, scorer)?;
    add_neighbours(conn, &mut places)?;
    sort(&mut places);
    rank_symbols(&mut symbols, &places);
    Ok(Located { files: places, symbols })
}

fn sort(places: &mut [Place]) {
    places.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.path.cmp(&b.path)));
}

/// Adds to the best files what their best symbols say, and returns those symbols.
fn add_symbols(
    view: &View,
    places: &mut [Place],
    mut scorer: SymbolScorer<'_>,
) -> Result<Vec<SymbolPlace>> {
    for place in places.iter().take(READ) {
        scorer.read(view, &place.path)?;
    }
    for path in scorer.generated() {
        for place in places.iter_mut().filter(|place| place.path == path) {
            place.score *= FileRole::Generated.weight();
        }
    }
    let symbols = scorer.ranked();
    let mut sums: HashMap<&RepoPath, (f64, f64)> = HashMap::new();
    for symbol in &symbols {
        let (sum, share) = sums.entry(&symbol.symbol.path).or_insert((0.0, 1.0));
        *sum += *share * symbol.score;
        *share = if *share > LEAST_SHARE { *share / 2.0 } else { 0.0 };
    }
    let best = sums.values().map(|(sum, _)| *sum).fold(f64::MIN_POSITIVE, f64::max);
    for place in places.iter_mut().take(READ) {
        if let Some((sum, _)) = sums.get(&place.path) {
            place.score += SYMBOL_SHARE * sum / best;
        }
    }
    Ok(symbols)
}

/// Adds to each file what the best files say of it by importing it or being imported by it.
fn add_neighbours(conn: &Connection, places: &mut [Place]) -> Result<()> {
    sort(places);
    let best = places.first().map_or(1.0, |place| place.score.max(f64::MIN_POSITIVE));
    let mut given: HashMap<RepoPath, f64> = HashMap::new();
    for place in places.iter().take(SEEDS) {
        let mut near: BTreeSet<RepoPath> =
            code::taken_from(conn, &place.path)?.into_iter().collect();
        near.extend(code::taken_by(conn, &place.path)?.into_iter().map(|(path, _)| path));
        near.remove(&place.path);
        #[expect(clippy::cast_precision_loss, reason = "counts of files are small")]
        let share = place.score / best / near.len().max(1) as f64;
        for path in near {
            *given.entry(path).or_default() += share;
        }
    }
    let most = given.values().copied().fold(f64::MIN_POSITIVE, f64::max);
    for place in places.iter_mut() {
        if let Some(share) = given.get(&place.path) {
            let role = FileRole::of(&place.path).weight();
            place.score += NEIGHBOUR_SHARE * role * share / most * place.score.min(1.0);
        }
    }
    Ok(())
}

/// Puts symbols in the order that their own words, their files and what the text names give.
fn rank_symbols(symbols: &mut [SymbolPlace], places: &[Place]) {
    let best_file = places.first().map_or(1.0, |place| place.score.max(f64::MIN_POSITIVE));
    let files: HashMap<&RepoPath, &Place> =
        places.iter().map(|place| (&place.path, place)).collect();
    let best = symbols.first().map_or(1.0, |symbol| symbol.score);
    for one in symbols.iter_mut() {
        let place = files.get(&one.symbol.path);
        let is_named = place.is_some_and(|place| place.names.contains(&one.symbol.name));
        let file = place.map_or(0.0, |place| place.score / best_file);
        let named = if is_named { NAMED_SYMBOL } else { 0.0 };
        one.score = one.score / best + FILE_SHARE * file + named;
    }
    symbols.sort_by(|a, b| {
        let key = |place: &SymbolPlace| (place.symbol.path.clone(), place.symbol.id);
        b.score.total_cmp(&a.score).then_with(|| key(a).cmp(&key(b)))
    });
}

/// The words of a question as the repository writes them, and what each is worth.
struct Question {
    /// Each word of the repository with how much it counts
    terms: Vec<(String, f64)>,
    /// What each stem is worth
    worth: Worth,
}

impl Question {
    fn read(conn: &Connection, asked: &weigh::Asked, stems: &Stems, tests: &Tests) -> Result<Self> {
        let mut question = Self { terms: Vec::new(), worth: Worth::new() };
        for (word, times) in asked.words(true) {
            let mut rarest: f64 = 0.0;
            let terms = vocabulary::terms(conn, stems, word)?;
            let repaired = terms.iter().find(|term| stems.of(&term.word) != stems.of(word));
            let stem = stems.of(repaired.map_or(word, |term| &term.word));
            for Term { word, weight } in terms {
                let weight = weight * count(*times);
                let rows = tables::holding(conn, &word)?;
                if !rows.is_empty() {
                    rarest = rarest.max(weight * tests.rarity(&rows));
                    question.terms.push((word, weight));
                }
            }
            *question.worth.entry(stem).or_default() += rarest;
        }
        Ok(question)
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of files and words are small")]
fn count(number: usize) -> f64 {
    number as f64
}

/// Which kinds of file a text asks for.
pub(crate) struct WantedRoles {
    /// Kinds that it names
    named: Vec<FileRole>,
    /// Whether it asks for commits
    pub is_commit: bool,
    /// Whether it names one at its start, as in "is there a test that …"
    is_first: bool,
}

/// The kinds of file that a question can ask for, each with its words.
const ROLE_WORDS: [(FileRole, &[&str]); 3] = [
    (FileRole::Test, &["test", "tests", "testing", "tested", "spec", "specs", "fixture"]),
    (FileRole::Example, &["example", "examples", "demo", "benchmark", "benchmarks", "sample"]),
    (FileRole::Document, &["doc", "docs", "documentation", "documented", "readme", "guide"]),
];

/// Words that follow the kind of file that is asked for: "a test that …", "the guide about …".
const ABOUT: [&str; 16] = [
    "that", "for", "of", "which", "about", "on", "with", "where", "covering", "covers", "shows",
    "showing", "checks", "checking", "how", "when",
];

/// What is asked for in so many first words is the subject of the question.
const SUBJECT: usize = 7;

/// How much files of other kinds count where one is the subject of the question.
const NOT_THE_SUBJECT: f64 = 0.5;

impl WantedRoles {
    pub(crate) fn of(text: &str) -> Self {
        let words = words::words(text);
        let (mut named, mut is_first) = (Vec::new(), false);
        for (role, list) in ROLE_WORDS {
            let is_asked = |at: &usize| {
                let next = words[at + 1..].iter().take(2);
                list.contains(&words[*at].as_str())
                    && next.into_iter().any(|word| ABOUT.contains(&word.as_str()))
            };
            if let Some(at) = (0..words.len()).find(is_asked) {
                named.push(role);
                is_first |= at < SUBJECT;
            }
        }
        let is_commit = words.iter().any(|word| matches!(word.as_str(), "commit" | "commits"));
        Self { named, is_commit, is_first }
    }

    /// Whether files of a kind are asked for.
    pub(crate) fn names(&self, role: FileRole) -> bool {
        self.named.contains(&role)
    }

    /// How much files of a kind count.
    fn of_role(&self, role: FileRole) -> f64 {
        match self.named.contains(&role) {
            true => 1.0,
            false if self.is_first => role.weight() * NOT_THE_SUBJECT,
            false => role.weight(),
        }
    }

    /// How much a file counts.
    fn weight(&self, path: &RepoPath) -> f64 {
        let role = FileRole::of(path);
        let is_code = Language::of(path).is_some_and(Language::is_code);
        match role {
            FileRole::Production if !is_code => {
                FileRole::Document.weight() * self.of_role(FileRole::Production)
            }
            role => self.of_role(role),
        }
    }
}

/// The files whose text holds all words of a name.
pub(crate) fn files_with_words(view: &View, name: &str) -> Result<Vec<RepoPath>> {
    let words = words::words(name);
    if words.is_empty() {
        return Ok(Vec::new());
    }
    tables::holding_all(view.index()?.conn(), &words)
}

/// Files by how well their text fits, by the words of a question and how often each is said.
///
/// Small words count for code alone: code with much prose in it is described in prose, and a
/// document has them whatever it is about.
fn fitting(
    conn: &Connection,
    question: &Question,
    asked: &weigh::Asked,
    tests: &Tests,
) -> Result<BTreeMap<RepoPath, f64>> {
    let telling = sums(conn, question.terms.iter().map(|(word, weight)| (word, *weight)), tests)?;
    let small = asked.words(false).iter().map(|(word, times)| (word, count(*times)));
    let small = sums(conn, small, tests)?;
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
fn sums<'a>(
    conn: &Connection,
    words: impl Iterator<Item = (&'a String, f64)>,
    tests: &Tests,
) -> Result<HashMap<i64, f64>> {
    let every = count(tables::count(conn)?);
    let mut sums: HashMap<i64, f64> = HashMap::new();
    for (word, weight) in words {
        let rows = tables::holding(conn, word)?;
        let theirs = odds(every, count(rows.len())).ln().max(FTS_LEAST);
        let worth = weight * tests.rarity(&rows) / theirs;
        for (id, score) in rows {
            *sums.entry(id).or_default() += score * worth;
        }
    }
    Ok(sums)
}

fn odds(all: f64, with: f64) -> f64 {
    (all - with + 0.5) / (with + 0.5)
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

    /// How much a word tells that some texts hold: more the fewer files but tests hold it.
    fn rarity(&self, rows: &[(i64, f64)]) -> f64 {
        let with = rows.iter().filter(|(id, _)| !self.ids.contains(id)).count();
        odds(count(self.others), count(with)).max(0.0).ln_1p()
    }
}
