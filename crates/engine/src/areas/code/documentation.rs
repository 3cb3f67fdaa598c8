//! Doc comments in the form in which answers show them.

/// The most characters of a doc comment that one line of an answer shows.
const MAX_SENTENCE_CHARS: usize = 160;

/// The first sentence of a doc comment, without the full stop.
pub fn first_sentence(doc: &str) -> String {
    let paragraph: Vec<&str> =
        doc.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
    let text = paragraph.join(" ");
    let sentence = text.split_inclusive(". ").next().unwrap_or_default().trim();
    sentence.trim_end_matches('.').chars().take(MAX_SENTENCE_CHARS).collect()
}
