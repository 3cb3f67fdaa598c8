//! Doc comments: their text, and the tags in them that name something elsewhere.
//!
//! A tag counts at the start of a line, outside fenced code; an `implements REQ-1` counts
//! anywhere outside code.

use base::Span;

use crate::lines::offset;
use crate::model::DocTag;

/// How a comment is marked.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Style {
    /// `/** … */`
    Block,
    /// Lines that each start with one of these, longest first
    Lines(&'static [&'static str]),
    /// A string in its quotes
    Docstring,
}

/// What a comment says.
pub(crate) struct Said {
    /// Without the marks
    pub text: String,
    /// Tag, target and where the target stands
    pub links: Vec<(DocTag, String, Span)>,
}

/// Reads the comment that starts at `start` of its file.
pub(crate) fn read(raw: &str, start: u32, style: Style) -> Said {
    let mut said = Said { text: String::with_capacity(raw.len()), links: Vec::new() };
    let mut fenced = false;
    let mut at = 0;
    for line in raw.split_inclusive('\n') {
        let content = strip(line, style, at == 0, at + line.len() == raw.len());
        let begins = start + offset(at + (content.as_ptr() as usize - line.as_ptr() as usize));
        let trimmed = content.trim_start();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            fenced = !fenced;
        } else if !fenced {
            links(content, begins, &mut said.links);
        }
        said.text.push_str(content.trim_end());
        said.text.push('\n');
        at += line.len();
    }
    said.text = tidy(&said.text);
    said
}

/// The first sentence of a doc comment, on one line; a licence is not what a file is about.
pub(crate) fn sentence(text: &str) -> Option<String> {
    let said = |line: &&str| {
        let lower = line.to_lowercase();
        let noise = ["copyright", "license", "licence", "spdx"];
        !line.starts_with('@') && !noise.iter().any(|word| lower.contains(word))
    };
    let paragraph = text
        .split("\n\n")
        .map(|part| part.lines().map(str::trim).filter(said).collect::<Vec<_>>().join(" "));
    let first = paragraph.map(|part| part.trim().trim_start_matches('#').trim().to_owned());
    let first = first.into_iter().find(|part| !part.is_empty())?;
    let sentence = first.split_inclusive(". ").next().unwrap_or_default();
    let sentence = sentence.trim().trim_end_matches('.');
    (!sentence.is_empty()).then(|| sentence.chars().take(160).collect())
}

/// A line without the marks of its comment.
fn strip(line: &str, style: Style, first: bool, last: bool) -> &str {
    let line = line.trim_end_matches(['\n', '\r']);
    match style {
        Style::Block => {
            let mut inner = line.trim_start();
            if first {
                inner = inner.trim_start_matches('/').trim_start_matches(['*', '!']);
            }
            if last {
                inner = inner.trim_end().trim_end_matches('/').trim_end_matches('*');
            }
            if !first {
                inner = inner.strip_prefix('*').unwrap_or(inner);
            }
            inner.strip_prefix(' ').unwrap_or(inner)
        }
        Style::Lines(marks) => {
            let inner = line.trim_start();
            let inner = marks.iter().find_map(|mark| inner.strip_prefix(mark)).unwrap_or(inner);
            inner.strip_prefix(' ').unwrap_or(inner)
        }
        Style::Docstring => {
            let mut inner = line;
            if first {
                inner = inner.trim_start().trim_start_matches(|c: char| c.is_ascii_alphabetic());
                inner = inner.trim_start_matches(['"', '\'']);
            }
            if last {
                inner = inner.trim_end().trim_end_matches(['"', '\'']);
            }
            inner
        }
    }
}

