//! Replaces the destinations of links in a Markdown document.
//!
//! The parser says where links and definitions are, so that the same text in a code block, in a
//! title or in a sentence stays as it is.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Parser, Tag};

use crate::markdown::OPTIONS;

/// The document with the destinations of its links replaced, where `new` has another for what is
/// written; nothing where no link changes.
pub fn replace_link_destinations(
    text: &str,
    mut new: impl FnMut(&str) -> Option<String>,
) -> Option<String> {
    let mut places: Vec<(Range<usize>, String)> = Vec::new();
    let parser = Parser::new_ext(text, OPTIONS);
    for (_, definition) in parser.reference_definitions().iter() {
        if let Some(new) = new(&definition.dest) {
            places.extend(
                destination_range(text, &definition.span, "]:", &definition.dest).zip(Some(new)),
            );
        }
    }
    for (event, range) in parser.into_offset_iter() {
        let Event::Start(
            Tag::Link { link_type: LinkType::Inline, dest_url, .. }
            | Tag::Image { link_type: LinkType::Inline, dest_url, .. },
        ) = event
        else {
            continue;
        };
        if let Some(new) = new(&dest_url) {
            places.extend(destination_range(text, &range, "](", &dest_url).zip(Some(new)));
        }
    }
    if places.is_empty() {
        return None;
    }
    places.sort_by_key(|(range, _)| range.start);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (range, new) in places {
        out.push_str(&text[at..range.start]);
        out.push_str(&new);
        at = range.end;
    }
    out.push_str(&text[at..]);
    Some(out)
}

/// A path as the destination of a link can be written, with or without angle brackets.
pub fn format_link_destination(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for c in path.chars() {
        match c {
            ' ' | '(' | ')' | '<' | '>' | '?' | '\\' | '&' => {
                out.extend(c.encode_utf8(&mut [0; 4]).bytes().map(base::percent::encode_byte));
            }
            c => out.push(c),
        }
    }
    // What comes before the first colon would be taken for a scheme.
    let has_scheme = out.split_once(':').is_some_and(|(start, _)| !start.contains('/'));
    if has_scheme { format!("./{out}") } else { out }
}

/// Where a destination is written, inside of a link: behind the last opening that it follows.
fn destination_range(
    text: &str,
    link: &Range<usize>,
    opening: &str,
    to: &str,
) -> Option<Range<usize>> {
    let inside = &text[link.clone()];
    let mut starts: Vec<usize> = inside.match_indices(opening).map(|(at, _)| at).collect();
    if opening == "]:" {
        starts.truncate(1);
    }
    starts.iter().rev().find_map(|start| {
        let after = start + opening.len();
        let rest = inside[after..].trim_start();
        let bare = rest.strip_prefix('<').unwrap_or(rest);
        let at = link.start + after + (inside[after..].len() - bare.len());
        let ends = |c: char| c.is_whitespace() || matches!(c, ')' | '>');
        let follows = bare.strip_prefix(to)?;
        (follows.is_empty() || follows.starts_with(ends)).then(|| at..at + to.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(text: &str) -> Option<String> {
        replace_link_destinations(text, |to| (to == "a/q.ts").then(|| "b/q.ts".to_owned()))
    }

    #[test]
    fn only_destinations_are_changed() {
        for (before, after) in [
            ("[x](a/q.ts)", Some("[x](b/q.ts)")),
            ("[a/q.ts](a/q.ts \"a/q.ts\")", Some("[a/q.ts](b/q.ts \"a/q.ts\")")),
            ("[x]( <a/q.ts> )", Some("[x]( <b/q.ts> )")),
            ("[![i](a/q.ts)](a/q.ts)", Some("[![i](b/q.ts)](b/q.ts)")),
            ("[x][r] [r]\n\n[r]: a/q.ts 't'", Some("[x][r] [r]\n\n[r]: b/q.ts 't'")),
            ("[r]: a/q.ts", Some("[r]: b/q.ts")),
            ("`[x](a/q.ts)`\n\n```\n[x](a/q.ts)\n```\n", None),
            ("[x](a/q.tsx) a/q.ts (a/q.ts)", None),
            ("[x](other.md)", None),
        ] {
            assert_eq!(moved(before).as_deref(), after, "{before}");
        }
    }

    #[test]
    fn odd_names_can_be_written() {
        assert_eq!(format_link_destination("a b/(c)?.md"), "a%20b/%28c%29%3F.md");
        assert_eq!(format_link_destination("c:d.md"), "./c:d.md");
        assert_eq!(format_link_destination("a/c:d.md"), "a/c:d.md");
    }
}
