//! What can be done at a place: confirm that a card and its code agree, link the symbol to a card,
//! write a card for it, repair references.
//!
//! An action is a command that the server runs as an operation, so it is journalled and can be
//! taken back with `cairn undo`. It changes the file on disk; a file with unsaved changes has no
//! actions.

use base::{Problem, RepoPath, Result};
use serde_json::{Value, json};

use super::code_lens::links_in_file;
use crate::documents::EditorPlace;
use crate::operation_client::OperationClient;

/// Opens a file in the editor.
pub(crate) const SHOW_COMMAND: &str = "cairn.show";

/// Links a symbol to a card.
const LINK_COMMAND: &str = "cairn.link";

/// Records that a card and the code that is linked to it agree.
const CONFIRM_COMMAND: &str = "cairn.confirm";

/// Writes a card for a symbol and links it.
const CREATE_COMMAND: &str = "cairn.createCard";

/// Repairs references to what moved.
const FIX_COMMAND: &str = "cairn.fix";

/// Every command, for the reply to `initialize`.
pub(crate) const COMMANDS: [&str; 5] =
    [SHOW_COMMAND, LINK_COMMAND, CONFIRM_COMMAND, CREATE_COMMAND, FIX_COMMAND];

/// How many cards are offered for a link, and links for a confirmation.
const MAX_OFFERED: usize = 3;

/// The reason that is recorded with a confirmation: an editor asks for none.
const CONFIRM_REASON: &str = "read both in the editor";

/// What a command did: a file that the editor should open.
pub(crate) struct CommandResult {
    pub(crate) show: Option<String>,
}

pub(super) fn code_action(client: &OperationClient, params: &Value) -> Result<Value> {
    let start = json!({
        "textDocument": params["textDocument"],
        "position": params["range"]["start"],
    });
    let mut actions = Vec::new();
    let diagnostics = params["context"]["diagnostics"].as_array().cloned().unwrap_or_default();
    let own: Vec<Value> =
        diagnostics.into_iter().filter(|diagnostic| diagnostic["source"] == "cairn").collect();
    if !own.is_empty() {
        actions.push(json!({
            "title": "Repair references that moved (cairn fix)",
            "kind": "quickfix",
            "diagnostics": own,
            "command": {"title": "cairn fix", "command": FIX_COMMAND, "arguments": []},
        }));
    }
    let Some(place) = EditorPlace::read(client, &start) else { return Ok(json!(actions)) };
    let symbol = place.symbol(client);
    let handle = match &symbol {
        Some(symbol) => format!("{}#{}", place.path, symbol.name),
        None => place.path.to_string(),
    };
    actions.extend(confirmations(client, &handle));
    if let Some(symbol) = symbol {
        let linked = linked_cards(client, &place.path, &handle)?;
        for card in related_cards(client, &symbol.name)? {
            if linked.contains(&card) {
                continue;
            }
            let title = format!("Link `{}` to {card}", symbol.name);
            actions.push(refactor(&title, LINK_COMMAND, &json!([handle, card])));
        }
        let summary = symbol.doc.unwrap_or_else(|| format!("What {} does", symbol.name));
        let key = new_key(&place.path.to_string(), &symbol.name);
        if client.ask("card.show", json!({"key": key})).is_err() {
            let title = format!("Write a card for `{}`: {key}", symbol.name);
            actions.push(refactor(&title, CREATE_COMMAND, &json!([handle, key, summary])));
        }
    }
    Ok(json!(actions))
}

/// One action for each link of a node that nobody confirmed, or that changed since.
fn confirmations(client: &OperationClient, handle: &str) -> Vec<Value> {
    let question = json!({"targets": [handle], "why": CONFIRM_REASON, "dry_run": true});
    let Ok(data) = client.ask("confirm", question) else { return Vec::new() };
    let open = data["result"]["confirmed"].as_array().into_iter().flatten();
    open.take(MAX_OFFERED)
        .filter_map(|link| {
            let (from, to) = (link["from"].as_str()?, link["to"].as_str()?);
            let title = format!("Confirm that {from} agrees with {to}");
            Some(refactor(&title, CONFIRM_COMMAND, &json!([from, to])))
        })
        .collect()
}

/// The cards that a symbol is linked to already.
fn linked_cards(client: &OperationClient, path: &RepoPath, handle: &str) -> Result<Vec<String>> {
    let data = client.ask("card.coverage", json!({"path": path.to_string()}))?;
    let links = links_in_file(&data, path).into_iter();
    let is_ours = |node: &str| node.strip_prefix("symbol:").unwrap_or(node) == handle;
    Ok(links.filter(|(node, ..)| is_ours(node)).map(|(_, card, _)| card).collect())
}

