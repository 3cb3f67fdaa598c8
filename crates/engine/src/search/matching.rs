//! Scores how well a text matches a query, with the reason.

use base::similarity;

use super::tables::SearchRow;
use super::{MatchReason, SearchHit, words};

/// A parsed query.
pub(super) struct SearchQuery {
    /// All of it in lower case
    pub whole: String,
    /// Its words in lower case
    pub words: Vec<String>,
}

impl SearchQuery {
    pub(super) fn new(query: &str) -> Self {
        Self { words: words::words(query), whole: query.trim().to_lowercase() }
    }

    /// Whether the query contains punctuation, which must match: `C++` is not any word with c.
    pub(super) fn is_punctuated(&self) -> bool {
        !self.whole.chars().all(|c| c.is_alphanumeric() || c.is_whitespace())
    }

    /// The score and reason of a row; `None` if it does not match after all.
    pub(super) fn to_hit(&self, row: SearchRow) -> Option<SearchHit> {
        let (why, fit) = self.match_row(&row)?;
        // Within one reason, short names score higher: the query covers more of them.
        #[expect(clippy::cast_precision_loss, reason = "names are short")]
        let brevity = 1.0 / (1.0 + row.name.chars().count() as f64 / 40.0);
        let score = 10.0 - f64::from(why as u8) + fit + brevity;
        let SearchRow { node, kind, name, body, .. } = row;
        Some(SearchHit { node, kind, name, body, excerpt: String::new(), why, score })
    }

    pub(super) fn match_row(&self, row: &SearchRow) -> Option<(MatchReason, f64)> {
        let name = row.name.to_lowercase();
        let last = name.rsplit(['/', '.', ':']).next().unwrap_or_default();
        let stem = name.rsplit('/').next().unwrap_or_default();
        if name == self.whole || stem == self.whole || last == self.whole {
            return Some((MatchReason::ExactName, 3.0)); // before a name that only contains it
        }
        let literal = name.contains(&self.whole) || self.is_contained_in(&row.body);
        let bonus = match (literal, self.is_punctuated()) {
            (true, true) => 2.0,
            (true, false) => 0.4,
            (false, _) => 0.0,
        };
        let (named, said) = self.word_shares(row);
        if named >= 1.0 {
            return Some((MatchReason::Name, bonus));
        }
        if said >= 1.0 {
            return Some((MatchReason::Text, named / 2.0 + bonus));
        }
        if literal {
            return Some((MatchReason::Letters, 0.0));
        }
        let like = similarity::score(stem, &self.whole).max(similarity::score(&name, &self.whole));
        if like > similarity::MIN_SEARCHED {
            return Some((MatchReason::Typo, like / 2.0));
        }
        (said > 0.3).then_some((MatchReason::SomeWords, said / 2.0 + named / 4.0))
    }

    /// How many of the words are in a row's name, and how many in its name or text.
    fn word_shares(&self, row: &SearchRow) -> (f64, f64) {
        if self.words.is_empty() {
            return (0.0, 0.0);
        }
        let mut left: Vec<&str> = self.words.iter().map(String::as_str).collect();
        let mut strike = |text: &str| {
            words::for_each_word(text, |found| {
                left.retain(|word| !starts_with_ignoring_case(found, word));
            });
            left.len()
        };
        let unnamed = strike(&row.name);
        let unsaid = if unnamed == 0 { 0 } else { strike(&row.body) };
        #[expect(clippy::cast_precision_loss, reason = "queries are short")]
        let share = |left: usize| (self.words.len() - left) as f64 / self.words.len() as f64;
        (share(unnamed), share(unsaid))
    }

    /// Whether a text contains the whole query literally, ignoring case.
    fn is_contained_in(&self, text: &str) -> bool {
        let (whole, text_bytes) = (self.whole.as_bytes(), text.as_bytes());
        match whole.len() {
            0 => true,
            _ if text.contains(&self.whole) => true,
            len if self.whole.is_ascii() => {
                text_bytes.windows(len).any(|part| part.eq_ignore_ascii_case(whole))
            }
            _ => text.to_lowercase().contains(&self.whole),
        }
    }

    /// The line of a hit's text that contains the most words; empty if its name matched.
    pub(super) fn excerpt(&self, hit: &SearchHit) -> String {
        if matches!(hit.why, MatchReason::ExactName | MatchReason::Name | MatchReason::Typo) {
            return String::new();
        }
        let body = &hit.body;
        let hits = |line: &&str| {
            let lower = line.to_lowercase();
            self.words.iter().filter(|word| lower.contains(word.as_str())).count()
        };
        let best = body.lines().max_by_key(|line| (hits(line), std::cmp::Reverse(line.len())));
        best.unwrap_or_default().trim().chars().take(120).collect()
    }
}

/// Case-insensitive prefix test; the prefix is in lower case.
fn starts_with_ignoring_case(found: &str, word: &str) -> bool {
    if found.is_ascii() {
        return found.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    }
    found.to_lowercase().starts_with(word)
}
