//! Which symbols of some files a question is about: BM25F over name, path, signature, doc and body.
//! A line counts for the innermost symbol around it, so that a class does not score for the lines
//! of its methods.

use std::collections::{BTreeSet, HashMap, HashSet};

use base::{RepoPath, Result};
use code::SymbolRow;

use super::WantedRoles;
use super::anchors::QuestionAnchors;
use super::vocabulary::EnglishStemmer;
use crate::answers::role::{FileRole, has_generated_marker, role_weight};
use crate::answers::source::SourceText;
use engine::search::words;
use engine::view::View;

/// The weight of a word in the name of a symbol; elsewhere it is 1.
const NAME_WEIGHT: f64 = 3.0;

/// How often a word counts at most, in a doc comment and in a body.
const MAX_COUNT_IN_DOC: f64 = 3.0;
const MAX_COUNT_IN_BODY: f64 = 8.0;

/// The parameters of BM25: how soon a repeated word stops counting, and how much length counts.
const SATURATION: f64 = 1.2;
const LENGTH_NORMALIZATION: f64 = 0.4;

/// A larger file is not read for its symbols, in bytes.
const MAX_FILE_BYTES: usize = 1024 * 1024;

/// A symbol that a question may be about.
#[derive(Debug, Clone)]
pub(crate) struct SymbolCandidate {
    /// The symbol
    pub symbol: SymbolRow,
    /// How well it fits; comparable within one answer
    pub score: f64,
    /// How well each of its own lines matches the question, by the number of the line
    pub lines: Vec<(u32, f64)>,
    /// The weight of the quoted texts that it contains: a text counts less the more symbols contain
    /// it
    pub quoted: f64,
}

/// The weight of each word of the question, by its stem.
pub(super) type TermWeights = HashMap<String, f64>;

/// The words that belong to one symbol.
struct SymbolWordCounts {
    symbol: SymbolRow,
    /// Counts of the words of the question, in every field
    counts: HashMap<usize, f64>,
    length: f64,
    lines: Vec<(u32, f64)>,
    /// Which quoted texts of the question it contains
    anchors: BTreeSet<usize>,
}

/// Scores symbols of files.
pub(super) struct SymbolScorer<'w> {
    term_weights: &'w TermWeights,
    /// The words of the question by number, so that counting is cheap
    term_numbers: HashMap<&'w str, usize>,
    values: Vec<f64>,
    stems: &'w EnglishStemmer,
    roles: &'w WantedRoles,
    anchors: &'w QuestionAnchors,
    /// The stem of each word that was met
    stem_cache: HashMap<String, Option<usize>>,
    /// Files that are marked as generated
    generated: HashSet<RepoPath>,
    symbols: Vec<SymbolWordCounts>,
}

impl<'w> SymbolScorer<'w> {
    pub(super) fn new(
        term_weights: &'w TermWeights,
        stems: &'w EnglishStemmer,
        roles: &'w WantedRoles,
        anchors: &'w QuestionAnchors,
    ) -> Self {
        let mut words: Vec<(&str, f64)> =
            term_weights.iter().map(|(word, value)| (word.as_str(), *value)).collect();
        words.sort_by(|a, b| a.0.cmp(b.0));
        let term_numbers = words.iter().enumerate().map(|(at, (word, _))| (*word, at)).collect();
        let values = words.iter().map(|(_, value)| *value).collect();
        Self {
            term_weights,
            term_numbers,
            values,
            stems,
            roles,
            anchors,
            stem_cache: HashMap::new(),
            generated: HashSet::new(),
            symbols: Vec::new(),
        }
    }

