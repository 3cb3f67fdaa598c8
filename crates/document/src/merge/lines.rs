//! Three-way merge of texts by lines.

use std::ops::Range;

use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::{MergeTexts, MergedText, TEXT, marked, with_line_end};

/// Lines of one side that replace lines of the base.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LineChange {
    base: Range<usize>,
    new: Range<usize>,
}

/// Merges texts by lines. Where both sides append to the end, ours comes first.
pub fn merge_lines(texts: MergeTexts<'_>) -> MergedText {
    let MergeTexts { base, ours, theirs } = texts;
    let whole = |text: &str| MergedText { text: text.to_owned(), conflicts: Vec::new() };
    if ours == theirs || base == theirs {
        return whole(ours);
    }
    if base == ours {
        return whole(theirs);
    }
    let (base, ours, theirs) = (split(base), split(ours), split(theirs));
    let merger = LineMerger {
        our_changes: changes(&base, &ours),
        their_changes: changes(&base, &theirs),
        base,
        ours,
        theirs,
    };
    merger.merge()
}

fn split(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn changes(base: &[&str], side: &[&str]) -> Vec<LineChange> {
    let ops = capture_diff_slices(Algorithm::Myers, base, side);
    let changed = ops.iter().filter(|op| op.tag() != DiffTag::Equal);
    let mut found: Vec<LineChange> = Vec::new();
    for op in changed {
        let change = LineChange { base: op.old_range(), new: op.new_range() };
        // A deletion and an insertion at one place are one change.
        match found.last_mut().filter(|last| last.base.end == change.base.start) {
            Some(last) if last.new.end == change.new.start => {
                last.base.end = change.base.end;
                last.new.end = change.new.end;
            }
            _ => found.push(change),
        }
    }
    found
}

struct LineMerger<'t> {
    base: Vec<&'t str>,
    ours: Vec<&'t str>,
    theirs: Vec<&'t str>,
    our_changes: Vec<LineChange>,
    their_changes: Vec<LineChange>,
}

impl LineMerger<'_> {
    fn merge(&self) -> MergedText {
        let mut text = String::new();
        let mut conflicts = Vec::new();
        let (mut at, mut our, mut their) = (0, 0, 0);
        loop {
            let next_our = self.our_changes.get(our);
            let next_their = self.their_changes.get(their);
            let start = match (next_our, next_their) {
                (None, None) => break,
                (Some(one), None) | (None, Some(one)) => one.base.start,
                (Some(one), Some(other)) => one.base.start.min(other.base.start),
            };
            text.push_str(&self.base[at..start].concat());
            let (our_end, their_end, end) = self.region(start, our, their);
            let region = start..end;
            let ours = side(&self.ours, &self.our_changes[our..our_end], &region);
            let theirs = side(&self.theirs, &self.their_changes[their..their_end], &region);
            let ours = ours.unwrap_or_else(|| self.base[region.clone()].concat());
            let theirs = theirs.unwrap_or_else(|| self.base[region.clone()].concat());
            let base = self.base[region.clone()].concat();
            if ours == theirs || theirs == base {
                text.push_str(&ours);
            } else if ours == base {
                text.push_str(&theirs);
            } else if let Some(both) = self.appended(&region, &ours, &theirs) {
                text.push_str(&both);
            } else {
                text = with_line_end(&text);
                text.push_str(&marked(&with_line_end(&ours), &with_line_end(&theirs)));
                conflicts = vec![TEXT.to_owned()];
            }
            (at, our, their) = (end, our_end, their_end);
        }
        text.push_str(&self.base[at..].concat());
        MergedText { text, conflicts }
    }

    /// A group of overlapping changes. Returns the index after the last change of our side, of
    /// their side, and the base line after the group.
    fn region(&self, start: usize, our: usize, their: usize) -> (usize, usize, usize) {
        let (mut our_end, mut their_end, mut end) = (our, their, start);
        loop {
            let before = (our_end, their_end);
            let mut take = |changes: &[LineChange], upto: &mut usize| {
                while let Some(change) = changes.get(*upto) {
                    // Two changes that only touch are still at one place: their order is not known.
                    if change.base.start > end {
                        break;
                    }
                    end = end.max(change.base.end);
                    *upto += 1;
                }
            };
            take(&self.our_changes, &mut our_end);
            take(&self.their_changes, &mut their_end);
            if before == (our_end, their_end) {
                return (our_end, their_end, end);
            }
        }
    }

    /// Both versions, if both only append to the whole text.
    fn appended(&self, region: &Range<usize>, ours: &str, theirs: &str) -> Option<String> {
        let is_end = region.end == self.base.len();
        let base = self.base[region.clone()].concat();
        let last = base.trim_end_matches('\n');
        let our =
            ours.strip_prefix(last).filter(|rest| rest.starts_with('\n') || last.is_empty())?;
        let their =
            theirs.strip_prefix(last).filter(|rest| rest.starts_with('\n') || last.is_empty())?;
        // Only the end of the base's last line is the same in both; blank lines belong to what was
        // appended.
        let their = if last.is_empty() { their } else { their.strip_prefix('\n')? };
        is_end.then(|| format!("{last}{}{their}", with_line_end(our)))
    }
}

/// The lines of a side for some lines of the base; `None` if it changed none of them.
fn side(lines: &[&str], changes: &[LineChange], region: &Range<usize>) -> Option<String> {
    let (first, last) = (changes.first()?, changes.last()?);
    let start = first.new.start - (first.base.start - region.start);
    let end = last.new.end + (region.end - last.base.end);
    Some(lines[start..end].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(base: &str, ours: &str, theirs: &str) -> (String, usize) {
        let MergedText { text, conflicts } = merge_lines(MergeTexts { base, ours, theirs });
        (text, conflicts.len())
    }

    #[test]
    fn changes_apart_are_both_taken() {
        assert_eq!(merged("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n"), ("A\nb\nC\n".into(), 0));
        assert_eq!(merged("a\nb\nc\n", "a\nc\n", "a\nb\nc\nd\n"), ("a\nc\nd\n".into(), 0));
        assert_eq!(merged("a\n", "a\n", "b\n"), ("b\n".into(), 0));
    }

    #[test]
    fn both_may_append() {
        assert_eq!(merged("a\n", "a\nb\n", "a\nc\n"), ("a\nb\nc\n".into(), 0));
        assert_eq!(merged("a", "a\nb", "a\nc"), ("a\nb\nc".into(), 0));
        assert_eq!(merged("", "b\n", "c\n"), ("b\nc\n".into(), 0));
        assert_eq!(merged("a", "a\n\nb", "a\n\nc"), ("a\n\nb\n\nc".into(), 0));
    }

    #[test]
    fn one_line_changed_twice_is_marked() {
        let expected = "<<<<<<< ours\nx\n=======\ny\n>>>>>>> theirs\nb\n";
        assert_eq!(merged("a\nb\n", "x\nb\n", "y\nb\n"), (expected.into(), 1));
    }
}
