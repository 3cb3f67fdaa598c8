//! Symbols that moved: what vanished and what appeared, matched where there is no doubt.
//!
//! Moves are not kept: an index built from nothing knows nothing of what was. Whoever holds an
//! old name compares what it meant with what there is now.

use std::collections::{BTreeMap, BTreeSet};

use base::RepoPath;
use syntax::{Fingerprint, SymbolKind};

/// A symbol as it is known before or after a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// The file
    pub path: RepoPath,
    /// Its name, with the names it is nested in
    pub full: String,
    /// What it is
    pub kind: SymbolKind,
    /// What to know it by
    pub fingerprint: Fingerprint,
}

/// Why two symbols are the same one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Because {
    /// Name, signature and body are the same
    Whole,
    /// Its body is the same, under another name or signature
    Body,
    /// Its name and signature are the same, in another file
    Shape,
}

/// Bodies that say nothing are no evidence: they have to be found with their shape.
const EMPTY: u64 = 0;

/// Pairs of symbols that are surely one, by their places in the two lists.
///
/// A pair is certain when nothing else that vanished and nothing else that appeared fits either
/// of the two: evidence is weighed strongest first, and what is matched is out of the way.
pub fn moves(vanished: &[Known], appeared: &[Known]) -> Vec<(usize, usize, Because)> {
    let mut open = Open { old: (0..vanished.len()).collect(), new: (0..appeared.len()).collect() };
    let mut pairs = Vec::new();
    let whole = |one: &Known| {
        let Fingerprint { shape, body } = one.fingerprint;
        (body != EMPTY).then_some((kind_of(one), shape, body))
    };
    open.pair(vanished, appeared, whole, |found| pairs.push((found, Because::Whole)));
    let body = |one: &Known| {
        (one.fingerprint.body != EMPTY).then_some((kind_of(one), 0, one.fingerprint.body))
    };
    open.pair(vanished, appeared, body, |found| pairs.push((found, Because::Body)));
    let shape = |one: &Known| Some((kind_of(one), one.fingerprint.shape, 0));
    open.pair(vanished, appeared, shape, |found| pairs.push((found, Because::Shape)));
    pairs.sort();
    pairs.into_iter().map(|((old, new), because)| (old, new, because)).collect()
}

/// A function that became a method is still the same.
const fn kind_of(one: &Known) -> SymbolKind {
    match one.kind {
        SymbolKind::Method => SymbolKind::Function,
        kind => kind,
    }
}

/// What is not matched yet.
struct Open {
    old: BTreeSet<usize>,
    new: BTreeSet<usize>,
}

type Key = (SymbolKind, u64, u64);

impl Open {
    fn pair(
        &mut self,
        vanished: &[Known],
        appeared: &[Known],
        key: impl Fn(&Known) -> Option<Key>,
        mut found: impl FnMut((usize, usize)),
    ) {
        let group = |open: &BTreeSet<usize>, all: &[Known]| {
            let mut groups: BTreeMap<Key, Vec<usize>> = BTreeMap::new();
            for at in open {
                if let Some(key) = key(&all[*at]) {
                    groups.entry(key).or_default().push(*at);
                }
            }
            groups
        };
        let (old, new) = (group(&self.old, vanished), group(&self.new, appeared));
        for (key, old) in old {
            let new = new.get(&key).map(Vec::as_slice).unwrap_or_default();
            if let (&[one], &[other]) = (old.as_slice(), new) {
                self.old.remove(&one);
                self.new.remove(&other);
                found((one, other));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(at: &str, shape: u64, body: u64) -> Known {
        let (path, full) = at.split_once('#').unwrap();
        Known {
            path: path.parse().unwrap(),
            full: full.into(),
            kind: SymbolKind::Function,
            fingerprint: Fingerprint { shape, body },
        }
    }

    #[test]
    fn only_what_is_certain_is_matched() {
        use Because::{Body, Shape, Whole};
        let old = [
            known("a.ts#moved", 1, 10),
            known("a.ts#renamed", 2, 20),
            known("a.ts#edited", 3, 30),
            known("a.ts#twin", 4, 40),
            known("a.ts#gone", 5, 50),
            known("a.ts#empty", 6, 0),
        ];
        let new = [
            known("b.ts#edited", 3, 31),
            known("b.ts#moved", 1, 10),
            known("b.ts#other", 9, 20),
            known("b.ts#twin", 4, 40),
            known("c.ts#twin", 4, 40),
            known("c.ts#empty", 6, 0),
            known("c.ts#fresh", 7, 0),
        ];
        let found = moves(&old, &new);
        assert_eq!(found, [(0, 1, Whole), (1, 2, Body), (2, 0, Shape), (5, 5, Shape)]);
    }

    #[test]
    fn several_that_fit_are_none() {
        let old = [known("a.ts#x", 1, 0), known("b.ts#x", 1, 0)];
        assert_eq!(moves(&old, &[known("c.ts#x", 1, 0)]), []);
        assert_eq!(moves(&[], &old), []);
        assert_eq!(moves(&old[..1], &old), []);
    }

    #[test]
    fn kinds_are_told_apart_but_for_methods() {
        let mut method = known("b.ts#C.f", 8, 10);
        method.kind = SymbolKind::Method;
        let mut class = known("b.ts#C", 1, 10);
        class.kind = SymbolKind::Class;
        let old = [known("a.ts#f", 1, 10)];
        assert_eq!(moves(&old, &[class.clone()]), []);
        assert_eq!(moves(&old, &[class, method]), [(0, 1, Because::Body)]);
    }
}
