//! Adds, removes and retargets `@see` lines in doc comments.
//!
//! `remove_doc_link` is the inverse of `add_doc_link`: it looks for the text to which adding the
//! link gives the present one. Only if there is none does it delete the line as a person would.

use base::Span;

use super::doc_comment;
use super::text_layout::{dominant_newline, indent_at, is_first_on_line};
use super::{
    DocTarget, EditRefusal, TextSplice, apply_splices, check_editable, doc_link_removal,
    extract_code, find_owner, first_new_error, module_comment,
};
use crate::Language;
use crate::descriptor::DocCommentForm;
use crate::doc_comments;
use crate::line_index::offset;
use crate::model::{DocLink, DocTag, FileFacts, SymbolKind, SymbolOwner};

/// The key that a `@see` names: the first word after it, without what ends a sentence.
pub fn doc_link_key(target: &str) -> &str {
    let word = target.split_whitespace().next().unwrap_or_default();
    word.trim_end_matches([',', ';', '.', ')', ':'])
}

/// The text with `@see key` in the doc comment of a place; the same text if it is there.
pub fn add_doc_link(
    language: Language,
    text: &str,
    place: DocTarget<'_>,
    key: &str,
) -> Result<String, EditRefusal> {
    let facts = extract_code(language, text)?;
    let owner = find_owner(&facts, place)?;
    if matching_links(&facts, owner, key).next().is_some() {
        return Ok(text.to_owned());
    }
    check_editable(language)?;
    let forbidden = |part: &str| key.contains(part);
    if key.is_empty()
        || key.contains(char::is_whitespace)
        || ["*/", "\"", "'"].iter().any(|part| forbidden(part))
    {
        return Err(EditRefusal::NotPossible(
            "the key contains characters that cannot be written in a comment",
        ));
    }
    let tries = link_candidates(language, text, &facts, owner, &format!("@see {key}"));
    let mut broken = None;
    for splice in tries {
        let new = splice.apply(text);
        let after = extract_code(language, &new)?;
        match check_change(&facts, &after, owner, key, DocLinkChange::Added) {
            Ok(()) => return Ok(new),
            Err(refusal) => broken = Some(refusal),
        }
    }
    Err(broken.unwrap_or(EditRefusal::NotPossible("this declaration cannot have a doc comment")))
}

/// The text without any `@see key` in the doc comment of a place.
pub fn remove_doc_link(
    language: Language,
    text: &str,
    place: DocTarget<'_>,
    key: &str,
) -> Result<String, EditRefusal> {
    let mut text = text.to_owned();
    loop {
        let facts = extract_code(language, &text)?;
        let owner = find_owner(&facts, place)?;
        let Some(found) = matching_links(&facts, owner, key).next() else { return Ok(text) };
        check_editable(language)?;
        text = remove_one_link(language, &text, place, &facts, found)?;
    }
}

/// The text with every link to `old` pointing to `new`, and how many there were.
pub fn retarget_doc_links(
    language: Language,
    text: &str,
    old: &str,
    new: &str,
) -> Result<(String, usize), EditRefusal> {
    let facts = extract_code(language, text)?;
    let found = facts.doc_links.iter().filter(|link| is_see_link(link, old));
    let mut splices: Vec<TextSplice> = found
        .map(|link| {
            let end = link.span.start + offset(old.len());
            TextSplice { span: Span::new(link.span.start, end), text: new.to_owned() }
        })
        .collect();
    splices.sort_by_key(|splice| splice.span);
    splices.dedup();
    Ok((apply_splices(text, &splices), splices.len()))
}

fn is_see_link(link: &DocLink, key: &str) -> bool {
    link.tag == DocTag::See && doc_link_key(&link.target) == key
}

fn matching_links<'f>(
    facts: &'f FileFacts,
    owner: SymbolOwner,
    key: &'f str,
) -> impl Iterator<Item = &'f DocLink> {
    facts
        .doc_links
        .iter()
        .filter(move |link| is_same_symbol(facts, link.owner, owner) && is_see_link(link, key))
}

