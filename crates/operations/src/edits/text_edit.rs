//! Replaces parts of a text: exact text, lines, or what a pattern matches. All edits of a text
//! refer to it as it is before any of them.

use std::ops::Range;

use base::words::counted;
use base::{Problem, ProblemCode, Result};
use regex::Regex;

/// Lines that a problem lists.
const MAX_LISTED: usize = 8;

/// What is replaced.
#[derive(Debug, Clone)]
pub(crate) enum EditSelection<'a> {
    /// This exact text
    Exact(&'a str),
    /// What a pattern matches; `$1` in the new text is its first group
    Pattern(&'a Regex),
    /// Whole lines, from 1, both ends included
    Lines(u32, u32),
    /// Everything
    Whole,
}

/// One replacement in a text.
#[derive(Debug, Clone)]
pub(crate) struct TextEdit<'a> {
    /// The part of the text that may change, in bytes
    pub within: Range<usize>,
    /// What is replaced in it
    pub selection: EditSelection<'a>,
    /// What takes its place
    pub new: &'a str,
    /// How many places must match
    pub count: usize,
}

/// The places of a text that change, with what each becomes.
type Replacements = Vec<(Range<usize>, String)>;

/// Carries out several edits of one text; `name` is what problems call it. Returns the next text
/// and how many places changed.
pub(crate) fn apply_edits(
    name: &str,
    text: &str,
    edits: &[TextEdit<'_>],
) -> Result<(String, usize)> {
    let mut all: Replacements = Vec::new();
    for edit in edits {
        all.extend(edit.places(name, text)?);
    }
    all.sort_by_key(|(range, _)| (range.start, range.end));
    for pair in all.windows(2) {
        if pair[1].0.start < pair[0].0.end {
            let line = line_of(text, pair[1].0.start);
            return Err(Problem::invalid(format!("two edits overlap at {name}:{line}"))
                .hint("join them into one, or make two calls"));
        }
    }
    let mut next = String::with_capacity(text.len());
    let mut at = 0;
    for (range, new) in &all {
        next.push_str(&text[at..range.start]);
        next.push_str(new);
        at = range.end;
    }
    next.push_str(&text[at..]);
    Ok((next, all.len()))
}

impl TextEdit<'_> {
    fn places(&self, name: &str, text: &str) -> Result<Replacements> {
        let part = &text[self.within.clone()];
        let shift = self.within.start;
        let found: Replacements = match &self.selection {
            EditSelection::Whole => vec![(self.within.clone(), self.new.to_owned())],
            EditSelection::Lines(first, last) => return self.lines(name, text, *first, *last),
            EditSelection::Exact(old) => {
                let place = |(at, found): (usize, &str)| {
                    (shift + at..shift + at + found.len(), self.new.to_owned())
                };
                part.match_indices(old).map(place).collect()
            }
            EditSelection::Pattern(pattern) => {
                let place = |found: regex::Captures<'_>| {
                    let mut new = String::new();
                    found.expand(self.new, &mut new);
                    let whole = found.get(0).map(|whole| whole.range()).unwrap_or_default();
                    (shift + whole.start..shift + whole.end, new)
                };
                pattern.captures_iter(part).map(place).collect()
            }
        };
        if found.len() == self.count {
            return Ok(found);
        }
        Err(self.count_mismatch(name, text, &found))
    }

    fn lines(&self, name: &str, text: &str, first: u32, last: u32) -> Result<Replacements> {
        let mut starts: Vec<usize> = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at + 1))
            .filter(|start| *start == 0 || *start < text.len())
            .collect();
        let count = u32::try_from(starts.len()).unwrap_or(u32::MAX);
        if first == 0 || last < first || last > count {
            return Err(Problem::invalid(format!("no lines {first}-{last} in {name}"))
                .hint(format!("it has {}", counted(count, "line"))));
        }
        starts.push(text.len());
        let range = starts[first as usize - 1]..starts[last as usize];
        if range.start < self.within.start || range.end > self.within.end + 1 {
            let own = line_of(text, self.within.start);
            let end = line_of(text, self.within.end.saturating_sub(1));
            return Err(Problem::invalid(format!("lines {first}-{last} are not all in {name}"))
                .hint(format!("it is lines {own}-{end} of its file")));
        }
        let ends_line = text[range.clone()].ends_with('\n');
        let mut new = self.new.to_owned();
        if ends_line && !new.is_empty() && !new.ends_with('\n') {
            new.push('\n');
        }
        Ok(vec![(range, new)])
    }

    fn count_mismatch(&self, name: &str, text: &str, found: &Replacements) -> Problem {
        let wanted = self.count;
        if found.is_empty() {
            let problem = Problem::not_found(format!("the text to replace is not in {name}"));
            return match &self.selection {
                EditSelection::Exact(old) => problem.hint(nearest(name, text, &self.within, old)),
                _ => problem.hint("try the pattern with `code grep` first"),
            };
        }
        let lines: Vec<String> = found
            .iter()
            .take(MAX_LISTED)
            .map(|(range, _)| line_of(text, range.start).to_string())
            .collect();
        let message = format!(
            "{} in {name} where {wanted} was expected: lines {}",
            counted(found.len(), "match"),
            lines.join(", ")
        );
        Problem::new(ProblemCode::Ambiguous, message)
            .hint(format!("give more of the text around it, or count {}", found.len()))
    }
}

