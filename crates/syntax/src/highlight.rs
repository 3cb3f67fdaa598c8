//! Which parts of a source text are comments, texts, numbers and keywords, for readers. It looks at
//! words and quotes only, so it also works for a part of a file, and is no basis for facts.

use base::RepoPath;

use crate::descriptor::{CommentSyntax, LanguageKind};
use crate::language::Language;
use crate::lexical::LexicalRules;

/// What a part of a source text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenClass {
    /// A comment
    Comment,
    /// A text in quotes
    Text,
    /// A number
    Number,
    /// A word that the language reserves
    Keyword,
}

/// A part of a source text, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HighlightSpan {
    /// Where it starts
    pub start: usize,
    /// Where it ends
    pub end: usize,
    /// What it is
    pub class: TokenClass,
}

/// The parts of a text that differ from ordinary names and signs, in order and without overlaps.
/// None for files that are no code.
pub fn highlight(path: &RepoPath, text: &str) -> Vec<HighlightSpan> {
    let Some(language) = Language::from_path(path) else { return Vec::new() };
    let descriptor = language.descriptor();
    if descriptor.kind != LanguageKind::Code {
        return Vec::new();
    }
    let (comments, lexical) = (descriptor.comments, descriptor.lexical);
    Highlighter { text, at: 0, comments, lexical, spans: Vec::new() }.run()
}

/// Whether a word is reserved in some programming language, so that it does not characterize a text
/// that contains it. Those of schemas, such as `table` and `message`, are ordinary names elsewhere.
pub fn is_keyword(word: &str) -> bool {
    let descriptors = Language::ALL.iter().map(|language| language.descriptor());
    descriptors
        .filter(|descriptor| descriptor.semantics.schema.is_none())
        .any(|descriptor| descriptor.lexical.has_keyword(word))
}

struct Highlighter<'t> {
    text: &'t str,
    at: usize,
    comments: CommentSyntax,
    lexical: LexicalRules,
    spans: Vec<HighlightSpan>,
}

