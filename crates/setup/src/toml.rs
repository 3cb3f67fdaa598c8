//! cairn's table in Codex's `config.toml`: appended, and taken out as the text it was.
//!
//! `toml_edit` only reads here; it tells that the text means what we think it does.

use toml_edit::{Document, Item};

use crate::text::{decoded, newline};
use crate::{Malformed, append};

const BLOCK: &str = "[mcp_servers.cairn]\ncommand = \"cairn\"\nargs = [\"mcp\"]";
const BY_HAND: &str =
    "add by hand to `mcp_servers`: cairn = { command = \"cairn\", args = [\"mcp\"] }";

pub(crate) fn install(existing: Option<&[u8]>) -> Result<Vec<u8>, Malformed> {
    let Some(bytes) = existing else { return Ok(append::created(BLOCK).into_bytes()) };
    let (bom, text) = decoded(bytes)?;
    if entry(&parsed(text)?).is_some() {
        return Ok(bytes.to_vec());
    }
    let added = append::add(text, BLOCK);
    let means_it = Document::parse(added.as_str()).is_ok_and(|doc| ours(&added, &doc).is_some());
    if !means_it {
        let at = text.find("mcp_servers").unwrap_or(0);
        let message = "`mcp_servers` is written so that a table cannot be added to it";
        return Err(Malformed::at(text.as_bytes(), at, message).hint(BY_HAND));
    }
    Ok(format!("{bom}{added}").into_bytes())
}

pub(crate) fn remove(existing: &[u8]) -> Result<Option<Vec<u8>>, Malformed> {
    let (bom, text) = decoded(existing)?;
    let doc = parsed(text)?;
    let Some(start) = ours(text, &doc) else { return Ok(Some(existing.to_vec())) };
    let end = start + BLOCK.replace('\n', newline(text)).len();
    Ok(append::cut(text, start..end).map(|text| format!("{bom}{text}").into_bytes()))
}

/// Whether the file has an entry that is not as cairn writes it.
pub(crate) fn is_customised(existing: &[u8]) -> bool {
    let Ok((_, text)) = decoded(existing) else { return false };
    let Ok(doc) = parsed(text) else { return false };
    entry(&doc).is_some() && ours(text, &doc).is_none()
}

fn parsed(text: &str) -> Result<Document<&str>, Malformed> {
    Document::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        Malformed::at(text.as_bytes(), at, error.message().to_lowercase())
    })
}

fn entry<'d>(doc: &'d Document<&str>) -> Option<&'d Item> {
    doc.get("mcp_servers")?.as_table_like()?.get("cairn")
}

/// Where our table starts, if it stands there letter by letter and holds nothing more.
fn ours(text: &str, doc: &Document<&str>) -> Option<usize> {
    let table = entry(doc)?.as_table()?;
    let start = table.span()?.start;
    let block = BLOCK.replace('\n', newline(text));
    let rest = text.get(start..)?.strip_prefix(&block)?;
    let alone = rest.is_empty() || rest.starts_with('\n') || rest.starts_with("\r\n");
    (alone && table.len() == 2).then_some(start)
}
