//! References from documents and manifests of the knowledge base to code: `path#name`, `symbol:…`.

use std::collections::BTreeSet;

use base::{EntityRef, RepoPath, Result};
use kb::FactOrigin;

use super::move_tracker::{MoveTracker, Relocation};
use super::{PendingFileEdits, StaleReference, replace_whole_name};
use engine::areas::kb::{kb_state, node_exists, test_code};
use engine::view::View;

pub(super) fn repair(
    view: &View,
    trail: &MoveTracker<'_>,
    texts: &mut PendingFileEdits<'_>,
) -> Result<Vec<StaleReference>> {
    let known = kb_state(view)?;
    let mut named: BTreeSet<(RepoPath, u32, String)> = BTreeSet::new();
    for fact in known.model.facts() {
        let (FactOrigin::File(path, line), None) = (&fact.origin, &fact.code) else { continue };
        let is_symbol = fact.entity.kind == kb::KbEntityKind::Symbol;
        if let Some(code) = &fact.entity.more.code
            && (is_symbol || test_code(view, &fact.entity)?.is_none())
        {
            named.insert((path.clone(), *line, code.clone()));
        }
    }
    for known_relation in known.model.relations() {
        let FactOrigin::File(path, line) = &known_relation.origin else { continue };
        for end in [&known_relation.relation.from, &known_relation.relation.to] {
            if is_stale_end(view, end) {
                named.insert((path.clone(), *line, end.clone()));
            }
        }
    }
    let mut stale = Vec::new();
    for (path, line, old) in named {
        let Some(went) = relocate_reference(trail, &old)? else { continue };
        let mut told = StaleReference::new(format!("{path}:{line}"), old.clone(), &went);
        if let Relocation::Certain { .. } = went {
            let new = rewrite_reference(&old, &went);
            let done = texts.change(&path, |bytes| {
                let text = std::str::from_utf8(bytes).ok()?;
                replace_whole_name(text, &old, &new).map(String::into_bytes)
            })?;
            told.new = Some(new.clone());
            if !done {
                // The reference consists of several fields, so a person has to change it.
                told = StaleReference {
                    new: None,
                    candidates: vec![new],
                    because: "the reference is split over several fields".into(),
                    ..told
                };
            }
        }
        stale.push(told);
    }
    Ok(stale)
}

/// Whether an end of a relation names a file or symbol that does not exist.
fn is_stale_end(view: &View, end: &str) -> bool {
    match kb::KbEndpoint::parse(end) {
        Ok(kb::KbEndpoint::Code(node)) => !node_exists(view, &node),
        _ => false,
    }
}

/// The new place of what a reference names; none if it names no code.
pub(super) fn relocate_reference(trail: &MoveTracker<'_>, old: &str) -> Result<Option<Relocation>> {
    let node = old.parse::<EntityRef>().ok();
    let bare = || {
        let (path, name) = old.split_once('#')?;
        let path = RepoPath::normalised(path)?.ok()?;
        Some((path, Some(name.to_owned())))
    };
    let place = match node {
        Some(EntityRef::Symbol(path, name)) => Some((path, Some(name.to_string()))),
        Some(EntityRef::Module(path) | EntityRef::File(path)) => Some((path, None)),
        _ => bare(),
    };
    Ok(match place {
        Some((path, Some(name))) => Some(trail.locate_symbol(&path, &name)?),
        Some((path, None)) => Some(trail.locate_file(&path)?),
        None => None,
    })
}

/// The new place, written in the form of the old reference.
pub(super) fn rewrite_reference(old: &str, went: &Relocation) -> String {
    let kinds = ["symbol:", "module:", "file:"];
    let kind = kinds.into_iter().find(|kind| old.starts_with(kind)).unwrap_or_default();
    format!("{kind}{}", went.reference())
}
