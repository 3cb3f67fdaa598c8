//! The substance of code and prose: what is left when layout and comments are taken away.
//!
//! Two texts with the same substance behave the same. Formatting, comments, the name of the symbol
//! itself and the place of its file leave the substance as it is; a changed literal, operator, name
//! or structure does not. Links between specs and code are compared by it.

mod javascript;
mod literals;
mod markdown;
mod preprocessor;
mod python;
mod rust;
#[cfg(test)]
mod tests;
mod tree;

use std::borrow::Cow;

use base::Span;

use crate::descriptor::LanguageParser;
use crate::model::{FileFacts, Import, Symbol};
use crate::{FileRole, Language, decode_lossy, extract};

pub use markdown::prose_substance;

/// Increase whenever the same text gets another substance, so that stored digests are computed
/// again.
pub const SUBSTANCE_VERSION: u32 = 5;

/// The substance of a file, or of one symbol in it; `None` if the symbol is not there or the text
/// cannot be parsed. Tests are part of it only in a file of tests.
pub fn code_substance(
    language: Language,
    role: FileRole,
    bytes: &[u8],
    symbol: Option<&str>,
) -> Option<String> {
    let facts = extract(Some(language), bytes);
    let parser = &language.descriptor().parser;
    let text = decode_lossy(bytes);
    let text = parser.code_text(&text);
    let selection = Selection::of(&facts, role, &text, symbol)?;
    let mut substance = match (parser, parser.grammar()) {
        (LanguageParser::Oxc(dialect), _) => javascript::substance(*dialect, &text, &selection)?,
        (_, Some(grammar)) => tree::substance(grammar, &text, &selection)?,
        (LanguageParser::Markdown, _) if symbol.is_none() => prose_substance(&text),
        _ if symbol.is_none() => text_substance(&text),
        _ => return None,
    };
    if symbol.is_none() {
        append_exports(&facts, &mut substance);
    }
    Some(substance)
}

/// The substance of a text in no language: its lines without the space around them.
pub fn text_substance(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

/// The names that a module offers, sorted: the order of re-exports is layout.
fn append_exports(facts: &FileFacts, substance: &mut String) {
    let mut names: Vec<&str> = facts.exports.iter().map(|export| export.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        substance.push_str("\nexports ");
        substance.push_str(name);
    }
}

/// What is read of a text.
struct Selection<'t> {
    /// The declarations that are read
    spans: Vec<Span>,
    /// Parts that are left out, or read as another text, by where they start
    replaced: Vec<(Span, Option<&'t str>)>,
    /// Names of the symbol and of what it is nested in, which may change with a rename
    names: Vec<&'t str>,
}

/// How a text at some place is read.
enum ReadAs<'t> {
    /// As it is
    Unchanged,
    /// Not at all
    LeftOut,
    /// As this text
    Replaced(&'t str),
}

impl<'t> Selection<'t> {
    fn of(
        facts: &'t FileFacts,
        role: FileRole,
        text: &str,
        symbol: Option<&'t str>,
    ) -> Option<Self> {
        let whole = Span::new(0, u32::try_from(text.len()).ok()?);
        let (spans, names, is_test) = match symbol {
            None => (vec![whole], Vec::new(), false),
            Some(path) => {
                let own = facts.symbols.iter().find(|s| s.path == path && !s.is_overload())?;
                let spans = facts.declarations(own).map(|symbol| symbol.span).collect();
                (spans, vec![own.name.as_str(), path], own.is_test)
            }
        };
        let names = names.into_iter().flat_map(|name| name.split('.')).filter(|n| !n.is_empty());
        let mut selection = Self { spans, replaced: Vec::new(), names: names.collect() };
        selection.leave_out_comments(facts);
        if !is_test && role != FileRole::Test {
            selection.leave_out_tests(facts);
        }
        selection.replace_imports(facts);
        selection.replaced.sort_by_key(|(span, _)| (span.start, std::cmp::Reverse(span.end)));
        Some(selection)
    }

    /// All of another text, in which the same names become placeholders.
    fn of_all(&self, text: &str) -> Option<Self> {
        let whole = Span::new(0, u32::try_from(text.len()).ok()?);
        Some(Self { spans: vec![whole], replaced: Vec::new(), names: self.names.clone() })
    }

    /// Doc comments are part of the tree in some languages.
    fn leave_out_comments(&mut self, facts: &FileFacts) {
        let of_symbols = facts.symbols.iter().filter_map(|symbol| symbol.doc.as_ref());
        let docs = of_symbols.chain(&facts.doc).map(|doc| (doc.span, None));
        self.replaced.extend(docs);
    }

    /// Tests beside the code that they check say nothing about what it does.
    fn leave_out_tests(&mut self, facts: &FileFacts) {
        let is_code = |symbol: &Symbol| !symbol.is_test && symbol.is_listed();
        if facts.symbols.iter().any(is_code) {
            let tests = facts.symbols.iter().filter(|symbol| symbol.is_test);
            self.replaced.extend(tests.map(|symbol| (symbol.span, None)));
        }
    }

    /// Imports change when a file moves and are sorted by formatters. One in an expression is read
    /// as the last part of what it names.
    fn replace_imports(&mut self, facts: &'t FileFacts) {
        let last = |import: &'t Import| {
            let is_call = matches!(
                import.kind,
                crate::ImportKind::Require
                    | crate::ImportKind::Dynamic
                    | crate::ImportKind::TypeImport
            );
            is_call.then(|| import.specifier.rsplit('/').next().unwrap_or_default())
        };
        self.replaced.extend(facts.imports.iter().map(|import| (import.span, last(import))));
    }

    /// Whether a span is inside of what is read.
    fn contains(&self, span: Span) -> bool {
        self.spans.iter().any(|own| own.start <= span.start && span.end <= own.end)
    }

    /// Whether a span and what is read have something in common.
    fn overlaps(&self, span: Span) -> bool {
        self.spans.iter().any(|own| own.start < span.end && span.start < own.end)
    }

    /// How a span is read.
    fn reading(&self, span: Span) -> ReadAs<'t> {
        let upto = self.replaced.partition_point(|(part, _)| part.start <= span.start);
        let around = |(part, _): &&(Span, Option<&str>)| span.end <= part.end;
        match self.replaced[..upto].iter().rev().find(around) {
            None => ReadAs::Unchanged,
            Some((part, Some(text))) if part.start == span.start => ReadAs::Replaced(text),
            Some(_) => ReadAs::LeftOut,
        }
    }

    /// Whether a span is exactly what is read.
    fn is_whole(&self, span: Span) -> bool {
        self.spans.contains(&span)
    }

    /// A name as it is compared: names that a rename changes become placeholders, one for each
    /// name.
    fn name<'n>(&self, name: &'n str) -> Cow<'n, str> {
        match self.names.iter().position(|own| *own == name) {
            Some(at) => Cow::Owned(format!("\u{a7}{at}")),
            None => Cow::Borrowed(name),
        }
    }
}

/// Adds a token. Tokens are separated by line breaks, which they do not contain.
fn push_token(out: &mut String, token: &str) {
    if !out.is_empty() {
        out.push('\n');
    }
    match token.contains('\n') {
        false => out.push_str(token),
        true => out.push_str(&token.replace("\r\n", "\n").replace('\n', "\\n")),
    }
}
