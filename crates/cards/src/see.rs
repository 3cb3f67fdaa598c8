//! Which `@see` tags name a card. `@see https://…`, `@see {@link Foo}`, `@see Foo.bar` and
//! `@see std::fmt::Display` do not.
//! @see spec::cards/links

use std::ops::Range;

use base::entity::CardKey;
use syntax::{DocLink, DocTag, FileFacts, Language};

use crate::key::slug_error;

/// A tag whose text has the form of a card key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeeTag {
    /// The key; such a card need not exist
    pub key: CardKey,
    /// The byte range of the key in the file
    pub span: Range<usize>,
    /// The line number
    pub line: u32,
    /// The symbol whose comment contains it; `None` for the comment of the module
    pub owner: Option<String>,
}

/// Reads one tag.
pub fn parse_see_tag(link: &DocLink, facts: &FileFacts) -> Option<SeeTag> {
    if link.tag != DocTag::See {
        return None;
    }
    let key = leading_key(&link.target)?;
    let start = link.span.start as usize;
    let span = start..start + key.as_str().len();
    Some(SeeTag { key, span, line: link.line, owner: enclosing_symbol(link, facts) })
}

/// Every occurrence of a key in a tag of a file.
pub fn key_spans(facts: &FileFacts, key: &CardKey) -> Vec<Range<usize>> {
    let seen = facts.doc_links.iter().filter_map(|link| parse_see_tag(link, facts));
    let mut spans: Vec<_> = seen.filter(|seen| seen.key == *key).map(|seen| seen.span).collect();
    spans.sort_by_key(|span| span.start);
    spans.dedup();
    spans
}

/// Whether `::` is part of the language, so that a tag with `::` is probably not a card.
pub(crate) const fn uses_double_colon(language: Language) -> bool {
    use Language::{C, CSharp, Cpp, Java, Kotlin, Php, Ruby, Rust};
    matches!(language, Rust | Cpp | C | Php | Ruby | Java | Kotlin | CSharp)
}

/// The key at the start of the text of a tag, if there is one.
fn leading_key(target: &str) -> Option<CardKey> {
    let word = target.split_whitespace().next()?;
    let word = word.trim_end_matches([',', ';', '.', ')', ':']);
    let (_, slug) = word.split_once("::")?;
    let key: CardKey = word.parse().ok()?;
    slug_error(slug).is_none().then_some(key)
}

/// The nearest named symbol around a tag.
fn enclosing_symbol(link: &DocLink, facts: &FileFacts) -> Option<String> {
    let mut at = link.owner;
    while let Some(symbol) = at.and_then(|at| facts.symbols.get(at as usize)) {
        if !symbol.is_anonymous() {
            return Some(symbol.path.clone());
        }
        at = symbol.parent;
    }
    None
}
