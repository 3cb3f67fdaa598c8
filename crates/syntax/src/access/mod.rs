//! How a name is used where it is mentioned: read, written, called, constructed, as a type.

mod javascript_access;
mod tree_access;

use base::Span;
use serde::{Deserialize, Serialize};

use crate::Language;
use crate::descriptor::{LanguageDescriptor, LanguageParser};
use crate::edit::find_mentions;
use crate::treesitter::Tree;
use javascript_access::JavaScriptAccesses;

/// What is done with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccessKind {
    /// It gets a value: an assignment, `++`, an initialiser of a literal, `delete`
    Write,
    /// Its value is used
    Read,
    /// It is called
    Call,
    /// A value of it is made: `new T()`, `T { .. }`
    Construct,
    /// It is written as a type
    Type,
    /// It is imported or re-exported
    Import,
    /// It is declared here
    Declaration,
}

/// How a name is written where it is mentioned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessForm {
    /// As a name of its own, or behind an operator: `pay`, `user.pay`
    Plain,
    /// As the name of an entry or of an argument: `{ pay: 1 }`, `f(pay=1)`
    Entry,
    /// As an entry and its value at once: `{ pay }` reads `pay` and writes the entry
    Shorthand,
    /// As the key of a member: `user[pay]`. The kind is what is done with that member.
    Key,
    /// As a text that names a member: `user['pay']`
    Text,
}

/// One mention of a name, with what is done there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NameAccess {
    /// The name
    pub span: Span,
    /// What is done with it
    pub kind: AccessKind,
    /// What a member belongs to, as names joined by members and calls: `this`, `user` in
    /// `this.user.name`; empty if it is anything else
    pub receiver: Vec<String>,
    /// The type whose value a literal makes with it: `User` in `User { name: 1 }`
    pub constructed: Option<String>,
    /// Whether it is a member of something: `a.name`, `{ name: 1 }`, `f(name=1)`
    pub is_member: bool,
    /// How it is written
    pub form: AccessForm,
    /// The value of an assignment, if that is one short literal: `null`
    pub literal: Option<String>,
}

/// Every mention of a name in a text, in order, with what is done there.
pub fn find_accesses(language: Language, text: &str, name: &str) -> Vec<NameAccess> {
    let descriptor = language.descriptor();
    let kinds = AccessKinds::of(descriptor, text, name);
    let identifiers = find_mentions(language, text, name).into_iter();
    let mut found: Vec<NameAccess> = identifiers
        .map(|mention| {
            let span = mention.span;
            let member_of = mention.is_member.then(|| owner_end(descriptor, text, span)).flatten();
            let entry = if mention.is_member && member_of.is_none() {
                AccessForm::Entry
            } else {
                AccessForm::Plain
            };
            let AccessUse { kind, form } = kinds.at(span, entry);
            let is_write = kind == AccessKind::Write;
            NameAccess {
                span,
                kind,
                receiver: member_of
                    .map_or_else(Vec::new, |end| names_before(descriptor, text, end)),
                constructed: kinds.constructed_type(text, span).filter(|_| is_write),
                is_member: mention.is_member,
                form,
                literal: literal_behind(text, span, form).filter(|_| is_write),
            }
        })
        .collect();
    found.extend(kinds.named_by_text().iter().map(|named| {
        NameAccess {
            span: named.span,
            kind: named.kind,
            receiver: named
                .owner_end
                .map_or_else(Vec::new, |end| names_before(descriptor, text, end)),
            constructed: None,
            is_member: true,
            form: AccessForm::Text,
            literal: literal_behind(text, named.span, AccessForm::Text)
                .filter(|_| named.kind == AccessKind::Write),
        }
    }));
    found.sort();
    found
}

/// What is done with a name at one place.
#[derive(Debug, Clone, Copy)]
struct AccessUse {
    kind: AccessKind,
    form: AccessForm,
}

/// A member that is named by a text: `user['pay']`, `{ 'pay': 1 }`.
#[derive(Debug)]
struct MemberText {
    /// The text without its quotes
    span: Span,
    kind: AccessKind,
    /// Where the value ends that the member belongs to; `None` for an entry
    owner_end: Option<usize>,
}

/// The uses of a name, as far as its language's parser tells them.
enum AccessKinds {
    /// By the byte at which a mention starts
    JavaScript(JavaScriptAccesses),
    Tree(Tree),
    Unknown,
}

