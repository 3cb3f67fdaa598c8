//! What the changed code must keep to: cards that it links, requirements, decisions, flags.

use std::collections::{BTreeMap, BTreeSet};

use base::{EntityRef, RepoPath, Result};
use kb::Kind;

use super::{Change, Found, few};
use crate::diff::ChangedSymbol;
use crate::layers::files::node;
use crate::layers::kb::{Knowledge, known};
use crate::rules::{Finding, Severity};

/// The longest quotation, in characters.
const QUOTED: usize = 160;

pub(super) fn look(change: &Change<'_>) -> Result<Found> {
    let mut found = Found::default();
    found.findings.extend(cards(change)?);
    found.findings.extend(entities(change)?);
    found.checked.extend(["cards", "requirements"]);
    Ok(found)
}

/// Cards that changed code links, unless they changed with it.
fn cards(change: &Change<'_>) -> Result<Vec<Finding>> {
    let conn = change.view.index()?.conn();
    let touched = change.paths();
    let mut links: BTreeMap<String, Vec<&ChangedSymbol>> = BTreeMap::new();
    for file in change.files {
        let changed = change.of_file(&file.path);
        for see in cards::sees_in(conn, &file.path)? {
            let under = changed.iter().filter(|symbol| match &see.owner {
                None => true,
                Some(owner) => is_around(owner, &symbol.full),
            });
            let under: Vec<&ChangedSymbol> = under.copied().collect();
            if !under.is_empty() {
                links.entry(see.key.to_string()).or_default().extend(under);
            }
        }
    }
    let mut found = Vec::new();
    for (key, symbols) in links {
        let Some(card) = cards::by_key(conn, &key)? else { continue };
        if touched.contains(&card.path) {
            continue; // whoever changed both knows both
        }
        let first = symbols[0];
        found.push(Finding {
            severity: Severity::Note,
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

/// How an entity is tied to the change: by which relation, to which symbols, in which file.
struct Tied<'a> {
    word: &'static str,
    symbols: Vec<&'a ChangedSymbol>,
    path: &'a RepoPath,
}

/// Requirements, decisions and flags that changed code is tied to.
fn entities(change: &Change<'_>) -> Result<Vec<Finding>> {
    let known = known(change.view)?;
    let mut ties: BTreeMap<String, Tied<'_>> = BTreeMap::new();
    for symbol in change.symbols.iter().filter(|symbol| symbol.is_live()) {
        for (id, word) in ends(&known, &known.names_of(&symbol.node())) {
            let new = || Tied { word, symbols: Vec::new(), path: &symbol.path };
            ties.entry(id).or_insert_with(new).symbols.push(symbol);
        }
    }
    for file in change.files {
        // What is tied to the file as a whole, not to one of its symbols.
        let names = known.model.names_of(&node(&file.path));
        for (id, word) in ends(&known, &names) {
            let new = || Tied { word, symbols: Vec::new(), path: &file.path };
            ties.entry(id).or_insert_with(new);
        }
    }
    let mut found: Vec<(u8, Finding)> =
        ties.iter().filter_map(|(id, tied)| finding(&known, id, tied)).collect();
    found.sort();
    Ok(found.into_iter().map(|(_, finding)| finding).collect())
}

/// What relations tie to any of some names, and how.
fn ends(known: &Knowledge, names: &[String]) -> Vec<(String, &'static str)> {
    let of = |name: &String| {
        let starting = known.model.starting(name).map(|bond| (bond, &bond.relation.to));
        let ending = known.model.ending(name).map(|bond| (bond, &bond.relation.from));
        let both = starting.chain(ending);
        both.map(|(bond, id)| (id.clone(), bond.relation.relates.word())).collect::<Vec<_>>()
    };
    names.iter().flat_map(of).collect()
}

/// Must comes first, then other requirements, decisions, flags.
fn finding(known: &Knowledge, id: &str, tied: &Tied<'_>) -> Option<(u8, Finding)> {
    let entity = &known.model.get(id)?.entity;
    let rank = match entity.kind {
        Kind::Req => entity.more.priority.map_or(3, |priority| priority as u8),
        Kind::Adr => 4,
        Kind::Flag => 5,
        Kind::Scenario | Kind::Event => 6,
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
        tied.word.replace('_', " ")
    );
    let finding = Finding {
        severity: Severity::Note,
        code: "KB_TO_CHECK",
        line: tied.symbols.first().map(|symbol| symbol.lines.0),
        path: Some(tied.path.clone()),
        node: known.model.node_of(id),
        message,
        fix: "check that it still holds".into(),
    };
    Some((rank, finding))
}

fn is_around(owner: &str, name: &str) -> bool {
    let holds = |outer: &str, inner: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    holds(owner, name) || holds(name, owner)
}

/// Symbols by their names, with the lines of the first.
fn names(symbols: &[&ChangedSymbol]) -> String {
    let names: BTreeSet<&str> = symbols.iter().map(|symbol| symbol.full.as_str()).collect();
    match symbols {
        [only] => format!("{} (lines {}–{})", only.full, only.lines.0, only.lines.1),
        _ => few(names),
    }
}

fn quoted(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut: String = line.chars().take(QUOTED).collect();
    let more = if cut.len() < line.len() { "…" } else { "" };
    format!("\"{cut}{more}\"")
}
