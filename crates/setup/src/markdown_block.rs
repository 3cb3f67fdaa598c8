//! cairn's paragraph in the Markdown files that agents read, between two marker lines.
//!
//! What is between the markers is cairn's and is brought up to date by every install.

use std::ops::Range;

use crate::text::{decode, newline};
use crate::{MalformedFile, append};

const BEGIN: &str = "<!-- cairn:begin -->";
const END: &str = "<!-- cairn:end -->";

/// The paragraph, markers included, without a newline at its end.
fn paragraph() -> &'static str {
    include_str!("agents.md").trim_end()
}

pub(crate) fn install(existing: Option<&[u8]>) -> Result<Vec<u8>, MalformedFile> {
    let Some(bytes) = existing else { return Ok(append::new_file(paragraph()).into_bytes()) };
    let marked = decode(bytes)?;
    let text = marked.text;
    let text = match find_block(text)? {
        None => append::add(text, paragraph()),
        Some(range) => {
            let current = paragraph().replace('\n', newline(text));
            format!("{}{current}{}", &text[..range.start], &text[range.end..])
        }
    };
    Ok(marked.with_text(&text).into_bytes())
}

pub(crate) fn remove(existing: &[u8]) -> Result<Option<Vec<u8>>, MalformedFile> {
    let marked = decode(existing)?;
    let text = marked.text;
    let Some(range) = find_block(text)? else { return Ok(Some(existing.to_vec())) };
    Ok(append::remove_block(text, range).map(|text| marked.with_text(&text).into_bytes()))
}

/// Whether the text pulls in `AGENTS.md` by itself, as Claude's and Gemini's files can.
pub(crate) fn imports_agents(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    text.split_whitespace().any(|word| word == "@AGENTS.md" || word == "@./AGENTS.md")
}

/// Where the block is, from the first marker to the end of the second.
fn find_block(text: &str) -> Result<Option<Range<usize>>, MalformedFile> {
    find_marked_range(text.as_bytes(), BEGIN, END)
}

/// The stretch between two marker lines, both included. One pair in order, or none.
pub(crate) fn find_marked_range(
    text: &[u8],
    begin: &str,
    end: &str,
) -> Result<Option<Range<usize>>, MalformedFile> {
    let (mut start, mut found, mut at) = (None, None, 0);
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let word = line.trim_ascii_end();
        if word == begin.as_bytes() {
            if start.replace(at).is_some() {
                return Err(MalformedFile::at(text, at, format!("a second `{begin}`")));
            }
        } else if word == end.as_bytes() {
            let fits = start.is_some() && found.is_none();
            if !fits {
                return Err(MalformedFile::at(text, at, format!("`{end}` without its `{begin}`")));
            }
            found = start.map(|start| start..at + word.len());
        }
        at += line.len();
    }
    match (start, found) {
        (Some(start), None) => {
            Err(MalformedFile::at(text, start, format!("`{begin}` without its `{end}`")))
        }
        (_, found) => Ok(found),
    }
}
