//! Which files a text in plain words is about: an issue, a requirement, a question.
//!
//! The score of a file combines its whole text with the explicit names of the question: paths,
//! modules, symbols and where they are defined. No model, no network; figures in
//! `docs/benchmarks.md`.
//!
//! @see spec::cross/search

mod anchors;
mod mentions;
mod symbols;
mod vocabulary;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use base::{RepoPath, Result};
use store::Connection;
use syntax::Language;

use crate::answers::role::{FileRole, is_test_file, role_weight};
use crate::answers::source::{LineRange, SourceText};
use engine::file_text::{QuestionWords, tables};
use engine::search::tables::TextId;
use engine::search::words;
use engine::view::View;

use self::anchors::QuestionAnchors;
use self::mentions::Mentions;
pub(crate) use self::mentions::similar_names;
pub(crate) use self::symbols::SymbolCandidate;
use self::symbols::{SymbolScorer, TermWeights};
use self::vocabulary::{EnglishStemmer, QueryTerm};

/// Maximum number of files that are scored.
const MAX_CANDIDATES: usize = 1000;

/// Maximum weight of the words of a path, relative to the text.
const PATH_SHARE: f64 = 0.3;

/// How many files are read for their symbols.
const MAX_FILES_READ: usize = 60;

/// Weight of the best symbols of a file, relative to its whole text.
const SYMBOL_SHARE: f64 = 0.75;

/// The best three symbols of a file count fully, half and a quarter.
const MIN_SYMBOL_SHARE: f64 = 0.25;

/// How many files have their imports followed.
const IMPORT_SEED_FILES: usize = 10;

/// Weight of being imported by the best files or importing them.
const NEIGHBOUR_SHARE: f64 = 0.3;

/// Weight of a symbol's file, relative to its own words.
const FILE_SHARE: f64 = 0.5;

/// Weight of a symbol being named in the text.
const NAMED_SYMBOL_WEIGHT: f64 = 0.6;

/// Weight of a text that the question quotes and only one symbol contains, and the most that all
/// such texts count.
const QUOTED_WEIGHT: f64 = 0.7;
const MAX_QUOTED: f64 = 1.2;

/// Maximum weight of all explicit names.
const NAMED_SHARE: f64 = 1.2;

/// Lowest weight that FTS5 gives a word, however many texts contain it.
const FTS_MIN_WEIGHT: f64 = 1e-6;

/// A file that a text may be about.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FileCandidate {
    /// The file
    pub path: RepoPath,
    /// Its score, comparable within one answer
    pub score: f64,
    /// What the text names in it
    pub names: Vec<String>,
}

impl FileCandidate {
    /// The names in it, as a short text.
    pub(crate) fn mentions_text(&self) -> String {
        let shown: Vec<&str> = self.names.iter().take(4).map(String::as_str).collect();
        if shown.is_empty() { String::new() } else { format!("names {}", shown.join(", ")) }
    }
}

/// The files and symbols that a question is about.
#[derive(Debug, Default)]
pub(crate) struct LocateResult {
    /// The files, best first
    pub files: Vec<FileCandidate>,
    /// The symbols in the best of them, best first
    pub symbols: Vec<SymbolCandidate>,
    /// Which kinds of file the question asks for
    pub wanted: WantedRoles,
}

/// The files that a text is most likely about, best first.
pub(crate) fn locate_files(view: &View, text: &str, most: usize) -> Result<Vec<FileCandidate>> {
    let mut files = locate(view, text)?.files;
    files.truncate(most);
    Ok(files)
}

/// The files and symbols that a text is most likely about. Tests, examples and documents come
/// behind code unless the text asks for them.
pub(crate) fn locate(view: &View, text: &str) -> Result<LocateResult> {
    let conn = view.index()?.conn();
    let asked = QuestionWords::new(text);
    if asked.is_empty() {
        return Ok(LocateResult::default());
    }
    let tests = view.cached_for_index(TESTS_CACHE_KEY, || TestTextIds::read(conn))?;
    let stems = EnglishStemmer::default();
    let question = WeightedQuestion::read(conn, &asked, &stems, &tests)?;
    let mut fits = score_files(conn, &question, &asked, &tests)?;
    let mentions = Mentions::of(view, text)?;
    for path in mentions.paths() {
        fits.entry(path.clone()).or_insert(0.0);
    }
    let best = fits.values().copied().fold(f64::MIN_POSITIVE, f64::max);
    let told = asked.score_paths(fits.keys());
    let wanted = WantedRoles::of(text);
    let mut places: Vec<FileCandidate> = fits
        .into_iter()
        .map(|(path, fit)| {
            let (named, names) = mentions.at(&path);
            let in_path = PATH_SHARE * told.share(&path);
            let score = (fit / best + named.min(NAMED_SHARE) + in_path) * wanted.weight(&path);
            FileCandidate { path, score, names }
        })
        .collect();
    sort_by_score(&mut places);
    let anchors = anchors_of(view, text, &places)?;
    let scorer = SymbolScorer::new(&question.stem_weights, &stems, &wanted, &anchors);
    let mut symbols = add_symbols(view, &mut places, scorer)?;
    add_neighbours(conn, &mut places)?;
    sort_by_score(&mut places);
    rank_symbols(&mut symbols, &places);
    Ok(LocateResult { files: places, symbols, wanted })
}

