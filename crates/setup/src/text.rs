//! Bytes as text: byte order marks, line ends, cuts.

use std::ops::Range;

use crate::MalformedFile;

const BOM: &str = "\u{feff}";

/// The text, and the byte order mark before it.
pub(crate) fn decode(bytes: &[u8]) -> Result<(&str, &str), MalformedFile> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| MalformedFile::at(bytes, error.valid_up_to(), "the file is not UTF-8"))?;
    Ok(text.strip_prefix(BOM).map_or(("", text), |rest| (BOM, rest)))
}

/// The line end that a text uses: that of its first line.
pub(crate) fn newline(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// The text without some stretches, which are in order and apart.
pub(crate) fn remove_ranges(text: &str, cuts: &[Range<usize>]) -> String {
    let (mut kept, mut from) = (String::with_capacity(text.len()), 0);
    for cut in cuts {
        kept.push_str(&text[from..cut.start]);
        from = cut.end;
    }
    kept + &text[from..]
}
