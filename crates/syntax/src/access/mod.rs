//! How a name is used where it is mentioned: read, written, called, constructed, as a type.

mod javascript_access;
mod tree_access;

use std::collections::HashMap;

use base::Span;
use serde::{Deserialize, Serialize};

use crate::Language;
use crate::descriptor::{LanguageDescriptor, LanguageParser};
use crate::edit::find_mentions;
use crate::treesitter::Tree;

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
    /// The value of an assignment, if that is one short literal: `null`
    pub literal: Option<String>,
}

/// Every mention of a name in a text, in order, with what is done there.
pub fn find_accesses(language: Language, text: &str, name: &str) -> Vec<NameAccess> {
    let descriptor = language.descriptor();
    let mentions = find_mentions(language, text, name);
    let kinds = AccessKinds::of(descriptor, text, name);
    let access = |span: Span, is_member: bool| {
        let kind = kinds.at(span);
        let is_write = kind == AccessKind::Write;
        NameAccess {
            span,
            kind,
            receiver: if is_member { receiver_before(descriptor, text, span) } else { Vec::new() },
            constructed: kinds.constructed_type(text, span).filter(|_| is_write),
            is_member,
            literal: literal_behind(text, span).filter(|_| is_write),
        }
    };
    mentions.into_iter().map(|mention| access(mention.span, mention.is_member)).collect()
}

/// The uses of a name, as far as its language's parser tells them.
enum AccessKinds {
    /// By the byte at which a mention starts
    JavaScript(HashMap<u32, AccessKind>),
    Tree(Tree),
    Unknown,
}

impl AccessKinds {
    fn of(descriptor: &LanguageDescriptor, text: &str, name: &str) -> Self {
        if let LanguageParser::Oxc(dialect) = descriptor.parser {
            return Self::JavaScript(javascript_access::kinds_by_start(dialect, text, name));
        }
        if let LanguageParser::Component(format) = descriptor.parser {
            let script = crate::component::script(format, text);
            let kinds = javascript_access::kinds_by_start(script.dialect, &script.text, name);
            return Self::JavaScript(kinds);
        }
        descriptor.parser.syntax_tree(text).map_or(Self::Unknown, Self::Tree)
    }

    fn at(&self, span: Span) -> AccessKind {
        match self {
            Self::JavaScript(kinds) => kinds.get(&span.start).copied().unwrap_or(AccessKind::Read),
            Self::Tree(tree) => tree_access::kind_at(tree, span),
            Self::Unknown => AccessKind::Read,
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

/// The names before a member operator: `user` of `user.name`, `this` and `user` of
/// `this.user().name`; nothing of `users[0].name`.
fn receiver_before(descriptor: &LanguageDescriptor, text: &str, span: Span) -> Vec<String> {
    let operators = descriptor.layout.member_operators;
    let without_operator = |text: &str| -> Option<usize> {
        let trimmed = text.trim_end();
        operators.iter().find_map(|operator| trimmed.strip_suffix(operator)).map(str::len)
    };
    let mut names = Vec::new();
    let mut end = span.start as usize;
    while let Some(before) = without_operator(&text[..end]) {
        let before = without_arguments(text[..before].trim_end_matches(['?', '!']).trim_end());
        let name = before.rsplit(|one| !is_name_part(one)).next().unwrap_or_default();
        if name.is_empty() || names.len() == MAX_RECEIVER_NAMES {
            return Vec::new();
        }
        names.push(name.to_owned());
        end = before.len() - name.len();
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
fn literal_behind(text: &str, span: Span) -> Option<String> {
    let line = text[span.end as usize..].lines().next()?;
    let value = line.trim_start().strip_prefix([':', '='])?.trim_start_matches('=').trim();
    let value = value.trim_end_matches([';', ',', ' ', '}', ')']).trim();
    let is_literal = LITERAL_WORDS.contains(&value)
        || value.parse::<f64>().is_ok()
        || (value.len() > 1 && value.starts_with(['"', '\'']) && value.ends_with(['"', '\'']));
    (is_literal && value.len() <= MAX_LITERAL_BYTES).then(|| value.to_owned())
}

#[cfg(test)]
mod tests;