/// How well each line of a source matches a text in plain words. Lines that do not match are left
/// out.
pub(crate) fn line_weights(
    view: &View,
    text: &str,
    source: &SourceText,
    range: LineRange,
) -> Result<BTreeMap<u32, f64>> {
    let conn = view.index()?.conn();
    let asked = QuestionWords::new(text);
    let tests = view.cached_for_index(TESTS_CACHE_KEY, || TestTextIds::read(conn))?;
    let stems = EnglishStemmer::default();
    let question = WeightedQuestion::read(conn, &asked, &stems, &tests)?;
    let (wanted, anchors) = (WantedRoles::of(text), QuestionAnchors::of(text));
    let mut scorer = SymbolScorer::new(&question.stem_weights, &stems, &wanted, &anchors);
    let weights =
        (range.first..=range.last).map(|line| (line, scorer.line_score(source.line(line))));
    Ok(weights.filter(|(_, weight)| *weight > 0.0).collect())
}

/// The texts that the question quotes, and the constants that contain quoted messages: code that
/// uses such a constant shows the message.
fn anchors_of(view: &View, text: &str, places: &[FileCandidate]) -> Result<QuestionAnchors> {
    let mut anchors = QuestionAnchors::of(text);
    let messages: Vec<String> = anchors.messages().map(str::to_owned).collect();
    if messages.is_empty() {
        return Ok(anchors);
    }
    for place in places.iter().take(MAX_FILES_READ) {
        let Ok(source) = SourceText::read(view, &place.path) else { continue };
        if !messages.iter().any(|message| source.as_str().contains(message.as_str())) {
            continue;
        }
        let rows = code::symbols_in_file(view.index()?.conn(), &place.path)?;
        for row in source.in_place(view, &place.path, rows)? {
            let lines = source.lines(row.line, row.end_line);
            let is_constant = matches!(row.kind.as_str(), "constant" | "variable");
            if is_constant && messages.iter().any(|message| lines.contains(message.as_str())) {
                anchors.add(&row.name);
            }
        }
    }
    Ok(anchors)
}

fn sort_by_score(places: &mut [FileCandidate]) {
    places.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.path.cmp(&b.path)));
}

/// Adds the scores of their best symbols to the best files, and returns those symbols.
fn add_symbols(
    view: &View,
    places: &mut [FileCandidate],
    mut scorer: SymbolScorer<'_>,
) -> Result<Vec<SymbolCandidate>> {
    for place in places.iter().take(MAX_FILES_READ) {
        scorer.read(view, &place.path)?;
    }
    for path in scorer.generated() {
        for place in places.iter_mut().filter(|place| place.path == path) {
            place.score *= role_weight(FileRole::Generated);
        }
    }
    let symbols = scorer.ranked();
    let mut sums: HashMap<&RepoPath, (f64, f64)> = HashMap::new();
    for symbol in &symbols {
        let (sum, share) = sums.entry(&symbol.symbol.path).or_insert((0.0, 1.0));
        *sum += *share * symbol.score;
        *share = if *share > MIN_SYMBOL_SHARE { *share / 2.0 } else { 0.0 };
    }
    let best = sums.values().map(|(sum, _)| *sum).fold(f64::MIN_POSITIVE, f64::max);
    for place in places.iter_mut().take(MAX_FILES_READ) {
        if let Some((sum, _)) = sums.get(&place.path) {
            place.score += SYMBOL_SHARE * sum / best;
        }
    }
    Ok(symbols)
}

