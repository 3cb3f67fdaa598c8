//! Texts as people and editors see them: byte order marks, and lines and columns of byte offsets.

/// The character that some editors put before a text to mark it as UTF-8.
pub const BYTE_ORDER_MARK: &str = "\u{feff}";

/// A text and the byte order mark before it, which is empty if there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MarkedText<'t> {
    /// [`BYTE_ORDER_MARK`] or nothing
    pub mark: &'t str,
    /// The text behind it
    pub text: &'t str,
}

impl<'t> MarkedText<'t> {
    /// Splits the mark off a text.
    pub fn new(whole: &'t str) -> Self {
        let text = without_byte_order_mark(whole);
        let (mark, text) = whole.split_at(whole.len() - text.len());
        Self { mark, text }
    }

    /// Another text behind the same mark.
    pub fn with_text(&self, text: &str) -> String {
        format!("{}{text}", self.mark)
    }
}

/// A text without the byte order mark before it.
pub fn without_byte_order_mark(text: &str) -> &str {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

/// Bytes without the byte order mark before them.
pub fn bytes_without_byte_order_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(BYTE_ORDER_MARK.as_bytes()).unwrap_or(bytes)
}

/// A place in a text; line and column are counted from 1, the column in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextPosition {
    /// The line
    pub line: u32,
    /// The character in it
    pub column: u32,
}

impl TextPosition {
    /// The first character of a text.
    pub const START: Self = Self { line: 1, column: 1 };

    /// The line and column of a byte offset. An offset inside a character is rounded down to its
    /// start; one past the end is the end of the text.
    pub fn of_byte(text: &str, offset: usize) -> Self {
        let line = LineBefore::of_byte(text, offset);
        let column = saturating_u32(line.text.chars().count()) + 1;
        Self { line: line.lines_above + 1, column }
    }
}

/// The part of a line that comes before a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineBefore<'t> {
    /// How many lines are above it
    pub lines_above: u32,
    /// The text from the start of the line up to the byte
    pub text: &'t str,
}

impl<'t> LineBefore<'t> {
    /// The part of the line before a byte offset. An offset inside a character is rounded down to
    /// its start; one past the end is the end of the text.
    pub fn of_byte(text: &'t str, offset: usize) -> Self {
        let before = &text[..text.floor_char_boundary(offset)];
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let lines = before.matches('\n').count();
        Self { lines_above: saturating_u32(lines), text: &before[start..] }
    }
}

/// A count as `u32`, the largest one if it does not fit.
pub fn saturating_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_has_a_line_and_a_column() {
        let text = "a\nçé𝄞x\r\n\nend";
        let position = |offset| {
            let TextPosition { line, column } = TextPosition::of_byte(text, offset);
            (line, column)
        };
        assert_eq!(position(0), (1, 1));
        assert_eq!(position(1), (1, 2));
        assert_eq!(position(2), (2, 1));
        assert_eq!(position(text.find('x').unwrap()), (2, 4));
        assert_eq!(position(text.find('𝄞').unwrap() + 2), (2, 3), "inside of a character");
        assert_eq!(position(text.len()), (4, 4));
        assert_eq!(position(999), (4, 4));
        assert_eq!(LineBefore::of_byte(text, 4), LineBefore { lines_above: 1, text: "ç" });
    }

    #[test]
    fn one_byte_order_mark_is_split_off() {
        let marked = MarkedText::new("\u{feff}a");
        assert_eq!((marked.mark, marked.text), (BYTE_ORDER_MARK, "a"));
        assert_eq!(marked.with_text("b"), "\u{feff}b");
        assert_eq!(MarkedText::new("a"), MarkedText { mark: "", text: "a" });
        assert_eq!(bytes_without_byte_order_mark(b"\xef\xbb\xbfa"), b"a");
    }
}
