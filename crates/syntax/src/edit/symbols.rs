//! Declarations replaced, put beside others, and taken out.
//!
//! What stands between two declarations is put between the new one and its neighbour, so the blank
//! lines of a file go on as they are. Taking out what was just put in gives the same bytes.
//!
//! @see spec::code/edits

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::{Range, RangeInclusive};

use super::extent::{Extent, newlines, own};
use super::indent::fit;
use super::signatures::{self, Signatures};
use super::style::{indent_at, newline, opens_line};
use super::{Refusal, Splice, escape, outline, read};
use crate::Language;
use crate::lines::offset;
use crate::model::{FileFacts, Symbol, SyntaxError};

/// What to do to a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edit<'a> {
    /// Another text in its place
    Replace(&'a str),
    /// A text before it
    InsertBefore(&'a str),
    /// A text after it
    InsertAfter(&'a str),
    /// Nothing in its place
    Delete,
}

/// The text with a symbol edited. All signatures of one body are edited as one.
pub fn edit(language: Language, text: &str, path: &str, edit: Edit<'_>) -> Result<String, Refusal> {
    if edit == Edit::Delete {
        return delete(language, text, path);
    }
    let facts = read(language, text)?;
    let run = signatures::of(language, text, &facts, path)?.main;
    let target = Target { language, text, facts: &facts, run };
    match edit {
        Edit::Replace(content) => target.replace(content),
        Edit::InsertBefore(content) => target.insert(content, Side::Before),
        Edit::InsertAfter(content) => target.insert(content, Side::After),
        Edit::Delete => target.delete(),
    }
}

/// Deletes a symbol: first the signatures that stand apart from its body, then the rest.
fn delete(language: Language, text: &str, path: &str) -> Result<String, Refusal> {
    let mut text = Cow::Borrowed(text);
    loop {
        let facts = read(language, &text)?;
        let mut runs = signatures::of(language, &text, &facts, path)?;
        let apart = runs.apart.pop();
        let is_last = apart.is_none();
        let run = apart.unwrap_or(runs.main);
        let next = Target { language, text: &text, facts: &facts, run }.delete()?;
        if is_last {
            return Ok(next);
        }
        text = Cow::Owned(next);
    }
}

/// The stretches that a symbol consists of: the one that [`Edit::Replace`] replaces, then those of
/// signatures that stand apart from it.
pub fn itself(language: Language, text: &str, path: &str) -> Result<Vec<base::Span>, Refusal> {
    let facts = read(language, text)?;
    let Signatures { main, apart } = signatures::of(language, text, &facts, path)?;
    let whole = |run: &Vec<u32>| {
        let span = |at: &u32| own(language, text, &facts.symbols[*at as usize]);
        let first = run.first().map(span).unwrap_or_default();
        base::Span::new(first.start, run.last().map(span).unwrap_or_default().end)
    };
    Ok(std::iter::once(&main).chain(&apart).map(whole).collect())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Before,
    After,
}

/// A symbol of a file that was read.
struct Target<'t> {
    language: Language,
    text: &'t str,
    facts: &'t FileFacts,
    /// Its signatures that stand together, with its body, in source order
    run: Vec<u32>,
}

/// A way to make a change: what to splice, and where in the result the new text is.
struct Try {
    splice: Splice,
    came: Range<usize>,
}

impl Try {
    /// A content with what goes before and after it, in place of a stretch.
    fn new(start: usize, end: usize, before: &str, content: &str, after: &str) -> Self {
        let mut splice = Splice::remove(start, end);
        splice.text = [before, content, after].concat();
        let begin = start + before.len();
        Self { splice, came: begin..begin + content.len() }
    }
}

impl<'t> Target<'t> {
    /// The first of its declarations.
    fn symbol(&self) -> &'t Symbol {
        &self.facts.symbols[self.run.first().copied().unwrap_or_default() as usize]
    }

    fn declarations(&self) -> impl Iterator<Item = &'t Symbol> {
        self.run.iter().map(|at| &self.facts.symbols[*at as usize])
    }

    fn extent(&self) -> Extent {
        let first = Extent::of(self.language, self.text, self.symbol());
        let Some(last) = self.declarations().skip(1).last() else { return first };
        let Extent { end, tail, mark, .. } = Extent::of(self.language, self.text, last);
        Extent { end, tail, mark, ..first }
    }

    fn parent(&self) -> Option<&'t str> {
        let parent = self.symbol().parent;
        parent.map(|parent| self.facts.symbols[parent as usize].path.as_str())
    }

    /// Whether a symbol is this one or in it; a parameter may be a field of the class around.
    fn is_in(&self, symbol: &Symbol) -> bool {
        self.declarations().any(|own| own.span.contains(symbol.declaration))
    }

    fn replace(&self, content: &str) -> Result<String, Refusal> {
        let Extent { start, end, mark, .. } = self.extent();
        if content.trim().is_empty() {
            return Err(Refusal::NoPlace("there is nothing to replace it with"));
        }
        if content == &self.text[start..end] {
            return Ok(self.text.to_owned());
        }
        let place = |text: &str| {
            (Splice { text: text.into(), ..Splice::remove(start, end) }.apply(self.text), start)
        };
        let ways = fit(self.language, content, indent_at(self.text, start), self.text, place);
        let tries = ways.iter().flat_map(|way| {
            let bare = mark.and_then(|mark| way.strip_suffix(mark)).map(str::trim_end);
            bare.into_iter().chain([way.as_str()]).map(|way| Try::new(start, end, "", way, ""))
        });
        self.first(tries, |symbol| self.is_in(symbol))
    }

    fn insert(&self, content: &str, side: Side) -> Result<String, Refusal> {
        if content.trim().is_empty() {
            return Err(Refusal::NoPlace("there is nothing to insert"));
        }
        let extent = self.extent();
        let at = if side == Side::Before { extent.lead } else { extent.tail };
        let indent = indent_at(self.text, extent.start);
        let place = |text: &str| {
            let broken = [newline(self.text), text, newline(self.text)].concat();
            (Splice::insert(at, broken).apply(self.text), at + newline(self.text).len())
        };
        let ways = fit(self.language, content, indent, self.text, place);
        let tries = ways.iter().flat_map(|way| self.insertions(&extent, way, side));
        self.first(tries, |_| false)
    }

    /// The ways to put a text beside the symbol, likeliest first.
    fn insertions(&self, extent: &Extent, content: &str, side: Side) -> Vec<Try> {
        let is_list = extent.mark == Some(',') || extent.after_comma;
        let gap = self.gap(extent, content, side);
        let bare = content.strip_suffix(',').unwrap_or(content);
        let content = if is_list { bare } else { content };
        let (mut plain, mut listed) = (Vec::new(), Vec::new());
        match side {
            Side::Before => {
                let at = extent.lead;
                plain.push(Try::new(at, at, "", content, &gap));
                plain.push(Try::new(at, at, "", content, &[";", &gap].concat()));
                listed.push(Try::new(at, at, "", bare, &[",", &gap].concat()));
            }
            Side::After => {
                let (end, tail) = (extent.end, extent.tail);
                plain.push(Try::new(tail, tail, &gap, content, ""));
                plain.push(Try::new(tail, tail, &gap, content, ";"));
                if extent.mark == Some(',') {
                    listed.push(Try::new(tail, tail, &gap, bare, ","));
                } else {
                    listed.push(Try::new(end, end, &[",", &gap].concat(), bare, ""));
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
            // What has no room on the line gets one of its own.
            let broken = [newline(self.text), indent_at(self.text, extent.start)].concat();
            tries.push(match side {
                Side::Before => Try::new(extent.lead, extent.lead, "", content, &broken),
                Side::After => Try::new(extent.tail, extent.tail, &broken, content, ""),
            });
        }
        tries
    }

    /// What goes between the symbol and a new neighbour: what is between it and the one it has.
    fn gap(&self, extent: &Extent, content: &str, side: Side) -> String {
        let (text, newline) = (self.text, newline(self.text));
        let before = &text[extent.gap_before(text)..extent.lead];
        let after = &text[extent.tail..extent.gap_after(text)];
        let follows = !extent.is_last(text);
        let known = match side {
            Side::After if follows => Some(after),
            _ if self.has_elder() => Some(before),
            Side::Before if follows => Some(after),
            _ => None,
        };
        if !opens_line(text, extent.start) {
            let same = known.filter(|gap| !gap.contains('\n'));
            return same.unwrap_or(" ").to_owned();
        }
        let is_list = extent.mark == Some(',') || extent.after_comma;
        let is_long = newlines(content) > 0 && !is_list;
        let wide =
            if self.language == Language::Python && self.symbol().parent.is_none() { 3 } else { 2 };
        let count = match known.map(newlines) {
            Some(count) if count >= 2 || (count == 1 && !is_long) => count,
            _ if is_long
                || (known.is_none()
                    && newlines(&text[extent.start..extent.end]) > 0
                    && !is_list) =>
            {
                wide
            }
            _ => 1,
        };
        newline.repeat(count) + indent_at(text, extent.start)
    }

    /// Whether another symbol of the same level comes before it.
    fn has_elder(&self) -> bool {
        let (own, start) = (self.symbol(), self.symbol().span.start);
        self.facts.symbols[..self.run.first().copied().unwrap_or_default() as usize]
            .iter()
            .any(|symbol| symbol.parent == own.parent && symbol.span.end <= start)
    }

    fn delete(&self) -> Result<String, Refusal> {
        let extent = self.extent();
        let content = &self.text[extent.start..extent.end];
        let mut fine = Vec::new();
        let mut refused = None;
        for splice in self.removals(&extent) {
            let new = splice.apply(self.text);
            let after = read(self.language, &new)?;
            let here = splice.span.start as usize;
            let gone = |symbol: &Symbol| self.is_in(symbol);
            match outline::check(self.language, self.facts, &after, gone, &(here..here), None) {
                Ok(()) if self.is_undone(&after, &new, content, here) => return Ok(new),
                Ok(()) => fine.push(new),
                Err(refusal) => refused = refused.or(Some(refusal)),
            }
        }
        let first = fine.into_iter().next();
        first.ok_or(refused.unwrap_or(Refusal::NoPlace("it cannot be taken out alone")))
    }

    /// Whether putting the symbol back beside a neighbour gives the text as it is.
    fn is_undone(&self, after: &FileFacts, new: &str, content: &str, here: usize) -> bool {
        let around = |facts: &FileFacts, symbol: &Symbol| {
            symbol.parent.map(|parent| facts.symbols[parent as usize].path.clone())
        };
        let parent = around(self.facts, self.symbol());
        let kin: Vec<usize> = (0..after.symbols.len())
            .filter(|at| around(after, &after.symbols[*at]) == parent)
            .collect();
        let span = |at: usize| own(self.language, new, &after.symbols[at]);
        let before = kin.iter().filter(|at| span(**at).end as usize <= here);
        let before = before.max_by_key(|at| span(**at).end);
        let next = kin.iter().find(|at| span(**at).start as usize >= here);
        let put = |at: &usize, side: Side| {
            let run = signatures::around(self.language, new, after, offset(*at));
            let target = Target { language: self.language, text: new, facts: after, run };
            target.insert(content, side).is_ok_and(|text| text == self.text)
        };
        before.is_some_and(|at| put(at, Side::After))
            || next.is_some_and(|at| put(at, Side::Before))
    }

    /// The ways to take the symbol out, likeliest first.
    fn removals(&self, extent: &Extent) -> Vec<Splice> {
        let text = self.text;
        let (before, after) = (extent.gap_before(text), extent.gap_after(text));
        let with_next = Splice::remove(extent.lead, after);
        let with_gap = Splice::remove(before, extent.tail);
        let comma = text[..before].strip_suffix(',').map(str::len);
        let with_comma = comma.map(|comma| Splice::remove(comma, extent.end));
        let alone = Splice::remove(extent.start, extent.end);
        let mut ways = Vec::new();
        if extent.after_comma && extent.mark != Some(',') {
            ways.extend(with_comma);
        }
        if extent.is_last(text) {
            ways.extend([with_gap, with_next, alone]);
        } else {
            ways.extend([with_next, with_gap, alone]);
        }
        if self.is_whole_body(extent) {
            let mut empty = Splice::remove(extent.start, extent.end);
            empty.text = "pass".into();
            ways = vec![empty];
        }
        ways
    }

    /// Whether it is all that a Python body holds; its grammar takes an empty one, and Python not.
    fn is_whole_body(&self, extent: &Extent) -> bool {
        let parent = self.symbol().parent.map(|parent| &self.facts.symbols[parent as usize]);
        let body = parent.and_then(|parent| parent.body).map(|body| self.text[body.range()].trim());
        self.language == Language::Python && body == Some(&self.text[extent.start..extent.end])
    }

    /// An error inside the new text of a file that was broken elsewhere before: there one error can
    /// stand for another.
    fn broken_within(&self, new: &str, after: &FileFacts, came: &Range<usize>) -> Option<Refusal> {
        let lines = |text: &str, range: Range<usize>| {
            let line = |at: usize| text[..at].matches('\n').count() + 1;
            line(range.start)..=line(range.end)
        };
        let Extent { start, end, .. } = self.extent();
        let old = lines(self.text, start..end);
        let is_in = |error: &SyntaxError, lines: &RangeInclusive<usize>| {
            usize::try_from(error.line).is_ok_and(|line| lines.contains(&line))
        };
        if self.facts.errors.is_empty() {
            return None;
        }
        // An error may hold all that follows it: then only the text by itself can tell.
        let alone = |text: &str| read(self.language, text).map(|facts| facts.errors);
        let by_itself = || {
            let before = alone(&self.text[start..end]).ok()?.len();
            let errors = alone(&new[came.clone()]).ok()?;
            errors.into_iter().nth(before)
        };
        let own = self.facts.errors.iter().find(|one| is_in(one, &old));
        // Where an error took a bracket along, nobody knows where the symbol ends.
        if let Some(error) = own.filter(|_| !is_balanced(&self.text[start..end])) {
            return Some(Refusal::Broken(error.clone()));
        }
        let had_one = own.is_some();
        let now = lines(new, came.clone());
        let found = after.errors.iter().find(|error| !had_one && is_in(error, &now)).cloned();
        let lost = || {
            let line = u32::try_from(*now.start()).unwrap_or(u32::MAX);
            let message = "a bracket has no other end".to_owned();
            (!is_balanced(&new[came.clone()])).then_some(SyntaxError { line, column: 1, message })
        };
        found.or_else(by_itself).or_else(lost).map(Refusal::Broken)
    }

    /// The first of these ways that does what it should.
    fn first(
        &self,
        tries: impl Iterator<Item = Try>,
        gone: impl Fn(&Symbol) -> bool,
    ) -> Result<String, Refusal> {
        let mut refused = None;
        for Try { splice, came } in tries {
            let new = splice.apply(self.text);
            let after = read(self.language, &new)?;
            let broken = self.broken_within(&new, &after, &came);
            let broken = broken.or_else(|| escape::find(self.language, &new, &came, self.parent()));
            let checked = broken.map_or(Ok(()), Err).and_then(|()| {
                outline::check(self.language, self.facts, &after, &gone, &came, self.parent())
            });
            match checked {
                Ok(()) => return Ok(new),
                Err(refusal) => refused = refused.or(Some(refusal)),
            }
        }
        Err(refused.unwrap_or(Refusal::NoPlace("there is no room for it")))
    }
}

/// Whether every bracket has its other end, those in texts and comments included.
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
