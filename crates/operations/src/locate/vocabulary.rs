//! The words of a question as the repository writes them: other forms of a word, and corrections of
//! misspelled words.

use base::Result;
use base::similarity::{MIN_REPAIRED_WORD, similarity};
use rust_stemmers::{Algorithm, Stemmer};
use store::Connection;

use engine::file_text::tables;

/// The weight of another form of a word; the word itself has 1.
const OTHER_FORM_WEIGHT: f64 = 0.5;

/// The weight of the correction of a misspelled word.
const REPAIRED_WEIGHT: f64 = 0.7;

/// No other forms are searched for a shorter word.
const MIN_LENGTH_FOR_FORMS: usize = 4;

/// A shorter word is not corrected, because it is similar to too many others.
const MIN_LENGTH_FOR_REPAIR: usize = 5;

/// How many other forms of a word are looked for.
const MAX_FORMS: usize = 8;

/// Cuts the endings off English words.
pub(super) struct EnglishStemmer(Stemmer);

impl Default for EnglishStemmer {
    fn default() -> Self {
        Self(Stemmer::create(Algorithm::English))
    }
}

impl EnglishStemmer {
    pub(super) fn stem(&self, word: &str) -> String {
        match word.len() >= MIN_LENGTH_FOR_FORMS && word.is_ascii() {
            true => self.0.stem(word).into_owned(),
            false => word.to_owned(),
        }
    }
}

/// A word of the repository that stands for a word of the question.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct QueryTerm {
    pub word: String,
    /// How much it counts, at most 1
    pub weight: f64,
}

/// The words of the repository that a word of a question stands for: itself, its other forms, or
/// the nearest word if there is none.
pub(super) fn terms(
    conn: &Connection,
    stems: &EnglishStemmer,
    word: &str,
) -> Result<Vec<QueryTerm>> {
    let mut terms = vec![QueryTerm { word: word.to_owned(), weight: 1.0 }];
    if word.len() < MIN_LENGTH_FOR_FORMS || !word.is_ascii() {
        return Ok(terms);
    }
    let stem = stems.stem(word);
    let common = word.bytes().zip(stem.bytes()).take_while(|(a, b)| a == b).count();
    let start = &word[..common.max(MIN_LENGTH_FOR_FORMS - 1).min(word.len())];
    let near = tables::words_with_prefix(conn, start)?;
    let is_known = near.iter().any(|(other, _)| other == word);
    let forms = near.iter().filter(|(other, _)| other != word && stems.stem(other) == stem);
    let mut forms: Vec<&(String, i64)> = forms.collect();
    forms.sort_by_key(|(other, texts)| (-texts, other.clone()));
    let form =
        |(word, _): &&(String, i64)| QueryTerm { word: word.clone(), weight: OTHER_FORM_WEIGHT };
    terms.extend(forms.iter().take(MAX_FORMS).map(form));
    if terms.len() == 1 && !is_known && word.len() >= MIN_LENGTH_FOR_REPAIR {
        terms.extend(repair(conn, word)?);
    }
    Ok(terms)
}

/// The word that was probably meant by one that no text contains.
fn repair(conn: &Connection, word: &str) -> Result<Option<QueryTerm>> {
    let Some(first) = word.chars().next() else { return Ok(None) };
    let words = tables::words_with_prefix(conn, &first.to_string())?;
    let close = words.into_iter().filter_map(|(other, texts)| {
        let like = similarity(word, &other).filter(|like| *like >= MIN_REPAIRED_WORD)?;
        Some((like, texts, other))
    });
    let best = close.max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).then(b.2.cmp(&a.2)));
    Ok(best.map(|(_, _, word)| QueryTerm { word, weight: REPAIRED_WEIGHT }))
}
