//! Which lines of long source are shown: those about the task, or those outside of function bodies.

use std::collections::BTreeSet;

use base::{RepoPath, Result};
use code::SymbolRow;

use crate::answers::line_choice::{LineChoice, contiguous_ranges};
use crate::answers::source::{LineRange, SourceText};
use crate::locate;
use engine::view::View;

/// Source up to this number of lines is shown whole, also if words say what it is wanted for.
const MAX_WHOLE_LINES: u32 = 40;

/// How many lines of longer source are shown if words say what it is wanted for.
const MAX_LINES_ABOUT: usize = 40;

/// Files and types with more lines are shown without the bodies of the functions in them.
const MAX_UNFOLDED_LINES: u32 = 300;

/// A shorter body is not folded: the note would be as long.
const MIN_FOLDED_LINES: u32 = 4;

/// How many lines a signature has at most.
const MAX_SIGNATURE_LINES: u32 = 6;

/// The ranges of some source that are about the words; all of it if it is short, or contains none
/// of them.
pub(super) fn lines_about(
    view: &View,
    words: &str,
    text: &SourceText,
    within: LineRange,
    declared: u32,
) -> Result<Vec<LineRange>> {
    if within.last - within.first < MAX_WHOLE_LINES {
        return Ok(vec![within]);
    }
    let weights = locate::line_weights(view, words, text, within)?;
    if weights.is_empty() {
        return Ok(vec![within]);
    }
    let free = (within.first..=within.last).collect();
    let choice = LineChoice { within, free, declared, weights };
    Ok(contiguous_ranges(&choice.lines(MAX_LINES_ABOUT, |_| 1)))
}

/// The ranges of a file or a type that are outside of the bodies of the functions in it; all of it if it is short.
pub(super) fn lines_outside_bodies(
    view: &View,
    path: &RepoPath,
    text: &SourceText,
    within: LineRange,
    declared: u32,
) -> Result<Vec<LineRange>> {
    if within.last - within.first < MAX_UNFOLDED_LINES {
        return Ok(vec![within]);
    }
    let mut shown: BTreeSet<u32> = (within.first..=within.last).collect();
    let symbols = code::symbols_in_file(view.index()?.conn(), path)?;
    for symbol in text.in_place(view, path, symbols)? {
        let Some(body) = body_of(&symbol, text) else { continue };
        if symbol.line <= declared && symbol.end_line >= within.last {
            return Ok(vec![within]); // a function was asked for
        }
        (body.first..=body.last).for_each(|line| {
            shown.remove(&line);
        });
    }
    Ok(contiguous_ranges(&shown))
}

/// The lines of a function after its signature, up to the one that closes it.
fn body_of(symbol: &SymbolRow, text: &SourceText) -> Option<LineRange> {
    if !matches!(symbol.kind.as_str(), "function" | "method" | "constructor" | "test") {
        return None;
    }
    let LineRange { first, last } = text.lines_of(symbol);
    let signature = symbol.signature.matches('\n').count();
    let signature = u32::try_from(signature).unwrap_or(u32::MAX).min(MAX_SIGNATURE_LINES - 1);
    let declared = symbol.line.max(first) + signature;
    let is_closing = |line: &str| matches!(line.trim(), "}" | "};" | "}," | ")" | ");" | "end");
    let last = if is_closing(text.line(last)) { last - 1 } else { last };
    let body = LineRange { first: declared + 1, last };
    (body.first + MIN_FOLDED_LINES <= body.last + 1).then_some(body)
}
