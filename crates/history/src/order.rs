//! The order of commits: parents first, ties by SHA.
//!
//! Adding or removing commits without children does not change the order of the others. So the commits
//! that two branches share have the same order on both.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// A commit and its parents, by SHA.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitAndParents {
    /// The commit
    pub sha: Vec<u8>,
    /// Its parents; those that are not in the list are ignored
    pub parents: Vec<Vec<u8>>,
}

/// Sorts commits.
pub fn topological_order(links: Vec<CommitAndParents>) -> Vec<CommitAndParents> {
    let at: HashMap<&[u8], usize> =
        links.iter().enumerate().map(|(at, link)| (link.sha.as_slice(), at)).collect();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); links.len()];
    let mut waits_for = vec![0_usize; links.len()];
    for (child, link) in links.iter().enumerate() {
        for parent in link.parents.iter().filter_map(|parent| at.get(parent.as_slice())) {
            children[*parent].push(child);
            waits_for[child] += 1;
        }
    }
    let is_ready = |at: &usize| waits_for[*at] == 0;
    let ready = (0..links.len()).filter(is_ready).map(|at| Reverse((links[at].sha.as_slice(), at)));
    let mut ready: BinaryHeap<_> = ready.collect();
    let mut order = Vec::with_capacity(links.len());
    while let Some(Reverse((_, at))) = ready.pop() {
        order.push(at);
        for child in &children[at] {
            waits_for[*child] -= 1;
            if waits_for[*child] == 0 {
                ready.push(Reverse((links[*child].sha.as_slice(), *child)));
            }
        }
    }
    let mut links: Vec<Option<CommitAndParents>> = links.into_iter().map(Some).collect();
    order.into_iter().filter_map(|at| links[at].take()).collect()
}

/// Whether every one of these commits has `ancestor` among its ancestors.
pub fn all_descend_from(ancestor: &[u8], in_order: &[CommitAndParents]) -> bool {
    let mut found: std::collections::HashSet<&[u8]> = [ancestor].into();
    in_order.iter().all(|link| {
        let descends = link.parents.iter().any(|parent| found.contains(parent.as_slice()));
        if descends {
            found.insert(&link.sha);
        }
        descends
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Commits named by a scrambled number, each with parents among the earlier ones.
    fn history() -> impl Strategy<Value = Vec<CommitAndParents>> {
        prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 0..3), 1..40)
            .prop_map(|all| {
                let name = |at: usize| vec![u8::try_from(at * 97 % 251).unwrap()];
                let link = |(at, parents): (usize, Vec<prop::sample::Index>)| CommitAndParents {
                    sha: name(at),
                    parents: match at {
                        0 => Vec::new(),
                        at => parents.iter().map(|parent| name(parent.index(at))).collect(),
                    },
                };
                all.into_iter().enumerate().map(link).collect()
            })
    }

    fn ancestors(of: &[u8], links: &[CommitAndParents]) -> Vec<CommitAndParents> {
        let mut wanted = vec![of.to_vec()];
        for link in links.iter().rev() {
            if wanted.contains(&link.sha) {
                wanted.extend(link.parents.clone());
            }
        }
        links.iter().filter(|link| wanted.contains(&link.sha)).cloned().collect()
    }

    proptest! {
        #[test]
        fn parents_come_first_and_what_is_shared_keeps_its_order(
            links in history(), tip in any::<prop::sample::Index>()
        ) {
            let whole = topological_order(links.clone());
            prop_assert_eq!(whole.len(), links.len());
            let at = |sha: &[u8]| whole.iter().position(|link| link.sha == sha).unwrap();
            for link in &whole {
                prop_assert!(link.parents.iter().all(|parent| at(parent) < at(&link.sha)));
            }
            let some = ancestors(&links[tip.index(links.len())].sha, &links);
            let kept = whole.iter().filter(|link| some.contains(link));
            prop_assert_eq!(topological_order(some.clone()), kept.cloned().collect::<Vec<_>>());
        }
    }
}
