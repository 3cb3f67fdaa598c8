//! `@see` lines in doc comments: put in, taken out, pointed elsewhere.
//!
//! What `unlink` takes out is decided by `link`: it gives back the text to which `link` would have
//! added just that, and only when there is none does it cut out the line as a person would.

use base::Span;

use super::comment::{self, Form};
use super::style::{indent_at, newline, opens_line};
use super::{Place, Refusal, Splice, apply, header, new_error, owner, read, removal};
use crate::Language;
use crate::docs;
use crate::lines::offset;
use crate::model::{DocLink, DocTag, FileFacts, Owner, SymbolKind};

/// The key that a `@see` names: the first word after it, without what ends a sentence.
pub fn key_of(target: &str) -> &str {
    let word = target.split_whitespace().next().unwrap_or_default();
    word.trim_end_matches([',', ';', '.', ')', ':'])
}

/// The text with `@see key` in the doc comment of a place; the same text if it is there.
pub fn link(
    language: Language,
    text: &str,
    place: Place<'_>,
    key: &str,
) -> Result<String, Refusal> {
    let facts = read(language, text)?;
    let owner = owner(&facts, place)?;
    if links(&facts, owner, key).next().is_some() {
        return Ok(text.to_owned());
    }
    let forbidden = |part: &str| key.contains(part);
    if key.is_empty()
        || key.contains(char::is_whitespace)
        || ["*/", "\"", "'"].iter().any(|part| forbidden(part))
    {
        return Err(Refusal::NoPlace("such a key cannot stand in a comment"));
    }
    let tries = additions(language, text, &facts, owner, &format!("@see {key}"));
    let mut broken = None;
    for splice in tries {
        let new = splice.apply(text);
        let after = read(language, &new)?;
        match is_change(&facts, &after, owner, key, Change::Added) {
            Ok(()) => return Ok(new),
            Err(refusal) => broken = Some(refusal),
        }
    }
    Err(broken.unwrap_or(Refusal::NoPlace("it has no doc comment of its own")))
}

/// The text without any `@see key` in the doc comment of a place.
pub fn unlink(
    language: Language,
    text: &str,
    place: Place<'_>,
    key: &str,
) -> Result<String, Refusal> {
    let mut text = text.to_owned();
    loop {
        let facts = read(language, &text)?;
        let owner = owner(&facts, place)?;
        let Some(found) = links(&facts, owner, key).next() else { return Ok(text) };
        text = without(language, &text, place, &facts, found)?;
    }
}

/// The text with every link to `old` pointing to `new`, and how many there were.
pub fn relink(
    language: Language,
    text: &str,
    old: &str,
    new: &str,
) -> Result<(String, usize), Refusal> {
    let facts = read(language, text)?;
    let found = facts.doc_links.iter().filter(|link| is_see(link, old));
    let mut splices: Vec<Splice> = found
        .map(|link| {
            let end = link.span.start + offset(old.len());
            Splice { span: Span::new(link.span.start, end), text: new.to_owned() }
        })
        .collect();
    splices.sort_by_key(|splice| splice.span);
    splices.dedup();
    Ok((apply(text, &splices), splices.len()))
}

fn is_see(link: &DocLink, key: &str) -> bool {
    link.tag == DocTag::See && key_of(&link.target) == key
}

fn links<'f>(
    facts: &'f FileFacts,
    owner: Owner,
    key: &'f str,
) -> impl Iterator<Item = &'f DocLink> {
    facts.doc_links.iter().filter(move |link| is_of(facts, link.owner, owner) && is_see(link, key))
}

/// Whether something is the symbol, or another signature of it.
fn is_of(facts: &FileFacts, one: Owner, symbol: Owner) -> bool {
    let path = |owner: Owner| owner.map(|at| facts.symbols[at as usize].path.as_str());
    path(one) == path(symbol)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Added,
    Removed,
}