/// Drops the indentation all lines share, and blank lines around the text.
fn tidy(text: &str) -> String {
    let text = text.trim_end().trim_start_matches('\n');
    let indents = text.lines().skip(1).filter(|line| !line.trim().is_empty());
    let shared = indents.map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    let lines = text.lines().enumerate().map(|(at, line)| {
        if at == 0 { line.trim_start() } else { line.get(shared..).unwrap_or_default() }
    });
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// Finds the tags of one line.
fn links(line: &str, start: u32, found: &mut Vec<(DocTag, String, Span)>) {
    let trimmed = line.trim_start();
    let tag = trimmed
        .strip_prefix(['@', '\\'])
        .and_then(|rest| ["see", "sa"].iter().find_map(|word| rest.strip_prefix(word)));
    if let Some(rest) = tag.filter(|rest| rest.starts_with([' ', '\t', ':'])) {
        let target = rest.trim_start_matches(':').trim();
        if !target.is_empty() {
            found.push((DocTag::See, target.into(), span_of(line, target, start)));
        }
        return;
    }
    if line.len() > 12 {
        implements(line, start, found);
    }
}

/// Finds `implements REQ-1, REQ-2` outside code spans.
fn implements(line: &str, start: u32, found: &mut Vec<(DocTag, String, Span)>) {
    const WORD: &str = "mplements";
    for (at, _) in line.match_indices(WORD) {
        let before = &line[..at];
        let starts = before.ends_with(['i', 'I'])
            && !before[..before.len() - 1].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if !starts || before.matches('`').count() % 2 == 1 {
            continue;
        }
        let rest = &line[at + WORD.len()..];
        if !rest.starts_with([' ', '\t', ':']) {
            continue;
        }
        let list = rest.trim_start_matches(':').split([',', ' ', '\t']);
        for word in list.skip_while(|word| word.is_empty()) {
            if word.is_empty() || word == "and" {
                continue;
            }
            let id = word.trim_end_matches(['.', ';', ')', ':']);
            if !is_id(id) {
                break;
            }
            found.push((DocTag::Implements, id.into(), span_of(line, id, start)));
        }
    }
}

/// Whether a word looks like `REQ-001`.
fn is_id(word: &str) -> bool {
    let Some((prefix, number)) = word.split_once('-') else { return false };
    let upper = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    prefix.starts_with(|c: char| c.is_ascii_uppercase())
        && prefix.chars().all(upper)
        && number.starts_with(|c: char| c.is_ascii_alphanumeric())
        && number.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

/// The span of `part`, a piece of `line`, which starts at `start`.
fn span_of(line: &str, part: &str, start: u32) -> Span {
    let begin = start + offset(part.as_ptr() as usize - line.as_ptr() as usize);
    Span::new(begin, begin + offset(part.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(raw: &str, style: Style, text: &str, links: &[&str]) {
        let said = read(raw, 100, style);
        assert_eq!(said.text, text);
        let shown: Vec<_> = said
            .links
            .iter()
            .map(|(tag, target, span)| {
                let start = (span.start - 100) as usize;
                assert_eq!(&raw[start..start + target.len()], target);
                format!("{tag:?} {target}")
            })
            .collect();
        assert_eq!(shown, links);
    }

    #[test]
    fn blocks_lines_and_docstrings() {
        check(
            "/**\n * Logs in.\n *\n * @see spec::auth/login\n *   @see https://x.y\n * say @see no\n */",
            Style::Block,
            "Logs in.\n\n@see spec::auth/login\n  @see https://x.y\nsay @see no",
            &["See spec::auth/login", "See https://x.y"],
        );
        check("/** @see a::b */", Style::Block, "@see a::b", &["See a::b"]);
        check(
            "/// Adds.\n    /// ```\n    /// @see not::this\n    /// ```\n    /// @see spec::x",
            Style::Lines(&["///"]),
            "Adds.\n```\n@see not::this\n```\n@see spec::x",
            &["See spec::x"],
        );
        check(
            "\"\"\"Reads.\r\n\r\n    Implements REQ-001, REQ-2 and ADR-3.\r\n    @see spec::y\r\n    \"\"\"",
            Style::Docstring,
            "Reads.\n\nImplements REQ-001, REQ-2 and ADR-3.\n@see spec::y",
            &["Implements REQ-001", "Implements REQ-2", "Implements ADR-3", "See spec::y"],
        );
    }

    #[test]
    fn prose_and_code_are_not_links() {
        let prose = "/** It implements the thing, `implements REQ-1`, reimplements REQ-2,\n * `@see x::y`, @seen. */";
        assert!(read(prose, 0, Style::Block).links.is_empty());
    }

    #[test]
    fn a_sentence_says_what_a_file_is_about() {
        assert_eq!(sentence("Copyright X\n\nReads. Writes."), Some("Reads".into()));
        assert_eq!(sentence("@fileoverview\nReads the\nlog."), Some("Reads the log".into()));
        assert_eq!(sentence("@see x"), None);
    }
}
