//! Re-indents new text for the place it is inserted at, however the caller indented it.

use super::literal_lines;
use super::text_layout::dominant_newline;
use crate::Language;

/// The ways to write a text whose first line goes where the indentation ends, likeliest first.
///
/// A text cut out of the file fits as it is; one written on its own is moved to the right, but for
/// lines that start inside a literal. `place` inserts a text into the file, so that literals can be
/// recognized.
pub(super) fn indentation_candidates(
    language: Language,
    content: &str,
    indent: &str,
    file: &str,
    place: impl Fn(&str) -> (String, usize),
) -> Vec<String> {
    let content = content.trim_matches(['\n', '\r']).trim_end();
    let content = with_line_ends(content, dominant_newline(file));
    let own = &content[..content.len() - content.trim_start_matches([' ', '\t']).len()];
    let flush = reindent(&content, own, "", &|_| false);
    let (whole, first) = place(&flush);
    let literals = literal_lines::lines_inside_literals(language, &whole);
    let first_line = u32::try_from(whole[..first].matches('\n').count()).unwrap_or_default() + 1;
    let inside = |line: u32| literals.contains(&(first_line + line));
    let moved = reindent(&content, own, indent, &inside);
    let rest = flush.lines().enumerate().skip(1).filter(|(at, line)| {
        !line.trim().is_empty() && !inside(u32::try_from(*at).unwrap_or_default())
    });
    let fits = own.is_empty()
        && rest
            .map(|(_, line)| line)
            .all(|line| line.starts_with(indent) || stays_at_margin(language, line))
        && (!language.descriptor().layout.is_indented || is_body_deeper(&flush, indent));
    if fits { vec![flush, moved] } else { vec![moved, flush] }
}

/// Whether a line stands at the margin whatever is around it: code that was commented out, or a
/// preprocessor directive.
fn stays_at_margin(language: Language, line: &str) -> bool {
    line.starts_with('#') || language.descriptor().comments.comment_len(line) > 0
}

/// Whether the body of a Python definition is deeper than the definition would be. The grammar
/// accepts a definition without a body, so a parse would not show it.
fn is_body_deeper(text: &str, indent: &str) -> bool {
    let opens = |line: &str| line.split('#').next().unwrap_or_default().trim_end().ends_with(':');
    let defines = |line: &&str| {
        let words = ["def ", "async def ", "class "];
        words.iter().any(|word| line.trim_start().starts_with(word))
    };
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let head = lines.skip_while(|line| !defines(line));
    let body = head.skip_while(|line| !opens(line)).nth(1);
    body.is_none_or(|line| line.len() - line.trim_start().len() > indent.len())
}

/// Replaces the indentation `from` by `to` on every line; the first line gets none.
fn reindent(text: &str, from: &str, to: &str, inside: &dyn Fn(u32) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, line) in (0_u32..).zip(text.split_inclusive('\n')) {
        if at > 0 && inside(at) {
            out.push_str(line);
            continue;
        }
        let bare = line.strip_prefix(from).unwrap_or(line);
        if at > 0 && !bare.trim().is_empty() {
            out.push_str(to);
        }
        out.push_str(bare);
    }
    out
}

/// A text with the line ends of the file it is inserted into.
fn with_line_ends(text: &str, newline: &str) -> String {
    // What was cut out of a file with mixed line ends is left as it is.
    if text.contains('\r') { text.to_owned() } else { text.replace('\n', newline) }
}
