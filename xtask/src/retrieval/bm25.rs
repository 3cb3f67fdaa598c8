//! Plain BM25, for comparison: it uses only the words of texts and their counts.

use std::collections::HashMap;

/// Okapi BM25 with its usual parameters.
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// Documents to rank.
pub(super) struct Bm25 {
    names: Vec<String>,
    counts: Vec<HashMap<String, u32>>,
    lengths: Vec<f64>,
    document_frequency: HashMap<String, u32>,
}

impl Bm25 {
    pub(super) fn new(documents: impl IntoIterator<Item = (String, HashMap<String, u32>)>) -> Self {
        let (names, counts): (Vec<_>, Vec<_>) = documents.into_iter().unzip();
        let lengths = counts.iter().map(|c| c.values().map(|n| f64::from(*n)).sum()).collect();
        let mut document_frequency = HashMap::new();
        for words in &counts {
            for word in words.keys() {
                *document_frequency.entry(word.clone()).or_default() += 1;
            }
        }
        Self { names, counts, lengths, document_frequency }
    }

    /// Names of the documents, best first.
    pub(super) fn rank(&self, query: &str) -> Vec<&str> {
        #[expect(clippy::cast_precision_loss, reason = "a few thousand files")]
        let all = self.names.len() as f64;
        let mean = self.lengths.iter().sum::<f64>() / all.max(1.0);
        let asked = words(query);
        let score = |at: usize| -> f64 {
            let each = |(word, times): (&String, &u32)| {
                let count = f64::from(self.counts[at].get(word).copied().unwrap_or(0));
                let with = f64::from(self.document_frequency.get(word).copied().unwrap_or(0));
                let rarity = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
                let length = 1.0 - B + B * self.lengths[at] / mean;
                f64::from(*times) * rarity * count * (K1 + 1.0) / (count + K1 * length)
            };
            asked.iter().map(each).sum()
        };
        let mut ranked: Vec<(f64, &str)> =
            (0..self.names.len()).map(|at| (score(at), self.names[at].as_str())).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
        ranked.into_iter().map(|(_, name)| name).collect()
    }
}

/// The words of a text with their counts; identifiers are split and kept whole too.
pub(super) fn words(text: &str) -> HashMap<String, u32> {
    let mut counts = HashMap::new();
    let runs = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    for run in runs.filter(|run| run.starts_with(|c: char| c.is_alphabetic() || c == '_')) {
        let parts = parts(run);
        if parts.len() > 1 {
            *counts.entry(run.to_lowercase()).or_default() += 1;
        }
        for part in parts {
            *counts.entry(part).or_default() += 1;
        }
    }
    counts
}

fn parts(run: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut before = '_';
    for c in run.chars() {
        let starts = c.is_uppercase() && before.is_lowercase();
        if c == '_' || starts {
            parts.push(String::new());
        }
        if c != '_' {
            parts.last_mut().expect("never empty").extend(c.to_lowercase());
        }
        before = c;
    }
    parts.retain(|part| !part.is_empty());
    parts
}
