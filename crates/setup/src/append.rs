//! A block of lines at the end of a text, set apart by an empty line.
//!
//! The block ends with a newline only if the text before it did, so that removing the block
//! restores the same bytes.

use std::ops::Range;

use crate::text::newline;

/// The file that holds the block alone.
pub(crate) fn new_file(block: &str) -> String {
    format!("{block}\n")
}

/// The text with the block at its end.
pub(crate) fn add(text: &str, block: &str) -> String {
    let nl = newline(text);
    let block = block.replace('\n', nl);
    if text.ends_with('\n') {
        format!("{text}{nl}{block}{nl}")
    } else {
        format!("{text}{nl}{nl}{block}")
    }
}

/// The text without the block at `range`; `None` when there was only the block.
pub(crate) fn remove_block(text: &str, range: Range<usize>) -> Option<String> {
    let nl = newline(&text[range.clone()]);
    let (before, after) = (&text[..range.start], &text[range.end..]);
    if before.is_empty() && (after.is_empty() || after == nl) {
        return None;
    }
    let less = |text: &'_ str| text.strip_suffix(nl).unwrap_or(text).len();
    let (end, rest) = match after.strip_prefix("\r\n").or(after.strip_prefix('\n')) {
        Some(rest) => (less(before), rest),
        None => (less(&before[..less(before)]), after),
    };
    Some(format!("{}{rest}", &before[..end]))
}
