//! Code that facts of the branch's knowledge base name.

use std::collections::BTreeMap;

use base::{EntityRef, Result};

use super::documents::{rewritten, went};
use super::trail::{Trail, Went};
use super::{Mended, Stale};
use crate::layers::kb::{STORE, is_there, known};
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
    let (entities, relations) = (kb::entities(&reading.conn)?, kb::relations(&reading.conn)?);
    let (mut stale, mut moved) = (Vec::new(), BTreeMap::new());
    let mut follow = |place: String, old: &str, node: EntityRef| -> Result<()> {
        let Some(went) = went(trail, &node.to_string())? else { return Ok(()) };
        stale.push(told(place, old, &went));
        if matches!(went, Went::To { .. })
            && let Ok(new) = rewritten(&node.to_string(), &went).parse::<EntityRef>()
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
        if let Some((old, node)) = text.filter(|(_, node)| !is_there(view, node)) {
            follow(place(), old, node)?;
        }
    }
    for relation in &relations {
        for end in [&relation.from, &relation.to] {
            if let Ok(kb::End::Code(node)) = kb::End::read(end)
                && !is_there(view, &node)
            {
                follow(format!("kb relation {}", relation.key()), end, node)?;
            }
        }
    }
    stale.sort();
    let set = kb::renamed_code(&entities, &relations, &|node| moved.get(node).cloned());
    if set == kb::Changeset::default() {
        return Ok(nothing(stale));
    }
    let plan = kb_plan(view, (set, Vec::new()), ("fix", "repaired"))?;
    Ok(Plan { summary: plan.summary, change: plan.change, answer: stale, again: true })
}

fn told(place: String, old: &str, went: &Went) -> Stale {
    let mut told = Stale::new(place, old.to_owned(), went);
    told.new = told.new.map(|_| rewritten(old, went));
    told
}
