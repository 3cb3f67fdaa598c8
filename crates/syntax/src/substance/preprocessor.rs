//! The text of a C macro, which grammars leave as one token.

/// The text without the white space that only lays it out, and without line continuations. Between
/// two words or two signs of one operator, and in literals, it counts.
pub(super) fn macro_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut quote = None;
    let mut is_escaped = false;
    let mut has_space = false;
    for c in text.replace("\\\r\n", " ").replace("\\\n", " ").chars() {
        if quote.is_none() && c.is_whitespace() {
            has_space = true;
            continue;
        }
        if has_space && out.chars().next_back().is_some_and(|before| must_stay_apart(before, c)) {
            out.push(' ');
        }
        has_space = false;
        out.push(c);
        match quote {
            None if matches!(c, '"' | '\'') => quote = Some(c),
            Some(open) if c == open && !is_escaped => quote = None,
            _ => {}
        }
        is_escaped = quote.is_some() && c == '\\' && !is_escaped;
    }
    out
}

fn must_stay_apart(before: char, after: char) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    (is_word(before) && is_word(after)) || (before == after && "+-&|<>=".contains(before))
}
