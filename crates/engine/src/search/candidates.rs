//! Collects candidate rows, most reliable source first, and stops at a row limit.
//!
//! A word may be in every text, and ranking all of them costs as much as reading them. So each
//! source stops at a number of rows, and the search stops when it has enough.

use std::collections::BTreeMap;

use base::Result;
use store::Connection;

use super::matching::SearchQuery;
use super::tables::{self, FullTextTable, SearchBounds, SearchRow, TextId};

/// Number of rows that is enough, unless the caller wants more.
const SUFFICIENT_ROWS: usize = 200;

/// Maximum number of rows of one search.
const MAX_CANDIDATES: usize = 1000;

/// Maximum number of texts that contain a trigram of a mistyped word for it to be used.
const MAX_TRIGRAM_TEXTS: usize = 1000;

/// Collects the rows that the sources find.
pub(super) struct CandidateSearch<'a> {
    conn: &'a Connection,
    bounds: &'a SearchBounds,
    most: usize,
    rows: BTreeMap<TextId, SearchRow>,
    is_cut: bool,
}

/// The field that must contain the words of a query.
#[derive(Clone, Copy)]
enum SearchField {
    Name,
    Any,
}

/// A full-text source.
type SearchStep<'a> = fn(&mut CandidateSearch<'a>, &SearchQuery) -> Result<()>;

impl<'a> CandidateSearch<'a> {
    /// Starts a search for a caller who wants `most` rows.
    pub(super) fn new(conn: &'a Connection, bounds: &'a SearchBounds, most: usize) -> Self {
        let most = most.clamp(SUFFICIENT_ROWS, MAX_CANDIDATES);
        Self { conn, bounds, most, rows: BTreeMap::new(), is_cut: false }
    }

    /// The rows that were found so far.
    pub(super) fn rows(&self) -> impl Iterator<Item = &SearchRow> {
        self.rows.values()
    }

    /// The rows, and whether there may be more.
    pub(super) fn into_rows(self) -> (Vec<SearchRow>, bool) {
        (self.rows.into_values().collect(), self.is_cut)
    }

    /// Rows that contain the words, or the letters.
    pub(super) fn find_matches(&mut self, asked: &SearchQuery) -> Result<()> {
        let plain: [SearchStep<'a>; 4] =
            [Self::find_by_name, Self::find_words_in_names, Self::find_words, Self::find_substring];
        let punctuated: [SearchStep<'a>; 4] =
            [Self::find_by_name, Self::find_substring, Self::find_words_in_names, Self::find_words];
        for way in if asked.is_punctuated() { punctuated } else { plain } {
            if self.rows.len() >= self.most {
                self.is_cut = true;
                break;
            }
            way(self, asked)?;
        }
        Ok(())
    }

    /// Rows that contain some of the words, or many of the letters.
    pub(super) fn find_partial_matches(&mut self, asked: &SearchQuery) -> Result<()> {
        for left_out in 0..asked.words.len().min(SUFFICIENT_ROWS) {
            let mut some = asked.words.clone();
            some.remove(left_out);
            self.find_all_words(&some, SearchField::Name)?;
            self.find_all_words(&some, SearchField::Any)?;
        }
        let rare = tables::rarest_trigrams(self.conn, &trigrams(&asked.whole), MAX_TRIGRAM_TEXTS)?;
        if !rare.is_empty() {
            let found = tables::best_rows(
                self.conn,
                FullTextTable::Trigrams,
                &any_of(&rare),
                self.bounds,
                self.most,
            )?;
            self.add_rows(found);
        }
        Ok(())
    }

    fn add_rows(&mut self, found: Vec<SearchRow>) {
        self.is_cut |= found.len() >= self.most;
        self.rows.extend(found.into_iter().map(|row| (row.id, row)));
    }

    /// Rows whose name is the query, or starts with it.
    fn find_by_name(&mut self, asked: &SearchQuery) -> Result<()> {
        if !asked.whole.is_empty() {
            let found = tables::by_name(self.conn, &asked.whole, self.bounds, self.most)?;
            self.add_rows(found);
        }
        Ok(())
    }

    fn find_words_in_names(&mut self, asked: &SearchQuery) -> Result<()> {
        self.find_all_words(&asked.words, SearchField::Name)
    }

    fn find_words(&mut self, asked: &SearchQuery) -> Result<()> {
        self.find_all_words(&asked.words, SearchField::Any)
    }

    /// Rows that contain all of some words, or words that start with them.
    fn find_all_words(&mut self, words: &[String], part: SearchField) -> Result<()> {
        match words {
            [] => Ok(()),
            // If many words start with this one, the word itself is searched, then the first of the
            // longer words. A prefix query would collect the rows of all of them before it returned
            // the first.
            [word] if self.bounds.is_unbounded() && word.is_ascii() => {
                if self.find_full_text(&quoted(word), part)? >= self.most {
                    return Ok(());
                }
                let column = matches!(part, SearchField::Name).then_some("name");
                let longer = tables::terms_with_prefix(self.conn, word, column, self.most)?;
                self.find_full_text(&any_of(&longer), part).map(drop)
            }
            words => {
                let starts: Vec<String> = words.iter().map(|word| format!("\"{word}\"*")).collect();
                self.find_full_text(&starts.join(" AND "), part).map(drop)
            }
        }
    }

    /// Adds the rows that match a query of words, and returns their number.
    fn find_full_text(&mut self, query: &str, part: SearchField) -> Result<usize> {
        if query.is_empty() {
            return Ok(0);
        }
        let query = match part {
            SearchField::Name => format!("name : ({query})"),
            SearchField::Any => query.to_owned(),
        };
        let found =
            tables::any_rows(self.conn, FullTextTable::Words, &query, self.bounds, self.most)?;
        let count = found.len();
        self.add_rows(found);
        Ok(count)
    }

    /// Rows that contain the letters anywhere in a word.
    fn find_substring(&mut self, asked: &SearchQuery) -> Result<()> {
        let grams = trigrams(&asked.whole);
        let query = if !grams.is_empty() {
            let all: Vec<String> = grams.iter().map(|gram| quoted(gram)).collect();
            all.join(" AND ")
        } else if asked.whole.is_empty() {
            return Ok(());
        } else if self.bounds.is_unbounded() {
            any_of(&tables::trigrams_with_prefix(self.conn, &asked.whole, self.most)?)
        } else {
            let found = tables::by_substring(self.conn, &asked.whole, self.bounds, self.most)?;
            self.add_rows(found);
            return Ok(());
        };
        if !query.is_empty() {
            let found = tables::any_rows(
                self.conn,
                FullTextTable::Trigrams,
                &query,
                self.bounds,
                self.most,
            )?;
            self.add_rows(found);
        }
        Ok(())
    }
}

fn any_of(terms: &[String]) -> String {
    let terms: Vec<String> = terms.iter().map(|term| quoted(term)).collect();
    terms.join(" OR ")
}

fn quoted(term: &str) -> String {
    format!("\"{}\"", term.replace('"', "\"\""))
}

/// The trigrams of each run of characters without spaces. If all runs are shorter than three
/// characters, the trigrams of the whole text; if that is shorter too, none.
fn trigrams(text: &str) -> Vec<String> {
    let windows = |run: &str| {
        let run: Vec<char> = run.chars().collect();
        run.windows(3).map(|gram| gram.iter().collect::<String>()).collect::<Vec<_>>()
    };
    let grams: Vec<String> = text.split(char::is_whitespace).flat_map(windows).collect();
    if grams.is_empty() { windows(text) } else { grams }
}