fn line_of(text: &str, byte: usize) -> usize {
    text[..byte.min(text.len())].matches('\n').count() + 1
}

/// Where a text would be found if white space were ignored, or where its first line is.
fn nearest(name: &str, text: &str, within: &Range<usize>, old: &str) -> String {
    let plain = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let wanted: Vec<String> = old.lines().map(plain).filter(|line| !line.is_empty()).collect();
    let Some(first) = wanted.first() else { return "the text to replace is empty".into() };
    let offset = line_of(text, within.start);
    let lines: Vec<String> = text[within.clone()].lines().map(plain).collect();
    let is_all = |at: &usize| {
        let here = lines[*at..].iter().filter(|line| !line.is_empty());
        here.take(wanted.len()).eq(wanted.iter())
    };
    if let Some(at) = (0..lines.len()).find(is_all) {
        return format!("{name}:{} differs only in white space", offset + at);
    }
    match lines.iter().position(|line| line == first) {
        Some(at) => {
            format!("its first line is at {name}:{}; the lines after it differ", offset + at)
        }
        None => "read the place again: it may have changed".into(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn exact<'a>(old: &'a str, new: &'a str, text: &str, count: usize) -> TextEdit<'a> {
        TextEdit { within: 0..text.len(), selection: EditSelection::Exact(old), new, count }
    }

    #[test]
    fn edits_refer_to_the_text_before_any_of_them() {
        let text = "one\ntwo\nthree\n";
        let edits = [
            TextEdit {
                within: 0..text.len(),
                selection: EditSelection::Lines(1, 1),
                new: "first\nand more",
                count: 1,
            },
            TextEdit {
                within: 0..text.len(),
                selection: EditSelection::Lines(3, 3),
                new: "",
                count: 1,
            },
            exact("two", "2", text, 1),
        ];
        assert_eq!(apply_edits("a.txt", text, &edits).unwrap(), ("first\nand more\n2\n".into(), 3));
    }

    #[test]
    fn a_pattern_may_use_its_groups() {
        let pattern = Regex::new(r"(\w+)\(\)").unwrap();
        let text = "a(); b();";
        let edit = TextEdit {
            within: 0..text.len(),
            selection: EditSelection::Pattern(&pattern),
            new: "${1}(x)",
            count: 2,
        };
        assert_eq!(apply_edits("a.js", text, &[edit]).unwrap().0, "a(x); b(x);");
    }

    #[test]
    fn what_does_not_match_as_often_as_said_is_refused() {
        let text = "x = 1;\ny = 1;\n";
        let many = apply_edits("a.js", text, &[exact("1", "2", text, 1)]).unwrap_err();
        assert_eq!(many.code, ProblemCode::Ambiguous);
        assert!(many.message.ends_with("lines 1, 2"), "{}", many.message);
        let none = apply_edits("a.js", text, &[exact("z", "2", text, 1)]).unwrap_err();
        assert_eq!(none.code, ProblemCode::NotFound);
        let spaced = apply_edits("a.js", text, &[exact("y  =  1;", "2", text, 1)]).unwrap_err();
        assert!(spaced.hints[0].contains("a.js:2 differs only in white space"));
        let both = [exact("x = 1", "a", text, 1), exact("= 1;\ny", "b", text, 1)];
        assert_eq!(
            apply_edits("a.js", text, &both).unwrap_err().code,
            ProblemCode::ValidationError
        );
        let beyond = TextEdit {
            within: 0..text.len(),
            selection: EditSelection::Lines(2, 3),
            new: "",
            count: 1,
        };
        assert_eq!(
            apply_edits("a.js", text, &[beyond]).unwrap_err().code,
            ProblemCode::ValidationError
        );
    }

    proptest! {
        #[test]
        fn replacing_and_replacing_back_gives_the_same_text(
            before in "[a-c\n]{0,20}", old in "X[a-z]{0,5}", new in "Y[a-z\n]{0,5}",
            after in "[a-c\n]{0,20}",
        ) {
            let text = format!("{before}{old}{after}");
            let (next, _) = apply_edits("a", &text, &[exact(&old, &new, &text, 1)]).unwrap();
            let (back, _) = apply_edits("a", &next, &[exact(&new, &old, &next, 1)]).unwrap();
            prop_assert_eq!(back, text);
        }
    }
}
