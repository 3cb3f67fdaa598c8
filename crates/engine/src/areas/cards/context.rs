//! What cards add to a context: the specs that code must keep, and the code behind a spec.

use std::collections::BTreeSet;

use base::{EntityRef, RepoPath, Result};
use cards::{CardRow, SeeTagRow};

use super::graph_area::{about, code_node, row};
use crate::graph::{ContextItem, ContextSection};
use crate::index::tables::range_below;
use crate::spec_links::{LinkState, SpecLink, SpecLinkKind, spec_links};
use crate::view::View;

/// How many lines of a card's text a context shows.
const MAX_LINES: usize = 40;

/// Maximum number of cards, and of code places, that a context lists.
const MAX_LISTED: usize = 40;

pub fn context(view: &View, wanted: &EntityRef) -> Result<Vec<ContextItem>> {
    let conn = view.index()?.conn();
    match wanted {
        EntityRef::Card(_) => {
            row(view, wanted)?.map_or(Ok(Vec::new()), |card| of_card(view, &card))
        }
        EntityRef::Module(path) => must_hold(view, &cards::see_tags_in_file(conn, path)?),
        EntityRef::Symbol(path, name) => {
            let concerns = |see: &SeeTagRow| {
                see.owner.as_deref().is_none_or(|owner| is_around(owner, name.as_str()))
            };
            let all = cards::see_tags_in_file(conn, path)?;
            must_hold(view, &all.into_iter().filter(concerns).collect::<Vec<_>>())
        }
        EntityRef::Dir(folder) => {
            let (low, high) = range_below(folder);
            must_hold(view, &cards::see_tags_below(conn, &low, &high)?)
        }
        EntityRef::File(path) if cards::is_card_path(path) => in_file(view, path),
        _ => Ok(Vec::new()),
    }
}

/// Whether one symbol is the other, contains it, or is contained in it.
fn is_around(owner: &str, name: &str) -> bool {
    let holds = |outer: &str, inner: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    holds(owner, name) || holds(name, owner)
}

fn must_hold(view: &View, sees: &[SeeTagRow]) -> Result<Vec<ContextItem>> {
    let mut items = Vec::new();
    let mut told = BTreeSet::new();
    for see in sees {
        if items.len() == MAX_LISTED || !told.insert(see.key.clone()) {
            continue;
        }
        let place = match &see.owner {
            Some(owner) => format!("linked at {owner}"),
            None => "linked at the module".into(),
        };
        let place = format!("{place}{}", suspicion(view, see)?);
        if let Some(card) = cards::card_by_key(view.index()?.conn(), see.key.as_str())? {
            let text = format!("{}  \"{}\"  {place}", card.status, card.summary);
            items.push(item(ContextSection::Specs, text, &card.key));
        }
    }
    Ok(items)
}

/// A remark if the link is suspect; otherwise empty.
fn suspicion(view: &View, see: &SeeTagRow) -> Result<&'static str> {
    let known = spec_links(view)?;
    if known.has_no_confirmations() {
        return Ok("");
    }
    let (from, to) = (code_node(see), EntityRef::Card(see.key.clone()));
    let status = known.status(view, &SpecLink { kind: SpecLinkKind::See, from, to })?;
    Ok(match status.state {
        LinkState::Suspect => ", suspect: changed since it was confirmed",
        _ => "",
    })
}

fn of_card(view: &View, card: &CardRow) -> Result<Vec<ContextItem>> {
    let conn = view.index()?.conn();
    let mut items = Vec::new();
    let said = card.body.lines().filter(|line| !line.trim().is_empty());
    for line in said.clone().take(MAX_LINES) {
        items.push(ContextItem {
            section: ContextSection::Outline,
            text: format!("> {line}"),
            handle: None,
        });
    }
    let rest = said.count().saturating_sub(MAX_LINES);
    if rest > 0 {
        let text = format!("{rest} more lines");
        items.push(item(ContextSection::Outline, text, &format!("card show {}", card.key)));
    }
    for constraint in &card.constraints {
        let text = format!("> {constraint}");
        items.push(ContextItem { section: ContextSection::Specs, text, handle: None });
    }
    for see in cards::see_tags_of_key(conn, card.key.as_str())?.iter().take(MAX_LISTED) {
        let text = format!("implements it, line {}{}", see.line, suspicion(view, see)?);
        items.push(item(ContextSection::UsedBy, text, &code_node(see)));
    }
    for said in cards::relations_to(conn, card.key.as_str())?.iter().take(MAX_LISTED) {
        let text = match cards::card_by_key(conn, said.source.as_str())? {
            Some(other) => format!("{} this one: {}", said.kind, about(&other)),
            None => format!("{} this one", said.kind),
        };
        items.push(item(ContextSection::UsedBy, text, &said.source));
    }
    for said in cards::relations_from(conn, card.key.as_str())?.iter().take(MAX_LISTED) {
        let other = cards::card_by_key(conn, &said.target)?;
        let about = other.as_ref().map_or_else(
            || format!("{}: {}, which does not exist", said.kind, said.target),
            |other| format!("{}: {}", said.kind, about(other)),
        );
        let handle = other.map(|other| other.key.to_string());
        items.push(ContextItem { section: ContextSection::Uses, text: about, handle });
    }
    items.push(item(
        ContextSection::Nearby,
        "written in".into(),
        &EntityRef::File(card.path.clone()),
    ));
    Ok(items)
}

fn in_file(view: &View, path: &RepoPath) -> Result<Vec<ContextItem>> {
    let card = cards::card_at_path(view.index()?.conn(), path)?;
    Ok(card.iter().map(|card| item(ContextSection::Specs, about(card), &card.key)).collect())
}

fn item(section: ContextSection, text: String, handle: &impl std::fmt::Display) -> ContextItem {
    ContextItem { section, text, handle: Some(handle.to_string()) }
}
