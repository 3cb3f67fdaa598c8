//! Co-change: the files that usually change together with a file.
//!
//! Commits in which two files changed together count for it, recent ones and small ones more. For a
//! file with little history, commits of its folder and of files with the same name in other folders
//! count as weak evidence. `cargo xtask cochange-eval` measures it.
//!
//! @see spec::history/cochange

mod evidence;
mod pairs;

use std::collections::{BTreeMap, BTreeSet};

use crate::checkout::ArtifactId;

pub use evidence::{
    FileArtifact, GatheredEvidence, countable_commits, countable_commits_of, gather, gather_own,
};

pub use pairs::{ArtifactPair, pairs};

/// The weight of a commit falls to a third over this many commits.
const COMMIT_AGE_DECAY: f64 = 2500.0;

/// How much the commits of the folder count, all together.
const FOLDER_WEIGHT: f64 = 0.8;

/// Smoothing: this many extra commits without information are assumed for the folder.
const FOLDER_PRIOR_COMMITS: f64 = 1.0;

/// Smoothing: this many commits in which nothing else changed are assumed of every file.
const CONFIDENCE_PRIOR_COMMITS: f64 = 2.0;

/// The score of a file with the same name in another folder.
const NAMESAKE_SCORE: f64 = 0.1;

/// The score of a file in the same folder.
const SIBLING_SCORE: f64 = 0.01;

/// A commit: how many commits ago it was, and the artifacts it touched.
#[derive(Debug, Clone, PartialEq)]
pub struct CochangeCommit {
    /// How many commits ago it was; 0 is the newest commit
    pub commits_ago: i64,
    /// The artifacts that it touched
    pub touched: Vec<ArtifactId>,
}

/// The evidence for what changes with some files.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CochangeEvidence {
    /// The commits of the files themselves
    pub own: Vec<CochangeCommit>,
    /// Commits of other files in their folders
    pub folder: Vec<CochangeCommit>,
    /// Files with the same name; a test counts as the file that it tests
    pub artifacts_with_same_stem: BTreeSet<ArtifactId>,
    /// Files in the same folders
    pub siblings: BTreeSet<ArtifactId>,
}

/// A file that changes with others.
#[derive(Debug, Clone, PartialEq)]
pub struct PartnerScore {
    /// The artifact
    pub artifact: ArtifactId,
    /// How likely it changes too; comparable within one answer
    pub score: f64,
    /// In how many commits both changed
    pub count: u64,
    /// How many commits ago that was last; `None` if never
    pub last_commits_ago: Option<i64>,
}

/// Ranks everything that may change with `asked`, most likely first.
pub fn rank(asked: &BTreeSet<ArtifactId>, evidence: &CochangeEvidence) -> Vec<PartnerScore> {
    let mut found: BTreeMap<ArtifactId, PartnerScore> = BTreeMap::new();
    let mut add = |artifact: ArtifactId, score: f64| {
        let new = || PartnerScore { artifact, score: 0.0, count: 0, last_commits_ago: None };
        let partner = found.entry(artifact).or_insert_with(new);
        partner.score += score;
        (partner.count, partner.last_commits_ago)
    };
    for artifact in evidence.siblings.difference(asked) {
        add(*artifact, SIBLING_SCORE);
    }
    for artifact in evidence.artifacts_with_same_stem.difference(asked) {
        add(*artifact, NAMESAKE_SCORE);
    }
    let whole: f64 = evidence.folder.iter().map(commit_weight).sum();
    for seen in &evidence.folder {
        for artifact in other_artifacts(seen, asked) {
            add(artifact, FOLDER_WEIGHT * commit_weight(seen) / (whole + FOLDER_PRIOR_COMMITS));
        }
    }
    for seen in &evidence.own {
        for artifact in other_artifacts(seen, asked) {
            add(artifact, commit_weight(seen));
        }
    }
    for seen in &evidence.own {
        for artifact in other_artifacts(seen, asked) {
            if let Some(partner) = found.get_mut(&artifact) {
                partner.count += 1;
                partner.last_commits_ago = Some(
                    partner
                        .last_commits_ago
                        .map_or(seen.commits_ago, |last| last.min(seen.commits_ago)),
                );
            }
        }
    }
    let mut ranked: Vec<PartnerScore> = found.into_values().collect();
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.artifact.cmp(&b.artifact)));
    ranked
}

/// How often a file changed together with some files, taken together.
#[derive(Debug, Clone, PartialEq)]
pub struct CochangeHabit {
    /// The file
    pub artifact: ArtifactId,
    /// How much its common commits weigh; recent and small ones weigh more
    pub weight: f64,
    /// In how many commits it changed with any of the files
    pub count: u64,
    /// The one of the files that it follows most closely
    pub closest: ArtifactId,
    /// In how many commits it changed with `closest`
    pub count_with_closest: u64,
    /// How many commits `closest` has
    pub commits_of_closest: u64,
    /// How many commits ago it changed with any of the files; 0 is the newest commit
    pub last_commits_ago: i64,
}

impl CochangeHabit {
    /// The share of the closest file's commits that it is part of. A file with few commits says less.
    #[expect(clippy::cast_precision_loss, reason = "numbers of commits")]
    pub fn confidence(&self) -> f64 {
        self.count_with_closest as f64 / (self.commits_of_closest as f64 + CONFIDENCE_PRIOR_COMMITS)
    }
}

