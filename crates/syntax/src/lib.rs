//! Text to facts about it. Pure: the same text gives the same facts, whatever else there is.
//!
//! One folder a language; a language is added by its folder and its line in
//! [`language::Language`]. What facts of several files mean together is left to others.

mod facts;
mod language;
mod markdown;
mod plain;

pub use facts::{FileFacts, Heading, Link};
pub use language::Language;

/// Grows whenever the same text would give other facts, so that cached ones are not believed.
pub const EXTRACTOR_VERSION: u32 = 1;

/// What the text of a file says. Bytes that are not UTF-8 are replaced before they are read.
pub fn extract(language: Option<Language>, bytes: &[u8]) -> FileFacts {
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    match language {
        Some(Language::Markdown) => markdown::extract(text),
        _ => plain::extract(text),
    }
}
