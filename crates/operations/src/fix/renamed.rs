//! References in documents, manifests and cards to code that a change renames or moves.

use std::collections::{BTreeMap, BTreeSet};

use base::{EntityRef, RepoPath, Result};
use kb::FactOrigin;
use tree::FileEdit;

use super::{PendingFileEdits, replace_whole_name};
use engine::areas::kb::kb_state;
use engine::view::View;

/// Edits that write the new names into documents, manifests and texts of cards. Files that are edited already are
/// left alone.
pub(crate) fn renamed_references(
    view: &View,
    edits: &[FileEdit],
    rename: impl Fn(&EntityRef) -> EntityRef,
) -> Result<Vec<FileEdit>> {
    let mut texts = PendingFileEdits { view, files: BTreeMap::new() };
    for (path, old) in written_references(view)? {
        if edits.iter().any(|edit| edit.path == path) {
            continue;
        }
        let Some(new) = renamed_reference(&old, &rename) else { continue };
        texts.change(&path, |bytes| {
            let text = std::str::from_utf8(bytes).ok()?;
            replace_whole_name(text, &old, &new).map(String::into_bytes)
        })?;
    }
    Ok(texts.edits())
}

/// Where files name code, and how.
fn written_references(view: &View) -> Result<BTreeSet<(RepoPath, String)>> {
    let known = kb_state(view)?;
    let mut named = BTreeSet::new();
    for fact in known.model.facts() {
        if let (FactOrigin::File(path, _), Some(code)) = (&fact.origin, &fact.entity.more.code) {
            named.insert((path.clone(), code.clone()));
        }
    }
    for known_relation in known.model.relations() {
        if let FactOrigin::File(path, _) = &known_relation.origin {
            let ends = [&known_relation.relation.from, &known_relation.relation.to];
            named.extend(ends.map(|end| (path.clone(), end.clone())));
        }
    }
    for row in cards::all_mentions(view.index()?.conn())? {
        if let Some(symbol) = row.mention.symbol {
            named.insert((row.path, format!("{}#{symbol}", row.mention.target)));
        }
    }
    Ok(named)
}

/// A reference after the change, in the form that it has; `None` if it names nothing that changes.
fn renamed_reference(old: &str, rename: impl Fn(&EntityRef) -> EntityRef) -> Option<String> {
    let (kind, bare) = match old.split_once(':') {
        Some((kind @ ("symbol" | "module" | "file"), bare)) => (Some(kind), bare),
        _ => (None, old),
    };
    let word = kind.unwrap_or(if bare.contains('#') { "symbol" } else { "module" });
    let node: EntityRef = format!("{word}:{bare}").parse().ok()?;
    let new = rename(&node);
    if new == node {
        return None;
    }
    let new = new.to_string();
    let (_, bare) = new.split_once(':')?;
    Some(kind.map_or_else(|| bare.to_owned(), |kind| format!("{kind}:{bare}")))
}
