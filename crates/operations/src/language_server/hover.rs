//! Types of symbols, from a server's hover texts.

use std::collections::BTreeMap;

use base::{Problem, ProblemCode, RepoPath, Result};
use serde_json::Value;

use super::{AnswerSource, LanguageServer, LspRequest, TargetPosition};
use engine::areas::files::file_node;
use engine::contract::args::NodeTarget;
use engine::view::View;

/// Maximum number of symbols to ask about.
const MAX_SYMBOLS: usize = 300;

/// Maximum length of a shown type, in characters.
const MAX_TYPE_CHARS: usize = 240;

/// The types of some symbols of a file, by name, and who inferred them.
pub(crate) fn types(
    view: &View,
    path: &RepoPath,
    names: &[&str],
) -> Result<(AnswerSource, BTreeMap<String, String>)> {
    let whole = file_node(path).to_string();
    let whole = whole.parse::<NodeTarget>().map_err(Problem::internal)?;
    let mut target_position = TargetPosition::of(view, &whole, None)?;
    let server = match LanguageServer::open(view, &target_position.path, target_position.language)?
    {
        Ok(server) => server,
        Err(absent) => return Ok((absent.by(), BTreeMap::new())),
    };
    let mut types = BTreeMap::new();
    for name in names.iter().take(MAX_SYMBOLS) {
        let place = target_position.facts.symbols.iter().find(|known| known.path == *name);
        let Some(place) = place.map(|known| known.name_span.start as usize) else { continue };
        target_position.offset = place;
        match server.ask(
            LspRequest { method: "textDocument/hover", capability: "hoverProvider" },
            &server.at(&target_position),
        )? {
            Ok(hover) => {
                types.extend(
                    hover_signature(&hover["contents"]).map(|found| ((*name).to_owned(), found)),
                );
            }
            Err(absent) if absent.code == ProblemCode::InvalidOperation => {}
            Err(absent) => return Ok((absent.by(), types)),
        }
    }
    Ok((server.by(), types))
}

/// The declaration in a hover, on one line, without the marks and prose around it.
fn hover_signature(contents: &Value) -> Option<String> {
    let text = contents["value"].as_str().or(contents.as_str());
    let text = text.or(contents[0]["value"].as_str())?;
    let block = |at: usize| {
        let block = text.split("```").nth(at)?;
        Some(block.split_once('\n').map_or(block, |(_, code)| code))
    };
    // rust-analyzer sends two blocks: the path, then the declaration.
    let code = block(3).or_else(|| block(1));
    let code = code.unwrap_or_else(|| text.split("\n\n").next().unwrap_or(text));
    let line = code.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut: String = line.chars().take(MAX_TYPE_CHARS).collect();
    (!cut.is_empty()).then_some(cut)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_declaration_is_taken_out_of_its_wrapping() {
        let cases = [
            (
                json!({"kind": "markdown", "value": "```ts\nfunction f(): void\n```\nSays hi"}),
                "function f(): void",
            ),
            (
                json!({"value": "```rust\nkrate::a\n```\n\n```rust\npub fn f()\n  -> u8\n```\n\ndocs"}),
                "pub fn f() -> u8",
            ),
            (
                json!({"kind": "plaintext", "value": "(method) f() -> int\n\ndocs"}),
                "(method) f() -> int",
            ),
            (json!("plain"), "plain"),
            (json!([{"language": "go", "value": "func f()"}]), "func f()"),
        ];
        for (contents, expected) in cases {
            assert_eq!(hover_signature(&contents).as_deref(), Some(expected));
        }
        assert_eq!(hover_signature(&json!(null)), None);
    }
}
