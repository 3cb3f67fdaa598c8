//! Code that facts of the branch's knowledge base name.

use base::Result;
use serde_json::{Value, json};

use super::documents::{is_stale_end, rewritten, went};
use super::trail::{Trail, Went};
use super::{Mended, Stale};
use crate::layers::kb::{STORE, known};
use crate::ops::kb_plan;
use crate::plan::{Change, Plan};
use crate::view::View;

pub(super) fn mend(view: &View, trail: &Trail<'_>) -> Result<Mended> {
    let nothing = |stale| Plan {
        summary: String::new(),
        change: Change::Nothing,
        answer: stale,
        again: true,
    };
    let Some(reading) = view.store(STORE)? else { return Ok(nothing(Vec::new())) };
    let known = known(view)?;
    let mut stale = Vec::new();
    let (mut entities, mut relations, mut delete): (Vec<Value>, Vec<Value>, Vec<Value>) =
        (Vec::new(), Vec::new(), Vec::new());
    for entity in kb::entities(&reading.conn)? {
        let Some(old) = &entity.more.code else { continue };
        let bound = known.model.get(&entity.id).is_some_and(|fact| fact.code.is_some());
        if bound {
            continue;
        }
        let Some(went) = went(trail, old)? else { continue };
        let new = rewritten(old, &went);
        stale.push(told(format!("kb:{}", entity.id), old, &went));
        if matches!(went, Went::To { .. }) {
            entities.push(json!({"id": entity.id, "code": new}));
        }
    }
    for relation in kb::relations(&reading.conn)? {
        let mut moved = relation.clone();
        let mut is_certain = false;
        for (end, new) in [(&relation.from, &mut moved.from), (&relation.to, &mut moved.to)] {
            if !is_stale_end(view, end) {
                continue;
            }
            let Some(went) = went(trail, end)? else { continue };
            stale.push(told(format!("kb relation {}", relation.key()), end, &went));
            if matches!(went, Went::To { .. }) {
                *new = rewritten(end, &went);
                is_certain = true;
            }
        }
        if is_certain {
            delete.push(json!({"type": relation.relates, "from": relation.from, "to": relation.to, "kind": relation.kind}));
            relations.push(tie(&moved));
        }
    }
    stale.sort();
    if entities.is_empty() && relations.is_empty() {
        return Ok(nothing(stale));
    }
    let (set, faults) = kb::Changeset::read(&entities, &relations, &delete);
    let plan = kb_plan(view, (set, faults), ("fix", "repaired"))?;
    Ok(Plan { summary: plan.summary, change: plan.change, answer: stale, again: true })
}

fn told(place: String, old: &str, went: &Went) -> Stale {
    let mut told = Stale::new(place, old.to_owned(), went);
    told.new = told.new.map(|_| rewritten(old, went));
    told
}

/// A relation as a changeset writes it.
fn tie(relation: &kb::Relation) -> Value {
    let mut tie = json!({"type": relation.relates, "from": relation.from, "to": relation.to});
    if !relation.kind.is_empty() {
        tie["kind"] = relation.kind.as_str().into();
    }
    if let Some(confidence) = relation.confidence {
        tie["confidence"] = confidence.into();
    }
    if relation.allow_cycle {
        tie["allow_cycle"] = true.into();
    }
    tie
}
