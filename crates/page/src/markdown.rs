//! Markdown of cards and knowledge as HTML. It comes from the repository, so it is data: raw HTML
//! is shown as text, images as their description, and links lead to pages or to the web only.

use maud::{Markup, PreEscaped};
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};

/// A text as HTML. Headings are third-level ones: the page has the first two.
pub(crate) fn prose(text: &str) -> Markup {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut written = String::new();
    html::push_html(&mut written, Parser::new_ext(text, options).filter_map(safe_event));
    PreEscaped(written)
}

/// The words of a text without its marks, for a quotation in a line.
pub(crate) fn plain(text: &str) -> String {
    let mut words = String::new();
    for event in Parser::new(text) {
        match event {
            Event::Text(part) | Event::Code(part) | Event::Html(part) | Event::InlineHtml(part) => {
                words.push_str(&part);
            }
            Event::SoftBreak
            | Event::HardBreak
            | Event::End(TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::Item) => words.push(' '),
            _ => {}
        }
    }
    words.trim_end().to_owned()
}

fn safe_event(event: Event<'_>) -> Option<Event<'_>> {
    Some(match event {
        Event::Html(raw) | Event::InlineHtml(raw) => Event::Text(raw),
        Event::Start(Tag::HtmlBlock) => Event::Start(Tag::Paragraph),
        Event::End(TagEnd::HtmlBlock) => Event::End(TagEnd::Paragraph),
        Event::Start(Tag::Image { .. }) => Event::Start(Tag::Emphasis),
        Event::End(TagEnd::Image) => Event::End(TagEnd::Emphasis),
        // Written by hand: `h3` whatever its level, and without an id that the page may have too.
        Event::Start(Tag::Heading { level, .. }) => {
            Event::InlineHtml(CowStr::from(format!("<h3 class=\"level-{}\">", level as u8)))
        }
        Event::End(TagEnd::Heading(_)) => Event::InlineHtml(CowStr::from("</h3>\n")),
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            let dest_url = if is_safe(&dest_url) { dest_url } else { CowStr::from("#") };
            Event::Start(Tag::Link { link_type, dest_url, title, id })
        }
        // A check box without a label says nothing to a screen reader.
        Event::TaskListMarker(is_done) => {
            Event::Text(CowStr::from(if is_done { "☑ " } else { "☐ " }))
        }
        Event::FootnoteReference(name) => Event::Text(name),
        other => other,
    })
}

/// Whether a link may be followed: to the web, to a mail program, or within the text.
fn is_safe(target: &str) -> bool {
    ["https://", "http://", "mailto:", "#"].iter().any(|start| target.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quotation_has_no_marks() {
        assert_eq!(plain("## Why\n\nA **cart** has `a` total."), "Why A cart has a total.");
    }

    #[test]
    fn what_a_text_says_cannot_become_part_of_the_page() {
        let text = "# Title\n\n<script>alert(1)</script>\n\n![seen](https://x.example/a.png) \
                    [run](javascript:alert(1)) [web](https://x.example)\n";
        assert_eq!(
            prose(text).into_string(),
            "<h3 class=\"level-1\">Title</h3>\n<p>&lt;script&gt;alert(1)&lt;/script&gt;\n</p>\n\
             <p><em>seen</em> <a href=\"#\">run</a> <a href=\"https://x.example\">web</a></p>\n"
        );
    }
}
