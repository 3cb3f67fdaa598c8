//! Where rows are looked for: the surest places first, and no further than there is need to.
//!
//! A word may be in every text there is. Ranking all of them costs as much as reading them, so
//! each way of looking stops at a number of rows, and a look stops when it has seen enough.

use std::collections::BTreeMap;

use base::Result;
use store::Connection;

use super::fit::Asked;
use super::tables::{self, Bounds, Found, Held};

/// Rows that a look is content with, unless the caller looks at more.
const ENOUGH: usize = 200;

/// Rows that a look takes in for nobody.
const CANDIDATES: usize = 1000;

/// Texts that one piece of a mistyped word may be in to be worth looking at.
const RARE: usize = 1000;

/// Rows as they are found.
pub(super) struct Look<'a> {
    conn: &'a Connection,
    bounds: &'a Bounds,
    most: usize,
    rows: BTreeMap<i64, Found>,
    is_cut: bool,
}

/// Where the words of a query have to be.
#[derive(Clone, Copy)]
enum Part {
    Name,
    Any,
}

/// A way of looking.
type Way<'a> = fn(&mut Look<'a>, &Asked) -> Result<()>;

impl<'a> Look<'a> {
    /// A look for a caller who wants to see `most` rows.
    pub(super) fn new(conn: &'a Connection, bounds: &'a Bounds, most: usize) -> Self {
        let most = most.clamp(ENOUGH, CANDIDATES);
        Self { conn, bounds, most, rows: BTreeMap::new(), is_cut: false }
    }

    /// What was found so far.
    pub(super) fn rows(&self) -> impl Iterator<Item = &Found> {
        self.rows.values()
    }

    /// What was found, and whether there may be more.
    pub(super) fn found(self) -> (Vec<Found>, bool) {
        (self.rows.into_values().collect(), self.is_cut)
    }

    /// Rows that hold the words, or the letters.
    pub(super) fn close(&mut self, asked: &Asked) -> Result<()> {
        let plain: [Way<'a>; 4] = [Self::names, Self::named_words, Self::words, Self::letters];
        let punctuated: [Way<'a>; 4] = [Self::names, Self::letters, Self::named_words, Self::words];
        for way in if asked.is_punctuated() { punctuated } else { plain } {
            if self.rows.len() >= self.most {
                self.is_cut = true;
                break;
            }
            way(self, asked)?;
        }
        Ok(())
    }

    /// Rows that hold some of the words, or many of the letters.
    pub(super) fn distant(&mut self, asked: &Asked) -> Result<()> {
        for left_out in 0..asked.words.len().min(ENOUGH) {
            let mut some = asked.words.clone();
            some.remove(left_out);
            self.holding(&some, Part::Name)?;
            self.holding(&some, Part::Any)?;
        }
        let rare = tables::rare_pieces(self.conn, &grams(&asked.whole), RARE)?;
        if !rare.is_empty() {
            let found =
                tables::best(self.conn, (Held::Grams, &any_of(&rare)), (self.bounds, self.most))?;
            self.take(found);
        }
        Ok(())
    }

    fn take(&mut self, found: Vec<Found>) {
        self.is_cut |= found.len() >= self.most;
        self.rows.extend(found.into_iter().map(|row| (row.id, row)));
    }

    /// What is called so, or starts so.
    fn names(&mut self, asked: &Asked) -> Result<()> {
        if !asked.whole.is_empty() {
            let found = tables::by_name(self.conn, &asked.whole, (self.bounds, self.most))?;
            self.take(found);
        }
        Ok(())
    }

    fn named_words(&mut self, asked: &Asked) -> Result<()> {
        self.holding(&asked.words, Part::Name)
    }

    fn words(&mut self, asked: &Asked) -> Result<()> {
        self.holding(&asked.words, Part::Any)
    }

    /// Rows that hold all of some words, or words that start so.
    fn holding(&mut self, words: &[String], part: Part) -> Result<()> {
        match words {
            [] => Ok(()),
            // A word that many others start with is looked up by itself, then by the first of
            // those: putting together what holds any of them would come before the first row.
            [word] if self.bounds.is_open() && word.is_ascii() => {
                if self.fitting(&quoted(word), part)? >= self.most {
                    return Ok(());
                }
                let column = matches!(part, Part::Name).then_some("name");
                let longer = tables::terms_from(self.conn, word, (column, self.most))?;
                self.fitting(&any_of(&longer), part).map(drop)
            }
            words => {
                let starts: Vec<String> = words.iter().map(|word| format!("\"{word}\"*")).collect();
                self.fitting(&starts.join(" AND "), part).map(drop)
            }
        }
    }

    /// Takes the rows that a query of words fits, and says how many those are.
    fn fitting(&mut self, query: &str, part: Part) -> Result<usize> {
        if query.is_empty() {
            return Ok(0);
        }
        let query = match part {
            Part::Name => format!("name : ({query})"),
            Part::Any => query.to_owned(),
        };
        let found = tables::any(self.conn, (Held::Words, &query), (self.bounds, self.most))?;
        let count = found.len();
        self.take(found);
        Ok(count)
    }

    /// Rows that hold the letters, wherever in a word.
    fn letters(&mut self, asked: &Asked) -> Result<()> {
        let grams = grams(&asked.whole);
        let query = if !grams.is_empty() {
            let all: Vec<String> = grams.iter().map(|gram| quoted(gram)).collect();
            all.join(" AND ")
        } else if asked.whole.is_empty() {
            return Ok(());
        } else if self.bounds.is_open() {
            any_of(&tables::pieces_from(self.conn, &asked.whole, self.most)?)
        } else {
            let found = tables::by_substring(self.conn, &asked.whole, (self.bounds, self.most))?;
            self.take(found);
            return Ok(());
        };
        if !query.is_empty() {
            let found = tables::any(self.conn, (Held::Grams, &query), (self.bounds, self.most))?;
            self.take(found);
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

/// The trigrams of each run without spaces; those of the whole where the runs are shorter, and
/// none where that is shorter too.
fn grams(text: &str) -> Vec<String> {
    let windows = |run: &str| {
        let run: Vec<char> = run.chars().collect();
        run.windows(3).map(|gram| gram.iter().collect::<String>()).collect::<Vec<_>>()
    };
    let grams: Vec<String> = text.split(char::is_whitespace).flat_map(windows).collect();
    if grams.is_empty() { windows(text) } else { grams }
}
