//! Decodes files, and finds their line endings.

use std::ops::Range;

use base::text::MarkedText;

use crate::MalformedFile;

/// The bytes as text, apart from the byte order mark before it.
pub(crate) fn decode(bytes: &[u8]) -> Result<MarkedText<'_>, MalformedFile> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| MalformedFile::at(bytes, error.valid_up_to(), "the file is not UTF-8"))?;
    Ok(MarkedText::new(text))
}

/// The line ending of a text: that of its first line.
pub(crate) fn newline(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// The text without some ranges, which must be sorted and must not overlap.
pub(crate) fn remove_ranges(text: &str, cuts: &[Range<usize>]) -> String {
    let (mut kept, mut from) = (String::with_capacity(text.len()), 0);
    for cut in cuts {
        kept.push_str(&text[from..cut.start]);
        from = cut.end;
    }
    kept + &text[from..]
}
