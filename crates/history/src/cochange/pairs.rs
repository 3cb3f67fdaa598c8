//! How often each two of some files change in the same commit.

use base::Result;
use store::Connection;

use crate::checkout::{self, ArtifactId, CommitLimits};

/// Two artifacts that changed in the same commits, by their positions in what was asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArtifactPair {
    /// The first of the two
    pub first: usize,
    /// The second, which comes after the first
    pub second: usize,
    /// Commits that changed both
    pub count: u64,
    /// Commits that changed either
    pub either: u64,
}

/// All pairs that share a commit. Merges and commits of more than `max_files` files do not count.
pub fn pairs(
    conn: &Connection,
    artifacts: &[ArtifactId],
    max_files: u32,
) -> Result<Vec<ArtifactPair>> {
    let limits = CommitLimits { max_files, max_commits: usize::MAX >> 1 };
    let positions: Vec<Vec<i64>> = artifacts
        .iter()
        .map(|artifact| checkout::countable_positions(conn, *artifact, limits))
        .collect::<Result<_>>()?;
    let mut found = Vec::new();
    for (first, own) in positions.iter().enumerate() {
        for (second, other) in positions.iter().enumerate().skip(first + 1) {
            let count = common(own, other);
            if count > 0 {
                let either = (own.len() + other.len()) as u64 - count;
                found.push(ArtifactPair { first, second, count, either });
            }
        }
    }
    Ok(found)
}

/// How many positions two lists share; both are in descending order.
fn common(one: &[i64], other: &[i64]) -> u64 {
    let (mut a, mut b, mut count) = (0, 0, 0);
    while let (Some(left), Some(right)) = (one.get(a), other.get(b)) {
        count += u64::from(left == right);
        a += usize::from(left >= right);
        b += usize::from(right >= left);
    }
    count
}

#[cfg(test)]
mod tests {
    #[test]
    fn common_positions_are_counted_once() {
        assert_eq!(super::common(&[9, 7, 4, 1], &[8, 7, 4, 3, 2]), 2);
        assert_eq!(super::common(&[], &[1]), 0);
        assert_eq!(super::common(&[2, 1], &[2, 1]), 2);
    }
}
