//! Splits a question into words and weights them.

use std::collections::{BTreeMap, BTreeSet};

use base::RepoPath;

use crate::search::words;

/// Stop words: words that are in every text and say nothing about its topic.
const STOP_WORDS: &str = " the a an of to in is it and or for on this that with as be are was we you \
    not when if but by from at can have has do does which there should would will so what how use \
    using used my me its get also than then all any more no one into only out up just like see \
    here some other about after before first same been were am their them they these those your \
    our us may must shall could via per ";

/// Maximum length of a word; a longer run of letters is not a word.
const MAX_WORD_LENGTH: usize = 40;

/// How many different words of a question are used.
const MAX_WORDS: usize = 160;

/// Whether a word is worth keeping.
pub(super) fn is_word(word: &str) -> bool {
    let length = word.chars().count();
    (2..=MAX_WORD_LENGTH).contains(&length) && !word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a word is specific, so not a stop word.
pub(super) fn is_significant(word: &str) -> bool {
    is_word(word) && !STOP_WORDS.contains(&format!(" {word} "))
}

/// A question as words with their counts.
pub struct QuestionWords {
    counts: BTreeMap<String, usize>,
    /// Stop words
    stop_words: BTreeMap<String, usize>,
}

impl QuestionWords {
    /// Splits a text into words and counts them.
    pub fn new(text: &str) -> Self {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let mut stop_words: BTreeMap<String, usize> = BTreeMap::new();
        for word in words::index_words(text).split(' ').filter(|word| is_word(word)) {
            let list = if is_significant(word) { &mut counts } else { &mut stop_words };
            *list.entry(word.to_owned()).or_default() += 1;
        }
        if counts.len() > MAX_WORDS {
            // Of a very long text, the most frequent words are kept.
            let mut by_count: Vec<_> = counts.into_iter().collect();
            by_count.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            counts = by_count.into_iter().take(MAX_WORDS).collect();
        }
        Self { counts, stop_words }
    }

    /// The significant words, or the stop words, each with its count.
    pub const fn words(&self, telling: bool) -> &BTreeMap<String, usize> {
        if telling { &self.counts } else { &self.stop_words }
    }

    /// Whether the text has no significant word.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// The share of the words that a text contains.
    #[expect(clippy::cast_precision_loss, reason = "questions are short")]
    pub fn share(&self, text: &str) -> f64 {
        let spread = words::index_words(text);
        let said: BTreeSet<&str> = spread.split(' ').collect();
        let found = self.counts.keys().filter(|word| said.contains(word.as_str())).count();
        found as f64 / self.counts.len().max(1) as f64
    }

    /// The full-text query. A word that occurs twice counts more, but not twice as much.
    pub fn query(&self) -> String {
        let times = |count: usize| match count {
            1 => 1,
            2 | 3 => 2,
            _ => 3,
        };
        let phrases = self
            .counts
            .iter()
            .flat_map(|(word, count)| std::iter::repeat_n(format!("\"{word}\""), times(*count)));
        phrases.collect::<Vec<_>>().join(" OR ")
    }

    /// Weights the words by the paths that contain them: a word that few paths have counts more.
    pub fn score_paths<'a>(&self, paths: impl Iterator<Item = &'a RepoPath>) -> PathWordScores {
        let mut own = BTreeMap::new();
        let mut having: BTreeMap<String, usize> = BTreeMap::new();
        for path in paths {
            let words: BTreeSet<String> = words::words(&path.to_string()).into_iter().collect();
            let asked: Vec<String> =
                words.into_iter().filter(|word| self.counts.contains_key(word)).collect();
            for word in &asked {
                *having.entry(word.clone()).or_default() += 1;
            }
            own.insert(path.clone(), asked);
        }
        #[expect(clippy::cast_precision_loss, reason = "counts of files are small")]
        let all = own.len() as f64;
        let worth = |word: &String| {
            #[expect(clippy::cast_precision_loss, reason = "counts of files are small")]
            let (with, said) = (having[word] as f64, self.counts[word].min(3) as f64);
            (1.0 + (all - with + 0.5) / (with + 0.5)).ln() * said / 3.0
        };
        let sum = |words: &Vec<String>| words.iter().map(worth).sum::<f64>();
        let sums: BTreeMap<RepoPath, f64> =
            own.iter().map(|(path, words)| (path.clone(), sum(words))).collect();
        let best = sums.values().copied().fold(f64::MIN_POSITIVE, f64::max);
        PathWordScores { sums, best }
    }
}

/// How much of a question each path contains.
pub struct PathWordScores {
    sums: BTreeMap<RepoPath, f64>,
    best: f64,
}

impl PathWordScores {
    /// From 0 to 1.
    pub fn share(&self, path: &RepoPath) -> f64 {
        self.sums.get(path).map_or(0.0, |sum| sum / self.best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_say_nothing_are_left_out_and_repetition_counts_a_little() {
        let asked = QuestionWords::new("The parser of the parser, parser! parser? when 42 x");
        assert_eq!(asked.query(), r#""parser" OR "parser" OR "parser""#);
        assert!(QuestionWords::new("what is it").is_empty());
    }

    #[test]
    fn a_rare_word_of_a_path_tells_more() {
        let paths: Vec<RepoPath> =
            ["src/a/save.rs", "src/b.rs", "src/c.rs"].iter().map(|p| p.parse().unwrap()).collect();
        let told = QuestionWords::new("src save").score_paths(paths.iter());
        assert!((told.share(&paths[0]) - 1.0).abs() < f64::EPSILON);
        assert!(told.share(&paths[1]) < 0.4);
    }
}
