//! What must be known about the card, the fact or the symbol under the cursor.
//!
//! A symbol that nothing was written down about has no hover: other servers explain code.

use base::Result;
use serde_json::{Value, json};

use crate::documents::EditorPlace;
use crate::operation_client::OperationClient;

/// The sections of a context that a hover shows.
const SECTIONS: [(&str, &str); 3] = [
    ("must_hold", "Specs and requirements"),
    ("know", "Knowledge"),
    ("now", "Open work and recent changes"),
];

/// How large the context is that a hover is taken from, in tokens.
const BUDGET: usize = 900;

pub(super) fn hover(client: &OperationClient, params: &Value) -> Result<Value> {
    let Some(place) = EditorPlace::read(client, params) else { return Ok(Value::Null) };
    let text = match place.handle_word(client)? {
        Some(word) => about_handle(client, &word),
        None => about_symbol(client, &place)?,
    };
    Ok(text.map_or(Value::Null, |text| json!({"contents": {"kind": "markdown", "value": text}})))
}

fn about_handle(client: &OperationClient, word: &str) -> Option<String> {
    if let Ok(card) = client.ask("card.show", json!({"key": word})) {
        return Some(card_text(&card));
    }
    let id = word.strip_prefix("kb:").unwrap_or(word);
    let data = client.ask("kb.query", json!({"id": [id]})).ok()?;
    let fact = data["entities"].as_array()?.first()?.clone();
    let text = |key: &str| fact[key].as_str().unwrap_or_default().to_owned();
    let body = fact["text"].as_str().map(|body| format!("\n\n{}", escape(body)));
    let line = format!(
        "**{}** · {} · {}\n\n{}",
        text("id"),
        text("type"),
        text("status"),
        escape(&text("title"))
    );
    Some(line + &body.unwrap_or_default())
}

fn card_text(card: &Value) -> String {
    let text = |key: &str| card[key].as_str().unwrap_or_default();
    let mut lines =
        vec![format!("**{}** · {}", text("key"), text("status")), escape(text("summary"))];
    let rules = card["constraints"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let rules: Vec<String> = rules.map(|rule| format!("- {}", escape(rule))).collect();
    if !rules.is_empty() {
        lines.push(rules.join("\n"));
    }
    if !text("body").trim().is_empty() {
        lines.push(text("body").trim().to_owned());
    }
    let links = card["links"].as_array().map_or(0, Vec::len);
    lines.push(format!("linked from {}", base::words::counted(links, "place")));
    lines.join("\n\n")
}

fn about_symbol(client: &OperationClient, place: &EditorPlace) -> Result<Option<String>> {
    let Some(symbol) = place.symbol(client) else { return Ok(None) };
    // On another line the cursor is in the body, where other servers explain what is there.
    if symbol.line != place.position.line {
        return Ok(None);
    }
    let handle = format!("{}#{}", place.path, symbol.name);
    let Ok(data) = client.ask("context", json!({"targets": [handle], "budget": BUDGET})) else {
        return Ok(None);
    };
    let items = data["targets"][0]["items"].as_array().cloned().unwrap_or_default();
    let is_binding = |item: &&Value| item["section"] == "must_hold" || item["section"] == "know";
    if !items.iter().any(|item| is_binding(&item)) {
        return Ok(None);
    }
    let mut parts = vec![format!("**{}** in cairn", escape(&symbol.name))];
    for (section, title) in SECTIONS {
        let own = items.iter().filter(|item| item["section"] == section);
        let rows: Vec<String> = own.map(row).collect();
        if !rows.is_empty() {
            parts.push(format!("{title}\n{}", rows.join("\n")));
        }
    }
    Ok(Some(parts.join("\n\n")))
}

fn row(item: &Value) -> String {
    let handle = item["handle"].as_str().map(|handle| format!(" `{handle}`")).unwrap_or_default();
    format!("- {}{handle}", escape(item["text"].as_str().unwrap_or_default()))
}

/// Text of the repository as plain text in Markdown: it is data, not markup.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        if "\\`*_{}[]<>()#!|".contains(char) {
            escaped.push('\\');
        }
        escaped.push(char);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_the_repository_is_no_markup() {
        assert_eq!(escape("a [link](x) *b*"), "a \\[link\\]\\(x\\) \\*b\\*");
    }
}
