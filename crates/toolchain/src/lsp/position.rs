//! Positions in the language server protocol: file URIs, and positions in one of two encodings.

use std::path::{Path, PathBuf};

use base::percent;
use base::text::{LineBefore, saturating_u32};
use serde_json::{Value, json};

/// How a server counts columns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PositionEncoding {
    /// Bytes
    Utf8,
    /// Code units of UTF-16, the default of the protocol
    #[default]
    Utf16,
}

/// A position in a text. Line and column are counted from 0; the column is in the server's
/// encoding.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct LspPosition {
    /// The line
    pub line: u32,
    /// The column
    pub character: u32,
}

impl LspPosition {
    /// The position in the form of the protocol.
    pub fn to_json(self) -> Value {
        json!({"line": self.line, "character": self.character})
    }

    /// Parses a position of the protocol.
    pub fn from_json(value: &Value) -> Option<Self> {
        let number = |key: &str| value[key].as_u64().and_then(|number| u32::try_from(number).ok());
        Some(Self { line: number("line")?, character: number("character")? })
    }
}

/// The position of a byte of a text.
pub fn position_at(text: &str, offset: usize, encoding: PositionEncoding) -> LspPosition {
    let line = LineBefore::of_byte(text, offset);
    let character = match encoding {
        PositionEncoding::Utf8 => line.text.len(),
        PositionEncoding::Utf16 => line.text.encode_utf16().count(),
    };
    LspPosition { line: line.lines_above, character: saturating_u32(character) }
}

/// The byte offset of a position. A column past the end of the line means its end.
pub fn offset_at(text: &str, position: LspPosition, encoding: PositionEncoding) -> Option<usize> {
    let mut start = 0;
    for _ in 0..position.line {
        start += text.get(start..)?.find('\n')? + 1;
    }
    let line = text.get(start..)?;
    let line = &line[..line.find('\n').unwrap_or(line.len())];
    let wanted = position.character as usize;
    let inside = match encoding {
        PositionEncoding::Utf8 => (wanted..=line.len()).find(|at| line.is_char_boundary(*at)),
        PositionEncoding::Utf16 => {
            let mut units = 0;
            let found = line.char_indices().find(|(_, char)| {
                let here = units >= wanted;
                units += char.len_utf16();
                here
            });
            found.map(|(at, _)| at)
        }
    };
    Some(start + inside.unwrap_or(line.len()))
}

/// A file as a URI.
pub fn uri_from_path(path: &Path) -> String {
    format!("file://{}", percent::encode_uri_path(&platform::uri_path_bytes(path)))
}

/// The file that a URI names; `None` for a URI of another scheme.
pub fn path_from_uri(uri: &str) -> Option<PathBuf> {
    let encoded = uri.strip_prefix("file://")?;
    Some(platform::path_from_uri_bytes(percent::decode_lossy(encoded).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_and_bytes_lead_to_each_other() {
        let text = "a\nçé𝄞x\r\n\nend";
        for encoding in [PositionEncoding::Utf8, PositionEncoding::Utf16] {
            for (at, _) in text.char_indices().chain([(text.len(), ' ')]) {
                let position = position_at(text, at, encoding);
                assert_eq!(offset_at(text, position, encoding), Some(at), "{at} {encoding:?}");
            }
        }
        let x = text.find('x').unwrap();
        assert_eq!(
            position_at(text, x, PositionEncoding::Utf16),
            LspPosition { line: 1, character: 4 }
        );
        assert_eq!(
            position_at(text, x, PositionEncoding::Utf8),
            LspPosition { line: 1, character: 8 }
        );
        let past = LspPosition { line: 0, character: 99 };
        assert_eq!(offset_at(text, past, PositionEncoding::Utf16), Some(1));
        let gone = LspPosition { line: 9, character: 0 };
        assert_eq!(offset_at(text, gone, PositionEncoding::Utf8), None);
    }

    #[test]
    fn files_and_uris_lead_to_each_other() {
        let path = Path::new("/p/ä b/#1%.ts");
        assert_eq!(uri_from_path(path), "file:///p/%C3%A4%20b/%231%25.ts");
        assert_eq!(path_from_uri(&uri_from_path(path)).as_deref(), Some(path));
        assert_eq!(path_from_uri("file:///p/%c3%a4"), Some("/p/ä".into()));
        assert_eq!(path_from_uri("untitled:1"), None);
    }
}