impl AccessKinds {
    fn of(descriptor: &LanguageDescriptor, text: &str, name: &str) -> Self {
        if let LanguageParser::Oxc(dialect) = descriptor.parser {
            return Self::JavaScript(javascript_access::collect_accesses(dialect, text, name));
        }
        if let LanguageParser::Component(format) = descriptor.parser {
            let script = crate::component::script(format, text);
            let found = javascript_access::collect_accesses(script.dialect, &script.text, name);
            return Self::JavaScript(found);
        }
        descriptor.parser.syntax_tree(text).map_or(Self::Unknown, Self::Tree)
    }

    /// What is done with a name; `form` is how it seems to be written.
    fn at(&self, span: Span, form: AccessForm) -> AccessUse {
        let kind = match self {
            Self::JavaScript(found) => match found.uses.get(&span.start) {
                Some(AccessUse { kind, form: AccessForm::Plain }) => *kind,
                Some(known) => return *known,
                None => AccessKind::Read,
            },
            Self::Tree(tree) => tree_access::kind_at(tree, span),
            Self::Unknown => AccessKind::Read,
        };
        AccessUse { kind, form }
    }

    fn named_by_text(&self) -> &[MemberText] {
        match self {
            Self::JavaScript(found) => &found.texts,
            Self::Tree(_) | Self::Unknown => &[],
        }
    }

    fn constructed_type(&self, text: &str, span: Span) -> Option<String> {
        let Self::Tree(tree) = self else { return None };
        tree_access::constructed_type(tree, text, span)
    }
}

const fn is_name_part(one: char) -> bool {
    one.is_ascii_alphanumeric() || one == '_' || one == '$' || !one.is_ascii()
}

/// The longest receiver that is taken apart, in names.
const MAX_RECEIVER_NAMES: usize = 4;

/// The longest list of arguments in a receiver, in bytes.
const MAX_ARGUMENT_BYTES: usize = 200;

/// Where the value before a member operator ends: behind `user` of `user.name`.
fn owner_end(descriptor: &LanguageDescriptor, text: &str, span: Span) -> Option<usize> {
    before_operator(descriptor, &text[..span.start as usize])
}

/// The length of a text without the member operator at its end, if there is one.
fn before_operator(descriptor: &LanguageDescriptor, text: &str) -> Option<usize> {
    let trimmed = text.trim_end();
    let operators = descriptor.layout.member_operators;
    operators.iter().find_map(|operator| trimmed.strip_suffix(operator)).map(str::len)
}

/// The names of the value that ends at a byte: `user` of `user.name`, `this` and `user` of
/// `this.user().name`; nothing of `users[0].name`.
fn names_before(descriptor: &LanguageDescriptor, text: &str, end: usize) -> Vec<String> {
    let mut names = Vec::new();
    let mut value_end = Some(end);
    while let Some(end) = value_end {
        let before = without_arguments(text[..end].trim_end_matches(['?', '!']).trim_end());
        let name = before.rsplit(|one| !is_name_part(one)).next().unwrap_or_default();
        if name.is_empty() || names.len() == MAX_RECEIVER_NAMES {
            return Vec::new();
        }
        names.push(name.to_owned());
        value_end = before_operator(descriptor, &before[..before.len() - name.len()]);
    }
    names.reverse();
    names
}

/// A text without a list of arguments at its end.
fn without_arguments(text: &str) -> &str {
    if !text.ends_with(')') {
        return text;
    }
    let mut depth = 0usize;
    for (at, one) in text.bytes().enumerate().rev().take(MAX_ARGUMENT_BYTES) {
        match one {
            b')' => depth += 1,
            b'(' if depth == 1 => return text[..at].trim_end(),
            b'(' => depth -= 1,
            _ => {}
        }
    }
    text
}

/// Maximum length of a literal that is shown with its assignment, in bytes.
const MAX_LITERAL_BYTES: usize = 20;

/// Words that are values in some language.
const LITERAL_WORDS: [&str; 10] =
    ["null", "undefined", "None", "nil", "NULL", "nullptr", "true", "false", "True", "False"];

/// The literal that a name is assigned: `null` of `a.b = null;`.
fn literal_behind(text: &str, span: Span, form: AccessForm) -> Option<String> {
    let mut line = text[span.end as usize..].lines().next()?;
    if matches!(form, AccessForm::Key | AccessForm::Text) {
        line = line.trim_start_matches(['\'', '"', ']']);
    }
    let value = line.trim_start().strip_prefix([':', '='])?.trim_start_matches('=').trim();
    let value = value.trim_end_matches([';', ',', ' ', '}', ')']).trim();
    let is_literal = LITERAL_WORDS.contains(&value)
        || value.parse::<f64>().is_ok()
        || (value.len() > 1 && value.starts_with(['"', '\'']) && value.ends_with(['"', '\'']));
    (is_literal && value.len() <= MAX_LITERAL_BYTES).then(|| value.to_owned())
}

#[cfg(test)]
mod tests;