    /// Reads the symbols of a file.
    pub(super) fn read(&mut self, view: &View, path: &RepoPath) -> Result<()> {
        let rows = code::symbols_in_file(view.index()?.conn(), path)?;
        let rows: Vec<SymbolRow> = rows.into_iter().filter(can_be_answer).collect();
        if self.term_weights.is_empty() {
            return Ok(());
        }
        let Ok(text) = SourceText::read(view, path) else { return Ok(()) };
        let mut rows = text.in_place(view, path, rows)?;
        if text.as_str().len() > MAX_FILE_BYTES {
            return Ok(());
        }
        if has_generated_marker(text.as_str()) {
            self.generated.insert(path.clone());
        }
        if rows.is_empty() || FileRole::of(path) != FileRole::Production {
            rows.insert(0, file_as_symbol(path, &text));
        }
        let in_path = self.count(&path.to_string());
        let from = self.symbols.len();
        for symbol in rows {
            let mut fields = SymbolWordCounts {
                counts: HashMap::new(),
                length: 0.0,
                lines: Vec::new(),
                anchors: self.anchors.named_by(&symbol.full).collect(),
                symbol,
            };
            let names = self.count(&fields.symbol.full);
            fields.add(&names, NAME_WEIGHT, f64::MAX);
            fields.add(&in_path, 1.0, 1.0);
            let signature = self.count(&fields.symbol.signature);
            fields.add(&signature, 1.0, f64::MAX);
            if let Some(doc) = &fields.symbol.doc {
                let doc = self.count(&doc.clone());
                fields.add(&doc, 1.0, MAX_COUNT_IN_DOC);
            }
            self.symbols.push(fields);
        }
        self.read_bodies(&text, from);
        Ok(())
    }

    /// Gives each line to the innermost symbol around it.
    fn read_bodies(&mut self, text: &SourceText, from: usize) {
        let mut owner: Vec<Option<usize>> = vec![None; text.line_count() as usize + 1];
        for at in from..self.symbols.len() {
            // Symbols come in source order: an inner one overwrites the one around it.
            let range = text.lines_of(&self.symbols[at].symbol);
            for line in range.first..=range.last {
                if let Some(slot) = owner.get_mut(line as usize) {
                    *slot = Some(at);
                }
            }
        }
        let mut bodies: HashMap<usize, WordCounts> = HashMap::new();
        let rarest = self.values.iter().copied().fold(0.0, f64::max);
        for (line, at) in (1..).zip(owner.iter().skip(1)) {
            let Some(at) = at else { continue };
            let WordCounts { counts, length } = self.count(text.line(line));
            let body = bodies.entry(*at).or_default();
            body.length += length;
            let mut says = 0.0;
            for (word, count) in counts {
                *body.counts.entry(word).or_default() += count;
                says += self.values[word];
            }
            for anchor in self.anchors.found_in(text.line(line)) {
                self.symbols[*at].anchors.insert(anchor);
                says += rarest;
            }
            if says > 0.0 {
                self.symbols[*at].lines.push((line, says));
            }
        }
        for (at, body) in bodies {
            self.symbols[at].add(&body, 1.0, MAX_COUNT_IN_BODY);
        }
    }

    /// How well a line matches the question: by its words and by quoted texts.
    pub(super) fn line_score(&mut self, line: &str) -> f64 {
        let words: f64 = self.count(line).counts.keys().map(|word| self.values[*word]).sum();
        words + self.weight_of_quotes(line)
    }

    /// A quoted text counts like the rarest word.
    fn weight_of_quotes(&self, line: &str) -> f64 {
        let rarest = self.values.iter().copied().fold(0.0, f64::max);
        self.anchors.found_in(line).map(|_| rarest).sum()
    }

    /// How often each word of the question occurs in a text, and how many words the text has.
    fn count(&mut self, text: &str) -> WordCounts {
        let mut counts: HashMap<usize, f64> = HashMap::new();
        let mut length = 0.0;
        let (known, numbers, stems) = (&mut self.stem_cache, &self.term_numbers, self.stems);
        words::for_each_word(text, |word| {
            length += 1.0;
            let word = word.to_lowercase();
            let number = known.get(&word).copied().unwrap_or_else(|| {
                let number = numbers.get(stems.stem(&word).as_str()).copied();
                known.insert(word, number);
                number
            });
            if let Some(number) = number {
                *counts.entry(number).or_default() += 1.0;
            }
        });
        WordCounts { counts, length }
    }

    /// The files that were read and are marked as generated.
    pub(super) fn generated(&self) -> HashSet<RepoPath> {
        self.generated.clone()
    }

