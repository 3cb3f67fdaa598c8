//! From `@see` to the card, from a card to the code that links it, from an id to its document.

use base::Result;
use serde_json::{Value, json};

use super::line_range;
use crate::documents::EditorPlace;
use crate::operation_client::OperationClient;

pub(super) fn definition(client: &OperationClient, params: &Value) -> Result<Value> {
    let Some(place) = EditorPlace::read(client, params) else { return Ok(Value::Null) };
    let Some(word) = place.handle_word(client)? else { return Ok(Value::Null) };
    if let Ok(card) = client.ask("card.show", json!({"key": word})) {
        // At the card itself its definition is the code that implements it.
        if card["path"] == place.path.to_string() {
            return Ok(json!(linked_places(client, &card)));
        }
        return Ok(card["path"].as_str().map_or(Value::Null, |path| location(client, path, 0)));
    }
    Ok(fact_location(client, &word).unwrap_or(Value::Null))
}

/// The code that links the card under the cursor, or the card that this file is.
pub(super) fn references(client: &OperationClient, params: &Value) -> Result<Value> {
    let Some(place) = EditorPlace::read(client, params) else { return Ok(Value::Null) };
    let target = place.handle_word(client)?.unwrap_or_else(|| place.path.to_string());
    let card = client.ask("card.show", json!({"key": target}));
    Ok(card.map_or(Value::Null, |card| json!(linked_places(client, &card))))
}

/// The places that link a card.
pub(super) fn linked_places(client: &OperationClient, card: &Value) -> Vec<Value> {
    let links = card["links"].as_array().into_iter().flatten();
    let place = |link: &Value| {
        let node = link["node"].as_str()?;
        let (_, rest) = node.split_once(':')?;
        let path = rest.split('#').next()?;
        let line = link["line"].as_u64().and_then(|line| u32::try_from(line).ok()).unwrap_or(1);
        Some(location(client, path, line.saturating_sub(1)))
    };
    links.filter_map(place).collect()
}

fn fact_location(client: &OperationClient, word: &str) -> Option<Value> {
    let id = word.strip_prefix("kb:").unwrap_or(word);
    let data = client.ask("kb.query", json!({"id": [id]})).ok()?;
    let file = data["entities"][0]["file"].as_str()?;
    let (path, line) = file.rsplit_once(':').unwrap_or((file, "1"));
    let line: u32 = line.parse().unwrap_or(1);
    Some(location(client, path, line.saturating_sub(1)))
}

fn location(client: &OperationClient, path: &str, line: u32) -> Value {
    json!({"uri": client.uri(path), "range": line_range(line)})
}
