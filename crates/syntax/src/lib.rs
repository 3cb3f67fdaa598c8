//! Turns the text of a file into facts about it, and describes languages. Pure: the same text gives
//! the same facts, whatever else there is.
//!
//! Each language has a row in `language.rs` and a folder, which close relatives share;
//! `docs/how-to/add-a-language.md` has all steps. Everything that other crates need to know about a
//! language is in its [`LanguageDescriptor`]. What the facts of several files mean together is left
//! to other crates.

#![cfg_attr(
    test,
    expect(clippy::needless_raw_string_hashes, reason = "fixtures and outlines keep one form")
)]
#![cfg_attr(
    not(feature = "default"),
    allow(
        dead_code,
        unused_imports,
        clippy::allow_attributes,
        reason = "what only some languages use is left in a program without them"
    )
)]

mod access;
mod bash;
mod c;
mod component;
mod cpp;
mod csharp;
mod descriptor;
mod doc_comments;
pub mod edit;
mod facts_builder;
mod file_role;
pub mod framework_relations;
mod go;
mod graphql;
mod highlight;
mod java;
mod javascript;
mod kotlin;
mod language;
mod lexical;
mod line_index;
mod lua;
mod manifest;
mod markdown;
mod model;
mod nesting;
mod notebook;
mod notices;
#[cfg(test)]
mod outline;
mod php;
mod plain_text;
mod protobuf;
mod python;
#[cfg(test)]
mod robustness;
mod ruby;
mod rust;
pub mod schema;
mod signature;
mod sql;
mod substance;
mod swift;
mod symbol_paths;
pub mod tools;
mod treesitter;

pub use access::{AccessForm, AccessKind, NameAccess, find_accesses};
pub use descriptor::{
    CallModel, ExportedNames, FileConventions, FileImports, ImportResolver, LanguageDescriptor,
    LanguageKind, LanguageSemantics,
};
pub use file_role::{
    EntryFile, EntryPattern, FileRole, declares_no_test, has_generated_marker, is_named_as_test,
    is_private_to_package_tests, is_test_file, tested_stem,
};
pub use go::{GoBuildSet, is_predeclared};
pub use highlight::{HighlightSpan, TokenClass, highlight, is_keyword};
pub use language::Language;
pub use model::*;
pub use substance::{SUBSTANCE_VERSION, code_substance, prose_substance, text_substance};

use descriptor::LanguageParser;

/// Increase whenever extraction of the same text changes, so that cached facts are discarded.
pub const EXTRACTOR_VERSION: u32 = 20;

/// Extracts the facts of a file.
///
/// Each byte that is not UTF-8 is replaced by `?`, so that offsets stay valid.
pub fn extract(language: Option<Language>, bytes: &[u8]) -> FileFacts {
    let text = decode_lossy(bytes);
    let mut facts = extract_by_language(language, &text);
    if let Some(language) = language {
        symbol_paths::assign_unique_paths(language, &mut facts);
        let code = language.descriptor().parser.code_text(&text);
        schema::add_uses(language, &code, &mut facts);
    }
    facts
}

fn extract_by_language(language: Option<Language>, text: &str) -> FileFacts {
    let without_mark = || base::text::without_byte_order_mark(text);
    let Some(language) = language else { return plain_text::extract(without_mark()) };
    let descriptor = language.descriptor();
    match &descriptor.parser {
        LanguageParser::PlainText => plain_text::extract(without_mark()),
        LanguageParser::LeftOut => plain_text::extract_left_out(language, without_mark()),
        LanguageParser::Markdown => markdown::extract(without_mark()),
        LanguageParser::Manifest(read) => manifest::extract(*read, without_mark()),
        LanguageParser::Oxc(dialect) => javascript::extract(*dialect, text),
        LanguageParser::Component(format) => component::extract(*format, text),
        LanguageParser::Reader(read) => read(text),
        LanguageParser::TreeSitter { extract, .. } | LanguageParser::Notebook { extract, .. } => {
            extract(text)
        }
        LanguageParser::Grammar(rules) => treesitter::extract(*rules, descriptor.comments, text),
    }
}

/// A file as a reader wants to see it, line by line: a notebook shows the code of its cells, all
/// else is as it is written.
pub fn displayed_text(path: &base::RepoPath, text: String) -> String {
    match Language::from_path(path).map(|language| &language.descriptor().parser) {
        Some(LanguageParser::Notebook { .. }) => notebook::displayed_text(&text),
        _ => text,
    }
}

/// Decodes bytes as UTF-8; each invalid byte becomes `?`.
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