/// Adds to each file a score for importing the best files or being imported by them.
fn add_neighbours(conn: &Connection, places: &mut [FileCandidate]) -> Result<()> {
    sort_by_score(places);
    let best = places.first().map_or(1.0, |place| place.score.max(f64::MIN_POSITIVE));
    let mut given: HashMap<RepoPath, f64> = HashMap::new();
    for place in places.iter().take(IMPORT_SEED_FILES) {
        let mut near: BTreeSet<RepoPath> =
            code::imported_files(conn, &place.path)?.into_iter().collect();
        near.extend(code::importer_names(conn, &place.path)?.into_iter().map(|(path, _)| path));
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
            let role = role_weight(FileRole::of(&place.path));
            place.score += NEIGHBOUR_SHARE * role * share / most * place.score.min(1.0);
        }
    }
    Ok(())
}

/// Sorts symbols by their own words, their files and the names in the text.
fn rank_symbols(symbols: &mut [SymbolCandidate], places: &[FileCandidate]) {
    let best_file = places.first().map_or(1.0, |place| place.score.max(f64::MIN_POSITIVE));
    let files: HashMap<&RepoPath, &FileCandidate> =
        places.iter().map(|place| (&place.path, place)).collect();
    let best = symbols.first().map_or(1.0, |symbol| symbol.score);
    for one in symbols.iter_mut() {
        let place = files.get(&one.symbol.path);
        let is_named = place.is_some_and(|place| place.names.contains(&one.symbol.name));
        let file = place.map_or(0.0, |place| place.score / best_file);
        let named = if is_named { NAMED_SYMBOL_WEIGHT } else { 0.0 };
        let quoted = QUOTED_WEIGHT * one.quoted.min(MAX_QUOTED);
        one.score = one.score / best + FILE_SHARE * file + named + quoted;
    }
    symbols.sort_by(|a, b| {
        let key = |place: &SymbolCandidate| (place.symbol.path.clone(), place.symbol.id);
        b.score.total_cmp(&a.score).then_with(|| key(a).cmp(&key(b)))
    });
}

/// The words of a question in the repository's vocabulary, with their weights.
struct WeightedQuestion {
    /// The weight of each word of the repository
    terms: Vec<(String, f64)>,
    /// The weight of each stem
    stem_weights: TermWeights,
}

