//! How likely a file belongs to a change: a logistic function of its evidence.
//!
//! The weights were fitted to 338 fixes of six repositories, each shown without one of its files, and checked on each
//! repository with the weights of the five others. They are not fitted to the repositories of the published figures
//! (docs/benchmarks.md).

/// The least likelihood of a file that is reported. About one in four files above it really belongs
/// to the change.
pub(super) const MIN_REPORTED: f64 = 0.06;

/// The log-odds of a file without any evidence.
const NO_EVIDENCE: f64 = -6.03;

/// The evidence that a file belongs to a change.
#[derive(Debug, Clone, Default)]
pub(super) struct Evidence {
    /// How much its common commits with the changed files weigh
    pub(super) weight: f64,
    /// The share of a changed file's commits that it is part of
    pub(super) confidence: f64,
    /// In how many commits it changed with the changed files
    pub(super) shared_commits: u64,
    /// Whether it has the name of a changed file, or tests a file of that name
    pub(super) shares_stem: bool,
    /// Whether it is a test and no test changed
    pub(super) is_missing_test: bool,
    /// The summed rarity of the changed names that it contains; a rarity is the logarithm of a
    /// share of files
    pub(super) named_rarity: f64,
    /// Whether a changed line has its name as a word
    pub(super) stem_is_named: bool,
}

impl Evidence {
    /// A number from 0 to 1.
    pub(super) fn likelihood(&self) -> f64 {
        // A large number of common commits is weak evidence if the file is in most commits, so
        // confidence and the weight of small commits count more.
        #[expect(clippy::cast_precision_loss, reason = "a number of commits")]
        let shared = (1.0 + self.shared_commits as f64).ln();
        let flag = |holds: bool, weight: f64| if holds { weight } else { 0.0 };
        let odds = NO_EVIDENCE + 1.32 * (1.0 + 20.0 * self.weight).ln() + 4.29 * self.confidence
            - 1.58 * shared
            + flag(self.shares_stem, 0.41)
            + flag(self.is_missing_test, 1.10)
            + 0.49 * (1.0 + self.named_rarity).ln()
            + flag(self.stem_is_named, 0.72);
        1.0 / (1.0 + (-odds).exp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_reported_without_evidence_and_a_habit_is() {
        assert!(Evidence::default().likelihood() < MIN_REPORTED);
        let habit =
            Evidence { weight: 4.0, confidence: 0.7, shared_commits: 5, ..Evidence::default() };
        assert!(habit.likelihood() > 0.4);
        let everywhere =
            Evidence { weight: 1.0, confidence: 0.1, shared_commits: 60, ..Evidence::default() };
        assert!(everywhere.likelihood() < MIN_REPORTED, "a file that is in every commit");
    }
}