fn refactor(title: &str, command: &str, arguments: &Value) -> Value {
    json!({
        "title": title,
        "kind": "refactor",
        "command": {"title": title, "command": command, "arguments": arguments},
    })
}

/// The cards whose words are nearest to a name.
fn related_cards(client: &OperationClient, name: &str) -> Result<Vec<String>> {
    let query = json!({"query": words(name).join(" "), "kinds": ["card"], "limit": MAX_OFFERED});
    let Ok(data) = client.ask("search", query) else { return Ok(Vec::new()) };
    let hits = data["hits"].as_array().into_iter().flatten();
    Ok(hits.filter_map(|hit| hit["node"].as_str()).map(str::to_owned).collect())
}

/// Splits a name into words at capitals, `_` and `.`.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut was_lower = false;
    for char in name.chars() {
        if !char.is_alphanumeric() {
            was_lower = false;
            words.push(String::new());
            continue;
        }
        if words.is_empty() || (was_lower && char.is_uppercase()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(char.to_lowercase());
        }
        was_lower = char.is_lowercase() || char.is_numeric();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// A key for the card of a symbol: the name of its folder and of itself.
fn new_key(path: &str, name: &str) -> String {
    let folders: Vec<&str> = path.rsplit('/').skip(1).collect();
    let is_general = |folder: &&&str| !["src", "lib", "source"].contains(*folder);
    let folder = folders.iter().find(is_general).copied().unwrap_or("code");
    // A name that several declarations share has a number after `~`.
    let slug = |text: &str| words(text.split('~').next().unwrap_or(text)).join("-");
    format!("spec::{}/{}", slug(folder), slug(name))
}

/// Runs a command of the editor.
pub(crate) fn execute(client: &OperationClient, params: &Value) -> Result<CommandResult> {
    let name = params["command"].as_str().unwrap_or_default();
    let argument = |at: usize| {
        let text = params["arguments"][at].as_str();
        text.ok_or_else(|| Problem::invalid(format!("`{name}` needs more arguments")))
    };
    match name {
        SHOW_COMMAND => Ok(CommandResult { show: Some(argument(0)?.to_owned()) }),
        LINK_COMMAND => {
            client.ask("link.add", json!({"target": argument(0)?, "card": argument(1)?}))?;
            Ok(CommandResult { show: None })
        }
        CONFIRM_COMMAND => {
            let (from, to) = (argument(0)?, argument(1)?);
            let args = json!({"targets": [from], "with": to, "why": CONFIRM_REASON});
            client.ask("confirm", args)?;
            Ok(CommandResult { show: None })
        }
        CREATE_COMMAND => create_card(client, argument(0)?, argument(1)?, argument(2)?),
        FIX_COMMAND => {
            client.ask("fix", json!({}))?;
            Ok(CommandResult { show: None })
        }
        other => Err(Problem::not_found(format!("no command `{other}`"))
            .hint(format!("there are {}", COMMANDS.join(", ")))),
    }
}

fn create_card(
    client: &OperationClient,
    symbol: &str,
    key: &str,
    summary: &str,
) -> Result<CommandResult> {
    client.ask("card.create", json!({"key": key, "summary": summary}))?;
    client.ask("link.add", json!({"target": symbol, "card": key}))?;
    let card = client.ask("card.show", json!({"key": key}))?;
    Ok(CommandResult { show: card["path"].as_str().map(|path| client.uri(path)) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use operations::ops;

    #[test]
    fn keys_are_made_from_folder_and_name() {
        assert_eq!(new_key("src/auth/login.ts", "signIn"), "spec::auth/sign-in");
        assert_eq!(
            new_key("src/a.rs", "HTTPServer.open_file2Read"),
            "spec::code/httpserver-open-file2-read"
        );
        assert_eq!(new_key("src/a.rs", "open~12"), "spec::code/open");
        assert_eq!(words("openSession"), ["open", "session"]);
    }

    #[test]
    fn every_operation_that_a_feature_asks_exists() {
        for name in [
            "card.coverage",
            "card.create",
            "card.show",
            "code.zoom",
            "confirm",
            "context",
            "fix",
            "impact",
            "kb.query",
            "link.add",
            "search",
            "verify",
        ] {
            assert!(ops::find(name).is_ok(), "{name}");
        }
    }
}
