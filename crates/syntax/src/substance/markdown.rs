//! The substance of prose: what a Markdown document says, without how its source is laid out.

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::push_token;
use crate::markdown::OPTIONS;

/// The substance of a Markdown text. Line breaks, the marks of lists and emphasis, comments and
/// relative links do not count: links follow their files when those move.
pub fn prose_substance(text: &str) -> String {
    let text = base::text::without_byte_order_mark(text);
    let mut out = String::new();
    let mut words = String::new();
    let mut html: Option<String> = None;
    for event in Parser::new_ext(text, OPTIONS) {
        match event {
            Event::Text(piece) | Event::Code(piece) => words.push_str(&piece),
            Event::SoftBreak | Event::HardBreak => words.push(' '),
            Event::Html(piece) | Event::InlineHtml(piece) => match html.as_mut() {
                Some(block) => block.push_str(&piece),
                None => words.push_str(&without_comments(&piece)),
            },
            // The parser reads a block line by line, and a comment may have several lines.
            Event::Start(Tag::HtmlBlock) => html = Some(String::new()),
            Event::End(TagEnd::HtmlBlock) => {
                words.push_str(&without_comments(&html.take().unwrap_or_default()));
                flush(&mut words, &mut out);
            }
            Event::Start(tag) => {
                if let Some(mark) = mark(&tag) {
                    flush(&mut words, &mut out);
                    push_token(&mut out, &mark);
                }
            }
            Event::End(end) if !is_inline(end) => flush(&mut words, &mut out),
            _ => {}
        }
    }
    flush(&mut words, &mut out);
    out
}

fn without_comments(html: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(html.len()), html);
    while let Some((before, comment)) = rest.split_once("<!--") {
        out.push_str(before);
        rest = comment.split_once("-->").map_or("", |(_, after)| after);
    }
    out + rest
}

/// What a tag adds to the substance; `None` if it only shows the words in another way.
fn mark(tag: &Tag<'_>) -> Option<String> {
    match tag {
        Tag::Emphasis | Tag::Strong | Tag::Strikethrough => None,
        Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
            dest_url.contains("://").then(|| format!("link {dest_url}"))
        }
        Tag::Heading { level, .. } => Some(format!("heading {level}")),
        Tag::List(first) => Some(if first.is_some() { "steps" } else { "list" }.into()),
        Tag::CodeBlock(_) => Some("code".into()),
        Tag::Item => Some("item".into()),
        Tag::BlockQuote(_) => Some("quote".into()),
        Tag::TableCell => Some("cell".into()),
        _ => Some(String::new()).filter(|_| false),
    }
}

const fn is_inline(end: TagEnd) -> bool {
    use TagEnd::{Emphasis, Image, Link, Strikethrough, Strong};
    matches!(end, Emphasis | Strong | Strikethrough | Link | Image)
}

/// Writes the words so far, with single spaces.
fn flush(words: &mut String, out: &mut String) {
    let plain = words.split_whitespace().collect::<Vec<_>>().join(" ");
    if !plain.is_empty() {
        push_token(out, &plain);
    }
    words.clear();
}
