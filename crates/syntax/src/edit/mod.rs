//! Changes to a text that keep every byte they are not about. Pure: text to text.
//!
//! Each change is proposed, applied and read again; only one that says what was wanted, and
//! nothing else, is given back. So a change either does what its name says or is refused.
//! `links` are the `@see` lines of doc comments, `symbols` whole declarations, `destinations` the
//! links of documents.

mod comment;
mod destinations;
mod escape;
mod extent;
mod header;
mod indent;
mod links;
mod literal;
mod mentions;
mod outline;
mod removal;
mod signatures;
mod style;
mod symbols;

#[cfg(test)]
mod tests;

use base::Span;

use crate::lines::offset;
use crate::model::{FileFacts, Owner, SyntaxError};
use crate::{Language, extract};

pub use destinations::{destination, redirect};
pub use links::{key_of, link, relink, unlink};
pub use mentions::{Mention, mentions};
pub use symbols::{Edit, edit, itself};

/// What a change is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place<'a> {
    /// The file itself
    Module,
    /// The symbol with this path, `Session.refresh`
    Symbol(&'a str),
}

/// Why a change was not made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The language is not parsed
    Unparsed,
    /// No symbol of this file has the path; these are nearest
    NoSymbol(Vec<String>),
    /// The result would not be what its language allows, where it was before
    Broken(SyntaxError),
    /// There is no place for it that would mean what was asked for
    NoPlace(&'static str),
}

/// One stretch of a text and what comes in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Splice {
    /// What goes
    pub span: Span,
    /// What comes
    pub text: String,
}

impl Splice {
    /// Puts a text where nothing was.
    pub(crate) fn insert(at: usize, text: impl Into<String>) -> Self {
        Self { span: Span::new(offset(at), offset(at)), text: text.into() }
    }

    /// Takes a stretch away.
    pub(crate) fn remove(start: usize, end: usize) -> Self {
        Self { span: Span::new(offset(start), offset(end)), text: String::new() }
    }

    /// The text with this change made.
    #[must_use]
    pub fn apply(&self, text: &str) -> String {
        apply(text, std::slice::from_ref(self))
    }
}

/// The text with all changes made. They are in order and do not overlap.
pub fn apply(text: &str, splices: &[Splice]) -> String {
    let mut out = String::with_capacity(text.len() + 64);
    let mut at = 0;
    for Splice { span, text: new } in splices {
        out.push_str(&text[at..span.start as usize]);
        out.push_str(new);
        at = span.end as usize;
    }
    out.push_str(&text[at..]);
    out
}

/// The symbol that a place names; `None` is the module. Of several signatures it is the first.
fn owner(facts: &FileFacts, place: Place<'_>) -> Result<Owner, Refusal> {
    let Place::Symbol(path) = place else { return Ok(None) };
    let found = facts.symbols.iter().position(|symbol| symbol.path == path);
    found.map(|at| Some(offset(at))).ok_or_else(|| {
        let names = facts.symbols.iter().filter(|symbol| !symbol.is_anonymous());
        let near = base::near::nearest(path, names.map(|symbol| symbol.path.as_str()), 3);
        Refusal::NoSymbol(near.into_iter().map(str::to_owned).collect())
    })
}

/// The facts of a text in a language that is parsed.
fn read(language: Language, text: &str) -> Result<FileFacts, Refusal> {
    if language.is_code() {
        Ok(extract(Some(language), text.as_bytes()))
    } else {
        Err(Refusal::Unparsed)
    }
}

/// The first error that was not there before. Places shift, so errors are told apart by what they
/// say, and by how many say it.
fn new_error<'f>(before: &FileFacts, after: &'f FileFacts) -> Option<&'f SyntaxError> {
    let mut known: Vec<&str> = before.errors.iter().map(|error| error.message.as_str()).collect();
    after.errors.iter().find(|error| {
        let at = known.iter().position(|message| *message == error.message);
        at.map(|at| known.swap_remove(at)).is_none()
    })
}
