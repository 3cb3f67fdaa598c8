//! How a file is written: its line ends, and where its lines begin.

/// What ends the lines of a text, by what most of them do.
pub(super) fn dominant_newline(text: &str) -> &'static str {
    let all = text.matches('\n').count();
    let windows = text.matches("\r\n").count();
    if windows * 2 > all { "\r\n" } else { "\n" }
}

/// Where the line of an offset starts, a byte order mark left out.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    if start == 0 { at.min(byte_order_mark_len(text)) } else { start }
}

/// Where the line of an offset ends, without its line end.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    let end = text[at..].find('\n').map_or(text.len(), |newline| at + newline);
    if text[at..end].ends_with('\r') { end - 1 } else { end }
}

/// The white space that the line of an offset starts with.
pub(super) fn indent_at(text: &str, at: usize) -> &str {
    let line = &text[line_start(text, at)..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Whether only white space precedes an offset on its line.
pub(super) fn is_first_on_line(text: &str, at: usize) -> bool {
    text[line_start(text, at)..at].trim().is_empty()
}

/// How long the byte order mark is.
pub(super) fn byte_order_mark_len(text: &str) -> usize {
    base::text::MarkedText::new(text).mark.len()
}

/// The offset after one line end, if one is here.
pub(super) fn after_newline(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    let length = if rest.starts_with("\r\n") { 2 } else { usize::from(rest.starts_with('\n')) };
    (length > 0).then_some(at + length)
}

/// The offset before one line end, if one ends here.
pub(super) fn before_newline(text: &str, at: usize) -> Option<usize> {
    let rest = text[..at].strip_suffix('\n')?;
    Some(rest.strip_suffix('\r').unwrap_or(rest).len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_lines_decide() {
        assert_eq!(dominant_newline("a\r\nb\r\nc\n"), "\r\n");
        assert_eq!(dominant_newline("a\nb\r\n"), "\n");
    }
}
