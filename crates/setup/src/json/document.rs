//! A JSON text with the places of its tokens: where to add a property, and what to cut with one.

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::{Range as Place, Ranged};
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, parse_to_ast};

use super::print::{JsonLayout, JsonTree};
use crate::MalformedFile;
use crate::text::{newline, remove_ranges};

/// A parsed text.
pub(super) struct JsonDocument<'a> {
    pub(super) text: &'a str,
    /// Absent in a text that holds white space and comments alone
    pub(super) root: Option<Object<'a>>,
    /// Comments included, in order
    tokens: Vec<TokenAndRange<'a>>,
}

impl<'a> JsonDocument<'a> {
    pub(super) fn parse(text: &'a str) -> Result<Self, MalformedFile> {
        let comments = CommentCollectionStrategy::AsTokens;
        let collect = CollectOptions { comments, tokens: true };
        let parsed = parse_to_ast(text, &collect, &config::jsonc()).map_err(|error| {
            let message = error.kind().to_string().to_lowercase();
            MalformedFile::at(text.as_bytes(), error.range().start, message)
        })?;
        let tokens = parsed.tokens.unwrap_or_default();
        match parsed.value {
            None => Ok(Self { text, root: None, tokens }),
            Some(Value::Object(root)) => Ok(Self { text, root: Some(root), tokens }),
            Some(other) => {
                let at = other.range().start;
                Err(MalformedFile::at(text.as_bytes(), at, "the file must contain one JSON object"))
            }
        }
    }

    /// Whether this range contains a comment.
    pub(super) fn has_comment(&self, place: Place) -> bool {
        let inside = |token: &&TokenAndRange| {
            token.range.start >= place.start && token.range.end <= place.end
        };
        self.tokens.iter().filter(inside).any(|token| is_comment(&token.token))
    }

    /// Whether the object is as we make one: this property alone, after white space, no comment.
    pub(super) fn was_created_for(&self, object: &Object, property: &ObjectProp) -> bool {
        let spaced = self.text[object.range.start + 1..].starts_with(char::is_whitespace);
        let before = Place::new(object.range.start, property.range.start);
        let after = Place::new(property.range.end, object.range.end);
        let bare = !self.has_comment(before) && !self.has_comment(after);
        spaced && bare && object.properties.len() == 1
    }

    /// The text with a property added at the end of `object`.
    pub(super) fn add_property(&self, object: &Object, name: &str, tree: &JsonTree) -> String {
        let Some(last) = object.properties.last() else {
            let property = tree.property(name, &JsonLayout::Inline, "");
            return self.insert_all(&[(object.range.start + 1, property)]);
        };
        let comma = self.next_token(last.range.end).filter(|token| token.token == Token::Comma);
        let end = comma.map_or(last.range.end, |comma| comma.range.end);
        let (at, lead, property) = match self.line_indent(object, last) {
            None => (end, " ".to_owned(), tree.property(name, &JsonLayout::Inline, "")),
            Some((indent, unit)) => {
                let nl = newline(self.text);
                let property = tree.property(name, &JsonLayout::Lines { nl, unit }, indent);
                (self.end_of_trailing_comments(end), format!("{nl}{indent}"), property)
            }
        };
        match comma {
            Some(_) => self.insert_all(&[(at, format!("{lead}{property},"))]),
            None => self.insert_all(&[(end, ",".into()), (at, format!("{lead}{property}"))]),
        }
    }

    /// The text without a property, the white space before it, and the comma that is no longer
    /// needed.
    pub(super) fn remove_property(&self, property: &ObjectProp) -> String {
        let place = property.range;
        let before = self.tokens.partition_point(|token| token.range.start < place.start);
        let previous = &self.tokens[..before];
        let lead = previous.last().map_or(0, |token| token.range.end);
        let comma = |token: &&TokenAndRange| token.token == Token::Comma;
        let next = self.next_token(place.end).filter(comma);
        let end = next.map_or(place.end, |comma| comma.range.end);
        // A line comment before the property would swallow what follows the property on its last
        // line.
        let comment = previous.last().is_some_and(|token| is_line_comment(&token.token));
        let glued = comment && !self.text[end..].starts_with(['\n', '\r']);
        let own = if glued { place.start..place.end } else { lead..place.end };
        if let Some(next) = next {
            return remove_ranges(self.text, &[own, next.range.start..next.range.end]);
        }
        match previous.iter().rev().find(|token| !is_comment(&token.token)).filter(comma) {
            Some(comma) => remove_ranges(self.text, &[comma.range.start..comma.range.end, own]),
            None => remove_ranges(self.text, std::slice::from_ref(&own)),
        }
    }

    /// The next token that is no comment.
    fn next_token(&self, offset: usize) -> Option<&TokenAndRange<'a>> {
        let from = self.tokens.partition_point(|token| token.range.start < offset);
        self.tokens[from..].iter().find(|token| !is_comment(&token.token))
    }

    /// The end of the comments that follow on the same line.
    fn end_of_trailing_comments(&self, offset: usize) -> usize {
        let mut end = offset;
        let from = self.tokens.partition_point(|token| token.range.start < offset);
        for token in self.tokens[from..].iter().take_while(|token| is_comment(&token.token)) {
            if self.text[end..token.range.start].contains(['\n', '\r']) {
                break;
            }
            end = token.range.end;
        }
        end
    }

    /// The indentation of a property, and one level of it, if the property starts its line;
    /// otherwise `None`.
    fn line_indent(&self, object: &Object, property: &ObjectProp) -> Option<(&'a str, String)> {
        let before = self.tokens.partition_point(|token| token.range.start < property.range.start);
        let previous = self.tokens[..before].last()?;
        let gap = &self.text[previous.range.end..property.range.start];
        let indent = &gap[gap.rfind('\n')? + 1..];
        let parent = self.indent_of_line(object.range.start);
        let unit = indent.strip_prefix(parent).filter(|unit| !unit.is_empty()).unwrap_or("  ");
        Some((indent, unit.to_owned()))
    }

    fn indent_of_line(&self, offset: usize) -> &'a str {
        let start = self.text[..offset].rfind('\n').map_or(0, |newline| newline + 1);
        let line = &self.text[start..];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    /// The text with insertions, which are in order.
    fn insert_all(&self, insertions: &[(usize, String)]) -> String {
        let (mut text, mut from) = (String::with_capacity(self.text.len() + 200), 0);
        for (at, insertion) in insertions {
            text.push_str(&self.text[from..*at]);
            text.push_str(insertion);
            from = *at;
        }
        text + &self.text[from..]
    }
}

fn is_comment(token: &Token) -> bool {
    matches!(token, Token::CommentLine(_) | Token::CommentBlock(_))
}

fn is_line_comment(token: &Token) -> bool {
    matches!(token, Token::CommentLine(_))
}