impl WeightedQuestion {
    fn read(
        conn: &Connection,
        asked: &QuestionWords,
        stems: &EnglishStemmer,
        tests: &TestTextIds,
    ) -> Result<Self> {
        let mut question = Self { terms: Vec::new(), stem_weights: TermWeights::new() };
        for (word, times) in asked.words(true) {
            let mut rarest: f64 = 0.0;
            let terms = vocabulary::terms(conn, stems, word)?;
            let repaired = terms.iter().find(|term| stems.stem(&term.word) != stems.stem(word));
            let stem = stems.stem(repaired.map_or(word, |term| &term.word));
            for QueryTerm { word, weight } in terms {
                let weight = weight * to_f64(*times);
                let rows = tables::texts_with_word(conn, &word)?;
                if !rows.is_empty() {
                    rarest = rarest.max(weight * tests.rarity(&rows));
                    question.terms.push((word, weight));
                }
            }
            *question.stem_weights.entry(stem).or_default() += rarest;
        }
        Ok(question)
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of files and words are small")]
fn to_f64(number: usize) -> f64 {
    number as f64
}

/// Which kinds of file a text asks for.
#[derive(Debug, Default)]
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
const ROLE_FOLLOWERS: [&str; 16] = [
    "that", "for", "of", "which", "about", "on", "with", "where", "covering", "covers", "shows",
    "showing", "checks", "checking", "how", "when",
];

/// How many first words of a question can name its subject.
const SUBJECT_WORDS: usize = 7;

/// Weight of files of other kinds if one kind is the subject of the question.
const OTHER_ROLE_WEIGHT: f64 = 0.5;

impl WantedRoles {
    pub(crate) fn of(text: &str) -> Self {
        let words = words::words(text);
        let (mut named, mut is_first) = (Vec::new(), false);
        for (role, list) in ROLE_WORDS {
            let is_asked = |at: &usize| {
                let next = words[at + 1..].iter().take(2);
                list.contains(&words[*at].as_str())
                    && next.into_iter().any(|word| ROLE_FOLLOWERS.contains(&word.as_str()))
            };
            if let Some(at) = (0..words.len()).find(is_asked) {
                named.push(role);
                is_first |= at < SUBJECT_WORDS;
            }
        }
        let is_commit = words.iter().any(|word| matches!(word.as_str(), "commit" | "commits"));
        Self { named, is_commit, is_first }
    }

    /// Whether files of a kind are asked for.
    pub(crate) fn asks_for(&self, role: FileRole) -> bool {
        self.named.contains(&role)
    }

    /// The weight of files of a kind.
    fn role_weight(&self, role: FileRole) -> f64 {
        match self.named.contains(&role) {
            true => 1.0,
            false if self.is_first => role_weight(role) * OTHER_ROLE_WEIGHT,
            false => role_weight(role),
        }
    }

    /// The weight of a file.
    fn weight(&self, path: &RepoPath) -> f64 {
        let role = FileRole::of(path);
        let is_code = Language::from_path(path).is_some_and(Language::is_code);
        match role {
            FileRole::Production if !is_code => {
                role_weight(FileRole::Document) * self.role_weight(FileRole::Production)
            }
            role => self.role_weight(role),
        }
    }
}

/// The files whose text contains all words of a name.
pub(crate) fn files_with_words(view: &View, name: &str) -> Result<Vec<RepoPath>> {
    let words = words::words(name);
    if words.is_empty() {
        return Ok(Vec::new());
    }
    tables::files_with_all_words(view.index()?.conn(), &words)
}

/// Scores files by their text, from the words of a question and their counts.
///
/// Stop words count only for code: code with much prose is described in prose, whereas documents
/// contain stop words whatever they are about.
fn score_files(
    conn: &Connection,
    question: &WeightedQuestion,
    asked: &QuestionWords,
    tests: &TestTextIds,
) -> Result<BTreeMap<RepoPath, f64>> {
    let telling =
        sum_word_scores(conn, question.terms.iter().map(|(word, weight)| (word, *weight)), tests)?;
    let small = asked.words(false).iter().map(|(word, times)| (word, to_f64(*times)));
    let small = sum_word_scores(conn, small, tests)?;
    let mut best: Vec<(TextId, f64)> = telling.into_iter().collect();
    best.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut fits = BTreeMap::new();
    for (id, score) in best.into_iter().take(MAX_CANDIDATES) {
        let Some(path) = tables::path_of(conn, id)? else { continue };
        let is_code = Language::from_path(&path).is_some_and(Language::is_code);
        let more = small.get(&id).filter(|_| is_code);
        fits.insert(path, score + more.unwrap_or(&0.0));
    }
    Ok(fits)
}

/// The sum of the weights of some words, by text.
///
/// FTS5 gives no weight to a word that half of all files contain. In a project about patients that
/// is `patient`, although a question that contains it means it. Therefore each word is weighted
/// here, by the number of files other than tests that contain it.
fn sum_word_scores<'a>(
    conn: &Connection,
    words: impl Iterator<Item = (&'a String, f64)>,
    tests: &TestTextIds,
) -> Result<HashMap<TextId, f64>> {
    let every = to_f64(tables::count(conn)?);
    let mut sums: HashMap<TextId, f64> = HashMap::new();
    for (word, weight) in words {
        let rows = tables::texts_with_word(conn, word)?;
        let theirs = inverse_document_odds(every, to_f64(rows.len())).ln().max(FTS_MIN_WEIGHT);
        let worth = weight * tests.rarity(&rows) / theirs;
        for (id, score) in rows {
            *sums.entry(id).or_default() += score * worth;
        }
    }
    Ok(sums)
}

/// How many times more texts lack a word than contain it.
fn inverse_document_odds(all: f64, with: f64) -> f64 {
    (all - with + 0.5) / (with + 0.5)
}

/// The cache key of the tests.
const TESTS_CACHE_KEY: &str = "locate.tests";

/// Which texts are tests, and how many are not.
struct TestTextIds {
    ids: HashSet<TextId>,
    non_test_count: usize,
}

impl TestTextIds {
    fn read(conn: &Connection) -> Result<Self> {
        let all = tables::texts(conn)?;
        let count = all.len();
        let tests = all.into_iter().filter(|(_, path)| is_test_file(path));
        let ids: HashSet<TextId> = tests.map(|(id, _)| id).collect();
        Ok(Self { non_test_count: count - ids.len(), ids })
    }

    /// The weight of a word: higher the fewer files, tests aside, contain it.
    fn rarity(&self, rows: &[(TextId, f64)]) -> f64 {
        let with = rows.iter().filter(|(id, _)| !self.ids.contains(id)).count();
        inverse_document_odds(to_f64(self.non_test_count), to_f64(with)).max(0.0).ln_1p()
    }
}
