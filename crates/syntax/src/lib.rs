//! Text to facts about it. Pure: the same text gives the same facts, whatever else there is.
//!
//! One folder a language; a language is added by its folder and its line in
//! [`language::Language`]. What facts of several files mean together is left to others.

#![cfg_attr(
    test,
    expect(clippy::needless_raw_string_hashes, reason = "fixtures and outlines keep one form")
)]

#[cfg(feature = "bash")]
mod bash;
#[cfg(feature = "c")]
mod c;
#[cfg(feature = "cpp")]
mod cpp;
#[cfg(feature = "csharp")]
mod csharp;
mod doc_comments;
pub mod edit;
mod facts_builder;
pub mod framework_relations;
#[cfg(feature = "go")]
mod go;
#[cfg(feature = "java")]
mod java;
mod javascript;
#[cfg(feature = "kotlin")]
mod kotlin;
mod language;
mod line_index;
mod manifest;
mod markdown;
mod model;
mod nesting;
#[cfg(test)]
mod outline;
#[cfg(feature = "php")]
mod php;
mod plain_text;
mod python;
#[cfg(test)]
mod robustness;
#[cfg(feature = "ruby")]
mod ruby;
mod rust;
mod signature;
#[cfg(feature = "swift")]
mod swift;
mod symbol_paths;
mod treesitter;

pub use go::{GoBuildSet, is_predeclared};
pub use language::Language;
pub use model::*;

/// Grows whenever the same text would give other facts, so that cached ones are not believed.
pub const EXTRACTOR_VERSION: u32 = 12;

/// What the text of a file says.
///
/// Bytes that are not UTF-8 are replaced, each by `?`, so that offsets stay true.
pub fn extract(language: Option<Language>, bytes: &[u8]) -> FileFacts {
    let mut facts = extract_by_language(language, &decode_lossy(bytes));
    if let Some(language) = language {
        symbol_paths::assign_unique_paths(language, &mut facts);
    }
    facts
}

fn extract_by_language(language: Option<Language>, text: &str) -> FileFacts {
    match language {
        Some(language) if language.is_manifest() => {
            manifest::extract(language, base::text::without_byte_order_mark(text))
        }
        Some(Language::Markdown) => markdown::extract(base::text::without_byte_order_mark(text)),
        Some(language @ (Language::JavaScript | Language::TypeScript | Language::Tsx)) => {
            javascript::extract(language, text)
        }
        #[cfg(feature = "bash")]
        Some(Language::Bash) => bash::extract(text),
        #[cfg(feature = "c")]
        Some(Language::C) => c::extract(text),
        #[cfg(feature = "cpp")]
        Some(Language::Cpp) => cpp::extract(text),
        #[cfg(feature = "csharp")]
        Some(Language::CSharp) => csharp::extract(text),
        #[cfg(feature = "java")]
        Some(Language::Java) => java::extract(text),
        #[cfg(feature = "kotlin")]
        Some(Language::Kotlin) => kotlin::extract(text),
        #[cfg(feature = "php")]
        Some(Language::Php) => php::extract(text),
        #[cfg(feature = "ruby")]
        Some(Language::Ruby) => ruby::extract(text),
        #[cfg(feature = "swift")]
        Some(Language::Swift) => swift::extract(text),
        #[cfg(feature = "go")]
        Some(Language::Go) => go::extract(text),
        Some(Language::Python) => python::extract(text),
        Some(Language::Rust) => rust::extract(text),
        _ => plain_text::extract(base::text::without_byte_order_mark(text)),
    }
}

/// The text of some bytes; invalid ones become `?`, one for one.
fn decode_lossy(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.into();
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    text.into()
}