/// Whether two readings differ by one link alone.
fn is_change(
    before: &FileFacts,
    after: &FileFacts,
    owner: Owner,
    key: &str,
    change: Change,
) -> Result<(), Refusal> {
    if let Some(error) = new_error(before, after) {
        return Err(Refusal::Broken(error.clone()));
    }
    let (less, more) = if change == Change::Added { (before, after) } else { (after, before) };
    let told = |facts: &FileFacts| {
        let mut all: Vec<_> = facts
            .doc_links
            .iter()
            .map(|link| (link.owner, link.tag, link.target.clone()))
            .collect();
        all.sort();
        all
    };
    let mut rest = told(more);
    let ours = |link: &(Owner, DocTag, String)| {
        link.0 == owner && link.1 == DocTag::See && key_of(&link.2) == key
    };
    let at = rest.iter().position(ours);
    let Some(at) = at else { return Err(Refusal::NoPlace(NOT_ITS_OWN)) };
    rest.remove(at);
    let paths = |facts: &FileFacts| -> Vec<String> {
        facts.symbols.iter().map(|symbol| symbol.path.clone()).collect()
    };
    if rest != told(less)
        || paths(before) != paths(after)
        || before.imports.len() != after.imports.len()
    {
        return Err(Refusal::NoPlace(NOT_ITS_OWN));
    }
    Ok(())
}

const NOT_ITS_OWN: &str = "a doc comment there would belong to something else";

/// The ways to say something about a place, best first.
fn additions(
    language: Language,
    text: &str,
    facts: &FileFacts,
    owner: Owner,
    said: &str,
) -> Vec<Splice> {
    let newline = newline(text);
    let Some(at) = owner else {
        let known = facts.doc.as_ref().filter(|doc| !docs::is_notice(&text[doc.span.range()]));
        return match known {
            Some(doc) => comment::merge(text, doc.span, said, newline),
            None => header::create(language, text, said, newline),
        };
    };
    let symbol = &facts.symbols[at as usize];
    if let Some(doc) = &symbol.doc {
        return comment::merge(text, doc.span, said, newline);
    }
    let has_body = symbol.kind.is_callable() || symbol.kind == SymbolKind::Class;
    if language == Language::Python && has_body {
        return symbol.body.map(|body| in_body(text, body, said, newline)).into_iter().collect();
    }
    above(language, text, symbol.span.start as usize, said, newline)
}

/// A docstring, first thing in a body.
fn in_body(text: &str, body: Span, said: &str, newline: &str) -> Splice {
    let at = body.start as usize;
    let comment = Form::Docstring.line(said);
    if opens_line(text, at) {
        return Splice::insert(at, format!("{comment}{newline}{}", indent_at(text, at)));
    }
    Splice::insert(at, format!("{comment}; "))
}

/// A comment right before a declaration, with what else belongs to it.
fn above(language: Language, text: &str, at: usize, said: &str, newline: &str) -> Vec<Splice> {
    let form = match Form::of(language) {
        Form::Docstring => Form::Lines("#:"),
        other => other,
    };
    let mut tries = Vec::new();
    if opens_line(text, at) {
        let comment = form.line(said);
        let indent = indent_at(text, at);
        tries.push(Splice::insert(at, format!("{comment}{newline}{indent}")));
    }
    if let Some(form) = Form::inline(language) {
        tries.push(Splice::insert(at, format!("{} ", form.line(said))));
    }
    tries
}

/// The text without one link.
fn without(
    language: Language,
    text: &str,
    place: Place<'_>,
    facts: &FileFacts,
    found: &DocLink,
) -> Result<String, Refusal> {
    let docs =
        facts.doc.iter().chain(facts.symbols.iter().filter_map(|symbol| symbol.doc.as_ref()));
    let around = docs.map(|doc| doc.span).find(|span| span.contains(found.span));
    let around = around.ok_or(Refusal::NoPlace("it is in no doc comment"))?;
    let key = key_of(&found.target);
    let tries = removal::added(text, around, found.span);
    for splice in &tries {
        let old = splice.apply(text);
        if old != text && link(language, &old, place, key).as_deref() == Ok(text) {
            return Ok(old);
        }
    }
    let mut refused = Refusal::NoPlace("it cannot be taken out alone");
    for splice in removal::by_hand(text, around, found.span).iter().chain(&tries) {
        let old = splice.apply(text);
        let after = read(language, &old)?;
        match is_change(facts, &after, found.owner, key, Change::Removed) {
            Ok(()) => return Ok(old),
            Err(refusal) => refused = refusal,
        }
    }
    Err(refused)
}
