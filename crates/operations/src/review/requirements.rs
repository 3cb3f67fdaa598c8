//! Cards, requirements, decisions and flags that are linked to the changed code.

use std::collections::{BTreeMap, BTreeSet};

use base::{EntityRef, RepoPath, Result};
use kb::KbEntityKind;

use super::{ReviewCheckResult, ReviewedChange, join_few};
use crate::diff::ChangedSymbol;
use engine::areas::files::file_node;
use engine::areas::kb::{KbState, kb_state};
use engine::rules::{RuleFinding, RuleSeverity};

/// Maximum length of a quotation, in characters.
const MAX_QUOTE_CHARS: usize = 160;

pub(super) fn check(change: &ReviewedChange<'_>) -> Result<ReviewCheckResult> {
    let mut found = ReviewCheckResult::default();
    found.findings.extend(cards(change)?);
    found.findings.extend(entities(change)?);
    found.checked.extend(["cards", "requirements"]);
    Ok(found)
}

/// Cards that changed code links, unless they changed with it.
fn cards(change: &ReviewedChange<'_>) -> Result<Vec<RuleFinding>> {
    let conn = change.view.index()?.conn();
    let touched = change.paths();
    let mut links: BTreeMap<String, Vec<&ChangedSymbol>> = BTreeMap::new();
    for file in change.files {
        let changed = change.symbols_of_file(&file.path);
        for see in cards::see_tags_in_file(conn, &file.path)? {
            let under = changed.iter().filter(|symbol| match &see.owner {
                None => true,
                Some(owner) => is_same_or_nested(owner, &symbol.full_name),
            });
            let under: Vec<&ChangedSymbol> = under.copied().collect();
            if !under.is_empty() {
                links.entry(see.key.to_string()).or_default().extend(under);
            }
        }
    }
    let mut found = Vec::new();
    for (key, symbols) in links {
        let Some(card) = cards::card_by_key(conn, &key)? else { continue };
        if touched.contains(&card.path) {
            continue; // the card was changed too, so its author knows it
        }
        let first = symbols[0];
        found.push(RuleFinding {
            severity: RuleSeverity::Note,
            code: "SPEC_TO_CHECK",
            path: Some(first.path.clone()),
            line: Some(first.lines.0),
            node: Some(EntityRef::Card(card.key.clone())),
            message: format!(
                "{key} ({}) says {}; you changed {}",
                card.status,
                quoted(&card.summary),
                names(&symbols)
            ),
            fix: "check that it still does, or change the card".into(),
        });
    }
    Ok(found)
}

/// How an entity is related to the change: by which relation, to which symbols, in which file.
struct EntityLink<'a> {
    relation: &'static str,
    symbols: Vec<&'a ChangedSymbol>,
    path: &'a RepoPath,
}

/// Requirements, decisions and flags that are related to changed code.
fn entities(change: &ReviewedChange<'_>) -> Result<Vec<RuleFinding>> {
    let known = kb_state(change.view)?;
    let mut ties: BTreeMap<String, EntityLink<'_>> = BTreeMap::new();
    for symbol in change.symbols.iter().filter(|symbol| symbol.changes_behavior()) {
        for (id, word) in related_entities(&known, &known.names_of(&symbol.node())) {
            let new = || EntityLink { relation: word, symbols: Vec::new(), path: &symbol.path };
            ties.entry(id).or_insert_with(new).symbols.push(symbol);
        }
    }
    for file in change.files {
        // Relations to the file as a whole, not to one of its symbols.
        let names = known.model.names_of(&file_node(&file.path));
        for (id, word) in related_entities(&known, &names) {
            let new = || EntityLink { relation: word, symbols: Vec::new(), path: &file.path };
            ties.entry(id).or_insert_with(new);
        }
    }
    let mut found: Vec<(u8, RuleFinding)> =
        ties.iter().filter_map(|(id, tied)| finding(&known, id, tied)).collect();
    found.sort();
    Ok(found.into_iter().map(|(_, finding)| finding).collect())
}

/// The entities that are related to any of some names, and how.
fn related_entities(known: &KbState, names: &[String]) -> Vec<(String, &'static str)> {
    let of = |name: &String| {
        let starting = known
            .model
            .relations_from(name)
            .map(|known_relation| (known_relation, &known_relation.relation.to));
        let ending = known
            .model
            .relations_to(name)
            .map(|known_relation| (known_relation, &known_relation.relation.from));
        let both = starting.chain(ending);
        both.map(|(known_relation, id)| (id.clone(), known_relation.relation.relates.word()))
            .collect::<Vec<_>>()
    };
    names.iter().flat_map(of).collect()
}

/// Sort key: must requirements first, then other requirements, decisions, flags.
fn finding(known: &KbState, id: &str, tied: &EntityLink<'_>) -> Option<(u8, RuleFinding)> {
    let entity = &known.model.get(id)?.entity;
    let rank = match entity.kind {
        KbEntityKind::Req => entity.more.priority.map_or(3, |priority| priority as u8),
        KbEntityKind::Adr => 4,
        KbEntityKind::Flag => 5,
        KbEntityKind::Scenario | KbEntityKind::Event => 6,
        _ => return None,
    };
    let priority = entity.more.priority.map(|p| format!("{p} ")).unwrap_or_default();
    let what = match tied.symbols.as_slice() {
        [] => tied.path.to_string(),
        symbols => names(symbols),
    };
    let message = format!(
        "{id} ({priority}{}, {}) says {}; you changed {what} ({})",
        entity.kind,
        entity.status,
        quoted(&entity.title),
        tied.relation.replace('_', " ")
    );
    let finding = RuleFinding {
        severity: RuleSeverity::Note,
        code: "KB_TO_CHECK",
        line: tied.symbols.first().map(|symbol| symbol.lines.0),
        path: Some(tied.path.clone()),
        node: known.model.node_of(id),
        message,
        fix: "check that it still holds".into(),
    };
    Some((rank, finding))
}

fn is_same_or_nested(owner: &str, name: &str) -> bool {
    let holds = |outer: &str, inner: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    holds(owner, name) || holds(name, owner)
}

/// Symbols by their names, with the lines of the first.
fn names(symbols: &[&ChangedSymbol]) -> String {
    let names: BTreeSet<&str> = symbols.iter().map(|symbol| symbol.full_name.as_str()).collect();
    match symbols {
        [only] => format!("{} (lines {}–{})", only.full_name, only.lines.0, only.lines.1),
        _ => join_few(names),
    }
}

fn quoted(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut: String = line.chars().take(MAX_QUOTE_CHARS).collect();
    let more = if cut.len() < line.len() { "…" } else { "" };
    format!("\"{cut}{more}\"")
}
