//! Reasons that are written down: cards, requirements, decisions and knowledge.

use std::collections::BTreeSet;

use base::{EntityRef, Result};
use kb::{KbEntityKind, KbRelationKind, KnownRelation};

use super::{Reason, ReasonKind, first_paragraph};
use engine::areas::kb::{KbState, kb_state};
use engine::areas::work::{is_empty, read_store, work_patterns};
use engine::graph::EdgeFilter;
use engine::graph::walk::{WalkKind, WalkOptions, walk_until};
use engine::index::tables::range_below;
use engine::view::View;

/// Maximum length of a quotation, in characters.
const MAX_QUOTE_CHARS: usize = 320;

/// How many hops away reasons of other nodes are searched for.
const MAX_HOPS: usize = 3;

/// How many other nodes are considered.
const MAX_DEPENDENTS_READ: usize = 300;

/// How many reasons of other nodes are listed.
const MAX_DEPENDENT_REASONS: usize = 3;

/// Reasons that are written down for a node, or for what it is part of.
pub(super) fn reasons_at(view: &View, node: &EntityRef) -> Result<Vec<Reason>> {
    let mut reasons = cards(view, node)?;
    let known = kb_state(view)?;
    for name in names(&known, node) {
        let starting = known
            .model
            .relations_from(&name)
            .map(|known_relation| (known_relation, &known_relation.relation.to));
        let ending = known
            .model
            .relations_to(&name)
            .map(|known_relation| (known_relation, &known_relation.relation.from));
        for (known_relation, other) in starting.chain(ending) {
            reasons.extend(entity(&known, known_relation, other));
            reasons.extend(supporting_reasons(&known, other));
        }
    }
    reasons.extend(knowledge_reasons(view, node)?);
    Ok(reasons)
}

/// A symbol, what it is nested in, and its file.
fn names(known: &KbState, node: &EntityRef) -> Vec<String> {
    let mut names = known.names_of(node);
    if let EntityRef::Symbol(path, name) = node {
        let mut outer = name.as_str();
        while let Some((around, _)) = outer.rsplit_once('.') {
            let handle = engine::areas::code::handle(path, around).parse::<EntityRef>();
            names.extend(handle.iter().flat_map(|around| known.model.names_of(around)));
            outer = around;
        }
        names.extend(known.model.names_of(&engine::areas::files::file_node(path)));
    }
    names
}