impl Highlighter<'_> {
    fn run(mut self) -> Vec<HighlightSpan> {
        while let Some(first) = self.rest().chars().next() {
            let start = self.at;
            let found = self
                .comment_end()
                .map(|end| (end, TokenClass::Comment))
                .or_else(|| self.text_end(first).map(|end| (end, TokenClass::Text)))
                .or_else(|| self.word(first));
            match found {
                Some((end, class)) => {
                    self.spans.push(HighlightSpan { start, end, class });
                    self.at = end;
                }
                None if is_word(first) => self.at += word_length(self.rest()),
                None => self.at += first.len_utf8(),
            }
        }
        self.spans
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// The position behind what follows from here, up to and with `close`; without it, the end.
    fn behind(&self, skip: usize, close: &str) -> usize {
        let from = self.at + skip;
        self.text[from..].find(close).map_or(self.text.len(), |found| from + found + close.len())
    }

    fn comment_end(&self) -> Option<usize> {
        let rest = self.rest();
        if let Some(block) = self.comments.block
            && rest.starts_with(block.open)
        {
            return Some(self.behind(block.open.len(), block.close));
        }
        // In a shell, `$#` and `a#b` are no comments.
        let is_free = self.text[..self.at].chars().next_back().is_none_or(char::is_whitespace);
        let starts = |marker: &str| {
            !marker.is_empty() && rest.starts_with(marker) && (is_free || marker != "#")
        };
        let is_line = starts(self.comments.line) || self.comments.other_line.is_some_and(starts);
        is_line.then(|| self.at + rest.find('\n').unwrap_or(rest.len()))
    }

    fn text_end(&self, first: char) -> Option<usize> {
        let rest = self.rest();
        if self.lexical.has_raw_texts && first == 'r' && !self.is_in_word() {
            let signs = rest[1..].bytes().take_while(|byte| *byte == b'#').count();
            if rest[1 + signs..].starts_with('"') {
                return Some(self.behind(2 + signs, &format!("\"{}", "#".repeat(signs))));
            }
        }
        if self.lexical.has_triple_quotes {
            for quotes in ["\"\"\"", "'''"] {
                if rest.starts_with(quotes) {
                    return Some(self.behind(3, quotes));
                }
            }
        }
        match first {
            '"' => self.quoted_end('"', self.lexical.has_long_texts),
            '`' if self.lexical.has_back_ticks => self.quoted_end('`', true),
            '\'' if self.lexical.has_characters => self.character_end(),
            '\'' => self.quoted_end('\'', self.lexical.has_long_texts),
            _ => None,
        }
    }

    /// The end of a text in quotes; `None` if it does not end on its line, unless it may have
    /// several.
    fn quoted_end(&self, quote: char, is_long: bool) -> Option<usize> {
        let mut is_escaped = false;
        for (position, letter) in self.rest().char_indices().skip(1) {
            match letter {
                '\n' if !is_long && !is_escaped => return None,
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                _ if letter == quote => return Some(self.at + position + letter.len_utf8()),
                _ => {}
            }
        }
        is_long.then_some(self.text.len())
    }

    /// The end of `'a'` or `'\n'`; `None` for a lifetime, as in `&'a str`.
    fn character_end(&self) -> Option<usize> {
        let rest = self.rest();
        let mut letters = rest.char_indices().skip(1);
        let (_, first) = letters.next()?;
        if first == '\\' {
            let close = rest[2..].char_indices().skip(1).find(|(_, letter)| *letter == '\'')?.0;
            let end = self.at + 2 + close + 1;
            return (!self.text[self.at..end].contains('\n')).then_some(end);
        }
        let (position, second) = letters.next()?;
        (second == '\'').then_some(self.at + position + 1)
    }

    fn is_in_word(&self) -> bool {
        self.text[..self.at].chars().next_back().is_some_and(is_word)
    }

    fn word(&self, first: char) -> Option<(usize, TokenClass)> {
        if !is_word(first) {
            return None;
        }
        let length = word_length(self.rest());
        let word = &self.rest()[..length];
        if first.is_ascii_digit() {
            return Some((self.at + length, TokenClass::Number));
        }
        self.lexical.has_keyword(word).then_some((self.at + length, TokenClass::Keyword))
    }
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn word_length(text: &str) -> usize {
    text.find(|letter| !is_word(letter)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(path: &str, text: &str) -> Vec<String> {
        let path = path.parse().expect("a path");
        let letter = |class| match class {
            TokenClass::Comment => 'c',
            TokenClass::Text => 's',
            TokenClass::Number => 'n',
            TokenClass::Keyword => 'k',
        };
        let spans = highlight(&path, text);
        spans
            .iter()
            .map(|span| format!("{}:{}", letter(span.class), &text[span.start..span.end]))
            .collect()
    }

    #[test]
    fn comments_texts_numbers_and_keywords_are_found() {
        assert_eq!(
            parts(
                "a.rs",
                "/* b */ fn go<'a>(c: &'a str) -> char { 'x' } // 1\nlet r#for = r#\"\"quote\"\"#;"
            ),
            ["c:/* b */", "k:fn", "s:'x'", "c:// 1", "k:let", "k:for", "s:r#\"\"quote\"\"#"]
        );
        assert_eq!(
            parts("a.ts", "const a = `x ${1}\n`; let b = \"it's\" + 0x1F;"),
            ["k:const", "s:`x ${1}\n`", "k:let", "s:\"it's\"", "n:0x1F"]
        );
        assert_eq!(
            parts("a.py", "def f():\n    \"\"\"Doc \"x\".\"\"\"\n    return 'a' # end"),
            ["k:def", "s:\"\"\"Doc \"x\".\"\"\"", "k:return", "s:'a'", "c:# end"]
        );
    }

    #[test]
    fn every_language_of_code_has_keywords() {
        for language in Language::ALL {
            let descriptor = language.descriptor();
            let is_code = descriptor.kind == LanguageKind::Code;
            let has_keywords = !descriptor.lexical.keywords.is_empty();
            assert_eq!(is_code, has_keywords, "{language:?}");
        }
    }

    #[test]
    fn keywords_of_sql_are_found_in_both_cases() {
        let spans = parts("a.sql", "SELECT a from b");
        assert_eq!(spans, ["k:SELECT", "k:from"]);
    }

    #[test]
    fn nothing_is_found_in_prose_and_unknown_files() {
        assert!(parts("a.md", "if this \"then\" 1").is_empty());
        assert!(parts("a.bin", "if this").is_empty());
    }

    #[test]
    fn spans_are_in_order_and_end_at_letters_whatever_the_text() {
        for text in [
            "'",
            "\"",
            "'\\",
            "r#",
            "r#\"",
            "/*",
            "ä'ö",
            "`",
            "'''",
            "\"\"\"",
            "0",
            "'\\u{1F600}'",
            "é\"é",
        ] {
            for path in ["a.rs", "a.ts", "a.py", "a.go", "a.sh", "a.php", "a.kt", "a.rb", "a.lua"] {
                let path = path.parse().expect("a path");
                let mut last = 0;
                for span in highlight(&path, text) {
                    assert!(last <= span.start && span.start < span.end && span.end <= text.len());
                    assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end));
                    last = span.end;
                }
            }
        }
    }
}