/// The habits of everything that changed with some files. The argument has each file with its own commits.
pub fn habits(asked: &BTreeMap<ArtifactId, Vec<CochangeCommit>>) -> Vec<CochangeHabit> {
    let own: BTreeSet<ArtifactId> = asked.keys().copied().collect();
    let mut found: BTreeMap<ArtifactId, CochangeHabit> = BTreeMap::new();
    for (file, commits) in asked {
        let mut counts: BTreeMap<ArtifactId, u64> = BTreeMap::new();
        for artifact in commits.iter().flat_map(|seen| other_artifacts(seen, &own)) {
            *counts.entry(artifact).or_default() += 1;
        }
        for (artifact, count) in counts {
            let habit = CochangeHabit {
                artifact,
                weight: 0.0,
                count: 0,
                closest: *file,
                count_with_closest: count,
                commits_of_closest: commits.len() as u64,
                last_commits_ago: i64::MAX,
            };
            let known = found.entry(artifact).or_insert_with(|| habit.clone());
            if habit.confidence() > known.confidence() {
                *known = habit;
            }
        }
    }
    let distinct: BTreeMap<i64, &CochangeCommit> =
        asked.values().flatten().map(|seen| (seen.commits_ago, seen)).collect();
    for seen in distinct.into_values() {
        for artifact in other_artifacts(seen, &own) {
            if let Some(habit) = found.get_mut(&artifact) {
                habit.weight += commit_weight(seen);
                habit.count += 1;
                habit.last_commits_ago = habit.last_commits_ago.min(seen.commits_ago);
            }
        }
    }
    found.into_values().collect()
}

fn other_artifacts<'a>(
    seen: &'a CochangeCommit,
    asked: &'a BTreeSet<ArtifactId>,
) -> impl Iterator<Item = ArtifactId> + 'a {
    seen.touched.iter().copied().filter(|artifact| !asked.contains(artifact))
}

/// A commit of two files says more about each than one of twenty, and a new one more than an old.
#[expect(clippy::cast_precision_loss, reason = "both are far below the limit")]
fn commit_weight(seen: &CochangeCommit) -> f64 {
    let others = seen.touched.len().saturating_sub(1).max(1) as f64;
    (-(seen.commits_ago as f64) / COMMIT_AGE_DECAY).exp() / others
}

/// A file's name as its tests share it: `tests/test_login.py` and `login.py` are namesakes.
pub(crate) fn shared_test_stem(path: &[u8]) -> Vec<u8> {
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let stem = name.split(|byte| *byte == b'.').next().unwrap_or_default();
    let mut stem = stem.to_ascii_lowercase();
    for start in [&b"test_"[..], b"tests_"] {
        if let Some(rest) = stem.strip_prefix(start) {
            stem = rest.to_vec();
        }
    }
    for end in [&b"_test"[..], b"_tests", b"-test", b"_spec"] {
        if let Some(rest) = stem.strip_suffix(end) {
            stem = rest.to_vec();
        }
    }
    stem
}

#[cfg(test)]
mod tests {
    use super::*;

    fn artifacts(numbers: &[i64]) -> Vec<ArtifactId> {
        numbers.iter().copied().map(ArtifactId).collect()
    }

    fn seen(commits_ago: i64, touched: &[i64]) -> CochangeCommit {
        CochangeCommit { commits_ago, touched: artifacts(touched) }
    }

    #[test]
    fn recent_and_small_commits_count_more_and_names_break_ties() {
        let evidence = CochangeEvidence {
            own: vec![seen(0, &[1, 2]), seen(1, &[1, 3, 4, 5, 6]), seen(9000, &[1, 7])],
            folder: vec![seen(2, &[8, 9])],
            artifacts_with_same_stem: artifacts(&[9]).into_iter().collect(),
            siblings: artifacts(&[8, 9, 1]).into_iter().collect(),
        };
        let ranked = rank(&[ArtifactId(1)].into(), &evidence);
        let order: Vec<i64> = ranked.iter().map(|partner| partner.artifact.0).collect();
        assert_eq!(order, [2, 9, 8, 3, 4, 5, 6, 7]);
        assert_eq!((ranked[0].count, ranked[0].last_commits_ago), (1, Some(0)));
        assert_eq!(
            (ranked[1].count, ranked[1].last_commits_ago),
            (0, None),
            "only by its name and folder"
        );
    }

    #[test]
    fn habits_of_several_files_name_the_one_that_is_followed_most_closely() {
        let both = seen(0, &[1, 2, 7]);
        let asked = BTreeMap::from([
            (ArtifactId(1), vec![both.clone(), seen(3, &[1, 7])]),
            (ArtifactId(2), vec![both, seen(1, &[2]), seen(2, &[2]), seen(4, &[2, 8])]),
        ]);
        let found = habits(&asked);
        let rows: Vec<_> = found
            .iter()
            .map(|one| (one.artifact.0, one.count, one.closest.0, one.count_with_closest))
            .collect();
        assert_eq!(rows, [(7, 2, 1, 2), (8, 1, 2, 1)], "a commit of both files counts once");
        assert_eq!((found[0].commits_of_closest, found[0].last_commits_ago), (2, 0));
        assert!((found[0].confidence() - 0.5).abs() < 1e-9);
    }

    #[test]
    fn tests_share_the_name_of_what_they_test() {
        for path in ["src/login.py", "tests/test_login.py", "a/login_test.go", "x/Login.spec.ts"] {
            assert_eq!(shared_test_stem(path.as_bytes()), b"login", "{path}");
        }
    }
}
