//! Cuts SQL into words, names, texts and signs.

use std::ops::Range;

/// What a part of a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SqlTokenKind {
    /// A keyword or a name
    Word,
    /// A name in quotes
    QuotedName,
    /// A text or a number
    Literal,
    /// A sign. The end of a statement is `;`, even if the file sets another delimiter
    Sign(u8),
    /// A comment of one line
    LineComment,
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SqlToken {
    pub kind: SqlTokenKind,
    pub span: Range<usize>,
}

/// The tokens of a text. Comments in blocks are left out.
pub(super) fn tokens(text: &str) -> Vec<SqlToken> {
    let mut lexer = SqlLexer { text, at: 0, found: Vec::new(), delimiter: None };
    while lexer.at < text.len() {
        lexer.next();
    }
    lexer.found
}

/// A name without its quotes.
pub(super) fn identifier(written: &str) -> String {
    written.trim_matches(['"', '`', '[', ']']).to_owned()
}

struct SqlLexer<'t> {
    text: &'t str,
    at: usize,
    found: Vec<SqlToken>,
    /// The delimiter besides `;` that a `DELIMITER` line for the MySQL client sets
    delimiter: Option<&'t str>,
}

impl<'t> SqlLexer<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn push(&mut self, kind: SqlTokenKind, length: usize) {
        let span = self.at..(self.at + length).min(self.text.len());
        self.at = span.end;
        self.found.push(SqlToken { kind, span });
    }

    fn next(&mut self) {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return };
        if let Some(delimiter) = self.delimiter.filter(|delimiter| rest.starts_with(delimiter)) {
            return self.push(SqlTokenKind::Sign(b';'), delimiter.len());
        }
        match first {
            '-' if rest.starts_with("--") => {
                let length = rest.find('\n').unwrap_or(rest.len());
                self.push(SqlTokenKind::LineComment, length);
            }
            '/' if rest.starts_with("/*") => {
                self.at += rest.find("*/").map_or(rest.len(), |end| end + 2);
            }
            '\'' => self.push(SqlTokenKind::Literal, quoted_length(rest, '\'')),
            '"' | '`' => self.push(SqlTokenKind::QuotedName, quoted_length(rest, first)),
            '[' => match rest.find(']').filter(|end| is_bracketed_name(&rest[1..*end])) {
                Some(end) => self.push(SqlTokenKind::QuotedName, end + 1),
                None => self.push(SqlTokenKind::Sign(b'['), 1),
            },
            '$' => self.dollar(),
            _ if first.is_alphabetic() || matches!(first, '_' | '#' | '@') => self.word(),
            _ if first.is_ascii_digit() => {
                let is_part = |c: char| c.is_ascii_alphanumeric() || c == '.';
                let length = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
                self.push(SqlTokenKind::Literal, length);
            }
            _ if first.is_ascii_punctuation() => {
                self.push(SqlTokenKind::Sign(u8::try_from(first).unwrap_or(b'?')), 1);
            }
            _ => self.at += first.len_utf8(),
        }
    }

    /// `$$ … $$` and `$tag$ … $tag$` are texts; the inside is read too, since it is often SQL.
    fn dollar(&mut self) {
        let rest = self.rest();
        let is_tag = |c: char| c.is_alphanumeric() || c == '_';
        let tag = rest[1..].find(|c: char| !is_tag(c)).map(|length| length + 2);
        match tag.filter(|tag| rest[..*tag].ends_with('$') && rest.is_char_boundary(*tag)) {
            Some(tag) => self.push(SqlTokenKind::Sign(b'$'), tag),
            None => self.at += 1,
        }
    }

    fn word(&mut self) {
        let rest = self.rest();
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '#' | '@');
        let length = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
        let delimiter = self.delimiter.and_then(|delimiter| rest[..length].find(delimiter));
        let length = delimiter.unwrap_or(length);
        let (word, line) = (&rest[..length], rest.lines().next().unwrap_or_default());
        let is_first =
            self.text[..self.at].bytes().rev().take_while(|byte| *byte != b'\n').all(|b| b == b' ');
        if is_first && word.eq_ignore_ascii_case("delimiter") {
            self.delimiter = line[length..].split_whitespace().next().filter(|mark| *mark != ";");
            self.at += line.len();
        } else if is_first && line.trim().eq_ignore_ascii_case("go") {
            self.push(SqlTokenKind::Sign(b';'), length);
        } else {
            self.push(SqlTokenKind::Word, length);
        }
    }
}

/// The length of what is in quotes, these included; doubled quotes do not end it.
fn quoted_length(rest: &str, quote: char) -> usize {
    let mut chars = rest.char_indices().skip(1).peekable();
    while let Some((at, one)) = chars.next() {
        if one == '\\' && quote == '\'' {
            chars.next();
        } else if one == quote {
            match chars.peek() {
                Some((_, next)) if *next == quote => drop(chars.next()),
                _ => return at + one.len_utf8(),
            }
        }
    }
    rest.len()
}

/// Whether what is in brackets is a name, as in Transact-SQL, not an index.
fn is_bracketed_name(inside: &str) -> bool {
    inside.starts_with(|c: char| c.is_alphabetic() || c == '_') && inside.len() < 120
}
