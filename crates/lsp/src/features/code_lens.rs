//! Above a symbol: which cards it implements, and how many test files reach it.

use base::words::counted;
use base::{RepoPath, Result};
use serde_json::{Value, json};

use super::code_action::SHOW_COMMAND;
use super::line_range;
use crate::documents::file_symbols;
use crate::operation_client::OperationClient;

/// How many linked symbols of a file get a lens.
const MAX_LENSES: usize = 40;

pub(super) fn code_lens(client: &OperationClient, params: &Value) -> Result<Value> {
    let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
    let Some(path) = client.repo_path(uri) else { return Ok(json!([])) };
    if let Ok(card) = client.ask("card.show", json!({"key": path.to_string()}))
        && card["path"] == path.to_string()
    {
        return Ok(json!([card_lens(&card)]));
    }
    let mut lenses = Vec::new();
    let data = client.ask("card.coverage", json!({"path": path.to_string()}))?;
    let links = links_in_file(&data, &path);
    if links.is_empty() {
        return Ok(json!([]));
    }
    let symbols = file_symbols(client, &path)?;
    for (node, card, tag_line) in links.into_iter().take(MAX_LENSES) {
        let name = node.split_once('#').map(|(_, name)| name);
        let symbol = symbols.iter().find(|symbol| Some(symbol.name.as_str()) == name);
        let line = symbol.map_or(tag_line, |symbol| symbol.line);
        let shown = client.ask("card.show", json!({"key": card}))?;
        let target = shown["path"].as_str().map(|path| client.uri(path));
        lenses.push(lens(line, &format!("implements {card}"), target));
        if let Some(tests) = tests_of(client, &node) {
            lenses.push(lens(line, &tests, None));
        }
    }
    Ok(json!(lenses))
}

/// The links in one file: the node that links, the card, and the line of the link from 0.
pub(super) fn links_in_file(coverage: &Value, path: &RepoPath) -> Vec<(String, String, u32)> {
    let path = path.to_string();
    let mut found = Vec::new();
    for card in coverage["cards"].as_array().into_iter().flatten() {
        for link in card["links"].as_array().into_iter().flatten() {
            let (Some(node), Some(key)) = (link["node"].as_str(), card["key"].as_str()) else {
                continue;
            };
            let file = node.split_once(':').map_or(node, |(_, rest)| rest);
            let line = link["line"].as_u64().and_then(|line| u32::try_from(line).ok());
            if file.split('#').next() == Some(path.as_str()) {
                let line = line.unwrap_or(1).saturating_sub(1);
                found.push((node.to_owned(), key.to_owned(), line));
            }
        }
    }
    found.sort_by_key(|(_, _, line)| *line);
    found
}

/// How many test files reach a node, in words.
fn tests_of(client: &OperationClient, node: &str) -> Option<String> {
    let data = client.ask("impact", json!({"target": node})).ok()?;
    let tests = data["tests"].as_array()?.len();
    Some(match tests {
        0 => "covered by no test that was found".into(),
        _ => format!("covered by {}", counted(tests, "test file")),
    })
}

fn card_lens(card: &Value) -> Value {
    let links = card["links"].as_array().map_or(0, Vec::len);
    lens(0, &format!("linked from {}", counted(links, "place")), None)
}

/// A lens; with a target a click opens it.
fn lens(line: u32, title: &str, target: Option<String>) -> Value {
    let command = match target {
        Some(uri) => json!({"title": title, "command": SHOW_COMMAND, "arguments": [uri]}),
        None => json!({"title": title, "command": ""}),
    };
    json!({"range": line_range(line), "command": command})
}
