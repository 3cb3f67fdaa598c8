//! Code that documents and manifests of the knowledge base name: `path#name`, `symbol:…`.

use std::collections::BTreeSet;

use base::{EntityRef, RepoPath, Result};
use kb::Origin;

use super::trail::{Trail, Went};
use super::{Stale, Texts, replaced};
use crate::layers::kb::{is_there, known};
use crate::view::View;

pub(super) fn mend(view: &View, trail: &Trail<'_>, texts: &mut Texts<'_>) -> Result<Vec<Stale>> {
    let known = known(view)?;
    let mut named: BTreeSet<(RepoPath, u32, String)> = BTreeSet::new();
    for fact in known.model.facts() {
        let (Origin::File(path, line), None) = (&fact.origin, &fact.code) else { continue };
        if let Some(code) = &fact.entity.more.code {
            named.insert((path.clone(), *line, code.clone()));
        }
    }
    for bond in known.model.bonds() {
        let Origin::File(path, line) = &bond.origin else { continue };
        for end in [&bond.relation.from, &bond.relation.to] {
            if is_stale_end(view, end) {
                named.insert((path.clone(), *line, end.clone()));
            }
        }
    }
    let mut stale = Vec::new();
    for (path, line, old) in named {
        let Some(went) = went(trail, &old)? else { continue };
        let mut told = Stale::new(format!("{path}:{line}"), old.clone(), &went);
        if let Went::To { .. } = went {
            let new = rewritten(&old, &went);
            let done = texts.change(&path, |bytes| {
                let text = std::str::from_utf8(bytes).ok()?;
                replaced(text, &old, &new).map(String::into_bytes)
            })?;
            told.new = Some(new.clone());
            if !done {
                // The name is put together from several fields: a person has to take it apart.
                told = Stale {
                    new: None,
                    candidates: vec![new],
                    because: "it is not written in one piece".into(),
                    ..told
                };
            }
        }
        stale.push(told);
    }
    Ok(stale)
}

/// Whether an end of a relation names a piece of the tree that is not there.
fn is_stale_end(view: &View, end: &str) -> bool {
    match kb::End::read(end) {
        Ok(kb::End::Code(node)) => !is_there(view, &node),
        _ => false,
    }
}

/// Where what a reference names went; none if it names no code.
pub(super) fn went(trail: &Trail<'_>, old: &str) -> Result<Option<Went>> {
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
        Some((path, Some(name))) => Some(trail.symbol(&path, &name)?),
        Some((path, None)) => Some(trail.file(&path)?),
        None => None,
    })
}

/// The new place in the words of the old reference.
pub(super) fn rewritten(old: &str, went: &Went) -> String {
    let kinds = ["symbol:", "module:", "file:"];
    let kind = kinds.into_iter().find(|kind| old.starts_with(kind)).unwrap_or_default();
    format!("{kind}{}", went.written())
}