/// Whether something is the symbol, or another signature of it.
fn is_same_symbol(facts: &FileFacts, one: SymbolOwner, symbol: SymbolOwner) -> bool {
    let path = |owner: SymbolOwner| owner.map(|at| facts.symbols[at as usize].path.as_str());
    path(one) == path(symbol)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum DocLinkChange {
    Added,
    Removed,
}

/// Whether two readings differ by one link alone.
fn check_change(
    before: &FileFacts,
    after: &FileFacts,
    owner: SymbolOwner,
    key: &str,
    change: DocLinkChange,
) -> Result<(), EditRefusal> {
    if let Some(error) = first_new_error(before, after) {
        return Err(EditRefusal::NewSyntaxError(error.clone()));
    }
    let (less, more) =
        if change == DocLinkChange::Added { (before, after) } else { (after, before) };
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
    let ours = |link: &(SymbolOwner, DocTag, String)| {
        link.0 == owner && link.1 == DocTag::See && doc_link_key(&link.2) == key
    };
    let at = rest.iter().position(ours);
    let Some(at) = at else { return Err(EditRefusal::NotPossible(COMMENT_BELONGS_ELSEWHERE)) };
    rest.remove(at);
    let paths = |facts: &FileFacts| -> Vec<String> {
        facts.symbols.iter().map(|symbol| symbol.path.clone()).collect()
    };
    if rest != told(less)
        || paths(before) != paths(after)
        || before.imports.len() != after.imports.len()
    {
        return Err(EditRefusal::NotPossible(COMMENT_BELONGS_ELSEWHERE));
    }
    Ok(())
}

const COMMENT_BELONGS_ELSEWHERE: &str =
    "a doc comment at this position would document another symbol";

/// The ways to document a place, best first.
fn link_candidates(
    language: Language,
    text: &str,
    facts: &FileFacts,
    owner: SymbolOwner,
    said: &str,
) -> Vec<TextSplice> {
    let newline = dominant_newline(text);
    let Some(at) = owner else {
        let known =
            facts.doc.as_ref().filter(|doc| !doc_comments::is_notice(&text[doc.span.range()]));
        return match known {
            Some(doc) => {
                doc_comment::line_insertion_candidates(language, text, doc.span, said, newline)
            }
            None => module_comment::module_comment_candidates(language, text, said, newline),
        };
    };
    let symbol = &facts.symbols[at as usize];
    if let Some(doc) = &symbol.doc {
        return doc_comment::line_insertion_candidates(language, text, doc.span, said, newline);
    }
    let has_body = symbol.kind.is_callable() || symbol.kind == SymbolKind::Class;
    if language.descriptor().doc_forms.symbol == DocCommentForm::Docstring && has_body {
        return symbol
            .body
            .map(|body| docstring_in_body(text, body, said, newline))
            .into_iter()
            .collect();
    }
    comment_above(language, text, symbol.span.start as usize, said, newline)
}

/// A docstring, first thing in a body.
fn docstring_in_body(text: &str, body: Span, said: &str, newline: &str) -> TextSplice {
    let at = body.start as usize;
    let comment = DocCommentForm::Docstring.one_line_comment(said);
    if is_first_on_line(text, at) {
        return TextSplice::insert(at, format!("{comment}{newline}{}", indent_at(text, at)));
    }
    TextSplice::insert(at, format!("{comment}; "))
}

/// A comment right before a declaration, with what else belongs to it.
fn comment_above(
    language: Language,
    text: &str,
    at: usize,
    said: &str,
    newline: &str,
) -> Vec<TextSplice> {
    let form = match language.descriptor().doc_forms.symbol {
        DocCommentForm::Docstring => DocCommentForm::Lines("#:"),
        other => other,
    };
    let mut tries = Vec::new();
    if is_first_on_line(text, at) {
        let comment = form.one_line_comment(said);
        let indent = indent_at(text, at);
        tries.push(TextSplice::insert(at, format!("{comment}{newline}{indent}")));
    }
    if let Some(form) = language.descriptor().doc_forms.inline {
        tries.push(TextSplice::insert(at, format!("{} ", form.one_line_comment(said))));
    }
    tries
}

/// The text without one link.
fn remove_one_link(
    language: Language,
    text: &str,
    place: DocTarget<'_>,
    facts: &FileFacts,
    found: &DocLink,
) -> Result<String, EditRefusal> {
    let docs =
        facts.doc.iter().chain(facts.symbols.iter().filter_map(|symbol| symbol.doc.as_ref()));
    let around = docs.map(|doc| doc.span).find(|span| span.contains(found.span));
    let around = around.ok_or(EditRefusal::NotPossible("the link is not in a doc comment"))?;
    let key = doc_link_key(&found.target);
    let tries = doc_link_removal::inverse_insertion_candidates(text, around, found.span);
    for splice in &tries {
        let old = splice.apply(text);
        if old != text && add_doc_link(language, &old, place, key).as_deref() == Ok(text) {
            return Ok(old);
        }
    }
    let mut refused =
        EditRefusal::NotPossible("the link cannot be removed without changing other links");
    for splice in
        doc_link_removal::line_removal_candidates(text, around, found.span).iter().chain(&tries)
    {
        let old = splice.apply(text);
        let after = extract_code(language, &old)?;
        match check_change(facts, &after, found.owner, key, DocLinkChange::Removed) {
            Ok(()) => return Ok(old),
            Err(refusal) => refused = refusal,
        }
    }
    Err(refused)
}
