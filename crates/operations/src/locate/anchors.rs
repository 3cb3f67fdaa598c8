//! The texts that a question quotes: names in back-ticks, identifiers in its prose, messages in
//! quotation marks. A place that contains one of them exactly is probably meant.

use std::collections::BTreeSet;

/// How many quoted texts are searched for.
const MAX_ANCHORS: usize = 24;

/// The shortest and the longest quoted text, in bytes.
const MIN_BYTES: usize = 2;
const MAX_BYTES: usize = 100;

/// How many spaces make a text in quotation marks a message.
const MIN_SPACES: usize = 2;

/// The texts that a question quotes.
#[derive(Debug, Default, Clone)]
pub(super) struct QuestionAnchors {
    texts: Vec<String>,
}

impl QuestionAnchors {
    pub(super) fn of(question: &str) -> Self {
        let mut found: BTreeSet<String> = BTreeSet::new();
        for quoted in question.split('`').skip(1).step_by(2) {
            let quoted = quoted.trim();
            if is_usable(quoted) && !quoted.contains(char::is_whitespace) {
                found.insert(quoted.to_owned());
            }
            found.extend(code_words(quoted));
        }
        for mark in ['"', '\''] {
            let parts = question.split(mark).skip(1).step_by(2);
            found.extend(parts.filter_map(message).map(str::to_owned));
        }
        found.extend(code_words(question));
        Self { texts: found.into_iter().take(MAX_ANCHORS).collect() }
    }

    pub(super) fn len(&self) -> usize {
        self.texts.len()
    }

    /// Adds a name that stands for a quoted text, such as the constant that holds a message.
    pub(super) fn add(&mut self, name: &str) {
        if !self.texts.iter().any(|text| text == name) {
            self.texts.push(name.to_owned());
        }
    }

    /// The messages: texts of several words.
    pub(super) fn messages(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(String::as_str).filter(|text| text.contains(' '))
    }

    /// Which of the texts a line contains, by number.
    pub(super) fn found_in<'a>(&'a self, line: &'a str) -> impl Iterator<Item = usize> + 'a {
        let all = self.texts.iter().enumerate();
        all.filter(move |(_, text)| contains_whole(line, text)).map(|(at, _)| at)
    }

    /// Which of the texts are parts of a nested name, by number.
    pub(super) fn named_by<'a>(&'a self, full: &'a str) -> impl Iterator<Item = usize> + 'a {
        let all = self.texts.iter().enumerate();
        all.filter(move |(_, text)| full.split('.').any(|part| part == text.as_str()))
            .map(|(at, _)| at)
    }
}

fn is_usable(text: &str) -> bool {
    (MIN_BYTES..=MAX_BYTES).contains(&text.len())
        && text.contains(|one: char| one.is_alphanumeric())
}

/// A text in quotation marks, if it looks like a message; without the part from the first
/// placeholder on.
fn message(text: &str) -> Option<&str> {
    let text = text.split(['…', '%', '{', '$', '\n']).next().unwrap_or_default().trim();
    let text = text.trim_end_matches(['.', ':', ',']);
    let spaces = text.matches(' ').count();
    (is_usable(text) && spaces >= MIN_SPACES).then_some(text)
}

/// Words that are spelled like code: with an underscore, or with a capital after a small letter.
fn code_words(text: &str) -> Vec<String> {
    let is_part = |one: char| one.is_alphanumeric() || one == '_';
    let words = text.split(move |one: char| !is_part(one)).filter(|word| word.len() > 2);
    let is_code = |word: &&str| {
        let inner = word.trim_matches('_');
        let letters: Vec<char> = inner.chars().collect();
        let has_hump =
            letters.windows(2).any(|pair| pair[0].is_lowercase() && pair[1].is_uppercase());
        has_hump || (inner.contains('_') && inner.chars().any(char::is_alphabetic))
    };
    words.filter(is_code).map(str::to_owned).collect()
}

/// Whether a line contains a text that is not a part of a longer word.
fn contains_whole(line: &str, text: &str) -> bool {
    let is_part = |one: char| one.is_alphanumeric() || one == '_';
    let starts = text.starts_with(is_part);
    let ends = text.ends_with(is_part);
    line.match_indices(text).any(|(at, _)| {
        let before = line[..at].chars().next_back().is_some_and(is_part);
        let after = line[at + text.len()..].chars().next().is_some_and(is_part);
        let is_inside = (starts && before) || (ends && after);
        !is_inside
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_names_messages_and_identifiers_are_anchors() {
        let question = "When `After` is set, `less -S` fails with 'flag provided but not defined: -x'. \
            Calling parseFlags or max_size, see StreamingResponse.";
        let anchors = QuestionAnchors::of(question);
        let expected = [
            "After",
            "StreamingResponse",
            "flag provided but not defined: -x",
            "max_size",
            "parseFlags",
        ];
        assert_eq!(anchors.texts, expected);
    }

    #[test]
    fn a_text_is_found_as_a_whole_word() {
        let anchors = QuestionAnchors::of("`After` and `-S`");
        let found = |line: &str| anchors.found_in(line).count();
        assert_eq!(found("if cmd.After != nil {"), 1);
        assert_eq!(found("AfterAll()"), 0);
        assert_eq!(found("p.arg(\"-S\");"), 1);
        assert_eq!(anchors.named_by("Command.After").count(), 1);
    }
}
