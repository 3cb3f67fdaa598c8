//! What the knowledge base says about a node, most useful first.

use base::EntityRef;
use kb::{KbEntityKind, KbRelationKind, KnownEntity, KnownRelation};

use super::state::KbState;
use crate::graph::{ContextItem, ContextSection};

/// The longest text of an entity that a context quotes, in characters.
const MAX_QUOTED_CHARS: usize = 280;

/// How many relations of an entity a context lists.
const MAX_LISTED: usize = 30;

/// What applies to a piece of code: requirements, decisions, flags, and tests.
pub(super) fn of_code(known: &KbState, node: &EntityRef) -> Vec<ContextItem> {
    let mut rows: Vec<(u8, ContextItem)> = Vec::new();
    for name in known.names_of(node) {
        let starting = known
            .model
            .relations_from(&name)
            .map(|known_relation| (known_relation, &known_relation.relation.to));
        let ending = known
            .model
            .relations_to(&name)
            .map(|known_relation| (known_relation, &known_relation.relation.from));
        for (known_relation, other) in starting.chain(ending) {
            if let Some(fact) = known.model.get(other) {
                let item = item(known, known_relation, fact);
                let rank = rank(fact);
                if !rows.iter().any(|(_, row)| *row == item) {
                    rows.push((rank, item));
                }
            }
        }
    }
    rows.sort_by_key(|(rank, _)| *rank);
    rows.into_iter().map(|(_, item)| item).collect()
}

/// Requirements first, those that must hold before the others; then decisions, flags, the rest.
fn rank(fact: &KnownEntity) -> u8 {
    match fact.entity.kind {
        KbEntityKind::Req => fact.entity.more.priority.map_or(3, |priority| priority as u8),
        KbEntityKind::Adr => 4,
        KbEntityKind::Flag => 5,
        KbEntityKind::Test => 6,
        _ => 7,
    }
}

fn item(known: &KbState, known_relation: &KnownRelation, fact: &KnownEntity) -> ContextItem {
    let entity = &fact.entity;
    let tie = known_relation.relation.relates.word().replace('_', " ");
    let priority = entity.more.priority.map(|p| format!("{p}, ")).unwrap_or_default();
    let watched = match entity.kind {
        KbEntityKind::Req => verification_text(known, fact),
        _ => String::new(),
    };
    let kind = entity.kind;
    let title = quoted(&entity.title, 120);
    let text = format!("{kind} ({priority}{}) {title}, {tie}{watched}", entity.status);
    ContextItem { section: ContextSection::Specs, text, handle: Some(format!("kb:{}", entity.id)) }
}

/// Which tests verify a requirement, and their results.
fn verification_text(known: &KbState, fact: &KnownEntity) -> String {
    let relations = known.model.relations_from(&fact.entity.id);
    let relations = relations
        .filter(|known_relation| known_relation.relation.relates == KbRelationKind::VerifiedBy);
    let tests: Vec<String> = relations
        .filter_map(|known_relation| known.model.get(&known_relation.relation.to))
        .map(|test| format!("kb:{} ({})", test.entity.id, test.entity.status))
        .collect();
    match tests.as_slice() {
        [] => String::new(),
        tests => format!("; verified by {}", tests.join(", ")),
    }
}

/// An entity itself: its text, its author, and its relations.
pub(super) fn of_entity(known: &KbState, id: &str) -> Vec<ContextItem> {
    let Some(fact) = known.model.get(id) else { return Vec::new() };
    let entity = &fact.entity;
    let mut items = Vec::new();
    let say = |section, text| ContextItem { section, text, handle: None };
    if let Some(text) = entity.more.text.as_deref() {
        let by = if entity.author.is_empty() {
            String::new()
        } else {
            format!(", by {}", entity.author)
        };
        let text = format!(
            "{}  (from {}{by})",
            quoted(text, MAX_QUOTED_CHARS),
            quoted(&entity.source, 120)
        );
        items.push(say(ContextSection::Outline, text));
    }
    if let Some((path, _)) = fact.origin.file() {
        let handle = Some(format!("file:{path}"));
        let text = "defined in".into();
        items.push(ContextItem { section: ContextSection::Nearby, text, handle });
    }
    for name in known.model.node_of(id).iter().flat_map(|node| known.names_of(node)) {
        for known_relation in known.model.relations_from(&name).take(MAX_LISTED) {
            items.extend(relation_item(known, known_relation, &known_relation.relation.to, false));
        }
        for known_relation in known.model.relations_to(&name).take(MAX_LISTED) {
            items.extend(relation_item(known, known_relation, &known_relation.relation.from, true));
        }
    }
    items
}

fn relation_item(
    known: &KbState,
    known_relation: &KnownRelation,
    other: &str,
    backwards: bool,
) -> Option<ContextItem> {
    let node = known.model.node_of(other)?;
    let relates = known_relation.relation.relates;
    let (arrow, word) = (if backwards { "←" } else { "→" }, relates.word());
    let said = match known.model.get(other) {
        Some(fact) => format!("{} ({})", quoted(&fact.entity.title, 120), fact.entity.status),
        None if matches!(node, EntityRef::Kb(_)) => "not there".into(),
        None => String::new(),
    };
    let text = format!("{arrow} {word} {said}").trim_end().to_owned();
    let section = match (relates, backwards) {
        (
            KbRelationKind::VerifiedBy | KbRelationKind::SpecifiedBy | KbRelationKind::CoveredBy,
            false,
        ) => ContextSection::Specs,
        (KbRelationKind::Implements | KbRelationKind::DependsOn, true) => ContextSection::UsedBy,
        (KbRelationKind::DependsOn, false) => ContextSection::Uses,
        _ => ContextSection::Nearby,
    };
    Some(ContextItem { section, text, handle: Some(node.to_string()) })
}

/// Text that somebody wrote, as data: on one line, in quotes, cut.
fn quoted(text: &str, most: usize) -> String {
    let plain = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut: String = plain.chars().take(most).collect();
    let more = if cut.len() < plain.len() { "…" } else { "" };
    format!("\"{cut}{more}\"")
}