    /// The symbols that match the question, best first.
    pub(super) fn ranked(self) -> Vec<SymbolCandidate> {
        #[expect(clippy::cast_precision_loss, reason = "counts of symbols are small")]
        let count = self.symbols.len().max(1) as f64;
        let average = self.symbols.iter().map(|fields| fields.length).sum::<f64>() / count;
        let (values, generated) = (&self.values, &self.generated);
        let weight = |fields: &SymbolWordCounts| match generated.contains(&fields.symbol.path) {
            true => role_weight(FileRole::Generated),
            false if fields.symbol.is_test => self.roles.role_weight(FileRole::Test),
            false => self.roles.weight(&fields.symbol.path),
        };
        let score = |fields: &SymbolWordCounts| -> f64 {
            let norm = 1.0 - LENGTH_NORMALIZATION
                + LENGTH_NORMALIZATION * fields.length / average.max(1.0);
            let part = |(word, count): (&usize, &f64)| {
                values[*word] * count * (SATURATION + 1.0) / (count + SATURATION * norm)
            };
            fields.counts.iter().map(part).sum::<f64>() * weight(fields)
        };
        let anchor_weights = anchor_weights(&self.symbols, self.anchors.len());
        let quoted = |fields: &SymbolWordCounts| -> f64 {
            let found = fields.anchors.iter().map(|anchor| anchor_weights[*anchor]);
            found.sum::<f64>() * weight(fields)
        };
        let mut places: Vec<SymbolCandidate> = self
            .symbols
            .into_iter()
            .map(|fields| SymbolCandidate {
                score: score(&fields),
                quoted: quoted(&fields),
                symbol: fields.symbol,
                lines: fields.lines,
            })
            .filter(|place| place.score > 0.0)
            .collect();
        let key = |place: &SymbolCandidate| (place.symbol.path.clone(), place.symbol.id);
        places.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| key(a).cmp(&key(b))));
        places
    }
}

/// The weight of each quoted text: lower the more symbols, tests aside, contain it.
fn anchor_weights(symbols: &[SymbolWordCounts], count: usize) -> Vec<f64> {
    let is_test = |fields: &SymbolWordCounts| {
        fields.symbol.is_test || FileRole::of(&fields.symbol.path) != FileRole::Production
    };
    let mut found = vec![0.0_f64; count];
    for anchor in symbols.iter().filter(|one| !is_test(one)).flat_map(|one| &one.anchors) {
        found[*anchor] += 1.0;
    }
    found.into_iter().map(|with| if with > 0.0 { 1.0 / with.sqrt() } else { 0.0 }).collect()
}

/// The words of a text.
#[derive(Default)]
struct WordCounts {
    /// How often each word of the question occurs, by the word's number
    counts: HashMap<usize, f64>,
    /// How many words it has
    length: f64,
}

impl SymbolWordCounts {
    fn add(&mut self, text: &WordCounts, weight: f64, most: f64) {
        for (word, count) in &text.counts {
            *self.counts.entry(*word).or_default() += weight * count.min(most);
        }
        self.length += text.length;
    }
}

/// A file as if it were one symbol, because documents and tests have much text outside of symbols.
fn file_as_symbol(path: &RepoPath, text: &SourceText) -> SymbolRow {
    SymbolRow {
        path: path.clone(),
        id: code::SymbolIndex(0),
        name: String::new(),
        full: String::new(),
        kind: "file".into(),
        parent: None,
        signature: String::new(),
        overloads: Vec::new(),
        doc: None,
        visibility: String::new(),
        exported: false,
        is_test: false,
        line: 1,
        end_line: text.line_count(),
        span: base::Span::new(0, 0),
    }
}

/// Whether a symbol can be an answer by itself. A symbol that only contains others cannot, and a
/// field is shown with its type.
fn can_be_answer(row: &SymbolRow) -> bool {
    let holds_others = matches!(row.kind.as_str(), "impl" | "module" | "namespace" | "import");
    let is_part = row.parent.is_some()
        && matches!(
            row.kind.as_str(),
            "field" | "property" | "variant" | "enum_member" | "constant" | "variable" | "member"
        );
    !holds_others && !is_part
}
