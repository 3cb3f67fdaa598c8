//! Replaces, inserts and deletes declarations.
//!
//! The white space between two declarations is repeated between a new one and its neighbour, so a
//! file keeps its blank lines. Deleting what was just inserted restores the same bytes.
//!
//! @see spec::code/edits

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::{Range, RangeInclusive};

use super::declaration_groups::{self, DeclarationGroups};
use super::extent::{SymbolExtent, count_newlines, declaration_span};
use super::indent::indentation_candidates;
use super::text_layout::{dominant_newline, indent_at, is_first_on_line};
use super::{EditRefusal, TextSplice, check_editable, extract_code, outline_check, python_dedent};
use crate::Language;
use crate::line_index::offset;
use crate::model::{FileFacts, Symbol, SyntaxError};

/// An edit of a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SymbolEdit<'a> {
    /// Replace it with another text
    Replace(&'a str),
    /// Insert a text before it
    InsertBefore(&'a str),
    /// Insert a text after it
    InsertAfter(&'a str),
    /// Delete it
    Delete,
}

/// The text with a symbol edited. All signatures of one body are edited as one.
pub fn edit_symbol(
    language: Language,
    text: &str,
    path: &str,
    edit: SymbolEdit<'_>,
) -> Result<String, EditRefusal> {
    check_editable(language)?;
    let (content, side) = match edit {
        SymbolEdit::Delete => return delete_symbol(language, text, path),
        SymbolEdit::Replace(content) => (content, None),
        SymbolEdit::InsertBefore(content) => (content, Some(InsertSide::Before)),
        SymbolEdit::InsertAfter(content) => (content, Some(InsertSide::After)),
    };
    let facts = extract_code(language, text)?;
    let run = declaration_groups::groups_of_path(language, text, &facts, path)?.main;
    let target = SymbolEditor { language, text, facts: &facts, group: run };
    match side {
        Some(side) => target.insert(content, side),
        None => target.replace(content),
    }
}

/// Deletes a symbol: first the signatures apart from its body, then the rest.
fn delete_symbol(language: Language, text: &str, path: &str) -> Result<String, EditRefusal> {
    let mut text = Cow::Borrowed(text);
    loop {
        let facts = extract_code(language, &text)?;
        let mut runs = declaration_groups::groups_of_path(language, &text, &facts, path)?;
        let apart = runs.detached.pop();
        let is_last = apart.is_none();
        let run = apart.unwrap_or(runs.main);
        let next = SymbolEditor { language, text: &text, facts: &facts, group: run }.delete()?;
        if is_last {
            return Ok(next);
        }
        text = Cow::Owned(next);
    }
}

/// The spans that a symbol consists of: the one that [`SymbolEdit::Replace`] replaces, then those
/// of signatures that are apart from it.
pub fn symbol_spans(
    language: Language,
    text: &str,
    path: &str,
) -> Result<Vec<base::Span>, EditRefusal> {
    let facts = extract_code(language, text)?;
    let DeclarationGroups { main, detached: apart } =
        declaration_groups::groups_of_path(language, text, &facts, path)?;
    let whole = |run: &Vec<u32>| {
        let span = |at: &u32| declaration_span(language, text, &facts.symbols[*at as usize]);
        let first = run.first().map(span).unwrap_or_default();
        base::Span::new(first.start, run.last().map(span).unwrap_or_default().end)
    };
    Ok(std::iter::once(&main).chain(&apart).map(whole).collect())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InsertSide {
    Before,
    After,
}

/// A symbol of a file that was read.
struct SymbolEditor<'t> {
    language: Language,
    text: &'t str,
    facts: &'t FileFacts,
    /// Its adjacent signatures with its body, in source order
    group: Vec<u32>,
}

/// A candidate edit: what to splice, and where in the result the new text is.
struct EditCandidate {
    splice: TextSplice,
    inserted: Range<usize>,
}

impl EditCandidate {
    /// Replaces a range by a content with a text before and after it.
    fn new(start: usize, end: usize, before: &str, content: &str, after: &str) -> Self {
        let mut splice = TextSplice::remove(start, end);
        splice.text = [before, content, after].concat();
        let begin = start + before.len();
        Self { splice, inserted: begin..begin + content.len() }
    }
}

impl<'t> SymbolEditor<'t> {
    /// The first of its declarations.
    fn symbol(&self) -> &'t Symbol {
        &self.facts.symbols[self.group.first().copied().unwrap_or_default() as usize]
    }

    fn declarations(&self) -> impl Iterator<Item = &'t Symbol> {
        self.group.iter().map(|at| &self.facts.symbols[*at as usize])
    }

    fn extent(&self) -> SymbolExtent {
        let first = SymbolExtent::of_symbol(self.language, self.text, self.symbol());
        let Some(last) = self.declarations().skip(1).last() else { return first };
        let SymbolExtent { end, trailing_end: tail, separator: mark, .. } =
            SymbolExtent::of_symbol(self.language, self.text, last);
        SymbolExtent { end, trailing_end: tail, separator: mark, ..first }
    }

    fn parent(&self) -> Option<&'t str> {
        let parent = self.symbol().parent;
        parent.map(|parent| self.facts.symbols[parent as usize].path.as_str())
    }

    /// Whether a symbol is this one or in it; a parameter may be a field of the class around.
    fn contains_symbol(&self, symbol: &Symbol) -> bool {
        self.declarations().any(|own| own.span.contains(symbol.declaration))
    }

    fn replace(&self, content: &str) -> Result<String, EditRefusal> {
        let SymbolExtent { start, end, separator: mark, .. } = self.extent();
        if content.trim().is_empty() {
            return Err(EditRefusal::NotPossible("the replacement is empty"));
        }
        if content == &self.text[start..end] {
            return Ok(self.text.to_owned());
        }
        let place = |text: &str| {
            (
                TextSplice { text: text.into(), ..TextSplice::remove(start, end) }.apply(self.text),
                start,
            )
        };
        let ways = indentation_candidates(
            self.language,
            content,
            indent_at(self.text, start),
            self.text,
            place,
        );
        let tries = ways.iter().flat_map(|way| {
            let bare = mark.and_then(|mark| way.strip_suffix(mark)).map(str::trim_end);
            bare.into_iter()
                .chain([way.as_str()])
                .map(|way| EditCandidate::new(start, end, "", way, ""))
        });
        self.first_valid_candidate(tries, |symbol| self.contains_symbol(symbol))
    }

    fn insert(&self, content: &str, side: InsertSide) -> Result<String, EditRefusal> {
        if content.trim().is_empty() {
            return Err(EditRefusal::NotPossible("the text to insert is empty"));
        }
        let extent = self.extent();
        let at =
            if side == InsertSide::Before { extent.leading_start } else { extent.trailing_end };
        let indent = indent_at(self.text, extent.start);
        let place = |text: &str| {
            let broken = [dominant_newline(self.text), text, dominant_newline(self.text)].concat();
            (
                TextSplice::insert(at, broken).apply(self.text),
                at + dominant_newline(self.text).len(),
            )
        };
        let ways = indentation_candidates(self.language, content, indent, self.text, place);
        let tries = ways.iter().flat_map(|way| self.insertion_candidates(&extent, way, side));
        self.first_valid_candidate(tries, |_| false)
    }

    /// Candidates for inserting a text beside the symbol, most likely first.
    fn insertion_candidates(
        &self,
        extent: &SymbolExtent,
        content: &str,
        side: InsertSide,
    ) -> Vec<EditCandidate> {
        let is_list = extent.separator == Some(',') || extent.after_comma;
        let gap = self.separator(extent, content, side);
        let bare = content.strip_suffix(',').unwrap_or(content);
        let content = if is_list { bare } else { content };
        let (mut plain, mut listed) = (Vec::new(), Vec::new());
        match side {
            InsertSide::Before => {
                let at = extent.leading_start;
                plain.push(EditCandidate::new(at, at, "", content, &gap));
                plain.push(EditCandidate::new(at, at, "", content, &[";", &gap].concat()));
                listed.push(EditCandidate::new(at, at, "", bare, &[",", &gap].concat()));
            }
            InsertSide::After => {
                let (end, tail) = (extent.end, extent.trailing_end);
                plain.push(EditCandidate::new(tail, tail, &gap, content, ""));
                plain.push(EditCandidate::new(tail, tail, &gap, content, ";"));
                if extent.separator == Some(',') {
                    listed.push(EditCandidate::new(tail, tail, &gap, bare, ","));
                } else {
                    listed.push(EditCandidate::new(end, end, &[",", &gap].concat(), bare, ""));
                }
            }
        }
        let mut tries = if is_list {
            listed
        } else {
            plain.extend(listed);
            plain
        };
        if !gap.contains('\n') {
            // A text that does not fit on the line gets a line of its own.
            let broken = [dominant_newline(self.text), indent_at(self.text, extent.start)].concat();
            tries.push(match side {
                InsertSide::Before => EditCandidate::new(
                    extent.leading_start,
                    extent.leading_start,
                    "",
                    content,
                    &broken,
                ),
                InsertSide::After => EditCandidate::new(
                    extent.trailing_end,
                    extent.trailing_end,
                    &broken,
                    content,
                    "",
                ),
            });
        }
        tries
    }

    /// The white space between the symbol and a new neighbour, copied from an existing neighbour.
    fn separator(&self, extent: &SymbolExtent, content: &str, side: InsertSide) -> String {
        let (text, newline) = (self.text, dominant_newline(self.text));
        let before = &text[extent.gap_before(text)..extent.leading_start];
        let after = &text[extent.trailing_end..extent.gap_after(text)];
        let follows = !extent.is_last(text);
        let known = match side {
            InsertSide::After if follows => Some(after),
            _ if self.has_earlier_sibling() => Some(before),
            InsertSide::Before if follows => Some(after),
            _ => None,
        };
        if !is_first_on_line(text, extent.start) {
            let same = known.filter(|gap| !gap.contains('\n'));
            return same.unwrap_or(" ").to_owned();
        }
        let is_list = extent.separator == Some(',') || extent.after_comma;
        let is_long = count_newlines(content) > 0 && !is_list;
        let top_level = self.language.descriptor().layout.top_level_line_breaks;
        let wide = if self.symbol().parent.is_none() { top_level } else { 2 };
        let count = match known.map(count_newlines) {
            Some(count) if count >= 2 || (count == 1 && !is_long) => count,
            _ if is_long
                || (known.is_none()
                    && count_newlines(&text[extent.start..extent.end]) > 0
                    && !is_list) =>
            {
                wide
            }
            _ => 1,
        };
        newline.repeat(count) + indent_at(text, extent.start)
    }

    /// Whether another symbol of the same level comes before it.
    fn has_earlier_sibling(&self) -> bool {
        let (own, start) = (self.symbol(), self.symbol().span.start);
        self.facts.symbols[..self.group.first().copied().unwrap_or_default() as usize]
            .iter()
            .any(|symbol| symbol.parent == own.parent && symbol.span.end <= start)
    }

    fn delete(&self) -> Result<String, EditRefusal> {
        let extent = self.extent();
        let content = &self.text[extent.start..extent.end];
        let mut fine = Vec::new();
        let mut refused = None;
        for splice in self.removal_candidates(&extent) {
            let new = splice.apply(self.text);
            let after = extract_code(self.language, &new)?;
            let here = splice.span.start as usize;
            let gone = |symbol: &Symbol| self.contains_symbol(symbol);
            match outline_check::check_outline_change(
                self.language,
                self.facts,
                &after,
                gone,
                &(here..here),
                None,
            ) {
                Ok(()) if self.reinsertion_restores_text(&after, &new, content, here) => {
                    return Ok(new);
                }
                Ok(()) => fine.push(new),
                Err(refusal) => refused = refused.or(Some(refusal)),
            }
        }
        let first = fine.into_iter().next();
        first.ok_or(refused.unwrap_or(EditRefusal::NotPossible(
            "the symbol cannot be deleted without changing its neighbours",
        )))
    }

    /// Whether inserting the symbol beside a neighbour again restores the text.
    fn reinsertion_restores_text(
        &self,
        after: &FileFacts,
        new: &str,
        content: &str,
        here: usize,
    ) -> bool {
        let around = |facts: &FileFacts, symbol: &Symbol| {
            symbol.parent.map(|parent| facts.symbols[parent as usize].path.clone())
        };
        let parent = around(self.facts, self.symbol());
        let kin: Vec<usize> = (0..after.symbols.len())
            .filter(|at| around(after, &after.symbols[*at]) == parent)
            .collect();
        let span = |at: usize| declaration_span(self.language, new, &after.symbols[at]);
        let before = kin.iter().filter(|at| span(**at).end as usize <= here);
        let before = before.max_by_key(|at| span(**at).end);
        let next = kin.iter().find(|at| span(**at).start as usize >= here);
        let put = |at: &usize, side: InsertSide| {
            let run =
                declaration_groups::group_of_declaration(self.language, new, after, offset(*at));
            let target =
                SymbolEditor { language: self.language, text: new, facts: after, group: run };
            target.insert(content, side).is_ok_and(|text| text == self.text)
        };
        before.is_some_and(|at| put(at, InsertSide::After))
            || next.is_some_and(|at| put(at, InsertSide::Before))
    }

    /// Candidates for deleting the symbol, most likely first.
    fn removal_candidates(&self, extent: &SymbolExtent) -> Vec<TextSplice> {
        let text = self.text;
        let (before, after) = (extent.gap_before(text), extent.gap_after(text));
        let with_next = TextSplice::remove(extent.leading_start, after);
        let with_gap = TextSplice::remove(before, extent.trailing_end);
        let comma = text[..before].strip_suffix(',').map(str::len);
        let with_comma = comma.map(|comma| TextSplice::remove(comma, extent.end));
        let alone = TextSplice::remove(extent.start, extent.end);
        let mut ways = Vec::new();
        if extent.after_comma && extent.separator != Some(',') {
            ways.extend(with_comma);
        }
        if extent.is_last(text) {
            ways.extend([with_gap, with_next, alone]);
        } else {
            ways.extend([with_next, with_gap, alone]);
        }
        match self.language.descriptor().layout.empty_body {
            Some(filler) if self.is_only_statement_of_body(extent) => {
                let alone = TextSplice::remove(extent.start, extent.end);
                vec![TextSplice { text: filler.into(), ..alone }]
            }
            _ => ways,
        }
    }

    /// Whether it is the only statement of the body around it.
    fn is_only_statement_of_body(&self, extent: &SymbolExtent) -> bool {
        let parent = self.symbol().parent.map(|parent| &self.facts.symbols[parent as usize]);
        let body = parent.and_then(|parent| parent.body).map(|body| self.text[body.range()].trim());
        body == Some(&self.text[extent.start..extent.end])
    }

    /// A syntax error inside the new text, for a file that already had errors elsewhere, where
    /// counting errors is not enough.
    fn error_in_new_text(
        &self,
        new: &str,
        after: &FileFacts,
        came: &Range<usize>,
    ) -> Option<EditRefusal> {
        let lines = |text: &str, range: Range<usize>| {
            let line = |at: usize| text[..at].matches('\n').count() + 1;
            line(range.start)..=line(range.end)
        };
        let SymbolExtent { start, end, .. } = self.extent();
        let old = lines(self.text, start..end);
        let is_in = |error: &SyntaxError, lines: &RangeInclusive<usize>| {
            usize::try_from(error.line).is_ok_and(|line| lines.contains(&line))
        };
        if self.facts.errors.is_empty() {
            return None;
        }
        // An error may span all that follows it: then only parsing the text alone can tell.
        let alone = |text: &str| extract_code(self.language, text).map(|facts| facts.errors);
        let by_itself = || {
            let before = alone(&self.text[start..end]).ok()?.len();
            let errors = alone(&new[came.clone()]).ok()?;
            errors.into_iter().nth(before)
        };
        let own = self.facts.errors.iter().find(|one| is_in(one, &old));
        // If the syntax error swallowed a bracket, the end of the symbol is unknown.
        if let Some(error) = own.filter(|_| !is_balanced(&self.text[start..end])) {
            return Some(EditRefusal::NewSyntaxError(error.clone()));
        }
        let had_one = own.is_some();
        let now = lines(new, came.clone());
        let found = after.errors.iter().find(|error| !had_one && is_in(error, &now)).cloned();
        let lost = || {
            let line = u32::try_from(*now.start()).unwrap_or(u32::MAX);
            let message = "unbalanced bracket".to_owned();
            (!is_balanced(&new[came.clone()])).then_some(SyntaxError { line, column: 1, message })
        };
        found.or_else(by_itself).or_else(lost).map(EditRefusal::NewSyntaxError)
    }

    /// The text of the first candidate that makes exactly the requested change.
    fn first_valid_candidate(
        &self,
        tries: impl Iterator<Item = EditCandidate>,
        gone: impl Fn(&Symbol) -> bool,
    ) -> Result<String, EditRefusal> {
        let mut refused = None;
        for EditCandidate { splice, inserted: came } in tries {
            let new = splice.apply(self.text);
            let after = extract_code(self.language, &new)?;
            let broken = self.error_in_new_text(&new, &after, &came);
            let broken = broken.or_else(|| {
                python_dedent::find_dedented_line(self.language, &new, &came, self.parent())
            });
            let checked = broken.map_or(Ok(()), Err).and_then(|()| {
                outline_check::check_outline_change(
                    self.language,
                    self.facts,
                    &after,
                    &gone,
                    &came,
                    self.parent(),
                )
            });
            match checked {
                Ok(()) => return Ok(new),
                Err(refusal) => refused = refused.or(Some(refusal)),
            }
        }
        Err(refused.unwrap_or(EditRefusal::NotPossible(
            "no insertion point keeps the file's other symbols unchanged",
        )))
    }
}

/// Whether brackets are balanced, those in strings and comments included.
fn is_balanced(text: &str) -> bool {
    let mut open = Vec::new();
    for c in text.chars() {
        match c {
            '(' => open.push(')'),
            '[' => open.push(']'),
            '{' => open.push('}'),
            ')' | ']' | '}' if open.pop() != Some(c) => return false,
            _ => {}
        }
    }
    open.is_empty()
}
