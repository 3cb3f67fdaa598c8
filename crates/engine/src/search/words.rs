//! Splits a text into words, and identifiers into their parts.

/// The words of a text in lower case, in order: `handleOAuthCallback` is handle, oauth, callback.
pub fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for_each_word(text, |word| words.push(word.to_lowercase()));
    words
}

/// Gives each word of a text as it is written.
pub fn for_each_word<'t>(text: &'t str, mut give: impl FnMut(&'t str)) {
    for run in text.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty()) {
        split(run, &mut give);
    }
}

/// The names of a node in lower case: its whole name, the last part of its path, and the last part
/// of that.
pub(crate) fn lookup_keys(name: &str) -> Vec<String> {
    let name = name.to_lowercase();
    let stem = name.rsplit('/').next().unwrap_or_default().to_owned();
    let last = name.rsplit(['/', '.', ':']).next().unwrap_or_default().to_owned();
    let mut keys = vec![name, stem, last];
    keys.retain(|key| !key.is_empty());
    keys.sort();
    keys.dedup();
    keys
}

/// The words for the index: all words, and each split identifier also as a whole.
pub(crate) fn index_words(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for run in text.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty()) {
        let mut parts = 0;
        split(run, &mut |part| {
            parts += 1;
            out.push_str(&part.to_lowercase());
            out.push(' ');
        });
        if parts > 1 {
            out.push_str(&run.to_lowercase());
            out.push(' ');
        }
    }
    out
}

/// Splits at a change from lower to upper case and between letters and digits; a run of
/// capitals belongs together up to the last before a small letter, which starts the next word.
fn split<'t>(run: &'t str, give: &mut impl FnMut(&'t str)) {
    let mut start = 0;
    let (mut earlier, mut before) = (None, None);
    let mut letters = run.char_indices().peekable();
    while let Some((at, here)) = letters.next() {
        let next = letters.peek().map(|(_, next)| *next);
        let window = before.map(|before| CharWindow { earlier, before, here, next });
        if window.is_some_and(CharWindow::is_word_boundary) {
            give(&run[start..at]);
            start = at;
        }
        (earlier, before) = (before, Some(here));
    }
    give(&run[start..]);
}

/// A character with its neighbours.
#[derive(Clone, Copy)]
struct CharWindow {
    /// Two before
    earlier: Option<char>,
    before: char,
    here: char,
    next: Option<char>,
}

impl CharWindow {
    /// Whether a word starts here.
    fn is_word_boundary(self) -> bool {
        let Self { earlier, before, here, next } = self;
        let camel = before.is_lowercase() && here.is_uppercase();
        // `OAuth` and `HTTPServer`: of two capitals before a small letter, the first ends an
        // acronym; a single capital is not a word.
        let acronym = before.is_uppercase()
            && here.is_uppercase()
            && next.is_some_and(char::is_lowercase)
            && earlier.is_some_and(char::is_uppercase);
        let digit = before.is_numeric() != here.is_numeric() && !here.is_numeric();
        camel || acronym || digit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_split_where_their_writer_would_pause() {
        let split = |text: &str| words(text).join(" ");
        assert_eq!(split("handleOAuthCallback"), "handle oauth callback");
        assert_eq!(split("HTTPServer_config2json"), "http server config2 json");
        assert_eq!(split("src/auth-login.ts"), "src auth login ts");
        assert_eq!(split("한국어 검색"), "한국어 검색");
        assert_eq!(index_words("aBc d"), "a bc abc d ");
    }
}
