//! Places in files: the word under the cursor, and the symbol around a line.

use base::{RepoPath, Result};
use serde_json::{Value, json};
use toolchain::lsp::{LspPosition, PositionEncoding, offset_at};

use crate::operation_client::OperationClient;

/// A symbol of a file, by where it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EditorSymbol {
    /// Its name with the names it is nested in
    pub(crate) name: String,
    /// Its first line, from 0
    pub(crate) line: u32,
    /// The first sentence of its documentation
    pub(crate) doc: Option<String>,
}

/// What the editor points at.
pub(crate) struct EditorPlace {
    pub(crate) path: RepoPath,
    pub(crate) position: LspPosition,
}

impl EditorPlace {
    /// The place that the parameters of a request name; none outside the repository.
    pub(crate) fn read(client: &OperationClient, params: &Value) -> Option<Self> {
        let path = client.repo_path(params["textDocument"]["uri"].as_str()?)?;
        let position = LspPosition::from_json(&params["position"])?;
        Some(Self { path, position })
    }

    /// The word at the place that could be a handle, such as `spec::auth/login` or `REQ-12`.
    pub(crate) fn handle_word(&self, client: &OperationClient) -> Result<Option<String>> {
        let text = client.text(&self.path)?;
        let offset = offset_at(&text, self.position, PositionEncoding::Utf16);
        Ok(offset.and_then(|offset| word_at(&text, offset)).filter(|word| is_handle(word)))
    }

    /// The symbol around the place; none in a file that is not code.
    pub(crate) fn symbol(&self, client: &OperationClient) -> Option<EditorSymbol> {
        let symbols = file_symbols(client, &self.path).ok()?;
        let text = client.text(&self.path).ok()?;
        symbol_around(&symbols, &text, self.position.line).cloned()
    }
}

/// The symbols of a file in their order.
pub(crate) fn file_symbols(client: &OperationClient, path: &RepoPath) -> Result<Vec<EditorSymbol>> {
    let data = client.ask("code.zoom", json!({"path": path.to_string(), "level": 1}))?;
    let rows = data["files"][0]["symbols"].as_array().cloned().unwrap_or_default();
    let mut outer: Vec<String> = Vec::new();
    let mut symbols = Vec::new();
    for row in &rows {
        let Some(name) = row["name"].as_str() else { continue };
        let depth = row["depth"].as_u64().and_then(|depth| usize::try_from(depth).ok());
        outer.truncate(depth.unwrap_or_default());
        let full = if name.contains('.') || outer.is_empty() {
            name.to_owned()
        } else {
            format!("{}.{name}", outer.join("."))
        };
        outer.push(name.to_owned());
        let line = row["line"].as_u64().and_then(|line| u32::try_from(line).ok()).unwrap_or(1);
        let doc = row["doc"].as_str().map(str::to_owned);
        symbols.push(EditorSymbol { name: full, line: line.saturating_sub(1), doc });
    }
    Ok(symbols)
}

/// The symbol that a line belongs to: the one whose comment it is in, or the last one that begins
/// there or above.
pub(crate) fn symbol_around<'s>(
    symbols: &'s [EditorSymbol],
    text: &str,
    line: u32,
) -> Option<&'s EditorSymbol> {
    let next = symbols.iter().filter(|symbol| symbol.line > line).min_by_key(|symbol| symbol.line);
    let is_above = |next: &&EditorSymbol| {
        let lines = text.lines().skip(line as usize).take((next.line - line) as usize);
        lines.into_iter().all(is_comment)
    };
    let before = symbols.iter().filter(|symbol| symbol.line <= line);
    next.filter(is_above).or_else(|| before.max_by_key(|symbol| symbol.line))
}

/// Whether a line looks like a part of the comment or of the attributes above a declaration.
fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with(['/', '*', '#', '@', '-'])
}

/// The longest text around a byte offset that could be a handle.
fn word_at(text: &str, offset: usize) -> Option<String> {
    let is_part = |char: char| char.is_alphanumeric() || "_:/.#-".contains(char);
    let before = text.get(..offset)?;
    let start = before
        .rfind(|char| !is_part(char))
        .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    let rest = &text[start..];
    let end = rest.find(|char| !is_part(char)).unwrap_or(rest.len());
    let word = rest[..end].trim_end_matches(['.', ':', '-', '/']);
    (!word.is_empty()).then(|| word.to_owned())
}

/// Whether a word is the key of a card or the id of a fact.
fn is_handle(word: &str) -> bool {
    let is_fact = word.split_once('-').is_some_and(|(kind, number)| {
        !kind.is_empty()
            && kind.chars().all(|char| char.is_ascii_uppercase())
            && number.starts_with(|first: char| first.is_ascii_digit())
    });
    is_fact || word.starts_with("kb:") || word.contains("::") && word.contains('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_under_the_cursor_is_a_whole_handle() {
        let text = "/** @see spec::auth/login. */ let é = 1; // REQ-12, see";
        let word = |needle: &str| word_at(text, text.find(needle).unwrap() + 2).unwrap();
        assert_eq!(word("auth"), "spec::auth/login");
        assert_eq!(word("spec"), "spec::auth/login");
        assert_eq!(word("REQ"), "REQ-12");
        assert!(is_handle("spec::auth/login") && is_handle("REQ-12") && is_handle("kb:ADR-1"));
        assert!(!is_handle("let") && !is_handle("std::fmt") && !is_handle("utf-8"));
        assert_eq!(word_at("a  b", 2), None);
        assert_eq!(word_at("", 0), None);
    }

    #[test]
    fn a_line_belongs_to_the_symbol_below_its_comment_or_above_it() {
        let symbol = |name: &str, line| EditorSymbol { name: name.into(), line, doc: None };
        let symbols = [symbol("a", 2), symbol("a.b", 4), symbol("c", 9)];
        let text = "\n\nfn a() {\n\n  b\n\n}\n/// Says c.\n#[x]\nfn c() {}\n";
        let around = |line| symbol_around(&symbols, text, line).map(|symbol| symbol.name.as_str());
        assert_eq!(around(1), None);
        assert_eq!(around(6), Some("a.b"));
        assert_eq!(around(7), Some("c"));
        assert_eq!(around(9), Some("c"));
    }
}
