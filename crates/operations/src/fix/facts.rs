//! References from facts of the branch's knowledge base to code.

use std::collections::BTreeMap;

use base::{EntityRef, Result};

use super::documents::{relocate_reference, rewrite_reference};
use super::move_tracker::{MoveTracker, Relocation};
use super::{RepairPlan, StaleReference};
use engine::areas::kb::{ChangeLabel, STORE, kb_state, node_exists, plan_changeset};
use engine::plan::Plan;
use engine::view::View;

pub(super) fn repair(view: &View, trail: &MoveTracker<'_>) -> Result<RepairPlan> {
    let Some(reading) = view.store(STORE)? else { return Ok(Plan::nothing(Vec::new())) };
    let known = kb_state(view)?;
    let (entities, relations) = (kb::entities(&reading.conn)?, kb::relations(&reading.conn)?);
    let (mut stale, mut moved) = (Vec::new(), BTreeMap::new());
    let mut follow = |place: String, old: &str, node: EntityRef| -> Result<()> {
        let Some(went) = relocate_reference(trail, &node.to_string())? else { return Ok(()) };
        stale.push(stale_reference(place, old, &went));
        if matches!(went, Relocation::Certain { .. })
            && let Ok(new) = rewrite_reference(&node.to_string(), &went).parse::<EntityRef>()
        {
            moved.insert(node, new);
        }
        Ok(())
    };
    for entity in &entities {
        let place = || format!("kb:{}", entity.id);
        let bound = known.model.get(&entity.id).is_some_and(|fact| fact.code.is_some());
        let code = entity.more.code.as_deref().filter(|_| !bound);
        if let Some((old, node)) = code.and_then(|old| Some((old, kb::code_node(old)?))) {
            follow(place(), old, node)?;
        }
        let text = entity.more.text_ref.as_deref();
        let text = text.and_then(|old| Some((old, kb::text_node(old)?)));
        if let Some((old, node)) = text.filter(|(_, node)| !node_exists(view, node)) {
            follow(place(), old, node)?;
        }
    }
    for relation in &relations {
        for end in [&relation.from, &relation.to] {
            if let Ok(kb::KbEndpoint::Code(node)) = kb::KbEndpoint::parse(end)
                && !node_exists(view, &node)
            {
                follow(format!("kb relation {}", relation.key()), end, node)?;
            }
        }
    }
    stale.sort();
    let set = kb::changeset_for_moved_code(&entities, &relations, &|node| moved.get(node).cloned());
    if set == kb::Changeset::default() {
        return Ok(Plan::nothing(stale));
    }
    let label = ChangeLabel { action: "fix", verb: "repaired" };
    let plan = plan_changeset(view, set.into(), label)?;
    Ok(Plan { summary: plan.summary, change: plan.change, answer: stale, retry_on_conflict: true })
}

fn stale_reference(place: String, old: &str, went: &Relocation) -> StaleReference {
    let mut told = StaleReference::new(place, old.to_owned(), went);
    told.new = told.new.map(|_| rewrite_reference(old, went));
    told
}
