//! Changes to a text that keep every byte they are not about. Pure: text to text.
//!
//! Each change is proposed, applied and parsed again. It is returned only if the result has the
//! requested difference and no other. So a change either does what its name says or is refused.
//! `doc_links` changes the `@see` lines of doc comments, `symbols` whole declarations,
//! `markdown_links` the links of documents.

mod declaration_groups;
mod doc_comment;
mod doc_link_removal;
mod doc_links;
mod extent;
mod import_paths;
mod indent;
mod literal_lines;
mod markdown_links;
mod mentions;
mod module_comment;
mod outline_check;
mod python_dedent;
mod symbols;
mod text_layout;

#[cfg(test)]
mod tests;

use base::Span;

use crate::line_index::offset;
use crate::model::{FileFacts, SymbolOwner, SyntaxError};
use crate::{Language, extract};

pub use doc_links::{add_doc_link, doc_link_key, remove_doc_link, retarget_doc_links};
pub use import_paths::{
    ImportRefusal, LocalImport, MovedImport, copied_import, exported_declaration, import_like,
    import_statement, local_imports, relocate_import,
};
pub use markdown_links::{format_link_destination, replace_link_destinations};
pub use mentions::{IdentifierMention, find_mentions};
pub use symbols::{SymbolEdit, edit_symbol, symbol_spans};

/// What a change is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocTarget<'a> {
    /// The file itself
    Module,
    /// The symbol with this path, `Session.refresh`
    Symbol(&'a str),
}

/// Why a change was not made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditRefusal {
    /// The language is not parsed
    UnsupportedLanguage,
    /// No symbol of this file has the path; these are nearest
    NoSymbol(Vec<String>),
    /// The result would have a syntax error that the text did not have before
    NewSyntaxError(SyntaxError),
    /// No edit would have the requested meaning; the text gives the reason
    NotPossible(&'static str),
}

/// Refuses to edit declarations of a language that are not edited as text.
fn check_editable(language: Language) -> Result<(), EditRefusal> {
    match language.descriptor().layout.not_editable {
        Some(why) => Err(EditRefusal::NotPossible(why)),
        None => Ok(()),
    }
}

/// A range of a text and its replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextSplice {
    /// The replaced range
    pub span: Span,
    /// The replacement
    pub text: String,
}

impl TextSplice {
    /// Puts a text where nothing was.
    pub(crate) fn insert(at: usize, text: impl Into<String>) -> Self {
        Self { span: Span::new(offset(at), offset(at)), text: text.into() }
    }

    /// Deletes a range.
    pub(crate) fn remove(start: usize, end: usize) -> Self {
        Self { span: Span::new(offset(start), offset(end)), text: String::new() }
    }

    /// The text with this change made.
    #[must_use]
    pub fn apply(&self, text: &str) -> String {
        apply_splices(text, std::slice::from_ref(self))
    }
}

/// The text with all changes made. They are in order and do not overlap.
pub fn apply_splices(text: &str, splices: &[TextSplice]) -> String {
    let mut out = String::with_capacity(text.len() + 64);
    let mut at = 0;
    for TextSplice { span, text: new } in splices {
        out.push_str(&text[at..span.start as usize]);
        out.push_str(new);
        at = span.end as usize;
    }
    out.push_str(&text[at..]);
    out
}

/// The symbol that a place names; `None` is the module. Of several signatures it is the first.
fn find_owner(facts: &FileFacts, place: DocTarget<'_>) -> Result<SymbolOwner, EditRefusal> {
    let DocTarget::Symbol(path) = place else { return Ok(None) };
    let found = facts.symbols.iter().position(|symbol| symbol.path == path);
    found.map(|at| Some(offset(at))).ok_or_else(|| {
        let names = facts.symbols.iter().filter(|symbol| !symbol.is_anonymous());
        let near =
            base::similarity::most_similar(path, names.map(|symbol| symbol.path.as_str()), 3);
        EditRefusal::NoSymbol(near.into_iter().map(str::to_owned).collect())
    })
}

/// The facts of a text in a language that is parsed.
fn extract_code(language: Language, text: &str) -> Result<FileFacts, EditRefusal> {
    if language.is_code() {
        Ok(extract(Some(language), text.as_bytes()))
    } else {
        Err(EditRefusal::UnsupportedLanguage)
    }
}

/// The first error that is new. Positions shift, so errors are compared by what they
/// say, and by how many say it.
fn first_new_error<'f>(before: &FileFacts, after: &'f FileFacts) -> Option<&'f SyntaxError> {
    let mut known: Vec<&str> = before.errors.iter().map(|error| error.message.as_str()).collect();
    after.errors.iter().find(|error| {
        let at = known.iter().position(|message| *message == error.message);
        at.map(|at| known.swap_remove(at)).is_none()
    })
}
