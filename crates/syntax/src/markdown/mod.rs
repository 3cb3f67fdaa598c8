//! Markdown: headings, links, and what the document is about.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::descriptor::{LanguageDescriptor, LanguageKind, LanguageParser};
use crate::model::{FileFacts, MarkdownHeading, MarkdownLink};
use crate::plain_text;

/// Markdown.
pub(crate) static DESCRIPTOR: LanguageDescriptor = LanguageDescriptor {
    name: "Markdown",
    kind: LanguageKind::Prose,
    extensions: &["md", "markdown", "mdx"],
    parser: LanguageParser::Markdown,
    ..LanguageDescriptor::CODE
};

/// The extensions of Markdown that are parsed.
pub(crate) const OPTIONS: Options =
    Options::ENABLE_YAML_STYLE_METADATA_BLOCKS.union(Options::ENABLE_TABLES);

/// The facts of a Markdown document.
pub(crate) fn extract(text: &str) -> FileFacts {
    let mut reader =
        MarkdownReader { text, facts: FileFacts::default(), open: None, line: LineCounter::new() };
    for (event, range) in Parser::new_ext(text, OPTIONS).into_offset_iter() {
        reader.handle_event(event, range.start);
    }
    let mut facts = reader.facts;
    facts.lines = plain_text::count_lines(text);
    facts.title = facts.headings.first().map(|heading| heading.text.clone());
    facts
}

struct MarkdownReader<'a> {
    text: &'a str,
    facts: FileFacts,
    open: Option<MarkdownHeading>,
    line: LineCounter,
}

impl MarkdownReader<'_> {
    fn handle_event(&mut self, event: Event<'_>, offset: usize) {
        let line = self.line.line_of(self.text, offset);
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                self.open = Some(MarkdownHeading {
                    level: heading_level_number(level),
                    text: String::new(),
                    line,
                });
            }
            Event::End(TagEnd::Heading(_)) => self.facts.headings.extend(self.open.take()),
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                self.facts.links.push(MarkdownLink { target: dest_url.into_string(), line });
            }
            Event::Text(piece) | Event::Code(piece) => {
                if let Some(heading) = &mut self.open {
                    heading.text.push_str(&piece);
                }
            }
            _ => {}
        }
    }
}

/// Line numbers of growing offsets, found in one pass.
struct LineCounter {
    offset: usize,
    line: u32,
}

impl LineCounter {
    const fn new() -> Self {
        Self { offset: 0, line: 1 }
    }

    fn line_of(&mut self, text: &str, offset: usize) -> u32 {
        if offset < self.offset {
            *self = Self::new();
        }
        let passed = &text.as_bytes()[self.offset..offset];
        let breaks = passed.split(|byte| *byte == b'\n').count() - 1;
        self.line += u32::try_from(breaks).unwrap_or_default();
        self.offset = offset;
        self.line
    }
}

const fn heading_level_number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_and_links_have_their_lines() {
        let facts = extract(
            "---\ntitle: x\n---\n# The `map`\n\nSee [design](docs/design.md#why) and\n\
             ![picture](a.png).\n\n```\n[not](a-link.md)\n```\n\n## Next\n[ref][r]\n\n[r]: ../b.rs\n",
        );
        let headings: Vec<_> =
            facts.headings.iter().map(|h| (h.level, h.text.as_str(), h.line)).collect();
        assert_eq!(headings, [(1, "The map", 4), (2, "Next", 13)]);
        let links: Vec<_> = facts.links.iter().map(|l| (l.target.as_str(), l.line)).collect();
        assert_eq!(links, [("docs/design.md#why", 6), ("a.png", 7), ("../b.rs", 14)]);
        assert_eq!((facts.title.as_deref(), facts.lines), (Some("The map"), 16));
    }
}
