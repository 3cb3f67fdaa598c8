//! How well a text fits a query, and why.

use super::tables::Found;
use super::{Hit, Why, words};

/// A query, taken apart.
pub(super) struct Asked {
    /// All of it in lower case
    pub whole: String,
    /// Its words in lower case
    pub words: Vec<String>,
}

impl Asked {
    pub(super) fn new(query: &str) -> Self {
        Self { words: words::words(query), whole: query.trim().to_lowercase() }
    }

    /// Punctuation is asked for on purpose: `C++` is not any word that starts with c.
    pub(super) fn is_punctuated(&self) -> bool {
        !self.whole.chars().all(|c| c.is_alphanumeric() || c.is_whitespace())
    }

    /// How well a row fits, and why; `None` if it only looked so.
    pub(super) fn judge(&self, row: Found) -> Option<Hit> {
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

    pub(super) fn fit(&self, row: &Found) -> Option<(Why, f64)> {
        let name = row.name.to_lowercase();
        let last = name.rsplit(['/', '.', ':']).next().unwrap_or_default();
        let stem = name.rsplit('/').next().unwrap_or_default();
        if name == self.whole || stem == self.whole || last == self.whole {
            return Some((Why::ExactName, 3.0)); // before a name that merely holds all of it
        }
        let literal = name.contains(&self.whole) || row.body.to_lowercase().contains(&self.whole);
        let bonus = match (literal, self.is_punctuated()) {
            (true, true) => 2.0,
            (true, false) => 0.4,
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
        let has = |list: &[String], word: &String| list.iter().any(|w| w.starts_with(&**word));
        let in_name = words::words(&row.name);
        let (named, others): (Vec<&String>, Vec<&String>) =
            self.words.iter().partition(|word| has(&in_name, word));
        let in_body = if others.is_empty() { Vec::new() } else { words::words(&row.body) };
        let said = named.len() + others.iter().filter(|word| has(&in_body, word)).count();
        #[expect(clippy::cast_precision_loss, reason = "queries are short")]
        let share = |count: usize| count as f64 / self.words.len() as f64;
        (share(named.len()), share(said))
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
