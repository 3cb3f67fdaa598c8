//! The first prose of a README: what a project says about itself.

use base::{RepoPath, Result};
use schemars::JsonSchema;
use serde::Serialize;

use engine::areas::files;
use engine::view::View;

/// The longest text that is quoted, in characters.
const MAX_CHARS: usize = 320;

/// The shortest text of an HTML element that is shown, in characters.
const MIN_ELEMENT_CHARS: usize = 20;

/// What a project says about itself
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProjectSummary {
    /// The first paragraph of prose
    pub text: String,
    /// The file that says it
    pub source: RepoPath,
}

/// The summary in the README at the root.
pub(super) fn summary(view: &View) -> Result<Option<ProjectSummary>> {
    let is_readme = |path: &RepoPath| path.name().to_lowercase().starts_with("readme");
    let files = files::in_folder(view, &RepoPath::ROOT)?;
    let Some(file) = files.into_iter().find(|file| is_readme(&file.path)) else { return Ok(None) };
    let Some(content) = view.tree().read(&file.path)? else { return Ok(None) };
    let text = first_paragraph(&String::from_utf8_lossy(&content.bytes));
    Ok(text.map(|text| ProjectSummary { text, source: file.path }))
}

/// The first paragraph that is prose: not a heading, badge, image, table, list or other markup.
fn first_paragraph(markdown: &str) -> Option<String> {
    let (mut paragraph, mut element) = (String::new(), String::new());
    let (mut in_code, mut in_markup) = (false, false);
    for line in markdown.lines().map(str::trim) {
        // As in Markdown, a block of HTML ends at the next empty line, and so do badges.
        in_markup = !line.is_empty() && (in_markup || starts_markup(line));
        if in_markup {
            element.push_str(line);
            element.push(' ');
            if let Some(text) = html_paragraph(&mut element) {
                paragraph = text;
                break;
            }
        } else {
            element.clear();
        }
        let line = line.strip_prefix('>').map_or(line, str::trim_start);
        if line.starts_with("```") || line.starts_with("~~~") {
            in_code = !in_code;
        }
        if in_code || in_markup || line.is_empty() || !is_prose(line) {
            if is_sentence(&paragraph) && !is_underline(line) {
                break;
            }
            paragraph.clear();
            continue;
        }
        if !paragraph.is_empty() {
            paragraph.push(' ');
        }
        paragraph.push_str(&without_tags(line));
    }
    let shown: String = paragraph.chars().take(MAX_CHARS).collect();
    let cut = if shown.len() < paragraph.len() { "…" } else { "" };
    is_sentence(&paragraph).then(|| format!("{}{cut}", shown.trim_end()))
}

/// Whether a paragraph says something by itself: longer than a title, and not the rest of a motto.
fn is_sentence(paragraph: &str) -> bool {
    paragraph.chars().count() > 20 && !paragraph.starts_with("..") && !paragraph.starts_with('…')
}

/// Whether a line makes the text above it a heading.
fn is_underline(line: &str) -> bool {
    let mut chars = line.chars();
    let first = chars.next().filter(char::is_ascii_punctuation);
    line.len() >= 3 && first.is_some_and(|first| chars.all(|char| char == first))
}

/// The text of a `<p>` element that ends in a block of HTML, if it is a sentence and not a row of
/// links and images. What comes before its end is taken out of the block.
fn html_paragraph(block: &mut String) -> Option<String> {
    let end = block.find("</p>")? + "</p>".len();
    let rest = block.split_off(end);
    let element = std::mem::replace(block, rest);
    let start = element.rfind("<p>").or_else(|| element.rfind("<p "))?;
    let text = without_tags(&without_links(&element[start..]));
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let letters = text.chars().filter(|char| char.is_alphabetic()).count();
    let is_sentence = text.chars().count() > MIN_ELEMENT_CHARS && letters * 2 > text.len();
    is_sentence.then_some(text)
}

/// HTML without its links and what they are called.
fn without_links(html: &str) -> String {
    let mut parts = html.split("<a ");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        kept.push_str(part.split_once("</a>").map_or("", |(_, rest)| rest));
    }
    kept
}

