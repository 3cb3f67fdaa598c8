//! Moved symbols: matches symbols that disappeared with symbols that appeared, where the match is
//! unambiguous.
//!
//! Moves are not stored: a rebuilt index has no earlier state to compare with. Callers that hold an
//! old name compare its earlier symbols with those of today.

use std::collections::{BTreeMap, BTreeSet};

use base::RepoPath;
use syntax::{Fingerprint, SymbolKind};

/// A symbol before or after a possible move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveCandidate {
    /// The file
    pub path: RepoPath,
    /// The full name, with the names around it
    pub full: String,
    /// The kind of the symbol
    pub kind: SymbolKind,
    /// Hashes of its signature and body
    pub fingerprint: Fingerprint,
}

/// Why two symbols are considered the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MoveEvidence {
    /// Name, signature and body are equal
    Whole,
    /// The bodies are equal, the names or signatures differ
    Body,
    /// The names and signatures are equal, the files differ
    Shape,
}

/// Fingerprint of an empty body. It is evidence of a move only together with an equal signature.
const EMPTY_BODY_HASH: u64 = 0;

/// Pairs of symbols that are certainly the same, by their positions in the two lists.
///
/// A pair is certain if no other symbol that disappeared or appeared fits either of the two. The
/// strongest evidence is tried first, and matched symbols are not considered again.
pub fn match_moves(
    vanished: &[MoveCandidate],
    appeared: &[MoveCandidate],
) -> Vec<(usize, usize, MoveEvidence)> {
    let mut open =
        UnmatchedSymbols { old: (0..vanished.len()).collect(), new: (0..appeared.len()).collect() };
    let mut pairs = Vec::new();
    let whole = |one: &MoveCandidate| {
        let Fingerprint { shape, body } = one.fingerprint;
        (body != EMPTY_BODY_HASH).then_some((comparable_kind(one), shape, body))
    };
    open.match_unique(vanished, appeared, whole, |found| pairs.push((found, MoveEvidence::Whole)));
    let body = |one: &MoveCandidate| {
        (one.fingerprint.body != EMPTY_BODY_HASH).then_some((
            comparable_kind(one),
            0,
            one.fingerprint.body,
        ))
    };
    open.match_unique(vanished, appeared, body, |found| pairs.push((found, MoveEvidence::Body)));
    let shape = |one: &MoveCandidate| Some((comparable_kind(one), one.fingerprint.shape, 0));
    open.match_unique(vanished, appeared, shape, |found| pairs.push((found, MoveEvidence::Shape)));
    pairs.sort();
    pairs.into_iter().map(|((old, new), because)| (old, new, because)).collect()
}

/// Functions and methods are one kind: a function that became a method is still the same symbol.
const fn comparable_kind(one: &MoveCandidate) -> SymbolKind {
    match one.kind {
        SymbolKind::Method => SymbolKind::Function,
        kind => kind,
    }
}

/// Symbols that are not matched yet.
struct UnmatchedSymbols {
    old: BTreeSet<usize>,
    new: BTreeSet<usize>,
}

type MoveMatchKey = (SymbolKind, u64, u64);

impl UnmatchedSymbols {
    fn match_unique(
        &mut self,
        vanished: &[MoveCandidate],
        appeared: &[MoveCandidate],
        key: impl Fn(&MoveCandidate) -> Option<MoveMatchKey>,
        mut found: impl FnMut((usize, usize)),
    ) {
        let group = |open: &BTreeSet<usize>, all: &[MoveCandidate]| {
            let mut groups: BTreeMap<MoveMatchKey, Vec<usize>> = BTreeMap::new();
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

    fn known(at: &str, shape: u64, body: u64) -> MoveCandidate {
        let (path, full) = at.split_once('#').unwrap();
        MoveCandidate {
            path: path.parse().unwrap(),
            full: full.into(),
            kind: SymbolKind::Function,
            fingerprint: Fingerprint { shape, body },
        }
    }

    #[test]
    fn only_what_is_certain_is_matched() {
        use MoveEvidence::{Body, Shape, Whole};
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
        let found = match_moves(&old, &new);
        assert_eq!(found, [(0, 1, Whole), (1, 2, Body), (2, 0, Shape), (5, 5, Shape)]);
    }

    #[test]
    fn several_that_fit_are_none() {
        let old = [known("a.ts#x", 1, 0), known("b.ts#x", 1, 0)];
        assert_eq!(match_moves(&old, &[known("c.ts#x", 1, 0)]), []);
        assert_eq!(match_moves(&[], &old), []);
        assert_eq!(match_moves(&old[..1], &old), []);
    }

    #[test]
    fn kinds_are_told_apart_but_for_methods() {
        let mut method = known("b.ts#C.f", 8, 10);
        method.kind = SymbolKind::Method;
        let mut class = known("b.ts#C", 1, 10);
        class.kind = SymbolKind::Class;
        let old = [known("a.ts#f", 1, 10)];
        assert_eq!(match_moves(&old, &[class.clone()]), []);
        assert_eq!(match_moves(&old, &[class, method]), [(0, 1, MoveEvidence::Body)]);
    }
}
