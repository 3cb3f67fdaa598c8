//! The words of whole files in the index, and questions as words: what the index keeps of a text
//! and how a text in plain words is turned into a full-text query.
//!
//! Ranking files and symbols by these words is above the engine.

mod question_words;
pub mod tables;

use std::collections::BTreeMap;

use crate::search::words;

pub use question_words::{PathWordScores, QuestionWords};

/// How often one word is kept in the text of a file, at most.
const MAX_WORD_REPEATS: usize = 8;

/// A text with more significant words than this is prose: not all of them can be in one name.
const MAX_NAME_WORDS: usize = 6;

/// Whether a text is a description and not a name or a few words.
pub fn is_prose(text: &str) -> bool {
    let telling =
        text.split_whitespace().filter(|word| question_words::is_significant(&word.to_lowercase()));
    telling.count() > MAX_NAME_WORDS
}

/// The full-text query for a text; empty if the text has no significant words.
pub fn full_text_query(text: &str) -> String {
    QuestionWords::new(text).query()
}

/// The share of the words of `asked` that a text contains, from 0 to 1.
pub fn word_overlap(asked: &str, text: &str) -> f64 {
    QuestionWords::new(asked).share(text)
}

/// The words of a file's text, as they are kept.
pub fn indexed_words(text: &str) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for word in words::index_words(text).split(' ').filter(|word| question_words::is_word(word)) {
        *counts.entry(word.to_owned()).or_default() += 1;
    }
    let repeated = |(word, count): (&String, &usize)| {
        format!("{word} ").repeat((*count).min(MAX_WORD_REPEATS))
    };
    counts.iter().map(repeated).collect()
}