/// A line without HTML tags. An address in angle brackets stays, and so does a lone `<`.
fn without_tags(line: &str) -> String {
    let mut kept = String::new();
    let mut rest = line;
    while let Some((before, tag)) = rest.split_once('<') {
        kept.push_str(before);
        match tag.split_once('>') {
            Some((name, after)) if starts_markup(&rest[before.len()..]) => {
                if name.starts_with("br") {
                    kept.push(' ');
                }
                rest = after;
            }
            _ => {
                kept.push('<');
                rest = tag;
            }
        }
    }
    kept.push_str(rest);
    kept.trim_end().to_owned()
}

/// Whether a line begins a block of badges or of HTML: a tag or a comment, and not an address in
/// angle brackets.
fn starts_markup(line: &str) -> bool {
    let Some(rest) = line.strip_prefix('<') else { return line.starts_with("[![") };
    let name = rest.trim_start_matches('/');
    let name = name.split(|char: char| !char.is_ascii_alphanumeric()).next().unwrap_or_default();
    let after = rest.trim_start_matches('/').get(name.len()..).unwrap_or_default();
    rest.starts_with('!') || (!name.is_empty() && !after.starts_with(':'))
}

/// A line that begins with a letter, and is not the underline of a heading, a reference or only a
/// link.
fn is_prose(line: &str) -> bool {
    let markup = ["#", "[!", "![", "<", "|", "---", "===", "```", "~~~", ":", "* ", "- ", ".. "];
    let is_reference = line.starts_with('[') && line.contains("]:");
    let letters = line.chars().filter(|char| char.is_alphabetic()).count();
    let is_markup = markup.iter().any(|start| line.starts_with(start)) || is_reference;
    !is_markup && !is_only_link(line) && letters * 2 > line.len()
}

/// Whether a line has nothing but one link.
fn is_only_link(line: &str) -> bool {
    let line = without_tags(line);
    let inner = line.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(')'));
    inner.is_some_and(|inner| inner.matches("](").count() == 1 && !inner.contains(") "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_told_from_badges_and_headings() {
        let text = "# Title\n\n[![build](x)](y)\n<p>\n\nA tool that searches\nfolders for text.\n\nMore.\n";
        assert_eq!(
            first_paragraph(text).as_deref(),
            Some("A tool that searches folders for text.")
        );
        let underlined =
            "ripgrep (rg)\n------------\nripgrep is a line-oriented search tool that is quick.\n";
        let found = first_paragraph(underlined);
        assert_eq!(found.as_deref(), Some("ripgrep is a line-oriented search tool that is quick."));
        let sponsored = "<div>\n\t<img\n\t\tsrc=\"logo.svg\"\n\t>\n\tWe thank everybody who pays for this.\n</div>\n\n[![a\nbadge of two lines](https://a.example/b.svg)](https://a.example)\n\n> A small client for requests over a network.\n";
        let found = first_paragraph(sponsored);
        assert_eq!(found.as_deref(), Some("A small client for requests over a network."));
        let framed = "****************************\nshop: simple sales for people\n****************************\n\n|build| |docs|\n\n**shop** sells things to people.\n";
        let found = first_paragraph(framed);
        assert_eq!(found.as_deref(), Some("**shop** sells things to people."));
        let motto =
            "# Shop\n\n... so better sell this well\n\nHelpers that sell things to people.\n";
        assert_eq!(first_paragraph(motto).as_deref(), Some("Helpers that sell things to people."));
        assert_eq!(first_paragraph("# Title\n\n- a\n- b\n"), None);
        let centred = "<p align=\"center\">\n<a href=\"x\">A site with a rather long name</a> ·\n</p>\n<p align=\"center\">A server that <b>encrypts</b> by default.</p>\n<p>More.</p>\n";
        assert_eq!(first_paragraph(centred).as_deref(), Some("A server that encrypts by default."));
        let advertised = "[Available for every system there is](https://a.example)<br>\n\nA tool that finds text<br>in files.\n";
        assert_eq!(
            first_paragraph(advertised).as_deref(),
            Some("A tool that finds text in files.")
        );
        let long = "word ".repeat(200);
        assert!(first_paragraph(&long).unwrap().ends_with('…'));
    }
}
