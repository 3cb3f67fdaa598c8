//! cairn's table in Codex's `config.toml`: appended, and taken out as the text it was.
//!
//! `toml_edit` only parses here, to check that the text means what this code expects.

use base::text::MarkedText;
use toml_edit::{Document, Item};

use crate::text::{decode, newline};
use crate::{MalformedFile, append};

const TABLE_TEXT: &str = "[mcp_servers.cairn]\ncommand = \"cairn\"\nargs = [\"mcp\"]";
const MANUAL_HINT: &str =
    "add by hand to `mcp_servers`: cairn = { command = \"cairn\", args = [\"mcp\"] }";

pub(crate) fn install(existing: Option<&[u8]>) -> Result<Vec<u8>, MalformedFile> {
    let Some(bytes) = existing else { return Ok(append::new_file(TABLE_TEXT).into_bytes()) };
    let marked = decode(bytes)?;
    let text = marked.text;
    if find_entry(&parse(text)?).is_some() {
        return Ok(bytes.to_vec());
    }
    let added = append::add(text, TABLE_TEXT);
    let means_it =
        Document::parse(added.as_str()).is_ok_and(|doc| find_own_table(&added, &doc).is_some());
    if !means_it {
        let at = text.find("mcp_servers").unwrap_or(0);
        let message = "`mcp_servers` is written so that a table cannot be added to it";
        return Err(MalformedFile::at(text.as_bytes(), at, message).hint(MANUAL_HINT));
    }
    Ok(marked.with_text(&added).into_bytes())
}

pub(crate) fn remove(existing: &[u8]) -> Result<Option<Vec<u8>>, MalformedFile> {
    let marked = decode(existing)?;
    let text = marked.text;
    let doc = parse(text)?;
    let Some(start) = find_own_table(text, &doc) else { return Ok(Some(existing.to_vec())) };
    let end = start + TABLE_TEXT.replace('\n', newline(text)).len();
    Ok(append::remove_block(text, start..end).map(|text| marked.with_text(&text).into_bytes()))
}

/// Whether the file has an entry that is not as cairn writes it.
pub(crate) fn is_customised(existing: &[u8]) -> bool {
    let Ok(MarkedText { text, .. }) = decode(existing) else { return false };
    let Ok(doc) = parse(text) else { return false };
    find_entry(&doc).is_some() && find_own_table(text, &doc).is_none()
}

fn parse(text: &str) -> Result<Document<&str>, MalformedFile> {
    Document::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        MalformedFile::at(text.as_bytes(), at, error.message().to_lowercase())
    })
}

fn find_entry<'d>(doc: &'d Document<&str>) -> Option<&'d Item> {
    doc.get("mcp_servers")?.as_table_like()?.get("cairn")
}

/// Where cairn's table starts, if it is in the file exactly as cairn wrote it and contains nothing
/// else.
fn find_own_table(text: &str, doc: &Document<&str>) -> Option<usize> {
    let table = find_entry(doc)?.as_table()?;
    let start = table.span()?.start;
    let block = TABLE_TEXT.replace('\n', newline(text));
    let rest = text.get(start..)?.strip_prefix(&block)?;
    let alone = rest.is_empty() || rest.starts_with('\n') || rest.starts_with("\r\n");
    (alone && table.len() == 2).then_some(start)
}
