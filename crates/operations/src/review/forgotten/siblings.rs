//! Implementations of a method that changed: other classes that override or implement the same one.

use std::collections::BTreeMap;

use base::{RepoPath, Result};
use code::{SymbolEndpoint, SymbolRelation};

use super::ReviewedChange;
use crate::answers::role::is_test_file;
use crate::diff::SymbolHow;

/// If a method has more implementations than this, they are ignored: a method that every class has
/// is no evidence.
const MAX_IMPLEMENTATIONS: usize = 30;

/// The relations of a method to the one that it implements.
const RELATIONS: [SymbolRelation; 2] = [SymbolRelation::Extends, SymbolRelation::Implements];

/// Another implementation of a method that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SiblingImplementation {
    /// Its nested name
    pub(super) name: String,
    /// Its first line
    pub(super) line: u32,
    /// The nested name of the one that changed
    pub(super) changed: String,
}

/// The unchanged files with another implementation of a method that changed, each with the first.
pub(super) fn sibling_implementations(
    change: &ReviewedChange<'_>,
) -> Result<BTreeMap<RepoPath, SiblingImplementation>> {
    let conn = change.view.index()?.conn();
    let touched = change.paths();
    let mut siblings = BTreeMap::new();
    let is_changed = |kind: SymbolHow| matches!(kind, SymbolHow::Body | SymbolHow::Signature);
    for symbol in change.symbols.iter().filter(|one| one.is_callable && is_changed(one.kind)) {
        if symbol.is_test || is_test_file(&symbol.path) {
            continue;
        }
        let here = SymbolEndpoint::new(&symbol.path, &symbol.full_name);
        let bases = code::edges_from(conn, &[here], &RELATIONS)?;
        let bases: Vec<SymbolEndpoint<'_>> =
            bases.iter().map(|edge| SymbolEndpoint::new(&edge.to.0, &edge.to.1)).collect();
        let others = code::edges_to(conn, &bases, &RELATIONS)?;
        if others.len() > MAX_IMPLEMENTATIONS {
            continue;
        }
        for edge in others {
            let (path, name) = edge.from;
            let is_other = !touched.contains(&path) && !is_test_file(&path);
            if !is_other || siblings.contains_key(&path) {
                continue;
            }
            if let Some(row) = code::symbol(conn, &path, &name)? {
                let changed = symbol.full_name.clone();
                siblings.insert(path, SiblingImplementation { name, line: row.line, changed });
            }
        }
    }
    Ok(siblings)
}