fn cards(view: &View, node: &EntityRef) -> Result<Vec<Reason>> {
    let conn = view.index()?.conn();
    let sees = match node {
        EntityRef::Module(path) => cards::see_tags_in_file(conn, path)?,
        EntityRef::Symbol(path, name) => {
            let holds = |owner: &str| {
                let rest = name.as_str().strip_prefix(owner);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            let all = cards::see_tags_in_file(conn, path)?.into_iter();
            all.filter(|see| see.owner.as_deref().is_none_or(holds)).collect()
        }
        EntityRef::Dir(folder) => {
            let (low, high) = range_below(folder);
            cards::see_tags_below(conn, &low, &high)?
        }
        _ => Vec::new(),
    };
    let mut keys: Vec<(String, String)> = Vec::new();
    for see in sees {
        let at = see.owner.unwrap_or_else(|| "the module".into());
        if !keys.iter().any(|(key, _)| *key == see.key.as_str()) {
            keys.push((see.key.to_string(), format!("linked at {at}")));
        }
    }
    if let EntityRef::Card(key) = node {
        for said in cards::relations_from(conn, key.as_str())? {
            keys.push((said.target, format!("the card {} it", said.kind)));
        }
    }
    let mut reasons = Vec::new();
    for (key, how) in keys {
        let Some(card) = cards::card_by_key(conn, &key)? else { continue };
        reasons.push(Reason {
            sort: ReasonKind::Spec,
            says: format!("{key} ({}) says \"{}\"; {how}", card.status, card.summary),
            quote: first_paragraph(&card.body, MAX_QUOTE_CHARS),
            node: EntityRef::Card(card.key),
            through: None,
        });
    }
    Ok(reasons)
}

fn entity(known: &KbState, known_relation: &KnownRelation, id: &str) -> Option<Reason> {
    let entity = &known.model.get(id)?.entity;
    let sort = match entity.kind {
        KbEntityKind::Req | KbEntityKind::Scenario => ReasonKind::Requirement,
        KbEntityKind::Adr | KbEntityKind::Flag => ReasonKind::Decision,
        KbEntityKind::Fact => ReasonKind::Knowledge,
        _ => return None,
    };
    let priority = entity.more.priority.map(|p| format!("{p}, ")).unwrap_or_default();
    let tie = known_relation.relation.relates.word().replace('_', " ");
    Some(Reason {
        sort,
        says: format!(
            "{} ({priority}{}) says \"{}\"; {tie}",
            entity.id, entity.status, entity.title
        ),
        quote: entity.more.text.as_deref().and_then(|text| first_paragraph(text, MAX_QUOTE_CHARS)),
        node: known.model.node_of(id)?,
        through: None,
    })
}

/// Decisions and scenarios that a requirement is based on.
fn supporting_reasons(known: &KbState, id: &str) -> Vec<Reason> {
    let is_req = known.model.get(id).is_some_and(|fact| fact.entity.kind == KbEntityKind::Req);
    if !is_req {
        return Vec::new();
    }
    let starting = known
        .model
        .relations_from(id)
        .map(|known_relation| (known_relation, &known_relation.relation.to));
    let ending = known
        .model
        .relations_to(id)
        .map(|known_relation| (known_relation, &known_relation.relation.from));
    let told = starting
        .chain(ending)
        .filter(|(known_relation, _)| known_relation.relation.relates != KbRelationKind::DependsOn);
    let through = known.model.node_of(id);
    let reason = |(known_relation, other): (&KnownRelation, &String)| {
        let reason = entity(known, known_relation, other)?;
        Some(Reason { through: through.clone(), ..reason })
    };
    told.filter_map(reason).collect()
}

/// Knowledge about the files.
fn knowledge_reasons(view: &View, node: &EntityRef) -> Result<Vec<Reason>> {
    let Some(path) = node.path().filter(|_| !matches!(node, EntityRef::Dir(_))) else {
        return Ok(Vec::new());
    };
    if is_empty(view)? {
        return Ok(Vec::new());
    }
    let derived = work_patterns(view)?;
    read_store(view, |draft| {
        let mut reasons = Vec::new();
        for id in derived.matcher.matching(&path.to_string(), None) {
            let Some(atom) = draft.get::<work::record::Atom>(id)? else { continue };
            let Ok(node) = format!("atom:{id}").parse() else { continue };
            reasons.push(Reason {
                sort: ReasonKind::Knowledge,
                says: format!("\"{}\" covers {}", atom.name, atom.paths.join(", ")),
                quote: first_paragraph(&atom.knowledge, MAX_QUOTE_CHARS),
                node,
                through: None,
            });
        }
        Ok(reasons)
    })
}

/// Whether there is neither a card nor a requirement that could be a reason.
fn has_no_requirements(view: &View) -> Result<bool> {
    let known = kb_state(view)?;
    let is_asked = |kind: KbEntityKind| matches!(kind, KbEntityKind::Req | KbEntityKind::Scenario);
    Ok(!known.model.facts().any(|fact| is_asked(fact.entity.kind))
        && cards::all_keys(view.index()?.conn())?.is_empty())
}

/// Reasons of the nearest nodes that depend on a node.
pub(super) fn reasons_of_dependents(view: &View, node: &EntityRef) -> Result<Vec<Reason>> {
    if !matches!(node, EntityRef::Module(_) | EntityRef::Symbol(..)) {
        return Ok(Vec::new());
    }
    if has_no_requirements(view)? {
        return Ok(Vec::new());
    }
    let edges = ["code.calls", "code.uses", "code.implements", "code.extends", "code.imports"];
    let names = edges.map(ToOwned::to_owned).to_vec();
    let filter = EdgeFilter { names, ..EdgeFilter::default() };
    let mut start = vec![node.clone()];
    for area in view.graph_areas() {
        start.extend(area.parts(view, node)?);
    }
    let options = WalkOptions::new(WalkKind::Impact, MAX_HOPS, &filter);
    let walked = walk_until(view, &start, options, MAX_DEPENDENTS_READ)?;
    let mut reasons: Vec<Reason> = Vec::new();
    let mut told = BTreeSet::new();
    for one in walked.reached {
        if reasons.len() >= MAX_DEPENDENT_REASONS {
            break;
        }
        view.call().check_stopped()?;
        for reason in reasons_at(view, &one.node)? {
            let is_asked = matches!(reason.sort, ReasonKind::Requirement | ReasonKind::Spec);
            if is_asked && reasons.len() < MAX_DEPENDENT_REASONS && told.insert(reason.node.clone())
            {
                reasons.push(Reason { through: Some(one.node.clone()), ..reason });
            }
        }
    }
    Ok(reasons)
}
